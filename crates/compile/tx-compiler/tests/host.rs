//! A host compiler with its own MLIR context and its own diagnostic handler.

use std::sync::{Arc, Mutex};

use tx::melior::dialect::DialectRegistry;
use tx::melior::ir::Module;
use tx::melior::ir::operation::OperationLike;
use tx::melior::pass::PassManager;
use tx::melior::utility::parse_pass_pipeline;
use tx::melior::{Context, Error};
use tx::{Compiler, Diagnostic, ErrorKind, Severity, Target};

/// A host compiler that records all diagnostics.
struct Host {
    context: Context,
    said: Arc<Mutex<Vec<Diagnostic>>>,
}

impl Host {
    /// Creates a context independent of tx, and then registers the passes and dialects of tx.
    fn new() -> Self {
        let context = Context::new();
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = said.clone();
        context.attach_diagnostic_handler(move |diagnostic| {
            kept.lock()
                .expect("no panic")
                .push(Diagnostic::from_melior(&diagnostic));
            true
        });
        tx::register();
        let registry = DialectRegistry::new();
        tx::register_dialects(&registry);
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        Self { context, said }
    }

    fn run(&self, module: &mut Module<'_>, passes: &str) -> Result<(), Error> {
        let manager = PassManager::new(&self.context);
        parse_pass_pipeline(
            manager.as_operation_pass_manager(),
            &format!("builtin.module({passes})"),
        )?;
        manager.run(module)
    }

    fn said(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.said.lock().expect("no panic"))
    }
}

/// A module with functions of the host compiler and a function with a reduction.
const MODULE: &str = r#"
module attributes {host.target = "cpu"} {
  func.func private @host_log(i32)
  func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    linalg.reduce { arith.addf } ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1]
    return
  }
}
"#;

fn compiler() -> Compiler {
    Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler")
}

/// The whole pipeline lowers the reduction in the host's module to kernel launches, and does not
/// change the host's own functions.
#[test]
fn lowers_a_module_in_the_context_of_the_host() {
    let host = Host::new();
    let mut module = Module::parse(&host.context, MODULE).expect("a module");
    host.run(&mut module, "lower-reduction{chip=sm_90}")
        .expect("lowered");
    let text = module.as_operation().to_string();
    assert!(module.as_operation().verify(), "{text}");
    for there in [
        "gpu.launch_func",
        "gpu.shuffle",
        "chip = \"sm_90\"",
        "host.target = \"cpu\"",
        "@host_log(i32)",
    ] {
        assert!(text.contains(there), "no `{there}` in {text}");
    }
    for gone in ["tile.reduce sum", "tile.all_reduce", "linalg.reduce"] {
        assert!(!text.contains(gone), "`{gone}` in {text}");
    }
    assert_eq!(host.said(), []);
}

#[test]
fn runs_single_passes() {
    let host = Host::new();
    let mut module = Module::parse(&host.context, MODULE).expect("a module");
    host.run(&mut module, "convert-linalg-to-tile")
        .expect("converted");
    let text = module.as_operation().to_string();
    assert!(text.contains("tile.reduce sum"), "{text}");
    let compiler = compiler()
        .with_pass_after("convert-tile-to-gpu", "cse")
        .expect("MLIR has this pass");
    let passes = compiler.pipeline().expect("a pipeline");
    assert!(passes.contains("convert-tile-to-gpu,cse,"), "{passes}");
    host.run(&mut module, &passes).expect("lowered");
    let text = module.as_operation().to_string();
    assert!(text.contains("gpu.launch_func"), "{text}");
    assert_eq!(host.said(), []);
}

/// If a pass fails, the host's handler receives the diagnostic with its location and notes. The
/// context can be used afterwards.
#[test]
fn a_refusal_reaches_the_handler_of_the_host() {
    let host = Host::new();
    let text = MODULE.replace(
        "linalg.reduce",
        "tile.reduce sum %A into %B axes [1] scope(grid) {variant = \"fastest\"} : \
         memref<?x?xf32> into memref<?xf32>\n    linalg.reduce",
    );
    let mut module = Module::parse(&host.context, &text).expect("a module");
    let error = host.run(&mut module, "lower-reduction{chip=sm_90}");
    assert!(error.is_err());
    let said = host.said();
    let refusal = said
        .iter()
        .find(|each| {
            each.message
                .starts_with("`variant` is only for reductions within one CTA")
        })
        .unwrap_or_else(|| panic!("{said:?}"));
    assert_eq!(refusal.severity, Severity::Error);
    // The op is in the fifth line of the text.
    let location = refusal.location.as_ref().expect("a location");
    assert_eq!((location.line, location.column), (5, 5), "{refusal}");
    assert!(
        refusal.notes[0].message.starts_with("remove `variant`"),
        "{refusal}"
    );

    // An unknown chip is rejected when the pipeline is parsed.
    let mut module = Module::parse(&host.context, MODULE).expect("a module");
    let error = host
        .run(&mut module, "lower-reduction{chip=sm_17}")
        .expect_err("no such chip");
    assert!(error.to_string().contains("sm_17"), "{error}");
    host.said();
    host.run(&mut module, "lower-reduction{chip=sm_90}")
        .expect("the context is as it was");
}

/// Compiles the host's module to PTX and a plan, without changing the module. Diagnostics have the
/// locations of its ops.
#[test]
fn compiles_a_module_of_the_host() {
    let host = Host::new();
    let text = MODULE.replace("module attributes {host.target = \"cpu\"}", "module");
    let module = Module::parse(&host.context, &text).expect("a module");
    let before = module.as_operation().to_string();
    let artifact = compiler().compile_module(&module).expect("compiled");
    assert_eq!(module.as_operation().to_string(), before);
    assert_eq!(artifact.plan.entry, "sums");
    assert!(artifact.ptx.contains(".target sm_90"));
    let from_text = compiler().compile(&text).expect("compiled");
    assert_eq!(artifact.ptx, from_text.ptx);
    assert_eq!(artifact.plan, from_text.plan);

    let bad = text.replace(
        "linalg.reduce",
        "tile.reduce sum %A into %B axes [1] scope(grid) {variant = \"fastest\"} : \
         memref<?x?xf32> into memref<?xf32>\n    linalg.reduce",
    );
    let module = Module::parse(&host.context, &bad).expect("a module");
    let error = compiler().compile_module(&module).expect_err("refused");
    assert!(matches!(error.kind, ErrorKind::Pass { .. }), "{error:?}");
    let location = error.diagnostics[0].location.as_ref().expect("a location");
    assert_eq!((location.line, location.column), (5, 5), "{error}");
}
