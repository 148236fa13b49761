// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — what counts is that it compiles, and what `tx validate` says

// Empty rows in ops that hold rows, with one element per row: it is loaded needlessly, or by a later op.
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#line = affine_map<(i) -> (i)>

// CHECK-LABEL: gpu.func @sums_0(
// CHECK:         tile.all_reduce sum
func.func @sums(%A: memref<4x0xf32>, %R: memref<4xf32>, %B: memref<4xf32>) {
  tile.reduce sum %R, %A into %B axes [1] scope(grid)
      {maps = [#row, #whole, #row], tile.group = 0 : i64,
       schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 32>, #tile.bind<"r0.i" to thread_x>, #tile.unroll<"r0.o">,
                   #tile.hold<"in0" in registers>, #tile.hold<"in1" in registers>]} element {
  ^bb0(%r: f32, %x: f32, %i: index, %j: index):
    %s = arith.addf %r, %x : f32
    tile.yield %s : f32
  } : memref<4xf32>, memref<4x0xf32> into memref<4xf32>
  return
}

// CHECK-LABEL: gpu.func @then_the_row_0(
// CHECK:         tile.all_reduce sum
func.func @then_the_row(%A: memref<4x0xf32>, %R: memref<4xf32>, %B: memref<4xf32>) {
  %sum = memref.alloc() : memref<4xf32>
  tile.reduce sum %R, %A into %sum axes [1] scope(grid)
      {maps = [#row, #whole, #row], tile.group = 0 : i64,
       schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 32>, #tile.bind<"r0.i" to thread_x>, #tile.unroll<"r0.o">,
                   #tile.hold<"in0" in registers>, #tile.hold<"in1" in registers>, #tile.hold<"tmp0" in registers>]} element {
  ^bb0(%r: f32, %x: f32, %i: index, %j: index):
    %s = arith.addf %r, %x : f32
    tile.yield %s : f32
  } : memref<4xf32>, memref<4x0xf32> into memref<4xf32>
  linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%sum, %R : memref<4xf32>, memref<4xf32>) outs(%B : memref<4xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%s: f32, %r: f32, %old: f32):
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  }
  memref.dealloc %sum : memref<4xf32>
  return
}
