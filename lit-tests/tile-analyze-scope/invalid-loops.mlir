// RUN: tx-opt %s --tile-analyze-scope --split-input-file --verify-diagnostics

// Divergent results of loops and cases do not keep threads together.

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// A divergent number of iterations makes the loop result divergent, even for uniform yields.
gpu.module @m {
  gpu.func @k(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %sum = scf.for %i = %t to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %x = memref.load %A[%c0] : memref<?xi32>
      %y = arith.addi %a, %x : i32
      scf.yield %y : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// With a divergent initial value, the result of a loop is divergent.
gpu.module @m {
  gpu.func @k(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %own = memref.load %A[%t] : memref<?xi32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %own) -> (i32) {
      %x = memref.load %A[%i] : memref<?xi32>
      scf.yield %x : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// The result is divergent if a divergent value reaches it in the third iteration only.
gpu.module @m {
  gpu.func @k(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %d = %zero) -> (i32, i32, i32) {
      %x = memref.load %A[%t] : memref<?xi32>
      scf.yield %b, %d, %x : i32, i32, i32
    }
    %c = arith.cmpi sgt, %sum#0, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// The result of a loop with a divergent exit condition is divergent.
gpu.module @m {
  gpu.func @k(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %sum = scf.while (%a = %zero) : (i32) -> i32 {
      %x = memref.load %A[%t] : memref<?xi32>
      %more = arith.cmpi slt, %a, %x : i32
      scf.condition(%more) %a : i32
    } do {
    ^bb0(%a: i32):
      %one = arith.constant 1 : i32
      %next = arith.addi %a, %one : i32
      scf.yield %next : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// The result of a loop around such a loop is divergent.
gpu.module @m {
  gpu.func @k(%n: index, %A: memref<?xi32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %inner = scf.for %j = %t to %n step %c1 iter_args(%b = %a) -> (i32) {
        %x = memref.load %A[%i] : memref<?xi32>
        %y = arith.addi %b, %x : i32
        scf.yield %y : i32
      }
      scf.yield %inner : i32
    }
    %c = arith.cmpi sgt, %sum, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Threads in no case are in the default case: here, the second warp.
gpu.module @m {
  gpu.func @k() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    scf.index_switch %w
    case 0 {
      scf.yield
    }
    default {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope, or move it out of the branch}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
      scf.yield
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Each thread may select another case.
gpu.module @m {
  gpu.func @k(%A: memref<64xindex>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %own = memref.load %A[%t] : memref<64xindex>
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.index_switch %own
    case 0 {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.index_switch`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
      scf.yield
    }
    default {
      scf.yield
    }
    gpu.return
  }
}
