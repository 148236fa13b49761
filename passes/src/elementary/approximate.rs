//! Expansion of functions and quotients with `fastmath<afn>` to approximate GPU instructions.
//!
//! On f32, `math.exp2`, `math.log2`, `math.rsqrt`, `math.sqrt` and the quotient 1 / x with
//! `fastmath<afn>` become the instructions `ex2.approx.ftz`, `lg2.approx.ftz`, `rsqrt.approx`,
//! `sqrt.approx` and `rcp.approx`. Quotients other than 1 / x, `math.exp`, `math.log` and
//! `math.log10` become an approximate instruction and a multiplication.

use super::arithmetic::{Arithmetic, Constant, Float, Precise, float_of};
use super::constants::constant_float;
use tx_mlir::{Op, Val, has_flag, is, name, results, set_attribute};

/// Ops that become an approximate instruction, with or without an additional multiplication.
const APPROXIMATE: [&str; 8] = [
    "arith.divf",
    "math.exp",
    "math.exp2",
    "math.log",
    "math.log10",
    "math.log2",
    "math.rsqrt",
    "math.sqrt",
];

/// Names of the `arith.fastmath` flags.
const FLAGS: [&str; 7] = ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"];

const LOG10_2: Constant = Constant(0x3e9a_209b, 0x3fd3_4413_509f_79ff);

/// Returns whether the expansion of an op uses approximate instructions. The expansion uses
/// approximate instructions if the op is in `APPROXIMATE`, its type is f32 or narrower, and the
/// flag `afn` is set.
pub(crate) fn is_approximate(op: Op<'_>) -> bool {
    has_flag(op, "fastmath", "afn") && may_be_approximate(op)
}

/// Returns whether the GPU has approximate instructions for an op.
fn may_be_approximate(op: Op<'_>) -> bool {
    let [result] = results(op)[..] else {
        return false;
    };
    let element = float_of(result);
    APPROXIMATE.contains(&name(op)) && element.is_some_and(|float| float.bits() <= 32)
}

/// Sets the flag `afn` on an op that has approximate instructions. Returns whether the function set
/// the flag `afn`; returns false if `afn` was already set.
pub(crate) fn permit(op: Op<'_>) -> bool {
    if !may_be_approximate(op) || has_flag(op, "fastmath", "afn") {
        return false;
    }
    let is_set = |flag: &&str| *flag == "afn" || has_flag(op, "fastmath", flag);
    let flags: Vec<_> = FLAGS.into_iter().filter(is_set).collect();
    let flags = tx_mlir::parse_attribute(
        tx_mlir::context(op),
        &format!("#arith.fastmath<{}>", flags.join(",")),
    );
    set_attribute(op, "fastmath", flags);
    true
}

/// Emits the expansion of `op` on f32 arguments to approximate instructions; returns `None` if `op`
/// has no approximate instruction.
pub(super) fn expand<'a, 'c>(
    m: &'a Arithmetic<'a, 'c>,
    op: &str,
    arguments: &[Val<'c>],
) -> Option<Float<'a, 'c>> {
    let scaled_log2 = |x: Float<'a, 'c>, factor| x.approximate("math.log2") * m.constant(factor);
    Some(match (op, arguments) {
        ("math.exp", [x]) => (m.value(*x) * m.constant(Precise::LOG2_E.0)).approximate("math.exp2"),
        ("math.exp2" | "math.log2" | "math.rsqrt" | "math.sqrt", [x]) => {
            m.value(*x).approximate(op)
        }
        ("math.log", [x]) => scaled_log2(m.value(*x), Precise::LN_2.0),
        ("math.log10", [x]) => scaled_log2(m.value(*x), LOG10_2),
        ("arith.divf", [x, y]) => m.value(*x) * m.value(*y).reciprocal(),
        _ => return None,
    })
}

/// Returns whether an op compiles to a single approximate instruction. An op compiles to one
/// approximate instruction only if its type is f32; a quotient must have the form 1 / x.
pub(super) fn is_instruction(op: Op<'_>) -> bool {
    let of_one = || {
        let dividend = tx_mlir::operands(op).first().copied();
        dividend.and_then(constant_float) == Some(1.0)
    };
    let is_known = match name(op) {
        "math.exp2" | "math.log2" | "math.rsqrt" | "math.sqrt" => true,
        _ => is(op, "arith.divf") && of_one(),
    };
    is_known && float_of(results(op)[0]) == Some(tx_scalar::Float::F32)
}
