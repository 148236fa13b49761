//! Analysis of the parameters that a kernel may write.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use std::collections::BTreeSet;
use tx_mlir::gpu::is_kernel;
use tx_mlir::memref::root;
use tx_mlir::{
    AsyncStore, EffectKind, Op, Val, argument_of, defining_op, first_block, memory_effects, name,
    pointer_space, walk,
};
use tx_target::{Memory, Operation};

/// Ops whose result refers to memory outside of all kernel arguments.
const OWN_MEMORY: [&str; 4] = [
    "memref.alloc",
    "memref.alloca",
    "memref.get_global",
    "gpu.dynamic_shared_memory",
];

/// Address spaces of the shared memory of a block and of a cluster, in the types of LLVM pointers.
/// No kernel argument is in shared memory.
const SHARED_SPACES: [u32; 2] = [3, 7];

/// Returns the parameters whose memory `kernel` may write; `None` if the kernel may write any
/// memory.
pub(super) fn parameters(kernel: Op<'_>) -> Option<BTreeSet<usize>> {
    let mut written = BTreeSet::new();
    for op in walk(kernel).into_iter().skip(1) {
        if is_without_memory(name(op)) || AsyncStore::of(op).is_some() {
            continue;
        }
        for effect in memory_effects(op)? {
            if effect.kind != EffectKind::Write {
                continue;
            }
            // A write effect without a value may affect any memory. The code above skips barriers,
            // which also declare such an effect.
            let memory = root(effect.value?);
            if pointer_space(memory.r#type()).is_some_and(|space| SHARED_SPACES.contains(&space)) {
                continue;
            }
            match (defining_op(memory), parameter(memory)) {
                (_, Some(index)) => {
                    written.insert(index);
                }
                (Some(op), None) if OWN_MEMORY.contains(&name(op)) => {}
                // A selected, loop-carried or loaded memref may alias any argument.
                _ => return None,
            }
        }
    }
    Some(written)
}

/// Returns whether an op is a barrier, a register exchange, an assertion or a print. Barriers,
/// exchanges, assertions and prints write no kernel argument. MLIR nevertheless assumes that a
/// barrier, an exchange, an assertion or a print may write any memory, because the op declares a
/// write effect or does not declare its effects.
fn is_without_memory(op: &str) -> bool {
    let memory = Operation::memory_of(op);
    matches!(memory, Memory::Untouched | Memory::Ordered)
        || matches!(op, "cf.assert" | "gpu.printf" | "tile.all_reduce")
}

/// Returns the index of `value` if `value` is a kernel argument or a memory attribution. Returns
/// `None` for an argument of an inner block, because an argument of an inner block may alias any
/// memory.
fn parameter(value: Val<'_>) -> Option<usize> {
    let (block, index) = argument_of(value)?;
    let kernel = block.parent_operation().filter(|op| is_kernel(*op))?;
    (first_block(kernel, 0)? == block).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use tx_mlir::{Session, blocks, string_attribute};

    /// Folders of lit tests. The tests lower the programs of `FOLDERS` to kernels.
    const FOLDERS: [&str; 6] = [
        "convert-tile-to-gpu",
        "lower-reduction",
        "programs",
        "tile-expand-shuffle-tree",
        "tile-schedule",
        "tutorial",
    ];

    /// Checks that the memory effects of every emitted op are known. If a kernel contains an op
    /// with unknown effects, the compiler assumes that the kernel writes all its arguments.
    #[test]
    fn effects_of_all_that_passes_emit_are_known() {
        crate::register();
        let target = crate::Target::parse("sm_90").expect("a chip");
        let compiler = crate::Compiler::new(target).expect("a compiler");
        let pipeline = compiler.pipeline().expect("a pipeline");
        let mut unknown = BTreeSet::new();
        let mut unrestricted = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for file in FOLDERS.into_iter().flat_map(programs) {
            let text = std::fs::read_to_string(&file).expect("a program");
            let session = Session::new(tx_dialect_tile::register);
            // Other tests cover rejected programs.
            let Some(mut module) = session.parse(&file.display().to_string(), text.as_bytes())
            else {
                continue;
            };
            if !session.run(&mut module, &pipeline) {
                continue;
            }
            let all = walk(tx_mlir::top(&module));
            let kernels: Vec<Op> = all.into_iter().filter(|op| is_kernel(*op)).collect();
            let of_any_memory = kernels
                .iter()
                .filter(|kernel| parameters(**kernel).is_none());
            unrestricted.extend(of_any_memory.filter_map(|kernel| {
                let kernel = string_attribute(*kernel, "sym_name")?;
                Some((file.clone(), kernel))
            }));
            for op in kernels
                .into_iter()
                .flat_map(|kernel| walk(kernel).into_iter().skip(1))
            {
                seen.insert(name(op).to_owned());
                let known = is_without_memory(name(op))
                    || !blocks(op).is_empty()
                    || memory_effects(op).is_some();
                // Ops that are not lowered yet declare the effects of their lowered form.
                if !known && !name(op).starts_with("tile.") {
                    unknown.insert(name(op).to_owned());
                }
            }
        }
        assert_eq!(unknown, BTreeSet::new());
        assert_eq!(unrestricted, BTreeSet::new());
        for op in [
            "gpu.shuffle",
            "llvm.fence",
            "memref.atomic_rmw",
            "nvvm.cluster.wait",
            "vector.load",
        ] {
            assert!(seen.contains(op), "no program has `{op}`");
        }
    }

    fn programs(folder: &str) -> Vec<PathBuf> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../lit-tests");
        let entries = std::fs::read_dir(tests.join(folder)).expect("a folder of lit tests");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = files
            .filter(|file| file.extension().is_some_and(|e| e == "mlir"))
            .collect();
        files.sort();
        files
    }
}
