// RUN: tx-opt %s --tile-expand-shuffle-tree

// One `redux.sync` combines the lanes of its member mask, and replaces a tree of shuffles.
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  // A whole warp: the mask has all bits set, without computation.
  // CHECK-LABEL: gpu.func @whole_warp(
  // CHECK-SAME:    %[[V:[^:]+]]: i32
  // CHECK-NEXT:    %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK-NEXT:    %[[S:.+]] = nvvm.redux.sync add %[[V]], %[[ALL]] : i32 -> i32
  // CHECK-NEXT:    memref.store %[[S]]
  gpu.func @whole_warp(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Eight neighbouring lanes: eight set bits, shifted to the first lane of the group.
  // CHECK-LABEL: gpu.func @eight_lanes(
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[OWN:.+]] = arith.remui %[[T]], %{{.+}} : index
  // CHECK:         %[[FIRST:.+]] = arith.subi %{{.+}}, %[[OWN]]
  // CHECK-NEXT:    %[[BY:.+]] = arith.index_cast %[[FIRST]]
  // CHECK-NEXT:    %[[ONES:.+]] = arith.constant 255 : i32
  // CHECK-NEXT:    %[[MASK:.+]] = arith.shli %[[ONES]], %[[BY]]
  // CHECK-NEXT:    nvvm.redux.sync max %{{.+}}, %[[MASK]] : i32 -> i32
  // CHECK-NOT:     {{gpu.shuffle|redux}}
  // CHECK:         gpu.return
  gpu.func @eight_lanes(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce max %v scope(warp) width 8 stride 1 {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Four lanes with a stride of eight: every eighth bit.
  // CHECK-LABEL: gpu.func @four_lanes_apart(
  // CHECK:         %[[BITS:.+]] = arith.constant 16843009 : i32
  // CHECK-NEXT:    %[[MASK:.+]] = arith.shli %[[BITS]],
  // CHECK-NEXT:    nvvm.redux.sync and %{{.+}}, %[[MASK]] : i32 -> i32
  // CHECK-NOT:     {{gpu.shuffle|redux}}
  // CHECK:         gpu.return
  gpu.func @four_lanes_apart(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce and %v scope(warp) width 4 stride 8 {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // With twenty threads, the mask has twenty lanes: a mask with missing lanes would never return.
  // CHECK-LABEL: gpu.func @twenty_threads(
  // CHECK-NEXT:    %[[TWENTY:.+]] = arith.constant 1048575 : i32
  // CHECK-NEXT:    nvvm.redux.sync add %{{.+}}, %[[TWENTY]] : i32 -> i32
  // CHECK-NOT:     {{gpu.shuffle|redux}}
  // CHECK:         gpu.return
  gpu.func @twenty_threads(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // The second of two groups of sixteen has four lanes.
  // CHECK-LABEL: gpu.func @groups_of_sixteen_in_twenty(
  // CHECK:         %[[GROUP:.+]] = arith.shli
  // CHECK:         %[[THERE:.+]] = arith.constant 1048575 : i32
  // CHECK-NEXT:    %[[MASK:.+]] = arith.andi %[[GROUP]], %[[THERE]]
  // CHECK-NEXT:    nvvm.redux.sync add %{{.+}}, %[[MASK]] : i32 -> i32
  gpu.func @groups_of_sixteen_in_twenty(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 16 stride 1 {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Narrow integers are extended to 32 bits, with the sign of the kind.
  // CHECK-LABEL: gpu.func @min_i8(
  // CHECK:         %[[W:.+]] = arith.extsi %{{.+}} : i8 to i32
  // CHECK:         %[[S:.+]] = nvvm.redux.sync min %[[W]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[S]] : i32 to i8
  gpu.func @min_i8(%v: i8, %R: memref<i8>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce min %v scope(warp) {variant = "redux"} : i8 -> i8
    memref.store %s, %R[] : memref<i8>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @umax_i16(
  // CHECK:         %[[W:.+]] = arith.extui %{{.+}} : i16 to i32
  // CHECK:         %[[S:.+]] = nvvm.redux.sync umax %[[W]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[S]] : i32 to i16
  gpu.func @umax_i16(%v: i16, %R: memref<i16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce umax %v scope(warp) {variant = "redux"} : i16 -> i16
    memref.store %s, %R[] : memref<i16>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @xor_i1(
  // CHECK:         %[[W:.+]] = arith.extui %{{.+}} : i1 to i32
  // CHECK:         %[[S:.+]] = nvvm.redux.sync xor %[[W]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[S]] : i32 to i1
  gpu.func @xor_i1(%v: i1, %R: memref<i1>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce xor %v scope(warp) {variant = "redux"} : i1 -> i1
    memref.store %s, %R[] : memref<i1>
    gpu.return
  }

  // Two warps execute one instruction each, and every thread loads both results.
  // CHECK-LABEL: gpu.func @two_warps(
  // CHECK:         nvvm.redux.sync or
  // CHECK:         memref.get_global @two_warps_scratch : memref<4xi32,
  // CHECK-COUNT-2: memref.load
  // CHECK-NEXT:    arith.ori
  // CHECK-NOT:     {{gpu.shuffle|redux}}
  // CHECK:         gpu.return
  gpu.func @two_warps(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce or %v scope(cta) {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // With up to sixteen warps, every thread loads all results, four per load, and adds them in pairs.
  // CHECK-LABEL: gpu.func @sixteen_warps(
  // CHECK:         nvvm.redux.sync add
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @sixteen_warps_scratch : memref<16xi32,
  // CHECK-COUNT-4: vector.load %[[SLOTS]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-COUNT-15: arith.addi
  // CHECK-NOT:     {{gpu.shuffle|redux|memref.load|vector.load}}
  // CHECK:         gpu.return
  gpu.func @sixteen_warps(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // With more warps, each lane loads one result, and a second instruction combines them. Other lanes
  // contribute the identity.
  // CHECK-LABEL: gpu.func @twenty_four_warps(
  // CHECK:         nvvm.redux.sync add
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @twenty_four_warps_scratch : memref<24xi32,
  // CHECK:         %[[MINE:.+]] = scf.if
  // CHECK-NEXT:      memref.load %[[SLOTS]]
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0 : i32
  // CHECK:         nvvm.redux.sync add %[[MINE]]
  // CHECK-NOT:     {{gpu.shuffle|redux|memref.load|vector.load}}
  // CHECK:         gpu.return
  gpu.func @twenty_four_warps(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 768, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) {variant = "redux"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // An exchange marked as `shuffle` uses shuffles.
  // CHECK-LABEL: gpu.func @shuffles(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|redux}}
  // CHECK:         gpu.return
  gpu.func @shuffles(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) {variant = "shuffle"} : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }
}

// Later chips also have float maxima and minima. NaN wins if the op says so.
gpu.module @floats [#nvvm.target<chip = "sm_100a">] {
  // CHECK-LABEL: gpu.func @max_f32(
  // CHECK:         nvvm.redux.sync fmax %{{.+}}, %{{.+}} {nan = true} : f32 -> f32
  gpu.func @max_f32(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce max %v scope(warp) {variant = "redux"} : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @min_f32_ignoring_nan(
  // CHECK:         nvvm.redux.sync fmin %{{.+}}, %{{[^ ]+}} : f32 -> f32
  gpu.func @min_f32_ignoring_nan(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce min %v scope(warp) {variant = "redux", nan = #tile.nan<ignore>} : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
