//! Verdicts on the stages of a program with an injected error.

use melior::ir::Module;
use std::cell::Cell;
use tx::{Compiler, Source, Target};
use tx_mlir::build::Index;
use tx_mlir::{Builder, Op, defining_op, is, operands, set_operand, walk};
use tx_validate::{Options, Validation, validate_edited};

/// Edit of each op.
type Change<'a> = &'a dyn Fn(Op<'_>);

/// Validates a program with an edit after a stage.
fn edited(text: &str, after: &str, edit: Change<'_>) -> Validation {
    let source = Source {
        name: "verdicts.mlir".to_owned(),
        text: text.as_bytes().to_vec(),
        entry: None,
        keep_stages: false,
    };
    let compiler = Target::parse("sm_80").and_then(Compiler::new);
    let compiler = compiler.expect("a compiler");
    let mut edit = |stage: &str, module: &mut Module<'_>| {
        if stage == after {
            // SAFETY: the op lives as long as the module.
            let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
            walk(top).into_iter().for_each(edit);
        }
    };
    let options = Options::default();
    validate_edited(&compiler, &source, &options, &mut edit).expect("a verdict")
}

/// Product of complex numbers, over rows of the given length.
fn complex(columns: &str) -> String {
    format!(
        "func.func @complex(%A: memref<?x{columns}xf32>, %B: memref<?x{columns}xf32>, %C: \
         memref<?xf32>, %D: memref<?xf32>) {{
  tile.reduce custom %A, %B into %C, %D axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {{
  ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
    %rr = arith.mulf %ar, %br : f32
    %ii = arith.mulf %ai, %bi : f32
    %r = arith.subf %rr, %ii : f32
    %ri = arith.mulf %ar, %bi : f32
    %ir = arith.mulf %ai, %br : f32
    %i = arith.addf %ri, %ir : f32
    tile.yield %r, %i : f32, f32
  }} : memref<?x{columns}xf32>, memref<?x{columns}xf32> into memref<?xf32>, memref<?xf32>
  return
}}"
    )
}

/// The verdict on each stage after a wrong stage is `as before`, although each stage changes the
/// IR.
#[test]
fn what_follows_a_wrong_stage_is_as_before() {
    let stage = "tile-expand-reduce";
    let program = "func.func @sums(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x100xf32> into memref<?xf32>
  return
}";
    // Every addition adds one operand twice.
    let validation = edited(program, stage, &|op| {
        if tx_mlir::is(op, "arith.addf") {
            set_operand(op, 1, operands(op)[0]);
        }
    });
    assert_eq!(validation.guilty().map(|s| &*s.name), Some(stage));
    let after = validation.stages.iter().skip_while(|s| s.name != stage);
    let words: Vec<_> = after
        .skip(1)
        .map(|s| (&*s.name, s.verdict.word()))
        .collect();
    assert!(words.len() > 10, "{words:?}");
    for (name, word) in words {
        let expected = match name {
            // PTX is compared with its own IR.
            "gpu-module-to-ptx" => "as in the IR",
            _ => "as before",
        };
        assert_eq!(word, expected, "{name}: {:#?}", validation.stages);
    }
}

/// The next launch requires that the counters of blocks are zero, although this launch gives
/// correct results.
#[test]
fn counters_that_are_not_reset_are_noticed() {
    let stage = "tile-schedule";
    let program = "func.func @sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {schedule = [#tile.split<\"d0\" by 256>, #tile.rfactor<\"d0.i\">, #tile.bind<\"d0.i\" to block_x>,
                 #tile.last_block]}
    : memref<?xf32> into memref<f32>
  return
}";
    let right = edited(program, "", &|_| {});
    assert!(right.is_good(), "{:#?}", right.stages);
    let resets = Cell::new(0);
    let wrong = edited(program, stage, &|op| {
        // Kind `assign` in MLIR's numbering.
        let assigns = tx_mlir::integer_attribute(op, "kind") == Some(3);
        if tx_mlir::is(op, "memref.atomic_rmw") && assigns {
            resets.set(resets.get() + 1);
            tx_mlir::erase(op);
        }
    });
    assert!(resets.get() > 0);
    let guilty = wrong.guilty().map(|s| (&*s.name, s.verdict.to_string()));
    let Some((found, verdict)) = guilty else {
        panic!("{:#?}", wrong.stages)
    };
    assert_eq!(found, stage);
    assert!(
        verdict.contains("must reset `tile.cleared` memory"),
        "{verdict}"
    );
}

/// Error bounds for overflowing products must not hide wrong results of other inputs.
#[test]
fn mistakes_in_products_of_complex_numbers_are_noticed() {
    let difference = |op: Op<'_>| {
        if tx_mlir::is(op, "arith.subf") {
            let [a, b] = operands(op)[..] else { return };
            set_operand(op, 0, b);
            set_operand(op, 1, a);
        }
    };
    let sum = |op: Op<'_>| {
        if tx_mlir::is(op, "arith.addf") {
            set_operand(op, 1, operands(op)[0]);
        }
    };
    // One lane receives the value of another lane.
    let lane = |op: Op<'_>| {
        if tx_mlir::is(op, "gpu.shuffle") {
            let width = operands(op)[2];
            set_operand(op, 1, width);
        }
    };
    let edits: [(&str, &str, Change<'_>); 3] = [
        ("64", "tile-expand-reduce", &difference),
        ("100", "tile-expand-reduce", &sum),
        ("100", "tile-expand-shuffle-tree", &lane),
    ];
    for (columns, stage, edit) in edits {
        let validation = edited(&complex(columns), stage, edit);
        let guilty = validation.guilty().map(|s| &*s.name);
        assert_eq!(
            guilty,
            Some(stage),
            "{columns} columns: {:#?}",
            validation.stages
        );
    }
    for columns in ["64", "100"] {
        let validation = edited(&complex(columns), "", &|_| {});
        assert!(validation.is_good(), "{columns}: {:#?}", validation.stages);
        assert!(
            2 * validation.open < validation.inputs.len(),
            "{columns}: {}",
            validation.open
        );
    }
}

/// In a log-sum-exp, the error bound must not grow with each combination. Otherwise most inputs
/// would be incomparable, and a missing element would not be detected.
#[test]
fn mistakes_in_sums_of_exponentials_are_noticed() {
    let program = "func.func @lae(%A: memref<?x20xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0xFF800000 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %lowest = arith.constant 0xFF800000 : f32
    %m = arith.maximumf %l, %r : f32
    %dl = arith.subf %l, %m : f32
    %el = math.exp %dl : f32
    %dr = arith.subf %r, %m : f32
    %er = math.exp %dr : f32
    %s = arith.addf %el, %er : f32
    %log = math.log %s : f32
    %y = arith.addf %m, %log : f32
    %none = arith.cmpf oeq, %m, %lowest : f32
    %z = arith.select %none, %lowest, %y : f32
    tile.yield %z : f32
  } : memref<?x20xf32> into memref<?xf32>
  return
}";
    let right = edited(program, "", &|_| {});
    assert!(right.is_good(), "{:#?}", right.stages);
    assert!(3 * right.open < right.inputs.len(), "{}", right.open);
    let stage = "tile-expand-shuffle-tree";
    let wrong = edited(program, stage, &|op| {
        if tx_mlir::is(op, "math.log") {
            let [sum] = operands(op)[..] else { return };
            let Some(from) = tx_mlir::defining_op(sum) else {
                return;
            };
            set_operand(from, 1, operands(from)[0]);
        }
    });
    assert_eq!(
        wrong.guilty().map(|s| &*s.name),
        Some(stage),
        "{:#?}",
        wrong.stages
    );
}

/// A wrong alignment assumption (16 bytes instead of 8) fails for one alignment only. The input
/// with this alignment runs in the stage `launch` first, and then after every stage with the same
/// alignment.
#[test]
fn what_depends_on_where_an_array_begins_is_noticed() {
    let program = include_str!("../../../../lit-tests/ptx/welford-branches.mlir");
    let validation = edited(program, "gpu-expand-math", &|op| {
        let by = operands(op).first().copied().and_then(defining_op);
        if is(op, "arith.remui")
            && by.is_some_and(|by| is(by, "memref.extract_aligned_pointer_as_index"))
        {
            let b = Builder::before(op);
            set_operand(op, 1, b.value(Index::Const(8)));
        }
    });
    let guilty = validation.guilty().expect("a stage is wrong");
    let said = guilty.verdict.to_string();
    assert!(
        said.contains("misaligned: read of 16 bytes"),
        "{}: {said}",
        guilty.name
    );
}
