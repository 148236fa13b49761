// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, but for what is checked.

// Grid-stride loops: threads that all advance by the number of threads never access the same element, in any
// iterations. None of these kernels needs a barrier, except for the last three. In most of them, a barrier
// would be impossible, because some threads execute one iteration more.
gpu.module @kernels {
  // Each thread advances by the block size, up to a dynamic bound.
  // CHECK-LABEL: gpu.func @from_thread_by_block
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @from_thread_by_block(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c64 {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // With a static bound, some threads execute one iteration more.
  // CHECK-LABEL: gpu.func @known_end
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @known_end(%G: memref<1000xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c1000 = arith.constant 1000 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %c1000 step %c64 {
      %x = memref.load %G[%i] : memref<1000xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<1000xf32>
    }
    gpu.return
  }

  // Each thread advances by the grid size, as in most CUDA kernels; block id and grid size are unknown.
  // CHECK-LABEL: gpu.func @of_the_grid
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @of_the_grid(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %before = arith.muli %block, %c64 : index
    %from = arith.addi %before, %t : index
    %step = arith.muli %blocks, %c64 : index
    scf.for %i = %from to %n step %step {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // Two elements at a time, a block size apart; the second is the same thread's in its next iteration.
  // CHECK-LABEL: gpu.func @two_at_a_time
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @two_at_a_time(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c64 {
      %o = arith.addi %i, %c64 : index
      %x = memref.load %G[%o] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // Threads of two dimensions form one row of 64.
  // CHECK-LABEL: gpu.func @block_of_two_dimensions
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @block_of_two_dimensions(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 16, 4, 1>} {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %rows = arith.muli %ty, %c16 : index
    %t = arith.addi %rows, %tx : index
    scf.for %i = %t to %n step %c64 {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // Vectors of four, advancing by four times the block size.
  // CHECK-LABEL: gpu.func @vectors
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @vectors(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %first = arith.muli %t, %c4 : index
    scf.for %i = %first to %n step %c256 {
      %x = vector.load %G[%i] : memref<?xf32>, vector<4xf32>
      %y = arith.addf %x, %x : vector<4xf32>
      vector.store %y, %G[%i] : memref<?xf32>, vector<4xf32>
    }
    gpu.return
  }

  // 32-bit numbers may overflow, by a multiple of 64.
  // CHECK-LABEL: gpu.func @of_32_bits
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @of_32_bits(%G: memref<?xf32>, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : i32
    %id = gpu.thread_id x
    %t = arith.index_cast %id : index to i32
    scf.for %i = %t to %n step %c64 : i32 {
      %o = arith.addi %i, %c64 : i32
      %a = arith.index_cast %i : i32 to index
      %b = arith.index_cast %o : i32 to index
      %x = memref.load %G[%b] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%a] : memref<?xf32>
    }
    gpu.return
  }

  // An `scf.while` loop with a counter is equivalent.
  // CHECK-LABEL: gpu.func @while
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @while(%G: memref<?xf32>, %n: index, %one: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %last = scf.while (%i = %t) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
      %next = arith.addi %i, %c64 : index
      scf.yield %next : index
    }
    // The final value of the counter is known, too.
    memref.store %one, %G[%last] : memref<?xf32>
    gpu.return
  }

  // Other loop-carried values are analyzed like the counter.
  // CHECK-LABEL: gpu.func @carried
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @carried(%G: memref<?xf32>, %n: index, %one: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%i = %t) -> (index) {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
      %next = arith.addi %i, %c64 : index
      %far = arith.addi %i, %c128 : index
      %c = arith.cmpi ult, %k, %c64 : index
      %either = arith.select %c, %next, %far : index
      scf.yield %either : index
    }
    memref.store %one, %G[%end] : memref<?xf32>
    gpu.return
  }

  // A nested loop that continues at the last counter, and one that counts down.
  // CHECK-LABEL: gpu.func @loop_in_loop
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @loop_in_loop(%G: memref<1088xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %end = scf.for %k = %c0 to %c2 step %c1 iter_args(%i = %t) -> (index) {
      %there = scf.for %l = %c0 to %c2 step %c1 iter_args(%j = %i) -> (index) {
        memref.store %x, %G[%j] : memref<1088xf32>
        %next = arith.addi %j, %c64 : index
        scf.yield %next : index
      }
      %far = arith.addi %there, %c128 : index
      scf.yield %far : index
    }
    %start = scf.for %k = %c0 to %c2 step %c1 iter_args(%i = %end) -> (index) {
      %next = arith.subi %i, %c64 : index
      memref.store %x, %G[%next] : memref<1088xf32>
      scf.yield %next : index
    }
    gpu.return
  }

  // A block size that is no power of two: an `scf.for` with index type does not overflow.
  // CHECK-LABEL: gpu.func @block_of_96
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @block_of_96(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c96 {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // Arithmetic with `nsw` or `nuw` does not overflow either.
  // CHECK-LABEL: gpu.func @no_wrap
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @no_wrap(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c96 {
      %o = arith.addi %i, %c96 overflow<nsw> : index
      %x = memref.load %G[%o] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // The row is unknown, but no two threads access the same column.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @rows(%A: memref<4x?xf32>, %row: index, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c64 {
      %x = memref.load %A[%row, %i] : memref<4x?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%row, %i] : memref<4x?xf32>
    }
    gpu.return
  }

  // Views that begin at a thread's element stay with this thread.
  // CHECK-LABEL: gpu.func @views
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @views(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c64 {
      %v = memref.subview %G[%i] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
      %x = memref.load %v[%c0] : memref<1xf32, strided<[1], offset: ?>>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // An access to the next thread's element needs barriers, here with equally many iterations in all threads:
  // before the load, for the last iteration's store, and before the store.
  // CHECK-LABEL: gpu.func @next_element
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK:         gpu.return
  gpu.func @next_element(%G: memref<641xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c640 = arith.constant 640 : index
    %t = gpu.thread_id x
    scf.for %i = %t to %c640 step %c64 {
      %o = arith.addi %i, %c1 : index
      %x = memref.load %G[%o] : memref<641xf32>
      memref.store %x, %G[%i] : memref<641xf32>
    }
    gpu.return
  }

  // A step smaller than the block needs barriers.
  // CHECK-LABEL: gpu.func @half_a_block
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK:         gpu.return
  gpu.func @half_a_block(%G: memref<384xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %end = scf.for %k = %c0 to %c10 step %c1 iter_args(%i = %t) -> (index) {
      %x = memref.load %G[%i] : memref<384xf32>
      memref.store %x, %G[%i] : memref<384xf32>
      %next = arith.addi %i, %c32 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // Elements that two threads use in turn do not belong to one thread, whatever the loop carries.
  // CHECK-LABEL: gpu.func @in_turn
  // CHECK:         scf.for
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK:         gpu.return
  gpu.func @in_turn(%G: memref<64xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %end:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %other) -> (index, index) {
      memref.store %x, %G[%a] : memref<64xf32>
      scf.yield %b, %a : index, index
    }
    gpu.return
  }
}
