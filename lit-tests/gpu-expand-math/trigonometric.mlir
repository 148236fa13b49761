// RUN: tx-opt %s --gpu-expand-math
// RUN(ONLY): tx-opt %s --gpu-expand-math
// SNAPSHOT: none — long, and most of it is a table of constants.

// The exponent selects the relevant bits of 2/π: f64 uses five binary digits of a word number, and f32,
// with a shorter window, two. Arguments below π/4 are not reduced. Both polynomials are evaluated, and one
// result is selected.

// ONLY:     gpu.module @kernels
// ONLY-NOT: {{math\.[^acfs]|math\.s[^q]|math\.c[^o]|math\.cos |math\.a[^b]|math\.f[^m]}}
// ONLY-NOT: {{scf\.|cf\.|call|fastmath|memref.global|vector.shape}}

// CHECK-LABEL: gpu.func @sin(
// CHECK:         arith.extui %{{.+}} : i32 to i64
// CHECK-NOT:     arith.divf
// CHECK:         arith.fptosi %{{.+}} : f32 to i64
// CHECK-NOT:     arith.divf
// CHECK:         %[[ONE:.+]] = math.copysign
// CHECK-NEXT:    arith.mulf %{{.+}}, %[[ONE]] : f32
// CHECK:         memref.store
// CHECK-LABEL: gpu.func @cos(
// CHECK:         arith.shrui %{{.+}} : vector<2xi64>
// CHECK:         arith.cmpi ult, %{{.+}} : vector<2xi64>
// CHECK:         arith.sitofp %{{.+}} : vector<2xi64> to vector<2xf64>
// CHECK-NOT:     math.copysign
// CHECK:         vector.store
// CHECK-LABEL: gpu.func @tan(
// CHECK:         arith.extf %{{.+}} : f16 to f32
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         arith.truncf %{{.+}} : f32 to f16
gpu.module @kernels {
  gpu.func @sin(%A: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %y = math.sin %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @cos(%A: memref<2xf64>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %A[%c0] : memref<2xf64>, vector<2xf64>
    %y = math.cos %x : vector<2xf64>
    vector.store %y, %A[%c0] : memref<2xf64>, vector<2xf64>
    gpu.return
  }

  gpu.func @tan(%A: memref<f16>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f16>
    %y = math.tan %x : f16
    memref.store %y, %A[] : memref<f16>
    gpu.return
  }
}
