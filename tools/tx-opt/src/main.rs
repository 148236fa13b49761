//! `tx-opt`: MLIR's opt driver with the tile dialect and the passes of `tx`.
//!
//! `tx-opt` supports all options of `mlir-opt`; see `tx-opt --help`.

use std::io::Write;
use std::process::ExitCode;
use tx_mlir::melior::dialect::DialectRegistry;
use tx_mlir::pass::{OptionInfo, summary};
use tx_mlir::registration::{opt_main, register_upstream_dialects};

/// Global allocator, which MLIR and LLVM also use. With the allocator of the C library, `malloc`
/// and `free` would take 10 % of the compile time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Flag that prints the passes and pipelines as JSON, for the reference pages.
const DUMP: &str = "--tx-dump-registry";
/// Flag that prints the variants as JSON, for the reference pages.
const DUMP_VARIANTS: &str = "--tx-dump-variants";

fn main() -> ExitCode {
    // SAFETY: the process has only one thread at this point.
    unsafe { tx_mlir::ignore_cuda_toolkit() };
    let args: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let asked = |flag| args.iter().any(|a| a == flag);
    if asked(DUMP) || asked(DUMP_VARIANTS) {
        let answer = if asked(DUMP) { registry() } else { variants() };
        return match writeln!(std::io::stdout(), "{answer:#}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // If the write of this message fails, the process has no way to report the failure.
                let _ = writeln!(
                    std::io::stderr(),
                    "tx-opt: error: cannot write standard output: {error}"
                );
                ExitCode::FAILURE
            }
        };
    }
    tx_passes::register();
    tx_validate::register();
    let registry = DialectRegistry::new();
    register_upstream_dialects(&registry);
    tx_dialect_tile::register(&registry);
    // With `--verify-diagnostics`, a note without an `expected-note` in the source fails the test.
    let is_test = |arg: &String| {
        arg.trim_start_matches('-')
            .starts_with("verify-diagnostics")
    };
    if !args.iter().any(is_test) {
        tx_mlir::explain_errors(|code| format!("{code}: tx explain {code}"));
    }
    let status = opt_main(args, &registry);
    if status == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn registry() -> serde_json::Value {
    let passes = tx_passes::PASSES.iter().chain(tx_validate::PASSES).map(|p| {
        serde_json::json!({
            "kind": "pass",
            "argument": p.argument,
            "summary": summary(p.doc),
            "doc": p.doc,
            "anchor": p.anchor,
            "options": options(p.options),
            "statistics": p.counts.iter()
                .map(|(name, help)| serde_json::json!({"name": name, "description": help.trim()}))
                .collect::<Vec<_>>(),
        })
    });
    let pipelines = tx_passes::PIPELINES.iter().map(|p| {
        let defaults: Vec<&str> = p.options.iter().map(|o| o.init).collect();
        serde_json::json!({
            "kind": "pipeline",
            "argument": p.argument,
            "summary": summary(p.doc),
            "doc": p.doc,
            "options": options(p.options),
            "statistics": [],
            "expansion": (p.expand)(&defaults).unwrap_or_else(|e| e),
        })
    });
    passes.chain(pipelines).collect()
}

fn variants() -> serde_json::Value {
    tx_passes::variants()
        .iter()
        .map(|v| {
            serde_json::json!({
                "name": v.name(),
                "priority": v.priority(),
                "doc": v.doc(),
                "predicates": v.predicates().iter().map(|p| p.name).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn options(options: &[OptionInfo]) -> Vec<serde_json::Value> {
    options
        .iter()
        .map(|o| serde_json::json!({"name": o.name, "type": o.ty, "default": o.init, "help": o.help}))
        .collect()
}
