// RUN: tx-opt %s --tile-expand-reduce

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// Floats of eight bits and single bits.
gpu.module @kernels {
  // f8E5M2 is the upper half of an f16.
  // CHECK-LABEL: gpu.func @e5m2(
  // CHECK:           %[[X:.+]] = memref.load %{{.+}} : memref<40xf8E5M2
  // CHECK-NEXT:      %[[BITS:.+]] = arith.bitcast %[[X]] : f8E5M2 to i8
  // CHECK-NEXT:      %[[WIDE:.+]] = arith.extui %[[BITS]] : i8 to i16
  // CHECK-NEXT:      %[[EIGHT:.+]] = arith.constant 8 : i16
  // CHECK-NEXT:      %[[UP:.+]] = arith.shli %[[WIDE]], %[[EIGHT]]
  // CHECK-NEXT:      %[[HALF:.+]] = arith.bitcast %[[UP]] : i16 to f16
  // CHECK-NEXT:      %[[F:.+]] = arith.extf %[[HALF]] : f16 to f32
  // CHECK-NEXT:      arith.addf %{{.+}}, %[[F]] : f32
  gpu.func @e5m2() private(%P: memref<40xf8E5M2, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xf8E5M2, #private> into memref<f32, #private>
    gpu.return
  }

  // f8E4M3FN is an f16 but for a bias that is eight less, which a factor of 256 makes up for, and for
  // its NaN, which is all ones.
  // CHECK-LABEL: gpu.func @e4m3(
  // CHECK:           memref.load %{{.+}} : memref<40xf8E4M3FN
  // CHECK:           %[[MAGNITUDE:.+]] = arith.andi %{{.+}}, %{{.*}}c127_i16
  // CHECK:           arith.andi %{{.+}}, %{{.*}}c128_i16
  // CHECK:           arith.extf %{{.+}} : f16 to f32
  // CHECK:           %[[SCALE:.+]] = arith.constant 2.560000e+02 : f32
  // CHECK-NEXT:      %[[F:.+]] = arith.mulf %{{.+}}, %[[SCALE]]
  // CHECK-NEXT:      %[[IS_NAN:.+]] = arith.cmpi eq, %[[MAGNITUDE]], %{{.+}} : i16
  // CHECK-NEXT:      %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK-NEXT:      %[[R:.+]] = arith.select %[[IS_NAN]], %[[NAN]], %[[F]]
  // CHECK-NEXT:      arith.maximumf %{{.+}}, %[[R]] : f32
  // CHECK:         arith.truncf %{{.+}} : f32 to f16
  gpu.func @e4m3() private(%P: memref<40xf8E4M3FN, #private>, %Q: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xf8E4M3FN, #private> into memref<f16, #private>
    gpu.return
  }

  // Single bits stay what they are. All are set unless one is not, and none is unless one is.
  // CHECK-LABEL: gpu.func @and_i1(
  // CHECK:         %[[START:.+]] = arith.constant true
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.andi %[[C]], %{{.+}} : i1
  gpu.func @and_i1() private(%P: memref<40xi1, #private>, %Q: memref<i1, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce and %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xi1, #private> into memref<i1, #private>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @or_i1(
  // CHECK:         %[[START:.+]] = arith.constant false
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.ori %[[C]], %{{.+}} : i1
  gpu.func @or_i1() private(%P: memref<40xi1, #private>, %Q: memref<i1, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce or %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xi1, #private> into memref<i1, #private>
    gpu.return
  }
}
