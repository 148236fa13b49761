//! Insertion of calls of executor functions (hooks) that check or report operations. The checked or
//! reported operation itself stays in the module.

use super::{
    access::{Access, AccessSize, HINTS, alignment, space},
    emit::{Emitter, remove_attribute},
    layout::{layout, scalar_bits, vector},
    operation::{
        constant, first_result, internal, name, operand, result_type, source, unsupported,
        unsupported_type,
    },
};
use crate::{
    fault::{AccessKind, Error},
    happens_before::MAX_SITES,
    hook_interface::access_flags,
    location::SiteInfo,
};
use melior::{
    Context,
    ir::{OperationRef, Value, ValueLike, attribute::TypeAttribute, operation::OperationLike},
};
use mlir_sys as raw;
use std::{collections::BTreeMap, sync::Arc};

/// Emitter of hook calls, and list of the instrumented operations of a module.
pub(super) struct Instrumenter<'c> {
    context: &'c Context,
    sites: Vec<SiteInfo>,
    names: BTreeMap<String, Arc<str>>,
}

impl<'c> Instrumenter<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self {
            context,
            sites: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    /// Returns the instrumented operations, in the order of the indices that [`Self::site`]
    /// returned.
    pub(super) fn into_sites(self) -> Vec<SiteInfo> {
        self.sites
    }

    pub(super) fn emitter<'a>(
        &self,
        operation: OperationRef<'c, 'a>,
    ) -> Result<Emitter<'c, 'a>, Error> {
        Emitter::new(self.context, operation, operation.location())
    }

    /// Registers an instrumented operation. The returned index identifies the operation in reported
    /// faults.
    pub(super) fn site(&mut self, operation: OperationRef<'_, '_>) -> Result<i64, Error> {
        if self.sites.len() == MAX_SITES {
            return Err(Error::TooLarge { limit: MAX_SITES });
        }
        let name = name(operation);
        let operation_name = match self.names.get(&name) {
            Some(name) => name.clone(),
            None => {
                let shared: Arc<str> = name.as_str().into();
                self.names.insert(name, shared.clone());
                shared
            }
        };
        self.sites.push(SiteInfo {
            location: source(operation.location()),
            operation: operation_name,
        });
        Ok(self.sites.len() as i64 - 1)
    }

    /// Emits a call of the hook that checks a memory access.
    pub(super) fn check<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        access: &Access,
    ) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let pointer = operand(operation, access.pointer)?;
        let space = space(operation, pointer)?;
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], emitter.integer_type(64))?;
        let bytes = match access.size {
            AccessSize::Bytes(bytes) => emitter.constant(64, bytes as i64)?,
            AccessSize::Operand(index) => {
                let bytes = operand(operation, index)?;
                emitter.cast("llvm.zext", bytes, emitter.integer_type(64))?
            }
        };
        let flags = access_flags(
            access.kind,
            [access.reads, access.writes],
            space,
            access.alignment,
        );
        let flags = emitter.constant(32, flags.into())?;
        let site = emitter.constant(32, self.site(operation)?)?;
        emitter.call("__tx_access", &[address, bytes, flags, site], None)?;
        Ok(())
    }

    /// Emits a call of the hook that checks accesses to the vector elements selected by a mask.
    pub(super) fn masked<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        pointer: usize,
        mask: usize,
        kind: AccessKind,
    ) -> Result<(), Error> {
        for hint in HINTS {
            remove_attribute(operation, hint);
        }
        let r#type = match kind {
            AccessKind::Read => result_type(operation)?,
            _ => operand(operation, 0)?.r#type(),
        };
        let (count, element) = vector(r#type).ok_or_else(|| unsupported_type(operation, r#type))?;
        let element = layout(element).ok_or_else(|| unsupported_type(operation, element))?;
        let align = alignment(operation)?.unwrap_or(element.align);
        let emitter = self.emitter(operation)?;
        let pointer = operand(operation, pointer)?;
        let space = space(operation, pointer)?;
        let word = emitter.integer_type(64);
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], word)?;
        let bits = u32::try_from(count).map_err(|_| unsupported_type(operation, r#type))?;
        let all = emitter.integer_type(bits);
        let mask = emitter.value("llvm.bitcast", &[operand(operation, mask)?], &[], all)?;
        let bytes = emitter.constant(64, element.allocated() as i64)?;
        let reads = kind == AccessKind::Read;
        let flags = access_flags(kind, [reads, !reads], space, align.min(element.align));
        let flags = emitter.constant(32, flags.into())?;
        let site = emitter.constant(32, self.site(operation)?)?;
        // The hook takes a mask of at most 64 elements.
        for first in (0..bits).step_by(64) {
            let (address, mask) = if first == 0 {
                (address, mask)
            } else {
                let offset = u64::from(first) * element.allocated();
                let offset = emitter.constant(64, offset as i64)?;
                let places = emitter.constant(bits, first.into())?;
                (
                    emitter.value("llvm.add", &[address, offset], &[], word)?,
                    emitter.value("llvm.lshr", &[mask, places], &[], all)?,
                )
            };
            let resize = if bits < 64 { "llvm.zext" } else { "llvm.trunc" };
            let mask = emitter.cast(resize, mask, word)?;
            let arguments = [address, bytes, mask, flags, site];
            emitter.call("__tx_masked_access", &arguments, None)?;
        }
        Ok(())
    }

    /// Emits a call of the hook that registers private memory together with the bounds of the
    /// memory.
    pub(super) fn alloca<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        in_entry: bool,
        frame: &mut u64,
    ) -> Result<(), Error> {
        let element = operation
            .attribute("elem_type")
            .ok()
            .and_then(|attribute| TypeAttribute::try_from(attribute).ok())
            .map(|attribute| attribute.value())
            .ok_or_else(|| internal("llvm.alloca without a type"))?;
        let element = layout(element)
            .ok_or_else(|| unsupported_type(operation, element))?
            .allocated();
        let count = operand(operation, 0)?;
        let site = self.site(operation)?;
        let before = self.emitter(operation)?;
        let word = before.integer_type(64);
        let size = |emitter: &Emitter<'c, 'a>| {
            let wide = emitter.cast("llvm.zext", count, word)?;
            let element = emitter.constant(64, element as i64)?;
            emitter.value("llvm.mul", &[wide, element], &[], word)
        };
        let bytes = match constant(count) {
            Some(count) if in_entry => {
                let align = alignment(operation)?.unwrap_or(16);
                let whole = (count as u64)
                    .checked_mul(element)
                    .and_then(|bytes| bytes.checked_add(align + *frame))
                    .filter(|&whole| whole < 1 << 30)
                    .ok_or_else(|| unsupported(operation, "llvm.alloca (of 1 GiB or more)"))?;
                *frame = whole;
                size(&before)?
            }
            _ => {
                let bytes = size(&before)?;
                let site = before.constant(32, site)?;
                before.call("__tx_stack", &[bytes, site], None)?;
                bytes
            }
        };
        let next = operation
            .next_in_block()
            .ok_or_else(|| internal("llvm.alloca at the end of a block"))?;
        let after = Emitter::new(self.context, next, operation.location())?;
        let address = after.value("llvm.ptrtoint", &[first_result(operation)?], &[], word)?;
        after.call("__tx_private", &[address, bytes], None)?;
        Ok(())
    }

    /// Emits a check of an integer division, because an undefined division traps on the host. The
    /// division uses the divisor that the checking hook returns, so LLVM cannot move the division
    /// before the check.
    pub(super) fn division<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        signed: bool,
    ) -> Result<(), Error> {
        let divisor = operand(operation, 1)?;
        if constant(divisor).is_some_and(|divisor| divisor != 0 && divisor != -1) {
            return Ok(());
        }
        let dividend = operand(operation, 0)?;
        let r#type = divisor.r#type();
        let emitter = self.emitter(operation)?;
        let word = emitter.integer_type(64);
        let (count, scalar) =
            vector(r#type).map_or((None, r#type), |(count, element)| (Some(count), element));
        let bits = scalar_bits(scalar)
            .filter(|&bits| bits <= 64)
            .ok_or_else(|| unsupported_type(operation, r#type))? as i64;
        let extend = if signed { "llvm.sext" } else { "llvm.zext" };
        let site = emitter.constant(32, self.site(operation)?)?;
        let width = emitter.constant(32, if signed { bits } else { -bits })?;
        let mut checked = divisor;
        for index in 0..count.unwrap_or(1) {
            let at = emitter.constant(32, index as i64)?;
            let part = |value: Value<'c, 'a>| match count {
                None => Ok(value),
                Some(_) => emitter.value("llvm.extractelement", &[value, at], &[], scalar),
            };
            let dividend = emitter.cast(extend, part(dividend)?, word)?;
            let divisor = emitter.cast(extend, part(divisor)?, word)?;
            let arguments = [dividend, divisor, width, site];
            let divisor = emitter
                .call("__tx_division", &arguments, Some(word))?
                .ok_or_else(|| internal("a check without the divisor"))?;
            let divisor = emitter.cast("llvm.trunc", divisor, scalar)?;
            checked = match count {
                None => divisor,
                Some(_) => {
                    let operands = [checked, divisor, at];
                    emitter.value("llvm.insertelement", &operands, &[], r#type)?
                }
            };
        }
        // SAFETY: the value is alive, dominates the operation, and has the type of the operand.
        unsafe { raw::mlirOperationSetOperand(operation.to_raw(), 1, checked.to_raw()) };
        Ok(())
    }

    /// Emits a call of the hook that reports a trap.
    pub(super) fn trap<'a>(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let site = emitter.constant(32, self.site(operation)?)?;
        emitter.call("__tx_trap", &[site], None)?;
        Ok(())
    }
}
