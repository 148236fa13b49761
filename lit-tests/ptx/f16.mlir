// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// f16 elements are loaded in vectors of eight, added in f32, and rounded once, for the store. Two lanes share
// a row of 64 elements.
// CHECK:       .visible .entry f16_sum(
// CHECK-NOT:   {{shfl|add.*f16|cvt.rn.f16.f32}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK:       ld.shared.v4.b32
// CHECK:       cvt.f32.f16
// CHECK-NOT:   {{add.*f16|cvt.rn.f16.f32}}
// CHECK-COUNT-1: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       cvt.rn.f16.f32
// CHECK:       st.global.b16
// CHECK-NOT:   {{shfl|bar\.|barrier|cvt.rn.f16.f32}}
gpu.module @kernels {
  gpu.func @f16_sum(%A: memref<4x64xf16>, %B: memref<4xf16>)
      workgroup(%As: memref<4x64xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x64xf16> to memref<4x64xf16, #shared>
    tile.reduce sum %As into %B axes [1] scope(cta) : memref<4x64xf16, #shared> into memref<4xf16>
    gpu.return
  }
}
