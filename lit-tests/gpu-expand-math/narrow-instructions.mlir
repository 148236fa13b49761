// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the ops of each conversion.

// One instruction rounds two elements of a vector. The instruction saturates, so a number out of range is replaced by
// NaN before it, and the sign is added after it.
// CHECK-LABEL: gpu.func @to_f8E4M3FN(
// CHECK:         arith.cmpf ole
// CHECK:         arith.select %{{.+}}, %[[LOW:.+]], %{{.+}} : f32
// CHECK:         arith.select
// CHECK:         %[[PAIR:.+]] = nvvm.convert.f32x2.to.f8x2 %{{.+}}, %{{.+}} {{.*}}: i16(f8E4M3FN)
// CHECK:         arith.ori %[[PAIR]],
// CHECK:         nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         vector.bitcast %{{.+}} : vector<2xi16> to vector<4xi8>
// CHECK:         arith.bitcast %{{.+}} : vector<4xi8> to vector<4xf8E4M3FN>

// Minima and maxima with constants prove that no number is out of range: only the instruction is emitted.
// CHECK-LABEL: gpu.func @clamped(
// CHECK:         arith.maximumf
// CHECK-NEXT:    arith.extf
// CHECK-NOT:     arith.cmpf
// CHECK:         nvvm.convert.f32x2.to.f8x2 %{{.+}}, %{{.+}} {{.*}}: i16(f8E4M3FN)
// CHECK-NOT:     arith.select
// CHECK:         vector.store

// This clamp does not bound a value to the range of f8E5M2.
// CHECK-LABEL: gpu.func @clamped_to_more(
// CHECK:         arith.minimumf
// CHECK-COUNT-1: arith.cmpf olt
// CHECK:         nvvm.convert.f32x2.to.f8x2 %{{.+}}, %{{.+}} {{.*}}: i16(f8E5M2)

// A scalar is paired with zero. An f64 is rounded once, by integer ops.
// CHECK-LABEL: gpu.func @alone(
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         nvvm.convert.f32x2.to.f8x2 %[[ZERO]], %{{.+}} {{.*}}: i16(f8E5M2)
// CHECK-NOT:     nvvm.convert
// CHECK:         arith.minui
// CHECK:         gpu.return

// Scalar conversions of the elements of one vector become a conversion of the vector, both to 8-bit floats and from
// them.
// CHECK-LABEL: gpu.func @gathered(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK-NOT:     nvvm.convert.f8x2
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         gpu.return

// A stored NaN of f8E4M3FN has the bits of the integer ops. They do not matter if arithmetic is the only use.
// Integer ops keep the payload of a stored NaN of f8E5M2.
// CHECK-LABEL: gpu.func @widened(
// CHECK:         nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         arith.cmpf uno
// CHECK:         nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.mulf
// CHECK-NOT:     nvvm.convert
// CHECK:         gpu.return

// Integer ops for a chip before sm_89, for an older PTX version, and if one of several targets lacks the instructions.
// CHECK-LABEL: gpu.module @older
// CHECK-NOT:     nvvm.convert
// CHECK-LABEL: gpu.module @early
// CHECK-NOT:     nvvm.convert
// CHECK-LABEL: gpu.module @several
// CHECK-NOT:     nvvm.convert
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @to_f8E4M3FN(%a: memref<4xbf16>, %b: memref<4xf8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<4xbf16>, vector<4xbf16>
    %y = arith.truncf %x : vector<4xbf16> to vector<4xf8E4M3FN>
    vector.store %y, %b[%c0] : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    gpu.return
  }
  gpu.func @clamped(%a: memref<2xbf16>, %b: memref<2xf8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<2xbf16>, vector<2xbf16>
    %high = arith.constant dense<448.0> : vector<2xbf16>
    %low = arith.constant dense<-448.0> : vector<2xbf16>
    %h = arith.minimumf %x, %high : vector<2xbf16>
    %l = arith.maximumf %h, %low : vector<2xbf16>
    %y = arith.truncf %l : vector<2xbf16> to vector<2xf8E4M3FN>
    vector.store %y, %b[%c0] : memref<2xf8E4M3FN>, vector<2xf8E4M3FN>
    gpu.return
  }
  gpu.func @clamped_to_more(%a: memref<1xf32>, %b: memref<1xf8E5M2>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf32>
    %high = arith.constant 65504.0 : f32
    %low = arith.constant -448.0 : f32
    %l = arith.maximumf %x, %low : f32
    %h = arith.minimumf %l, %high : f32
    %y = arith.truncf %h : f32 to f8E5M2
    memref.store %y, %b[%c0] : memref<1xf8E5M2>
    gpu.return
  }
  gpu.func @alone(%a: memref<1xf16>, %d: memref<1xf64>, %b: memref<2xf8E5M2>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c0] : memref<1xf16>
    %y = arith.truncf %x : f16 to f8E5M2
    memref.store %y, %b[%c0] : memref<2xf8E5M2>
    %w = memref.load %d[%c0] : memref<1xf64>
    %z = arith.truncf %w : f64 to f8E5M2
    memref.store %z, %b[%c1] : memref<2xf8E5M2>
    gpu.return
  }
  gpu.func @gathered(%a: memref<4xf8E4M3FN>, %b: memref<4xf8E5M2>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    %x0 = vector.extract %x[0] : f8E4M3FN from vector<4xf8E4M3FN>
    %x1 = vector.extract %x[1] : f8E4M3FN from vector<4xf8E4M3FN>
    %x2 = vector.extract %x[2] : f8E4M3FN from vector<4xf8E4M3FN>
    %x3 = vector.extract %x[3] : f8E4M3FN from vector<4xf8E4M3FN>
    %e0 = arith.extf %x0 : f8E4M3FN to f32
    %e1 = arith.extf %x1 : f8E4M3FN to f32
    %e2 = arith.extf %x2 : f8E4M3FN to f32
    %e3 = arith.extf %x3 : f8E4M3FN to f32
    %y0 = arith.truncf %e0 : f32 to f8E5M2
    %y1 = arith.truncf %e1 : f32 to f8E5M2
    %y2 = arith.truncf %e2 : f32 to f8E5M2
    %y3 = arith.truncf %e3 : f32 to f8E5M2
    %y = vector.from_elements %y0, %y1, %y2, %y3 : vector<4xf8E5M2>
    vector.store %y, %b[%c0] : memref<4xf8E5M2>, vector<4xf8E5M2>
    gpu.return
  }
  gpu.func @widened(%a: memref<2xf8E4M3FN>, %b: memref<2xf8E5M2>, %c: memref<2xbf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = vector.load %a[%c0] : memref<2xf8E4M3FN>, vector<2xf8E4M3FN>
    %wide = arith.extf %x : vector<2xf8E4M3FN> to vector<2xbf16>
    vector.store %wide, %c[%c0] : memref<2xbf16>, vector<2xbf16>
    %y = memref.load %b[%c0] : memref<2xf8E5M2>
    %z = arith.extf %y : f8E5M2 to bf16
    %w = arith.mulf %z, %z : bf16
    memref.store %w, %c[%c0] : memref<2xbf16>
    %u = memref.load %b[%c1] : memref<2xf8E5M2>
    %v = arith.extf %u : f8E5M2 to bf16
    memref.store %v, %c[%c1] : memref<2xbf16>
    gpu.return
  }
}
gpu.module @older [#nvvm.target<chip = "sm_86", features = "+ptx81">] {
  gpu.func @before_sm_89(%x: f32, %b: memref<f8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %y = arith.truncf %x : f32 to f8E4M3FN
    memref.store %y, %b[] : memref<f8E4M3FN>
    gpu.return
  }
}
gpu.module @early [#nvvm.target<chip = "sm_89", features = "+ptx78">] {
  gpu.func @before_ptx_81(%x: f32, %b: memref<f8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %y = arith.truncf %x : f32 to f8E4M3FN
    memref.store %y, %b[] : memref<f8E4M3FN>
    gpu.return
  }
}
gpu.module @several [#nvvm.target<chip = "sm_80", features = "+ptx70">, #nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @one_of_several(%x: f32, %b: memref<f8E4M3FN>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %y = arith.truncf %x : f32 to f8E4M3FN
    memref.store %y, %b[] : memref<f8E4M3FN>
    gpu.return
  }
}
