// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#private = #gpu.address_space<private>

// One thread sums its own four elements. They stay in registers, without private memory, loop, shuffle or
// barrier.
// CHECK:       .target sm_90
// CHECK:       .visible .entry four(
// CHECK:       {{\.(maxntid|reqntid)}} 1
// CHECK-NOT:   {{\.local|shfl|bar\.|barrier|bra}}
// CHECK:       ld.global
// CHECK-COUNT-3: add.{{(rn\.)?}}f32
// CHECK-NOT:   {{\.local|shfl|bar\.|barrier|bra}}
// CHECK:       st.global
// CHECK-NEXT:  ret
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @four(%A: memref<4xf32>, %B: memref<1xf32>)
        private(%a: memref<4xf32, #private>, %b: memref<1xf32, #private>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      tile.copy %A to %a scope(thread) : memref<4xf32> to memref<4xf32, #private>
      tile.reduce sum %a into %b axes [0] scope(thread)
          : memref<4xf32, #private> into memref<1xf32, #private>
      tile.copy %b to %B scope(thread) : memref<1xf32, #private> to memref<1xf32>
      gpu.return
    }
  }
}
