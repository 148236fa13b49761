// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the ops of each conversion.

// f8E5M2 is the upper half of an f16.
// CHECK-LABEL: gpu.func @from_f8E5M2(
// CHECK:         %[[BITS:.+]] = arith.bitcast %{{.+}} : f8E5M2 to i8
// CHECK:         arith.extui %[[BITS]] : i8 to i16
// CHECK:         arith.shli
// CHECK:         arith.bitcast %{{.+}} : i16 to f16
// CHECK:         arith.extf %{{.+}} : f16 to f32
// CHECK-NOT:     f8E5M2 to f32

// f8E4M3FN has a different bias than f16, and NaN instead of the largest f16 exponents.
// CHECK-LABEL: gpu.func @from_f8E4M3FN(
// CHECK:         arith.bitcast %{{.+}} : vector<4xf8E4M3FN> to vector<4xi8>
// CHECK:         arith.mulf %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK:         arith.cmpi eq
// CHECK:         arith.select
// CHECK:         arith.extf %{{.+}} : vector<4xf32> to vector<4xf64>
// CHECK-NOT:     vector<4xf8E4M3FN> to vector<4xf64>

// A number is rounded once, as an integer.
// CHECK-LABEL: gpu.func @to_f8E4M3FN(
// CHECK-NOT:     arith.truncf
// CHECK:         arith.cmpi ult
// CHECK:         arith.minui
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %{{.+}} : i8 to f8E4M3FN

// f8E5M2 has infinities, so NaN needs a comparison. A 16-bit float is converted to f32 first.
// CHECK-LABEL: gpu.func @to_f8E5M2(
// CHECK:         arith.extf %{{.+}} : bf16 to f32
// CHECK-COUNT-2: arith.cmpi ult
// CHECK:         arith.bitcast %{{.+}} : i8 to f8E5M2
gpu.module @kernels {
  gpu.func @from_f8E5M2(%a: memref<1xf8E5M2>, %b: memref<1xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf8E5M2>
    %y = arith.extf %x : f8E5M2 to f32
    memref.store %y, %b[%c0] : memref<1xf32>
    gpu.return
  }
  gpu.func @from_f8E4M3FN(%a: memref<4xf8E4M3FN>, %b: memref<4xf64>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    %y = arith.extf %x : vector<4xf8E4M3FN> to vector<4xf64>
    vector.store %y, %b[%c0] : memref<4xf64>, vector<4xf64>
    gpu.return
  }
  gpu.func @to_f8E4M3FN(%a: memref<1xf64>, %b: memref<1xf8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf64>
    %y = arith.truncf %x : f64 to f8E4M3FN
    memref.store %y, %b[%c0] : memref<1xf8E4M3FN>
    gpu.return
  }
  gpu.func @to_f8E5M2(%a: memref<1xbf16>, %b: memref<1xf8E5M2>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xbf16>
    %y = arith.truncf %x : bf16 to f8E5M2
    memref.store %y, %b[%c0] : memref<1xf8E5M2>
    gpu.return
  }
}
