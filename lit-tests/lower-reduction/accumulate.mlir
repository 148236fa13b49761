// RUN: tx-opt %s --lower-reduction

gpu.module @kernels {
  // The thread that stores a result loads the old value, once, after the shuffle tree. Without `accumulate`,
  // no thread loads the old value.
  // CHECK-LABEL: gpu.func @accumulate
  // CHECK-SAME:    %[[B:[^ ]+]]: memref<4xf32>)
  // CHECK-NOT:     {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.if
  // CHECK-NEXT:      %[[OLD:.+]] = memref.load %[[B]][%[[I:.+]]]
  // CHECK-NEXT:      %[[NEW:.+]] = arith.addf %[[OLD]], %{{.+}}
  // CHECK-NEXT:      memref.store %[[NEW]], %[[B]][%[[I]]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-LABEL: gpu.func @overwrite
  // CHECK-SAME:    %[[B:[^ ]+]]: memref<4xf32>)
  // CHECK-NOT:     memref.load %[[B]]
  // CHECK:         gpu.return
  gpu.func @accumulate(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate : memref<4x64xf32> into memref<4xf32>
    gpu.return
  }
  gpu.func @overwrite(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x64xf32> into memref<4xf32>
    gpu.return
  }

  // A result is converted once: the old f16 value is widened, added, and the sum is narrowed.
  // CHECK-LABEL: gpu.func @accumulate_f16
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f32
  // CHECK:         %[[OLD:.+]] = memref.load %{{.+}} : memref<4xf16>
  // CHECK-NEXT:    %[[WIDE:.+]] = arith.extf %[[OLD]] : f16 to f32
  // CHECK-NEXT:    %[[NEW:.+]] = arith.addf %[[WIDE]], %{{.+}} : f32
  // CHECK-NEXT:    %[[NARROW:.+]] = arith.truncf %[[NEW]] : f32 to f16
  // CHECK-NEXT:    memref.store %[[NARROW]]
  gpu.func @accumulate_f16(%A: memref<4x64xf16>, %B: memref<4xf16>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate : memref<4x64xf16> into memref<4xf16>
    gpu.return
  }
}
