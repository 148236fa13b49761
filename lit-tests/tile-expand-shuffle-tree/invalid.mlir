// RUN: tx-opt %s --tile-expand-shuffle-tree --split-input-file --verify-diagnostics

// The exchange variant must be one of two.
gpu.module @m {
  gpu.func @unknown_variant(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant of `tile.all_reduce` named `ballot`; known variants: redux, shuffle}}
    %s = tile.all_reduce sum %v scope(warp) {variant = "ballot"} : i32 -> i32
    gpu.return
  }
}

// -----

// `redux.sync` for integers needs a newer chip.
gpu.module @m [#nvvm.target<chip = "sm_90">] {
  gpu.func @float_on_an_old_chip(%v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{sm_90 has no `redux.sync` of f32, expected sm_100a}}
    %s = tile.all_reduce max %v scope(warp) {variant = "redux"} : f32 -> f32
    gpu.return
  }
}

// -----

// `redux.sync` has no products, on any chip.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @product(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{`redux.sync` has no `prod` of `i32`}}
    %s = tile.all_reduce prod %v scope(warp) {variant = "redux"} : i32 -> i32
    gpu.return
  }
}

// -----

// `redux.sync` has no sums of floats.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @sum_of_floats(%v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{`redux.sync` has no `sum` of `f32`}}
    %s = tile.all_reduce sum %v scope(warp) {variant = "redux"} : f32 -> f32
    gpu.return
  }
}

// -----

// `redux.sync` is limited to 32 bits.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @wide(%v: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{`redux.sync` has no `sum` of `i64`}}
    %s = tile.all_reduce sum %v scope(warp) {variant = "redux"} : i64 -> i64
    gpu.return
  }
}

// -----

// `redux.sync` combines one value, without an index.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @pair(%v: i32, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{`redux.sync` has no `argmax` of `i32`}}
    %s, %j = tile.all_reduce argmax %v, %i scope(warp) {variant = "redux"} : i32, i32 -> i32, i32
    gpu.return
  }
}

// -----

// A constant member mask needs equal groups in each warp; groups of twelve differ.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @twelve(%v: i32) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{groups have width 12 and stride 1, expected groups that are whole warps, or equal parts of one warp}}
    %s = tile.all_reduce sum %v scope(cta) width 12 {variant = "redux"} : i32 -> i32
    gpu.return
  }
}

// -----

// `redux.sync` cannot execute a custom combiner.
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @custom(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this `tile.all_reduce`}}
    // expected-note @below {{`redux.sync` has no `custom` of `i32`}}
    %s = tile.all_reduce custom %v scope(warp) {variant = "redux"} identity [0 : i32] combiner {
    ^bb0(%l: i32, %r: i32):
      %p = arith.addi %l, %r : i32
      tile.yield %p : i32
    } : i32 -> i32
    gpu.return
  }
}

// -----

// Eight lanes of a warp cannot shuffle while the other lanes are in another branch.
gpu.module @m {
  gpu.func @some_lanes(%v: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c8 : index
    // expected-note @below {{this branch separates the threads}}
    scf.if %some {
      // expected-error @below {{all threads of the `warp` must reach `tile.all_reduce` together}}
      %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    }
    gpu.return
  }
}

// -----

// One warp is not the whole block.
gpu.module @m {
  gpu.func @one_warp_of_two(%v: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %w = gpu.subgroup_id : index
    %first = arith.cmpi eq, %w, %c0 : index
    // expected-note @below {{this branch separates the threads}}
    scf.if %first {
      // expected-error @below {{all threads of the `cta` must reach `tile.all_reduce` together}}
      %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    }
    gpu.return
  }
}

// -----

// The lanes in a data-dependent branch are unknown.
gpu.module @m {
  gpu.func @branch_on_data(%v: f32, %flags: memref<64xi1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c = memref.load %flags[%t] : memref<64xi1>
    // expected-note @below {{this branch separates the threads}}
    scf.if %c {
      // expected-error @below {{all threads of the `warp` must reach `tile.all_reduce` together}}
      %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    }
    gpu.return
  }
}

// -----

// The lanes in a loop with a divergent number of iterations are unknown.
gpu.module @m {
  gpu.func @loop_on_data(%v: f32, %n: memref<64xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %end = memref.load %n[%t] : memref<64xindex>
    // expected-note @below {{this branch separates the threads}}
    scf.for %i = %c0 to %end step %c1 {
      // expected-error @below {{all threads of the `warp` must reach `tile.all_reduce` together}}
      %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    }
    gpu.return
  }
}

// -----

// 64 threads are half a warpgroup.
gpu.module @m {
  // expected-note @below {{a block of 64 threads has no full groups}}
  gpu.func @half_a_warpgroup(%v: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{all threads of the `warpgroup` must reach `tile.all_reduce` together}}
    %s = tile.all_reduce sum %v scope(warpgroup) : f32 -> f32
    gpu.return
  }
}

// -----

// A function of a GPU module that is not a kernel is rejected.
gpu.module @m {
  // expected-note @below {{this `gpu.func` lacks the keyword `kernel`}}
  gpu.func @device_function(%v: f32) {
    // expected-error @below {{`tile.all_reduce` must be in a kernel}}
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    gpu.return
  }
}

// -----

// Host code has no lanes.
func.func @host(%v: f32) {
  // expected-error @below {{`tile.all_reduce` must be in a `gpu.func` kernel}}
  // expected-note @below {{only ops at `scope(grid)` are allowed in a host function}}
  %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
  return
}

// -----

// Without a block size, the number of warps is unknown.
gpu.module @m {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%v: f32) kernel {
    // expected-error @below {{the kernel has no block size}}
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    gpu.return
  }
}

// -----

// No GPU supports a block of 2048 threads.
gpu.module @m {
  // expected-note @below {{`known_block_size` is set here}}
  gpu.func @block_of_2048(%v: f32) kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    // expected-error @below {{a block has 1 to 1024 threads, at most 64 along z, found [1024, 2, 1]}}
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    gpu.return
  }
}

// -----

// The number of blocks that exchange values must be static.
gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  // expected-note @below {{add `attributes {known_cluster_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_cluster_size(%v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the kernel has no cluster size}}
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    gpu.return
  }
}

// -----

// A cluster of seventeen blocks is too large.
gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  // expected-note @below {{`known_cluster_size` is set here}}
  gpu.func @large_cluster(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 17, 1, 1>} {
    // expected-error @below {{a cluster has 1 to 16 blocks, found [17, 1, 1]}}
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    gpu.return
  }
}

// -----

// Older chips do not support clusters.
gpu.module @m [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
  gpu.func @older_chip(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{sm_80 has no clusters, expected sm_90 or later}}
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    gpu.return
  }
}

// -----

// A group must not end in the middle of a block.
gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @part_of_a_block(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{groups of 48 threads with stride 1, in 4 blocks of 32 threads: expected groups that are whole blocks, or equal parts of one block}}
    %s = tile.all_reduce sum %v scope(cluster) width 48 : f32 -> f32
    gpu.return
  }
}

// -----

// A stride that is part of a block would give each block other positions.
gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @uneven_stride(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
    // expected-error @below {{the stride of a group is 48 threads, expected a divisor or a multiple of the 32 threads of a block}}
    %s = tile.all_reduce sum %v scope(cluster) width 2 stride 48 : f32 -> f32
    gpu.return
  }
}

// -----

// All blocks of a cluster must participate in an exchange.
gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  gpu.func @some_blocks(%v: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %b, %c0 : index
    // expected-note @below {{this branch separates the threads}}
    scf.if %first {
      // expected-error @below {{all threads of the `cluster` must reach `tile.all_reduce` together}}
      %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    }
    gpu.return
  }
}
