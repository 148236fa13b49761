//! Asynchronous stores to the shared memory of a cluster: the PTX instruction `st.async`.
//!
//! NVVM and LLVM have no op for `st.async`, so the store is an `llvm.inline_asm` with one
//! instruction.

use crate::{Builder, Op, Val, byte_width, operands, string_attribute};
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};

/// PTX text of an asynchronous store of 4 bytes, and of an asynchronous store of 8 bytes.
const ASSEMBLY: [&str; 2] = [
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, [$2];",
];

/// Asynchronous store of `value` to the address `slot`. After the store, the hardware performs a
/// complete-tx operation on the mbarrier object at `barrier`; the completeCount of the operation is
/// the size of the value in bytes. `slot` and `barrier` are addresses in the shared memory of one
/// block of the cluster (`!llvm.ptr<7>`).
#[derive(Clone, Copy)]
pub struct AsyncStore<'c> {
    /// Address to which the value is stored.
    pub slot: Val<'c>,
    /// Stored integer or float.
    pub value: Val<'c>,
    /// Address of the mbarrier object.
    pub barrier: Val<'c>,
    /// Size of the value in bytes: 4 or 8.
    pub bytes: u64,
}

impl<'c> AsyncStore<'c> {
    /// Reads `op` as an asynchronous store; returns `None` if `op` is not an asynchronous store.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !crate::is(op, "llvm.inline_asm") {
            return None;
        }
        let bytes = Self::bytes_of(&string_attribute(op, "asm_string")?)?;
        let [slot, value, barrier] = operands(op)[..] else {
            return None;
        };
        Some(Self {
            slot,
            value,
            barrier,
            bytes,
        })
    }

    /// Returns the number of bytes that an `llvm.inline_asm` with the text `assembly` stores.
    /// Returns `None` if the text `assembly` is not an asynchronous store. The operands of an
    /// asynchronous store are, in this order, the address of the slot, the stored value, and the
    /// address of the mbarrier object.
    pub fn bytes_of(assembly: &str) -> Option<u64> {
        let wide = ASSEMBLY.iter().position(|known| *known == assembly)?;
        Some([4, 8][wide])
    }

    /// Returns whether an asynchronous store supports the size of type `value`: 4 or 8 bytes.
    pub fn supports(value: Type<'c>) -> bool {
        matches!(byte_width(value), Some(4 | 8))
    }

    /// Emits an asynchronous store of a scalar of 4 or 8 bytes.
    pub fn create(b: &Builder<'c>, value: Val<'c>, slot: Val<'c>, barrier: Val<'c>) -> Op<'c> {
        let ty = value.r#type();
        let is_wide = byte_width(ty) == Some(8);
        let register = match (ty.is_float(), is_wide) {
            (true, false) => 'f',
            (true, true) => 'd',
            (false, false) => 'r',
            (false, true) => 'l',
        };
        b.create("llvm.inline_asm")
            .operands(&[slot, value, barrier])
            .unit("has_side_effects")
            .string("asm_string", ASSEMBLY[usize::from(is_wide)])
            .string("constraints", &format!("l,{register},l,~{{memory}}"))
            .build()
    }
}
