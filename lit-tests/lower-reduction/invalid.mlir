// RUN: tx-opt %s --lower-reduction --split-input-file --verify-diagnostics

#frag = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 1 lane>]>

// An op that cannot be lowered is an error at the op, with the reasons of every variant.
gpu.module @m {
  gpu.func @fragments(%A: memref<16x8xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x8xf32> -> !tile.fragment<16x8xf32, #frag>
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): }}
    // expected-note @below {{batched (priority 10): }}
    // expected-note @below {{local (priority 10): layout: element [1] of the result is on thread 1 of the `warp`, which has no partial result of this element}}
    // expected-note @below {{packed_add_sum (priority 20): }}
    // expected-note @below {{packed_half (priority 10): }}
    // expected-note @below {{packed_key (priority 10): }}
    // expected-note @below {{redux (priority 10): }}
    // expected-note @below {{shared (priority 10): storage: source is in registers, expected shared or global memory}}
    %r = tile.reduce max %x axes [1] scope(warp) : !tile.fragment<16x8xf32, #frag> -> !tile.fragment<16xf32, #row>
    gpu.return
  }
}

// -----

// For an unknown variant, the message lists the existing ones.
gpu.module @m {
  gpu.func @unknown_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `fastest`; known variants: 3input_maxmin, batched, local, packed_add_sum, packed_half, packed_key, redux, shared}}
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "fastest"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// Half a block cannot execute an op of scope `cta`.
gpu.module @m {
  gpu.func @half_a_block(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    // expected-note @below {{only threads 0 to 31 of 64 execute this branch}}
    scf.if %low {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope, or move it out of the branch}}
      tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    }
    gpu.return
  }
}

// -----

// A kernel without a block size is rejected at the op.
gpu.module @m {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel {
    // expected-error @below {{the kernel has no block size}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// Targets that LLVM does not support are rejected, because LLVM would abort.
// expected-error @below {{unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a}}
gpu.module @unknown_chip [#nvvm.target<chip = "sm_91">] {
}
