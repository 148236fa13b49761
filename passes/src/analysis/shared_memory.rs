//! Static shared memory of a kernel.

use super::kernel::SHARED_ALIGNMENT;
use melior::ir::block::BlockLike;
use melior::ir::r#type::FunctionType;
use std::collections::BTreeMap;
use tx_mlir::memref::Space;
use tx_mlir::{
    MemRef, Op, Val, attribute, blocks, byte_width, elements, integer_value, is, ops,
    string_attribute, symbol_path, type_value, walk,
};

pub(crate) struct Array<'c> {
    /// SSA values of the array: the attribution, or the results of all `memref.get_global` ops of
    /// one variable.
    pub(crate) values: Vec<Val<'c>>,
    /// Offset of the first byte if all arrays are laid out consecutively.
    pub(crate) offset: u64,
    pub(crate) alignment: u64,
}

/// Static arrays of a kernel in shared memory: first the attributions, in order, then the
/// variables, by name.
pub(crate) struct SharedMemory<'c> {
    pub(crate) arrays: Vec<Array<'c>>,
    pub(crate) attributions: usize,
    /// Total bytes of the arrays, each aligned to [`SHARED_ALIGNMENT`].
    pub(crate) bytes: u64,
}

impl<'c> SharedMemory<'c> {
    pub(crate) fn of(kernel: Op<'c>, gpu_module: Op<'c>) -> Self {
        let mut all = Self {
            arrays: Vec::new(),
            attributions: 0,
            bytes: 0,
        };
        let attributes = attribute(kernel, "workgroup_attrib_attrs").and_then(elements);
        let attributes = attributes.unwrap_or_default();
        for (i, value) in attributions(kernel).into_iter().enumerate() {
            let alignment = attributes.get(i).and_then(|fields| {
                let fields = tx_mlir::dictionary(*fields);
                let (_, value) = fields.into_iter().find(|(name, _)| name == ALIGN)?;
                integer_value(value)
            });
            all.add(vec![value], alignment);
        }
        all.attributions = all.arrays.len();
        let mut variables: BTreeMap<String, Vec<Val<'c>>> = BTreeMap::new();
        for op in walk(kernel) {
            if is(op, "memref.get_global")
                && let Some(name) = attribute(op, "name").and_then(symbol_path)
            {
                let uses = variables.entry(name.join("::")).or_default();
                uses.push(tx_mlir::results(op)[0]);
            }
        }
        let globals: Vec<Op<'c>> = blocks(gpu_module).into_iter().flat_map(ops).collect();
        for (name, uses) in variables {
            let global = globals.iter().find(|op| {
                is(**op, "memref.global")
                    && string_attribute(**op, "sym_name").as_ref() == Some(&name)
            });
            let alignment = global.and_then(|op| tx_mlir::integer_attribute(*op, "alignment"));
            all.add(uses, alignment);
        }
        all
    }

    fn add(&mut self, values: Vec<Val<'c>>, alignment: Option<i64>) {
        let memref = values.first().copied().and_then(MemRef::of);
        let Some(bytes) = memref.as_ref().and_then(shared_bytes) else {
            return;
        };
        let alignment = alignment.and_then(|n| u64::try_from(n).ok()).unwrap_or(1);
        let offset = self.bytes.saturating_add(SHARED_ALIGNMENT - 1);
        let offset = offset / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
        self.bytes = offset.saturating_add(bytes);
        self.arrays.push(Array {
            values,
            offset,
            alignment,
        });
    }
}

/// Name of the attribute that states the alignment of an attribution in bytes.
pub(crate) const ALIGN: &str = "llvm.align";

/// Returns the workgroup attributions of a kernel, which follow the kernel arguments in the entry
/// block.
fn attributions<'c>(kernel: Op<'c>) -> Vec<Val<'c>> {
    let Some(body) = blocks(kernel).first().copied() else {
        return Vec::new();
    };
    let inputs = attribute(kernel, "function_type")
        .and_then(type_value)
        .and_then(|t| FunctionType::try_from(t).ok())
        .map_or(0, |t| t.input_count());
    let count =
        usize::try_from(tx_mlir::integer_attribute(kernel, "workgroup_attributions").unwrap_or(0));
    let end = (inputs + count.unwrap_or(0)).min(body.argument_count());
    (inputs..end)
        .map(|i| tx_mlir::build::argument(body, i))
        .collect()
}

fn shared_bytes(memref: &MemRef<'_>) -> Option<u64> {
    (memref.space == Space::Shared)
        .then(|| memref.elements()?.checked_mul(byte_width(memref.element)?))
        .flatten()
}
