//! Targets and PTX.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 501,
        title: "a chip that is not known",
        messages: &[
            "the target is `{}`, expected `#nvvm.target`",
            "unknown chip `{}`; known chips: {}",
        ],
        explanation: "The message lists the chips that `tx` compiles for. `tx doctor --chip CHIP` says what one can \
                      do.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_91">] {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 502,
        title: "a feature that is not known, or not enough for the chip",
        messages: &[
            "unknown target feature `{}`",
            "{} needs PTX {} or newer, found PTX {}",
        ],
        explanation: "Features name a version of PTX, such as `+ptx80`. LLVM would ignore one that it does not know, and end the \
                      process over a version that does not know the chip. `tile-attach-target` raises such a version; \
                      `gpu-module-to-ptx` by itself refuses it.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+turbo">] {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80">] {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 503,
        title: "an instruction that the chip lacks",
        messages: &["`{}` needs {} and PTX {}, found {} and PTX {}"],
        explanation: "The op becomes an instruction that came with a later chip or version of PTX. Compile for such a \
                      target, as the note says, or do without.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%A: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    nvvm.cluster.arrive
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%A: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    nvvm.cluster.arrive
    gpu.return
  }
}
"#,
    },
    Code {
        number: 504,
        title: "an instruction outside of functions",
        messages: &["`{}` stands in a GPU module, outside of its functions"],
        explanation: "Ops that become instructions stand in a function. MLIR lets them stand in the module, where LLVM \
                      has no place for them.",
        command: Command::Opt(&["--gpu-check-target"]),
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  nvvm.barrier
  llvm.func @k() {
    llvm.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  llvm.func @k() {
    nvvm.barrier
    llvm.return
  }
}
"#,
    },
    Code {
        number: 505,
        title: "a call of what is not there",
        messages: &["`{}` is called, but is not in the module"],
        explanation: "PTX is complete: no library is linked, not even CUDA's libdevice. Give the function a body. Ops \
                      of `math` that `tx` knows need none.",
        command: Command::Opt(&["--gpu-check-externals"]),
        refused: r#"gpu.module @kernels {
  llvm.func @helper(f32) -> f32
  llvm.func @k(%x: f32) {
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  llvm.func @helper(%x: f32) -> f32 {
    llvm.return %x : f32
  }
  llvm.func @k(%x: f32) {
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.return
  }
}
"#,
    },
    Code {
        number: 506,
        title: "more shared memory than a block has",
        messages: &["the kernel has {} bytes of static shared memory, and may have {}"],
        explanation: "A block has 48 KiB of static shared memory, for its own arrays and what reductions exchange \
                      through it. Work on smaller tiles.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%x: f32)
      workgroup(%S: memref<64x1024xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %S[%c0, %t] : memref<64x1024xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%x: f32)
      workgroup(%S: memref<4x1024xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %S[%c0, %t] : memref<4x1024xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 507,
        title: "a module that LLVM makes no PTX of",
        messages: &["no PTX was made of it: {}"],
        explanation: "What is left of the module cannot be translated, as another message says in detail. The pipeline \
                      `gpu-to-ptx` makes all of it ready first.",
        command: Command::Opt(&["--gpu-module-to-ptx"]),
        refused: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %c = arith.constant 1 : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
}
"#,
        accepted: r#"gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %c = llvm.mlir.constant(1 : i32) : i32
    llvm.store %c, %p : i32, !llvm.ptr
    llvm.return
  }
}
"#,
    },
    Code {
        number: 508,
        title: "a kernel of a name that PTX does not have",
        messages: &["`{}` cannot be the name of a kernel in PTX"],
        explanation: "Names in PTX are letters, digits, `_` and `$`, and begin with a letter, or with `_` or `$` and \
                      one more.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @"a b"(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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
        number: 509,
        title: "a kernel with more parameters than PTX passes",
        messages: &["kernel `{}` takes {} bytes of parameters, of which PTX {} passes {}"],
        explanation: "A kernel has 4352 bytes of parameters, and 32764 from PTX 8.1 on. A memref is passed as two pointers, an offset, and a size \
                      and a stride for each dimension, of eight bytes each.",
        command: Command::Compile,
        refused: r#"!rank30 = memref<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
gpu.module @kernels {
  gpu.func @k(%A: !rank30, %B: !rank30, %C: !rank30, %D: !rank30, %E: !rank30,
              %F: !rank30, %G: !rank30, %H: !rank30, %I: !rank30)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
"#,
        accepted: r#"!rank30 = memref<?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?xf32>
gpu.module @kernels {
  gpu.func @k(%A: !rank30, %B: !rank30, %C: !rank30, %D: !rank30, %E: !rank30,
              %F: !rank30, %G: !rank30, %H: !rank30)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
"#,
    },
    Code {
        number: 510,
        title: "an op that nothing lowers",
        messages: &[
            "`{}` cannot be lowered to LLVM",
            "`{}` cannot be lowered",
            "`{}` cannot be lowered: {}",
        ],
        explanation: "Kernels are lowered to instructions, and for this op no pass knows which. Write what it computes with others; \
                      where one is near, the message or its note says which.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xi32>
    %c3 = arith.constant 3 : i32
    %y = math.ipowi %x, %c3 : i32
    memref.store %y, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xi32>
    %square = arith.muli %x, %x : i32
    %y = arith.muli %square, %x : i32
    memref.store %y, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 511,
        title: "a `gpu.printf` that prints more than it is given",
        messages: &["`gpu.printf` is given {} of the {} values that its fields print"],
        explanation: "Each field of the format, from a `%` to the letter of its conversion, takes a value; a device would print \
                      whatever lies behind the last one. Give a value for each field, or write `%%` for a percent sign.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf32>
    gpu.printf "thread %lld: %f\n", %t : index
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf32>
    gpu.printf "thread %lld: %f\n", %t, %x : index, f32
    gpu.return
  }
}
"#,
    },
];
