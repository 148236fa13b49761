use crate::elementary::{self, Narrow};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Builder, Failed, Op, erase, is, replace_uses, results, walk};

pass! {
    /// Expand elementary functions and conversions of 8-bit floats to arithmetic.
    ///
    /// ## What it does
    /// Replaces functions of `math` in GPU modules by arithmetic: `exp`, `exp2`, `expm1`, `log`,
    /// `log2`, `log10`, `log1p`, `powf`, `fpowi`, `sin`, `cos`, `sincos`, `tan`, `asin`, `acos`,
    /// `atan`, `atan2`, `sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh`, `erf`, `erfc`, `cbrt`,
    /// `rsqrt`, `round` and `clampf`. An expansion reduces the argument to a short interval, and
    /// evaluates a polynomial in this interval. Operands are floats or one-dimensional vectors of
    /// floats. If the operand type is narrower than f32, the expansion computes in f32 and rounds
    /// the result once. The expansion of `sincos` reduces the argument once. The results of
    /// `sincos` have the same bits as the results of `sin` and `cos`. A power of x with a constant
    /// integer exponent from -2 to 3 becomes a product of factors x or 1 / x. A power with the
    /// exponent 0.5 or -0.5 becomes a square root or the reciprocal of a square root. If the
    /// integer exponent of a power is dynamic or is not between -2 and 3, the power is computed as
    /// `powf`.
    ///
    /// `arith.remf` is C's `fmod`: the exact value of x − n · y, where n is x / y rounded toward
    /// zero. The remainder of x by y has the sign of x. The remainder of x by y is NaN if x is
    /// infinite, y is 0, or an operand is NaN. The remainder of x by y is x if y is infinite and x
    /// is finite.
    ///
    /// `math.ipowi` of integers and `index` is a power modulo 2^bits. For a negative exponent, the
    /// power of the bases 1 and -1 is 1 or -1, the power of the base 0 is undefined, and the power
    /// of every other base is 0. Powers of integers with a constant exponent of at most 64 become
    /// products.
    ///
    /// `math.clampf` is `maximumf(minimumf(value, max), min)`. The result of `math.clampf` is NaN
    /// if one of the three operands is NaN, and `min` if `min` exceeds `max`; -0.0 is less than
    /// +0.0. In MLIR 22, the description and the expansion of `math.clampf` exchange `min` and
    /// `max`, so the result of that expansion is always `max`. In later versions of MLIR,
    /// `math.clampf` has the same results as in this pass.
    ///
    /// `arith.extf` from f8E4M3FN and f8E5M2 and `arith.truncf` to these types become integer ops,
    /// on scalars and on vectors. `arith.truncf` rounds once, to nearest, ties to even. If a number
    /// exceeds the range of f8E5M2, `arith.truncf` to f8E5M2 returns an infinity. If a number
    /// exceeds the range of f8E4M3FN, which has no infinity, `arith.truncf` to f8E4M3FN returns
    /// NaN. The pass does not change conversions of 8-bit floats in formats other than f8E4M3FN and
    /// f8E5M2.
    ///
    /// `nvvm.convert.f32x2.to.f8x2` rounds f32 and narrower types, and `nvvm.convert.f8x2.to.f16x2`
    /// widens 8-bit floats, if every target of the GPU module supports these instructions (sm_89
    /// with PTX 8.1, sm_90). One conversion instruction converts two elements of a vector. The pass
    /// therefore first combines the conversions of all elements of a `vector.from_elements` or
    /// `vector.load` into one conversion of a vector. The conversion instruction to an 8-bit float
    /// saturates: a number out of range becomes the largest finite number. The expansion therefore
    /// replaces numbers outside the range of the 8-bit type before the conversion. The replacement
    /// of out-of-range numbers costs one comparison per element. The pass omits the range
    /// comparison if minimum and maximum ops with constant operands clamp all numbers to the range
    /// of the 8-bit type. The conversion instructions and the integer ops give results with the
    /// same bits.
    ///
    /// Four or more f32 quotients of one MLIR block that have the same divisor, such as `x / s` for
    /// the elements of a row, share the reciprocal r of the divisor. Each quotient x / s is
    /// computed as `fma(e, -r, q)` with `r = 1 / s`, `q = x * r` and `e = fma(q, s, -x)`. The value
    /// of `fma(e, -r, q)` is the correctly rounded quotient x / s if s is from 2^-126 to 2^29 and
    /// the magnitude of x is zero or at least 2^-96. One `scf.if` covers up to 8 quotients, and
    /// computes them by `arith.divf` if the divisor or a dividend is outside the range for correct
    /// rounding, or if a quotient is NaN. The quotients therefore have the same bits as the results
    /// of `arith.divf` for all operands.
    ///
    /// The expansions consist of integer ops on the bits and of additions, multiplications,
    /// divisions, square roots and `math.fma`, each rounded to nearest. The expansions contain no
    /// table, call or fast-math flag, no branch except for quotients by a reciprocal, and no loop
    /// except for `remf` and `ipowi`. The results of all expansions are therefore bitwise equal on
    /// every chip and on the CPU, except for the payload of a NaN.
    ///
    /// The table lists the maximum error of each function in units in the last place (ulp) of the
    /// result. A correctly rounded result has an error of up to 0.5 ulp.
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
    /// For f32, the errors of exponentials, logarithms, `tanh`, `erf`, `rsqrt`, `sin`, `cos` and
    /// `tan` were measured over all f32 numbers (`sin` 0.83, `cos` 0.84, `tan` 1.03). For every
    /// other function of the table, the error was measured over millions of numbers. The errors of
    /// `sin`, `cos` and `tan` for large arguments equal their errors for small arguments. The
    /// argument reduction of `sin`, `cos` and `tan` multiplies the argument by as many bits of 2/π
    /// as the exponent of the argument requires (Payne and Hanek).
    ///
    /// The error bounds also apply to subnormal arguments and results; no value is flushed to zero.
    /// For infinities, signed zeros and NaN, results follow IEEE 754.
    ///
    /// With `fastmath<afn>`, `math.exp`, `exp2`, `log`, `log2`, `log10`, `rsqrt`, `sqrt` and
    /// `arith.divf` of f32 and narrower types use approximate instructions of the GPU. The
    /// expansions of approximate functions contain f32 ops of five kinds with the flag `afn`:
    /// `math.exp2` (`ex2.approx.ftz`), `math.log2` (`lg2.approx.ftz`), `math.rsqrt`
    /// (`rsqrt.approx`), `math.sqrt` (`sqrt.approx`) and `arith.divf` with the numerator 1
    /// (`rcp.approx`). The bits of approximate results may differ between chips. The table lists
    /// the maximum error of each approximate function in f32; u denotes one unit in the last place
    /// of the result.
    ///
    /// | op | error | exceptions |
    /// |---|---|---|
    /// | `exp` | (2 + 1.2 · abs x) u | results below 2^-126 are 0 |
    /// | `exp2` | 2 u | results below 2^-126 are 0 |
    /// | `log2`, `log`, `log10` | 4 u; 2^-22 for x from 0.5 to 2 | subnormal x counts as 0 |
    /// | `rsqrt`, `sqrt` | 1.2 u | |
    /// | `divf` | 2.5 u | infinite or NaN for a divisor below 2^-128; 4 u for one above 2^126 |
    ///
    /// If the operand type is narrower than f32, the rounding of the f32 result to this type causes
    /// an additional error.
    ///
    /// ## Why
    /// For `sin`, `exp2` and some other functions, PTX has only approximate instructions. The
    /// approximate instructions flush subnormal numbers and lose up to half of the significant
    /// bits. For functions such as `tan`, `powf` and `erf`, PTX has no instruction. CUDA's
    /// libdevice is not linked. LLVM has no 8-bit float type, and chips before sm_89 have no
    /// instructions that convert 8-bit floats.
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
    /// for `tan`, 120 for `powf`, and 35 to 60 for the others. The expansion of `exp` has 14
    /// instructions if its argument is provably not positive, such as a difference from a maximum,
    /// a negated magnitude, or a minimum with 0. In f64, the expansions of `sin` and `cos` have 160
    /// instructions each, and the expansion of `tan` has 175 instructions. Every expansion except
    /// `sin`, `cos` and `tan` has only slightly more instructions in f64 than in f32. The
    /// expansions of logarithms, `tanh`, `rsqrt` and `powf` contain one division. A conversion from
    /// f8E5M2 has 3 instructions, a conversion from f8E4M3FN has 9 instructions, and a conversion
    /// to either format has about 15 instructions. With the instructions of sm_89, a conversion
    /// from an 8-bit float has 2 instructions. With the instructions of sm_89, a conversion to
    /// f8E4M3FN has 4 instructions, and a conversion to f8E5M2 has 7 instructions. With the
    /// instructions of sm_89, a conversion to an 8-bit float has 1 instruction if all numbers are
    /// provably in the range of the 8-bit type. The computation of a quotient by the reciprocal of
    /// its divisor has 6 instructions; a division executes 12 instructions on an H200.
    ///
    /// Threads of a warp diverge only in `remf`, in `ipowi`, and in quotients that are computed by
    /// a reciprocal.
    ///
    /// `remf` executes one 64-bit integer division. `remf` of x by y executes an additional
    /// division for every 40 units (f32) or 11 units (f64) by which the exponent of x exceeds the
    /// exponent of y. `ipowi` executes two multiplications for each binary digit of the exponent.
    /// The trip count of a loop of `remf` or `ipowi` is the maximum of the trip counts that the
    /// threads of a warp and the elements of a vector need.
    ///
    /// ## Fails when
    /// The pass rejects a target with an unknown chip or feature.
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
