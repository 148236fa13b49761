// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// One row for a block of 48 threads: the two warps also combine through shared memory.
// CHECK:       .visible .entry one_row_by_48(
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       ld.shared.v2
// CHECK-COUNT-6: shfl.sync.idx.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @one_row_by_48(%A: memref<1x100xf32>, %B: memref<1xf32>)
      workgroup(%As: memref<1x100xf32, #shared>, %Bs: memref<1xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<1x100xf32> to memref<1x100xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<1x100xf32, #shared> into memref<1xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
    gpu.return
  }
}
