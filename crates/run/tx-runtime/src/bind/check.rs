//! Checks of arguments against the argument types of a plan.

use tx_plan::{Argument, ArgumentType, ElementType, EntryKind, MemrefType, Plan};

use crate::error::Error;
use crate::number::integer_range;
use crate::spec::Arg;

/// Checks that the number of arguments, and the element types, ranks and static sizes of the
/// arguments match a plan.
///
/// # Errors
/// Returns [`Error::ArgumentCount`], or [`Error::Argument`] for the first invalid argument.
pub fn check_arguments(plan: &Plan, args: &[Arg]) -> Result<(), Error> {
    check_count(plan, args.len())?;
    for (index, (arg, argument)) in args.iter().zip(&plan.arguments).enumerate() {
        check(index, arg, argument)?;
    }
    Ok(())
}

/// Checks the number of arguments.
pub(super) fn check_count(plan: &Plan, found: usize) -> Result<(), Error> {
    match plan.arguments.len() {
        expected if expected == found => Ok(()),
        expected => Err(Error::ArgumentCount {
            found,
            expected,
            signature: signature(plan),
        }),
    }
}

/// Checks that the caller sets the grid only if the entry of the plan is a kernel.
pub(super) fn check_grid(plan: &Plan, grid: Option<[u32; 3]>) -> Result<(), Error> {
    if grid.is_some() && plan.entry_kind != EntryKind::Kernel {
        return Err(Error::GridOfFunction {
            entry: plan.entry.clone(),
        });
    }
    Ok(())
}

/// Returns the name of the entry with its argument types, such as `@row_sums(memref<?x?xf32>,
/// i32)`.
fn signature(plan: &Plan) -> String {
    let types: Vec<String> = plan
        .arguments
        .iter()
        .map(|argument| argument.ty.to_string())
        .collect();
    format!("@{}({})", plan.entry, types.join(", "))
}

/// Returns the error for an argument that does not match the argument type of the plan.
pub(super) fn mismatch(index: usize, arg: &Arg, ty: &ArgumentType, hint: Option<String>) -> Error {
    let found = match arg {
        Arg::Array(array) => format!("an array {}", array.describe()),
        Arg::Scalar(value) => format!("the number {value}"),
    };
    Error::Argument {
        index,
        found,
        expected: ty.to_string(),
        hint,
    }
}

/// Checks that an argument matches the argument type of the plan.
pub(super) fn check(index: usize, arg: &Arg, argument: &Argument) -> Result<(), Error> {
    let refuse = |hint: Option<String>| Err(mismatch(index, arg, &argument.ty, hint));
    match (arg, &argument.ty) {
        (Arg::Scalar(value), ArgumentType::Memref(memref)) if memref.rank() == 0 => {
            refuse(Some(format!(
                "an array of rank 0 is written `full:{value}:{}`",
                memref.element
            )))
        }
        (Arg::Scalar(_), ArgumentType::Memref(_)) => refuse(None),
        (Arg::Array(_), ArgumentType::Scalar(_)) => {
            refuse(Some("a scalar is written as a number".to_owned()))
        }
        (Arg::Scalar(value), ArgumentType::Scalar(element)) => match value.to_bits(*element) {
            Some(_) => Ok(()),
            None => {
                let (low, high) = integer_range(*element);
                refuse(Some(format!("the range of {element} is {low} to {high}")))
            }
        },
        (Arg::Array(array), ArgumentType::Memref(memref)) => {
            if !holds(array.element(), memref.element) {
                return refuse(reinterpretation(array.element(), memref.element));
            }
            check_shape(array.shape(), memref).or_else(|hint| refuse(Some(hint)))
        }
    }
}

/// Checks that a memref of the given type can have the given shape. The error is the reason why the
/// memref cannot have the shape.
pub(super) fn check_shape(shape: &[usize], memref: &MemrefType) -> Result<(), String> {
    if shape.len() != memref.rank() {
        return Err(format!(
            "the rank is {}, not {}",
            shape.len(),
            memref.rank()
        ));
    }
    for (dim, (size, extent)) in shape.iter().zip(&memref.shape).enumerate() {
        if !i64::try_from(*size).is_ok_and(|size| extent.accepts(size)) {
            return Err(format!("dimension {dim} is {size}, not {extent}"));
        }
    }
    Ok(())
}

/// Returns whether an array of type `found` can be passed as a memref of type `expected`. npy files
/// have no `index` type, so an `i64` array is accepted as a memref of `index`.
fn holds(found: ElementType, expected: ElementType) -> bool {
    found == expected || (found == ElementType::I64 && expected == ElementType::Index)
}

/// Returns a hint if an integer array is passed for a memref of bf16 or 8-bit floats, because npy
/// files store bf16 and 8-bit floats as integers.
fn reinterpretation(found: ElementType, expected: ElementType) -> Option<String> {
    let words = matches!(
        (found, expected),
        (ElementType::I16, ElementType::BF16 | ElementType::F16)
            | (ElementType::I8, ElementType::F8E4M3FN | ElementType::F8E5M2)
    );
    words.then(|| format!("to read the words of a file as {expected}, write `FILE.npy:{expected}`"))
}
