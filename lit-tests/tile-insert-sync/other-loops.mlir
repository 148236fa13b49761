// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, but for the barriers that are checked.

// MLIR's other loops run in each thread, one iteration after another, like `scf.for` and `scf.while`.

!S = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // All threads execute equally many iterations.
  // CHECK-LABEL: gpu.func @parallel
  // CHECK:         scf.parallel
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:         gpu.return
  gpu.func @parallel(%n: index, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // Loops of the affine dialect are treated like those of scf.
  // CHECK-LABEL: gpu.func @affine
  // CHECK:         affine.for
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK:         gpu.return
  gpu.func @affine(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    affine.for %i = 0 to 10 {
      memref.store %x, %S[%t] : !S
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}
