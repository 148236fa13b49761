// RUN: tx-opt %s --tile-insert-sync --split-input-file --verify-diagnostics

// Strided loops whose threads do access the same element, unlike those of `strides.mlir`.

gpu.module @m {
  // An element at the next index belongs to another thread.
  gpu.func @next_element(%G: memref<?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c64 {
      %o = arith.addi %i, %c1 : index
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      %x = memref.load %G[%o] : memref<?xf32>
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // With a step smaller than the block, another thread reaches the same element.
  gpu.func @too_small_a_step(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c32 {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // With an unknown step, another thread may reach the element; a multiple of 32 is not a multiple of 64.
  gpu.func @step_not_known(%G: memref<?xf32>, %n: index, %x: f32, %s: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %step = arith.muli %s, %c32 : index
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %step {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // Vectors overlap the elements of the next thread.
  gpu.func @vectors_too_near(%G: memref<?xf32>, %n: index, %x: vector<4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.muli %t, %c2 : index
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %first to %n step %c128 {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      vector.store %x, %G[%i] : memref<?xf32>, vector<4xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // Threads that differ in another dimension access the same elements.
  gpu.func @other_dimension(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 16, 4, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c64 {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // 32-bit overflow changes the index by a number that is no multiple of 96.
  gpu.func @wraps_around(%G: memref<?xf32>, %n: i32, %x: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : i32
    %id = gpu.thread_id x
    %t = arith.index_cast %id : index to i32
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c96 : i32 {
      %o = arith.index_cast %i : i32 to index
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%o] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // As signed numbers, unsigned numbers differ by 2^64, which is no multiple of 96.
  gpu.func @unsigned(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for unsigned %i = %t to %n step %c96 {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // A sum that may overflow changes the index by another number, too.
  gpu.func @sum_wraps_around(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c96 {
      %o = arith.addi %i, %c96 : index
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%o] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // A loop that sometimes advances by half the step reaches another thread's element.
  gpu.func @carried_by_half(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %from = arith.minui %t, %n : index
    // expected-note @below {{threads of one warp may take different paths here}}
    %end = scf.for %k = %from to %n step %c1 iter_args(%i = %t) -> (index) {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
      %next = arith.addi %i, %c64 : index
      %near = arith.addi %i, %c32 : index
      %c = arith.cmpi ult, %k, %c64 : index
      %either = arith.select %c, %next, %near : index
      scf.yield %either : index
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // Different threads have equal numbers modulo 32.
  gpu.func @by_lane(%G: memref<?xf32>, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %id = gpu.thread_id x
    %t = arith.remui %id, %c32 : index
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c64 {
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      memref.store %x, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // A multiple of a thread's residue is known only modulo this multiple.
  gpu.func @views_overlap(%G: memref<?xf32>, %n: index, %x: vector<2xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.for %i = %t to %n step %c64 {
      %v = memref.subview %G[%i] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: ?>>
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      vector.store %x, %v[%c0] : memref<2xf32, strided<[1], offset: ?>>, vector<2xf32>
    }
    gpu.return
  }
}
