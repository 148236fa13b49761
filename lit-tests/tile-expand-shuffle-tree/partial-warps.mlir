// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// A shuffle must not name a missing lane, and the last warp of a block may be partial.
gpu.module @kernels {
  // A lane combines its value with another lane only if that lane exists. In the end, lane 0 has combined all
  // values, and broadcasts the total.
  // CHECK-LABEL: gpu.func @twenty_threads(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         %[[LANE:.+]] = gpu.thread_id x
  // CHECK:         %[[PARTNER:.+]] = arith.xori %[[LANE]], %{{.+}} : index
  // CHECK:         %[[THREADS:.+]] = arith.constant 20 : index
  // CHECK-NEXT:    %[[EXISTS:.+]] = arith.cmpi ult, %[[PARTNER]], %[[THREADS]]
  // CHECK-NEXT:    %[[FROM:.+]] = arith.select %[[EXISTS]], %[[PARTNER]], %[[LANE]]
  // CHECK-NEXT:    %[[FROM32:.+]] = arith.index_cast %[[FROM]]
  // CHECK:         %[[OTHER:.+]], %{{.+}} = gpu.shuffle idx %[[V]], %[[FROM32]],
  // CHECK-NEXT:    %[[BOTH:.+]] = arith.addf %[[V]], %[[OTHER]]
  // CHECK-NEXT:    %[[V1:.+]] = arith.select %[[EXISTS]], %[[BOTH]], %[[V]]
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK:         %[[LAST:.+]] = arith.select
  // CHECK:         %[[ALL:.+]], %{{.+}} = gpu.shuffle idx %[[LAST]],
  // CHECK-NOT:     {{gpu.shuffle|arith.addf}}
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         memref.store %[[ALL]]
  // COUNT: @twenty_threads barriers = 0, shuffles = 6, loads = 0, stores = 1
  gpu.func @twenty_threads(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A block of less than one warp is exchanged like a partial warp.
  // CHECK-LABEL: gpu.func @block_of_twenty(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  // COUNT: @block_of_twenty barriers = 0, shuffles = 6, loads = 0, stores = 1
  gpu.func @block_of_twenty(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Groups of sixteen: the second group has four lanes, and begins at lane 16.
  // CHECK-LABEL: gpu.func @groups_of_sixteen_in_twenty(
  // CHECK:         %[[LANE:.+]] = gpu.thread_id x
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK:         %[[SIXTEEN:.+]] = arith.constant 16 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[LANE]], %[[SIXTEEN]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[LANE]], %[[IN]]
  // CHECK-NEXT:    %[[FIRST32:.+]] = arith.index_cast %[[FIRST]]
  // CHECK-NEXT:    gpu.shuffle idx %{{.+}}, %[[FIRST32]],
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @groups_of_sixteen_in_twenty barriers = 0, shuffles = 5, loads = 0, stores = 1
  gpu.func @groups_of_sixteen_in_twenty(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 16 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // All groups of four are complete, and need no checks.
  // CHECK-LABEL: gpu.func @groups_of_four_in_twenty(
  // CHECK-NOT:     gpu.thread_id
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @groups_of_four_in_twenty barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @groups_of_four_in_twenty(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 4 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // With four lanes at a stride of eight, the fourth is always missing, and the third in four of eight
  // columns. The first lane of a column has the column's number.
  // CHECK-LABEL: gpu.func @columns_of_eight_in_twenty(
  // CHECK:         %[[LANE:.+]] = gpu.thread_id x
  // CHECK:         %[[EIGHT:.+]] = arith.constant 8 : index
  // CHECK-NEXT:    arith.xori %[[LANE]], %[[EIGHT]]
  // CHECK-COUNT-2: gpu.shuffle idx
  // CHECK:         %[[IN:.+]] = arith.remui %[[LANE]], %{{.+}} : index
  // CHECK:         %[[COLUMN:.+]] = arith.remui %[[IN]], %[[EIGHT]]
  // CHECK:         arith.addi %{{.+}}, %[[COLUMN]]
  // CHECK:         gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @columns_of_eight_in_twenty barriers = 0, shuffles = 3, loads = 0, stores = 1
  gpu.func @columns_of_eight_in_twenty(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 4 stride 8 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a block of 48 threads, the check is on the thread, not on the lane: all lanes of the first warp
  // exist.
  // CHECK-LABEL: gpu.func @warps_of_48(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T]], %{{.+}} : index
  // CHECK-NEXT:    %[[WARP:.+]] = arith.subi %[[T]], %[[LANE]]
  // CHECK:         %[[PARTNER:.+]] = arith.xori %[[LANE]], %{{.+}} : index
  // CHECK-NEXT:    %[[THREAD:.+]] = arith.addi %[[WARP]], %[[PARTNER]]
  // CHECK-NEXT:    %[[THREADS:.+]] = arith.constant 48 : index
  // CHECK-NEXT:    arith.cmpi ult, %[[THREAD]], %[[THREADS]]
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @warps_of_48 barriers = 0, shuffles = 6, loads = 0, stores = 1
  gpu.func @warps_of_48(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Sixteen lanes are a group, in both warps.
  // CHECK-LABEL: gpu.func @groups_of_sixteen_in_48(
  // CHECK-NOT:     gpu.thread_id
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @groups_of_sixteen_in_48 barriers = 0, shuffles = 4, loads = 0, stores = 1
  gpu.func @groups_of_sixteen_in_48(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 16 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The whole block has two warps with a slot each. A tree over slots would need lanes that the last warp may
  // lack, so every thread loads both slots.
  // CHECK-LABEL: gpu.func @block_of_48(
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @block_of_48_scratch : memref<4xf32,
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-COUNT-2: memref.load %[[SLOTS]]
  // CHECK:         %[[ALL:.+]] = arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         memref.store %[[ALL]]
  // COUNT: @block_of_48 barriers = 0, shuffles = 6, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @block_of_48 scf.if = 1
  gpu.func @block_of_48(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Four warps, of which the last has four lanes, have four slots, which are one load.
  // CHECK-LABEL: gpu.func @block_of_100(
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @block_of_100_scratch : memref<4xf32,
  // CHECK-COUNT-1: vector.load %[[SLOTS]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load|scf.for}}
  // CHECK:         gpu.return
  // COUNT: @block_of_100 barriers = 0, shuffles = 6, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @block_of_100 shared stores = 1, scf.if = 1
  gpu.func @block_of_100(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The 32 warps of 1000 threads have a slot each. The first warp, which has all its lanes, combines them
  // and leaves the total for all.
  // CHECK-LABEL: gpu.func @block_of_1000(
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @block_of_1000_scratch : memref<32xf32,
  // CHECK:         %[[TOTAL:.+]] = memref.get_global @block_of_1000_scratch_1 : memref<4xf32,
  // CHECK:         %[[FIRST_WARP:.+]] = arith.cmpi ult, %{{.+}}, %{{.*}}c32
  // CHECK-NEXT:    scf.if %[[FIRST_WARP]] {
  // CHECK-COUNT-1:   memref.load %[[SLOTS]]
  // CHECK-COUNT-6:   gpu.shuffle idx
  // CHECK:           memref.store %{{.+}}, %[[TOTAL]]
  // CHECK-NOT:     {{gpu.shuffle|scf.for}}
  // CHECK:         memref.load %[[TOTAL]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @block_of_1000 barriers = 0, shuffles = 12, loads = 2, shared loads = 2, stores = 3, shared stores = 2
  // COUNT: @block_of_1000 scf.if = 4
  gpu.func @block_of_1000(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1000, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Two warps per group: the second group has a warp of 32 lanes and one of four.
  // CHECK-LABEL: gpu.func @teams_of_64_in_100(
  // CHECK:         %[[THREADS:.+]] = arith.constant 100 : index
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @teams_of_64_in_100_scratch : memref<4xf32,
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK:         %[[EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %[[THREADS]]
  // CHECK-NEXT:    scf.if %[[EXISTS]] -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @teams_of_64_in_100 barriers = 0, shuffles = 6, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @teams_of_64_in_100 scf.if = 2
  gpu.func @teams_of_64_in_100(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 64 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In columns of 32 threads, the missing lanes of the last warp have stored nothing: slots from 100 on are
  // not loaded.
  // CHECK-LABEL: gpu.func @columns_of_a_block_of_100(
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @columns_of_a_block_of_100_scratch : memref<128xf32,
  // CHECK:         memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK:         scf.for
  // CHECK:           %[[THREADS:.+]] = arith.constant 100 : index
  // CHECK-NEXT:      %[[EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %[[THREADS]]
  // CHECK-NEXT:      scf.if %[[EXISTS]] -> (f32) {
  // CHECK:             memref.load %[[SLOTS]]
  // CHECK-NOT:     {{xor|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @columns_of_a_block_of_100 barriers = 0, shuffles = 0, loads = 2, shared loads = 2, stores = 2
  // COUNT: @columns_of_a_block_of_100 shared stores = 1, scf.for = 1, scf.if = 1
  gpu.func @columns_of_a_block_of_100(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 4 stride 32 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The complete warpgroup of a block of 200 has four of seven slots.
  // CHECK-LABEL: gpu.func @warpgroup_of_a_block_of_200(
  // CHECK:         scf.if
  // CHECK-COUNT-6:   gpu.shuffle idx
  // CHECK:           %[[SLOTS:.+]] = memref.get_global @warpgroup_of_a_block_of_200_scratch : memref<8xf32,
  // CHECK:           memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK:           scf.for
  // CHECK:             memref.load %[[SLOTS]]
  // CHECK-NOT:       gpu.shuffle
  // CHECK:           gpu.return
  // COUNT: @warpgroup_of_a_block_of_200 barriers = 0, shuffles = 6, loads = 2, shared loads = 2, stores = 2
  // COUNT: @warpgroup_of_a_block_of_200 shared stores = 1, scf.for = 1, scf.if = 3
  gpu.func @warpgroup_of_a_block_of_200(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 200, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      %s = tile.all_reduce sum %v scope(warpgroup) : f32 -> f32
      memref.store %s, %R[] : memref<f32>
    }
    gpu.return
  }
}
