// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, and two barriers in each of two loops.

// Extreme loop bounds: the first loop has no iteration and the second has one, for all threads. So barriers
// can be in the loop: one between store and load, one before the next store.
// CHECK-LABEL:   gpu.func @far_bounds
// CHECK:         scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

// The last index of an empty loop must not underflow.
// CHECK-LABEL:   gpu.func @no_iteration
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

// Unsigned indices continue after the largest signed number: two iterations, instead of none.
// CHECK-LABEL:   gpu.func @unsigned
// CHECK:         scf.for unsigned
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
gpu.module @kernels {
  gpu.func @far_bounds(%A: memref<64xf32>, %B: memref<64xf32>)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %most = arith.constant 9223372036854775807 : index
    %least = arith.constant -9223372036854775808 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.for %i = %most to %least step %c1 {
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %B[%t] : memref<64xf32>
    }
    scf.for %i = %c0 to %most step %most {
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
  gpu.func @no_iteration(%A: memref<4x64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %least = arith.constant -9223372036854775808 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %least step %c1 {
      %x = memref.load %A[%i, %t] : memref<4x64xf32>
      memref.store %x, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
  gpu.func @unsigned(%A: memref<64xf32>, %B: memref<64xf32>)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c63 = arith.constant 63 : index
    %most = arith.constant 2147483647 : i32
    %past = arith.constant -2147483647 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.for unsigned %i = %most to %past step %c1 : i32 {
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
