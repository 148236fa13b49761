// RUN: tx-opt %s --gpu-expand-math
// RUN(PTX): tx compile %s --entry single --chip sm_90
// SNAPSHOT: none — long, and most of it is a table of constants

// The argument is reduced once, and both results are selected from the same two polynomials.
// CHECK-LABEL: gpu.func @single(
// CHECK-COUNT-1: arith.fptosi %{{.+}} : f32 to i64
// CHECK-NOT:     arith.fptosi
// CHECK:         memref.store
// CHECK:         memref.store
// CHECK-LABEL: gpu.func @vector(
// CHECK-NOT:     math.sincos
// CHECK:         arith.extf %{{.+}} : vector<2xbf16> to vector<2xf32>
// CHECK-COUNT-2: arith.truncf %{{.+}} : vector<2xf32> to vector<2xbf16>
// CHECK-NOT:     math.sincos

// PTX:     .visible .entry single
// PTX-NOT: {{call|\.approx|\.ftz}}
gpu.module @kernels {
  gpu.func @single(%a: memref<2xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c0] : memref<2xf32>
    %s, %c = math.sincos %x : f32
    memref.store %s, %a[%c0] : memref<2xf32>
    memref.store %c, %a[%c1] : memref<2xf32>
    gpu.return
  }
  gpu.func @vector(%a: memref<4xbf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %x = vector.load %a[%c0] : memref<4xbf16>, vector<2xbf16>
    %s, %c = math.sincos %x : vector<2xbf16>
    vector.store %s, %a[%c0] : memref<4xbf16>, vector<2xbf16>
    vector.store %c, %a[%c2] : memref<4xbf16>, vector<2xbf16>
    gpu.return
  }
}
