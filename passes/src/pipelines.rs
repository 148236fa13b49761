//! Named pipelines, as text over registered passes.

use tx_pass::{OptionInfo, PipelineInfo};
use tx_target::Chip;

const CHIP: OptionInfo = OptionInfo {
    name: "chip",
    ty: "string",
    init: "sm_80",
    help: "chip to compile for where the module names none",
};

/// Every pipeline, in the order of use.
pub const PIPELINES: [PipelineInfo; 3] = [
    PipelineInfo {
        argument: "lower-reduction",
        doc: "Lower reductions on tiles to the gpu and nvvm dialects.\n\nNo `tile` op is left.",
        options: &[CHIP],
        expand: |values| {
            Ok([
                attach_target(values)?.as_str(),
                "tile-analyze-scope",
                "tile-select-variant",
                "tile-expand-reduce",
                "tile-expand-shuffle-tree",
                "tile-insert-sync",
                "convert-tile-to-gpu",
            ]
            .join(","))
        },
    },
    PipelineInfo {
        argument: "gpu-to-nvvm",
        doc: "Lower GPU modules to the llvm and nvvm dialects.\n\n\
              What is left is what PTX is emitted from, and what the SIMT executor runs.",
        options: &[CHIP],
        expand: gpu_to_nvvm,
    },
    PipelineInfo {
        argument: "gpu-to-ptx",
        doc: "Compile GPU modules to a `gpu.binary` that holds PTX.",
        options: &[CHIP],
        expand: |values| {
            Ok(format!(
                "{},gpu-module-to-binary{{format=isa}}",
                gpu_to_nvvm(values)?
            ))
        },
    },
];

fn attach_target(values: &[&str]) -> Result<String, String> {
    let chip =
        Chip::parse(values.first().copied().unwrap_or(CHIP.init)).map_err(|e| e.to_string())?;
    Ok(format!("tile-attach-target{{chip={chip}}}"))
}

fn gpu_to_nvvm(values: &[&str]) -> Result<String, String> {
    Ok([
        attach_target(values)?.as_str(),
        "gpu-prepare-for-nvvm",
        "convert-gpu-subgroup-to-arith",
        "convert-gpu-math-to-llvm",
        "convert-gpu-shuffle-to-nvvm",
        "gpu.module(expand-strided-metadata,lower-affine,convert-vector-to-scf,convert-scf-to-cf,\
         convert-arith-to-llvm,convert-gpu-to-nvvm,convert-vector-to-llvm,convert-nvvm-to-llvm,canonicalize,cse,\
         reconcile-unrealized-casts)",
        "nvvm-require-block-size",
    ]
    .join(","))
}
