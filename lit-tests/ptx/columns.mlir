// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// Columns need no exchange between lanes; four warps combine through shared memory.
// CHECK:       .visible .entry columns(
// CHECK:       {{\.(maxntid|reqntid)}} 128
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
gpu.module @kernels {
  gpu.func @columns(%A: memref<32x32xf32>, %B: memref<32xf32>)
      workgroup(%As: memref<32x32xf32, #shared>, %Bs: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<32x32xf32> to memref<32x32xf32, #shared>
    tile.reduce sum %As into %Bs axes [0] scope(cta)
      : memref<32x32xf32, #shared> into memref<32xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<32xf32, #shared> to memref<32xf32>
    gpu.return
  }
}
