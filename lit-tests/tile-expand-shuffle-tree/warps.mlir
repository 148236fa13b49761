// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Groups wider than a warp store values in shared memory, one slot for each warp and column of the block. The
// barrier between stores and loads is inserted by another pass.
// CHECK-DAG: memref.global "private" @two_warps_scratch : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @three_warps_scratch : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @eight_warps_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @sixteen_warps_scratch : memref<16xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @four_warps_scratch : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @nine_warps_scratch : memref<12xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @thirty_two_warps_scratch : memref<32xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @thirty_two_warps_scratch_1 : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @twenty_warps_scratch : memref<20xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @twenty_warps_scratch_1 : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @eight_warps_f64_scratch : memref<8xf64, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @four_teams_of_two_warps_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @incomplete_last_team_scratch : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @warpgroups_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @columns_scratch : memref<128xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @four_columns_scratch : memref<16xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @every_other_warp_scratch : memref<256xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
gpu.module @kernels {
  // Each warp combines its lanes, and its first lane stores the sum in the slot of the warp. Then every
  // thread loads and adds both slots: no shuffle waits for another.
  // CHECK-LABEL: gpu.func @two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SUM:.+]] = arith.addf
  // CHECK-NEXT:    %[[SLOTS:.+]] = memref.get_global @two_warps_scratch : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %[[WARP:.+]] : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]], %[[WARP]] : index
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[W]], %[[LANE]]
  // CHECK:         %[[LEADER:.+]] = arith.cmpi ult, %[[LANE]], %{{.+}}
  // CHECK-NEXT:    scf.if %[[LEADER]] {
  // CHECK-NEXT:      memref.store %[[SUM]], %[[SLOTS]][%[[SLOT]]]
  // CHECK-NEXT:    }{{$}}
  // CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK-NEXT:    %[[X:.+]] = memref.load %[[SLOTS]][%[[ZERO]]]
  // CHECK-NEXT:    %[[Y:.+]] = memref.load %[[SLOTS]][%{{.*}}c1]
  // CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[X]], %[[Y]]
  // CHECK-NEXT:    memref.store %[[ALL]]
  // COUNT: @two_warps barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @two_warps scf.if = 1
  gpu.func @two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Every thread loads all three slots: no lane represents a fourth warp.
  // CHECK-LABEL: gpu.func @three_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @three_warps_scratch
  // CHECK:         %[[X:.+]] = memref.load %[[SLOTS]]
  // CHECK:         %[[Y:.+]] = memref.load %[[SLOTS]]
  // CHECK:         %[[Z:.+]] = memref.load %[[SLOTS]]
  // CHECK-NEXT:    %[[XY:.+]] = arith.addf %[[X]], %[[Y]]
  // CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[XY]], %[[Z]]
  // CHECK-NEXT:    memref.store %[[ALL]]
  // COUNT: @three_warps barriers = 0, shuffles = 5, loads = 3, shared loads = 3, stores = 2, shared stores = 1
  // COUNT: @three_warps scf.if = 1
  gpu.func @three_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Four slots of four bytes are one load. They are combined in pairs, so three additions take the latency of
  // two.
  // CHECK-LABEL: gpu.func @four_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @four_warps_scratch
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         %[[FOUR:.+]] = vector.load %[[SLOTS]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-4: vector.extract %[[FOUR]]
  // CHECK-NEXT:    %[[P0:.+]] = arith.addf
  // CHECK-NEXT:    %[[P1:.+]] = arith.addf
  // CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[P0]], %[[P1]]
  // CHECK-NEXT:    memref.store %[[ALL]]
  // COUNT: @four_warps barriers = 0, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @four_warps shared stores = 1, scf.if = 1
  gpu.func @four_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // With eight slots, a lane loads the first or the last four, and one shuffle adds the other half.
  // CHECK-LABEL: gpu.func @eight_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @eight_warps_scratch
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         %[[HALF:.+]] = arith.remui %{{.+}}, %{{.*}}c2
  // CHECK:         %[[FIRST:.+]] = arith.muli %[[HALF]], %{{.*}}c4
  // CHECK-NEXT:    %[[FOUR:.+]] = vector.load %[[SLOTS]][%[[FIRST]]] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-4: vector.extract %[[FOUR]]
  // CHECK-NEXT:    %[[P0:.+]] = arith.addf
  // CHECK-NEXT:    %[[P1:.+]] = arith.addf
  // CHECK-NEXT:    %[[MINE:.+]] = arith.addf %[[P0]], %[[P1]]
  // CHECK-NEXT:    %[[OTHERS:.+]], %{{.+}} = gpu.shuffle xor %[[MINE]], %{{.*}}c1_i32,
  // CHECK-NEXT:    %[[ALL:.+]] = arith.addf %[[MINE]], %[[OTHERS]]
  // CHECK-NEXT:    memref.store %[[ALL]]
  // COUNT: @eight_warps barriers = 0, shuffles = 6, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @eight_warps shared stores = 1, scf.if = 1
  gpu.func @eight_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A load has two f64 slots: eight warps need one load and two shuffles.
  // CHECK-LABEL: gpu.func @eight_warps_f64(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @eight_warps_f64_scratch
  // CHECK-COUNT-1: vector.load %[[SLOTS]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xf64>
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load}}
  // CHECK:         gpu.return
  // COUNT: @eight_warps_f64 barriers = 0, shuffles = 7, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @eight_warps_f64 shared stores = 1, scf.if = 1
  gpu.func @eight_warps_f64(%v: f64, %R: memref<f64>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f64 -> f64
    memref.store %s, %R[] : memref<f64>
    gpu.return
  }

  // Sixteen warps need one load of four slots and two shuffles.
  // CHECK-LABEL: gpu.func @sixteen_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @sixteen_warps_scratch
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %[[WARP:.+]] : index
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         %[[QUARTER:.+]] = arith.remui %[[LANE]], %[[FOUR:.+]] : index
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.muli %[[QUARTER]], %[[FOUR]]
  // CHECK-NEXT:    vector.load %[[SLOTS]][%[[FIRST]]] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load}}
  // CHECK:         gpu.return
  // COUNT: @sixteen_warps barriers = 0, shuffles = 7, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @sixteen_warps shared stores = 1, scf.if = 1
  gpu.func @sixteen_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Nine is no multiple of four: every thread loads all slots, and no lane represents a tenth
  // warp.
  // CHECK-LABEL: gpu.func @nine_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @nine_warps_scratch
  // CHECK-COUNT-9: memref.load %[[SLOTS]]
  // CHECK-COUNT-8: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.for|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @nine_warps barriers = 0, shuffles = 5, loads = 9, shared loads = 9, stores = 2, shared stores = 1
  // COUNT: @nine_warps scf.if = 1
  gpu.func @nine_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // With more than sixteen warps, the first warp combines all slots, one per lane, and stores the total. With
  // twenty warps, twelve lanes have no slot and contribute -0.0, which changes no sum.
  // CHECK-LABEL: gpu.func @twenty_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @twenty_warps_scratch :
  // CHECK:         %[[TOTAL:.+]] = memref.get_global @twenty_warps_scratch_1 :
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[FIRST_WARP:.+]] = arith.cmpi ult, %[[T]], %{{.*}}c32
  // CHECK-NEXT:    scf.if %[[FIRST_WARP]] {
  // CHECK:           %[[HAS:.+]] = arith.cmpi ult, %[[T]], %{{.*}}c20
  // CHECK-NEXT:      %[[X:.+]] = scf.if %[[HAS]] -> (f32) {
  // CHECK-NEXT:        memref.load %[[SLOTS]][%[[T]]]
  // CHECK:           } else {
  // CHECK-NEXT:        arith.constant -0.000000e+00 : f32
  // CHECK:           }{{$}}
  // CHECK:           gpu.shuffle xor %[[X]]
  // CHECK-COUNT-4:   gpu.shuffle xor
  // CHECK:           %[[ALL:.+]] = arith.addf
  // CHECK-NEXT:      %[[ONE:.+]] = arith.cmpi eq, %[[T]], %[[ZERO:.+]] :
  // CHECK-NEXT:      scf.if %[[ONE]] {
  // CHECK-NEXT:        memref.store %[[ALL]], %[[TOTAL]][%[[ZERO]]]
  // CHECK-NEXT:      }
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    memref.load %[[TOTAL]][%[[ZERO]]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @twenty_warps barriers = 0, shuffles = 10, loads = 2, shared loads = 2, stores = 3, shared stores = 2
  // COUNT: @twenty_warps scf.if = 4
  gpu.func @twenty_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 640, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The largest block has as many warps as a warp has lanes.
  // CHECK-LABEL: gpu.func @thirty_two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @thirty_two_warps_scratch
  // CHECK-COUNT-1: memref.store %{{.+}}, %[[SLOTS]]
  // CHECK:         %[[TOTAL:.+]] = memref.get_global @thirty_two_warps_scratch_1
  // CHECK-COUNT-1: memref.load %[[SLOTS]]
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         memref.store %{{.+}}, %[[TOTAL]]
  // CHECK:         memref.load %[[TOTAL]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @thirty_two_warps barriers = 0, shuffles = 10, loads = 2, shared loads = 2, stores = 3, shared stores = 2
  // COUNT: @thirty_two_warps scf.if = 4
  gpu.func @thirty_two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 16, 2>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The slots of several groups of a block are adjacent: warps 6 and 7 are the fourth group, and use slots 6
  // and 7.
  // CHECK-LABEL: gpu.func @four_teams_of_two_warps(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[W:.+]] = arith.divui %{{.+}}, %{{.+}} : index
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[W]], %[[TWO]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[W]], %[[IN]]
  // CHECK-NEXT:    %[[X:.+]] = memref.load %{{.+}}[%[[FIRST]]]
  // CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[FIRST]], %{{.*}}c1
  // CHECK-NEXT:    %[[Y:.+]] = memref.load %{{.+}}[%[[SECOND]]]
  // CHECK-NEXT:    arith.addf %[[X]], %[[Y]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @four_teams_of_two_warps barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2
  // COUNT: @four_teams_of_two_warps shared stores = 1, scf.if = 1
  gpu.func @four_teams_of_two_warps(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 64 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a block of 96 threads, the second group of 64 lacks its second warp. No thread stores or loads the
  // slot of this warp.
  // CHECK-LABEL: gpu.func @incomplete_last_team(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @incomplete_last_team_scratch : memref<4xf32,
  // CHECK:         %[[WRITER:.+]] = arith.muli %[[WARP:.+]], %{{.+}} : index
  // CHECK-NEXT:    %[[THREADS:.+]] = arith.constant 96 : index
  // CHECK-NEXT:    %[[EXISTS:.+]] = arith.cmpi ult, %[[WRITER]], %[[THREADS]]
  // CHECK-NEXT:    scf.if %[[EXISTS]] -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant -0.000000e+00 : f32
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @incomplete_last_team barriers = 0, shuffles = 6, loads = 1, shared loads = 1, stores = 2
  // COUNT: @incomplete_last_team shared stores = 1, scf.if = 2
  gpu.func @incomplete_last_team(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 64 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Two warpgroups have four slots each, which are one load.
  // CHECK-LABEL: gpu.func @warpgroups(
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:         %[[W:.+]] = arith.divui %{{.+}}, %{{.+}} : index
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK-NEXT:    %[[IN:.+]] = arith.remui %[[W]], %[[FOUR]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.subi %[[W]], %[[IN]]
  // CHECK-NEXT:    vector.load %{{.+}}[%[[FIRST]]] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @warpgroups barriers = 0, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @warpgroups shared stores = 1, scf.if = 1
  gpu.func @warpgroups(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warpgroup) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // One column per lane: nothing is exchanged within a warp. Every lane stores its value, and adds the values
  // of its column: its own and three more, 32 slots apart.
  // CHECK-LABEL: gpu.func @columns(
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     scf.if
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @columns_scratch : memref<128xf32,
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T:.+]], %[[WARP:.+]] : index
  // CHECK-NEXT:    %[[W:.+]] = arith.divui %[[T]], %[[WARP]] : index
  // CHECK-NEXT:    %[[ROW:.+]] = arith.muli %[[W]], %[[WARP]] : index
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[ROW]], %[[LANE]] : index
  // CHECK-NEXT:    memref.store %{{.+}}, %[[SLOTS]][%[[SLOT]]]
  // CHECK-NEXT:    memref.load %[[SLOTS]][%[[LANE]]]
  // CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[WARP]], %[[LANE]]
  // CHECK-NEXT:    memref.load %[[SLOTS]][%[[SECOND]]]
  // CHECK:         %[[THIRD:.+]] = arith.addi %{{.*}}c64, %[[LANE]]
  // CHECK-NEXT:    memref.load %[[SLOTS]][%[[THIRD]]]
  // CHECK:         %[[FOURTH:.+]] = arith.addi %{{.*}}c96, %[[LANE]]
  // CHECK-NEXT:    memref.load %[[SLOTS]][%[[FOURTH]]]
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @columns barriers = 0, shuffles = 0, loads = 4, shared loads = 4, stores = 2, shared stores = 1
  gpu.func @columns(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 4 stride 32 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Four columns combine both: lanes of a warp with a stride of four, then slots of four warps, four per
  // warp, of which each thread loads those of its column.
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
  // CHECK-NEXT:    memref.load %{{.+}}[%[[COLUMN]]]
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[COLUMNS]], %[[COLUMN]]
  // CHECK-NEXT:    memref.load %{{.+}}[%[[SLOT]]]
  // CHECK-COUNT-2: memref.load
  // CHECK-COUNT-3: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @four_columns barriers = 0, shuffles = 3, loads = 4, shared loads = 4, stores = 2, shared stores = 1
  // COUNT: @four_columns scf.if = 1
  gpu.func @four_columns(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 32 stride 4 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Threads with a stride of 64 are in every other warp: warp 5 of 8 adds its own value and that of warp
  // 7.
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
  // COUNT: @every_other_warp barriers = 0, shuffles = 0, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  gpu.func @every_other_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 2 stride 64 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
