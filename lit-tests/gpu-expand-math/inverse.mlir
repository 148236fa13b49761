// RUN: tx-opt %s --gpu-expand-math
// RUN(ONLY): tx-opt %s --gpu-expand-math
// SNAPSHOT: none — long, and errors are measured elsewhere.

// An arc tangent needs one division for all arguments, and an arc sine a square root. Hyperbolic functions
// need the reciprocal of an exponential.

// ONLY:     gpu.module @kernels
// ONLY-NOT: {{math\.[^acfs]|math\.s[^q]|math\.c[^o]|math\.cosh|math\.a[^b]|math\.f[^ml]}}
// ONLY-NOT: {{scf\.|cf\.|call|fastmath}}

// CHECK-LABEL: gpu.func @atan2(
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         memref.store
// CHECK-LABEL: gpu.func @acos(
// CHECK-NOT:     arith.divf
// CHECK:         math.sqrt %{{.+}} : f64
// CHECK-NOT:     arith.divf
// CHECK:         memref.store
// CHECK-LABEL: gpu.func @sinh(
// CHECK:         arith.divf %{{.+}} : vector<4xf32>
// CHECK:         arith.subf
// CHECK:         math.copysign
// CHECK-NEXT:    vector.store
// CHECK-LABEL: gpu.func @cbrt(
// CHECK-NOT:     arith.divf
// CHECK-NOT:     math.sqrt
// CHECK:         arith.truncf %{{.+}} : f32 to bf16
// CHECK-LABEL: gpu.func @round(
// CHECK:         math.floor
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
gpu.module @kernels {
  gpu.func @atan2(%A: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %y = math.atan2 %x, %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @acos(%A: memref<f64>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f64>
    %y = math.acos %x : f64
    memref.store %y, %A[] : memref<f64>
    gpu.return
  }

  gpu.func @sinh(%A: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %A[%c0] : memref<4xf32>, vector<4xf32>
    %y = math.sinh %x : vector<4xf32>
    vector.store %y, %A[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  gpu.func @cbrt(%A: memref<bf16>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<bf16>
    %y = math.cbrt %x : bf16
    memref.store %y, %A[] : memref<bf16>
    gpu.return
  }

  gpu.func @round(%A: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %y = math.round %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
