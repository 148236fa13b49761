//! Memory accesses of an operation.

use super::{
    layout::{Layout, address_space, layout},
    operation::{integer, internal, operand, result_type, unsupported, unsupported_type},
};
use crate::fault::{AccessKind, Error, Space};
use melior::ir::{OperationRef, Type, Value, ValueLike};

/// A memory access of an operation, described by the index of its address operand and by its kind.
pub(super) struct Access {
    pub(super) pointer: usize,
    pub(super) kind: AccessKind,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) size: AccessSize,
    pub(super) alignment: u64,
}

pub(super) enum AccessSize {
    Bytes(u64),
    /// Index of the operand whose value is the size of the access in bytes.
    Operand(usize),
}

/// Attributes that only enable optimisations of memory operations. The conversion removes such
/// attributes: LLVM assumes that the program satisfies every attribute, but an invalid program may
/// violate an attribute.
pub(super) const HINTS: [&str; 9] = [
    "nontemporal",
    "invariant",
    "invariantGroup",
    "syncscope",
    "access_groups",
    "alias_scopes",
    "noalias_scopes",
    "tbaa",
    "dereferenceable",
];

pub(super) fn accesses(operation: OperationRef<'_, '_>, name: &str) -> Result<Vec<Access>, Error> {
    use AccessKind::{Atomic, Read, Write};
    let access = |pointer, kind, reads, r#type: Type<'_>| {
        let layout: Layout = layout(r#type).ok_or_else(|| unsupported_type(operation, r#type))?;
        Ok(Access {
            pointer,
            kind,
            reads,
            writes: kind == Write || kind == Atomic && name != "llvm.load",
            size: AccessSize::Bytes(layout.stored),
            alignment: alignment(operation)?.unwrap_or(layout.align),
        })
    };
    let is_atomic = integer(operation, "ordering").is_some_and(|ordering| ordering != 0);
    let block = |pointer, kind, size| Access {
        pointer,
        kind,
        reads: kind == Read,
        writes: kind == Write,
        size,
        alignment: 1,
    };
    let length = || {
        integer(operation, "len")
            .map(|length| AccessSize::Bytes(length as u64))
            .ok_or_else(|| internal("a copy without a length"))
    };
    Ok(match name {
        "llvm.load" => {
            let kind = if is_atomic { Atomic } else { Read };
            vec![access(0, kind, true, result_type(operation)?)?]
        }
        "llvm.store" => {
            let kind = if is_atomic { Atomic } else { Write };
            vec![access(1, kind, false, operand(operation, 0)?.r#type())?]
        }
        "llvm.atomicrmw" | "llvm.cmpxchg" => {
            vec![access(0, Atomic, true, operand(operation, 1)?.r#type())?]
        }
        "llvm.intr.memcpy" | "llvm.intr.memmove" => vec![
            block(1, Read, AccessSize::Operand(2)),
            block(0, Write, AccessSize::Operand(2)),
        ],
        "llvm.intr.memcpy.inline" => {
            vec![block(1, Read, length()?), block(0, Write, length()?)]
        }
        "llvm.intr.memset" => vec![block(0, Write, AccessSize::Operand(2))],
        "llvm.intr.memset.inline" => vec![block(0, Write, length()?)],
        _ => Vec::new(),
    })
}

/// Returns the explicit alignment of an operation, in bytes.
pub(super) fn alignment(operation: OperationRef<'_, '_>) -> Result<Option<u64>, Error> {
    match integer(operation, "alignment") {
        None | Some(0) => Ok(None),
        Some(align) => u64::try_from(align)
            .ok()
            .filter(|align| align.is_power_of_two())
            .map(Some)
            .ok_or_else(|| unsupported(operation, "alignment that is not a power of two")),
    }
}

pub(super) fn space(
    operation: OperationRef<'_, '_>,
    pointer: Value<'_, '_>,
) -> Result<Space, Error> {
    match address_space(pointer.r#type()) {
        Some(0) => Ok(Space::Generic),
        Some(1 | 4) => Ok(Space::Global),
        Some(3) => Ok(Space::Shared),
        Some(5) => Ok(Space::Private),
        Some(7) => Ok(Space::SharedCluster),
        _ => Err(unsupported_type(operation, pointer.r#type())),
    }
}
