//! Scopes and barriers.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 101,
        title: "threads of the scope that do not get there",
        messages: &["all threads of the `{}` must reach `{}` together"],
        explanation: "The threads of a scope execute an op together: a branch or a loop around it must take all of \
                      them, or none. A note names the branch and who gets there. Use a narrower scope, move the op out \
                      of the branch, or let the branch take whole groups.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      tile.reduce sum %A into %B axes [1] scope(warp) : memref<4x8xf32> into memref<4xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 102,
        title: "a warpgroup that is not full",
        messages: &["a warpgroup has {} threads, but warpgroup {} of this block has {}"],
        explanation: "A warpgroup is four warps, the first of which is a multiple of four. Make the block a multiple \
                      of 128 threads, guard the op by the warpgroup's id, or use another scope.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(warpgroup) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(warpgroup) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 103,
        title: "several groups that write one destination",
        messages: &[
            "{} reach this op, and all write the same destination",
            "warps {} and {} write the same destination",
        ],
        explanation: "Each warp, warpgroup or thread that reaches the op writes its results. In shared or global \
                      memory that does not depend on which of them it is, they would write over each other. Guard the \
                      op so that one executes it, or give each its own slice.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(warp) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(warp) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 104,
        title: "an op of kernels outside of one",
        messages: &[
            "`{}` must stand in a kernel",
            "`{}` must stand in a `gpu.func` kernel",
        ],
        explanation: "Ops at scopes from `thread` to `cluster` are executed by threads of a kernel: a `gpu.func` with \
                      the keyword `kernel`. A host function has reductions at scope `grid`.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 105,
        title: "a kernel without a block size",
        messages: &[
            "the kernel has no block size",
            "kernel `{}` has no block size",
        ],
        explanation: "Who executes an op, and how values travel, depends on how many threads a block has. Say it: \
                      `attributes {known_block_size = array<i32: X, Y, Z>}`. An array of another type is no block size: MLIR drops \
                      it.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 106,
        title: "a block that no device launches",
        messages: &[
            "a block has 1 to {} threads, at most {} along z, found {}",
            "`known_grid_size` along {} is {}, expected 0 to {}",
            "no device launches blocks of {} threads: {}",
        ],
        explanation: "A block has at most 1024 threads in all, at most 64 along z, and at least one along each \
                      dimension.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 107,
        title: "a cluster that no device launches",
        messages: &["a cluster has 1 to {} blocks, found {}"],
        explanation: "A cluster has at most 16 blocks in all, and at least one along each dimension.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 17, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 108,
        title: "a kernel without a cluster size",
        messages: &["the kernel has no cluster size"],
        explanation: "An op at scope `cluster` exchanges values between the blocks of one, so their number must be \
                      known: `known_cluster_size = array<i32: X, Y, Z>` beside the block size.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 109,
        title: "an operand that differs between threads",
        messages: &["operand {} of `{}` is not the same for all threads of the `{}`"],
        explanation: "The threads of a scope execute one op together, on one tile. A view that depends on the thread's \
                      own id is another one for each: use scope `thread`, or take the whole tile.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %row = memref.subview %A[%t, 0] [1, 8] [1, 1]
        : memref<32x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    tile.reduce sum %row into %B axes [0] scope(warp)
        : memref<1x8xf32, strided<[8, 1], offset: ?>> into memref<8xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %row = memref.subview %A[%c0, 0] [1, 8] [1, 1]
        : memref<32x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    tile.reduce sum %row into %B axes [0] scope(warp)
        : memref<1x8xf32, strided<[8, 1], offset: ?>> into memref<8xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 110,
        title: "memory that is read and written at once",
        messages: &[
            "the destination overlaps the source",
            "two destinations overlap",
            "output {} overlaps what is read",
            "output {} may overlap what is read",
            "two outputs overlap",
            "two outputs may overlap",
            "output {} shares memory with another operand",
            "output {} may share memory with another operand",
            "results meet in one place: {}",
        ],
        explanation: "Results are written while other threads still read elements, in no order. Sources and \
                      destinations must be different memory, and every result needs a place of its own. Views of one array \
                      are accepted where their sizes and strides show that they are apart, as one column and the others \
                      do. Else write to a temporary, and copy.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %from = memref.subview %A[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %to = memref.subview %A[31] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: 31>>
    tile.reduce sum %from into %to axes [0] scope(cta)
        : memref<32xf32, strided<[1]>> into memref<f32, strided<[], offset: 31>>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %from = memref.subview %A[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %to = memref.subview %A[32] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: 32>>
    tile.reduce sum %from into %to axes [0] scope(cta)
        : memref<32xf32, strided<[1]>> into memref<f32, strided<[], offset: 32>>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 111,
        title: "a fragment of another scope",
        messages: &["this fragment belongs to a `{}`, but the scope is `{}`"],
        explanation: "A fragment is spread over the threads that made it. An op that takes it is executed by the same \
                      threads.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<16xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %r = tile.reduce max %x axes [1] scope(cta) : !X -> !R
    tile.store %r to %B scope(warp) : !R to memref<16xf32>
    gpu.return
  }
}
"#,
        accepted: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<16xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %r = tile.reduce max %x axes [1] scope(warp) : !X -> !R
    tile.store %r to %B scope(warp) : !R to memref<16xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 112,
        title: "a whole job where kernels are expected",
        messages: &["`{}` at scope `grid` is no part of a kernel"],
        explanation: "A reduction at scope `grid` becomes kernels by `tile-schedule`, or by `lower-reduction`, which \
                      runs it. Passes that follow expect kernels.",
        command: Command::Opt(&["--tile-analyze-scope"]),
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 113,
        title: "a reduction by a cluster",
        messages: &["`{}` at scope `cluster` is not implemented"],
        explanation: "`tile.all_reduce` combines values across a cluster; ops on tiles do not. Reduce at scope `cta`, \
                      and combine the blocks' results with `tile.all_reduce` at scope `cluster`.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cluster) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 114,
        title: "a pass that has not run",
        messages: &[
            "`{}` has no `exec` attribute",
            "`{}` has no `variant` attribute",
            "`{}` is left",
        ],
        explanation: "Each pass works on what the one before it recorded on the ops, or made of them. The note names \
                      the pass to run first; the pipeline `lower-reduction` runs all in order.",
        command: Command::Opt(&["--tile-select-variant"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
        {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 115,
        title: "a record of an earlier pass that is not true",
        messages: &[
            "`exec` must give 1 to {} threads for this scope and block, found {}",
            "`params` do not fit this reduction: {}",
        ],
        explanation: "`exec` and `params` are what passes found, and may be written by hand to run a later pass alone. \
                      They must be true of the op: as many threads as the scope has, and parameters that the variant \
                      takes.",
        command: Command::Opt(&["--tile-select-variant"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
        {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 0 : i64}} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
        {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 116,
        title: "a barrier that not all threads reach",
        messages: &[
            "a barrier is needed here, but not all lanes of the warp get here",
            "a barrier is needed here, but which warps of the block get here is not known",
            "a barrier is needed here, but whether all threads get here is not known",
            "a barrier of the cluster is needed here, but not all of its threads get here",
        ],
        explanation: "One thread reads what another wrote, so that a barrier belongs between the two; but a branch \
                      keeps some threads of the warp, or of the cluster, from it, or it is not known whom it \
                      keeps. Let the branch take whole warps, or one thread do the work; write control flow with `scf`.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c31 = arith.constant 7 : index
    %c32 = arith.constant 8 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c32 : index
    scf.if %some {
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %other = arith.subi %c31, %t : index
      %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c32 : index
    scf.if %some {
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %other = arith.subi %c31, %t : index
      %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 117,
        title: "two arms of a branch that touch the same memory",
        messages: &["this touches memory that the other arm of a branch touches at the same time"],
        explanation: "Threads take both arms of a branch side by side, and no barrier can stand between the two. Write \
                      one branch after the other.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %first = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    } else {
      %r = arith.subi %c63, %t : index
      %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %first = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    scf.if %first {
    } else {
      %r = arith.subi %c63, %t : index
      %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %B[%t] : memref<64xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 118,
        title: "more named barriers than there are",
        messages: &["this kernel needs more than {} named barriers"],
        explanation: "A set of warps that works by itself needs a barrier of its own, and a block has sixteen, one of \
                      which is for all of its threads. Let fewer different sets of warps work by themselves. (The \
                      example has sixteen sets.)",
        command: Command::Opt(&["--tile-insert-sync"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%x: f32)
      workgroup(%S: memref<16x224xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 224, 1, 1>} {
    %t = gpu.thread_id x
    %row0 = arith.constant 0 : index
    %low0 = arith.constant 0 : index
    %high0 = arith.constant 64 : index
    %ends0 = arith.constant 63 : index
    %ge0 = arith.cmpi uge, %t, %low0 : index
    %lt0 = arith.cmpi ult, %t, %high0 : index
    %in0 = arith.andi %ge0, %lt0 : i1
    scf.if %in0 {
      memref.store %x, %S[%row0, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other0 = arith.subi %ends0, %t : index
      %y0 = memref.load %S[%row0, %other0] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row1 = arith.constant 1 : index
    %low1 = arith.constant 0 : index
    %high1 = arith.constant 96 : index
    %ends1 = arith.constant 95 : index
    %ge1 = arith.cmpi uge, %t, %low1 : index
    %lt1 = arith.cmpi ult, %t, %high1 : index
    %in1 = arith.andi %ge1, %lt1 : i1
    scf.if %in1 {
      memref.store %x, %S[%row1, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other1 = arith.subi %ends1, %t : index
      %y1 = memref.load %S[%row1, %other1] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row2 = arith.constant 2 : index
    %low2 = arith.constant 0 : index
    %high2 = arith.constant 128 : index
    %ends2 = arith.constant 127 : index
    %ge2 = arith.cmpi uge, %t, %low2 : index
    %lt2 = arith.cmpi ult, %t, %high2 : index
    %in2 = arith.andi %ge2, %lt2 : i1
    scf.if %in2 {
      memref.store %x, %S[%row2, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other2 = arith.subi %ends2, %t : index
      %y2 = memref.load %S[%row2, %other2] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row3 = arith.constant 3 : index
    %low3 = arith.constant 0 : index
    %high3 = arith.constant 160 : index
    %ends3 = arith.constant 159 : index
    %ge3 = arith.cmpi uge, %t, %low3 : index
    %lt3 = arith.cmpi ult, %t, %high3 : index
    %in3 = arith.andi %ge3, %lt3 : i1
    scf.if %in3 {
      memref.store %x, %S[%row3, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other3 = arith.subi %ends3, %t : index
      %y3 = memref.load %S[%row3, %other3] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row4 = arith.constant 4 : index
    %low4 = arith.constant 0 : index
    %high4 = arith.constant 192 : index
    %ends4 = arith.constant 191 : index
    %ge4 = arith.cmpi uge, %t, %low4 : index
    %lt4 = arith.cmpi ult, %t, %high4 : index
    %in4 = arith.andi %ge4, %lt4 : i1
    scf.if %in4 {
      memref.store %x, %S[%row4, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other4 = arith.subi %ends4, %t : index
      %y4 = memref.load %S[%row4, %other4] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row5 = arith.constant 5 : index
    %low5 = arith.constant 32 : index
    %high5 = arith.constant 96 : index
    %ends5 = arith.constant 127 : index
    %ge5 = arith.cmpi uge, %t, %low5 : index
    %lt5 = arith.cmpi ult, %t, %high5 : index
    %in5 = arith.andi %ge5, %lt5 : i1
    scf.if %in5 {
      memref.store %x, %S[%row5, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other5 = arith.subi %ends5, %t : index
      %y5 = memref.load %S[%row5, %other5] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row6 = arith.constant 6 : index
    %low6 = arith.constant 32 : index
    %high6 = arith.constant 128 : index
    %ends6 = arith.constant 159 : index
    %ge6 = arith.cmpi uge, %t, %low6 : index
    %lt6 = arith.cmpi ult, %t, %high6 : index
    %in6 = arith.andi %ge6, %lt6 : i1
    scf.if %in6 {
      memref.store %x, %S[%row6, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other6 = arith.subi %ends6, %t : index
      %y6 = memref.load %S[%row6, %other6] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row7 = arith.constant 7 : index
    %low7 = arith.constant 32 : index
    %high7 = arith.constant 160 : index
    %ends7 = arith.constant 191 : index
    %ge7 = arith.cmpi uge, %t, %low7 : index
    %lt7 = arith.cmpi ult, %t, %high7 : index
    %in7 = arith.andi %ge7, %lt7 : i1
    scf.if %in7 {
      memref.store %x, %S[%row7, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other7 = arith.subi %ends7, %t : index
      %y7 = memref.load %S[%row7, %other7] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row8 = arith.constant 8 : index
    %low8 = arith.constant 32 : index
    %high8 = arith.constant 192 : index
    %ends8 = arith.constant 223 : index
    %ge8 = arith.cmpi uge, %t, %low8 : index
    %lt8 = arith.cmpi ult, %t, %high8 : index
    %in8 = arith.andi %ge8, %lt8 : i1
    scf.if %in8 {
      memref.store %x, %S[%row8, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other8 = arith.subi %ends8, %t : index
      %y8 = memref.load %S[%row8, %other8] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row9 = arith.constant 9 : index
    %low9 = arith.constant 32 : index
    %high9 = arith.constant 224 : index
    %ends9 = arith.constant 255 : index
    %ge9 = arith.cmpi uge, %t, %low9 : index
    %lt9 = arith.cmpi ult, %t, %high9 : index
    %in9 = arith.andi %ge9, %lt9 : i1
    scf.if %in9 {
      memref.store %x, %S[%row9, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other9 = arith.subi %ends9, %t : index
      %y9 = memref.load %S[%row9, %other9] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row10 = arith.constant 10 : index
    %low10 = arith.constant 64 : index
    %high10 = arith.constant 128 : index
    %ends10 = arith.constant 191 : index
    %ge10 = arith.cmpi uge, %t, %low10 : index
    %lt10 = arith.cmpi ult, %t, %high10 : index
    %in10 = arith.andi %ge10, %lt10 : i1
    scf.if %in10 {
      memref.store %x, %S[%row10, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other10 = arith.subi %ends10, %t : index
      %y10 = memref.load %S[%row10, %other10] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row11 = arith.constant 11 : index
    %low11 = arith.constant 64 : index
    %high11 = arith.constant 160 : index
    %ends11 = arith.constant 223 : index
    %ge11 = arith.cmpi uge, %t, %low11 : index
    %lt11 = arith.cmpi ult, %t, %high11 : index
    %in11 = arith.andi %ge11, %lt11 : i1
    scf.if %in11 {
      memref.store %x, %S[%row11, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other11 = arith.subi %ends11, %t : index
      %y11 = memref.load %S[%row11, %other11] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row12 = arith.constant 12 : index
    %low12 = arith.constant 64 : index
    %high12 = arith.constant 192 : index
    %ends12 = arith.constant 255 : index
    %ge12 = arith.cmpi uge, %t, %low12 : index
    %lt12 = arith.cmpi ult, %t, %high12 : index
    %in12 = arith.andi %ge12, %lt12 : i1
    scf.if %in12 {
      memref.store %x, %S[%row12, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other12 = arith.subi %ends12, %t : index
      %y12 = memref.load %S[%row12, %other12] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row13 = arith.constant 13 : index
    %low13 = arith.constant 64 : index
    %high13 = arith.constant 224 : index
    %ends13 = arith.constant 287 : index
    %ge13 = arith.cmpi uge, %t, %low13 : index
    %lt13 = arith.cmpi ult, %t, %high13 : index
    %in13 = arith.andi %ge13, %lt13 : i1
    scf.if %in13 {
      memref.store %x, %S[%row13, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other13 = arith.subi %ends13, %t : index
      %y13 = memref.load %S[%row13, %other13] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row14 = arith.constant 14 : index
    %low14 = arith.constant 96 : index
    %high14 = arith.constant 160 : index
    %ends14 = arith.constant 255 : index
    %ge14 = arith.cmpi uge, %t, %low14 : index
    %lt14 = arith.cmpi ult, %t, %high14 : index
    %in14 = arith.andi %ge14, %lt14 : i1
    scf.if %in14 {
      memref.store %x, %S[%row14, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other14 = arith.subi %ends14, %t : index
      %y14 = memref.load %S[%row14, %other14] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    %row15 = arith.constant 15 : index
    %low15 = arith.constant 96 : index
    %high15 = arith.constant 192 : index
    %ends15 = arith.constant 287 : index
    %ge15 = arith.cmpi uge, %t, %low15 : index
    %lt15 = arith.cmpi ult, %t, %high15 : index
    %in15 = arith.andi %ge15, %lt15 : i1
    scf.if %in15 {
      memref.store %x, %S[%row15, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other15 = arith.subi %ends15, %t : index
      %y15 = memref.load %S[%row15, %other15] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%x: f32)
      workgroup(%S: memref<16x224xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 224, 1, 1>} {
    %t = gpu.thread_id x
    %row0 = arith.constant 0 : index
    %low0 = arith.constant 0 : index
    %high0 = arith.constant 64 : index
    %ends0 = arith.constant 63 : index
    %ge0 = arith.cmpi uge, %t, %low0 : index
    %lt0 = arith.cmpi ult, %t, %high0 : index
    %in0 = arith.andi %ge0, %lt0 : i1
    scf.if %in0 {
      memref.store %x, %S[%row0, %t] : memref<16x224xf32, #gpu.address_space<workgroup>>
      %other0 = arith.subi %ends0, %t : index
      %y0 = memref.load %S[%row0, %other0] : memref<16x224xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 119,
        title: "groups that no blocks of a cluster make",
        messages: &[
            "groups of {} threads, {} apart, in {} blocks of {} threads: expected groups of whole blocks, or equal parts of one",
            "threads of a group are {} apart, expected a number that divides the {} threads of a block, or a multiple of it",
        ],
        explanation: "Values travel within a block by shuffles and shared memory, and between blocks by the shared \
                      memory of the cluster. Groups at scope `cluster` are whole blocks, or equal parts of one.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) width 48 : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) width 64 : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 120,
        title: "a chip without clusters",
        messages: &["{} has no clusters, expected {} or later"],
        explanation: "Clusters came with sm_90. Compile for such a chip (`--chip sm_90`, or `#nvvm.target` on the \
                      `gpu.module`), or reduce within a block.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
];
