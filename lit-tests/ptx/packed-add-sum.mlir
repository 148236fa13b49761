// RUN(NEW): tx compile %s --chip sm_100a
// RUN(OLD): tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100 sm_100a

#private = #gpu.address_space<private>

// One thread adds up 34 elements. Each of the three chunks of eight after the first takes four pair
// additions, and three combine the four pairs: 15 in total. One more addition sums the last pair, and two add
// the remaining elements.
// NEW:       .visible .entry sum(
// NEW-COUNT-15: add.rn.f32x2
// NEW-NOT:   add.rn.f32x2
// NEW-COUNT-3: add.rn.f32
// NEW-NOT:   {{add.rn|fma|\.ftz}}
// NEW:       st.global.b32
//
// Older chips without the instruction add one element at a time.
// OLD:       .visible .entry sum(
// OLD-NOT:   {{f32x2|\.ftz}}
// OLD:       add.rn.f32
// OLD-NOT:   {{f32x2|\.ftz}}
// OLD:       st.global.b32
gpu.module @kernels {
  gpu.func @sum(%A: memref<34xf32>, %B: memref<1xf32>) private(%P: memref<34xf32, #private>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %P scope(thread) : memref<34xf32> to memref<34xf32, #private>
    tile.reduce sum %P into %B axes [0] scope(thread) : memref<34xf32, #private> into memref<1xf32>
    gpu.return
  }
}
