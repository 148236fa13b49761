// RUN: tx-opt %s --tile-insert-sync --split-input-file --verify-diagnostics

// If no barrier is possible, the message names the obstacle.

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Each thread may select another case.
gpu.module @m {
  gpu.func @k(%I: memref<64xindex>, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %own = memref.load %I[%t] : memref<64xindex>
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.index_switch %own
    case 1 {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{let one thread execute the op, or make the condition uniform within each warp}}
      %y = memref.load %S[%other] : !S
      scf.yield
    }
    default {
      scf.yield
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Each thread executes as many iterations as its number.
gpu.module @m {
  gpu.func @k(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.parallel (%i) = (%c0) to (%t) step (%c1) {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// The number of iterations of this loop depends on the thread, too.
gpu.module @m {
  gpu.func @k(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    // expected-note @below {{threads of one warp may take different paths here}}
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%t) {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{let one thread execute the op, or make the number of iterations equal for all threads}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// The branch takes whole warps, but which ones is unknown, and so is the thread count of a barrier.
gpu.module @m {
  gpu.func @k(%I: memref<2xi1>, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %w = arith.divui %t, %c32 : index
    %own = memref.load %I[%w] : memref<2xi1>
    // expected-note @below {{warps may take different paths here}}
    scf.if %own {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but it is not known which warps of the block reach this op}}
      // expected-note @below {{make the condition uniform across the block, or compute it from thread ids and constants only}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// The control flow of ops of other dialects is not analyzed; the message says so.
gpu.module @m {
  gpu.func @k(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    // expected-note @below {{the control flow of this op is not known}}
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%t) {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but it is not known whether all threads reach this op}}
      // expected-note @below {{write it as `scf.if`, `scf.for` or `scf.while`}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Branches between blocks are not analyzed.
gpu.module @m {
  // expected-note @below {{this kernel has unstructured control flow}}
  gpu.func @k(%c: i1, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but it is not known whether all threads reach this op}}
      // expected-note @below {{write its branches as `scf.if` and its loops as `scf.for` or `scf.while`}}
      %y = memref.load %S[%other] : !S
      cf.br ^bb2
    ^bb2:
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Regions of several blocks are not analyzed.
gpu.module @m {
  gpu.func @k(%c: i1, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    // expected-note @below {{this region has unstructured control flow}}
    scf.execute_region {
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but it is not known whether all threads reach this op}}
      // expected-note @below {{write its branches as `scf.if` and its loops as `scf.for` or `scf.while`}}
      %y = memref.load %S[%other] : !S
      cf.br ^bb2
    ^bb2:
      scf.yield
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Two warps execute two cases at the same time.
gpu.module @m {
  gpu.func @k(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %w = arith.divui %t, %c32 : index
    // expected-note @below {{different threads execute the two arms of this branch at the same time}}
    scf.index_switch %w
    case 0 {
      // expected-error @below {{this op accesses memory that the other arm of the branch accesses at the same time}}
      // expected-note @below {{move the two accesses into two consecutive branches}}
      memref.store %x, %S[%t] : !S
      scf.yield
    }
    default {
      // expected-note @below {{the other access}}
      %y = memref.load %S[%other] : !S
      scf.yield
    }
    gpu.return
  }
}
