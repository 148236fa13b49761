// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // f16 elements are added in f32, eight per load, and rounded once, at the end. A row has two lanes.
  // CHECK-LABEL: gpu.func @f16_sum
  // CHECK-NOT:     {{tile\.|gpu.shuffle|arith.truncf}}
  // CHECK:         gpu.barrier
  // CHECK:         vector.load {{.+}}, vector<8xf16>
  // CHECK-COUNT-8: arith.extf %{{.+}} : f16 to f32
  // CHECK-COUNT-15: arith.addf %{{.+}} : f32
  // CHECK-NOT:     arith.truncf
  // CHECK-COUNT-1: gpu.shuffle xor %{{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         %[[H:.+]] = arith.truncf %{{.+}} : f32 to f16
  // CHECK-NEXT:    memref.store %[[H]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|truncf}}
  // COUNT: @f16_sum barriers = 1, shuffles = 1, loads = 2, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @f16_sum shared stores = 1, scf.for = 2, scf.if = 2
  gpu.func @f16_sum(%A: memref<4x64xf16>, %B: memref<4xf16>)
      workgroup(%As: memref<4x64xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x64xf16> to memref<4x64xf16, #shared>
    tile.reduce sum %As into %B axes [1] scope(cta) : memref<4x64xf16, #shared> into memref<4xf16>
    gpu.return
  }

  // A wider destination needs no conversion of the sum.
  // CHECK-LABEL: gpu.func @bf16_into_f32
  // CHECK:         arith.extf %{{.+}} : bf16 to f32
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|truncf}}
  // CHECK:         memref.store %{{.+}} : memref<4xf32>
  // COUNT: @bf16_into_f32 barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @bf16_into_f32(%A: memref<4x64xbf16>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x64xbf16> into memref<4xf32>
    gpu.return
  }

  // Signed maxima start from the minimum of the type, unsigned maxima from zero. Lanes combine integers by
  // one instruction.
  // CHECK-LABEL: gpu.func @i32_max
  // CHECK:         arith.constant -2147483648 : i32
  // CHECK:         arith.maxsi
  // CHECK-COUNT-1: nvvm.redux.sync max
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|maxui}}
  // CHECK-LABEL: gpu.func @i32_umax
  // CHECK:         arith.constant 0 : i32
  // CHECK:         arith.maxui
  // CHECK-COUNT-1: nvvm.redux.sync umax
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|maxsi}}
  // COUNT: @i32_max barriers = 0, shuffles = 0, redux = 1, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @i32_max(%A: memref<4x64xi32>, %B: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) : memref<4x64xi32> into memref<4xi32>
    gpu.return
  }
  // COUNT: @i32_umax barriers = 0, shuffles = 0, redux = 1, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @i32_umax(%A: memref<4x64xi32>, %B: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce umax %A into %B axes [1] scope(cta) : memref<4x64xi32> into memref<4xi32>
    gpu.return
  }

  // Float maxima with both NaN policies.
  // CHECK-LABEL: gpu.func @f32_max
  // CHECK:         arith.maximumf
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|maxnumf}}
  // CHECK-LABEL: gpu.func @f32_max_ignoring_nan
  // CHECK:         arith.maxnumf
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f32
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|maximumf}}
  // COUNT: @f32_max barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @f32_max(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) : memref<4x64xf32> into memref<4xf32>
    gpu.return
  }
  // COUNT: @f32_max_ignoring_nan barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @f32_max_ignoring_nan(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) {nan = #tile.nan<ignore>}
      : memref<4x64xf32> into memref<4xf32>
    gpu.return
  }

  // Wide elements are shuffled as one value at this level; narrow elements are combined in 32 bits.
  // CHECK-LABEL: gpu.func @f64_min
  // CHECK:         arith.minimumf
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f64
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-LABEL: gpu.func @i8_xor
  // CHECK:         arith.xori
  // CHECK:         %[[W:.+]] = arith.extui %{{.+}} : i8 to i32
  // CHECK:         nvvm.redux.sync xor %[[W]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @f64_min barriers = 0, shuffles = 5, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @f64_min(%A: memref<4x64xf64>, %B: memref<4xf64>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce min %A into %B axes [1] scope(cta) : memref<4x64xf64> into memref<4xf64>
    gpu.return
  }
  // COUNT: @i8_xor barriers = 0, shuffles = 0, redux = 1, loads = 1, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @i8_xor(%A: memref<4x64xi8>, %B: memref<4xi8>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce xor %A into %B axes [1] scope(cta) : memref<4x64xi8> into memref<4xi8>
    gpu.return
  }
}
