// RUN: tx-opt %s --tile-expand-reduce

#thread = {active = array<i64: 0, 1>, block = 1 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>
#regs = #tile.layout<[<16 : 1 reg>]>
#one = #tile.layout<[]>

// One thread reduces chunks of eight elements, for instructions of later chips.
gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
  // Four pairs per chunk: 19 elements are two chunks with four pair additions, and three more to combine the
  // pairs. The last pair and the three remaining elements take four scalar additions, in pairs.
  // CHECK-LABEL: gpu.func @sum(
  // CHECK-COUNT-19: memref.load
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-7: arith.addf {{.+}} : vector<2xf32>
  // CHECK-NOT:     arith.addf {{.+}} : vector
  // CHECK-COUNT-4: arith.addf {{.+}} : f32
  // CHECK-NOT:     arith.addf
  // CHECK:         memref.store
  // CHECK:         gpu.return
  gpu.func @sum() private(%P: memref<19xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread, params = {}, variant = "packed_add_sum"}
      : memref<19xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // Registers are reduced without memory, and the old value is combined last.
  // CHECK-LABEL: gpu.func @registers(
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-7: arith.addf {{.+}} : vector<2xf32>
  // CHECK-COUNT-2: arith.addf {{.+}} : f32
  // CHECK-NOT:     {{arith.addf|memref.load}}
  // CHECK:         gpu.return
  gpu.func @registers(%c: f32, %d: f32, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = tile.splat %c : f32 -> !tile.fragment<16xf32, #regs>
    %old = tile.splat %d : f32 -> !tile.fragment<f32, #one>
    %r = tile.reduce sum %x init(%old) axes [0] scope(thread) accumulate
      {exec = #thread, params = {}, variant = "packed_add_sum"}
      : !tile.fragment<16xf32, #regs> init !tile.fragment<f32, #one> -> !tile.fragment<f32, #one>
    tile.store %r to %B scope(thread) : !tile.fragment<f32, #one> to memref<f32>
    gpu.return
  }

  // Each of four accumulators combines two elements of each chunk in sequence, which becomes one instruction
  // of three operands.
  // CHECK-LABEL: gpu.func @max(
  // CHECK-COUNT-16: memref.load
  // CHECK:         %[[A:.+]] = arith.maximumf %[[X0:.+]], %[[X1:.+]] : f32
  // CHECK-COUNT-14: arith.maximumf
  // CHECK-NOT:     arith.maximumf
  // CHECK:         memref.store
  // CHECK:         gpu.return
  gpu.func @max() private(%P: memref<16xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread) {exec = #thread, params = {}, variant = "3input_maxmin"}
      : memref<16xf32, #private> into memref<f32, #private>
    gpu.return
  }
}
