// RUN: tx-opt %s --tile-select-variant

#shared = #gpu.address_space<workgroup>

// The threads of the scope share the work, not all threads of the block.
gpu.module @kernels {
  // One warp of a block of eight warps.
  // CHECK-LABEL: gpu.func @warp
  // CHECK:       params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @warp(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %w = gpu.subgroup_id : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.reduce sum %A into %B axes [1] scope(warp)
        {exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}}
        : memref<4x8xf32> into memref<4xf32>
    }
    gpu.return
  }

  // A warp that reduces one long row has 32 lanes.
  // CHECK-LABEL: gpu.func @warp_for_one_row
  // CHECK:       params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}
  gpu.func @warp_for_one_row(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %w = gpu.subgroup_id : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.reduce sum %S into %B axes [1] scope(warp)
        {exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}}
        : memref<1x4096xf32, #shared> into memref<1xf32>
    }
    gpu.return
  }

  // The last warp of a block of 48 threads has sixteen threads.
  // CHECK-LABEL: gpu.func @warp_of_16_lanes
  // CHECK:       params = {group = 16 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @warp_of_16_lanes(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c1 = arith.constant 1 : index
    %w = gpu.subgroup_id : index
    %is_1 = arith.cmpi eq, %w, %c1 : index
    scf.if %is_1 {
      tile.reduce sum %A into %B axes [1] scope(warp)
        {exec = {active = array<i64: 32, 48>, block = 48 : i64, threads = 16 : i64}}
        : memref<4x64xf32> into memref<4xf32>
    }
    gpu.return
  }

  // A warpgroup has 128 threads for one row.
  // CHECK-LABEL: gpu.func @warpgroup
  // CHECK:       params = {group = 128 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}
  gpu.func @warpgroup(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      tile.reduce sum %S into %B axes [1] scope(warpgroup)
        {exec = {active = array<i64: 0, 128>, block = 256 : i64, threads = 128 : i64}}
        : memref<1x4096xf32, #shared> into memref<1xf32>
    }
    gpu.return
  }

  // The block has 256 threads for one row.
  // CHECK-LABEL: gpu.func @cta
  // CHECK:       params = {group = 256 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}
  gpu.func @cta(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}}
      : memref<1x4096xf32, #shared> into memref<1xf32>
    gpu.return
  }

  // A block of three dimensions is handled in the same way.
  // CHECK-LABEL: gpu.func @three_dimensions
  // CHECK:       params = {group = 8 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64}
  gpu.func @three_dimensions(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 8, 4, 2>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
