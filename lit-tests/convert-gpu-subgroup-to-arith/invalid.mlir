// RUN: tx-opt %s --convert-gpu-subgroup-to-arith --split-input-file --verify-diagnostics

// Without a block size, the linear thread id is unknown.
gpu.module @kernels {
  // expected-note @below {{to this `gpu.func`}}
  gpu.func @no_block_size(%out: memref<1xindex>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{the kernel has no block size}}
    %id = gpu.subgroup_id : index
    memref.store %id, %out[%c0] : memref<1xindex>
    gpu.return
  }
}
