// RUN: tx-opt %s --tile-analyze-scope

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A condition that is unknown but uniform selects all threads or none.
  // CHECK-LABEL: gpu.func @argument_of_the_kernel
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @argument_of_the_kernel(%c: i1) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    scf.if %c {
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }

  // A value that all threads compute from the block id is uniform.
  // CHECK-LABEL: gpu.func @id_of_the_block
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @id_of_the_block(%n: index) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %b = gpu.block_id x
    %inside = arith.cmpi ult, %b, %n : index
    scf.if %inside {
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }

  // A value that all threads load from one address of global memory is uniform, too.
  // CHECK-LABEL: gpu.func @element_that_all_load
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @element_that_all_load(%flag: memref<i1>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c = memref.load %flag[] : memref<i1>
    scf.if %c {
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }

  // A loop with uniform bounds keeps all threads together.
  // CHECK-LABEL: gpu.func @loop_with_common_bounds
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @loop_with_common_bounds(%n: index) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      tile.reduce sum %S into %D axes [1] scope(cta) accumulate : !S into !D
    }
    gpu.return
  }

  // A loop from the thread id keeps threads together if all threads execute equally many iterations.
  // CHECK-LABEL: gpu.func @loop_with_equal_trip_counts
  // CHECK:       exec = {active = array<i64: 0, 128>, block = 128 : i64, threads = 128 : i64}
  gpu.func @loop_with_equal_trip_counts() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %c512 step %c128 {
      tile.reduce sum %S into %D axes [1] scope(cta) accumulate : !S into !D
    }
    gpu.return
  }

  // A loop result is uniform if the iteration count, the initial and the yielded values are uniform.
  // CHECK-LABEL: gpu.func @result_of_a_loop
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @result_of_a_loop(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %x = memref.load %A[%i] : memref<?xi32>
      %y = arith.addi %a, %x : i32
      scf.yield %y : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    scf.if %c {
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }

  // The result of nested loops, and of `scf.while` with a counter, is uniform on the same conditions.
  // CHECK-LABEL: gpu.func @result_of_loops_in_loops
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  gpu.func @result_of_loops_in_loops(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %inner:2 = scf.while (%b = %a, %j = %i) : (i32, index) -> (i32, index) {
        %x = memref.load %A[%j] : memref<?xi32>
        %more = arith.cmpi sgt, %x, %b : i32
        scf.condition(%more) %x, %j : i32, index
      } do {
      ^bb0(%b: i32, %j: index):
        %next = arith.addi %j, %c1 : index
        scf.yield %b, %next : i32, index
      }
      scf.yield %inner#0 : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    scf.if %c {
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }

  // If warps execute different numbers of iterations, the result is uniform within each warp.
  // CHECK-LABEL: gpu.func @result_for_each_warp
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 32 : i64}
  gpu.func @result_for_each_warp(%A: memref<?xi32>) workgroup(%S: !S, %D: memref<2x4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %sum = scf.for %i = %c0 to %w step %c1 iter_args(%a = %zero) -> (i32) {
      %x = memref.load %A[%i] : memref<?xi32>
      %y = arith.addi %a, %x : i32
      scf.yield %y : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    scf.if %c {
      %d = memref.subview %D[%w, 0] [1, 4] [1, 1] : memref<2x4xf32, #gpu.address_space<workgroup>> to memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
      tile.reduce sum %S into %d axes [1] scope(warp) : !S into memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    }
    gpu.return
  }

  // A case that all threads select contains all threads, and a case of the first warp contains this warp.
  // CHECK-LABEL: gpu.func @cases
  // CHECK:       case 1
  // CHECK:       exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
  // CHECK:       case 0
  // CHECK:       exec = {active = array<i64: 0, 32>, block = 64 : i64, threads = 32 : i64}
  gpu.func @cases(%n: index) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    scf.index_switch %n
    case 1 {
      scf.execute_region {
        tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
        scf.yield
      }
      scf.yield
    }
    default {
      scf.yield
    }
    scf.index_switch %w
    case 0 {
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
      scf.yield
    }
    default {
      scf.yield
    }
    gpu.return
  }
}
