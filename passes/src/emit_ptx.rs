use crate::analysis::target::{Target, version};
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use tx_mlir::llvm::{Code, Machine, assembly};
use tx_mlir::{Failed, NvvmTarget, Op, attribute, codes, elements, error, is, walk};
use tx_pass::{Counts, Pass, pass};
use tx_target::Chip;

pass! {
    /// Compile GPU modules to PTX.
    ///
    /// ## What it does
    /// Translates each GPU module to LLVM IR, runs LLVM's passes over it, and puts the PTX that
    /// LLVM makes of it into a `gpu.binary` in its place. Left to `gpu-module-to-binary` are
    /// modules with several targets, with targets that name a chip that is not known, libraries,
    /// flags, or another level of optimization than 2, or with a handler of their own. The PTX is
    /// what that pass makes, but where it has LLVM turn loops into loops over vectors: those are in
    /// schedules. Kernels that have nothing in common are compiled by themselves, small ones some
    /// at a time, by as many threads as there are processors without such work, and their PTX is
    /// put together in the order of the module.
    ///
    /// ## Why
    /// From LLVM's dialect to PTX, LLVM's own pipeline of this level takes 4 % more instructions
    /// for one kernel of a sum of rows, and 10 % more for the kernels of one whose columns are
    /// known at run time only.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
    ///   llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    ///     llvm.return
    ///   }
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90", features = "+ptx78">, properties = {O = 2 : i32}, assembly = "...">]
    /// ```
    ///
    /// ## Fails when
    /// * a target names a feature that is not known, or a PTX version that does not know its chip:
    ///   LLVM would end the process (`tile-attach-target` raises such a version);
    /// * LLVM makes no code of a module, and says why.
    pub struct EmitPtx as "gpu-module-to-ptx" creates [gpu] {
    } counts {
        /// modules compiled
        compiled,
    }
}

/// What of LLVM's level 2 changes the code of reductions, and in its order. Found by leaving out
/// one pass after the other: code of the benchmarked shapes, and of the programs in `lit-tests`,
/// takes as many registers, and as many instructions but for a few outside of loops.
const PASSES: &str = "\
    nvvm-reflect,\
    function(nvvm-intr-range),\
    function<eager-inv>(simplifycfg,sroa<modify-cfg>,early-cse<>),\
    ipsccp,\
    function<eager-inv>(\
        instcombine<no-verify-fixpoint>,\
        early-cse<memssa>,speculative-execution<only-if-divergent-target>,correlated-propagation,\
        simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,reassociate,\
        loop-mssa(licm<no-allowspeculation>,loop-rotate<header-duplication>,licm<allowspeculation>),\
        simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,\
        loop(indvars,loop-unroll-full),\
        gvn<>,instcombine<no-verify-fixpoint>,correlated-propagation,\
        loop-mssa(licm<allowspeculation>),\
        simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;\
         switch-to-lookup;no-keep-loops;\
hoist-common-insts;sink-common-insts>,\
        slp-vectorizer,loop-unroll<O2>,infer-alignment,instcombine<no-verify-fixpoint>,div-rem-pairs\
    )";

impl Pass for EmitPtx {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut plain = Vec::new();
        for kernels in walk(module).into_iter().filter(|op| is(*op, "gpu.module")) {
            let Some((target, nvvm)) = plain_target(kernels) else {
                continue;
            };
            let Target { chip, ptx } = Target::read(kernels, &nvvm)?;
            if ptx < chip.ptx {
                return Err(too_old(kernels, chip, ptx));
            }
            plain.push((kernels, target, chip, format!("+ptx{ptx}")));
        }
        let codes: Vec<Code<'_, '_>> = plain
            .iter()
            .map(|(kernels, _, chip, features)| Code {
                module: *kernels,
                machine: Machine {
                    triple: "nvptx64-nvidia-cuda",
                    chip: chip.name,
                    features,
                    level: 2,
                },
            })
            .collect();
        let mut made = Vec::new();
        for ((kernels, target, ..), ptx) in plain.iter().zip(assembly(&codes, PASSES)) {
            let ptx = ptx.map_err(|why| {
                error(kernels.location(), format!("no PTX was made of it: {why}"))
                    .code(codes::TX0507)
                    .emit()
            })?;
            made.push((*kernels, *target, ptx));
        }
        for (kernels, target, ptx) in made {
            tx_mlir::gpu::replace_by_binary(kernels, target, &ptx, "{O = 2 : i32}");
            counts.add("compiled", 1);
        }
        Ok(())
    }
}

fn too_old(kernels: Op<'_>, chip: Chip, ptx: u32) -> Failed {
    let (needed, found) = (version(chip.ptx), version(ptx));
    let reason = format!("{chip} needs PTX {needed} or newer, found PTX {found}");
    error(kernels.location(), reason)
        .code(codes::TX0502)
        .note(format!(
            "write the target as #nvvm.target<chip = \"{chip}\", features = \"+ptx{}\">, or have \
             `tile-attach-target` do it",
            chip.ptx
        ))
        .emit()
}

/// The only target of a GPU module, where it names a chip that is known, and features, and nothing else.
fn plain_target<'c>(kernels: Op<'c>) -> Option<(Attribute<'c>, NvvmTarget)> {
    let targets = attribute(kernels, "targets").and_then(elements)?;
    let [target] = targets.try_into().ok()?;
    let nvvm = NvvmTarget::of(target)?;
    let is_known = Chip::parse(&nvvm.chip).is_ok();
    (nvvm.is_plain && is_known && attribute(kernels, "offloadingHandler").is_none())
        .then_some((target, nvvm))
}
