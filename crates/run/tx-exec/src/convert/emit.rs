//! Functions that insert operations before an existing operation.

use super::operation::internal;
use crate::fault::Error;
use melior::{
    Context, StringRef,
    ir::{
        Attribute, AttributeLike, BlockLike, BlockRef, Identifier, Location, OperationRef, Type,
        Value, ValueLike,
        attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute},
        operation::{OperationBuilder, OperationLike},
        r#type::IntegerType,
    },
};
use mlir_sys as raw;

pub(super) struct Emitter<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    before: OperationRef<'c, 'a>,
    location: Location<'c>,
}

impl<'c, 'a> Emitter<'c, 'a> {
    pub(super) fn new(
        context: &'c Context,
        before: OperationRef<'c, 'a>,
        location: Location<'c>,
    ) -> Result<Self, Error> {
        Ok(Self {
            context,
            block: before
                .block()
                .ok_or_else(|| internal("an operation without a block"))?,
            before,
            location,
        })
    }

    pub(super) fn context(&self) -> &'c Context {
        self.context
    }

    pub(super) fn integer_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    pub(super) fn op(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
        result: Option<Type<'c>>,
    ) -> Result<Option<Value<'c, 'a>>, Error> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|&(name, attribute)| (Identifier::new(self.context, name), attribute))
            .collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&attributes)
            .add_results(result.as_slice())
            .build()
            .map_err(|error| internal(&error.to_string()))?;
        let operation = self.block.insert_operation_before(self.before, operation);
        match result {
            // SAFETY: the operation has one result and lives as long as its module.
            Some(_) => Ok(Some(unsafe {
                Value::from_raw(raw::mlirOperationGetResult(operation.to_raw(), 0))
            })),
            None => Ok(None),
        }
    }

    pub(super) fn value(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
        result: Type<'c>,
    ) -> Result<Value<'c, 'a>, Error> {
        self.op(name, operands, attributes, Some(result))?
            .ok_or_else(|| internal("an operation without its result"))
    }

    pub(super) fn constant(&self, bits: u32, value: i64) -> Result<Value<'c, 'a>, Error> {
        let r#type = self.integer_type(bits);
        let attribute = IntegerAttribute::new(r#type, value).into();
        self.value("llvm.mlir.constant", &[], &[("value", attribute)], r#type)
    }

    /// Inserts a type conversion, unless the value already has the requested type.
    pub(super) fn cast(
        &self,
        name: &str,
        value: Value<'c, 'a>,
        to: Type<'c>,
    ) -> Result<Value<'c, 'a>, Error> {
        if value.r#type() == to {
            return Ok(value);
        }
        self.value(name, &[value], &[], to)
    }

    pub(super) fn call(
        &self,
        function: &str,
        arguments: &[Value<'c, 'a>],
        result: Option<Type<'c>>,
    ) -> Result<Option<Value<'c, 'a>>, Error> {
        let segments = DenseI32ArrayAttribute::new(self.context, &[arguments.len() as i32, 0]);
        let bundles = DenseI32ArrayAttribute::new(self.context, &[]);
        let callee = FlatSymbolRefAttribute::new(self.context, function);
        self.op(
            "llvm.call",
            arguments,
            &[
                ("callee", callee.into()),
                ("operandSegmentSizes", segments.into()),
                ("op_bundle_sizes", bundles.into()),
            ],
            result,
        )
    }
}

pub(super) fn replace(operation: OperationRef<'_, '_>, with: Option<Value<'_, '_>>) {
    if let (Ok(result), Some(with)) = (operation.result(0), with) {
        // SAFETY: both values are alive and have one type.
        unsafe { raw::mlirValueReplaceAllUsesOfWith(result.to_raw(), with.to_raw()) };
    }
}

/// Destroys an operation.
///
/// # Safety
///
/// The results of `operation` must have no uses. The caller must not use `operation` after `erase`
/// returns.
pub(super) unsafe fn erase(operation: OperationRef<'_, '_>) {
    // SAFETY: guaranteed by the caller.
    unsafe { raw::mlirOperationDestroy(operation.to_raw()) };
}

pub(super) fn set_attribute(operation: OperationRef<'_, '_>, name: &str, attribute: Attribute<'_>) {
    // SAFETY: the operation is alive.
    unsafe {
        raw::mlirOperationSetAttributeByName(
            operation.to_raw(),
            StringRef::new(name).to_raw(),
            attribute.to_raw(),
        );
    }
}

pub(super) fn remove_attribute(operation: OperationRef<'_, '_>, name: &str) {
    // SAFETY: the operation is alive.
    unsafe {
        raw::mlirOperationRemoveAttributeByName(operation.to_raw(), StringRef::new(name).to_raw());
    }
}
