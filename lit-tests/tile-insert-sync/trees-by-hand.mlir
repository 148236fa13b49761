// RUN: tx-opt %s --tile-insert-sync

// Shared-memory trees written as loops need one barrier per iteration, written or inserted. Within one
// iteration, no two threads access the same element, which follows from loop-carried values.

!shared = memref<256xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
// The distance halves, with barriers in the program: none is added or removed.
// CHECK-LABEL: gpu.func @halved
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:     barrier
// CHECK:         gpu.return
gpu.func @halved(%A: memref<256xf32>, %B: memref<1xf32>) workgroup(%S : !shared)
    kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %v = memref.load %A[%t] : memref<256xf32>
  memref.store %v, %S[%t] : !shared
  gpu.barrier
  %r = scf.while (%d = %c128) : (index) -> index {
    %more = arith.cmpi ugt, %d, %c0 : index
    scf.condition(%more) %d : index
  } do {
  ^bb0(%d: index):
    %mine = arith.cmpi ult, %t, %d : index
    scf.if %mine {
      %o = arith.addi %t, %d : index
      %x = memref.load %S[%t] : !shared
      %y = memref.load %S[%o] : !shared
      %z = arith.addf %x, %y : f32
      memref.store %z, %S[%t] : !shared
    }
    gpu.barrier
    %h = arith.shrui %d, %c1 : index
    scf.yield %h : index
  }
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    %s = memref.load %S[%c0] : !shared
    memref.store %s, %B[%c0] : memref<1xf32>
  }
  gpu.return
}

// The distance doubles, up to any size. Only the first thread writes the element read at the end.
// CHECK-LABEL: gpu.func @doubled
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.for
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NOT:     barrier
// CHECK:         gpu.return
gpu.func @doubled(%A: memref<100xf32>, %B: memref<1xf32>) workgroup(%S : !shared)
    kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c100 = arith.constant 100 : index
  %v = memref.load %A[%t] : memref<100xf32>
  memref.store %v, %S[%t] : !shared
  scf.for %step = %c0 to %c7 step %c1 {
    %d = arith.shli %c1, %step : index
    %two = arith.muli %d, %c2 : index
    %rest = arith.remui %t, %two : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %o = arith.addi %t, %d : index
    %there = arith.cmpi ult, %o, %c100 : index
    %mine = arith.andi %even, %there : i1
    scf.if %mine {
      %x = memref.load %S[%t] : !shared
      %y = memref.load %S[%o] : !shared
      %z = arith.addf %x, %y : f32
      memref.store %z, %S[%t] : !shared
    }
  }
  // The last iteration is executed by thread 0 alone.
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    %s = memref.load %S[%c0] : !shared
    memref.store %s, %B[%c0] : memref<1xf32>
  }
  gpu.return
}

// Bitonic sort: the inner loop depends on both distances.
// CHECK-LABEL: gpu.func @sorted
// CHECK:         gpu.barrier
// CHECK-NEXT:    %{{.*}} = scf.while
// CHECK:           scf.while
// CHECK:             gpu.barrier
// CHECK-NEXT:        scf.if
// CHECK:         }
// CHECK:         gpu.barrier
// CHECK-NEXT:    %{{.*}} = memref.load
// CHECK-NOT:     barrier
// CHECK:         gpu.return
gpu.func @sorted(%A: memref<64xf32>) workgroup(%S : !shared)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %v = memref.load %A[%t] : memref<64xf32>
  memref.store %v, %S[%t] : !shared
  %ks = scf.while (%k = %c2) : (index) -> index {
    %more = arith.cmpi ule, %k, %c64 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %half = arith.shrui %k, %c1 : index
    %js = scf.while (%j = %half) : (index) -> index {
      %more = arith.cmpi ugt, %j, %c0 : index
      scf.condition(%more) %j : index
    } do {
    ^bb0(%j: index):
      %o = arith.xori %t, %j : index
      %mine = arith.cmpi ugt, %o, %t : index
      scf.if %mine {
        %bit = arith.andi %t, %k : index
        %up = arith.cmpi eq, %bit, %c0 : index
        %x = memref.load %S[%t] : !shared
        %y = memref.load %S[%o] : !shared
        %less = arith.minimumf %x, %y : f32
        %more = arith.maximumf %x, %y : f32
        %own = arith.select %up, %less, %more : f32
        %other = arith.select %up, %more, %less : f32
        memref.store %own, %S[%t] : !shared
        memref.store %other, %S[%o] : !shared
      }
      %next = arith.shrui %j, %c1 : index
      scf.yield %next : index
    }
    %twice = arith.shli %k, %c1 : index
    scf.yield %twice : index
  }
  gpu.barrier
  %w = memref.load %S[%t] : !shared
  memref.store %w, %A[%t] : memref<64xf32>
  gpu.return
}

// All threads execute an equal, dynamic number of iterations, so barriers can be in the loop.
// CHECK-LABEL: gpu.func @as_often_as_told
// CHECK:         gpu.barrier
// CHECK:         scf.while
// CHECK:           gpu.barrier
// CHECK:           gpu.barrier
// CHECK-NOT:     barrier
// CHECK:         gpu.return
gpu.func @as_often_as_told(%A: memref<64xf32>, %n: index) workgroup(%S : !shared)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = memref.load %A[%t] : memref<64xf32>
  memref.store %v, %S[%t] : !shared
  %end = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %p = arith.addi %t, %c1 : index
    %o = arith.remui %p, %c64 : index
    %x = memref.load %S[%o] : !shared
    memref.store %x, %S[%t] : !shared
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %w = memref.load %S[%t] : !shared
  memref.store %w, %A[%t] : memref<64xf32>
  gpu.return
}
}
