//! Scalar ops in the regions of reductions.

use crate::combine::Kind;
use crate::derive::{Contradiction, contradiction};
use crate::description::ElementWork;
use crate::element::Element::{self, BF16, F8E4M3FN, F8E5M2, F16, F32, F64};

/// Prints the element-wise computation of `%e` from the loaded element `%x`.
pub(super) fn element_work(
    work: ElementWork,
    element: Element,
    last: Option<&str>,
) -> Result<String, Contradiction> {
    let ty = element.mlir();
    if element.bytes() == 1 && element.is_float() {
        return contradiction("arithmetic of eight bits");
    }
    let multiply = if element.is_float() {
        "arith.mulf"
    } else {
        "arith.muli"
    };
    Ok(match (work, last) {
        (ElementWork::Square, _) => format!("  %e = {multiply} %x, %x : {ty}\n"),
        (ElementWork::Product, _) => format!("  %e = {multiply} %x, %y : {ty}\n"),
        (ElementWork::Odd, Some(last)) => format!(
            "  %two = arith.constant 2 : index\n\
             \x20 %zero = arith.constant 0 : index\n\
             \x20 %unit = arith.constant {}\n\
             \x20 %rest = arith.remui {last}, %two : index\n\
             \x20 %even = arith.cmpi eq, %rest, %zero : index\n\
             \x20 %e = arith.select %even, %unit, %x : {ty}\n",
            literal(&identity(Kind::Prod, element)?, element)
        ),
        (ElementWork::Odd, None) => return contradiction("an index of no dimension"),
    })
}

/// Prints the op that converts `value` to type `to`; the name of its result is `%wide`.
pub(super) fn widen(value: &str, from: Element, to: Element) -> String {
    let (from_ty, to_ty) = (from.mlir(), to.mlir());
    if from == to {
        // `arith.select` with equal operands gives the value the new name `%wide`.
        format!(
            "  %true = arith.constant true\n  %wide = arith.select %true, {value}, {value} : {to_ty}\n"
        )
    } else {
        format!("  %wide = arith.extf {value} : {from_ty} to {to_ty}\n")
    }
}

/// Prints the combiner op with the operands `%old` and `%wide` and the result `%new`.
pub(super) fn combined(
    kind: Kind,
    element: Element,
    ignore_nan: bool,
) -> Result<String, Contradiction> {
    let op = match (kind, element.is_float()) {
        (Kind::Sum, true) => "addf",
        (Kind::Sum, false) => "addi",
        (Kind::Prod, true) => "mulf",
        (Kind::Prod, false) => "muli",
        (Kind::Max, true) if ignore_nan => "maxnumf",
        (Kind::Max, true) => "maximumf",
        (Kind::Max, false) => "maxsi",
        (Kind::Min, true) if ignore_nan => "minnumf",
        (Kind::Min, true) => "minimumf",
        (Kind::Min, false) => "minsi",
        (Kind::UMax, false) => "maxui",
        (Kind::UMin, false) => "minui",
        (Kind::And, false) => "andi",
        (Kind::Or, false) => "ori",
        (Kind::Xor, false) => "xori",
        _ => return contradiction("no such combination"),
    };
    Ok(format!(
        "  %new = arith.{op} %old, %wide : {}\n",
        element.mlir()
    ))
}

/// Returns the identity of a reduction kind, as an MLIR literal.
pub(super) fn identity(kind: Kind, element: Element) -> Result<String, Contradiction> {
    let infinity = |bits: u64, sign: u32| match kind {
        Kind::Max => format!("0x{:X}", bits | 1 << sign),
        _ => format!("0x{bits:X}"),
    };
    let bits = element.bytes() * 8;
    Ok(match (kind, element) {
        (Kind::Sum | Kind::Or | Kind::Xor | Kind::UMax, Element::I1) => "false".to_owned(),
        (_, Element::I1) => "true".to_owned(),
        (Kind::Sum, e) if e.is_float() => "0.0".to_owned(),
        (Kind::Prod, e) if e.is_float() => "1.0".to_owned(),
        (Kind::Max | Kind::Min, F16) => infinity(0x7c00, 15),
        (Kind::Max | Kind::Min, BF16) => infinity(0x7f80, 15),
        (Kind::Max | Kind::Min, F32) => infinity(0x7f80_0000, 31),
        (Kind::Max | Kind::Min, F64) => infinity(0x7ff0_0000_0000_0000, 63),
        (_, F8E4M3FN | F8E5M2) => return contradiction("no identity of eight bits"),
        (Kind::Sum | Kind::Or | Kind::Xor | Kind::UMax, _) => "0".to_owned(),
        (Kind::Prod, _) => "1".to_owned(),
        (Kind::And | Kind::UMin, _) => "-1".to_owned(),
        (Kind::Max, _) => (i64::MIN >> (64 - bits)).to_string(),
        (Kind::Min, _) => (i64::MAX >> (64 - bits)).to_string(),
        _ => return contradiction("no identity"),
    })
}

/// Returns a literal with its type, such as `1.0 : f32`; the literals `true` and `false` have no
/// type suffix.
pub(super) fn literal(value: &str, element: Element) -> String {
    match element {
        Element::I1 => value.to_owned(),
        other => format!("{value} : {}", other.mlir()),
    }
}
