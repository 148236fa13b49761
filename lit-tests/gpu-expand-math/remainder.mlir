// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the loop and its steps; tools/run-remainders.mlir runs it

// The significand of the dividend is shifted by 40 places a step in f32, and the remainder is taken in 64 bits. Nothing
// is rounded.

// CHECK-LABEL: gpu.func @single(
// CHECK-NOT:     arith.remf
// CHECK:         arith.extui %{{.+}} : i32 to i64
// CHECK:         %[[ROOM:.+]] = arith.constant 40 : i64
// CHECK:         %[[FIRST:.+]] = arith.remui
// CHECK:         %[[STEPS:.+]] = arith.index_castui %{{.+}} : i64 to index
// CHECK:         scf.for {{.+}} to %[[STEPS]] {{.+}} iter_args(%[[R:.+]] = %[[FIRST]], %[[LEFT:.+]] = %{{.+}}) -> (i64, i64)
// CHECK:           %[[PLACES:.+]] = arith.minsi %[[LEFT]], %[[ROOM]]
// CHECK:           %[[SHIFTED:.+]] = arith.shli %[[R]], %[[PLACES]]
// CHECK:           arith.remui %[[SHIFTED]],
// CHECK:           arith.subi %[[LEFT]], %[[PLACES]]
// CHECK-NOT:     arith.divf
// CHECK-NOT:     math.fma
// CHECK:         math.copysign %{{.+}}, %{{.+}} : f32

// Elements of a vector repeat as often as the slowest of them.
// CHECK-LABEL: gpu.func @vector(
// CHECK:         %[[ROOM:.+]] = arith.constant dense<11> : vector<2xi64>
// CHECK:         vector.extract
// CHECK:         %[[MOST:.+]] = arith.maxui
// CHECK:         %[[STEPS:.+]] = arith.index_castui %[[MOST]] : i64 to index
// CHECK:         scf.for {{.+}} to %[[STEPS]] {{.+}} -> (vector<2xi64>, vector<2xi64>)
// CHECK:           arith.minsi %{{.+}}, %[[ROOM]] : vector<2xi64>

// The remainder of two halves is a half.
// CHECK-LABEL: gpu.func @half(
// CHECK-COUNT-2: arith.extf %{{.+}} : f16 to f32
// CHECK:         scf.for
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK-NOT:     arith.remf
gpu.module @kernels {
  gpu.func @single(%A: memref<2xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %A[%c0] : memref<2xf32>
    %y = memref.load %A[%c1] : memref<2xf32>
    %r = arith.remf %x, %y : f32
    memref.store %r, %A[%c0] : memref<2xf32>
    gpu.return
  }
  gpu.func @vector(%A: memref<4xf64>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %x = vector.load %A[%c0] : memref<4xf64>, vector<2xf64>
    %y = vector.load %A[%c2] : memref<4xf64>, vector<2xf64>
    %r = arith.remf %x, %y : vector<2xf64>
    vector.store %r, %A[%c0] : memref<4xf64>, vector<2xf64>
    gpu.return
  }
  gpu.func @half(%A: memref<2xf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %A[%c0] : memref<2xf16>
    %y = memref.load %A[%c1] : memref<2xf16>
    %r = arith.remf %x, %y : f16
    memref.store %r, %A[%c0] : memref<2xf16>
    gpu.return
  }
}
