use crate::analysis::target::{Target, targets, version};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, TypeLike, ValueLike};
use tx_mlir::build::argument;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, attribute, blocks, byte_width, codes, enumerator_of, error, first_block, is, name,
    ops, results, string_attribute, walk,
};
use tx_target::{Chip, Form, Needs, Operation};

pass! {
    /// Check that the targets of GPU modules support all instructions.
    ///
    /// ## What it does
    /// Finds NVVM ops whose PTX instruction the chip or the PTX version of the module's target does
    /// not support. The pass also finds kernels whose parameters exceed the limit of the PTX
    /// version.
    ///
    /// ## Why
    /// LLVM's code generator aborts the process on an instruction that it cannot select, and ptxas
    /// rejects a kernel with too many parameters. This pass reports an unsupported instruction, and
    /// a kernel with too many parameters, at the source line. The error for an instruction names a
    /// chip and a PTX version that support the instruction.
    ///
    /// ## Before and after
    /// ```mlir
    /// gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
    ///   llvm.func @k() {
    ///     nvvm.cluster.arrive
    ///     llvm.return
    ///   }
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a target with an unknown chip or feature, and an op that the target does
    /// not support. The pass rejects a kernel with more than 4352 bytes of parameters (32764 bytes
    /// from PTX 8.1 on). The pass also rejects an op that is directly in a GPU module and is
    /// neither a symbol nor a linker directive, because MLIR's translation of such an op to LLVM IR
    /// crashes. The pass accepts modules without a target, and ops without an entry in its table of
    /// requirements.
    pub struct CheckTarget as "gpu-check-target" creates [] {
    } counts {
        /// operations that not every target has
        checked,
    }
}

/// Returns the oldest chip and PTX version that support `op`; `None` if every target supports `op`.
fn needs(op: Op<'_>) -> Option<Needs> {
    let known = Operation::named(name(op))?;
    let special = known.special.filter(|(form, _)| match form {
        Form::Float => results(op).iter().any(|result| result.r#type().is_float()),
        Form::Alias => enumerator_of(op, "kind") == Some("alias"),
    });
    special.map(|(_, needs)| needs).or(known.needs)
}

/// Ops without a symbol name that are legal directly in a GPU module, outside of functions.
const UNNAMED: [&str; 5] = [
    "llvm.mlir.global_ctors",
    "llvm.mlir.global_dtors",
    "llvm.linker_options",
    "llvm.module_flags",
    "llvm.module_asm",
];

impl Pass for CheckTarget {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut failed = None;
        for gpu_module in walk(module).into_iter().filter(|op| is(*op, "gpu.module")) {
            let targets = targets(gpu_module)
                .map(|target| Target::read(gpu_module, &target))
                .collect::<Result<Vec<Target>, Failed>>()?;
            for op in first_block(gpu_module, 0).map(ops).unwrap_or_default() {
                if attribute(op, "sym_name").is_none() && !UNNAMED.contains(&name(op)) {
                    let reason = format!(
                        "`{}` is in a `gpu.module`, but outside of its functions",
                        name(op)
                    );
                    failed = Some(
                        error(op.location(), reason)
                            .code(codes::TX0504)
                            .note("move it into a function")
                            .emit(),
                    );
                }
            }
            for kernel in walk(gpu_module)
                .into_iter()
                .filter(|op| attribute(*op, "nvvm.kernel").is_some())
            {
                let bytes = parameter_bytes(kernel);
                let passes = |target: &Target| {
                    let newer = target.ptx >= MORE_PARAMETERS;
                    if newer { MOST_PARAMETERS } else { PARAMETERS }
                };
                if let Some(target) = targets.iter().find(|target| bytes > passes(target)) {
                    failed = Some(too_many_parameters(kernel, bytes, target, passes(target)));
                }
            }
            for op in walk(gpu_module) {
                let Some(needs) = needs(op) else {
                    continue;
                };
                counts.add("checked", 1);
                for Target { chip, ptx } in &targets {
                    if !needs.are_met(chip, *ptx) {
                        failed = Some(refuse(op, &needs, chip, *ptx));
                    }
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Maximum total size of the parameters of a kernel, in bytes: `PARAMETERS` before PTX 8.1, and
/// `MOST_PARAMETERS` from PTX 8.1 on.
const PARAMETERS: u64 = 4352;
const MOST_PARAMETERS: u64 = 32764;
const MORE_PARAMETERS: u32 = 81;
const POINTER: u64 = 8;

/// Returns the total size of a kernel's parameters in bytes, with each parameter aligned to its
/// size.
fn parameter_bytes(kernel: Op<'_>) -> u64 {
    let Some(body) = blocks(kernel).first().copied() else {
        return 0;
    };
    (0..body.argument_count()).fold(0, |end, i| {
        // A pointer type has no byte width. All other parameter types of the kernels that `tx`
        // compiles have a byte width.
        let size = byte_width(argument(body, i).r#type()).unwrap_or(POINTER);
        end.next_multiple_of(size.max(1)) + size
    })
}

fn too_many_parameters(kernel: Op<'_>, bytes: u64, target: &Target, passes: u64) -> Failed {
    let name = string_attribute(kernel, "sym_name").unwrap_or_default();
    let report = error(
        kernel.location(),
        format!(
            "kernel `{name}` takes {bytes} bytes of parameters, but PTX {} allows at most {passes}",
            version(target.ptx)
        ),
    )
    .code(codes::TX0509);
    let report = if bytes <= MOST_PARAMETERS {
        report.note(format!(
            "PTX {} allows {MOST_PARAMETERS} bytes: gpu.module @name [#nvvm.target<chip = \"{}\", \
             features = \"+ptx{MORE_PARAMETERS}\">]",
            version(MORE_PARAMETERS),
            target.chip.name
        ))
    } else {
        report
    };
    report
        .note("a memref takes 24 bytes, plus 16 for each dimension: pass fewer memrefs")
        .emit()
}

fn refuse(op: Op<'_>, needs: &Needs, chip: &Chip, ptx: u32) -> Failed {
    let suffix = if needs.specific { "a" } else { "" };
    error(
        op.location(),
        format!(
            "`{}` needs sm_{}{suffix} and PTX {}, found {} and PTX {}",
            name(op),
            needs.capability,
            version(needs.ptx_for(chip)),
            chip.name,
            version(ptx)
        ),
    )
    .code(codes::TX0503)
    .note(format!(
        "a target that supports the op: gpu.module @name [#nvvm.target<chip = \"{}\", features = \
         \"+ptx{}\">]",
        match chip.capability >= needs.capability && chip.specific >= needs.specific {
            true => chip.name.to_owned(),
            false => format!("sm_{}{suffix}", needs.capability),
        },
        needs.ptx_for(chip).max(chip.ptx)
    ))
    .emit()
}
