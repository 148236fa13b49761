// RUN: tx-opt %s --tile-insert-sync --split-input-file --verify-diagnostics

// One warp writes in one region of a branch, while the other warp reads in the other region.
gpu.module @kernels {
  gpu.func @side_by_side(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %first = arith.cmpi ult, %t, %c32 : index
    // expected-note @below {{different threads execute the two arms of this branch at the same time}}
    scf.if %first {
      // expected-note @below {{the other access}}
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    } else {
      %r = arith.subi %c63, %t : index
      // expected-error @below {{this op accesses memory that the other arm of the branch accesses at the same time}}
      // expected-note @below {{move the two accesses into two consecutive branches}}
      %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
