// RUN(NEW): tx compile %s --chip sm_100a
// RUN(OLD): tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100 sm_100a

#private = #gpu.address_space<private>

// One thread finds the maximum of 32 elements: most instructions compare two new elements, and NaN wins.
// NEW:       .visible .entry max(
// NEW-COUNT-14: max.NaN.f32 {{.*}}%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
// NEW-NOT:   {{max\.f32|setp|selp}}
// NEW:       st.global.b32
//
// Older chips compare one element at a time.
// OLD:       .visible .entry max(
// OLD:       max.NaN.f32 {{.*}}%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
// OLD-NOT:   max{{.*}}%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r
// OLD:       st.global.b32
gpu.module @kernels {
  gpu.func @max(%A: memref<32xf32>, %B: memref<1xf32>) private(%P: memref<32xf32, #private>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %P scope(thread) : memref<32xf32> to memref<32xf32, #private>
    tile.reduce max %P into %B axes [0] scope(thread) : memref<32xf32, #private> into memref<1xf32>
    gpu.return
  }
}
