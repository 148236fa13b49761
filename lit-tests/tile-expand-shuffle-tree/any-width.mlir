// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Groups that do not divide a warp. In each warp, the first lane of a group gets the partial result of the
// warp. If groups span warps, this partial result is stored in shared memory.
// CHECK-DAG: memref.global "private" @rows_of_12_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @rows_of_48_scratch : memref<12xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @rows_of_201_scratch : memref<32xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @columns_of_3_scratch : memref<24xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @columns_of_8_scratch : memref<800xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @thousand_of_1024_scratch : memref<36xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @warpgroups_scratch : memref<12xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @places_scratch : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @places_scratch_1 : memref<8xi32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
gpu.module @kernels {
  // Groups of twelve lanes take four upward steps. A lane reads lanes of its own group only: the
  // third group of a warp has eight. The first lane of a group, at a computed number, broadcasts the
  // sum.
  // CHECK-LABEL: gpu.func @twelve_lanes(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %{{.*}}c32
  // CHECK:         %[[DIGIT:.+]] = arith.remui %[[LANE]], %[[TWELVE:.+]] : index
  // CHECK:         %[[IN_WARP:.+]] = arith.subi %{{.+}}, %[[LANE]]
  // CHECK-NEXT:    %[[IN_GROUP:.+]] = arith.subi %[[TWELVE]], %[[DIGIT]]
  // CHECK-NEXT:    arith.cmpi ult, %[[IN_WARP]], %[[IN_GROUP]]
  // CHECK-NEXT:    %[[LEFT:.+]] = arith.select %{{.+}}, %[[IN_WARP]], %[[IN_GROUP]]
  // CHECK:         %[[EXISTS:.+]] = arith.cmpi ult, %{{.*}}c1, %[[LEFT]]
  // CHECK:         %[[FROM:.+]] = arith.select %[[EXISTS]], %{{.+}}, %[[LANE]]
  // CHECK:         %[[OTHER:.+]], %{{.+}} = gpu.shuffle idx %[[V]],
  // CHECK-NEXT:    %[[BOTH:.+]] = arith.addf %[[V]], %[[OTHER]]
  // CHECK-NEXT:    arith.select %[[EXISTS]], %[[BOTH]], %[[V]]
  // CHECK-COUNT-3: gpu.shuffle idx
  // CHECK:         %[[FIRST:.+]] = arith.subi %[[LANE]], %[[DIGIT]]
  // CHECK-NEXT:    %[[FIRST32:.+]] = arith.index_cast %[[FIRST]]
  // CHECK-NEXT:    gpu.shuffle idx %{{.+}}, %[[FIRST32]],
  // CHECK-NOT:     {{gpu.shuffle|arith.addf}}
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  // COUNT: @twelve_lanes barriers = 0, shuffles = 5, loads = 0, stores = 1
  gpu.func @twelve_lanes(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 12 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a block of less than one warp, all groups are in this warp. Up to seven lanes with a stride of three
  // take three steps, and a broadcast.
  // CHECK-LABEL: gpu.func @block_of_twenty(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  // COUNT: @block_of_twenty barriers = 0, shuffles = 4, loads = 0, stores = 1
  gpu.func @block_of_twenty(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 7 stride 3 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The third of four rows spans lane 24 of a warp to lane 3 of the next, and has two partial results. The
  // other rows have one. No barrier is in a branch.
  // CHECK-LABEL: gpu.func @rows_of_12(
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @rows_of_12_scratch
  // CHECK:         %[[FIRST:.+]] = arith.cmpi eq
  // CHECK-NEXT:    scf.if %[[FIRST]] {
  // CHECK-NEXT:      memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-NEXT:    }{{$}}
  // CHECK:         %[[ONE:.+]] = memref.load %[[SLOTS]]
  // CHECK-NEXT:    %[[HAS_SECOND:.+]] = arith.cmpi ult, %{{.*}}c1, %{{.+}}
  // CHECK-NEXT:    scf.if %[[HAS_SECOND]] -> (f32) {
  // CHECK:           %[[SECOND:.+]] = memref.load %[[SLOTS]]
  // CHECK-NEXT:      arith.addf %[[ONE]], %[[SECOND]]
  // CHECK:         } else {
  // CHECK-NEXT:      scf.yield %[[ONE]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @rows_of_12 barriers = 0, shuffles = 4, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @rows_of_12 scf.if = 2
  gpu.func @rows_of_12(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 12, 4, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 12 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Each of four rows of 48 spans two warps, and every thread loads two partial results: this number is
  // static.
  // CHECK-LABEL: gpu.func @rows_of_48(
  // CHECK-COUNT-5: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @rows_of_48_scratch
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:    }{{$}}
  // CHECK-NOT:     scf.if
  // CHECK-COUNT-2: memref.load %[[SLOTS]]
  // CHECK-NEXT:    arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.if|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @rows_of_48 barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @rows_of_48 scf.if = 1
  gpu.func @rows_of_48(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 48, 4, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 48 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Four rows of 201 have seven or eight partial results each.
  // CHECK-LABEL: gpu.func @rows_of_201(
  // CHECK-COUNT-5: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @rows_of_201_scratch
  // CHECK-COUNT-7: memref.load %[[SLOTS]]
  // CHECK-COUNT-6: arith.addf
  // CHECK:         scf.if %{{.+}} -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK-NEXT:      arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.if|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @rows_of_201 barriers = 0, shuffles = 5, loads = 8, shared loads = 8, stores = 2, shared stores = 1
  // COUNT: @rows_of_201 scf.if = 2
  gpu.func @rows_of_201(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 201, 4, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 201 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A column of three threads with a stride of twelve has one to three threads in a warp: two steps. The
  // slots of the twelve columns are adjacent.
  // CHECK-LABEL: gpu.func @columns_of_3(
  // CHECK-COUNT-2: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @columns_of_3_scratch
  // CHECK:         %[[COLUMN:.+]] = arith.remui %[[T:.+]], %[[TWELVE:.+]] : index
  // CHECK:         %[[WARP:.+]] = arith.divui %[[T]], %{{.*}}c32
  // CHECK:         %[[ROW:.+]] = arith.muli %[[WARP]], %[[TWELVE]]
  // CHECK-NEXT:    %[[SLOT:.+]] = arith.addi %[[COLUMN]], %[[ROW]]
  // CHECK:           memref.store %{{.+}}, %[[SLOTS]][%[[SLOT]]]
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK:         scf.if %{{.+}} -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @columns_of_3 barriers = 0, shuffles = 2, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @columns_of_3 scf.if = 2
  gpu.func @columns_of_3(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 12, 3, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 3 stride 12 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Threads with a stride of 100 are never in one warp: each stores its value, and loads the eight values of
  // its column. Eight values are combined in three steps.
  // CHECK-LABEL: gpu.func @columns_of_8(
  // CHECK-NOT:     {{gpu.shuffle|scf.if}}
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @columns_of_8_scratch
  // CHECK:         memref.store %{{.+}}, %[[SLOTS]]
  // CHECK-COUNT-8: memref.load %[[SLOTS]]
  // CHECK-COUNT-7: arith.addf
  // CHECK-NOT:     {{gpu.shuffle|memref.load|scf.if|arith.addf}}
  // CHECK:         gpu.return
  // COUNT: @columns_of_8 barriers = 0, shuffles = 0, loads = 8, shared loads = 8, stores = 2, shared stores = 1
  gpu.func @columns_of_8(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 100, 8, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 8 stride 100 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // 1000 threads store 32 partial results, and the other 24 threads store one: a loop combines the existing
  // ones.
  // CHECK-LABEL: gpu.func @thousand_of_1024(
  // CHECK-COUNT-5: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @thousand_of_1024_scratch
  // CHECK:         %[[FIRST:.+]] = memref.load %[[SLOTS]]
  // CHECK-NEXT:    scf.for %{{.+}} = %[[ONE:.+]] to %{{.+}} step %[[ONE]] iter_args(%[[SUM:.+]] = %[[FIRST]])
  // CHECK:           %[[MORE:.+]] = memref.load %[[SLOTS]]
  // CHECK-NEXT:      arith.addf %[[SUM]], %[[MORE]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @thousand_of_1024 barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @thousand_of_1024 scf.for = 1, scf.if = 1
  gpu.func @thousand_of_1024(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 1000 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a warpgroup of 128 threads, two groups of 48 are complete, and the third has 32. The slots of the
  // second warpgroup begin at 6.
  // CHECK-LABEL: gpu.func @warpgroups(
  // CHECK:         %[[PLACE:.+]] = arith.remui %[[T:.+]], %[[SIZE:.+]] : index
  // CHECK-COUNT-5: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[SLOTS:.+]] = memref.get_global @warpgroups_scratch
  // CHECK:         %[[GROUP:.+]] = arith.divui %[[T]], %[[SIZE]]
  // CHECK:         arith.muli %[[GROUP]], %{{.*}}c6
  // CHECK:         memref.load %[[SLOTS]]
  // CHECK:         scf.if %{{.+}} -> (f32) {
  // CHECK:           memref.load %[[SLOTS]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @warpgroups barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @warpgroups scf.if = 2
  gpu.func @warpgroups(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warpgroup) width 48 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Value and index are exchanged together, also in shared memory.
  // CHECK-LABEL: gpu.func @places(
  // CHECK-COUNT-8: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store %{{.+}} : memref<8xf32,
  // CHECK-NEXT:      memref.store %{{.+}} : memref<8xi32,
  // CHECK-NEXT:    }{{$}}
  // CHECK:         memref.load %{{.+}} : memref<8xf32,
  // CHECK-NEXT:    memref.load %{{.+}} : memref<8xi32,
  // CHECK:         scf.if %{{.+}} -> (f32, i32) {
  // CHECK:           memref.load %{{.+}} : memref<8xf32,
  // CHECK-NEXT:      memref.load %{{.+}} : memref<8xi32,
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @places barriers = 0, shuffles = 8, loads = 4, shared loads = 4, stores = 4, shared stores = 2, scf.if = 2
  gpu.func @places(%v: f32, %i: i32, %R: memref<f32>, %S: memref<i32>)
      kernel attributes {known_block_size = array<i32: 12, 4, 1>} {
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) width 12 : f32, i32 -> f32, i32
    memref.store %m, %R[] : memref<f32>
    memref.store %j, %S[] : memref<i32>
    gpu.return
  }

  // A group wider than the block is the whole block: one warp, or several warps.
  // CHECK-LABEL: gpu.func @wider_than_the_block(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  // COUNT: @wider_than_the_block barriers = 0, shuffles = 6, loads = 0, stores = 1
  gpu.func @wider_than_the_block(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 201 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // If the stride exceeds the block, each thread already has its result.
  // CHECK-LABEL: gpu.func @apart_beyond_the_block(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NEXT:    memref.store %[[V]]
  // COUNT: @apart_beyond_the_block barriers = 0, shuffles = 0, loads = 0, stores = 1
  gpu.func @apart_beyond_the_block(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 3 stride 100 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
