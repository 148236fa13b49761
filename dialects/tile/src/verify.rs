//! Verifier rules that ODS cannot express. Each rule has a diagnostic code.

mod all_reduce;
mod combiner;
mod grid;
mod layout;
mod reduce;
mod types;

use all_reduce::check_all_reduce;
use combiner::{check_combiner, check_pure};
pub(crate) use layout::{verify_fragment, verify_layout};
use reduce::{check_axes, check_index_range, check_old_values, check_reduce};
use types::{check_accumulator, check_element, check_reduce_types, float_bits};

use crate::attributes::{Kind, Scope};
use crate::layout::{Fragment, Iter};
use crate::ops::{
    AllReduce, Copy, Reduce, default_accumulator, element_type, integer_width, normalize_axis,
    scope,
};
use crate::{Axis, Sink};
use melior_upstream::ir::operation::OperationLike;
use melior_upstream::ir::r#type::TypeLike;
use melior_upstream::ir::{Type, ValueLike};
use mlir_sys::{MlirOperation, MlirType};
use std::ffi::{c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tx_mlir::diagnostic::{ErrorSeverity, Report};
use tx_mlir::memref::Space;
use tx_mlir::{
    Blk, Code, Failed, MemRef, Op, Val, attribute, codes, elements, error, is, name, operands, ops,
    region_blocks,
};

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
    crate::known::check_attributes(op)?;
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
            let (source, result) = (operands(op)[0], tx_mlir::results(op)[0]);
            check_transfer(op, source, result)
        }
        "tile.store" => {
            let operands = operands(op);
            check_transfer(op, operands[1], operands[0])
        }
        "tile.splat" => {
            let value = operands(op)[0].r#type();
            let fragment = element_type(tx_mlir::results(op)[0].r#type());
            if fragment != Some(value) {
                return Err(complain(
                    op,
                    format!(
                        "the value is `{value}`, but the fragment's elements are `{}`",
                        show(fragment)
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
    let results = tx_mlir::results(op)
        .into_iter()
        .map(|value| ("result", value));
    let each = operands.enumerate().chain(results.enumerate());
    for (number, (what, value)) in each {
        let of = value.r#type();
        let element = tx_mlir::memref_element(of)
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
                Some("an `index` is as wide as the machine has it: use `i64` or `i32`")
            }
            integer if integer.is_integer() => {
                Some("use an `iN`: `umax` and `umin` take it as unsigned")
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
    match tx_mlir::parent(op) {
        Some(parent) if name(parent).starts_with("linalg.") => Ok(()),
        parent => {
            let found = parent.map_or("nothing", name);
            let message = format!("stands in the body of a linalg op, found `{found}` around it");
            Err(complain(op, message).code(codes::TX0035).emit())
        }
    }
}

/// Returns an error at `op`, prefixed with the op name as in MLIR's verifiers.
pub(crate) fn complain<'c>(op: Op<'c>, message: impl AsRef<str>) -> Report<'c, ErrorSeverity> {
    error(
        op.location(),
        format!("'{}' op {}", name(op), message.as_ref()),
    )
}

/// Returns an error at `inner`, an op in a region of `op`, with a note at `op`.
fn complain_within<'c>(
    op: Op<'c>,
    inner: Op<'c>,
    message: impl AsRef<str>,
) -> Report<'c, ErrorSeverity> {
    complain(inner, message).note_at(op.location(), format!("in this `{}`", name(op)))
}

/// Returns an error at the last op of `block`, a block of `op`.
fn complain_at_end<'c>(op: Op<'c>, block: Blk<'c>, message: String) -> Report<'c, ErrorSeverity> {
    match ops(block).last() {
        Some(end) => complain_within(op, *end, message),
        None => complain(op, message),
    }
}

fn no_yield(op: Op<'_>, block: Blk<'_>, code: Code, region: &str) -> Failed {
    complain_at_end(op, block, format!("{region} must end with `tile.yield`"))
        .code(code)
        .emit()
}

fn show(ty: Option<Type<'_>>) -> String {
    ty.map_or_else(|| "unknown".to_owned(), |t| t.to_string())
}

/// A tile operand. The memory space of a fragment is `None`.
struct Tile<'c> {
    shape: Vec<Option<u64>>,
    element: Type<'c>,
    space: Option<Space>,
}

impl<'c> Tile<'c> {
    fn of(op: Op<'c>, value: Val<'c>) -> Result<Self, Failed> {
        let ty = value.r#type();
        if let Some(memref) = MemRef::from_type(ty) {
            return Ok(Self {
                shape: memref.shape,
                element: memref.element,
                space: Some(memref.space),
            });
        }
        if let Some(fragment) = Fragment::from_type(ty) {
            return Ok(Self {
                shape: fragment.shape.into_iter().map(Some).collect(),
                element: fragment.element,
                space: None,
            });
        }
        Err(
            complain(op, format!("`{ty}` is no tile: its layout must be strided"))
                .code(codes::TX0017)
                .emit(),
        )
    }

    fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }
}

fn shape_text(shape: &[Option<u64>]) -> String {
    if shape.is_empty() {
        return "[]".to_owned();
    }
    let sizes: Vec<String> = shape
        .iter()
        .map(|d| d.map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect();
    format!("[{}]", sizes.join(", "))
}

fn check_memory(op: Op<'_>, scope: Scope, tiles: &[&Tile<'_>]) -> Result<(), Failed> {
    for tile in tiles {
        match tile.space {
            Some(Space::Other) => {
                return Err(complain(op, "a memref is in an unknown memory space")
                    .code(codes::TX0016)
                    .note(
                        "known: none, 1 or `#gpu.address_space<global>`; 3 or \
                           `#gpu.address_space<workgroup>`; 5 or `#gpu.address_space<private>`",
                    )
                    .emit());
            }
            Some(Space::Private) if scope != Scope::Thread => {
                return Err(complain(
                    op,
                    format!("private memory is seen by one thread, but the scope is `{scope}`"),
                )
                .code(codes::TX0016)
                .note("use `scope(thread)`, or put the tile into shared memory or a fragment")
                .emit());
            }
            Some(Space::Shared) if scope == Scope::Cluster => {
                return Err(complain(
                    op,
                    "shared memory is seen by one CTA, but the scope is `cluster`",
                )
                .code(codes::TX0016)
                .emit());
            }
            Some(space @ (Space::Shared | Space::Private)) if scope == Scope::Grid => {
                return Err(complain(
                    op,
                    format!(
                        "`scope(grid)` works on global memory, found {}",
                        space.name()
                    ),
                )
                .code(codes::TX0016)
                .emit());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns a note that names the bitwise kind to use for `i1` instead of `kind`. A true `i1` is -1 as a
/// signed number.
fn instead_of_i1(kind: Kind) -> &'static str {
    match kind {
        Kind::UMax => "`umax` is `or`",
        Kind::UMin => "`umin` is `and`",
        Kind::Max => {
            "whether any is true is `or`; `max` of signed numbers, where true is -1, is `and`"
        }
        Kind::Min => {
            "whether all are true is `and`; `min` of signed numbers, where true is -1, is `or`"
        }
        Kind::Prod => "`prod` is `and`",
        Kind::Sum => {
            "`sum` modulo two is `xor`; to count what is true, extend it by `arith.extui` before: \
             at scope `grid`, in `element`"
        }
        _ => "extend it by `arith.extui` before: at scope `grid`, in `element`",
    }
}

fn check_copy(copy: &Copy<'_>) -> Result<(), Failed> {
    let op = copy.op;
    let (from, to) = (Tile::of(op, copy.source)?, Tile::of(op, copy.destination)?);
    check_memory(op, copy.scope, &[&from, &to])?;
    same_tile(op, &from, &to)
}

fn check_transfer<'c>(op: Op<'c>, memory: Val<'c>, fragment: Val<'c>) -> Result<(), Failed> {
    let (memory, fragment) = (Tile::of(op, memory)?, Tile::of(op, fragment)?);
    let scope = scope(op).unwrap_or(Scope::Thread);
    check_memory(op, scope, &[&memory])?;
    if scope > Scope::Cta {
        return Err(complain(
            op,
            format!("fragments live in the registers of one CTA, but the scope is `{scope}`"),
        )
        .code(codes::TX0020)
        .emit());
    }
    same_tile(op, &memory, &fragment)
}

fn same_tile(op: Op<'_>, from: &Tile<'_>, to: &Tile<'_>) -> Result<(), Failed> {
    let agrees = from.shape.len() == to.shape.len()
        && from
            .shape
            .iter()
            .zip(&to.shape)
            .all(|(f, t)| f.is_none() || t.is_none() || f == t);
    if !agrees || from.element != to.element {
        return Err(complain(
            op,
            format!(
                "both tiles must have one shape and one element type, found {} of `{}` and {} of `{}`",
                from.shape_text(),
                from.element,
                to.shape_text(),
                to.element
            ),
        )
        .code(codes::TX0021)
        .emit());
    }
    Ok(())
}

/// Passes the diagnostic `wrong` (code and message) to the C++ callback; `None` is not passed.
pub(crate) unsafe fn send(wrong: Option<(Code, String)>, emit: Sink, sink: *mut c_void) {
    if let Some((code, message)) = wrong {
        let code = code.number().into();
        // SAFETY: `emit` copies the text.
        unsafe { emit(sink, code, message.as_ptr().cast(), message.len()) }
    }
}

/// Passes the explanatory note of a diagnostic code to the C++ callback, if the code has a note.
pub(crate) unsafe extern "C" fn explain(code: c_uint, emit: Sink, sink: *mut c_void) {
    let code = u16::try_from(code).map(Code::new);
    let note = code
        .ok()
        .and_then(|code| Some((code, tx_mlir::explanation(code)?)));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(note, emit, sink) }
}

/// # Safety
/// `numbers` must point to `count` triples (extent, stride, axis).
unsafe fn iters(numbers: *const i64, count: usize) -> Vec<Iter> {
    match count {
        0 => Vec::new(),
        // SAFETY: the caller guarantees `count` triples at `numbers`.
        n => Iter::list(unsafe { std::slice::from_raw_parts(numbers, 3 * n) }),
    }
}
