// RUN: tx-opt %s --tile-choose-schedule="explain chip=sm_90" -o /dev/null 2>&1
// SNAPSHOT: none — which lengths have kernels of their own is the matter.

// If there are many columns, those of up to 4096 rows have one block; longer ones are split across blocks.
// CHECK:       columns-by-length.mlir:[[# @LINE + 14]]:3: remark
// CHECK:       `d0` up to 1024: one kernel
// CHECK:       `d1` up to 16: one kernel
// CHECK:       `d1` up to 64: one kernel
// CHECK:       `d1` up to 1024: one kernel
// CHECK:       `d0` up to 4096: one kernel, 1024 threads a block
// CHECK-NOT:   #tile.last_block
// CHECK:       all other lengths: one kernel, 512 threads a block
// CHECK-SAME:  #tile.last_block
// CHECK:       columns-by-length.mlir:[[# @LINE + 9]]:3: remark
// CHECK:       all other lengths: one kernel, 1024 threads a block
// CHECK:       columns-by-length.mlir:[[# @LINE + 11]]:3: remark
// CHECK:       all other lengths: one kernel, 512 threads a block
func.func @of_any_length(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  tile.reduce sum %x into %y axes [0] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @of_4096(%x: memref<4096x?xf32>, %y: memref<?xf32>) {
  tile.reduce sum %x into %y axes [0] scope(grid) : memref<4096x?xf32> into memref<?xf32>
  return
}
func.func @of_4097(%x: memref<4097x?xf32>, %y: memref<?xf32>) {
  tile.reduce sum %x into %y axes [0] scope(grid) : memref<4097x?xf32> into memref<?xf32>
  return
}
