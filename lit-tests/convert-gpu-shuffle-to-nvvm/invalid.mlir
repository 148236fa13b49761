// RUN: tx-opt %s --convert-gpu-shuffle-to-nvvm --split-input-file --verify-diagnostics

// A vector cannot be shuffled, even one of 32 bits.
gpu.module @m {
  gpu.func @vector(%x: vector<2xf16>, %o: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    // expected-error @below {{a shuffle of `vector<2xf16>` is not implemented}}
    // expected-note @below {{shuffle scalars of at most 64 bits}}
    %a, %p = gpu.shuffle xor %x, %o, %c32 : vector<2xf16>
    gpu.return
  }
}

// -----

// A value of more than 64 bits cannot be shuffled.
gpu.module @m {
  gpu.func @i128(%x: i128, %o: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    // expected-error @below {{a shuffle of `i128` is not implemented}}
    // expected-note @below {{shuffle scalars of at most 64 bits}}
    %a, %p = gpu.shuffle xor %x, %o, %c32 : i128
    gpu.return
  }
}

// -----

// Without a block size, the existing lanes are unknown.
gpu.module @m {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%x: f32, %o: i32) kernel {
    %c32 = arith.constant 32 : i32
    // expected-error @below {{the kernel has no block size}}
    %a, %p = gpu.shuffle xor %x, %o, %c32 : f32
    gpu.return
  }
}

// -----

// In a function with several calling kernels, the existing lanes are unknown.
gpu.module @m {
  // expected-note @below {{this `gpu.func` lacks the keyword `kernel`}}
  gpu.func @helper(%x: f32, %o: i32) {
    %c32 = arith.constant 32 : i32
    // expected-error @below {{`gpu.shuffle` must be in a kernel}}
    %a, %p = gpu.shuffle xor %x, %o, %c32 : f32
    gpu.return
  }
}
