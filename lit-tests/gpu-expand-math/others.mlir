// RUN: tx-opt %s --gpu-expand-math
// RUN(ONLY): tx-opt %s --gpu-expand-math
// SNAPSHOT: none — long, and there is one for each family.

// Every function becomes fused multiply-adds, magnitudes, signs, floors and square roots, all of which are
// instructions. No compiler may change their results.

// ONLY:     gpu.module @kernels
// ONLY-NOT: {{math\.[^acfs]|math\.s[^q]|math\.c[^o]|math\.co[^p]|math\.a[^b]|math\.f[^ml]}}
// ONLY-NOT: {{scf\.|cf\.|call|fastmath|remf}}

// CHECK-LABEL: gpu.func @tanh(
// CHECK:         arith.divf
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
// CHECK-LABEL: gpu.func @erf(
// CHECK-NOT:     arith.divf
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
// CHECK-LABEL: gpu.func @rsqrt(
// CHECK:         %[[ROOT:.+]] = math.sqrt %{{.+}} : f32
// CHECK-NEXT:    arith.divf %{{.+}}, %[[ROOT]] : f32
// CHECK-NEXT:    memref.store
// CHECK-LABEL: gpu.func @powf(
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK-COUNT-2: math.floor
gpu.module @kernels {
  gpu.func @tanh(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.tanh %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @erf(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.erf %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @rsqrt(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.rsqrt %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @powf(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.powf %x, %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
