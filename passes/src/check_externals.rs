use crate::elementary;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op, attribute, blocks, codes, error, is, name, string_attribute, walk};

pass! {
    /// Check that GPU modules call only functions that they define, and that all ops are lowered.
    ///
    /// ## What it does
    /// Finds calls of functions without a body, and ops that no pass has lowered. LLVM emits calls
    /// of undefined functions without an error, but the driver cannot load the PTX. This pass
    /// reports the calls at their source line.
    ///
    /// ## Before and after
    /// ```mlir
    /// gpu.module @m {
    ///   llvm.func @helper(%x: f32) -> f32 { llvm.return %x : f32 }
    ///   llvm.func @k(%x: f32) { %y = llvm.call @helper(%x) : (f32) -> f32 llvm.return }
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a call of a function without a body, such as `__nv_sinf` of libdevice
    /// (`math.sin` needs no library). The pass also rejects an op that is neither of the dialect
    /// `llvm` nor of the dialect `nvvm`.
    pub struct CheckExternals as "gpu-check-externals" creates [] {
    } counts {
        /// calls checked
        calls,
    }
}

const PROVIDED: [&str; 4] = ["vprintf", "__assertfail", "malloc", "free"];

impl Pass for CheckExternals {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut failed = None;
        for gpu_module in walk(module).into_iter().filter(|op| is(*op, "gpu.module")) {
            let declared: BTreeSet<String> = walk(gpu_module)
                .into_iter()
                .filter(|op| is(*op, "llvm.func") && blocks(*op).is_empty())
                .filter_map(|op| string_attribute(op, "sym_name"))
                .filter(|name| !PROVIDED.contains(&name.as_str()) && !name.starts_with("llvm."))
                .collect();
            for call in walk(gpu_module)
                .into_iter()
                .filter(|op| is(*op, "llvm.call"))
            {
                counts.add("calls", 1);
                let Some(callee) = attribute(call, "callee") else {
                    continue;
                };
                let callee = callee.to_string();
                let callee = callee.trim_start_matches('@');
                if declared.contains(callee) {
                    failed = Some(refuse(call, callee));
                }
            }
            // The pass reports only the first op of a source location, because lowering may have
            // created several ops from one.
            let mut told = BTreeSet::new();
            let left = walk(gpu_module).into_iter().filter(|op| !is_lowered(*op));
            for op in left.filter(|op| told.insert(op.location().to_string())) {
                let report = error(
                    op.location(),
                    format!("`{}` cannot be lowered to LLVM", name(op)),
                )
                .code(codes::TX0510);
                failed = Some(match instead_of(name(op)) {
                    Some(instead) => report.note(instead).emit(),
                    None => report.emit(),
                });
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Ops that no pass lowers. Each entry contains a note that names the replacement of the op.
const INSTEAD: &[(&str, &str)] = &[
    ("gpu.all_reduce", ALL_REDUCE),
    ("gpu.subgroup_reduce", ALL_REDUCE),
    (
        "gpu.rotate",
        "use `gpu.shuffle idx`, which reads the value of any lane",
    ),
    ("vector.load", ONE_DIMENSION),
    ("vector.store", ONE_DIMENSION),
    (
        "vector.print",
        "print scalars with `gpu.printf`; `vector.extract` extracts a scalar from a vector",
    ),
];
const ALL_REDUCE: &str = "use `tile.all_reduce` at scope `warp` or `cta`: it combines one value of \
                          each thread, of any type";
const ONE_DIMENSION: &str = "use one-dimensional vectors, one row at a time";

pub(crate) fn instead_of(op: &str) -> Option<&'static str> {
    let found = INSTEAD.iter().find(|(name, _)| *name == op);
    found.map(|(_, instead)| *instead)
}

/// Returns whether an op can be translated to LLVM IR. The function accepts a
/// `builtin.unrealized_conversion_cast`, because the pass reports the op that uses the cast.
fn is_lowered(op: Op<'_>) -> bool {
    let (dialect, _) = name(op).split_once('.').unwrap_or_default();
    matches!(dialect, "llvm" | "nvvm" | "gpu" | "builtin")
}

/// Float functions that compile to one or a few GPU instructions.
const INSTRUCTIONS: [&str; 8] = [
    "math.absf",
    "math.ceil",
    "math.copysign",
    "math.floor",
    "math.fma",
    "math.roundeven",
    "math.sqrt",
    "math.trunc",
];

fn refuse(call: Op<'_>, name: &str) -> Failed {
    let report = error(
        call.location(),
        format!("`{name}` is called, but is not defined in the module"),
    )
    .code(codes::TX0505);
    if name.starts_with("__nv_") {
        let mut known: Vec<_> = elementary::names().chain(INSTRUCTIONS).collect();
        known.sort_unstable();
        report
            .note("the function is in CUDA's libdevice, which is not linked")
            .note(format!(
                "ops that need no library, on f16, bf16, f32, f64 and one-dimensional vectors of \
                 them: {}",
                known.join(", ")
            ))
            .emit()
    } else {
        report
            .note("define the function in the module, or link the module that defines it first")
            .emit()
    }
}
