// RUN: tx-opt %s --tile-form-kernels=chip=sm_90
// SNAPSHOT: none — there must be no group.

#whole = affine_map<(i, j) -> (i, j)>
#other = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// CHECK-NOT: tile.group

// The second op reads other rows than those that the first one writes.
func.func @transposed(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %s: memref<8xf32>) {
  linalg.exp ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  tile.reduce sum %y into %s axes [1] scope(grid) {maps = [#other, #row]} : memref<8x8xf32> into memref<8xf32>
  return
}

// Rows are outermost: neighbours are of other rows.
func.func @columns(%x: memref<64x40xf32>, %lo: memref<40xf32>, %hi: memref<40xf32>) {
  tile.reduce min %x into %lo axes [0] scope(grid) : memref<64x40xf32> into memref<40xf32>
  tile.reduce max %x into %hi axes [0] scope(grid) : memref<64x40xf32> into memref<40xf32>
  return
}

// It is not known how long rows are.
func.func @unknown(%x: memref<8x?xf32>, %lo: memref<8xf32>, %hi: memref<8xf32>) {
  tile.reduce min %x into %lo axes [1] scope(grid) : memref<8x?xf32> into memref<8xf32>
  tile.reduce max %x into %hi axes [1] scope(grid) : memref<8x?xf32> into memref<8xf32>
  return
}

// One row, which all blocks share.
func.func @one_row(%x: memref<4096xf32>, %lo: memref<f32>, %hi: memref<f32>) {
  tile.reduce min %x into %lo axes [0] scope(grid) : memref<4096xf32> into memref<f32>
  tile.reduce max %x into %hi axes [0] scope(grid) : memref<4096xf32> into memref<f32>
  return
}

// Nothing of one is an operand of the other.
func.func @strangers(%x: memref<8x40xf32>, %a: memref<8xf32>, %y: memref<8x40xf32>, %b: memref<8xf32>) {
  tile.reduce min %x into %a axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %y into %b axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  return
}

// The same of an element-wise op with as many loops, in front of two that belong together and are no reduction.
func.func @before_others(%x: memref<8x40xf32>, %y: memref<8x40xf32>, %z: memref<8x40xf32>) {
  linalg.exp ins(%x : memref<8x40xf32>) outs(%x : memref<8x40xf32>)
  linalg.exp ins(%y : memref<8x40xf32>) outs(%z : memref<8x40xf32>)
  linalg.exp ins(%z : memref<8x40xf32>) outs(%y : memref<8x40xf32>)
  return
}

// The function, or the op, says no.
func.func @told(%x: memref<8x40xf32>, %lo: memref<8xf32>, %hi: memref<8xf32>) attributes {tile.fusion = #tile.fusion<none>} {
  tile.reduce min %x into %lo axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %x into %hi axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  return
}

func.func @scheduled(%x: memref<8x40xf32>, %lo: memref<8xf32>, %hi: memref<8xf32>) {
  tile.reduce min %x into %lo axes [1] scope(grid) : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %x into %hi axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>, #tile.bind<"d1" to thread_x>]} : memref<8x40xf32> into memref<8xf32>
  return
}
