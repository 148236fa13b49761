// RUN: tx-opt %s --tile-analyze-scope

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Outside all branches, all threads of the block are active.
  // CHECK-LABEL: gpu.func @all_threads_of_the_block
  // CHECK:       tile.reduce {{.*}}exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
  gpu.func @all_threads_of_the_block() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    gpu.return
  }

  // A block need not consist of whole warps.
  // CHECK-LABEL: gpu.func @block_of_20
  // CHECK:       exec = {active = array<i64: 0, 20>, block = 20 : i64, threads = 20 : i64}
  gpu.func @block_of_20() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    gpu.return
  }

  // In a three-dimensional block, threads are numbered along x first.
  // CHECK-LABEL: gpu.func @three_dimensions
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @three_dimensions() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 8, 4, 2>} {
    tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    gpu.return
  }

  // Copies are analyzed like reductions.
  // CHECK-LABEL: gpu.func @copy
  // CHECK:       tile.copy {{.*}} scope(cta) {exec = {active = array<i64: 0, 100>, block = 100 : i64, threads = 100 : i64}}
  gpu.func @copy(%A: memref<4x8xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<4x8xf32> to !S
    gpu.return
  }

  // Exchanges of values are analyzed like reductions.
  // CHECK-LABEL: gpu.func @all_reduce
  // CHECK:       tile.all_reduce {{.*}} scope(warp) {exec = {active = array<i64: 0, 128>, block = 128 : i64, threads = 32 : i64}}
  gpu.func @all_reduce(%v: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    gpu.return
  }
}
