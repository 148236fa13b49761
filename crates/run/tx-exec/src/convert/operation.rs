//! Helper functions that read operands, attributes and source locations of operations, or create
//! conversion errors.

use crate::{
    fault::{Diagnostic, Error},
    location::Location as SourceLocation,
};
use melior::ir::{
    Identifier, Location, OperationRef, Type, Value, ValueLike,
    attribute::{FlatSymbolRefAttribute, IntegerAttribute},
    operation::{OperationLike, OperationResult},
};

pub(super) fn name(operation: OperationRef<'_, '_>) -> String {
    text(operation.name()).unwrap_or_default()
}

pub(super) fn operand<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    index: usize,
) -> Result<Value<'c, 'a>, Error> {
    operation
        .operand(index)
        .map_err(|error| internal(&error.to_string()))
}

pub(super) fn first_result<'c, 'a>(
    operation: OperationRef<'c, 'a>,
) -> Result<Value<'c, 'a>, Error> {
    operation
        .result(0)
        .map(Value::from)
        .map_err(|error| internal(&error.to_string()))
}

pub(super) fn result_type<'c>(operation: OperationRef<'c, '_>) -> Result<Type<'c>, Error> {
    Ok(first_result(operation)?.r#type())
}

pub(super) fn integer(operation: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    let attribute = operation.attribute(name).ok()?;
    Some(IntegerAttribute::try_from(attribute).ok()?.value())
}

/// Returns the value of an integer constant; `None` for any other operand.
pub(super) fn constant(value: Value<'_, '_>) -> Option<i64> {
    let result = OperationResult::try_from(value).ok()?;
    let owner = result.owner();
    (name(owner) == "llvm.mlir.constant")
        .then(|| integer(owner, "value"))
        .flatten()
}

pub(super) fn symbol_attribute(operation: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let attribute = operation.attribute(name).ok()?;
    let symbol = FlatSymbolRefAttribute::try_from(attribute).ok()?;
    Some(symbol.value().to_string())
}

/// Returns the first file location that the MLIR location of an operation contains.
pub(super) fn source(location: Location<'_>) -> SourceLocation {
    find_source(location).unwrap_or_else(SourceLocation::unknown)
}

/// Returns the text of an identifier; `None` for an empty identifier, which melior does not
/// support.
pub(super) fn text(identifier: Identifier<'_>) -> Option<String> {
    let text = identifier.as_string_ref();
    if text.to_raw().length == 0 {
        return None;
    }
    text.as_str().ok().map(String::from)
}

fn find_source(location: Location<'_>) -> Option<SourceLocation> {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename();
        return Some(SourceLocation {
            file: text(file)?.into(),
            line: location.file_line_col_range_start_line() as u32,
            column: location.file_line_col_range_start_column() as u32,
        });
    }
    if location.is_name() {
        return find_source(location.name_child_location());
    }
    if location.is_call_site() {
        return find_source(location.call_site_callee())
            .or_else(|| find_source(location.call_site_caller()));
    }
    if location.is_fused() {
        return (0..location.fused_num_locations())
            .find_map(|index| find_source(location.fused_location(index)));
    }
    None
}

pub(super) fn internal(message: &str) -> Error {
    Error::CodeGeneration(vec![Diagnostic {
        location: SourceLocation::unknown(),
        message: message.into(),
    }])
}

pub(super) fn unsupported(operation: OperationRef<'_, '_>, what: &str) -> Error {
    Error::UnsupportedOperation {
        location: source(operation.location()),
        operation: what.into(),
    }
}

pub(super) fn unsupported_type(operation: OperationRef<'_, '_>, r#type: Type<'_>) -> Error {
    Error::UnsupportedType {
        location: source(operation.location()),
        r#type: r#type.to_string(),
    }
}
