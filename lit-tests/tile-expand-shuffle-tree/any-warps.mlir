// RUN: tx-opt %s --tile-expand-shuffle-tree

// Groups of whole warps combine by a tree over lanes and then over warps, of any number.
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  // Three of six warps: the second group begins with warp 3, which is unaligned for a load of four.
  // CHECK-LABEL: gpu.func @three_warps_of_six(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @three_warps_of_six_scratch : memref<8xf32,
  // CHECK:         %[[WARP:.+]] = arith.divui
  // CHECK:         %[[IN:.+]] = arith.remui %[[WARP]], %{{.*}}c3
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[WARP]], %[[IN]]
  // CHECK-NEXT:    memref.load %[[SLOTS]][%[[FIRST]]]
  // CHECK-COUNT-2: memref.load %[[SLOTS]]
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load|scf.if}}
  // CHECK:         gpu.return
  gpu.func @three_warps_of_six(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 96 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Six of twelve warps, each combined by one instruction.
  // CHECK-LABEL: gpu.func @six_warps_of_twelve(
  // CHECK-COUNT-1: nvvm.redux.sync add
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @six_warps_of_twelve_scratch
  // CHECK-COUNT-6: memref.load %[[SLOTS]]
  // CHECK-COUNT-5: arith.addi
  // CHECK-NOT:     {{gpu.shuffle|redux|memref.load|vector.load}}
  // CHECK:         gpu.return
  gpu.func @six_warps_of_twelve(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 192 {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Threads with a stride of 96 are in every third warp.
  // CHECK-LABEL: gpu.func @every_third_warp(
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @every_third_warp_scratch : memref<288xf32,
  // CHECK:         memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-COUNT-3: memref.load %[[SLOTS]]
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.if}}
  // CHECK:         gpu.return
  gpu.func @every_third_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 96, 3, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 3 stride 96 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Two columns of 48 threads need one step less in the warp, and two values per warp for three warps.
  // CHECK-LABEL: gpu.func @two_columns(
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @two_columns_scratch : memref<8xf32,
  // CHECK-COUNT-3: memref.load %[[SLOTS]]
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.if}}
  // CHECK:         gpu.return
  gpu.func @two_columns(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 2, 48, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 48 stride 2 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
