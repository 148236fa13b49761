// RUN: tx-opt %s --gpu-expand-math

// The argument is n · ln 2 + r. Adding 1.5 · 2²³ computes n, and two fused steps compute r. A polynomial
// computes e^r. Two products with powers of two scale by 2^n, so that a subnormal result is rounded once.
// There is no call, branch or flag.

// CHECK-LABEL: gpu.func @exp(
// CHECK-NOT:     math.exp
// CHECK:         %[[T:.+]] = math.fma %{{.+}}, %{{.+}}, %[[MAGIC:.+]] : f32
// CHECK:         %[[N:.+]] = arith.subf %[[T]], %[[MAGIC]] : f32
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[T]] : f32 to i32
// CHECK:         %[[MINUS:.+]] = arith.negf %[[N]] : f32
// CHECK-COUNT-8: math.fma
// CHECK-NOT:     math.fma
// CHECK:         arith.shrsi %[[BITS]]
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT:     arith.divf
// CHECK:         memref.store

// CHECK-LABEL: gpu.func @exp2(
// CHECK-NOT:     math.exp2
// CHECK-COUNT-8: math.fma
// CHECK-NOT:     math.fma
// CHECK:         memref.store

// e^x − 1 avoids cancellation: it is (1 − 2^-n) + (e^r − 1), with the sign of x, also for zeros.
// CHECK-LABEL: gpu.func @expm1(
// CHECK-NOT:     math.expm1
// CHECK:         arith.maxsi
// CHECK-NOT:     arith.divf
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
gpu.module @kernels {
  gpu.func @exp(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.exp %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // Only the flag `afn` permits an approximation.
  gpu.func @exp2(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.exp2 %x fastmath<reassoc,nnan,ninf,nsz,arcp,contract> : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  gpu.func @expm1(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.expm1 %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
