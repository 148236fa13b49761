use crate::analysis::constants;
use crate::analysis::kernel::is_kernel;
use crate::analysis::shared_memory::SharedMemory;
use crate::analysis::shared_memory::{SHARED_ALIGNMENT, align_attribution};
use crate::grid::lengths::LENGTHS;
use crate::insert_sync::SYNCHRONIZED;
use crate::printf::check_printf;
use melior::ir::attribute::{
    IntegerAttribute, StridedLayoutAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, AttributeLike, TypeLike, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, MemRef, Op, attribute, blocks, byte_width, codes, context, error, is,
    operands, set_attribute, string_attribute, walk,
};
use tx_target::STATIC_SHARED_BYTES;

pass! {
    /// Prepare GPU modules for LLVM, and check limits of PTX.
    ///
    /// ## What it does
    /// * Sets the data layout of 64-bit PTX on each `gpu.module`. Without the data layout, LLVM
    ///   aligns 64-bit integers to 4 bytes and splits their accesses.
    /// * Aligns shared memory and constant arrays to 16 bytes. Without an explicit alignment, LLVM
    ///   may emit wide accesses to a variable whose alignment is less than the access size.
    /// * Stores a constant array as bytes if its elements are padded integers (such as `i24`), or
    ///   if its data is a `dense_resource`.
    /// * Splits a strided rank-reducing `memref.subview` into two views. MLIR compares strides to
    ///   find the dimensions that a rank-reducing subview drops. If the subview has a step other
    ///   than 1, MLIR does not find the dropped dimensions, and its lowering crashes.
    /// * Removes the attributes `schedule`, `lengths` and `synchronized` from kernels. Tools
    ///   without the `tile` dialect can therefore read the output.
    /// * Checks that each kernel has at most 48 KiB of static shared memory, and that its name is
    ///   valid in PTX.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.module @m {
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.module @m attributes {llvm.data_layout = "e-p6:32:32-i64:64-..."} {
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a kernel with more static shared memory than PTX allows, or with a name
    /// that is invalid in PTX. The pass rejects constant arrays of more than 64 MiB,
    /// `vector.print`, and a `gpu.printf` with fewer arguments than format fields. The pass rejects
    /// a memref in an unknown memory space, and any remaining op of the `tile` dialect.
    pub struct PrepareModule as "gpu-prepare-for-nvvm" creates [memref, nvvm] {
    } counts {
        /// modules prepared
        modules,
    }
}

/// Name of an op that MLIR lowers to calls of a host library.
const OF_HOSTS: &str = "vector.print";

/// Data layout of LLVM 22 for `nvptx64`.
const DATA_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

impl Pass for PrepareModule {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let modules: Vec<Op<'c>> = walk(module)
            .into_iter()
            .filter(|op| is(*op, "gpu.module"))
            .collect();
        for gpu_module in &modules {
            let arrays = walk(*gpu_module)
                .into_iter()
                .filter(|op| constants::is_array(*op));
            constants::check(*gpu_module, arrays)?;
            if let Some(op) = walk(*gpu_module)
                .into_iter()
                .find(|op| tx_dialect_tile::is_tile_op(*op))
            {
                return Err(error(
                    op.location(),
                    format!("`{}` is not lowered", tx_mlir::name(op)),
                )
                .code(codes::TX0114)
                .note("run `lower-reduction` first")
                .emit());
            }
            if let Some(op) = walk(*gpu_module).into_iter().find(|op| is(*op, OF_HOSTS)) {
                let report = error(
                    op.location(),
                    format!("`{OF_HOSTS}` cannot be lowered: it calls a host library"),
                )
                .code(codes::TX0510);
                let instead = crate::check_externals::instead_of(OF_HOSTS).into_iter();
                return Err(instead
                    .fold(report, |report, instead| report.note(instead))
                    .emit());
            }
            walk(*gpu_module)
                .into_iter()
                .filter(|op| is(*op, "gpu.printf"))
                .try_for_each(check_printf)?;
            check_memory_spaces(*gpu_module)?;
            for kernel in kernels(*gpu_module) {
                check_name(kernel)?;
                check_shared_memory(kernel, *gpu_module)?;
            }
        }
        for gpu_module in modules {
            let layout = StringAttribute::new(context(gpu_module), DATA_LAYOUT);
            set_attribute(gpu_module, "llvm.data_layout", layout.into());
            align_shared_memory(gpu_module);
            let arrays = walk(gpu_module)
                .into_iter()
                .filter(|op| constants::is_array(*op));
            arrays
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|array| store_padded(gpu_module, array));
            for kernel in kernels(gpu_module) {
                tx_mlir::remove_attribute(kernel, "schedule");
                tx_mlir::remove_attribute(kernel, LENGTHS);
                tx_mlir::remove_attribute(kernel, SYNCHRONIZED);
            }
            walk(gpu_module).into_iter().for_each(drop_dimensions_apart);
            counts.add("modules", 1);
        }
        Ok(())
    }
}

/// Sets the alignment of shared memory and constant arrays.
fn align_shared_memory(gpu_module: Op<'_>) {
    for op in walk(gpu_module) {
        if is_kernel(op) {
            let count = tx_mlir::integer_attribute(op, "workgroup_attributions").unwrap_or(0);
            for i in 0..usize::try_from(count).unwrap_or(0) {
                align_attribution(op, i);
            }
        } else if is(op, "memref.global") {
            let written = tx_mlir::integer_attribute(op, "alignment");
            let least = match constants::is_array(op) {
                true => written.unwrap_or(0).max(constants::ALIGNMENT),
                false => written.unwrap_or(SHARED_ALIGNMENT.cast_signed()),
            };
            set_attribute(op, "alignment", tx_mlir::i64_attribute(context(op), least));
        }
    }
}

/// Replaces the data of a constant array by bytes, if the data is a resource or if the elements are
/// padded. LLVM 22 stores 24- and 48-bit integers without padding, but loads them with padding.
fn store_padded<'c>(gpu_module: Op<'c>, array: Op<'c>) {
    let (Some(value), Some(ty)) = (tx_mlir::initial_value(array), constants::type_of(array)) else {
        return;
    };
    let bits = tx_mlir::integer_width(ty.element).unwrap_or(8);
    let is_padded = byte_width(ty.element) != Some(u64::from(bits.div_ceil(8)));
    let is_dense = value.is_dense_elements();
    if is_dense && !(is_padded && ty.element.is_integer()) {
        return;
    }
    let Some(bytes) = tx_mlir::dense_bytes(value) else {
        return;
    };
    let context = context(array);
    let b = Builder::before(array);
    let stored = MemRefType::new(
        b.int_type(8),
        &[bytes.len() as i64],
        None,
        ty.memory_space(),
    );
    set_attribute(array, "type", TypeAttribute::new(stored.into()).into());
    set_attribute(array, "initial_value", tx_mlir::dense_of(context, &bytes));
    let readers = walk(gpu_module).into_iter();
    let readers = readers.filter(|op| tx_mlir::global_of(*op) == Some(array));
    for reader in readers.collect::<Vec<_>>() {
        let b = Builder::before(reader);
        let name = attribute(reader, "name").unwrap_or_else(|| Attribute::unit(context));
        let all = b
            .create("memref.get_global")
            .attr("name", name)
            .result(stored.into())
            .value();
        let zero = b.value(tx_mlir::Index::Const(0));
        let old = tx_mlir::results(reader)[0];
        let view = b
            .create("memref.view")
            .operands(&[all, zero])
            .result(old.r#type())
            .value();
        tx_mlir::replace_uses(old, view);
        tx_mlir::erase(reader);
    }
}

/// Splits a strided rank-reducing subview into a strided view and a rank reduction. If a subview
/// drops all its dimensions of size 1, the function does not split the subview.
fn drop_dimensions_apart(op: Op<'_>) {
    if !is(op, "memref.subview") {
        return;
    }
    let (all, result) = (operands(op), tx_mlir::results(op)[0]);
    let list = |name: &str| {
        attribute(op, name)
            .and_then(tx_mlir::integers)
            .unwrap_or_default()
    };
    let (sizes, steps) = (list("static_sizes"), list("static_strides"));
    let (Some(source), Some(target)) = (MemRef::of(all[0]), MemRef::of(result)) else {
        return;
    };
    let Some([_, starts, lengths, distances]) =
        tx_mlir::operand_groups(op).and_then(|groups| <[_; 4]>::try_from(groups).ok())
    else {
        return;
    };
    let dropped = source.rank() - target.rank();
    let ones = sizes.iter().filter(|size| **size == 1).count();
    if dropped == 0 || ones == dropped || steps.iter().all(|step| *step == 1) {
        return;
    }
    let b = Builder::before(op);
    // Encoding of a dynamic value in static lists and types. In MLIR, the product of a stride and a
    // step is 0 if the stride or the step is 0, even if the other factor is dynamic.
    const UNKNOWN: i64 = i64::MIN;
    let product = |(stride, step): (&Option<i64>, &i64)| match (*stride, *step) {
        (Some(0), _) | (_, 0) => 0,
        (None, _) | (_, UNKNOWN) => UNKNOWN,
        (Some(stride), step) => stride.checked_mul(step).unwrap_or(UNKNOWN),
    };
    let strides: Vec<i64> = source.strides.iter().zip(&steps).map(product).collect();
    let offset = target.offset.unwrap_or(UNKNOWN);
    let layout = StridedLayoutAttribute::new(b.context(), offset, &strides);
    let space = source.memory_space();
    let whole = MemRefType::new(source.element, &sizes, Some(layout.into()), space);
    let rank = source.rank();
    let seen = b
        .create("memref.subview")
        .operands(&all)
        .segments(&[1, starts.len(), lengths.len(), distances.len()])
        .i64s("static_offsets", &list("static_offsets"))
        .i64s("static_sizes", &sizes)
        .i64s("static_strides", &steps)
        .result(whole.into())
        .value();
    let narrow = b
        .create("memref.subview")
        .operands(&[seen])
        .operands(&lengths)
        .segments(&[1, 0, lengths.len(), 0])
        .i64s("static_offsets", &vec![0; rank])
        .i64s("static_sizes", &sizes)
        .i64s("static_strides", &vec![1; rank])
        .result(target.ty)
        .value();
    tx_mlir::replace_uses(result, narrow);
    tx_mlir::erase(op);
}

fn kernels<'c>(gpu_module: Op<'c>) -> Vec<Op<'c>> {
    walk(gpu_module)
        .into_iter()
        .filter(|op| is_kernel(*op))
        .collect()
}

/// Checks that the name of a kernel consists of letters, digits, `_` and `$`, and begins with a
/// letter or `_`. LLVM aborts on a name with a character other than letters, digits, `_` and `$`,
/// and ptxas rejects the names `_` and `WARP_SZ`.
fn check_name(kernel: Op<'_>) -> Result<(), Failed> {
    let name = string_attribute(kernel, "sym_name").unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_taken = ["_", "WARP_SZ"].contains(&name.as_str());
    if starts_well && !is_taken && name.chars().all(allowed) {
        return Ok(());
    }
    Err(error(
        kernel.location(),
        format!("`{name}` cannot be the name of a kernel in PTX"),
    )
    .code(codes::TX0508)
    .note(
        "start with a letter, or with `_` and another character, and use letters, digits, `_` and \
         `$`; `WARP_SZ` is reserved in PTX",
    )
    .emit())
}

/// Checks that each memory space is an enum attribute, such as `#gpu.address_space<global>`, or an
/// integer, because MLIR's conversion to LLVM aborts the process on any other memory space.
fn check_memory_spaces(gpu_module: Op<'_>) -> Result<(), Failed> {
    let is_known = |space: Attribute<'_>| {
        let number = IntegerAttribute::try_from(space).ok();
        tx_mlir::enumerator(space).is_some()
            || number.is_some_and(|n| tx_mlir::is_signless(n.r#type()) || n.r#type().is_index())
    };
    for op in walk(gpu_module) {
        let arguments = blocks(op).into_iter().flat_map(|block| {
            (0..block.argument_count()).map(move |i| tx_mlir::build::argument(block, i))
        });
        for value in tx_mlir::results(op).into_iter().chain(arguments) {
            let space = MemRef::of(value).and_then(|memref| memref.memory_space());
            let Some(space) = space.filter(|space| !is_known(*space)) else {
                continue;
            };
            let message = format!("`{space}` is not a memory space of a kernel");
            return Err(error(op.location(), message)
                .code(codes::TX0321)
                .note("known: #gpu.address_space<global>, <workgroup> and <private>, and numbers of PTX")
                .emit());
        }
    }
    Ok(())
}

fn check_shared_memory(kernel: Op<'_>, gpu_module: Op<'_>) -> Result<(), Failed> {
    let bytes = SharedMemory::of(kernel, gpu_module).bytes;
    if bytes <= STATIC_SHARED_BYTES {
        return Ok(());
    }
    Err(error(
        kernel.location(),
        format!(
            "the kernel uses {bytes} bytes of static shared memory, expected at most \
             {STATIC_SHARED_BYTES}"
        ),
    )
    .code(codes::TX0506)
    .note(
        "`gpu-use-dynamic-shared-memory` raises the limit, unless the kernel has its own dynamic \
         shared memory, or arrays aligned to more than 16 bytes",
    )
    .emit())
}
