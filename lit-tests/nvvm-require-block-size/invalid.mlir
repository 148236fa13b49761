// RUN: tx-opt %s --nvvm-require-block-size --split-input-file --verify-diagnostics

// The verifier of the dialect rejects a kernel that is no function.
gpu.module @kernels {
  // expected-error @below {{'nvvm.kernel' attribute attached to unexpected op}}
  gpu.func @no_llvm_function() attributes {nvvm.kernel} {
    gpu.return
  }
}

// -----

// LLVM would abort on a size that is no number of threads.
gpu.module @kernels {
  // expected-error @below {{no device supports blocks of [-1, 1, 1] threads: expected 1 to [1024, 1024, 64], and at most 1024 in total}}
  llvm.func @negative() attributes {nvvm.kernel, gpu.known_block_size = array<i32: -1, 1, 1>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{no device supports blocks of [0, 1, 1] threads}}
  llvm.func @nobody() attributes {nvvm.kernel, gpu.known_block_size = array<i32: 0, 1, 1>} {
    llvm.return
  }
}

// -----

// Each dimension is within its limit, but the block has too many threads.
gpu.module @kernels {
  // expected-error @below {{no device supports blocks of [32, 32, 2] threads}}
  llvm.func @too_many() attributes {nvvm.kernel, gpu.known_block_size = array<i32: 32, 32, 2>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{no device supports blocks of [1, 1, 65] threads}}
  llvm.func @too_deep() attributes {nvvm.kernel, gpu.known_block_size = array<i32: 1, 1, 65>} {
    llvm.return
  }
}
