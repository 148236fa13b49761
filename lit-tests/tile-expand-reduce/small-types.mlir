// RUN: tx-opt %s --tile-expand-reduce

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// 8-bit floats and elements of i1.
gpu.module @kernels {
  // 8-bit floats are extended to f32.
  // CHECK-LABEL: gpu.func @e5m2(
  // CHECK:           %[[X:.+]] = memref.load %{{.+}} : memref<40xf8E5M2
  // CHECK-NEXT:      %[[F:.+]] = arith.extf %[[X]] : f8E5M2 to f32
  // CHECK-NEXT:      arith.addf %{{.+}}, %[[F]] : f32
  gpu.func @e5m2() private(%P: memref<40xf8E5M2, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xf8E5M2, #private> into memref<f32, #private>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @e4m3(
  // CHECK:           %[[X:.+]] = memref.load %{{.+}} : memref<40xf8E4M3FN
  // CHECK-NEXT:      %[[F:.+]] = arith.extf %[[X]] : f8E4M3FN to f32
  // CHECK-NEXT:      arith.maximumf %{{.+}}, %[[F]] : f32
  // CHECK:         arith.truncf %{{.+}} : f32 to f16
  gpu.func @e4m3() private(%P: memref<40xf8E4M3FN, #private>, %Q: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<40xf8E4M3FN, #private> into memref<f16, #private>
    gpu.return
  }

  // i1 elements stay i1: `and` starts with 1, `or` with 0.
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
