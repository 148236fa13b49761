use crate::elementary;
use tx_mlir::{Builder, Failed, Op, enclosing, erase, replace_uses, results, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Expand elementary functions and conversions of 8-bit floats to arithmetic.
    ///
    /// ## What it does
    /// Replaces functions of `math` in GPU modules by arithmetic: `exp`, `exp2`, `expm1`, `log`, `log2`,
    /// `log10`, `log1p`, `powf`, `fpowi`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sinh`,
    /// `cosh`, `tanh`, `asinh`, `acosh`, `atanh`, `erf`, `erfc`, `cbrt`, `rsqrt` and `round`. The argument is
    /// reduced to a short interval, and a polynomial is evaluated there. They may be of a float type or of
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
    /// | `sin`, `cos` | 0.9 | 0.9 |
    /// | `tan` | 1.1 | 1.1 |
    /// | `asin`, `acos` | 1.3 | 1.3 |
    /// | `atan`, `atan2` | 0.8 | 0.8 |
    /// | `sinh`, `cosh`, `tanh` | 1.6 | 1.6 |
    /// | `asinh`, `acosh`, `atanh` | 2.2 | 2.2 |
    /// | `erfc` | 3.2 | 3.2 |
    /// | `cbrt` | 0.6 | 0.6 |
    /// | `round` | 0 | 0 |
    /// | `erf` | 1.0 | 1.1 |
    /// | `powf`, `fpowi` | 1.1 | 1.3 |
    /// | powers without a logarithm | 1.5 | 1.5 |
    /// | `rsqrt` | 1.5 | 1.5 |
    ///
    /// For f32 those of one argument were measured over all numbers, the others over millions.
    /// The errors of `sin`, `cos` and `tan` are the same for large arguments: the reduction multiplies
    /// the argument by as many bits of 2/π as its exponent requires (Payne and Hanek).
    ///
    /// Subnormal arguments and results have the same bounds; nothing is flushed to zero. Infinities,
    /// zeros of both signs and NaN give what IEEE 754 says of the function.
    ///
    /// With `fastmath<afn>`, `math.exp`, `exp2`, `log`, `log2`, `log10` and `arith.divf` of f32 and narrower
    /// types become ops that are approximate instructions of the chip: `math.exp2` (`ex2.approx.ftz`),
    /// `math.log2` (`lg2.approx.ftz`) and `arith.divf` of 1 (`rcp.approx`), each of f32 and with the flag.
    /// Their bits may differ between chips. Errors in f32, where u is one unit in the last place of the result:
    ///
    /// | op | error | exceptions |
    /// |---|---|---|
    /// | `exp` | (2 + 1.2 · abs x) u | results below 2^-126 are 0 |
    /// | `exp2` | 2 u | results below 2^-126 are 0 |
    /// | `log2`, `log`, `log10` | 4 u; 2^-22 for x from 0.5 to 2 | subnormal x counts as 0 |
    /// | `divf` | 2.5 u | infinite or NaN for a divisor below 2^-128; 4 u for one above 2^126 |
    ///
    /// A narrower type rounds that once more.
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
    /// `exp2`, 35 to 60 for the others, 120 for `powf`; some more for f64. PTX of `sin` and `cos` has
    /// 85 instructions, of `tan` 95; in f64 160 and 175. Logarithms, `tanh`,
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
            let Some(value) = elementary::expand(&Builder::before(op), op) else {
                continue;
            };
            replace_uses(results(op)[0], value);
            erase(op);
            counts.add("expanded", 1);
        }
        Ok(())
    }
}
