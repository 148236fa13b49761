// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the ops of each power

// Small powers become products, for negative exponents of reciprocals: (1 / 2e19)^2 is not 0.
// CHECK-LABEL: gpu.func @square(
// CHECK:         %[[X:.+]] = memref.load
// CHECK:         %[[Y:.+]] = arith.divf %{{.+}}, %[[X]] : f32
// CHECK:         %[[Z:.+]] = arith.mulf %[[Y]], %[[Y]] : f32
// CHECK:         memref.store %[[Z]]
// CHECK-NOT:     math.fpowi

// Other powers are computed from the magnitude, and odd exponents restore the sign.
// CHECK-LABEL: gpu.func @any(
// CHECK:         math.absf %{{.+}} : f32
// CHECK:         arith.sitofp %{{.+}} : i32 to f32
// CHECK:         math.copysign
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK-NOT:     math.fpowi

// `math.powf` by a whole number is the same. By 0.5 it is a square root, and -inf and -0.0 lose the sign.
// CHECK-LABEL: gpu.func @floats(
// CHECK:         %[[X:.+]] = memref.load
// CHECK:         %[[Y:.+]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         arith.addf %[[Y]], %{{.+}} : f32
// CHECK:         math.sqrt
// CHECK:         arith.cmpf oeq
// CHECK:         arith.select
// CHECK-NOT:     math.powf
gpu.module @kernels {
  gpu.func @square(%a: memref<1xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %n = arith.constant -2 : i64
    %x = memref.load %a[%c0] : memref<1xf32>
    %y = math.fpowi %x, %n : f32, i64
    memref.store %y, %a[%c0] : memref<1xf32>
    gpu.return
  }
  gpu.func @any(%a: memref<1xf16>, %n: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf16>
    %y = math.fpowi %x, %n : f16, i32
    memref.store %y, %a[%c0] : memref<1xf16>
    gpu.return
  }
  gpu.func @floats(%a: memref<1xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %two = arith.constant 2.0 : f32
    %half = arith.constant 0.5 : f32
    %x = memref.load %a[%c0] : memref<1xf32>
    %y = math.powf %x, %two : f32
    %z = math.powf %y, %half : f32
    memref.store %z, %a[%c0] : memref<1xf32>
    gpu.return
  }
}
