// RUN: tx compile %s --chip sm_90
// PTXAS: sm_90
// SNAPSHOT: none — CHECK and COUNT state which instructions there are, PTXAS that ptxas accepts them

// Narrow vectors are all loaded before conversions, in full tiles (the first two loads) and in tiles with a
// bounds check per vector (the others). Otherwise each load would wait for the previous conversion.
// CHECK:      .visible .entry rows_0(
// CHECK:      ld.global.cs.v4.b32
// CHECK-NOT:  cvt.f32.f16
// CHECK:      ld.global.cs.v4.b32
// CHECK:      cvt.f32.f16
// CHECK:      bra
// CHECK:      ld.global.cs.v4.b32
// CHECK-NOT:  cvt.f32.f16
// CHECK:      bra
// CHECK-NOT:  cvt.f32.f16
// CHECK:      ld.global.cs.v4.b32
// CHECK-NOT:  ld.global.cs.v4.b32
// COUNT: @rows_0 barriers = 0, shuffles = 1, atomics = 0, loads = 34, global loads = 34, global vector loads = 4
// COUNT: @rows_0 stores = 1, global stores = 1
func.func @rows(%A: memref<?x?xf16>, %B: memref<?xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 64>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 8>,
                 #tile.split<"d1.o" by 4>, #tile.split<"d1.o.i" by 2>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">,
                 #tile.vectorize<"d1.i">, #tile.stream]} : memref<?x?xf16> into memref<?xf16>
  return
}
