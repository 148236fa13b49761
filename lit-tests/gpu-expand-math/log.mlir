// RUN: tx-opt %s --gpu-expand-math

// The exponent is taken from the bits, after a subnormal argument was scaled, and the logarithm of what is left is an
// artanh: one division, four coefficients. Zero, negative numbers, infinity and NaN are selected at the end.

// CHECK-LABEL: gpu.func @log(
// CHECK-NOT:     math.log
// CHECK:         %[[SMALL:.+]] = arith.cmpf olt
// CHECK:         arith.select %[[SMALL]]
// CHECK:         arith.bitcast %{{.+}} : f32 to i32
// CHECK:         arith.shrsi
// CHECK:         arith.bitcast %{{.+}} : i32 to f32
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         arith.sitofp
// CHECK-COUNT-3: arith.select
// CHECK-NEXT:    memref.store

// Other bases multiply by a constant of twice the length.
// CHECK-LABEL: gpu.func @log2(
// CHECK-NOT:     math.log2
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         memref.store

// CHECK-LABEL: gpu.func @log10(
// CHECK-NOT:     math.log10
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         memref.store

// What 1 + x loses is added to the result, which has the sign of x.
// CHECK-LABEL: gpu.func @log1p(
// CHECK-NOT:     math.log1p
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
gpu.module @kernels {
  gpu.func @log(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @log2(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log2 %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @log10(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log10 %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @log1p(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log1p %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
