// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK and COUNT state which ops remain, the test `elementary` what they compute

// The bits of the scaled argument give the exponent. An artanh with one division and four coefficients gives
// the logarithm of the mantissa. Zero, negative numbers, infinity and NaN are selected at the end.

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

// Other bases multiply by a constant in two parts.
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

// log1p adds the rounding error of 1 + x to the result, which has the sign of x.
// CHECK-LABEL: gpu.func @log1p(
// CHECK-NOT:     math.log1p
// CHECK-COUNT-1: arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         math.copysign
// CHECK-NEXT:    memref.store
gpu.module @kernels {
  // COUNT: @log arith.addf = 4, arith.andi = 1, arith.bitcast = 2, arith.cmpf = 5, arith.divf = 1, arith.mulf = 5
  // COUNT: @log arith.negf = 3, arith.select = 5, arith.shli = 1, arith.shrsi = 1, arith.sitofp = 1, arith.subf = 4
  // COUNT: @log arith.subi = 3, math.fma = 8
  gpu.func @log(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @log2 arith.addf = 4, arith.andi = 1, arith.bitcast = 2, arith.cmpf = 5, arith.divf = 1, arith.mulf = 6
  // COUNT: @log2 arith.negf = 4, arith.select = 5, arith.shli = 1, arith.shrsi = 1, arith.sitofp = 1, arith.subf = 4
  // COUNT: @log2 arith.subi = 3, math.fma = 11
  gpu.func @log2(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log2 %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @log10 arith.addf = 4, arith.andi = 1, arith.bitcast = 2, arith.cmpf = 5, arith.divf = 1, arith.mulf = 6
  // COUNT: @log10 arith.negf = 4, arith.select = 5, arith.shli = 1, arith.shrsi = 1, arith.sitofp = 1, arith.subf = 4
  // COUNT: @log10 arith.subi = 3, math.fma = 11
  gpu.func @log10(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log10 %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @log1p arith.addf = 7, arith.addi = 1, arith.andi = 1, arith.bitcast = 3, arith.cmpf = 5, arith.divf = 1
  // COUNT: @log1p arith.maxsi = 1, arith.mulf = 6, arith.negf = 3, arith.select = 5, arith.shli = 2, arith.shrsi = 1
  // COUNT: @log1p arith.sitofp = 2, arith.subf = 9, arith.subi = 3, math.copysign = 1, math.fma = 8
  gpu.func @log1p(%A: memref<f32>) kernel {
    %x = memref.load %A[] : memref<f32>
    %y = math.log1p %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
