// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// A maximum is exact in every type, so bf16 elements are compared as pairs of bf16, and NaN wins. Only the
// result of each lane is widened.
// CHECK:       .visible .entry bf16_max(
// CHECK-NOT:   {{cvt\.f32|cvt\.rn|max.*f32|fma|setp.*nan}}
// CHECK:       ld.shared.v4.b32
// CHECK-COUNT-15: max.NaN.bf16x2
// CHECK-NOT:   {{bf16x2|max.*f32}}
// CHECK:       max.NaN.bf16
// CHECK-COUNT-4: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bf16x2}}
// CHECK:       st.global.b16
gpu.module @kernels {
  gpu.func @bf16_max(%A: memref<512xbf16>, %B: memref<bf16>) workgroup(%S: memref<512xbf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<512xbf16> to memref<512xbf16, #shared>
    tile.reduce max %S into %B axes [0] scope(cta) : memref<512xbf16, #shared> into memref<bf16>
    gpu.return
  }
}
