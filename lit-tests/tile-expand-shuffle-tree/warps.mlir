// RUN: tx-opt %s --tile-expand-shuffle-tree

// Groups that are wider than a warp leave values in shared memory, one slot for each warp and column
// of the block. Between writing and reading a barrier is missing, which another pass inserts.
// CHECK-DAG: memref.global "private" @two_warps_scratch : memref<2xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @three_warps_scratch : memref<3xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @eight_warps_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @thirty_two_warps_scratch : memref<32xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @four_teams_of_two_warps_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @incomplete_last_team_scratch : memref<3xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @warpgroups_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @columns_scratch : memref<128xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @four_columns_scratch : memref<16xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @every_other_warp_scratch : memref<256xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
gpu.module @kernels {
  // Each warp adds up its lanes, and its first lane leaves the sum in a slot of its own. Then a lane
  // takes a slot, and one more step adds up both.
  // CHECK-LABEL: gpu.func @two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SUM:.+]] = arith.addf
  // CHECK-NEXT:    %[[SLOTS:.+]] = memref.get_global @two_warps_scratch : memref<2xf32, #gpu.address_space<workgroup>>
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %[[WARP:.+]] : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]], %[[WARP]] : index
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[W]], %[[LANE]]
  // CHECK:         %[[LEADER:.+]] = arith.cmpi ult, %[[LANE]], %{{.+}}
  // CHECK-NEXT:    scf.if %[[LEADER]] {
  // CHECK-NEXT:      memref.store %[[SUM]], %[[SLOTS]][%[[SLOT]]]
  // CHECK-NEXT:    }{{$}}
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[I:.+]] = arith.remui %[[LANE]], %[[TWO]]
  // CHECK-NEXT:    %[[X:.+]] = memref.load %[[SLOTS]][%[[I]]]
  // CHECK-NEXT:    %[[OTHER:.+]], %{{.+}} = gpu.shuffle xor %[[X]],
  // CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[X]], %[[OTHER]]
  // CHECK-NEXT:    memref.store %[[ALL]]
  gpu.func @two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Three warps are two steps over four lanes, one of which has no slot and takes zero.
  // CHECK-LABEL: gpu.func @three_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @three_warps_scratch
  // CHECK:         %[[THREE:.+]] = arith.constant 3 : index
  // CHECK-NEXT:    %[[HAS:.+]] = arith.cmpi ult, %[[I:.+]], %[[THREE]]
  // CHECK-NEXT:    %[[X:.+]] = scf.if %[[HAS]] -> (f32) {
  // CHECK-NEXT:      memref.load %[[SLOTS]][%[[I]]]
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0.000000e+00 : f32
  // CHECK:         }{{$}}
  // CHECK:         gpu.shuffle xor %[[X]]
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @three_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Eight warps are three steps more.
  // CHECK-LABEL: gpu.func @eight_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @eight_warps_scratch
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-COUNT-1: memref.load %[[SLOTS]]
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  gpu.func @eight_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The largest block has as many warps as a warp has lanes: five more.
  // CHECK-LABEL: gpu.func @thirty_two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @thirty_two_warps_scratch
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-COUNT-1: memref.load %[[SLOTS]]
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  gpu.func @thirty_two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 16, 2>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Several groups of a block have their slots one after the other: warps 6 and 7 are the fourth
  // group, and take slots 6 and 7.
  // CHECK-LABEL: gpu.func @four_teams_of_two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %{{.+}} : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]]
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[W]], %[[TWO]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[W]], %[[IN]]
  // CHECK-NEXT:    %[[I:.+]] = arith.remui %[[LANE]], %[[TWO]]
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[FIRST]], %[[I]]
  // CHECK-NEXT:    memref.load %{{.+}}[%[[SLOT]]]
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @four_teams_of_two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 64 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a block of 96 threads the second group of 64 lacks its second warp. Nobody has written the
  // slot of that, and nobody reads it.
  // CHECK-LABEL: gpu.func @incomplete_last_team(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @incomplete_last_team_scratch : memref<3xf32,
  // CHECK:         %[[WRITER:.+]] = arith.muli %[[WARP:.+]], %{{.+}} : index
  // CHECK-NEXT:    %[[THREADS:.+]] = arith.constant 96 : index
  // CHECK-NEXT:    %[[EXISTS:.+]] = arith.cmpi ult, %[[WRITER]], %[[THREADS]]
  // CHECK-NEXT:    scf.if %[[EXISTS]] -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0.000000e+00 : f32
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @incomplete_last_team(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 64 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Two warpgroups have four slots each.
  // CHECK-LABEL: gpu.func @warpgroups(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %{{.+}} : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]]
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[W]], %[[FOUR]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[W]], %[[IN]]
  // CHECK-NEXT:    %[[I:.+]] = arith.remui %[[LANE]], %[[FOUR]]
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[FIRST]], %[[I]]
  // CHECK-NEXT:    memref.load %{{.+}}[%[[SLOT]]]
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @warpgroups(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warpgroup) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A column for each lane leaves nothing to exchange within a warp. Every lane leaves its value, and
  // adds up those of its column: itself, and three more 32 slots apart.
  // CHECK-LABEL: gpu.func @columns(
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     scf.if
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @columns_scratch : memref<128xf32,
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %[[WARP:.+]] : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]], %[[WARP]] : index
  // CHECK-NEXT:    %[[ROW:.+]] = arith.muli %[[W]], %[[WARP]] : index
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[ROW]], %[[LANE]] : index
  // CHECK-NEXT:    memref.store %{{.+}}, %[[SLOTS]][%[[SLOT]]]
  // CHECK-NEXT:    %[[FIRST:.+]] = memref.load %[[SLOTS]][%[[LANE]]]
  // CHECK:         scf.for %[[I:[^ ]+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[C:.+]] = %[[FIRST]]) -> (f32)
  // CHECK-NEXT:      %[[NEXT_ROW:.+]] = arith.muli %[[I]], %[[WARP]]
  // CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[NEXT_ROW]], %[[LANE]]
  // CHECK-NEXT:      %[[X:.+]] = memref.load %[[SLOTS]][%[[NEXT]]]
  // CHECK-NEXT:      arith.addf %[[C]], %[[X]]
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @columns(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 4 stride 32 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Four columns are both: lanes of a warp that are four apart, then slots of four warps, four a warp,
  // again in lanes that are four apart.
  // CHECK-LABEL: gpu.func @four_columns(
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[FOUR]],
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.get_global @four_columns_scratch : memref<16xf32,
  // CHECK:         arith.cmpi ult, %[[LANE:.+]], %[[COLUMNS:.+]] : index
  // CHECK-NEXT:    scf.if
  // CHECK-NEXT:      memref.store
  // CHECK:         %[[COLUMN:.+]] = arith.remui %[[LANE]], %[[COLUMNS]]
  // CHECK:         %[[SLOT:.+]] = arith.addi %{{.+}}, %[[COLUMN]]
  // CHECK-NEXT:    memref.load %{{.+}}[%[[SLOT]]]
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[FOUR]],
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @four_columns(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 32 stride 4 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Threads that are 64 apart are in every other warp: warp 5 of 8 adds up its value and that of
  // warp 7.
  // CHECK-LABEL: gpu.func @every_other_warp(
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @every_other_warp_scratch : memref<256xf32,
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %{{.+}} : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]]
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[W]], %[[FOUR]]
  // CHECK-NEXT:    %[[ABOVE:.+]] = arith.subi %[[W]], %[[IN]]
  // CHECK-NEXT:    %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[COLUMN:.+]] = arith.remui %[[IN]], %[[TWO]]
  // CHECK-NEXT:    %[[BASE:.+]] = arith.addi %[[ABOVE]], %[[COLUMN]]
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK:         arith.addi %[[BASE]], %[[TWO]]
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  gpu.func @every_other_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 2 stride 64 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
