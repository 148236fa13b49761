// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

#shared = #gpu.address_space<workgroup>

// With partial results of f16, each addition adds two elements. A lane has 16 elements in loads of eight: 4 +
// 4 + 4 additions for the loads after the first, and 2 + 1 to combine eight elements to two. No element is
// widened.
// CHECK:       .visible .entry f16_sum(
// CHECK-NOT:   {{cvt.*f32|add.*f32|add.rn.f16 }}
// CHECK:       ld.shared.v4.b32
// CHECK-COUNT-15: add.rn.f16x2
// CHECK-NOT:   {{cvt.*f32|add.*f32|f16x2}}
// CHECK:       add.rn.f16
// CHECK-COUNT-4: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|cvt.*f32|add.*f32|f16x2}}
// CHECK:       st.global.b16
gpu.module @kernels {
  gpu.func @f16_sum(%A: memref<512xf16>, %B: memref<f16>) workgroup(%S: memref<512xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<512xf16> to memref<512xf16, #shared>
    tile.reduce sum %S into %B axes [0] scope(cta) {acc = f16} : memref<512xf16, #shared> into memref<f16>
    gpu.return
  }
}
