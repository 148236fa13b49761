use crate::elementary;
use melior::ir::ValueLike;
use tx_mlir::{Builder, Failed, Op, enclosing, erase, name, operands, replace_uses, results, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Expand elementary functions and conversions of 8-bit floats to arithmetic.
    ///
    /// ## What it does
    /// Replaces `math.exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p`, `tanh`, `erf`,
    /// `powf`, `fpowi` and `rsqrt` in GPU modules by arithmetic: the argument is reduced to a short
    /// interval, and a polynomial is evaluated there. They may be of a float type or of
    /// one-dimensional vectors of one; types narrower than f32 are computed in f32 and rounded once.
    /// A power whose exponent is a constant takes no logarithm where it is whole and from -2 to 3
    /// (a product of numbers or reciprocals), or 0.5 or -0.5 (a square root). Other powers by whole numbers
    /// are as `powf`.
    ///
    /// `arith.extf` from f8E4M3FN and f8E5M2 and `arith.truncf` to them become integer ops, of
    /// numbers and of vectors: rounded once to nearest, ties to even; a number that is too large
    /// becomes NaN in f8E4M3FN, which has no infinity, and an infinity in f8E5M2. Other ops and types
    /// are left.
    ///
    /// What is made are sums, products, quotients, square roots and `math.fma`, each rounded to
    /// nearest, and integer ops on the bits. There are no branches, tables, calls or flags that
    /// let a compiler change a result: the bits are the same on every chip and on the CPU, whatever
    /// the bits of a NaN.
    ///
    /// Errors, in units of the last place of the result (0.5 is what rounding alone costs):
    ///
    /// | function | f32 | f64 |
    /// |---|---|---|
    /// | `exp`, `exp2` | 0.9 | 0.9 |
    /// | `expm1` | 0.9 | 1.2 |
    /// | `log`, `log1p`, `log10`, `log2` | 0.8 | 0.8 |
    /// | `tanh` | 1.6 | 1.6 |
    /// | `erf` | 1.0 | 1.1 |
    /// | `powf`, `fpowi` | 1.1 | 1.3 |
    /// | powers without a logarithm | 1.5 | 1.5 |
    /// | `rsqrt` | 1.5 | 1.5 |
    ///
    /// For f32 those of one argument were measured over all numbers, the others over millions.
    /// Subnormal arguments and results have the same bounds; nothing is flushed to zero. Infinities,
    /// zeros of both signs and NaN give what IEEE 754 says of the function.
    ///
    /// ## Why
    /// PTX has these functions only as approximations that flush subnormal numbers and lose up to
    /// half of the digits, or not at all, and CUDA's libdevice is not linked. LLVM has no 8-bit float
    /// type, and chips before sm_89 have no conversions of them.
    ///
    /// ## Before
    /// ```mlir
    /// %y = math.log2 %x : f32
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %bits = arith.bitcast %x : f32 to i32
    /// ...
    /// %p = math.fma %q, %square, %c : f32
    /// ...
    /// %y = arith.select %positive, %sum, %special : f32
    /// ```
    ///
    /// ## Cost
    /// On a GPU, for f32: 17 instructions for `exp`, 14 where its argument is seen to be never
    /// positive (a difference from a maximum, a negated magnitude, the smaller of 0), 20 for
    /// `exp2`, 35 to 60 for the others, 120 for `powf`; some more for f64. Logarithms, `tanh`,
    /// `rsqrt` and `powf` have one division. A conversion from f8E5M2 takes 3 instructions, from
    /// f8E4M3FN 9, and to either about 15. No thread takes another path than its neighbours.
    ///
    /// ## Fails when
    /// It does not.
    pub struct ExpandMath as "gpu-expand-math" creates [arith, math] {
    } counts {
        /// functions and conversions expanded
        expanded,
    }
}

impl Pass for ExpandMath {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            if enclosing(op, "gpu.module").is_none() {
                continue;
            }
            let [result] = results(op)[..] else {
                continue;
            };
            let b = Builder::before(op);
            let Some(value) = elementary::expand(&b, name(op), &operands(op), result.r#type())
            else {
                continue;
            };
            replace_uses(result, value);
            erase(op);
            counts.add("expanded", 1);
        }
        Ok(())
    }
}
