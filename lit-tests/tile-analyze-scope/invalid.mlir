// RUN: tx-opt %s --tile-analyze-scope --split-input-file --verify-diagnostics

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// A condition on the thread id excludes half of the block: the message names the branch.
gpu.module @m {
  gpu.func @cta_op_reached_by_half_of_the_block() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c64 : index
    // expected-note @below {{only threads 0 to 63 of 128 execute this branch}}
    scf.if %first {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope, or move it out of the branch}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// The else region excludes the other half of the block.
gpu.module @m {
  gpu.func @cta_op_in_the_other_arm() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c64 : index
    // expected-note @below {{only threads 64 to 127 of 128 execute this branch}}
    scf.if %first {
    } else {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope, or move it out of the branch}}
      tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>

// A condition on loaded data may differ between any two threads.
gpu.module @m {
  gpu.func @cta_op_under_data_of_each_thread(%A: memref<4x8xf32>, %flags: memref<128xi1>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c = memref.load %flags[%t] : memref<128xi1>
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `cta` must reach `tile.copy` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.copy %A to %S scope(cta) : memref<4x8xf32> to !S
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Half a warp is not a warp.
gpu.module @m {
  gpu.func @warp_op_under_a_branch_that_splits_a_warp() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c48 = arith.constant 48 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c48 : index
    // expected-note @below {{only threads 0 to 47 of 128 execute this branch}}
    scf.if %first {
      // expected-error @below {{all threads of the `warp` must reach `tile.reduce` together}}
      // expected-note @below {{make the condition uniform within each group of the scope, or use a narrower scope}}
      tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    }
    gpu.return
  }
}

// -----

// An exchange of values needs all threads of the scope, too.
gpu.module @m {
  gpu.func @all_reduce_under_a_branch_that_splits_a_warp(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.lane_id
    %low = arith.andi %t, %c1 : index
    %odd = arith.cmpi eq, %low, %c1 : index
    // expected-note @below {{1, 3, 5, 7}}
    scf.if %odd {
      // expected-error @below {{all threads of the `warp` must reach `tile.all_reduce` together}}
      // expected-note @below {{make the condition uniform within each group of the scope, or use a narrower scope}}
      %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Threads with different numbers of iterations do not stay together.
gpu.module @m {
  gpu.func @loop_with_different_trip_counts() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c500 = arith.constant 500 : index
    %t = gpu.thread_id x
    // expected-note @below {{this loop runs a different number of times in different threads}}
    scf.for %i = %t to %c500 step %c128 {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.for`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %S into %D axes [1] scope(cta) accumulate : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Unstructured control flow is not analyzed.
gpu.module @m {
  // expected-note @below {{this kernel has unstructured control flow}}
  gpu.func @several_blocks(%c: i1) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    cf.cond_br %c, ^work, ^end
  ^work:
    // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
    // expected-note @below {{move the op out of the `gpu.func`, or compute the condition from thread ids and constants only}}
    tile.reduce sum %S into %D axes [1] scope(cta) : !S into !D
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// A block of three warps has no warpgroup: the message shows the block size.
gpu.module @m {
  // expected-note @below {{the block size is 96}}
  gpu.func @warpgroup_op_in_a_block_of_96() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-error @below {{a warpgroup has 128 threads, but warpgroup 0 of this block has 96}}
    // expected-note @below {{make the block size a multiple of 128, or guard the op by the warpgroup id}}
    tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// The last two warps of a block of six are no warpgroup.
gpu.module @m {
  // expected-note @below {{the block size is 192}}
  gpu.func @warpgroup_op_in_the_rest_of_192() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %last = arith.cmpi uge, %t, %c128 : index
    scf.if %last {
      // expected-error @below {{a warpgroup has 128 threads, but warpgroup 1 of this block has 64}}
      // expected-note @below {{make the block size a multiple of 128, or guard the op by the warpgroup id}}
      tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Warps 2 to 5 are four warps, but a warpgroup begins at a multiple of four.
gpu.module @m {
  gpu.func @four_warps_of_two_warpgroups() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %w = gpu.subgroup_id : index
    %from_2 = arith.subi %w, %c2 : index
    %c0 = arith.constant 0 : index
    %low = arith.cmpi sge, %from_2, %c0 : index
    %high = arith.cmpi slt, %from_2, %c4 : index
    %inside = arith.andi %low, %high : i1
    // expected-note @below {{only threads 64 to 191 of 256 execute this branch}}
    scf.if %inside {
      // expected-error @below {{all threads of the `warpgroup` must reach `tile.reduce` together}}
      // expected-note @below {{make the condition uniform within each group of the scope, or use a narrower scope}}
      tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    }
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// Two warps would write one destination.
gpu.module @m {
  gpu.func @two_warps_write_one_shared_tile() workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{2 warps reach this op, and all write the same destination}}
    // expected-note @below {{guard the op so that one warp executes it, or make the destination depend on the warp's id (`memref.subview`)}}
    tile.reduce sum %S into %D axes [1] scope(warp) : !S into !D
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>

// Two threads would write one destination in global memory.
gpu.module @m {
  gpu.func @all_threads_write_one_global_tile(%B: memref<4xf32>) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{128 threads reach this op, and all write the same destination}}
    // expected-note @below {{guard the op so that one thread executes it, or make the destination depend on the thread's id (`memref.subview`)}}
    tile.reduce sum %S into %B axes [1] scope(thread) : !S into memref<4xf32>
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>

// Two warpgroups would copy to one destination. A view at a constant offset is the same memory for all.
gpu.module @m {
  gpu.func @two_warpgroups_copy_to_one_view(%A: memref<4x8xf32>)
      workgroup(%S: memref<8x8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %V = memref.subview %S[4, 0] [4, 8] [1, 1]
      : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<4x8xf32, strided<[8, 1], offset: 32>, #gpu.address_space<workgroup>>
    // expected-error @below {{2 warpgroups reach this op, and all write the same destination}}
    // expected-note @below {{guard the op so that one warpgroup executes it, or make the destination depend on the warpgroup's id (`memref.subview`)}}
    tile.copy %A to %V scope(warpgroup)
      : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A tile op must be in a kernel.
func.func @cta_op_on_the_host(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`tile.reduce` must be in a `gpu.func` kernel}}
  // expected-note @below {{only ops at `scope(grid)` are allowed in a host function}}
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A function of a GPU module that is not a kernel is rejected.
gpu.module @m {
  // expected-note @below {{this `gpu.func` lacks the keyword `kernel`}}
  gpu.func @device_function(%A: memref<4x8xf32>, %B: memref<4xf32>) {
    // expected-error @below {{`tile.reduce` must be in a kernel}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// Without a block size, the number of threads is unknown.
gpu.module @m {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%A: memref<4x8xf32>, %B: memref<4xf32>) kernel {
    // expected-error @below {{the kernel has no block size}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// No GPU supports a block of 2048 threads.
gpu.module @m {
  // expected-note @below {{`known_block_size` is set here}}
  gpu.func @block_of_2048(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    // expected-error @below {{a block has 1 to 1024 threads, at most 64 along z, found [1024, 2, 1]}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// A block needs at least one thread.
gpu.module @m {
  // expected-note @below {{`known_block_size` is set here}}
  gpu.func @block_of_0(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 0, 1>} {
    // expected-error @below {{a block has 1 to 1024 threads, at most 64 along z, found [32, 0, 1]}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// Grid-level ops cannot be in a kernel.
func.func @grid_op(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`tile.reduce` at scope `grid` cannot be lowered within a kernel}}
  // expected-note @below {{run `tile-schedule` first: it converts ops at scope `grid` to kernels}}
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// An op without an implementation is reported.
gpu.module @m {
  gpu.func @cluster_op(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.reduce` at scope `cluster` is not implemented}}
    // expected-note @below {{implemented: scopes `thread`, `warp`, `warpgroup` and `cta`, and `tile.all_reduce` at scope `cluster`}}
    tile.reduce sum %A into %B axes [1] scope(cluster) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

!S = memref<4x8xf32, #gpu.address_space<workgroup>>
!D = memref<4xf32, #gpu.address_space<workgroup>>

// One run reports all errors.
gpu.module @m {
  // expected-note @below {{the block size is 64}}
  gpu.func @two_errors(%A: memref<4x8xf32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{2 warps reach this op, and all write the same destination}}
    // expected-note @below {{guard the op so that one warp executes it, or make the destination depend on the warp's id (`memref.subview`)}}
    tile.copy %A to %S scope(warp) : memref<4x8xf32> to !S
    // expected-error @below {{a warpgroup has 128 threads, but warpgroup 0 of this block has 64}}
    // expected-note @below {{make the block size a multiple of 128, or guard the op by the warpgroup id}}
    tile.reduce sum %S into %D axes [1] scope(warpgroup) : !S into !D
    gpu.return
  }
}

// -----

// A result must not overwrite elements that are still read: whole tiles,
gpu.module @m {
  gpu.func @in_place(%A: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %B = memref.subview %A[0, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1]>>
    // expected-error @below {{the destination overlaps the source}}
    // expected-note @below {{results are written while other elements are still read; reduce into separate memory, and copy the result}}
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<8x8xf32> into memref<8xf32, strided<[1]>>
    gpu.return
  }
}

// -----

// and slices of a tile.
gpu.module @m {
  gpu.func @slices_that_meet(%A: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %from = memref.subview %A[0] [33] [1] : memref<64xf32> to memref<33xf32, strided<[1]>>
    %to = memref.subview %A[32] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: 32>>
    // expected-error @below {{the destination overlaps the source}}
    // expected-note @below {{results are written while other elements are still read; reduce into separate memory, and copy the result}}
    tile.reduce sum %from into %to axes [0] scope(cta)
      : memref<33xf32, strided<[1]>> into memref<f32, strided<[], offset: 32>>
    gpu.return
  }
}

// -----

// A condition that is uniform in the block selects all warps or none: all warps would write the same
// elements.
gpu.module @kernels {
  gpu.func @behind_a_flag(%A: memref<8x64xf32>, %B: memref<8xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c2 = arith.constant 2 : index
    %p = arith.cmpi ult, %c2, %n : index
    scf.if %p {
      // expected-error @below {{4 warps reach this op, and all write the same destination}}
      // expected-note @below {{guard the op so that one warp executes it, or make the destination depend on the warp's id (`memref.subview`)}}
      tile.reduce sum %A into %B axes [1] scope(warp) : memref<8x64xf32> into memref<8xf32>
    }
    gpu.return
  }
}

// -----

// `true` is -1 as a signed `i1`, so `minsi` computes an or: threads 0 to 47 are active.
gpu.module @kernels {
  gpu.func @minimum_of_conditions(%A: memref<2x32xf32>, %B: memref<2xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %t = gpu.thread_id x
    %p = arith.cmpi ult, %t, %c32 : index
    %q = arith.cmpi ult, %t, %c48 : index
    %c = arith.minsi %p, %q : i1
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %c {
      // expected-error @below {{all threads of the `warp` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %A into %B axes [1] scope(warp) : memref<2x32xf32> into memref<2xf32>
    }
    gpu.return
  }
}

// -----

// Two results must not have the same position.
gpu.module @kernels {
  gpu.func @one_place_for_two(%A: memref<4x8xi32>, %B: memref<4xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{two destinations overlap}}
    // expected-note @below {{write each result to separate memory}}
    tile.reduce argmax %A into %B, %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>, memref<4xi32>
    gpu.return
  }
}

// -----

// Elements are combined in any order, so the combiner must be commutative and associative.
gpu.module @m {
  gpu.func @order_matters(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the combiner is not commutative: combiner(1, 2) = -1, but combiner(2, 1) = 1}}
    // expected-note @below {{to subtract elements, add them negated: `arith.negf` of the element, then `arith.addf`}}
    // expected-note @below {{elements are combined in any order}}
    tile.reduce custom %A into %B axes [1] scope(cta) identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %d = arith.subf %l, %r : f32
      tile.yield %d : f32
    } : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// For several values, the laws must hold for all values, because the occurring ones are unknown.
gpu.module @m {
  gpu.func @order_matters_for_one_part(%A: memref<4x8xf32>, %B: memref<4x8xf32>, %a: memref<4xf32>, %b: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the combiner is not commutative: combiner((1, 1), (2, 2)) = (-1, 3), but combiner((2, 2), (1, 1)) = (1, 3)}}
    // expected-note @below {{to subtract elements, add them negated: `arith.negf` of the element, then `arith.addf`}}
    // expected-note @below {{elements are combined in any order}}
    tile.reduce custom %A, %B into %a, %b axes [1] scope(cta) identity [0.0 : f32, 0.0 : f32] combiner {
    ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
      %x = arith.subf %l0, %r0 : f32
      %y = arith.addf %l1, %r1 : f32
      tile.yield %x, %y : f32, f32
    } : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>, memref<4xf32>
    gpu.return
  }
}

// -----

// The average of averages is not the average of all elements.
gpu.module @m {
  gpu.func @grouping_matters(%A: memref<4x8xf32>, %B: memref<4x8xf32>, %a: memref<4xf32>, %b: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the combiner is not associative: combiner(combiner((1, 1), (2, 2)), (3, 3)) = (2.25, 6), but combiner((1, 1), combiner((2, 2), (3, 3))) = (1.75, 6)}}
    // expected-note @below {{elements are combined in any order}}
    tile.reduce custom %A, %B into %a, %b axes [1] scope(cta) identity [0.0 : f32, 0.0 : f32] combiner {
    ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
      %half = arith.constant 0.5 : f32
      %s = arith.addf %l0, %r0 : f32
      %x = arith.mulf %s, %half : f32
      %y = arith.addf %l1, %r1 : f32
      tile.yield %x, %y : f32, f32
    } : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>, memref<4xf32>
    gpu.return
  }
}

// -----

// Elements are copied in any order, so a copy must not read an element that it writes.
gpu.module @m {
  gpu.func @copy_onto_itself(%A: memref<8x8xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %T = memref.transpose %A (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    // expected-error @below {{the destination overlaps the source}}
    // expected-note @below {{elements are written while others are still read; copy through separate memory}}
    tile.copy %T to %A scope(cta) : memref<8x8xf32, strided<[1, 8]>> to memref<8x8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @copy_by_one(%B: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %from = memref.subview %B[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %to = memref.subview %B[1] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 1>>
    %apart = memref.subview %B[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    tile.copy %from to %apart scope(cta) : memref<32xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: 32>>
    // expected-error @below {{the destination overlaps the source}}
    // expected-note @below {{elements are written while others are still read; copy through separate memory}}
    tile.copy %from to %to scope(cta) : memref<32xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: 1>>
    gpu.return
  }
}

// -----

// The `valid` result of a shuffle depends on the lane, even for a uniform value.
gpu.module @m {
  gpu.func @validity(%B: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %one = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %r, %ok = gpu.shuffle up %one, %one, %i32 : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %ok {
      // expected-error @below {{all threads of the `cta` must reach `tile.all_reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      %q = tile.all_reduce sum %one scope(cta) : i32 -> i32
      memref.store %q, %B[%t] : memref<32xi32>
    }
    gpu.return
  }
}

// -----

// The message for a misspelt block size names the right attribute.
gpu.module @misspelt_block_size {
  // expected-note @below {{`known_blok_size` has no effect: did you mean `known_block_size`?}}
  gpu.func @kernel(%a: memref<8xf32>, %b: memref<f32>) kernel attributes {known_blok_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the kernel has no block size}}
    tile.reduce sum %a into %b axes [0] scope(cta) : memref<8xf32> into memref<f32>
    gpu.return
  }
}

// -----

// The message uses the singular for one thread.
gpu.module @one_thread {
  gpu.func @kernel(%a: memref<8xf32>, %b: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c5 = arith.constant 5 : index
    %is = arith.cmpi eq, %t, %c5 : index
    // expected-note @below {{only thread 5 of 32 executes this branch}}
    scf.if %is {
      // expected-error @below {{must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope}}
      tile.reduce sum %a into %b axes [0] scope(cta) : memref<8xf32> into memref<f32>
    }
    gpu.return
  }
}

// -----

// A grid that no device can launch is rejected, also for a kernel without tile ops.
gpu.module @grid {
  // expected-error @below {{`known_grid_size` along y is 70000, expected 0 to 65535}}
  gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 70000, 1>} {
    gpu.return
  }
}
