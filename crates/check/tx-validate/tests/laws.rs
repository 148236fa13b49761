//! Tests of the stage `laws`.

use tx::{Compiler, Source, Target};
use tx_validate::{Options, Stage, Validation, Verdict, validate};

fn validated(entry: &str, text: &str) -> Validation {
    let source = Source {
        name: "laws.mlir".to_owned(),
        text: text.as_bytes().to_vec(),
        entry: Some(entry.to_owned()),
        keep_stages: false,
    };
    let compiler = Target::parse("sm_80").and_then(Compiler::new);
    let compiler = compiler.expect("a compiler");
    validate(&compiler, &source, &Options::default()).expect("a verdict")
}

/// Returns the stage, and the name of the previous stage.
fn laws(validation: &Validation) -> (&Stage, &str) {
    let at = validation
        .stages
        .iter()
        .position(|stage| stage.name == "laws");
    let at = at.expect("a stage of that name");
    (&validation.stages[at], &validation.stages[at - 1].name)
}

const KERNELS: &str = "
gpu.module @kernels {
  gpu.func @good(%A: memref<3x40xi8>, %L: memref<3xi8>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    tile.reduce sum %A into %L axes [1] scope(cta) : memref<3x40xi8> into memref<3xi8>
    gpu.return
  }
  gpu.func @bad(%A: memref<3x40xi8>, %L: memref<3xi8>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    tile.reduce custom %A into %L axes [1] scope(cta) identity [0 : i8] combiner {
    ^bb0(%a: i8, %b: i8):
      %s = arith.addi %a, %b : i8
      %c = arith.constant 77 : i8
      %d = arith.constant 78 : i8
      %p = arith.cmpi eq, %s, %c : i8
      %x = arith.select %p, %d, %s : i8
      tile.yield %x : i8
    } : memref<3x40xi8> into memref<3xi8>
    gpu.return
  }
}";

/// Exhaustive evaluation refutes a combiner that no sampled values refute. The message blames the
/// combiner, not the pass that changes the combination order. The result ignores kernels that the
/// program does not launch.
#[test]
fn a_broken_law_is_to_blame() {
    let good = validated("good", KERNELS);
    assert_eq!(laws(&good).0.verdict.to_string(), "sum i8: hold");
    assert!(good.is_good(), "{:#?}", good.stages);
    let bad = validated("bad", KERNELS);
    assert!(!bad.is_good());
    assert_eq!(bad.guilty().map(|stage| &*stage.name), Some("laws"));
    let (stage, after) = laws(&bad);
    assert_eq!(after, "parse");
    assert_eq!(
        stage.verdict,
        Verdict::Broken(
            "custom i8 at laws.mlir:10:5: not associative: combiner(combiner(0, 77), 1) = 79, \
             but combiner(0, combiner(77, 1)) = 78"
                .to_owned()
        )
    );
}

/// Combiners of `linalg` ops are checked after their conversion to `tile` ops.
#[test]
fn combiners_of_linalg_are_tried_where_they_are_made() {
    let program = "
func.func @spread(%A: memref<5x7xf32>, %L: memref<5xf32>, %H: memref<5xf32>) {
  %most = arith.constant 0x7F800000 : f32
  %least = arith.constant 0xFF800000 : f32
  linalg.fill ins(%most : f32) outs(%L : memref<5xf32>)
  linalg.fill ins(%least : f32) outs(%H : memref<5xf32>)
  linalg.reduce ins(%A, %A : memref<5x7xf32>, memref<5x7xf32>) outs(%L, %H : memref<5xf32>, memref<5xf32>)
      dimensions = [1] (%x: f32, %y: f32, %l: f32, %h: f32) {
    %a = arith.minimumf %x, %l : f32
    %b = arith.maximumf %y, %h : f32
    linalg.yield %a, %b : f32, f32
  }
  return
}";
    let validation = validated("spread", program);
    let (stage, after) = laws(&validation);
    assert_eq!(after, "convert-linalg-to-tile");
    assert_eq!(
        stage.verdict,
        Verdict::Hold("custom (f32, f32): hold".to_owned())
    );
    assert!(validation.is_good(), "{:#?}", validation.stages);
}
