// RUN: tx explain %s --chip sm_80
// RUN(CHIP): tx explain %s --chip sm_90 --entry rows
// RUN(WRONG): not tx explain %s --chip sm_90 --entry columns 2>&1
// EXIT: 1

// What is chosen is said where the op stands, a line for each kernel and for each variant, once for each op.
// CHECK:      explain-a-program.mlir:[[# @LINE + 18]]:3: remark: `tile.reduce` is scheduled by its shape
// CHECK-NEXT:   tile.reduce sum %A into %B
// CHECK-NEXT:   ^
// CHECK-NEXT:   `d1` up to 8: one kernel, 256 threads a block: [#tile.split<"d0" by 256>
// CHECK-NEXT:   `d1` up to 16: one kernel, 256 threads a block: [#tile.split<"d0" by 128>
// CHECK:        `d1` up to 4096: one kernel, 256 threads a block: [#tile.split<"d0" by 8>
// CHECK:        `d0` up to 32: one kernel, 256 threads a block: [#tile.bind<"d0" to block_y>
// CHECK:        all other lengths: one kernel, 256 threads a block: [#tile.bind<"d0" to block_x>
// CHECK:      explain-a-program.mlir:[[# @LINE + 10]]:3: remark: variant `shuffle` exchanges these values
// CHECK-NEXT:   tile.reduce sum %A into %B
// CHECK-NEXT:   ^
// CHECK-NEXT:   redux: `redux.sync` has no `sum` of `f32`
// CHECK-NEXT:   shuffle: accepted, cost {{[0-9]+}}, chosen
// CHIP:       remark: `tile.reduce` is scheduled by its shape
// CHIP-NOT:   by its shape
// WRONG:      `columns`
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // One op.
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
