// RUN: tx-opt %s --gpu-expand-math
// RUN(PTX): tx compile %s --entry single --chip sm_90
// SNAPSHOT: none — CHECK lines state all ops; tools/run-clamps.mlir runs them

// The upper bound first; both ops keep NaN.
// CHECK-LABEL: gpu.func @single(
// CHECK-SAME:    %{{.+}}: memref<f32>, %[[LOW:.+]]: f32, %[[HIGH:.+]]: f32)
// CHECK:         %[[X:.+]] = memref.load
// CHECK:         %[[SMALLER:.+]] = arith.minimumf %[[X]], %[[HIGH]] : f32
// CHECK:         %[[Y:.+]] = arith.maximumf %[[SMALLER]], %[[LOW]] : f32
// CHECK:         memref.store %[[Y]]
// CHECK-LABEL: gpu.func @vector(
// CHECK:         arith.extf %{{.+}} : vector<2xf16> to vector<2xf32>
// CHECK:         arith.minimumf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK:         arith.truncf %{{.+}} : vector<2xf32> to vector<2xf16>
// CHECK-NOT:     math.clampf

// PTX:     .visible .entry single
// PTX:     min.NaN.f32
// PTX:     max.NaN.f32
gpu.module @kernels {
  gpu.func @single(%a: memref<f32>, %low: f32, %high: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %a[] : memref<f32>
    %y = math.clampf %x to [%low, %high] : f32
    memref.store %y, %a[] : memref<f32>
    gpu.return
  }
  gpu.func @vector(%a: memref<2xf16>, %low: f16, %high: f16) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<2xf16>, vector<2xf16>
    %l = vector.broadcast %low : f16 to vector<2xf16>
    %h = vector.broadcast %high : f16 to vector<2xf16>
    %y = math.clampf %x to [%l, %h] : vector<2xf16>
    vector.store %y, %a[%c0] : memref<2xf16>, vector<2xf16>
    gpu.return
  }
}
