// RUN: tx-opt %s --split-input-file --convert-linalg-to-tile --tile-schedule
// SNAPSHOT: none — what is asserted is checked.

// Each dynamic size that could lead outside an array is asserted once, before all kernels of an op. A reduced
// dimension that is kept has size 1, in each of several destinations and in epilogue operands.
// CHECK-LABEL: func.func @arg(
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim0 and arg1.dim0 are one dimension of the reduction"
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim0 and arg2.dim0 are one dimension of the reduction"
// CHECK-DAG:     cf.assert %{{.+}}, "arg1.dim1 is a reduced dimension of the reduction, and must be 1"
// CHECK-DAG:     cf.assert %{{.+}}, "arg2.dim1 is a reduced dimension of the reduction, and must be 1"
// CHECK-NOT:     cf.assert {{.*}}must be
// CHECK:         gpu.launch_func
func.func @arg(%A: memref<?x?xf32>, %V: memref<?x?xf32>, %I: memref<?x?xi64>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid)
    {schedule = [#tile.bind<"d0" to block_x>]} : memref<?x?xf32> into memref<?x?xf32>, memref<?x?xi64>
  return
}

// -----

// CHECK-LABEL: func.func @with(
// CHECK:         cf.assert %{{.+}}, "arg2.dim1 is a reduced dimension of the reduction, and must be 1"
func.func @with(%A: memref<?x?xf32>, %O: memref<?xf32>, %W: memref<?x?xf32>) {
  tile.reduce sum %A into %O with %W axes [1] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32, %i: index):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<?x?xf32> into memref<?xf32> with memref<?x?xf32>
  return
}

// -----

// Several sources must have equal shapes.
// CHECK-LABEL: func.func @sources(
// CHECK:         cf.assert %{{.+}}, "arg0.dim0 and arg1.dim0 are one dimension of the reduction"
// CHECK:         cf.assert %{{.+}}, "arg2.dim0 is a reduced dimension of the reduction, and must be 1"
// CHECK:         cf.assert %{{.+}}, "arg3.dim0 is a reduced dimension of the reduction, and must be 1"
func.func @sources(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  tile.reduce custom %A, %B into %C, %D axes [0] scope(grid) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    %f = arith.addf %b, %d : f32
    tile.yield %e, %f : f32, f32
  } : memref<?xf32>, memref<?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// -----

// Partial results in global memory do not remove checks of destination sizes, in two kernels or in one.
// CHECK-LABEL: func.func @partials(
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim0 and arg1.dim0 are one dimension of the reduction"
// CHECK-DAG:     cf.assert %{{.+}}, "arg1.dim1 is a reduced dimension of the reduction, and must be 1"
// CHECK-NOT:     cf.assert
// CHECK:         gpu.launch_func
// CHECK-LABEL: func.func @last_block(
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim0 and arg1.dim0 are one dimension of the reduction"
// CHECK-DAG:     cf.assert %{{.+}}, "arg1.dim1 is a reduced dimension of the reduction, and must be 1"
// CHECK:         gpu.launch_func
func.func @partials(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 64>, #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_x>, #tile.bind<"d0" to block_y>]}
    : memref<?x?xf32> into memref<?x?xf32>
  return
}
func.func @last_block(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d1" by 64>, #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_x>, #tile.bind<"d0" to block_y>, #tile.last_block]}
    : memref<?x?xf32> into memref<?x?xf32>
  return
}

// -----

// In `linalg`, an index may select one of several elements, which must exist. Old values are read there, too.
// CHECK-LABEL: func.func @first_column(
// CHECK:         %[[C0:.+]] = arith.constant 0 : index
// CHECK:         %[[HAS:.+]] = arith.cmpi slt, %[[C0]], %{{.+}} : index
// CHECK-NEXT:    cf.assert %[[HAS]], "arg1.dim1 must have an element for every `0` of the reduction"
func.func @first_column(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Static sizes that `linalg` permits are accepted.
// CHECK-LABEL: func.func @first_of_8(
// CHECK-NOT:     cf.assert
// CHECK:         gpu.launch_func
func.func @first_of_8(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Descending indices, constants, quotients and remainders must be inside their arrays, too.
// CHECK-LABEL: func.func @indices(
// CHECK-DAG:     cf.assert %{{.+}}, "`((d0 * -1) + 7)`, the index of `linalg.generic` in arg0.dim0, must not be less than 0"
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim0 must have an element for every `((d0 * -1) + 7)` of `linalg.generic`"
// CHECK-DAG:     cf.assert %{{.+}}, "arg0.dim1 must have an element for every `3` of `linalg.generic`"
// CHECK-DAG:     cf.assert %{{.+}}, "arg1.dim0 must have an element for every `(d0 floordiv 4)` of `linalg.generic`"
// CHECK-DAG:     cf.assert %{{.+}}, "arg1.dim1 must have an element for every `(d0 mod 4)` of `linalg.generic`"
// CHECK:         gpu.launch_func
func.func @indices(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i, 3)>, affine_map<(i) -> (i floordiv 4, i mod 4)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
    ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// An index that is always negative is asserted not to be: every call fails.
// CHECK-LABEL: func.func @below(
// CHECK:         %[[HOLDS:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK-NEXT:    cf.assert %[[HOLDS]], "`(d1 + -1)`, the index of the reduction in arg0.dim0, must not be less than 0"
// CHECK:         gpu.launch_func
func.func @below(%A: memref<?xf32>, %W: memref<?xf32>, %B: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j - 1)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%A, %W : memref<?xf32>, memref<?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%a: f32, %w: f32, %b: f32):
    %m = arith.mulf %a, %w : f32
    %s = arith.addf %m, %b : f32
    linalg.yield %s : f32
  }
  return
}
