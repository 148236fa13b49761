//! Descriptions of handwritten kernels. The compiler chooses no schedule for a handwritten kernel.

use tx_mlir::melior::ir::{BlockLike, Type, ValueLike};
use tx_mlir::memref::Space;
use tx_mlir::{MemRef, Op, name, string_attribute, top, walk};
use tx_target::{Operation, Role};

#[derive(Default)]
struct Counts {
    loops: usize,
    barriers: usize,
    exchanges: usize,
    atomics: usize,
    shared: usize,
}

impl Counts {
    fn of(kernel: Op<'_>) -> Self {
        let mut counts = Self::default();
        for op in walk(kernel) {
            let count = match name(op) {
                "scf.for" | "scf.while" | "scf.parallel" | "scf.forall" | "affine.for" => {
                    &mut counts.loops
                }
                "gpu.all_reduce" | "gpu.subgroup_reduce" => &mut counts.exchanges,
                "memref.alloc" | "memref.alloca" | "memref.get_global" if is_shared(op) => {
                    &mut counts.shared
                }
                name => match Operation::role_of(name) {
                    Role::Shuffle | Role::Redux => &mut counts.exchanges,
                    Role::Atomic => &mut counts.atomics,
                    Role::BlockBarrier | Role::WarpBarrier | Role::ClusterWait => {
                        &mut counts.barriers
                    }
                    _ => continue,
                },
            };
            *count += 1;
        }
        let arguments = tx_mlir::blocks(kernel).into_iter().next().map(|block| {
            let all = (0..block.argument_count()).filter_map(|i| block.argument(i).ok());
            all.filter(|argument| is_shared_type(argument.r#type()))
                .count()
        });
        counts.shared += arguments.unwrap_or(0);
        counts
    }
}

fn is_shared(op: Op<'_>) -> bool {
    let results = tx_mlir::results(op);
    results.iter().any(|value| is_shared_type(value.r#type()))
}

fn is_shared_type(ty: Type<'_>) -> bool {
    MemRef::from_type(ty).is_some_and(|memref| memref.space == Space::Shared)
}

/// Returns one line per kernel that the program launches, or the compiler error of the program.
pub(super) fn describe(compiler: &tx::Compiler, source: &tx::Source) -> Result<String, tx::Error> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let artifact = compiler.compile_watched(source, &mut |stage, _, module| {
        let found = match stage {
            "parse" => &mut before,
            "tile-insert-sync" => &mut after,
            _ => return Ok(()),
        };
        let kernels = walk(top(module)).into_iter();
        found.extend(
            kernels
                .filter(|op| tx_mlir::is(*op, "gpu.func") && tx_mlir::gpu::is_kernel(*op))
                .map(|op| (string_attribute(op, "sym_name"), Counts::of(op))),
        );
        Ok(())
    })?;
    let mut text = String::new();
    for (name, counts) in before {
        let is_launched = artifact
            .plan
            .steps
            .iter()
            .any(|step| Some(&step.kernel) == name.as_ref());
        let (Some(name), true) = (name, is_launched) else {
            continue;
        };
        let in_the_end = after
            .iter()
            .find(|(other, _)| other.as_ref() == Some(&name))
            .map_or(counts.barriers, |(_, counts)| counts.barriers);
        let barriers = format!(
            "{} in the input program and {in_the_end} after lowering",
            counted(counts.barriers, "barrier")
        );
        text.push_str(&format!(
            "kernel `{name}`: {}, {barriers}, {} in a warp, {}, {} in shared memory\n",
            counted(counts.loops, "loop"),
            counted(counts.exchanges, "exchange"),
            counted(counts.atomics, "atomic"),
            counted(counts.shared, "array"),
        ));
    }
    Ok(text)
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
