// RUN: tx-opt %s --tile-form-kernels=chip=sm_90
// RUN(NONE): tx-opt %s --tile-form-kernels=fusion=none
// RUN(SMALL): tx-opt %s --tile-form-kernels=chip=sm_86
// SNAPSHOT: none — the numbers of the groups are said below.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// NONE-NOT: tile.group

// Two reductions and an op that uses both results: one kernel.
// CHECK-LABEL: func.func @softmax(
// CHECK:       tile.reduce max {{.+}}tile.group = 0 : i64
// CHECK:       tile.reduce sum
// CHECK:       tile.group = 0 : i64
// CHECK:       linalg.generic {{.+}}tile.group = 0 : i64
func.func @softmax(%x: memref<?x1000xf32>, %m: memref<?xf32>, %s: memref<?xf32>, %y: memref<?x1000xf32>) {
  tile.reduce max %x into %m axes [1] scope(grid) : memref<?x1000xf32> into memref<?xf32>
  tile.reduce sum %x, %m into %s axes [1] scope(grid) {maps = [#whole, #row, #row]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  } : memref<?x1000xf32>, memref<?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %s : memref<?x1000xf32>, memref<?xf32>, memref<?xf32>) outs(%y : memref<?x1000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %old: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %c : f32
    linalg.yield %q : f32
  }
  return
}

// An element-wise op before a reduction joins; an op that changes the array in place is the last.
// CHECK-LABEL: func.func @residual(
// CHECK:       linalg.add {tile.group = 0 : i64}
// CHECK:       tile.reduce sum {{.+}}tile.group = 0 : i64
// CHECK:       linalg.generic {{.+}}tile.group = 0 : i64
func.func @residual(%x: memref<6x48xf32>, %r: memref<6x48xf32>, %w: memref<48xf32>, %s: memref<6xf32>) {
  linalg.add ins(%x, %r : memref<6x48xf32>, memref<6x48xf32>) outs(%x : memref<6x48xf32>)
  tile.reduce sum %x into %s axes [1] scope(grid) : memref<6x48xf32> into memref<6xf32>
  linalg.generic {indexing_maps = [#row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%s, %w : memref<6xf32>, memref<48xf32>) outs(%x : memref<6x48xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %q = arith.divf %old, %a : f32
    %p = arith.mulf %q, %b : f32
    linalg.yield %p : f32
  }
  return
}

// Several reductions of one array.
// CHECK-LABEL: func.func @range(
// CHECK-COUNT-2: tile.group = 0 : i64
func.func @range(%x: memref<7x3x20xi32>, %lo: memref<7xi32>, %hi: memref<7xi32>) {
  tile.reduce min %x into %lo axes [1, 2] scope(grid) : memref<7x3x20xi32> into memref<7xi32>
  tile.reduce max %x into %hi axes [1, 2] scope(grid) : memref<7x3x20xi32> into memref<7xi32>
  return
}

// Two groups, of which the second does not use the results of the first.
// CHECK-LABEL: func.func @two(
// CHECK:       tile.reduce min {{.+}}tile.group = 0
// CHECK:       tile.reduce max {{.+}}tile.group = 0
// CHECK:       tile.reduce min {{.+}}tile.group = 1
// CHECK:       tile.reduce max {{.+}}tile.group = 1
func.func @two(%x: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>, %y: memref<8x40xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
  tile.reduce min %x into %a axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %x into %b axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce min %y into %c axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %y into %d axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  return
}

// An element-wise op on another array stays separate, also at the beginning.
// CHECK-LABEL: func.func @stranger_first(
// CHECK:       linalg.exp ins(%{{.+}} outs
// CHECK-COUNT-2: tile.group = 0 : i64
// CHECK-NOT:   tile.group
func.func @stranger_first(%z: memref<8x40xf32>, %x: memref<8x40xf32>, %y: memref<8x40xf32>, %s: memref<8xf32>) {
  linalg.exp ins(%z : memref<8x40xf32>) outs(%z : memref<8x40xf32>)
  linalg.exp ins(%x : memref<8x40xf32>) outs(%y : memref<8x40xf32>)
  tile.reduce sum %y into %s axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  return
}

// Columns: neighbours are in other rows. One column is treated in the same way, as the count must not matter.
// CHECK-LABEL: func.func @one_column(
// CHECK-NOT:   tile.group
func.func @one_column(%x: memref<40x1xf32>, %lo: memref<1xf32>, %hi: memref<1xf32>) {
  tile.reduce sum %x into %lo axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
      : memref<40x1xf32> into memref<1xf32>
  tile.reduce max %x into %hi axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
      : memref<40x1xf32> into memref<1xf32>
  return
}

// A cluster on sm_90 holds a row of 384 KB. A block on sm_86 does not, and its caches are too small.
// CHECK-LABEL: func.func @long(
// CHECK-COUNT-2: tile.group = 0 : i64
// SMALL-LABEL: func.func @long(
// SMALL-NOT:   tile.group
// SMALL-LABEL: func.func @no_rows(
func.func @long(%x: memref<2x98304xf32>, %lo: memref<2xf32>, %hi: memref<2xf32>) {
  tile.reduce min %x into %lo axes [1] scope(grid) : memref<2x98304xf32> into memref<2xf32>
  tile.reduce max %x into %hi axes [1] scope(grid) : memref<2x98304xf32> into memref<2xf32>
  return
}

// A reduction without axes has no rows.
// CHECK-LABEL: func.func @no_rows(
// CHECK-NOT:   tile.group
func.func @no_rows(%x: memref<8x40xf32>, %lo: memref<8x40xf32>, %hi: memref<8x40xf32>) {
  tile.reduce min %x into %lo axes [] scope(grid) : memref<8x40xf32> into memref<8x40xf32>
  tile.reduce max %x into %hi axes [] scope(grid) : memref<8x40xf32> into memref<8x40xf32>
  return
}

// The gather of a cross entropy has one element per row. It joins if a row is held in registers.
// CHECK-LABEL: func.func @look_up(
// CHECK-COUNT-2: tile.group = 0 : i64
func.func @look_up(%x: memref<8x4096xf32>, %t: memref<8xindex>, %l: memref<8xf32>) {
  %hi = memref.alloc() : memref<8xf32>
  tile.reduce max %x into %hi axes [1] scope(grid) : memref<8x4096xf32> into memref<8xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%hi, %t : memref<8xf32>, memref<8xindex>) outs(%l : memref<8xf32>) {
  ^bb0(%m: f32, %j: index, %old: f32):
    %i = linalg.index 0 : index
    %a = memref.load %x[%i, %j] : memref<8x4096xf32>
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %hi : memref<8xf32>
  return
}

// The attribute of the function makes results batch-invariant, if an op has no attribute.
// CHECK-LABEL: func.func @same_bits(
// CHECK:       tile.reduce sum {{.+}} {determinism = #tile.determinism<batch_invariant>
// CHECK:       tile.reduce sum {{.+}} {determinism = #tile.determinism<any>
func.func @same_bits(%x: memref<?x?xf32>, %a: memref<?xf32>, %b: memref<?xf32>)
    attributes {tile.determinism = #tile.determinism<batch_invariant>} {
  tile.reduce sum %x into %a axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  tile.reduce sum %x into %b axes [1] scope(grid) {determinism = #tile.determinism<any>} : memref<?x?xf32> into memref<?xf32>
  return
}
