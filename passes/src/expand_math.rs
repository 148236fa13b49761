use crate::elementary::{self, Narrow};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Builder, Failed, Op, erase, is, replace_uses, results, walk};

pass! {
    /// Expand elementary functions and conversions of 8-bit floats to arithmetic.
    ///
    /// ## What it does
    /// Replaces functions of `math` in GPU modules by arithmetic: `exp`, `exp2`, `expm1`, `log`, `log2`,
    /// `log10`, `log1p`, `powf`, `fpowi`, `sin`, `cos`, `sincos`, `tan`, `asin`, `acos`, `atan`, `atan2`, `sinh`,
    /// `cosh`, `tanh`, `asinh`, `acosh`, `atanh`, `erf`, `erfc`, `cbrt`, `rsqrt`, `round` and `clampf`. The argument
    /// is reduced to a short interval, and a polynomial is evaluated there. They may be of a float type or of
    /// one-dimensional vectors of one; types narrower than f32 are computed in f32 and rounded once. `sincos` has
    /// the bits of `sin` and `cos`, and reduces its argument once.
    /// A power whose exponent is a constant takes no logarithm where it is whole and from -2 to 3
    /// (a product of numbers or reciprocals), or 0.5 or -0.5 (a square root). Other powers by whole numbers
    /// are as `powf`.
    ///
    /// `arith.remf` is C's `fmod`: x − n · y without an error, where n is x / y rounded toward zero. The sign is that
    /// of x; the result is NaN where x is infinite, y is 0, or one of them is NaN, and x where y is infinite.
    ///
    /// `math.ipowi` of integers and `index` is a power modulo 2^bits. With a negative exponent, powers of 1 and -1
    /// are 1 or -1, others 0; that of 0 is not defined. Constant exponents up to 64 become products.
    ///
    /// `math.clampf` is `maximumf(minimumf(value, max), min)`: NaN where one of the three is NaN, -0.0 below +0.0,
    /// and `min` where that is above `max`. The description and the expansion of the op in MLIR 22 have `min` and
    /// `max` in each other's places, which gives `max` for every value; later versions are as here.
    ///
    /// `arith.extf` from f8E4M3FN and f8E5M2 and `arith.truncf` to them become integer ops, of
    /// numbers and of vectors: rounded once to nearest, ties to even; a number that is too large
    /// becomes NaN in f8E4M3FN, which has no infinity, and an infinity in f8E5M2. Other ops and types
    /// are left.
    ///
    /// If every target of the GPU module supports the instructions (sm_89 with PTX 8.1, sm_90),
    /// `nvvm.convert.f32x2.to.f8x2` rounds f32 and narrower types, and `nvvm.convert.f8x2.to.f16x2`
    /// widens 8-bit floats. One instruction converts two elements of a vector: the pass first
    /// combines conversions of the elements of one `vector.from_elements` or `vector.load` into a
    /// conversion of a vector. The instruction saturates. A comparison per element therefore
    /// replaces numbers out of range, unless minima and maxima with constants prove that there are
    /// none. The bits equal the bits of the integer ops.
    ///
    /// Four or more quotients of f32 by one divisor in one block, such as `x / s` for the elements of
    /// a row, share the reciprocal r of the divisor: `q = x * r`, `e = fma(q, s, -x)` and
    /// `fma(e, -r, q)`. The results are the correctly rounded quotients if s is from 2^-126 to 2^29
    /// and each x is zero or at least 2^-96 in magnitude. For other operands, and if a result is
    /// NaN, an `scf.if` computes all quotients by `arith.divf`. The bits equal the bits of
    /// `arith.divf` in both cases.
    ///
    /// The expansions consist of integer ops on the bits and of additions, multiplications,
    /// divisions, square roots and `math.fma`, each rounded to nearest. The expansions contain no
    /// table, call or fast-math flag, no branch except for quotients by a reciprocal, and no loop
    /// except for `remf` and `ipowi`. The results are therefore bitwise equal on every chip and on
    /// the CPU, except for the payload of a NaN.
    ///
    /// The table lists maximum errors in units in the last place (ulp) of the result. Correct
    /// rounding alone has an error of 0.5 ulp.
    ///
    /// | function | f32 | f64 |
    /// |---|---|---|
    /// | `exp`, `exp2` | 0.9 | 0.9 |
    /// | `expm1` | 0.9 | 1.2 |
    /// | `log`, `log1p`, `log10`, `log2` | 0.8 | 0.8 |
    /// | `sin`, `cos`, `sincos` | 0.9 | 0.9 |
    /// | `tan` | 1.1 | 1.1 |
    /// | `asin`, `acos` | 1.3 | 1.3 |
    /// | `atan`, `atan2` | 0.8 | 0.8 |
    /// | `sinh`, `cosh`, `tanh` | 1.6 | 1.6 |
    /// | `asinh`, `acosh`, `atanh` | 2.2 | 2.2 |
    /// | `erfc` | 3.2 | 3.2 |
    /// | `cbrt` | 0.6 | 0.6 |
    /// | `remf`, `round`, `clampf` | 0 | 0 |
    /// | `erf` | 1.0 | 1.1 |
    /// | `powf`, `fpowi` | 1.1 | 1.3 |
    /// | powers without a logarithm | 1.5 | 1.5 |
    /// | `rsqrt` | 1.5 | 1.5 |
    ///
    /// For f32 those of exponentials, logarithms, `tanh`, `erf`, `rsqrt`, `sin`, `cos` and `tan` were measured over all
    /// numbers (`sin` 0.83, `cos` 0.84, `tan` 1.03), the others over millions.
    /// The errors of `sin`, `cos` and `tan` are the same for large arguments: the reduction multiplies
    /// the argument by as many bits of 2/π as its exponent requires (Payne and Hanek).
    ///
    /// Subnormal arguments and results have the same error bounds; no value is flushed to zero. For
    /// infinities, signed zeros and NaN, results follow IEEE 754.
    ///
    /// With `fastmath<afn>`, `math.exp`, `exp2`, `log`, `log2`, `log10` and `arith.divf` of f32 and
    /// narrower types use approximate instructions of the GPU. The expansions of approximate
    /// functions consist of three ops on f32 with the flag: `math.exp2` (`ex2.approx.ftz`),
    /// `math.log2` (`lg2.approx.ftz`) and `arith.divf` of 1 (`rcp.approx`). The bits of approximate
    /// results may differ between chips. The next table lists maximum errors in f32, where u is one
    /// unit in the last place of the result.
    ///
    /// | op | error | exceptions |
    /// |---|---|---|
    /// | `exp` | (2 + 1.2 · abs x) u | results below 2^-126 are 0 |
    /// | `exp2` | 2 u | results below 2^-126 are 0 |
    /// | `log2`, `log`, `log10` | 4 u; 2^-22 for x from 0.5 to 2 | subnormal x counts as 0 |
    /// | `divf` | 2.5 u | infinite or NaN for a divisor below 2^-128; 4 u for one above 2^126 |
    ///
    /// For types narrower than f32, rounding to the type adds its own error.
    ///
    /// ## Why
    /// For `sin`, `exp2` and some other functions, PTX has only approximate instructions, which
    /// flush subnormal numbers and lose up to half of the digits. For the remaining functions, PTX
    /// has no instruction. CUDA's libdevice is not linked. LLVM has no 8-bit float type, and chips
    /// before sm_89 have no instructions that convert 8-bit floats.
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
    /// Numbers of PTX instructions for f32: 17 for `exp`, 20 for `exp2`, 85 for `sin` and `cos`, 95
    /// for `tan`, 120 for `powf`, and 35 to 60 for the others. `exp` has 14 instructions if its
    /// argument is provably not positive: a difference from a maximum, a negated magnitude, or a
    /// minimum with 0. In f64, `sin` and `cos` have 160 instructions, `tan` has 175, and other
    /// functions have slightly more than in f32. Logarithms, `tanh`, `rsqrt` and `powf` contain one
    /// division. A conversion from f8E5M2 has 3 instructions, a conversion from f8E4M3FN has 9, and
    /// a conversion to either type has about 15. With the instructions of sm_89, a conversion from
    /// either type has 2 instructions, a conversion to f8E4M3FN has 4 and to f8E5M2 has 7. A
    /// conversion has 1 instruction if no number is out of range. A quotient by a reciprocal has 6
    /// instructions; another quotient executes 12 on an H200.
    ///
    /// Only `remf`, `ipowi` and quotients by a reciprocal may diverge within a warp.
    ///
    /// `remf` is a division of 64-bit integers, and another one for each 40 binary digits of the quotient of
    /// exponents in f32, for each 11 in f64. `ipowi` is two products for each binary digit of the exponent. Threads of
    /// a warp, and elements of a vector, repeat as often as the slowest of them.
    ///
    /// ## Fails when
    /// A target has an unknown chip or feature.
    pub struct ExpandMath as "gpu-expand-math" creates [arith, math, nvvm, scf, vector] {
    } counts {
        /// functions and conversions expanded
        expanded,
        /// quotients computed by the reciprocal of the divisor
        divided,
    }
}

impl Pass for ExpandMath {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let modules = walk(module).into_iter().filter(|op| is(*op, "gpu.module"));
        let modules = modules
            .map(|module| Ok((module, Narrow::of_module(module)?)))
            .collect::<Result<Vec<_>, Failed>>()?;
        for (module, narrow) in modules {
            if narrow == Narrow::Instructions {
                elementary::gather(module);
            }
            counts.add("divided", elementary::share_reciprocals(module));
            for op in walk(module) {
                let Some(values) = elementary::expand(&Builder::before(op), op, narrow) else {
                    continue;
                };
                for (result, value) in results(op).into_iter().zip(values) {
                    replace_uses(result, value);
                }
                erase(op);
                counts.add("expanded", 1);
            }
        }
        Ok(())
    }
}
