// RUN: tx-opt %s --tile-form-kernels="explain chip=sm_90" -o /dev/null 2>&1
// SNAPSHOT: none — the reasons are checked.

// Reasons why an op does not share a kernel with the previous op, whose array it uses.

// CHECK:      apart.mlir:[[# @LINE + 4]]:3: remark: `tile.reduce` does not share a kernel with the previous op
// CHECK:      note: loop `p0` has 4096 iterations, but in another op of the group 64
func.func @columns_after_rows(%A: memref<64x4096xf32>, %M: memref<64xf32>, %N: memref<4096xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<64x4096xf32> into memref<64xf32>
  tile.reduce max %A into %N axes [0] scope(grid) : memref<64x4096xf32> into memref<4096xf32>
  return
}

// CHECK:      apart.mlir:[[# @LINE + 4]]:3: remark: `tile.reduce` does not share a kernel with the previous op
// CHECK:      note: the length of a row is dynamic, and an op accumulates into old values
func.func @unknown_length(%A: memref<64x?xf32>, %M: memref<64xf32>, %N: memref<64xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<64x?xf32> into memref<64xf32>
  tile.reduce min %A into %N axes [1] scope(grid) accumulate : memref<64x?xf32> into memref<64xf32>
  return
}

// Ops without a common array do not share a kernel.
// CHECK-NOT:  remark
func.func @strangers(%A: memref<64x256xf32>, %B: memref<64x256xf32>, %M: memref<64xf32>, %N: memref<64xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<64x256xf32> into memref<64xf32>
  tile.reduce min %B into %N axes [1] scope(grid) : memref<64x256xf32> into memref<64xf32>
  return
}
