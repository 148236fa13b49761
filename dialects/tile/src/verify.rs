//! Verifiers of rules that ODS cannot express. Each verifier rule has a diagnostic code.

mod all_reduce;
mod axes;
mod combiner;
mod grid;
mod layout;
mod reduce;
mod tile;
mod transfer;
mod types;

pub(crate) use layout::{verify_fragment, verify_layout};

use crate::diagnostic::{complain, type_text};
use crate::discardable::check_attributes;
use crate::ops::{AllReduce, Copy, Reduce, element_type, integer_width};
use all_reduce::check_all_reduce;
use melior_upstream::ir::ValueLike;
use melior_upstream::ir::operation::OperationLike;
use melior_upstream::ir::r#type::TypeLike;
use mlir_sys::MlirOperation;
use reduce::check_reduce;
use std::panic::{AssertUnwindSafe, catch_unwind};
use transfer::{check_copy, check_transfer};
use tx_mlir::{Failed, Op, codes, error, memref_element, name, operands, parent, results};

pub(crate) unsafe extern "C" fn verify_op(op: MlirOperation) -> bool {
    // SAFETY: `op` is valid while MLIR verifies it.
    let op = unsafe { Op::from_raw(op) };
    match catch_unwind(AssertUnwindSafe(|| check(op))) {
        Ok(result) => result.is_ok(),
        Err(_) => {
            error(
                op.location(),
                format!("internal error in the verifier of `{}`", name(op)),
            )
            .note("this is a bug in the verifier, not in the program")
            .emit();
            false
        }
    }
}

fn check(op: Op<'_>) -> Result<(), Failed> {
    check_attributes(op)?;
    check_elements(op)?;
    if let Some(reduce) = Reduce::of(op) {
        return check_reduce(&reduce);
    }
    if let Some(all_reduce) = AllReduce::of(op) {
        return check_all_reduce(&all_reduce);
    }
    if let Some(copy) = Copy::of(op) {
        return check_copy(&copy);
    }
    match name(op) {
        "tile.load" => {
            let (source, result) = (operands(op)[0], results(op)[0]);
            check_transfer(op, source, result)
        }
        "tile.store" => {
            let operands = operands(op);
            check_transfer(op, operands[1], operands[0])
        }
        "tile.splat" => {
            let value = operands(op)[0].r#type();
            let fragment = element_type(results(op)[0].r#type());
            if fragment != Some(value) {
                return Err(complain(
                    op,
                    format!(
                        "the value is `{value}`, but the fragment's elements are `{}`",
                        type_text(fragment)
                    ),
                )
                .code(codes::TX0021)
                .emit());
            }
            Ok(())
        }
        "tile.annotate" => check_annotate(op),
        _ => Ok(()),
    }
}

/// Checks that the elements of all operands and results are signless integers or floats.
fn check_elements(op: Op<'_>) -> Result<(), Failed> {
    let operands = operands(op).into_iter().map(|value| ("operand", value));
    let results = results(op).into_iter().map(|value| ("result", value));
    let each = operands.enumerate().chain(results.enumerate());
    for (number, (what, value)) in each {
        let of = value.r#type();
        let element = memref_element(of)
            .or_else(|| element_type(of))
            .unwrap_or(of);
        if integer_width(element).is_some() || element.is_float() {
            continue;
        }
        let found = match element == of {
            true => format!("`{of}`"),
            false => format!("`{element}` in `{of}`"),
        };
        let message = format!(
            "{what} #{number} must have elements of an integer (`iN`) or floating-point type, found {found}"
        );
        let report = complain(op, message).code(codes::TX0037);
        let instead = match element {
            index if index.is_index() => {
                Some("the width of `index` depends on the target: use `i64` or `i32`")
            }
            integer if integer.is_integer() => {
                Some("use a signless `iN`: `umax` and `umin` treat its values as unsigned")
            }
            _ => None,
        };
        return Err(match instead {
            Some(instead) => report.note(instead).emit(),
            None => report.emit(),
        });
    }
    Ok(())
}

fn check_annotate(op: Op<'_>) -> Result<(), Failed> {
    match parent(op) {
        Some(parent) if name(parent).starts_with("linalg.") => Ok(()),
        parent => {
            let found = parent.map_or("nothing", name);
            let message = format!("expects a linalg op as its parent, found `{found}`");
            Err(complain(op, message).code(codes::TX0035).emit())
        }
    }
}
