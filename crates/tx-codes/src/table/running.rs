//! What programs do wrong when they run.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 801,
        title: "a data race",
        messages: &["race on {}"],
        explanation: "Two threads access one byte, one of them writes, and no barrier or atomic access says which comes first: on a GPU either may. \
                      The message has both accesses with their lines. Barriers between two ops are inserted by `tile-insert-sync`, so that what is left is \
                      one op in which several threads write one place: let one of them do it, or give each a place of its own.",
        command: Command::Run(&["--arg", "rand:64xf32", "--arg", "zeros:32xf32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %v = memref.load %A[%t] : memref<64xf32>
    memref.store %v, %B[%c0] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %v = memref.load %A[%t] : memref<64xf32>
    %one = arith.cmpi eq, %t, %c0 : index
    scf.if %one {
      memref.store %v, %B[%c0] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 802,
        title: "an access outside of its array",
        messages: &[
            "out of bounds: {}",
            "index {} of an array of {}",
            "{} of {} bytes at byte {} of {}, which has {}",
        ],
        explanation: "The address is in no array that the kernel was given, nor in its shared memory. The message has the byte, counted from the beginning of the \
                      array that is nearest, and the array's bytes. Let threads without an element do nothing.",
        command: Command::Run(&["--arg", "rand:64xf32", "--arg", "zeros:32xf32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<64xf32>
    memref.store %v, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %v = memref.load %A[%t] : memref<64xf32>
    %is_there = arith.cmpi ult, %t, %c32 : index
    scf.if %is_there {
      memref.store %v, %B[%t] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 803,
        title: "a read of what nobody wrote",
        messages: &[
            "uninitialized: {}",
            "read of byte {} of {}, which nobody wrote{}",
            "`{}` combines with what output {} holds, and nothing wrote that before",
        ],
        explanation: "Shared memory, and memory that a function allocates, holds anything until it is written. Write it before, or read what was written. \
                      `linalg.reduce` adds to what its output holds, as any reduction of `linalg` and a `tile.reduce` with `accumulate`: \
                      `linalg.fill` it before with what results start from, 0 for a sum.",
        command: Command::Run(&["--arg", "zeros:64xf32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %B[%t] : memref<64xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    memref.store %one, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %B[%t] : memref<64xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 804,
        title: "a barrier at which threads wait in vain",
        messages: &[
            "divergent barrier: {}",
            "invalid barrier: {}",
            "deadlock: {}",
            "barrier {} was reached by {} threads, expected {}",
            "{} threads reach a barrier of the cluster, expected {}",
        ],
        explanation: "All threads of a block must come to one barrier, and to the same one. On a GPU the others wait for ever, or go on too early. Put barriers \
                      outside of branches that depend on the thread.",
        command: Command::Run(&["--arg", "rand:64xf32", "--arg", "zeros:32xf32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %few = arith.cmpi ult, %t, %c32 : index
    scf.if %few {
      gpu.barrier
      %v = memref.load %A[%t] : memref<64xf32>
      memref.store %v, %B[%t] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %few = arith.cmpi ult, %t, %c32 : index
    gpu.barrier
    scf.if %few {
      %v = memref.load %A[%t] : memref<64xf32>
      memref.store %v, %B[%t] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 805,
        title: "lanes of a warp that are not together",
        messages: &[
            "invalid member mask: {}",
            "divergent warp: {}",
            "shuffle from an inactive lane: {}",
            "lane {} of the warp does not take part, and lane {} does{}",
            "lane {} reads lane {}, which does not take part{}",
        ],
        explanation: "A shuffle, a vote or a barrier of a warp is for all lanes that its mask names, and each of them must come to it. What is read from a lane that does \
                      not is undefined. Shuffle outside of branches that split a warp, and choose afterwards what to do with the value.",
        command: Command::Run(&["--arg", "rand:64xf32", "--arg", "zeros:32xf32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c20 = arith.constant 20 : index
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %v = memref.load %A[%t] : memref<64xf32>
    %few = arith.cmpi ult, %t, %c20 : index
    scf.if %few {
      %s, %valid = gpu.shuffle xor %v, %i1, %i32 : f32
      memref.store %s, %B[%t] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c20 = arith.constant 20 : index
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %v = memref.load %A[%t] : memref<64xf32>
    %few = arith.cmpi ult, %t, %c20 : index
    %s, %valid = gpu.shuffle xor %v, %i1, %i32 : f32
    scf.if %few {
      memref.store %s, %B[%t] : memref<32xf32>
    }
    gpu.return
  }
}
"#,
    },
    Code {
        number: 806,
        title: "a run without an end",
        messages: &["no end in sight: {}"],
        explanation: "A loop goes on after more steps than a run may take: iterations, accesses, and what is done by warps and blocks, of all threads. The \
                      message has the loop. Mostly what ends it never comes: a counter that is not carried on, or passes the number that it is compared \
                      with. The limit counts steps, and not time, and is the same on every machine; where the loop does end, `--steps` allows it more.",
        command: Command::Run(&["--arg", "zeros:32xi32", "--steps", "100000"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c33 = arith.constant 33 : i32
    %n = scf.while (%i = %c0) : (i32) -> i32 {
      %on = arith.cmpi ne, %i, %c33 : i32
      scf.condition(%on) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c2 : i32
      scf.yield %next : i32
    }
    memref.store %n, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c33 = arith.constant 33 : i32
    %n = scf.while (%i = %c0) : (i32) -> i32 {
      %on = arith.cmpi slt, %i, %c33 : i32
      scf.condition(%on) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c2 : i32
      scf.yield %next : i32
    }
    memref.store %n, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 807,
        title: "a division that has no result",
        messages: &[
            "integer division by zero or overflow {}",
            "the result is not defined: operands {}",
        ],
        explanation: "An integer divided by zero, or the smallest one by -1, has no result. The message has the op. Divide \
                      where the divisor is none of these, or by another number in their place.",
        command: Command::Run(&["--arg", "zeros:32xi32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c100 = arith.constant 100 : i32
    %v = memref.load %A[%t] : memref<32xi32>
    %q = arith.divsi %c100, %v : i32
    memref.store %q, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c100 = arith.constant 100 : i32
    %v = memref.load %A[%t] : memref<32xi32>
    %none = arith.cmpi eq, %v, %c0 : i32
    %by = arith.select %none, %c1, %v : i32
    %q = arith.divsi %c100, %by : i32
    memref.store %q, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 808,
        title: "an assertion that does not hold",
        messages: &["assertion failed {}: {}"],
        explanation: "The condition of a `cf.assert` is false in some thread, of which the message has the number. What threads print with \
                      `gpu.printf` before it is shown.",
        command: Command::Run(&["--arg", "full:3:32xi32"]),
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : i32
    %v = memref.load %A[%t] : memref<32xi32>
    %small = arith.cmpi slt, %v, %c3 : i32
    cf.assert %small, "no element is above 2"
    memref.store %c3, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : i32
    %v = memref.load %A[%t] : memref<32xi32>
    %small = arith.cmpi sle, %v, %c3 : i32
    cf.assert %small, "no element is above 3"
    memref.store %c3, %A[%t] : memref<32xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 809,
        title: "arguments whose sizes do not fit together",
        messages: &[
            "{} is {}, {} is {}: they are one dimension of {}, and must be equal",
            "{} is {}: they are one dimension of {}, and must be equal",
            "{} is {}, {} is {}: dimension {} of result {} (expected {})",
            "{} is {}: dimension {} of result {} (expected {})",
            "{} is {}: it is reduced by the reduction, and must be 1 where it is kept",
        ],
        explanation: "Where a program leaves sizes open, the arguments give them, and what is one dimension of an op has one size in all of its arrays. \
                      The message names both as the program does, `%A.dim0` the outermost dimension of `%A`, with what was found. Give arrays of sizes that fit, in the \
                      order of the arguments, or reduce along other axes.",
        command: Command::Run(&["--arg", "rand:4x8xf32", "--arg", "zeros:8xf32"]),
        refused: r#"func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @columns(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
];
