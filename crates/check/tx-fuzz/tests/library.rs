//! Public functions that parse text must return an error or a result for damaged text. A panic or a
//! crash fails the test.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tx::{Compiler, Source, Target};
use tx_fuzz::text::damaged;

/// Number of cases for each function. A function that compiles a program takes some milliseconds;
/// the other functions are much faster.
const PROGRAMS: u64 = 500;
const OTHERS: u64 = 2000;

const SUM: &str = "func.func @rows(%A: memref<?x8xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {nan = #tile.nan<ignore>}
      : memref<?x8xf32> into memref<?xf32>
  return
}
";
const TENSORS: &str = "#i = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func private @helper(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %S = arith.mulf %A, %A : tensor<4x8xf32>
  return %S : tensor<4x8xf32>
}
func.func @fused(%A: tensor<4x8xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %S = call @helper(%A) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %R = linalg.generic {indexing_maps = [#i, #r], iterator_types = [\"parallel\", \"reduction\"]}
      ins(%S : tensor<4x8xf32>) outs(%z : tensor<4xf32>)
          attrs = {acc = f64, schedule = [#tile.bind<\"d0\" to block_x>]} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %R, %R : tensor<4xf32>, tensor<4xf32>
}
";
const SCHEDULE: &str = "[#tile.split<\"d0\" by 32>, #tile.bind<\"d0.o\" to block_x>, \
                        #tile.bind<\"d0.i\" to thread_x>, \
                        #tile.case<\"d1\" to 64, [#tile.bind<\"d0\" to block_x>]>, #tile.otherwise<[]>]";
const PASSES: &str =
    "canonicalize{max-iterations=3},builtin.module(cse),tile-choose-schedule{chip=sm_90}";

fn compiler() -> Compiler {
    Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler")
}

/// Calls `call` with damaged copies of `text`; reports all panics together.
fn survive(what: &str, text: &str, other: &str, cases: u64, call: impl Fn(&str)) {
    let failed: Vec<String> = (0..cases)
        .map(|index| damaged(text, other, 33, index))
        .filter(|text| catch_unwind(AssertUnwindSafe(|| call(text))).is_err())
        .collect();
    assert!(failed.is_empty(), "{what} panics with {failed:#?}");
}

#[test]
fn programs_are_compiled_or_refused() {
    let compiler = compiler();
    for (text, other) in [(SUM, TENSORS), (TENSORS, SUM)] {
        survive("compile", text, other, PROGRAMS, |text| {
            let source = Source::new("damaged.mlir", text);
            let _ = compiler.compile_source(&source);
            let _ = compiler.entries(&source);
            let _ = compiler.plan(&source);
            let _ = compiler.explain(&source);
            let _ = compiler.candidates(&source);
            let _ = compiler.unknown_grid(&source);
        });
    }
}

#[test]
fn names_of_entries_and_files_are_any_text() {
    let compiler = compiler();
    survive("an entry", "rows", SCHEDULE, PROGRAMS, |name| {
        let mut source = Source::new(name, SUM);
        source.entry = Some(name.to_owned());
        let _ = compiler.plan(&source);
    });
}

#[test]
fn schedules_are_followed_or_refused() {
    let compiler = compiler();
    let source = Source::new("rows.mlir", SUM);
    survive("a schedule", SCHEDULE, SUM, 2 * PROGRAMS, |schedule| {
        let _ = compiler.compile_scheduled(&source, &[Some(schedule.to_owned())]);
    });
}

#[test]
fn pipelines_are_taken_or_refused() {
    let compiler = compiler();
    survive("a pipeline", PASSES, SCHEDULE, OTHERS, |passes| {
        let _ = compiler.clone().with_pass_after("tile-schedule", passes);
        let _ = compiler.clone().with_pass_before(passes, "cse");
    });
    let nested = "any(".repeat(100_000) + &")".repeat(100_000);
    assert!(compiler.with_pass_after("tile-schedule", &nested).is_err());
}

#[test]
fn other_texts_are_read_or_refused() {
    survive("a target", "sm_90", PASSES, OTHERS, |name| {
        let _ = Target::parse(name);
        let _ = tx::unknown_variant(name);
        let _ = tx_runtime::Device::open(&format!("none:{name}"));
    });
    let plan = compiler().compile(SUM).expect("compiled").plan;
    survive("a plan", &plan.to_json(), SCHEDULE, OTHERS, |text| {
        if let Ok(plan) = tx_plan::Plan::from_json(text) {
            let _ = plan.to_json();
        }
    });
    for text in [
        "rand:4x8xf32:7",
        "full:1.5:4x8xbf16",
        "a.npy:f8E4M3FN",
        "-7",
    ] {
        survive(
            "an argument",
            text,
            "zeros:99999999999x99999999999xf64",
            OTHERS,
            |text| {
                let _ = text.parse::<tx_runtime::Spec>();
            },
        );
    }
    for text in ["memref<?x8xf32, strided<[?, 1], offset: ?>>", "i32"] {
        survive("a type", text, SCHEDULE, OTHERS, |text| {
            let _ = text.parse::<tx_plan::ArgumentType>();
            let _ = text.parse::<tx_plan::ElementType>();
        });
    }
    survive(
        "an expression",
        "ceildiv(arg0.dim0, 32) * 4 - 1",
        SCHEDULE,
        OTHERS,
        |text| {
            let _ = text.parse::<tx_plan::Expr>();
        },
    );
}
