//! Variants and laws of combiners.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 201,
        title: "no way to compute the reduction",
        messages: &["no variant can lower this reduction"],
        explanation: "Each variant says in a note why it does not take the op. `tx explain` shows the same for \
                      programs that are accepted. Often the layout of a result has no place where a variant can put \
                      it: let all threads that share a row hold its result.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 1 lane>]>
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
        number: 202,
        title: "a forced variant that does not take the op",
        messages: &[
            "variant `{}` cannot lower this reduction",
            "variant `{}` cannot lower this `tile.all_reduce`",
        ],
        explanation: "`variant` forces the way in which an op is computed; it must still take the op, and a note says \
                      why it does not. Name another one, or leave the attribute away: the cheapest that takes it is \
                      chosen.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "local"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "shared"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 203,
        title: "a variant that there is not",
        messages: &[
            "no variant named `{}`; known variants: {}",
            "no variant of `tile.all_reduce` named `{}`; known variants: {}",
        ],
        explanation: "The message lists the variants that are known. Other compilers register more.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "fastest"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "shared"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 204,
        title: "a fragment that leaves its kernel",
        messages: &["`{}` cannot take a fragment"],
        explanation: "Registers belong to the kernel that holds them: no function can be given a fragment. Store it to \
                      memory, or carry it by `scf` ops, which can.",
        command: Command::Opt(&["--convert-tile-to-gpu"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%x: !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%x: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    gpu.return
  }
}
"#,
    },
    Code {
        number: 205,
        title: "a layout that its threads cannot hold",
        messages: &["`{}` cannot place this fragment: {}"],
        explanation: "A layout's coordinates name threads of the scope, and all of these must be there. Take a layout \
                      with fewer threads, a wider scope, or a larger block.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #tile.layout<[<8 : 4 lane>]>>
    tile.store %x to %B scope(warp) : !tile.fragment<8xf32, #tile.layout<[<8 : 4 lane>]>> to memref<8xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #tile.layout<[<8 : 4 lane>]>>
    tile.store %x to %B scope(warp) : !tile.fragment<8xf32, #tile.layout<[<8 : 4 lane>]>> to memref<8xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 206,
        title: "a shuffle of a type that has none",
        messages: &["a shuffle of `{}` is not implemented"],
        explanation: "Lanes exchange scalars of at most 64 bits. Shuffle the parts of larger values one by one.",
        command: Command::Opt(&["--convert-gpu-shuffle-to-nvvm"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi128>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %x = memref.load %A[%t] : memref<32xi128>
    %y, %ok = gpu.shuffle xor %x, %c1, %c32 : i128
    memref.store %y, %A[%t] : memref<32xi128>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %x = memref.load %A[%t] : memref<32xf32>
    %y, %ok = gpu.shuffle xor %x, %c1, %c32 : f32
    memref.store %y, %A[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 207,
        title: "a combiner whose order matters",
        messages: &[
            "the combiner is not associative",
            "the combiner is not associative: {}",
            "the combiner is not commutative",
            "the combiner is not commutative: {}",
            "the identity is not neutral",
            "the identity is not neutral: {}",
            "the result does not use the accumulator, {}",
        ],
        explanation: "Elements are combined in any order and grouping, so that a combiner must be commutative and \
                      associative, and its identity must change nothing. The message gives values for which it is not \
                      so. What is done to each element alone, as the square of a sum of squares, does not belong there: it \
                      stands in an `element` region, after the combiner: `element { ^bb0(%x: f32, %i: index, %j: index): %y \
                      = arith.mulf %x, %x : f32 tile.yield %y : f32 }`.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.subf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
];
