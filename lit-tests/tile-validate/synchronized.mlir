// RUN: tx-opt %s --gpu-to-nvvm=validate-each --split-input-file --verify-diagnostics

// After `lower-reduction`, no pass inserts barriers, so the program must contain them: a missing barrier is
// an error, and `tile-insert-sync` is not applied.
gpu.module @kernels {
  // expected-error @+1 {{`reversed` in the input program: RACE: race on shared memory}}
  gpu.func @reversed(%A: memref<64xf32>, %B: memref<64xf32>) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %last = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %last, %t : index
    %v = memref.load %A[%t] : memref<64xf32>
    memref.store %v, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    %w = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %B[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-remark @+1 {{`reversed` is valid}}
  gpu.func @reversed(%A: memref<64xf32>, %B: memref<64xf32>) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %last = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %last, %t : index
    %v = memref.load %A[%t] : memref<64xf32>
    memref.store %v, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %B[%t] : memref<64xf32>
    gpu.return
  }
}
