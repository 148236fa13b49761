// RUN: tx-opt %s --gpu-to-ptx --split-input-file --verify-diagnostics

// LLVM would abort on an unknown chip.
// expected-error @below {{unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a}}
gpu.module @unknown_chip [#nvvm.target<chip = "sm_91">] {
}

// -----

// LLVM would ignore an unknown feature.
// expected-error @below {{unknown target feature `+turbo`}}
// expected-note @below {{known: +ptx32, }}
gpu.module @unknown_feature [#nvvm.target<chip = "sm_90", features = "+turbo">] {
}

// -----

// The existing lanes of a warp depend on the block size.
gpu.module @shuffle_without_block_size {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @k(%x: f32) kernel {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{the kernel has no block size}}
    %y, %p = gpu.shuffle xor %x, %c1, %c32 : f32
    gpu.return
  }
}
