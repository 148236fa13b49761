// RUN: tx-opt %s --tile-form-kernels="explain chip=sm_80" -o /dev/null 2>&1
// SNAPSHOT: none — the reason is checked.

// Without clusters, one block would load a long row again, which the caches do not keep.
// CHECK:      apart-long.mlir:[[# @LINE + 4]]:3: remark: `tile.reduce` does not share a kernel with the previous op
// CHECK:      note: a block would load 262160 bytes of a row again, more than fit into registers, and more than the 262144 bytes that stay in caches
func.func @long_rows(%A: memref<3x131080xbf16>, %M: memref<3xbf16>, %N: memref<3xbf16>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<3x131080xbf16> into memref<3xbf16>
  tile.reduce min %A into %N axes [1] scope(grid) : memref<3x131080xbf16> into memref<3xbf16>
  return
}
