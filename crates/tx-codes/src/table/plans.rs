//! Launch plans.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 601,
        title: "no entry, or several",
        messages: &[
            "no entry named `{}`",
            "no entry: expected a kernel `gpu.func` or a `func.func` with a body",
            "{} entries, expected one; choose with --entry",
            "{} entries are named `{}`",
        ],
        explanation: "What is compiled is one kernel or one host function. It is found where there is one; `--entry \
                      NAME` says which where there are several.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
func.func @g(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
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
        number: 602,
        title: "host code that a launch plan cannot hold",
        messages: &[
            "`{}` returns {}, and a launch plan has none",
            "`{}` has {} blocks, and a launch plan has no branches",
            "`{}` calls a function",
            "`{}` returns memory, and is called here",
            "`{}` accesses elements, which are in the memory of the device",
            "`{}` has the kernel inside of it",
            "`{}` depends on a condition, and a launch plan has none",
            "`{}` is control flow, and a launch plan has none",
            "`{}` was not made a kernel",
            "`{}` cannot be part of a launch plan",
        ],
        explanation: "A launch plan is allocations, sizes computed with integers, and launches, one after the other, \
                      so that whoever runs it needs no compiler. The note says what belongs elsewhere.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    scf.for %i = %c1 to %n step %c1 {
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    }
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 603,
        title: "a temporary that cannot be one",
        messages: &["`{}` cannot be a temporary: {}"],
        explanation: "Temporaries of a launch plan are row-major, in global memory, and aligned to 256 bytes.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %T = memref.alloc() {alignment = 512 : i64} : memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<4xf32>)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %T = memref.alloc() {alignment = 256 : i64} : memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 604,
        title: "a launch of other sizes than the kernel has",
        messages: &["kernel `{}` is launched with {}, expected {}"],
        explanation: "`known_block_size`, `known_grid_size` and `known_cluster_size` of a kernel are what it was \
                      compiled for. Launch it so, or change them.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 605,
        title: "a kernel that is not in the file",
        messages: &[
            "no kernel `gpu.func` named `{}` in the file",
            "kernel `{}`, expected `@module::@kernel`",
            "kernels of two modules are launched, {}",
        ],
        explanation: "Kernels of one `gpu.module` become one PTX module, which is what a plan launches from.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @others {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    gpu.launch_func @others::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 606,
        title: "a launch that nobody waits for",
        messages: &["an asynchronous `gpu.launch_func` cannot be part of a launch plan"],
        explanation: "Launches of a plan run one after the other. Leave `async` and its tokens out.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %token = gpu.launch_func async @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 607,
        title: "memory that is not the function's to use or free",
        messages: &[
            "`{}` uses memory that was freed before",
            "an argument cannot be freed: it is the caller's",
        ],
        explanation: "A temporary lives from its `memref.alloc` to its `memref.dealloc`; arguments are the caller's.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %T = memref.alloc() : memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<4xf32>)
    memref.dealloc %A : memref<4xf32>
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %T = memref.alloc() : memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<4xf32>)
    memref.dealloc %T : memref<4xf32>
    return
  }
}
"#,
    },
    Code {
        number: 608,
        title: "numbers that a launch plan does not compute with",
        messages: &[
            "`{}` computes with {}, and a launch plan computes with 64 bits",
            "`{}` widens what was narrowed to {}",
            "a kernel is given {} as {}, which does not fit",
            "`{}` makes an expression of {} terms over the arguments, and a launch plan holds {}",
        ],
        explanation: "Sizes are computed with integers of 64 bits, in expressions over the arguments and their \
                      dimensions. Cast to `index` first, and narrow only what a kernel takes.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: i32) {
    %c1 = arith.constant 1 : index
    %i = arith.addi %n, %n : i32
    %m = arith.index_cast %i : i32 to index
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : index)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %m = arith.addi %n, %n : index
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : index)
    return
  }
}
"#,
    },
    Code {
        number: 609,
        title: "a dimension that is not a constant",
        messages: &["`memref.dim` asks for dimension `{}`, expected a constant below {}"],
        explanation: "A plan names dimensions of its arguments, `arg0.dim0`: which one is fixed when the program is \
                      compiled.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%D: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %m = memref.dim %D, %n : memref<?xf32>
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : index)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%D: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %m = memref.dim %D, %c0 : memref<?xf32>
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : index)
    return
  }
}
"#,
    },
    Code {
        number: 610,
        title: "an assertion that a launch plan cannot check",
        messages: &[
            "`cf.assert` checks {}, and a launch plan checks comparisons of `index`",
            "what is asserted here never holds: {}",
        ],
        explanation: "Assertions of a host function become checks of the plan, which compare expressions of the \
                      arguments. One that can never hold is an error of the program.",
        command: Command::Compile,
        refused: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %ok = arith.cmpi sle, %c4, %c1 : index
    cf.assert %ok, "at most four"
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
        accepted: r#"module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @f(%A: memref<4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %ok = arith.cmpi sle, %n, %c4 : index
    cf.assert %ok, "at most four"
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
}
"#,
    },
    Code {
        number: 611,
        title: "what the host cannot pass to a kernel",
        messages: &[
            "argument {} of `{}` cannot be passed from the host: {}",
            "a view of type `{}` has no strides",
            "`{}` does not say what it views",
            "`{}` uses a value of type `{}` that is not known here",
        ],
        explanation: "A plan passes numbers, and memory as pointer, offset, sizes and strides, computed from those of \
                      the arguments, which are in global memory. The message lists the types.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32, #gpu.address_space<workgroup>>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32, #gpu.address_space<workgroup>> into memref<4xf32>
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
];
