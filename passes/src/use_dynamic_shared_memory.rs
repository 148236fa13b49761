use crate::analysis::kernel::is_kernel;
use crate::analysis::shared_memory::SHARED_ALIGNMENT;
use crate::analysis::shared_memory::SharedMemory;
use crate::analysis::target::{Target, targets};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Type, ValueLike};
use std::collections::BTreeSet;
use tx_mlir::gpu::{DYNAMIC_SHARED, LaunchOperands};
use tx_mlir::memref::Space;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Index, MemRef, Op, attribute, blocks, codes, error, is, string_attribute,
    symbol_path, walk,
};
use tx_target::STATIC_SHARED_BYTES;

pass! {
    /// Convert shared memory above 48 KiB to dynamic shared memory.
    ///
    /// ## What it does
    /// PTX permits at most 48 KiB of static shared memory per block; dynamic shared memory can be
    /// larger. If the workgroup attributions and shared `memref.global`s of a kernel exceed 48 KiB
    /// in total, each of these arrays becomes a view of `gpu.dynamic_shared_memory`. The views are
    /// consecutive, each at a multiple of 16 bytes, and each launch of the kernel requests the
    /// total size of the views. The pass does not change a kernel that already uses dynamic shared
    /// memory, or has arrays with an alignment above 16 bytes.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.func @k() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.func @k() kernel {
    ///   %0 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    ///   %c0 = arith.constant 0 : index
    ///   %1 = memref.view %0[%c0][]
    ///     : memref<?xi8, #gpu.address_space<workgroup>> to memref<16384xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## Fails when
    /// The pass fails if the arrays exceed the shared memory that the chip permits per block.
    pub struct UseDynamicSharedMemory as "gpu-use-dynamic-shared-memory" creates [arith, gpu, memref] {
    } counts {
        /// kernels with dynamic shared memory
        kernels,
    }
}

impl Pass for UseDynamicSharedMemory {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut modules = Vec::new();
        for gpu_module in walk(module) {
            if !is(gpu_module, "gpu.module") {
                continue;
            }
            let mut kernels = Vec::new();
            for kernel in walk(gpu_module).into_iter().filter(|op| is_kernel(*op)) {
                let memory = SharedMemory::of(kernel, gpu_module);
                if is_wanted(kernel, &memory) {
                    check(kernel, gpu_module, memory.bytes)?;
                    kernels.push((kernel, memory));
                }
            }
            if !kernels.is_empty() {
                modules.push((gpu_module, kernels));
            }
        }
        for (gpu_module, kernels) in modules {
            for (kernel, memory) in kernels {
                for launch in launches(module, kernel, gpu_module) {
                    let b = Builder::before(launch);
                    let bytes = b.int(memory.bytes.cast_signed(), b.int_type(32));
                    LaunchOperands::set_dynamic_shared(launch, bytes);
                }
                replace(kernel, &memory);
                counts.add("kernels", 1);
            }
            remove_unused(gpu_module);
        }
        Ok(())
    }
}

/// Returns whether the pass converts the arrays of a kernel: the arrays exceed the limit of static
/// shared memory, and can become views of dynamic shared memory.
fn is_wanted(kernel: Op<'_>, memory: &SharedMemory<'_>) -> bool {
    let has_own = || walk(kernel).into_iter().any(|op| is(op, DYNAMIC_SHARED));
    memory.bytes > STATIC_SHARED_BYTES
        && memory.arrays.iter().all(|array| {
            let ty = array.values[0].r#type();
            array.alignment <= SHARED_ALIGNMENT && plain(ty, space_of(ty)) == Some(ty)
        })
        && !has_own()
}

fn check(kernel: Op<'_>, gpu_module: Op<'_>, bytes: u64) -> Result<(), Failed> {
    for target in targets(gpu_module) {
        let chip = Target::read(gpu_module, &target)?.chip;
        if bytes > u64::from(chip.shared_bytes) {
            let message = format!(
                "the kernel uses {bytes} bytes of shared memory, but a block on {} has at most {}",
                chip.name, chip.shared_bytes
            );
            return Err(error(kernel.location(), message)
                .code(codes::TX0506)
                .note(
                    "use smaller tiles, or process them one at a time; the total includes the \
                     memory that `tx` allocates for exchange between warps",
                )
                .emit());
        }
    }
    Ok(())
}

fn launches<'c>(module: Op<'c>, kernel: Op<'c>, gpu_module: Op<'c>) -> Vec<Op<'c>> {
    let path = [gpu_module, kernel].map(|op| string_attribute(op, "sym_name").unwrap_or_default());
    walk(module)
        .into_iter()
        .filter(|op| is(*op, "gpu.launch_func"))
        .filter(|op| {
            attribute(*op, "kernel")
                .and_then(symbol_path)
                .is_some_and(|p| p == path)
        })
        .collect()
}

fn replace(kernel: Op<'_>, memory: &SharedMemory<'_>) {
    let Some(body) = blocks(kernel).first().copied() else {
        return;
    };
    let context = tx_mlir::context(kernel);
    let b = Builder::at_start(context, body, kernel.location());
    let byte = b.int_type(8);
    let space = b.attribute("#gpu.address_space<workgroup>");
    let raw = b
        .create(DYNAMIC_SHARED)
        .result(MemRefType::new(byte, &[i64::MIN], None, Some(space)).into())
        .value();
    for array in &memory.arrays {
        let offset = b.value(Index::Const(array.offset.cast_signed()));
        for value in &array.values {
            let ty = value.r#type();
            let mut array = b
                .create("memref.view")
                .operands(&[raw, offset])
                .result(plain(ty, Some(space)).unwrap_or(ty))
                .value();
            // A memory space as a number and as a named attribute are different types.
            if array.r#type() != ty {
                let cast = b.create("memref.memory_space_cast").operands(&[array]);
                array = cast.result(ty).value();
            }
            tx_mlir::replace_uses(*value, array);
            match tx_mlir::defining_op(*value) {
                Some(get_global) => tx_mlir::erase(get_global),
                None => tx_mlir::erase_argument(*value),
            }
        }
    }
    let count = tx_mlir::integer_attribute(kernel, "workgroup_attributions").unwrap_or(0);
    let left = tx_mlir::i64_attribute(context, count - memory.attributions as i64);
    tx_mlir::set_attribute(kernel, "workgroup_attributions", left);
    tx_mlir::remove_attribute(kernel, "workgroup_attrib_attrs");
}

fn space_of<'c>(ty: Type<'c>) -> Option<Attribute<'c>> {
    MemRef::from_type(ty).and_then(|memref| memref.memory_space())
}

/// Returns the row-major memref type with the shape and element type of `ty` and the memory space
/// `space`; `None` if `ty` is not a memref or has a dynamic shape.
fn plain<'c>(ty: Type<'c>, space: Option<Attribute<'c>>) -> Option<Type<'c>> {
    let memref = MemRef::from_type(ty)?;
    let sizes: Option<Vec<i64>> = memref
        .shape
        .iter()
        .map(|n| i64::try_from((*n)?).ok())
        .collect();
    Some(MemRefType::new(memref.element, &sizes?, None, space).into())
}

fn remove_unused(gpu_module: Op<'_>) {
    let all = walk(gpu_module);
    let used: BTreeSet<String> = all
        .iter()
        .filter(|op| is(**op, "memref.get_global"))
        .filter_map(|op| symbol_path(attribute(*op, "name")?)?.pop())
        .collect();
    for op in all {
        let ty = attribute(op, "type").and_then(tx_mlir::type_value);
        if is(op, "memref.global")
            && ty
                .and_then(MemRef::from_type)
                .is_some_and(|memref| memref.space == Space::Shared)
            && string_attribute(op, "sym_name").is_some_and(|name| !used.contains(&name))
        {
            tx_mlir::erase(op);
        }
    }
}
