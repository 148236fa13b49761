// RUN: tx-opt %s --tile-expand-reduce
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#cta20 = {active = array<i64: 0, 20>, block = 20 : i64, threads = 20 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta48 = {active = array<i64: 0, 48>, block = 48 : i64, threads = 48 : i64}
#cta64 = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
#cta96 = {active = array<i64: 0, 96>, block = 96 : i64, threads = 96 : i64}
#cta128 = {active = array<i64: 0, 128>, block = 128 : i64, threads = 128 : i64}
#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}
#group8 = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Each thread loads one element, eight lanes exchange values, and the first lane stores.
  // CHECK-LABEL: gpu.func @eight_lanes_a_row
  // CHECK-SAME:    workgroup(%[[S:.+]] : memref<4x8xf32, {{.+}}>, %[[D:.+]] : memref<4xf32, {{[^)]+}}>)
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T]], %[[EIGHT:.+]] : index
  // CHECK-NEXT:    %[[ROW:.+]] = arith.divui %[[T]], %[[EIGHT]] : index
  // CHECK-NOT:     scf
  // CHECK:         %[[X:.+]] = memref.load %[[S]][%[[ROW]], %[[LANE]]]
  // CHECK-NEXT:    %[[P:.+]] = arith.addf %{{.+}}, %[[X]]
  // CHECK-NEXT:    %[[SUM:.+]] = tile.all_reduce sum %[[P]] scope(warp) width 8 stride 1
  // CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.cmpi eq, %[[LANE]], %[[ZERO]]
  // CHECK-NEXT:    scf.if %[[FIRST]] {
  // CHECK-NEXT:      memref.store %[[SUM]], %[[D]][%[[ROW]]]
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    gpu.return
  // COUNT: @eight_lanes_a_row tile.all_reduce = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @eight_lanes_a_row() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }

  // A row of 44 elements on 32 lanes ends with a partial step, in which twelve lanes load. The exchange is
  // outside the branch, where all lanes participate.
  // CHECK-LABEL: gpu.func @tail
  // CHECK:         %[[LANE:.+]] = arith.remui
  // CHECK:         %[[X:.+]] = memref.load %{{.+}}[%{{.+}}, %[[LANE]]]
  // CHECK-NEXT:    %[[FULL:.+]] = arith.addf %{{.+}}, %[[X]]
  // CHECK:         %[[AT:.+]] = arith.addi %{{.+}}, %[[LANE]]
  // CHECK:         %[[END:.+]] = arith.constant 44 : index
  // CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[END]]
  // CHECK-NEXT:    %[[P:.+]] = scf.if %[[INSIDE]] -> (f32) {
  // CHECK-NEXT:      memref.load %{{.+}}[%{{.+}}, %[[AT]]]
  // CHECK-NEXT:      arith.addf %[[FULL]]
  // CHECK:         } else {
  // CHECK-NEXT:      scf.yield %[[FULL]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    tile.all_reduce sum %[[P]] scope(warp) width 32 stride 1
  // COUNT: @tail tile.all_reduce = 1, scf.if = 2, memref.load = 2, memref.store = 1
  gpu.func @tail(%A: memref<4x44xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta128, params = {group = 32 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x44xf32> into memref<4xf32>
    gpu.return
  }

  // A long row is a loop that all lanes execute together.
  // CHECK-LABEL: gpu.func @long_rows
  // CHECK-DAG:     %[[END:.+]] = arith.constant 1024 : index
  // CHECK-DAG:     %[[STEP:.+]] = arith.constant 32 : index
  // CHECK:         %[[P:.+]] = scf.for %[[I:[^ ]+]] = %{{.+}} to %[[END]] step %[[STEP]] iter_args(%[[C:.+]] = %{{.+}}) -> (f32) {
  // CHECK-NEXT:      %[[AT:.+]] = arith.addi %[[I]], %[[LANE:.+]] :
  // CHECK-NEXT:      %[[X:.+]] = memref.load %{{.+}}[%{{.+}}, %[[AT]]]
  // CHECK-NEXT:      %[[N:.+]] = arith.addf %[[C]], %[[X]]
  // CHECK-NEXT:      scf.yield %[[N]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    tile.all_reduce sum %[[P]] scope(warp) width 32
  // COUNT: @long_rows tile.all_reduce = 1, scf.for = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @long_rows(%A: memref<4x1024xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta128, params = {group = 32 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x1024xf32> into memref<4xf32>
    gpu.return
  }

  // More rows than groups need several rounds. Sixteen rows are four full rounds, so no thread has a bounds
  // check on rows.
  // CHECK-LABEL: gpu.func @four_rounds
  // CHECK:         scf.for %[[ROUND:[^ ]+]] = %{{.+}} to %[[FOUR:.+]] step %{{.+}} {
  // CHECK:           %[[FIRST:.+]] = arith.muli %[[ROUND]], %[[FOUR]]
  // CHECK:           %[[ROW:.+]] = arith.addi %[[FIRST]], %{{.+}}
  // CHECK-NOT:       scf.if
  // CHECK:           memref.load %{{.+}}[%[[ROW]], %{{.+}}]
  // CHECK:           %[[SUM:.+]] = tile.all_reduce
  // CHECK:           scf.if
  // CHECK-NEXT:        memref.store %[[SUM]], %{{.+}}[%[[ROW]]]
  // COUNT: @four_rounds tile.all_reduce = 1, scf.for = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @four_rounds(%A: memref<16x8xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<16x8xf32> into memref<16xf32>
    gpu.return
  }

  // Six rows are one and a half rounds. In the second round, threads without a row contribute -0.0 to the
  // exchange, which is outside the branch, and do not store.
  // CHECK-LABEL: gpu.func @round_and_a_half
  // CHECK:         scf.for
  // CHECK:           %[[ROWS:.+]] = arith.constant 6 : index
  // CHECK-NEXT:      %[[VALID:.+]] = arith.cmpi ult, %{{.+}}, %[[ROWS]]
  // CHECK-NEXT:      %[[P:.+]] = scf.if %[[VALID]] -> (f32) {
  // CHECK:             memref.load
  // CHECK:           } else {
  // CHECK-NEXT:        %[[IDENTITY:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK-NEXT:        scf.yield %[[IDENTITY]]
  // CHECK-NEXT:      }
  // CHECK-NEXT:      tile.all_reduce sum %[[P]]
  // CHECK:           %[[WRITER:.+]] = arith.andi %[[VALID]], %{{.+}}
  // CHECK-NEXT:      scf.if %[[WRITER]] {
  // CHECK-NEXT:        memref.store
  // COUNT: @round_and_a_half tile.all_reduce = 1, scf.for = 1, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @round_and_a_half(%A: memref<6x8xf32>, %B: memref<6xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<6x8xf32> into memref<6xf32>
    gpu.return
  }

  // With 48 threads, sixteen are idle: six groups for four rows.
  // CHECK-LABEL: gpu.func @idle_groups
  // CHECK-NOT:     scf.for
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK-NEXT:    %[[VALID:.+]] = arith.cmpi ult, %{{.+}}, %[[FOUR]]
  // CHECK-NEXT:    %[[P:.+]] = scf.if %[[VALID]] -> (f32) {
  // CHECK:         } else {
  // CHECK-NEXT:      %[[IDENTITY:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK-NEXT:      scf.yield %[[IDENTITY]]
  // CHECK-NEXT:    }
  // CHECK-NEXT:    tile.all_reduce sum %[[P]] scope(warp) width 8 stride 1
  // CHECK:         arith.andi %[[VALID]]
  // COUNT: @idle_groups tile.all_reduce = 1, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @idle_groups(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta48, params = {group = 8 : i64, groups = 6 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // With twenty threads, four are in no group, and have no row in either round.
  // CHECK-LABEL: gpu.func @threads_in_no_group
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[SIXTEEN:.+]] = arith.constant 16 : index
  // CHECK-NEXT:    %[[WORK:.+]] = arith.cmpi ult, %[[T]], %[[SIXTEEN]]
  // CHECK:         scf.for
  // CHECK:           scf.if %[[WORK]] -> (f32)
  // CHECK:           tile.all_reduce sum %{{.+}} scope(warp) width 8 stride 1
  // CHECK:           arith.andi %[[WORK]]
  // COUNT: @threads_in_no_group tile.all_reduce = 1, scf.for = 1, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @threads_in_no_group(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta20, params = {group = 8 : i64, groups = 2 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // Two warps per row: 64 threads of the block exchange values.
  // CHECK-LABEL: gpu.func @two_warps_a_row
  // CHECK:         tile.all_reduce sum %{{.+}} scope(cta) width 64 stride 1
  // COUNT: @two_warps_a_row tile.all_reduce = 1, scf.for = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @two_warps_a_row(%A: memref<4x256xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta256, params = {group = 64 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x256xf32> into memref<4xf32>
    gpu.return
  }

  // With 64 working threads, the other 32 threads of the block participate in the exchange.
  // CHECK-LABEL: gpu.func @third_warp_is_idle
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[WORK:.+]] = arith.cmpi ult, %[[T]], %{{.+}}
  // CHECK:         %[[P:.+]] = scf.if %[[WORK]] -> (f32)
  // CHECK:         }{{$}}
  // CHECK-NEXT:    tile.all_reduce sum %[[P]] scope(cta) width 64 stride 1
  // COUNT: @third_warp_is_idle tile.all_reduce = 1, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @third_warp_is_idle(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta96, params = {group = 64 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }

  // A whole block on one row needs no remainder and no width, so it may have 48 threads.
  // CHECK-LABEL: gpu.func @whole_block
  // CHECK-NOT:     arith.remui
  // CHECK-NOT:     width
  // CHECK:         tile.all_reduce sum %{{.+}} scope(cta) {
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         gpu.return
  // COUNT: @whole_block tile.all_reduce = 1, scf.for = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @whole_block(%A: memref<1x480xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta48, params = {group = 48 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<1x480xf32> into memref<1xf32>
    gpu.return
  }

  // A warpgroup numbers its threads from its first thread.
  // CHECK-LABEL: gpu.func @warpgroup
  // CHECK:         scf.if
  // CHECK:           %[[T:.+]] = gpu.thread_id x
  // CHECK:           %[[LANE:.+]] = arith.remui %[[T]], %[[SIZE:.+]] : index
  // CHECK:           scf.for %[[I:[^ ]+]] = {{.+}} step %[[SIZE]]
  // CHECK-NEXT:        %[[AT:.+]] = arith.addi %[[I]], %[[LANE]]
  // CHECK:           tile.all_reduce sum %{{.+}} scope(warpgroup) {
  // COUNT: @warpgroup tile.all_reduce = 1, scf.for = 1, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @warpgroup(%A: memref<1x4096xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %second = arith.cmpi uge, %t, %c128 : index
    scf.if %second {
      tile.reduce sum %A into %B axes [1] scope(warpgroup)
        {exec = {active = array<i64: 128, 256>, block = 256 : i64, threads = 128 : i64},
         params = {group = 128 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
        : memref<1x4096xf32> into memref<1xf32>
    }
    gpu.return
  }

  // In a block of 48 threads, the warps have 32 and 16 lanes. Both warps use 16 lanes, and the other lanes of
  // the first warp only participate in the exchange.
  // CHECK-LABEL: gpu.func @warps_of_different_sizes
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T]], %{{.+}} : index
  // CHECK:         %[[WORK:.+]] = arith.cmpi ult, %[[LANE]], %[[SIXTEEN:.+]] : index
  // CHECK:         scf.if %[[WORK]] -> (f32)
  // CHECK:           scf.for {{.+}} step %[[SIXTEEN]]
  // CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 16 stride 1
  // COUNT: @warps_of_different_sizes tile.all_reduce = 1, scf.for = 2, scf.if = 2, memref.load = 1, memref.store = 1
  gpu.func @warps_of_different_sizes(%A: memref<4x64xf32>, %B: memref<2x4xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %w = gpu.subgroup_id : index
    %mine = memref.subview %B[%w, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    tile.reduce sum %A into %mine axes [1] scope(warp)
      {exec = {active = array<i64: 0, 48>, block = 48 : i64, threads = 16 : i64},
       params = {group = 16 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x64xf32> into memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // In a block of 8x4 threads, threads are numbered along x first.
  // CHECK-LABEL: gpu.func @two_dimensions
  // CHECK-DAG:     %[[X:.+]] = gpu.thread_id x
  // CHECK-DAG:     %[[Y:.+]] = gpu.thread_id y
  // CHECK-DAG:     %[[EIGHT:.+]] = arith.constant 8 : index
  // CHECK:         %[[ABOVE:.+]] = arith.muli %[[Y]], %[[EIGHT]]
  // CHECK-NEXT:    %[[T:.+]] = arith.addi %[[X]], %[[ABOVE]]
  // CHECK-NEXT:    arith.remui %[[T]], %[[EIGHT]]
  // COUNT: @two_dimensions tile.all_reduce = 1, scf.if = 1, memref.load = 1, memref.store = 1
  gpu.func @two_dimensions(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 8, 4, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // Dynamic sizes are read at run time. Rows have a bounds check, full steps are one loop,
  // and the remainder is another loop with a bounds check. The sum of an empty row is
  // +0.0.
  // CHECK-LABEL: gpu.func @dynamic_sizes
  // CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?xf32>)
  // CHECK:         %[[ROWS:.+]] = memref.dim %[[A]], %{{.+}}
  // CHECK:         %[[LENGTH:.+]] = memref.dim %[[A]], %{{.+}}
  // CHECK:         %[[ROUNDS:.+]] = arith.ceildivui %[[ROWS]], %{{.+}}
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROUNDS]]
  // CHECK:           %[[VALID:.+]] = arith.cmpi ult, %[[ROW:.+]], %[[ROWS]]
  // CHECK:           scf.if %[[VALID]] -> (f32)
  // CHECK:             %[[STEPS:.+]] = arith.divui %[[LENGTH]], %[[GROUP:.+]] : index
  // CHECK-NEXT:        %[[FULL:.+]] = arith.muli %[[STEPS]], %[[GROUP]]
  // CHECK:             scf.for %{{.+}} = %{{.+}} to %[[FULL]] step %[[GROUP]] iter_args
  // CHECK:               memref.load %[[A]][%[[ROW]], %{{.+}}]
  // CHECK:             %[[REST:.+]] = arith.subi %[[LENGTH]], %[[FULL]]
  // CHECK:             scf.for
  // CHECK:               %[[INSIDE:.+]] = arith.cmpi ult, %[[AT:.+]], %[[LENGTH]]
  // CHECK-NEXT:          scf.if %[[INSIDE]]
  // CHECK-NEXT:            memref.load %[[A]][%[[ROW]], %[[AT]]]
  // CHECK:           %[[SUM:.+]] = tile.all_reduce sum %{{.+}} scope(warp) width 32 stride 1
  // CHECK:             %[[EMPTY:.+]] = arith.cmpi eq, %[[LENGTH]], %{{.+}}
  // CHECK-NEXT:        %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT:        %[[R:.+]] = arith.select %[[EMPTY]], %[[ZERO]], %[[SUM]]
  // CHECK-NEXT:        memref.store %[[R]], %[[B]][%[[ROW]]]
  // COUNT: @dynamic_sizes tile.all_reduce = 1, scf.for = 3, scf.if = 3, memref.load = 2, memref.store = 1
  // COUNT: @dynamic_sizes arith.select = 1
  gpu.func @dynamic_sizes(%A: memref<?x?xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta64, params = {group = 32 : i64, groups = 2 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<?x?xf32> into memref<?xf32>
    gpu.return
  }
}
