//! Named pipelines: text in MLIR's pipeline syntax, over registered passes.

use std::collections::BTreeSet;
use tx_mlir::pass::{OptionInfo, OptionValue, PipelineInfo};
use tx_target::Chip;

const CHIP: OptionInfo = OptionInfo {
    name: "chip",
    ty: "string",
    init: "sm_80",
    help: "chip to compile for where the module names none",
};

const VALIDATE: OptionInfo = OptionInfo {
    name: "validate-each",
    ty: "true|false",
    init: "false",
    help: "run the program after every pass first, and compare",
};

const ASSERTS: OptionInfo = OptionInfo {
    name: "asserts",
    ty: "true|false",
    init: "false",
    help: "keep `cf.assert` in the bodies of linalg ops",
};

/// Prepends `tile-validate` to `passes` if the option `validate-each` is set.
fn validated(values: &[&str], synchronized: bool, passes: String) -> Result<String, String> {
    let chip = values.first().copied().unwrap_or(CHIP.init);
    match bool::parse(values.get(1).copied().unwrap_or(VALIDATE.init))
        .map_err(|e| format!("option `{}`: {e}", VALIDATE.name))?
    {
        true => Ok(format!(
            "tile-validate{{chip={chip} synchronized={synchronized}}},{passes}"
        )),
        false => Ok(passes),
    }
}

/// Passes that compile the output of `gpu-to-nvvm` to PTX.
pub const EMIT: [&str; 6] = [
    "nvvm-expand-cache-hints",
    "nvvm-keep-vectors",
    "gpu-check-externals",
    "gpu-check-target",
    "gpu-module-to-ptx",
    "gpu-module-to-binary{format=isa}",
];

/// All pipelines, in the order of compilation.
pub const PIPELINES: [PipelineInfo; 4] = [
    PipelineInfo {
        argument: "tensors-to-memrefs",
        doc: "Put the tensors of host functions into memory.\n\n\
              Calls are inlined. Results become arguments that are written, after those that \
              there are, in order. An argument that is \
              an output of an op (`outs(%B)`) and is not read afterwards is updated in place, and \
              then copied to the result; an \
              argument with `bufferization.writable = false` never changes. A reduction into a \
              `tensor.empty` is refused: `linalg.fill` that first.",
        options: &[ASSERTS],
        expand: |values| {
            let asserts = values.first().copied().unwrap_or(ASSERTS.init);
            let asserts =
                bool::parse(asserts).map_err(|e| format!("option `{}`: {e}", ASSERTS.name))?;
            Ok(tensors_to_memrefs(asserts))
        },
    },
    PipelineInfo {
        argument: "lower-reduction",
        doc: "Lower reductions on tiles to the gpu and nvvm dialects.\n\nNo `tile` op is left.",
        options: &[CHIP, VALIDATE],
        expand: |values| {
            let target = attach_target(values)?;
            let chip = chip(values)?;
            let form = format!("tile-form-kernels{{chip={chip}}}");
            let schedule = format!("tile-schedule{{chip={chip}}}");
            let passes = [
                "convert-linalg-to-tile",
                form.as_str(),
                "linalg-collapse-loops",
                schedule.as_str(),
                target.as_str(),
                "tile-analyze-scope",
                "tile-select-variant",
                "tile-expand-reduce",
                "tile-expand-shuffle-tree",
                "tile-insert-sync",
                "convert-tile-to-gpu",
                "gpu-use-dynamic-shared-memory",
            ];
            validated(values, false, passes.join(","))
        },
    },
    PipelineInfo {
        argument: "gpu-to-nvvm",
        doc: "Lower GPU modules to the llvm and nvvm dialects.\n\n\
              The compiler emits PTX from the result, and the SIMT executor runs it.",
        options: &[CHIP, VALIDATE],
        expand: |values| validated(values, true, gpu_to_nvvm(values)?),
    },
    PipelineInfo {
        argument: "gpu-to-ptx",
        doc: "Compile GPU modules to a `gpu.binary` that holds PTX.",
        options: &[CHIP, VALIDATE],
        expand: |values| {
            let passes = format!("{},{}", gpu_to_nvvm(values)?, EMIT.join(","));
            validated(values, true, passes)
        },
    },
];

/// Returns the text of a pipeline: one-shot bufferization, and the passes before and after
/// bufferization. The pipeline fuses element-wise ops before bufferization. The bufferized
/// functions write their results to memory that the caller passes. The passes of the pipeline do
/// not change functions on memrefs.
///
/// If `asserts` is set, the pipeline does not remove assertions in the bodies of linalg ops. With
/// `asserts`, the pipeline fuses no element-wise op into a reduction, because the body of a
/// `tile.reduce` cannot contain an assertion.
fn tensors_to_memrefs(asserts: bool) -> String {
    let (drop, fuse) = match asserts {
        true => ("linalg-drop-asserts{keep=true}", "canonicalize"),
        false => (
            "linalg-drop-asserts",
            "linalg-fuse-elementwise-ops,canonicalize",
        ),
    };
    let isolated = [
        "tensor-check-written",
        "func-compute-sizes",
        "linalg-decompose-softmax",
        "tensor-fill-splats",
        "linalg-sink-attributes",
        "convert-elementwise-to-linalg",
        "linalg-generalize-named-ops",
        drop,
        "linalg-sink-scalars",
        "linalg-detach-inits",
        fuse,
        "cse",
        "eliminate-empty-tensors",
        "one-shot-bufferize{bufferize-function-boundaries \
         function-boundary-type-conversion=identity-layout-map}",
        "memref-promote-results",
        "memref-free-temporaries",
        "linalg-hoist-attributes",
        "canonicalize",
        "cse",
    ]
    .join(",");
    format!("{INLINE},tensor-isolate-functions,builtin.module({isolated}),tensor-restore-functions")
}

/// Inlines function calls, then removes private functions without uses.
pub const INLINE: &str = "inline{default-pipeline= },symbol-dce";

fn chip(values: &[&str]) -> Result<Chip, String> {
    Chip::parse(values.first().copied().unwrap_or(CHIP.init)).map_err(|e| e.to_string())
}

fn attach_target(values: &[&str]) -> Result<String, String> {
    Ok(format!("tile-attach-target{{chip={}}}", chip(values)?))
}

/// A pass on GPU modules, with the ops for which the pass is necessary.
struct OnGpuModule {
    pass: &'static str,
    /// Prefixes of op names: the pass is necessary if the module contains an op whose name begins
    /// with one of the prefixes. A pass without a list of prefixes always runs.
    of: &'static [&'static str],
    /// Exceptions to the prefixes in `of`: names of ops that do not require the pass.
    but: &'static [&'static str],
}

const fn always(pass: &'static str) -> OnGpuModule {
    OnGpuModule {
        pass,
        of: &[],
        but: &[],
    }
}

/// Pass that replaces a view of memory by its base memref with a computed offset, sizes and
/// strides.
const VIEWS: OnGpuModule = OnGpuModule {
    pass: "expand-strided-metadata",
    of: &["memref.", "affine."],
    but: &[
        "memref.alloc",
        "memref.alloca",
        "memref.atomic_rmw",
        "memref.dealloc",
        "memref.dim",
        "memref.extract_aligned_pointer_as_index",
        "memref.extract_strided_metadata",
        "memref.get_global",
        "memref.global",
        "memref.load",
        "memref.store",
    ],
};

/// Pass that expands vector ops. `convert-gpu-to-nvvm` lowers vector loads, stores and extracts, so
/// these ops need no expansion.
const VECTORS: OnGpuModule = OnGpuModule {
    pass: "convert-vector-to-scf",
    of: &["vector."],
    but: &["vector.extract", "vector.load", "vector.store"],
};

const ON_GPU_MODULES: [OnGpuModule; 12] = [
    VIEWS,
    // `expand-strided-metadata` emits `affine` ops for the index arithmetic of views.
    OnGpuModule {
        pass: "lower-affine",
        ..VIEWS
    },
    VECTORS,
    always("convert-scf-to-cf"),
    // `convert-gpu-to-nvvm` fails without a diagnostic if its folding does not converge in ten
    // iterations, as with ten branches each of which folds only after the previous one. A pass with
    // a higher limit therefore folds before `convert-gpu-to-nvvm`. This pass applies no patterns.
    // With patterns, branches compile to different code than without, and a Welford reduction over
    // rows of 1001 elements was 10 % slower.
    OnGpuModule {
        pass: "canonicalize{enable-patterns=none max-iterations=1000 region-simplify=aggressive}",
        of: &["scf.if"],
        but: &[],
    },
    // `convert-gpu-to-nvvm` would lower these ops to calls of libdevice.
    OnGpuModule {
        pass: "convert-arith-to-llvm",
        of: &["arith.maxnumf", "arith.minnumf"],
        but: &[],
    },
    always("convert-gpu-to-nvvm"),
    OnGpuModule {
        pass: "convert-vector-to-llvm",
        ..VECTORS
    },
    always("convert-nvvm-to-llvm"),
    always("canonicalize"),
    always("cse"),
    always("reconcile-unrealized-casts"),
];

impl OnGpuModule {
    /// Returns whether a module that contains the ops `ops` needs the pass.
    fn is_needed(&self, ops: &BTreeSet<&str>) -> bool {
        let is_for =
            |op: &&str| self.of.iter().any(|of| op.starts_with(of)) && !self.but.contains(op);
        self.of.is_empty() || ops.iter().any(is_for)
    }
}

/// Returns the passes of `gpu-to-nvvm` on GPU modules. If `ops` is given, it contains the names of
/// all ops in a module, and the function omits the passes that these ops do not require. The
/// omission of passes halves the run time of the pipeline.
pub fn lower_gpu_modules(ops: Option<&BTreeSet<&str>>) -> String {
    let passes = ON_GPU_MODULES
        .iter()
        .filter(|on| ops.is_none_or(|ops| on.is_needed(ops)));
    let passes: Vec<&str> = passes.map(|on| on.pass).collect();
    format!("gpu.module({})", passes.join(","))
}

fn gpu_to_nvvm(values: &[&str]) -> Result<String, String> {
    Ok([
        attach_target(values)?.as_str(),
        "gpu-prepare-for-nvvm",
        "memref-linearize-strides",
        "convert-gpu-subgroup-to-arith",
        "gpu-expand-math",
        "convert-gpu-math-to-llvm",
        "convert-gpu-shuffle-to-nvvm",
        lower_gpu_modules(None).as_str(),
        "nvvm-require-block-size",
        "nvvm-declare-dynamic-shared-memory",
    ]
    .join(","))
}
