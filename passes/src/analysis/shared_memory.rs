//! Static shared memory of a kernel.

use melior::ir::Attribute;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::r#type::FunctionType;
use std::collections::BTreeMap;
use tx_mlir::memref::Space;
use tx_mlir::{
    MemRef, Op, Val, attribute, blocks, byte_width, dictionary, dictionary_of, elements,
    i64_attribute, integer_attribute, integer_value, is, ops, set_attribute, string_attribute,
    symbol_path, type_value, walk,
};

/// Alignment of compiler-allocated shared memory: the size of the widest memory access, in bytes.
pub(crate) const SHARED_ALIGNMENT: u64 = 16;

pub(crate) struct Array<'c> {
    /// SSA values of a shared memory array: the attribution, or the results of all
    /// `memref.get_global` ops that name one global variable.
    pub(crate) values: Vec<Val<'c>>,
    /// Offset of the first byte of the array in a layout that places all arrays consecutively.
    pub(crate) offset: u64,
    pub(crate) alignment: u64,
}

/// Static shared memory arrays of a kernel. The list of arrays contains first the workgroup
/// attributions, and then the global variables, sorted by name.
pub(crate) struct SharedMemory<'c> {
    pub(crate) arrays: Vec<Array<'c>>,
    pub(crate) attributions: usize,
    /// Total size of the shared memory arrays in bytes, if each array is aligned to
    /// [`SHARED_ALIGNMENT`].
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
                let fields = dictionary(*fields);
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
            let alignment = global.and_then(|op| integer_attribute(*op, "alignment"));
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

/// Name of the attribute for the alignment of a workgroup attribution, in bytes.
pub(crate) const ALIGN: &str = "llvm.align";

/// Raises the alignment of a workgroup attribution to at least [`SHARED_ALIGNMENT`].
pub(crate) fn align_attribution(kernel: Op<'_>, index: usize) {
    let entries = attribute(kernel, "workgroup_attrib_attrs")
        .and_then(elements)
        .unwrap_or_default();
    let count = integer_attribute(kernel, "workgroup_attributions")
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(0)
        .max(index + 1);
    let context = tx_mlir::context(kernel);
    let alignment = i64_attribute(context, SHARED_ALIGNMENT.cast_signed());
    let all: Vec<Attribute<'_>> = (0..count)
        .map(|i| {
            let mut fields = entries.get(i).map(|d| dictionary(*d)).unwrap_or_default();
            // If the program sets an alignment, the alignment may be larger.
            let is_enough = |(name, value): &(String, Attribute<'_>)| {
                let bytes = integer_value(*value).unwrap_or(0);
                name == ALIGN && bytes >= SHARED_ALIGNMENT.cast_signed()
            };
            if i == index && !fields.iter().any(is_enough) {
                fields.retain(|(name, _)| name != ALIGN);
                fields.push((ALIGN.to_owned(), alignment));
            }
            let fields: Vec<(&str, Attribute<'_>)> = fields
                .iter()
                .map(|(name, value)| (&**name, *value))
                .collect();
            dictionary_of(context, &fields)
        })
        .collect();
    let all = ArrayAttribute::new(context, &all).into();
    set_attribute(kernel, "workgroup_attrib_attrs", all);
}

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
    let count = usize::try_from(integer_attribute(kernel, "workgroup_attributions").unwrap_or(0));
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
