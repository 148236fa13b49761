//! Passes of other crates in the pipeline of the compiler, and a compiler that several threads use.

use std::sync::Once;
use tx::mlir::{Failed, Op, is, remark, set_attribute, walk};
use tx::pass::{Counts, Pass};
use tx::{Cache, Compiler, ErrorKind, Source, Target};

tx::pass! {
    /// Mark every reduction.
    ///
    /// ## Fails when
    /// A reduction is marked already.
    pub struct Mark as "test-mark" creates [] {
        /// what the mark says
        word: String = "seen",
    } counts {
        /// reductions marked
        marked,
    }
}

impl Pass for Mark {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        use tx::melior::ir::operation::OperationLike;
        for op in walk(module).into_iter().filter(|op| is(*op, "tile.reduce")) {
            if tx::mlir::attribute(op, "test.mark").is_some() {
                return Err(tx::mlir::error(op.location(), "marked already").emit());
            }
            let word =
                tx::mlir::parse_attribute(tx::mlir::context(op), &format!("\"{}\"", self.word));
            set_attribute(op, "test.mark", word);
            remark(op.location(), "marked").emit();
            counts.add("marked", 1);
        }
        Ok(())
    }
}

tx::pass! {
    /// Take the targets from every GPU module.
    ///
    /// ## Fails when
    /// Never.
    pub struct Untarget as "test-untarget" creates [] {}
}

impl Pass for Untarget {
    fn run<'c>(&self, module: Op<'c>, _: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module).into_iter().filter(|op| is(*op, "gpu.module")) {
            tx::mlir::remove_attribute(op, "targets");
        }
        Ok(())
    }
}

fn register() {
    static ONCE: Once = Once::new();
    // Passes and variants are registered together, because the cache key contains the registered
    // variants.
    ONCE.call_once(|| {
        tx::register_pass(&Mark::INFO).expect("a name of its own");
        tx::register_pass(&Untarget::INFO).expect("a name of its own");
        tx::register_variant(&Invalid).expect("a name of its own");
    });
}

fn compiler() -> Compiler {
    Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler")
}

/// Returns a program that sums rows of `columns` elements.
fn sum(columns: usize) -> String {
    format!(
        "func.func @sums(%A: memref<?x{columns}xf32>, %B: memref<?xf32>) {{
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x{columns}xf32> into memref<?xf32>
  return
}}"
    )
}

/// Checks that the types of the interface are `Send` and `Sync`.
#[test]
fn everything_goes_from_thread_to_thread() {
    fn everywhere<T: Send + Sync + 'static>() {}
    everywhere::<Compiler>();
    everywhere::<Source>();
    everywhere::<Target>();
    everywhere::<tx::Artifact>();
    everywhere::<tx::Error>();
    everywhere::<Cache>();
}

/// An inserted pass runs at its position, with its options, and is a stage.
#[test]
fn passes_run_where_they_were_put() {
    register();
    let compiler = compiler()
        .with_stages()
        .with_pass_after("convert-linalg-to-tile", "test-mark{word=first}")
        .expect("registered")
        .with_pass_before("tile-schedule", "canonicalize,cse")
        .expect("MLIR has these")
        .with_pass_after("convert-tile-to-gpu", "cse")
        .expect("MLIR has it");
    let artifact = compiler.compile(&sum(100)).expect("compiled");
    let names: Vec<&str> = artifact.stages.iter().map(|s| s.name.as_str()).collect();
    let start = names
        .iter()
        .position(|name| *name == "convert-linalg-to-tile")
        .expect("a stage");
    assert_eq!(
        names[start..start + 7],
        [
            "convert-linalg-to-tile",
            "test-mark",
            "tile-form-kernels",
            "linalg-collapse-loops",
            "canonicalize",
            "cse",
            "tile-schedule"
        ]
    );
    let ir = |stage| artifact.ir_after(stage).expect("kept");
    assert!(!ir("convert-linalg-to-tile").contains("test.mark"));
    assert!(ir("test-mark").contains("test.mark = \"first\""));
    // The IR after the last stage with this name is returned.
    assert!(ir("cse").contains("gpu.launch_func"), "{}", ir("cse"));
    assert_eq!(artifact.ir_after("no-such-pass"), None);

    // Inserted passes also run when candidates are listed, choices are explained and plans are
    // created.
    let source = Source::new("sum.mlir", sum(100));
    let tunables = compiler.candidates(&source).expect("candidates");
    assert!(!tunables[0].candidates.is_empty());
    let said = compiler.explain(&source).expect("explained");
    assert!(
        said.choices
            .iter()
            .any(|each| each.message().contains("schedule")),
        "{said:?}"
    );
    assert_eq!(compiler.plan(&source).expect("a plan"), artifact.plan);

    // Without stages, no IR is kept.
    let artifact = self::compiler().compile(&sum(100)).expect("compiled");
    assert!(artifact.stages.iter().all(|stage| stage.ir.is_none()));
}

/// Targets are attached to GPU modules once. Another stage is listed only if an inserted pass has
/// removed the targets.
#[test]
fn targets_are_attached_where_there_are_none() {
    register();
    let attached = |compiler: &Compiler| {
        let artifact = compiler.compile(&sum(100)).expect("compiled");
        assert!(artifact.ptx.contains(".target sm_90"), "{}", artifact.ptx);
        let names = artifact.stages.iter().map(|stage| &*stage.name);
        names.filter(|name| *name == "tile-attach-target").count()
    };
    assert_eq!(attached(&compiler()), 1);
    let put = |pass| {
        let put = compiler().with_pass_after("convert-tile-to-gpu", pass);
        put.expect("registered")
    };
    assert_eq!(attached(&put("cse")), 1);
    assert_eq!(attached(&put("test-untarget")), 2);
}

#[test]
fn a_pass_that_fails_is_named() {
    register();
    let compiler = compiler()
        .with_pass_after("convert-linalg-to-tile", "test-mark,test-mark")
        .expect("registered");
    let error = compiler.compile(&sum(7)).expect_err("marked twice");
    let kind = ErrorKind::Pass {
        name: "test-mark".to_owned(),
    };
    assert_eq!(error.kind, kind);
    let said = error.diagnostics.last().expect("a diagnostic");
    assert_eq!(said.message, "marked already");
    assert_eq!(said.location.as_ref().map(|at| at.line), Some(2));
}

/// A variant that creates invalid ops.
struct Invalid;

impl tx::Variant for Invalid {
    fn name(&self) -> &'static str {
        "test_invalid"
    }

    fn priority(&self) -> i32 {
        -1
    }

    fn predicates(&self) -> &'static [tx::Predicate] {
        &[]
    }

    fn cost(&self, _: &tx::Reduction<'_>) -> u64 {
        u64::MAX
    }

    fn params(&self, _: &tx::Reduction<'_>) -> tx::Params {
        tx::Params::new()
    }

    fn expand<'c>(
        &self,
        _: &tx::Reduction<'c>,
        _: &dyn Fn(&str) -> i64,
        b: &tx::mlir::Builder<'c>,
    ) {
        b.create("arith.addf").build();
    }
}

/// If a registered variant creates invalid ops, the error names the variant, at the location of the
/// reduction.
#[test]
fn a_variant_that_makes_what_is_not_valid_is_named() {
    register();
    let program = "gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = \"test_invalid\"}
        : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}";
    let error = compiler().compile(program).expect_err("an invalid op");
    let kind = ErrorKind::Pass {
        name: "tile-expand-reduce".to_owned(),
    };
    assert_eq!(error.kind, kind);
    let said = error.diagnostics.last().expect("a diagnostic");
    assert_eq!(
        said.message,
        "variant `test_invalid` expands this reduction to an invalid op"
    );
    assert_eq!(said.location.as_ref().map(|at| at.line), Some(4));
    assert!(
        error.diagnostics[0].message.contains("'arith.addf' op"),
        "{:?}",
        error.diagnostics
    );
}

#[test]
fn refuses_what_cannot_be_put_in() {
    register();
    let refused = |after: &str, passes: &str| {
        let error = compiler()
            .with_pass_after(after, passes)
            .expect_err("refused");
        assert_eq!(error.kind, ErrorKind::Pipeline);
        error.to_string()
    };
    let message = refused("expand-reduce", "cse");
    assert!(message.contains("no pass `expand-reduce`"), "{message}");
    assert!(message.contains("tile-expand-reduce, "), "{message}");
    let message = refused("tile-expand-reduce", "test-mrak");
    assert!(message.contains("test-mrak"), "{message}");
    assert!(message.contains("tx::register_pass"), "{message}");
    let message = refused("tile-expand-reduce", "test-mark{wrod=x}");
    assert!(message.contains("wrod"), "{message}");
    // The pass itself is registered.
    assert!(!message.contains("tx::register_pass"), "{message}");
    let message = refused("tile-expand-reduce", "cse,");
    assert!(message.contains("cse,"), "{message}");
    let message = refused("tile-expand-reduce", " ");
    assert!(message.contains("no pass was given"), "{message}");

    let error = tx::register_pass(&Mark::INFO).expect_err("registered before");
    assert_eq!(error.kind, ErrorKind::Taken);
    assert!(error.to_string().contains("`test-mark`"), "{error}");
    // The message names the argument in `pass!` and in `PassInfo`.
    for part in ["`as` in `tx::pass!`", "`PassInfo::argument`"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    // The names of MLIR's passes and of pipelines are rejected too.
    for name in ["canonicalize", "lower-reduction"] {
        let info = tx::pass::PassInfo {
            argument: name,
            ..Mark::INFO
        };
        let error = tx::register_pass(&info).expect_err("taken");
        assert_eq!(error.kind, ErrorKind::Taken, "{name}");
    }
}

/// The cache distinguishes artifacts with an inserted pass from artifacts without the pass, or with
/// other options.
#[test]
fn a_cache_tells_passes_apart() {
    register();
    let folder = tempfile::tempdir().expect("a folder");
    let cached = || compiler().with_cache(Cache::new(folder.path(), 1 << 24));
    let from_cache = |compiler: &Compiler| {
        let artifact = compiler.compile(&sum(9)).expect("compiled");
        artifact.stages[0].name == "cache"
    };
    let put = |pass: &str| {
        let put = cached().with_pass_after("convert-linalg-to-tile", pass);
        put.expect("registered")
    };
    assert!(!from_cache(&cached()));
    assert!(from_cache(&cached()));
    assert!(!from_cache(&put("test-mark")));
    assert!(from_cache(&put("test-mark")));
    assert!(!from_cache(&put("test-mark{word=other}")));
    let elsewhere = cached().with_pass_before("tile-schedule", "test-mark");
    assert!(!from_cache(&elsewhere.expect("registered")));
    // A compilation that keeps stages bypasses the cache.
    assert!(!from_cache(&cached().with_stages()));
}

/// Eight threads use one compiler and its clones, with separate programs and one common program,
/// while passes are registered and rejected. Every result is equal to the result of a separate
/// compilation.
#[test]
fn threads_share_a_compiler() {
    register();
    let shared = compiler();
    let alone = compiler().compile(&sum(64)).expect("compiled").ptx;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (shared, alone) = (&shared, &alone);
            scope.spawn(move || {
                let own = shared.clone();
                for turn in 0..3 {
                    let columns = 3 + 8 * turn + thread;
                    let ptx = shared.compile(&sum(columns)).expect("compiled").ptx;
                    assert_eq!(
                        ptx,
                        own.compile(&sum(columns)).expect("compiled").ptx,
                        "{columns} columns"
                    );
                    assert_eq!(shared.compile(&sum(64)).expect("compiled").ptx, *alone);
                    let error = own.compile("func.func @f() { return 1 }");
                    assert!(error.is_err());
                    assert!(tx::register_pass(&Mark::INFO).is_err());
                    let put = own
                        .clone()
                        .with_pass_after("tile-insert-sync", "canonicalize");
                    assert!(put.is_ok());
                }
            });
        }
    });
    // A compiler can be moved to another thread.
    let moved = std::thread::spawn(move || shared.compile(&sum(64)).expect("compiled").ptx);
    assert_eq!(moved.join().expect("no panic"), alone);
}
