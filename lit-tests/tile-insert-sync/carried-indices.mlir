// RUN: tx-opt %s --tile-insert-sync
// RACE-FREE
// SNAPSHOT: none — where barriers stand is what matters.

// A loop-carried index depends on earlier iterations, which the analysis of one iteration ignores: thread t
// stores element 63 - t in a later iteration, and loads element t. The barrier in between stays.
// CHECK-LABEL: gpu.func @mirrored(
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      memref.load
// CHECK-LABEL: gpu.func @mirrored_in_while(
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      memref.load

// A selected view begins at a different offset in each thread, so equal indices are not equal elements: a
// thread loads the element that its neighbour has stored.
// CHECK-LABEL: gpu.func @selected_views(
// CHECK:         arith.select
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK:         memref.load
// CHECK-LABEL: gpu.func @carried_views(
// CHECK:         scf.for
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK:         memref.load

// Overlapping strides map several indices to one element.
// CHECK-LABEL: gpu.func @overlapping_rows(
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK:         memref.load
!view = memref<1024xi32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @mirrored(%G: memref<64xi32>) workgroup(%S : memref<64xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %ti = arith.index_cast %t : index to i32
    %t2 = arith.muli %t, %c2 : index
    %mirror = arith.subi %c63, %t2 : index
    memref.store %ti, %S[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %t) -> (index) {
      %late = arith.cmpi sge, %i, %c1 : index
      scf.if %late {
        memref.store %ti, %S[%p] : memref<64xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        %v = memref.load %S[%t] : memref<64xi32, #gpu.address_space<workgroup>>
        memref.store %v, %G[%t] : memref<64xi32>
      }
      %no = arith.subi %c1, %i : index
      %d = arith.muli %mirror, %no : index
      %i64 = arith.muli %i, %c64 : index
      %p1 = arith.addi %p, %d : index
      %p2 = arith.addi %p1, %i64 : index
      scf.yield %p2 : index
    }
    gpu.return
  }
  gpu.func @mirrored_in_while(%G: memref<64xi32>) workgroup(%S : memref<64xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %ti = arith.index_cast %t : index to i32
    %t2 = arith.muli %t, %c2 : index
    %mirror = arith.subi %c63, %t2 : index
    memref.store %ti, %S[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r:2 = scf.while (%i = %c0, %p = %t) : (index, index) -> (index, index) {
      %more = arith.cmpi ult, %i, %c2 : index
      scf.condition(%more) %i, %p : index, index
    } do {
    ^bb0(%i: index, %p: index):
      %late = arith.cmpi sge, %i, %c1 : index
      scf.if %late {
        memref.store %ti, %S[%p] : memref<64xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        %v = memref.load %S[%t] : memref<64xi32, #gpu.address_space<workgroup>>
        memref.store %v, %G[%t] : memref<64xi32>
      }
      %no = arith.subi %c1, %i : index
      %d = arith.muli %mirror, %no : index
      %i64 = arith.muli %i, %c64 : index
      %p1 = arith.addi %p, %d : index
      %p2 = arith.addi %p1, %i64 : index
      %i1 = arith.addi %i, %c1 : index
      scf.yield %i1, %p2 : index, index
    }
    gpu.return
  }
  gpu.func @selected_views(%G: memref<64xi32>, %n: index) workgroup(%S : memref<8192xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c65 = arith.constant 65 : index
    %c8192 = arith.constant 8192 : index
    %t = gpu.thread_id x
    %ti = arith.index_cast %t : index to i32
    scf.for %i = %t to %c8192 step %c64 {
      memref.store %ti, %S[%i] : memref<8192xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %o = arith.muli %t, %c64 : index
    %v = memref.subview %S[%o] [1024] [1] : memref<8192xi32, #gpu.address_space<workgroup>> to !view
    %o2 = arith.addi %o, %c1 : index
    %w = memref.subview %S[%o2] [1024] [1] : memref<8192xi32, #gpu.address_space<workgroup>> to !view
    %cn = arith.cmpi eq, %n, %c1 : index
    %m = arith.select %cn, %v, %w : !view
    memref.store %ti, %m[%t] : !view
    %j = arith.addi %t, %c65 : index
    %x = memref.load %m[%j] : !view
    memref.store %x, %G[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @carried_views(%G: memref<64xi32>) workgroup(%S : memref<8192xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c65 = arith.constant 65 : index
    %c8192 = arith.constant 8192 : index
    %t = gpu.thread_id x
    %ti = arith.index_cast %t : index to i32
    scf.for %i = %t to %c8192 step %c64 {
      memref.store %ti, %S[%i] : memref<8192xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %o = arith.muli %t, %c64 : index
    %v = memref.subview %S[%o] [1024] [1] : memref<8192xi32, #gpu.address_space<workgroup>> to !view
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%m = %v) -> (!view) {
      memref.store %ti, %m[%t] : !view
      %j = arith.addi %t, %c65 : index
      %x = memref.load %m[%j] : !view
      memref.store %x, %G[%t] : memref<64xi32>
      scf.yield %m : !view
    }
    gpu.return
  }
  gpu.func @overlapping_rows(%A: memref<64x64xi32, strided<[1, 1]>>, %G: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %ti = arith.index_cast %t : index to i32
    memref.store %ti, %A[%t, %c0] : memref<64x64xi32, strided<[1, 1]>>
    %x = memref.load %A[%t, %c1] : memref<64x64xi32, strided<[1, 1]>>
    memref.store %x, %G[%t] : memref<64xi32>
    gpu.return
  }
}
