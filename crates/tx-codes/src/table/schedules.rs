//! Whole jobs and schedules.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 301,
        title: "a loop that the schedule does not have",
        messages: &[
            "the schedule names an unknown loop `{}`",
            "a case of the schedule names an unknown dimension `{}`",
        ],
        explanation: "Loops are `d0`, `d1` ..., one for each dimension; `split` makes `.o` and `.i` of one, and `fuse` \
                      one of several, after which the old names are gone. A note lists the loops that there are at \
                      this step.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 16>, #tile.bind<"d1" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 16>, #tile.bind<"d1.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 302,
        title: "a loop of a name that is taken",
        messages: &["there is a loop `{}` already"],
        explanation: "Each loop has a name of its own: give the fused loop another one.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [] scope(grid)
      {schedule = [#tile.fuse<["d0", "d1"] to "d0">]} : memref<?x?xf32> into memref<?x?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [] scope(grid)
      {schedule = [#tile.fuse<["d0", "d1"] to "p">]} : memref<?x?xf32> into memref<?x?xf32>
  return
}
"#,
    },
    Code {
        number: 303,
        title: "what is no step of a schedule",
        messages: &[
            "`{}` is no step of a schedule",
            "`schedule` must be a list of steps",
        ],
        explanation: "A schedule is a list of steps such as `#tile.split` and `#tile.bind`; the note lists them, and \
                      the reference of the dialect says what each does.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = ["fast"]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 16>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 304,
        title: "cases that do not cover all lengths",
        messages: &[
            "`#tile.otherwise` is not the last case of the schedule",
            "the cases of the schedule end without `#tile.otherwise`",
            "`{}` stands among cases of a schedule, and is none",
            "the case of `{}` up to {} comes after that up to {}: {}",
            "a case of the schedule has no list of steps",
            "a case of the schedule has blocks that combine into one result",
        ],
        explanation: "A schedule may have cases, which the host chooses by lengths: `#tile.case`s, of which the first that \
                      holds is taken and those of one dimension have growing lengths, and `#tile.otherwise` as the \
                      last, for all others. In none of them may blocks combine into one result.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.case<"d1" to 8, [#tile.split<"d1" by 4>]>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.case<"d1" to 8, [#tile.split<"d1" by 4>]>, #tile.otherwise<[]>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 305,
        title: "a reduced loop that is spread over blocks",
        messages: &["`{}` is reduced and bound to {}: several blocks would write one result"],
        explanation: "Blocks do not wait for each other, so that a result to which several contribute has nobody to \
                      write it. Keep partial results with `#tile.rfactor`, which are combined afterwards, or permit \
                      atomics by `determinism = #tile.determinism<any>` where there is one for the type.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 1024>, #tile.bind<"d1.o" to block_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 1024>, #tile.rfactor<"d1.o">, #tile.bind<"d1.o" to block_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 306,
        title: "a loop or a processor that is taken",
        messages: &[
            "`{}` and `{}` are both bound to {}",
            "`{}` is bound to {} already",
            "`{}` is written out already",
        ],
        explanation: "One loop runs on one dimension of blocks or threads, and each of these runs one loop. Fuse loops \
                      before they are bound, or use another dimension.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>, #tile.bind<"d0" to thread_x>]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>, #tile.bind<"d0" to thread_y>]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
    },
    Code {
        number: 307,
        title: "more iterations than fit",
        messages: &[
            "`{}` has {} iterations, but {} takes at most {}",
            "{}x{}x{} threads are {}, but a block has at most {}",
            "{}x{}x{} blocks are {}, but a cluster has at most {}",
            "`{}` has {} iterations, too many to be {}; at most {} can be",
            "{} iterations are written out with {} partial results a thread, expected at most {}",
        ],
        explanation: "A block has at most 1024 threads, 64 of them along z; a cluster at most 16 blocks; and what is \
                      unrolled or vectorized is written out. Split the loop, and take the inner part.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8x2000xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 2000>, #tile.bind<"d1.i" to thread_x>]} : memref<8x2000xf32> into memref<8xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8x2000xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 256>, #tile.bind<"d1.i" to thread_x>]} : memref<8x2000xf32> into memref<8xf32>
  return
}
"#,
    },
    Code {
        number: 308,
        title: "a number of iterations that only the run knows",
        messages: &[
            "`{}` has a number of iterations that is known at run time only, so it cannot be {}",
        ],
        explanation: "How many threads a block has, and what is unrolled, is fixed when the program is compiled. Split \
                      the loop: the inner part has a length that is known.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 256>, #tile.bind<"d1.i" to thread_x>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 309,
        title: "a vector that is not innermost",
        messages: &[
            "`{}` is vectorized, but not the innermost loop of a thread",
            "`{}` and `{}` are both vectorized",
        ],
        explanation: "A vector is one access to neighbouring elements: the innermost loop of a thread, and only one. \
                      Reorder it to the inside.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8x4x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid)
      {schedule = [#tile.vectorize<"d1">]} : memref<8x4x8xf32> into memref<8xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8x4x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid)
      {schedule = [#tile.reorder<"d2", "d1">, #tile.vectorize<"d1">]} : memref<8x4x8xf32> into memref<8xf32>
  return
}
"#,
    },
    Code {
        number: 310,
        title: "loops in an impossible order",
        messages: &[
            "`{}` lies within the reduced loop `{}`: its partial results would need memory",
            "`{}` lies within `{}`, whose length depends on it",
            "`{}` has two places in one order",
        ],
        explanation: "A thread keeps its partial results in registers: loops over results stand outside of loops over \
                      reduced dimensions, or are unrolled or vectorized. A loop whose length depends on another stands \
                      inside of it, and each has one place.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.reorder<"d1", "d0">]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.reorder<"d0", "d1">]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 311,
        title: "partial results of a loop that has none",
        messages: &[
            "`{}` is not reduced, so it has no partial results",
            "partial results of `{}` are materialised twice",
            "`{}` is split after its `rfactor`",
            "`{}` is fused after its `rfactor`",
        ],
        explanation: "`#tile.rfactor` keeps the partial results of a loop over a reduced dimension, in memory or \
                      between threads. Split and fuse first; then name the part whose partial results are kept, once.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 1024>, #tile.rfactor<"d0">]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 1024>, #tile.rfactor<"d1.o">]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 312,
        title: "a factor of a split out of range",
        messages: &["`{}` is split by {}, expected a factor from 1 to {}"],
        explanation: "The inner part of a split has as many iterations as the factor says: at least one. Lengths that \
                      it does not divide are guarded.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 0>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.split<"d1" by 16>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 313,
        title: "loops that cannot be one",
        messages: &[
            "`fuse` takes the names of loops and that of the new one",
            "`{}` is fused with itself",
            "`{}` and `{}` cannot be one loop",
            "`{}` has another length in each row, so it cannot be fused",
        ],
        explanation: "`#tile.fuse` makes one loop of neighbouring ones that are all reduced, or all not, with lengths \
                      that do not depend on each other.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid)
      {schedule = [#tile.fuse<["d0", "d1"] to "p">]} : memref<?x?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid)
      {schedule = [#tile.fuse<["d1", "d2"] to "p">]} : memref<?x?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 314,
        title: "a dimension that cannot be aligned",
        messages: &[
            "`{}` is aligned to {} elements, expected a power of two from 2 to {}",
            "`{}` and `{}` are both aligned",
            "`{}` is no dimension of the iteration space",
            "`{}` is not reduced",
            "`{}` has another length in each row",
        ],
        explanation: "`#tile.align` makes vectors that begin where memory is aligned: of one reduced dimension as it \
                      came, by a power of two. How many vectors a row has then depends on where it begins, so their \
                      loop is split before it is bound.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.align<"d1" to 3>]} : memref<?x64xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.align<"d1" to 4>]} : memref<?x64xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 315,
        title: "no last block",
        messages: &[
            "`last_block` finds no partial results in global memory",
            "`last_block` finds other threads for partial results than for elements",
            "`last_block` counts blocks, not clusters",
            "`{}` is not bound to blocks, so none of them is the last",
        ],
        explanation: "With `#tile.last_block` the block that finishes last combines the partial results of all. There \
                      must be some in global memory: a `#tile.rfactor` of loops that are bound to blocks, and not to \
                      clusters.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
      {schedule = [#tile.split<"d0" by 256>, #tile.bind<"d0.i" to thread_x>, #tile.last_block]} : memref<?xf32> into memref<f32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
      {schedule = [#tile.split<"d0" by 256>, #tile.rfactor<"d0.o">, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.last_block]} : memref<?xf32> into memref<f32>
  return
}
"#,
    },
    Code {
        number: 316,
        title: "a schedule that is too long",
        messages: &["the schedule has {} steps, expected at most {}"],
        explanation: "Each step may nest loops deeper. What somebody writes by hand has a few of them.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">, #tile.unroll<"d0">]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
    },
    Code {
        number: 317,
        title: "a variant of a whole job",
        messages: &[
            "`variant` is how the threads of one CTA reduce; at scope `grid` the `schedule` says it",
        ],
        explanation: "At scope `grid` a `schedule` says how the work is cut; within the kernels it makes, variants are \
                      chosen as anywhere else.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {variant = "shared"} : memref<?x?xf32> into memref<?xf32>
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
        number: 318,
        title: "work on whole arrays where the host cannot launch it",
        messages: &[
            "work on whole arrays must stand in the body of a host function",
            "a host function must be one block, without branches",
            "functions on tensors stand in a nested module",
            "this module has the mark `{}`",
            "this temporary is in a loop or branch that yields memory, so that its end is not known",
            "linalg reductions are converted in the body of a `func.func`",
        ],
        explanation: "A host function is a list of launches: reductions over arrays stand in its body, in neither \
                      loops nor branches, nor in kernels. In a kernel, write `tile.reduce` at scope `cta` or below.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
    Code {
        number: 319,
        title: "more points than 64 bits count",
        messages: &["the iteration space has more points than 64 bits can count"],
        explanation: "The lengths of all dimensions multiply to less than 2^63.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4294967296xf32, strided<[0]>>, %B: memref<4294967296xf32, strided<[0]>>, %C: memref<f32>) {
  tile.reduce sum %A, %B into %C axes [0, 1] scope(grid)
      {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  } : memref<4294967296xf32, strided<[0]>>, memref<4294967296xf32, strided<[0]>> into memref<f32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<1024xf32>, %B: memref<1024xf32>, %C: memref<f32>) {
  tile.reduce sum %A, %B into %C axes [0, 1] scope(grid)
      {maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>]} element {
  ^bb0(%a: f32, %b: f32, %i: index, %j: index):
    %p = arith.mulf %a, %b : f32
    tile.yield %p : f32
  } : memref<1024xf32>, memref<1024xf32> into memref<f32>
  return
}
"#,
    },
    Code {
        number: 320,
        title: "an op that no kernel is made of",
        messages: &[
            "`{}` is not an op that `tx` makes a kernel of",
            "`{}` is indexed by symbols: {}",
            "`{}` is a reduction",
            "`{}` writes at {}, where results could meet",
            "`{}` in the body of an element-wise op reads or writes what others write",
        ],
        explanation: "Element-wise `linalg` ops become kernels where every element is computed by itself and has a \
                      place of its own. Reductions among them are made `tile.reduce` by `convert-linalg-to-tile` \
                      first.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<8xf32>) outs(%B : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c0 = arith.constant 0 : index
    %e = memref.load %B[%c0] : memref<8xf32>
    linalg.yield %e : f32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<8xf32>) outs(%B : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  return
}
"#,
    },
    Code {
        number: 321,
        title: "memory that a host function cannot use",
        messages: &[
            "a host function works on global memory, found `{}` in {}",
            "`{}` cannot be indexed",
            "output {} is no memref",
        ],
        explanation: "What a host function launches reads and writes arrays in global memory, with strides.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8xf32, #gpu.address_space<workgroup>>, %B: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<8xf32, #gpu.address_space<workgroup>>) outs(%B : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<8xf32>) outs(%B : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  return
}
"#,
    },
    Code {
        number: 322,
        title: "tensors where memory is expected",
        messages: &[
            "operand {} is a tensor, expected memory: `{}`",
            "operand {} is `{}`, expected a ranked memref with a strided layout",
            "`{}` works on tensors, expected memrefs",
        ],
        explanation: "Reductions work on memory of known rank and strides. The pipeline `tensors-to-memrefs` makes \
                      memory of tensors; copy what has another layout.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>>, %B: memref<4xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  linalg.reduce {arith.addf} ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
  return
}
"#,
    },
    Code {
        number: 323,
        title: "an option of another value",
        messages: &["option `{}`: {}", "`{}` has no option `{}`; {}"],
        explanation: "The message says which values the option of the pass takes, or which options it has.",
        command: Command::Options {
            refused: &["--tile-schedule=until=never"],
            accepted: &["--tile-schedule=until=choice"],
        },
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>) {
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
        number: 324,
        title: "an index outside of its array",
        messages: &[
            "operand {} is indexed by `{}`, which is {}, but its dimension {} has {} elements",
        ],
        explanation: "Each index of the iteration space must have an element in every operand. Where sizes are known \
                      at run time only, this is checked before kernels are launched.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<7xf32>, %K: memref<3xf32>, %B: memref<6xf32>) {
  tile.reduce sum %A, %K into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]} element {
  ^bb0(%a: f32, %k: f32, %i: index, %j: index):
    %p = arith.mulf %a, %k : f32
    tile.yield %p : f32
  } : memref<7xf32>, memref<3xf32> into memref<6xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8xf32>, %K: memref<3xf32>, %B: memref<6xf32>) {
  tile.reduce sum %A, %K into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]} element {
  ^bb0(%a: f32, %k: f32, %i: index, %j: index):
    %p = arith.mulf %a, %k : f32
    tile.yield %p : f32
  } : memref<8xf32>, memref<3xf32> into memref<6xf32>
  return
}
"#,
    },
    Code {
        number: 325,
        title: "registers for no thread, or for more than there are",
        messages: &["registers are to do for {} threads of a multiprocessor, expected 1 to {}"],
        explanation: "`#tile.resident` says among how many threads of a multiprocessor its registers are to be divided. There are \
                      never more than 2048 at a time.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>, #tile.resident<0>]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {schedule = [#tile.bind<"d1" to thread_x>, #tile.resident<1024>]} : memref<8x8xf32> into memref<8xf32>
  return
}
"#,
    },
];
