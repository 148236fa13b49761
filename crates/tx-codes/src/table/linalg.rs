//! Reductions of `linalg`.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 401,
        title: "a body that combines no two partial results",
        messages: &["the body is no combiner of two partial results"],
        explanation: "Threads combine partial results with each other. A body that updates an old value from an \
                      element says how only if it is some function of the element, combined with the old value. Write \
                      it so, or as a `tile.reduce custom` with a `combiner` of two partial results and an `element`.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?xf32>, %S: memref<?xf32>, %B: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %S : memref<?xf32>, memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %o : f32
    %s = arith.addf %p, %y : f32
    linalg.yield %s : f32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?xf32>, %S: memref<?xf32>, %B: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %S : memref<?xf32>, memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  }
  return
}
"#,
    },
    Code {
        number: 402,
        title: "a combiner without a known identity",
        messages: &["no identity of the combiner is known"],
        explanation: "Threads without an element start from the identity, and a reduction of no elements gives it. For \
                      a combiner that is not one of the known ones, fill the outputs with it by `linalg.fill` just \
                      before, or write a `tile.reduce custom` with its `identity`.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?xi32>, %B: memref<i32>) {
  linalg.reduce ins(%A : memref<?xi32>) outs(%B : memref<i32>) dimensions = [0] (%x: i32, %o: i32) {
    %c = arith.constant 40 : i32
    %p = arith.addi %x, %c : i32
    %q = arith.addi %o, %c : i32
    %s = arith.muli %p, %q : i32
    %r = arith.subi %s, %c : i32
    linalg.yield %r : i32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?xi32>, %B: memref<i32>) {
  linalg.reduce ins(%A : memref<?xi32>) outs(%B : memref<i32>) dimensions = [0] (%x: i32, %o: i32) {
    %s = arith.addi %x, %o : i32
    linalg.yield %s : i32
  }
  return
}
"#,
    },
    Code {
        number: 403,
        title: "of equal values the later one",
        messages: &["of equal values this keeps the later one, but `{}` must keep the earlier"],
        explanation: "`argmax` and `argmin` give the lowest index of equal values, which does not depend on the order \
                      of combination. Let an element win only where it is strictly better.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf oge, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?xf32>, %V: memref<f32>, %I: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : memref<?xf32>) outs(%V, %I : memref<f32>, memref<i32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}
"#,
    },
    Code {
        number: 404,
        title: "a combiner of which nothing is known",
        messages: &["cannot tell whether elements may be combined in any order: {}"],
        explanation: "The laws of a combiner are tried on values, which needs ops whose results are known. Write it as \
                      a `tile.reduce custom` with its identity: then it is taken as given.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?xf32>, %B: memref<f32>) {
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %s = arith.mulf %x, %o : f32
    %r = math.erfc %s : f32
    linalg.yield %r : f32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?xf32>, %B: memref<f32>) {
  linalg.reduce ins(%A : memref<?xf32>) outs(%B : memref<f32>) dimensions = [0] (%x: f32, %o: f32) {
    %s = arith.mulf %x, %o : f32
    linalg.yield %s : f32
  }
  return
}
"#,
    },
    Code {
        number: 405,
        title: "an op that is several reductions",
        messages: &["`{}` is several reductions"],
        explanation: "Write it as `linalg.reduce` and `linalg.generic` ops, one for each pass over the array.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}
"#,
    },
];
