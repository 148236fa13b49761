use crate::analysis::target::{Target, version};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, TypeLike, ValueLike};
use tx_mlir::llvm::{Code, Machine, assembly};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, NvvmTarget, Op, attribute, codes, elements, error, integer_width, is, name, results,
    vector_parts, walk,
};
use tx_target::Chip;

pass! {
    /// Compile GPU modules to PTX.
    ///
    /// ## What it does
    /// Translates each GPU module to LLVM IR, runs LLVM passes, and replaces the module by a
    /// `gpu.binary` with the PTX. The pass does not compile modules with several targets, an
    /// unknown chip, libraries, flags, an optimization level other than 2, or an offloading
    /// handler; `gpu-module-to-binary` compiles these modules. The PTX equals the PTX of
    /// `gpu-module-to-binary`, except that the pass does not run LLVM's loop vectorizer: schedules
    /// already determine vector loads. Independent kernels are compiled in parallel; LLVM compiles
    /// several small kernels as one module. The order of the kernels in the PTX is their order in
    /// the module.
    ///
    /// ## Why
    /// For one kernel of a row sum, the compilation from the LLVM dialect to PTX executes 4 % more
    /// CPU instructions with LLVM's `-O2` pipeline than with this pass. For the kernels of a row
    /// sum with dynamic columns, LLVM's pipeline executes 10 % more CPU instructions than this
    /// pass.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
    ///   llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    ///     llvm.return
    ///   }
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90", features = "+ptx81">, properties = {O = 2 : i32}, assembly = "...">]
    /// ```
    ///
    /// ## Fails when
    /// * The pass rejects a target with an unknown feature, or with a PTX version that does not
    ///   support its chip: LLVM would abort the process. The pass `tile-attach-target` corrects the
    ///   PTX version of a target.
    /// * The pass fails if LLVM rejects a module; the error contains LLVM's message.
    pub struct EmitPtx as "gpu-module-to-ptx" creates [gpu] {
    } counts {
        /// modules compiled
        compiled,
    }
}

/// Passes of LLVM's `-O2` pipeline that affect the code of reductions, in the order of the `-O2`
/// pipeline. The pass list was derived from the `-O2` pipeline by the removal of one LLVM pass at a
/// time. For the benchmarked shapes and the programs in `lit-tests`, the pass list and the `-O2`
/// pipeline generate code with the same number of registers; only a few instructions outside of
/// loops differ.
macro_rules! passes {
    ($packs:literal) => {
        concat!(
            "\
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
                hoist-common-insts;sink-common-insts>,",
            $packs,
            "loop-unroll<O2>,infer-alignment,instcombine<no-verify-fixpoint>,div-rem-pairs\
            )"
        )
    };
}

/// LLVM passes for modules without scalar ops that the SLP vectorizer can pack into vector ops.
const PASSES: &str = passes!("");

/// LLVM passes for modules with scalar ops that the SLP vectorizer can pack into vector ops. In the
/// compilation of a softmax of 4096 bf16 columns, the SLP vectorizer accounted for half of LLVM's
/// run time. On sm_90, the SLP vectorizer changed the PTX of only one of 144 modules of
/// `lit-tests`, from 5405 to 5413 instructions.
const PACKING: &str = passes!("slp-vectorizer,");

/// Returns whether the module needs the SLP vectorizer. A module needs the SLP vectorizer if the
/// chip has instructions for pairs of f32, or if the module computes in 16-bit floats or 8-bit
/// integers. A 32-bit register contains four 8-bit integers, which the SLP vectorizer can pack. A
/// sum over 32 i8 columns with a dynamic number of rows (1 GiB) takes 257 µs with the SLP
/// vectorizer and 276 µs without the SLP vectorizer on an H200.
fn packs(kernels: Op<'_>, chip: &Chip) -> bool {
    let computes = |op: &Op<'_>| {
        let is_arithmetic = ["llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fneg"]
            .contains(&name(*op))
            || name(*op).starts_with("llvm.intr.")
            || is(*op, "llvm.call_intrinsic");
        is_arithmetic
            && results(*op).iter().any(|result| {
                let ty = result.r#type();
                let element = vector_parts(ty).map_or(ty, |(_, element)| element);
                element.is_f16() || element.is_bf16()
            })
    };
    let is_byte = |op: &Op<'_>| {
        let types = results(*op).into_iter().map(|result| result.r#type());
        types
            .map(|ty| vector_parts(ty).map_or(ty, |(_, element)| element))
            .any(|element| integer_width(element) == Some(8))
    };
    let ops = walk(kernels);
    chip.packed_f32 || ops.iter().any(|op| computes(op) || is_byte(op))
}

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
                passes: match packs(*kernels, chip) {
                    true => PACKING,
                    false => PASSES,
                },
            })
            .collect();
        let mut made = Vec::new();
        for ((kernels, target, ..), ptx) in plain.iter().zip(assembly(&codes)) {
            let ptx = ptx.map_err(|why| {
                error(
                    kernels.location(),
                    format!("LLVM emitted no PTX for this `gpu.module`: {why}"),
                )
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
            "write the target as #nvvm.target<chip = \"{chip}\", features = \"+ptx{}\">, or run \
             `tile-attach-target`",
            chip.ptx
        ))
        .emit()
}

/// Returns the target of a GPU module; `None` unless the module has exactly one target, with a
/// known chip, default options and no offloading handler.
fn plain_target<'c>(kernels: Op<'c>) -> Option<(Attribute<'c>, NvvmTarget)> {
    let targets = attribute(kernels, "targets").and_then(elements)?;
    let [target] = targets.try_into().ok()?;
    let nvvm = NvvmTarget::of(target)?;
    let is_known = Chip::parse(&nvvm.chip).is_ok();
    (nvvm.is_plain && is_known && attribute(kernels, "offloadingHandler").is_none())
        .then_some((target, nvvm))
}
