// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, but for the barriers that are counted.

!S = memref<1024xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Within one iteration, no thread writes an element of another thread; in the next iteration, it does. Each
  // iteration is analyzed once, for all accesses together.
  // CHECK-LABEL: gpu.func @ten
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK-COUNT-10:  memref.store
  // CHECK-NOT:     barrier
  // CHECK:         gpu.return
  gpu.func @ten(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c250 = arith.constant 250 : index
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c250 step %c1 {
      %u = arith.addi %t, %i : index
      %at = arith.remui %u, %c1024 : index
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
    }
    gpu.return
  }

  // If this takes too long, iterations are not distinguished: barriers may be unnecessary, never missing.
  // CHECK-LABEL: gpu.func @too_many
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK:         gpu.return
  gpu.func @too_many(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c250 = arith.constant 250 : index
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c250 step %c1 {
      %u = arith.addi %t, %i : index
      %at = arith.remui %u, %c1024 : index
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
      memref.store %x, %S[%at] : !S
    }
    gpu.return
  }
}
