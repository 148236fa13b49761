// RUN: tx-opt %s --emit-bytecode | tx-opt -

// Ops, attributes and types survive a round trip through MLIR bytecode.
#acc = #tile.layout<[<2 : 1 reg>, <32 : 1 lane>] offset [<2 : constant warp>]>
#row = #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>] offset [<2 : constant warp>]>

// CHECK-DAG:   #[[ACC:.+]] = #tile.layout<[<2 : 1 reg>, <32 : 1 lane>] offset [<2 : constant warp>]>
// CHECK-DAG:   #[[ROW:.+]] = #tile.layout<[<2 : 1 reg>] replica [<32 : 1 lane>] offset [<2 : constant warp>]>
// CHECK-LABEL: func.func @fragments_survive
// CHECK:       tile.load %{{.+}} scope(warp) : memref<2x32xf16> -> !tile.fragment<2x32xf16, #[[ACC]]>
// CHECK:       tile.splat %{{.+}} : f16 -> !tile.fragment<2xf16, #[[ROW]]>
// CHECK:       tile.reduce sum %{{.+}} init(%{{.+}}) axes [-1] scope(warp) accumulate {acc = f64}
// CHECK:       tile.store %{{.+}} to %{{.+}} scope(warp) : !tile.fragment<2xf16, #[[ROW]]> to memref<2xf16>
func.func @fragments_survive(%A: memref<2x32xf16>, %B: memref<2xf16>, %c: f16) {
  %x = tile.load %A scope(warp) : memref<2x32xf16> -> !tile.fragment<2x32xf16, #acc>
  %z = tile.splat %c : f16 -> !tile.fragment<2xf16, #row>
  %r = tile.reduce sum %x init(%z) axes [-1] scope(warp) accumulate {acc = f64}
    : !tile.fragment<2x32xf16, #acc> init !tile.fragment<2xf16, #row> -> !tile.fragment<2xf16, #row>
  tile.store %r to %B scope(warp) : !tile.fragment<2xf16, #row> to memref<2xf16>
  return
}

// Regions, schedules and all enumerations survive a round trip through MLIR bytecode.
// CHECK-LABEL: func.func @memory_survives
// CHECK:       tile.reduce custom {{.*}} identity [1.000000e+00 : f32] combiner {
// CHECK:         tile.yield
// CHECK:       } {determinism = #tile.determinism<batch_invariant>, nan = #tile.nan<ignore>}
// CHECK:       tile.reduce argmin {{.*}} scope(grid) {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.i" to thread_x>, #tile.rfactor<"d1">]}
// CHECK:       tile.copy %{{.+}} to %{{.+}} scope(thread)
// CHECK:       tile.all_reduce umax %{{.+}} scope(warp) width 8 stride 2 : i32 -> i32
func.func @memory_survives(%A: memref<4x8xf32>, %B: memref<4xf32>, %I: memref<4xi64>, %i: i32) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
    tile.yield %p : f32
  } {nan = #tile.nan<ignore>, determinism = #tile.determinism<batch_invariant>} : memref<4x8xf32> into memref<4xf32>
  tile.reduce argmin %A into %B, %I axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.i" to thread_x>, #tile.rfactor<"d1">]}
    : memref<4x8xf32> into memref<4xf32>, memref<4xi64>
  tile.copy %A to %A scope(thread) : memref<4x8xf32> to memref<4x8xf32>
  %m = tile.all_reduce umax %i scope(warp) width 8 stride 2 : i32 -> i32
  return
}
