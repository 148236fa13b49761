// RUN: tx-opt %s --tile-analyze-scope

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Warp 5 of 8 has threads 160 to 191.
  // CHECK-LABEL: gpu.func @warp_5_by_its_id
  // CHECK:       exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}
  gpu.func @warp_5_by_its_id() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %w = gpu.subgroup_id : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // Warp 5 is selected by the thread id divided by 32.
  // CHECK-LABEL: gpu.func @warp_5_by_division
  // CHECK:       exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}
  gpu.func @warp_5_by_division() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // Warp 5 is selected by the thread id shifted right by 5, in 32 bits.
  // CHECK-LABEL: gpu.func @warp_5_by_shift
  // CHECK:       exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}
  gpu.func @warp_5_by_shift() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : i32
    %t = gpu.thread_id x
    %t32 = arith.index_cast %t : index to i32
    %w = arith.shrui %t32, %c5 : i32
    %is_5 = arith.cmpi eq, %w, %c5 : i32
    scf.if %is_5 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // Warp 5 is selected by thread ids from 160 to 191.
  // CHECK-LABEL: gpu.func @warp_5_by_comparisons
  // CHECK:       exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}
  gpu.func @warp_5_by_comparisons() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c160 = arith.constant 160 : index
    %c192 = arith.constant 192 : index
    %t = gpu.thread_id x
    %from = arith.cmpi uge, %t, %c160 : index
    %below = arith.cmpi ult, %t, %c192 : index
    %is_5 = arith.andi %from, %below : i1
    scf.if %is_5 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // Warp 5 is selected by two nested branches, of which the inner one by its else region.
  // CHECK-LABEL: gpu.func @warp_5_by_nested_branches
  // CHECK:       exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}
  gpu.func @warp_5_by_nested_branches() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c160 = arith.constant 160 : index
    %c192 = arith.constant 192 : index
    %t = gpu.thread_id x
    %below = arith.cmpi ult, %t, %c192 : index
    %before = arith.cmpi ult, %t, %c160 : index
    scf.if %below {
      scf.if %before {
      } else {
        tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
      }
    }
    gpu.return
  }

  // Warpgroup 0 has threads 0 to 127.
  // CHECK-LABEL: gpu.func @warpgroup_0
  // CHECK:       exec = {active = array<i64: 0, 128>, block = 256 : i64, threads = 128 : i64}
  gpu.func @warpgroup_0() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    }
    gpu.return
  }

  // A block that ends with half a warpgroup contains whole warpgroups.
  // CHECK-LABEL: gpu.func @the_whole_warpgroup_of_a_block_of_192
  // CHECK:       exec = {active = array<i64: 0, 128>, block = 192 : i64, threads = 128 : i64}
  gpu.func @the_whole_warpgroup_of_a_block_of_192() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    }
    gpu.return
  }

  // Any single thread may execute an op of scope `thread`.
  // CHECK-LABEL: gpu.func @thread_65
  // CHECK:       exec = {active = array<i64: 65, 66>, block = 128 : i64, threads = 1 : i64}
  gpu.func @thread_65() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c65 = arith.constant 65 : index
    %t = gpu.thread_id x
    %is_65 = arith.cmpi eq, %t, %c65 : index
    scf.if %is_65 {
      tile.reduce sum %S into %D axes [1] scope(thread) : !S into !D
    }
    gpu.return
  }

  // The last warp of a block of 48 threads has 16 threads.
  // CHECK-LABEL: gpu.func @last_warp_of_48
  // CHECK:       exec = {active = array<i64: 32, 48>, block = 48 : i64, threads = 16 : i64}
  gpu.func @last_warp_of_48() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c1 = arith.constant 1 : index
    %w = gpu.subgroup_id : index
    %is_1 = arith.cmpi eq, %w, %c1 : index
    scf.if %is_1 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // In a block of 8x4x2 threads, the second plane is the second warp.
  // CHECK-LABEL: gpu.func @second_plane
  // CHECK:       exec = {active = array<i64: 32, 64>, block = 64 : i64, threads = 32 : i64}
  gpu.func @second_plane() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 8, 4, 2>} {
    %c1 = arith.constant 1 : index
    %z = gpu.thread_id z
    %is_1 = arith.cmpi eq, %z, %c1 : index
    scf.if %is_1 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }

  // The odd warps of four are two thread ranges.
  // CHECK-LABEL: gpu.func @odd_warps
  // CHECK:       exec = {active = array<i64: 32, 64, 96, 128>, block = 128 : i64, threads = 32 : i64}
  gpu.func @odd_warps(%A: memref<4x8xf32>) workgroup(%S: memref<4x4x8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c1 = arith.constant 1 : index
    %w = gpu.subgroup_id : index
    %low = arith.andi %w, %c1 : index
    %odd = arith.cmpi eq, %low, %c1 : index
    scf.if %odd {
      %mine = memref.subview %S[%w, 0, 0] [1, 4, 8] [1, 1, 1]
        : memref<4x4x8xf32, #gpu.address_space<workgroup>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<workgroup>>
      tile.copy %A to %mine scope(warp)
        : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<workgroup>>
    }
    gpu.return
  }

  // An op that no thread reaches has no active threads.
  // CHECK-LABEL: gpu.func @nobody
  // CHECK:       exec = {active = array<i64>, block = 64 : i64, threads = 32 : i64}
  gpu.func @nobody() workgroup(%S: !S, %D: !D) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %beyond = arith.cmpi uge, %t, %c64 : index
    scf.if %beyond {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }
}
