//! Rules of the `tile` dialect.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[
    Code {
        number: 1,
        title: "an axis that is not there",
        messages: &["axis {} is out of range for rank {}"],
        explanation: "`axes` names dimensions of the source, counted from 0, or from the end: -1 is the last one. A \
                      tile of rank 2 has the axes 0 and 1, which are also -2 and -1. Name one of these.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [2] scope(cta) : memref<4x8xf32> into memref<4xf32>
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
        number: 2,
        title: "an axis that is named twice",
        messages: &["axis {} names dimension {} again"],
        explanation: "A dimension is reduced once. Since -1 is the last dimension, `[1, -1]` names one dimension of a \
                      tile of rank 2 twice. Name each dimension once.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1, -1] scope(cta) : memref<4x8xf32> into memref<4xf32>
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
        number: 3,
        title: "a destination of another shape",
        messages: &["reducing {} over axes {} gives {}"],
        explanation: "The destination has the source's shape without the reduced dimensions, or with these kept as 1, \
                      all of them or none. The message gives both shapes. Give the destination one of them, or reduce \
                      over other axes.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<8xf32>
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
        number: 4,
        title: "sources of several shapes",
        messages: &["all sources must have one shape, found {} and {}"],
        explanation: "A reduction of several sources combines elements that stand at the same place in all of them, so \
                      that all have one shape.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %C: memref<4x7xf32>, %B: memref<4xf32>, %D: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce custom %A, %C into %B, %D axes [1] scope(cta) identity [0.0 : f32, 1.0 : f32] combiner {
    ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
      %s = arith.addf %a, %b : f32
      %p = arith.mulf %c, %d : f32
      tile.yield %s, %p : f32, f32
    } : memref<4x8xf32>, memref<4x7xf32> into memref<4xf32>, memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %C: memref<4x8xf32>, %B: memref<4xf32>, %D: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce custom %A, %C into %B, %D axes [1] scope(cta) identity [0.0 : f32, 1.0 : f32] combiner {
    ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
      %s = arith.addf %a, %b : f32
      %p = arith.mulf %c, %d : f32
      tile.yield %s, %p : f32, f32
    } : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>, memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 5,
        title: "a wrong number of sources, destinations or results",
        messages: &[
            "`{}` takes one source, found {}",
            "`{}` combines one value, found {}",
            "`{}` has {} destination, found {}",
            "`{}` has {} destinations, found {}",
            "`{}` has {} destinations (a value and an index), found {}",
            "`{}` has {} result, found {}",
            "`{}` has {} results, found {}",
            "`{}` has {} results (a value and an index), found {}",
            "`{}` takes {} value, found {}",
            "`{}` takes {} values, found {}",
            "`{}` takes {} values (a value and an index), found {}",
            "needs a source",
            "`into`, `init` or `with` has {} behind `:`, and no operand before `axes`: {}",
            "`into`, `init` or `with` has {} before `axes`, and no type behind `:`: {}",
            "{} and {} in one part, expected a type for each operand",
            "{} and {} in one part, expected a type for each operand: {}",
        ],
        explanation: "Named kinds combine one source into one destination; `argmax` and `argmin` into two, the value \
                      and its index. `custom` has as many destinations as sources, or as its regions yield. Operands stand \
                      before `axes`, and the type of each behind `:`, after the same word.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
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
        number: 6,
        title: "a kind that is not defined for the type",
        messages: &[
            "`{}` of `{}` elements is not defined",
            "`{}` of `{}` values is not defined",
            "`{}` combines integers, found `{}`",
            "`tile.reduce`: {}",
            "`tile.all_reduce`: {}",
        ],
        explanation: "Elements are f16, bf16, f32, f64, i8, i16, i32 or i64; 8-bit floats as sources; i1 for `and`, \
                      `or` and `xor`. Bitwise and unsigned kinds combine integers. Take another kind, or convert the \
                      elements first.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce xor %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
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
        number: 7,
        title: "an index of another type",
        messages: &["an index is `i32` or `i64`, found `{}`"],
        explanation: "The second destination of `argmax` and `argmin` holds indices, which are `i32` or `i64`.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xi16>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 8,
        title: "an index type that is too narrow",
        messages: &["an `i32` index cannot tell {} elements apart"],
        explanation: "The greatest index must be one that the type can write: an `i32` index counts at most 2147483648 \
                      elements. Use `i64`.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4294967296xf32>, %V: memref<f32>, %I: memref<i32>) {
  tile.reduce argmax %A into %V, %I axes [0] scope(grid) : memref<4294967296xf32> into memref<f32>, memref<i32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4294967296xf32>, %V: memref<f32>, %I: memref<i64>) {
  tile.reduce argmax %A into %V, %I axes [0] scope(grid) : memref<4294967296xf32> into memref<f32>, memref<i64>
  return
}
"#,
    },
    Code {
        number: 9,
        title: "the index of the largest of no elements",
        messages: &["`{}` of nothing has no index: a reduced dimension has length 0"],
        explanation: "An empty reduction gives the identity, and `argmax` and `argmin` have none: no index is that of \
                      an element. A length that turns out to be 0 at run time gives index 0.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x0xf32>, %V: memref<4xf32>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) : memref<4x0xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 10,
        title: "a destination that loses bits",
        messages: &[
            "`{}` can be a source, but no destination",
            "`{}` can be the source of a reduction, but no result",
            "the destination's elements must be {}",
        ],
        explanation: "A float destination has the source's type or a wider one; an integer destination has the \
                      source's type: to combine in a wider one, make the elements wider, as by `arith.extsi`, in an \
                      `element` region. Partial results of f16 and bf16 are f32 in between, whatever the destination is. \
                      8-bit floats are for sources.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf16>
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
        number: 11,
        title: "a type of partial results that is too narrow",
        messages: &[
            "`acc` must be `{}` or a wider type of its sort, found `{}`",
            "`acc` is for named kinds; here the combiner says the type of partial results",
        ],
        explanation: "`acc` is the type of every partial result of a named kind: at least f32 for floats of at most 32 \
                      bits, and else at least the elements' own type. A `custom` combiner says the type by its \
                      arguments.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {acc = f16} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {acc = f64} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 12,
        title: "a combiner where none belongs, or none where one does",
        messages: &[
            "`custom` needs `identity [...]` before `combiner`",
            "`custom` needs `identity [...] combiner {...}` with one block",
            "`{}` brings its own combiner; `identity` and `combiner` belong to `custom`",
        ],
        explanation: "`custom` is combined by its `combiner` region, and an empty one is its `identity`. Named kinds \
                      have both built in.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce sum %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
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
    Code {
        number: 13,
        title: "an identity of another type or number",
        messages: &[
            "needs one identity for each of {}",
            "identity {} must be `{}` as the combiner's arguments are, found `{}`",
        ],
        explanation: "There is one identity for each value that is combined, of the type that the combiner takes: what a reduction of \
                      no elements gives.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1 : i32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
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
    Code {
        number: 14,
        title: "a combiner of another form",
        messages: &[
            "the combiner of {} has {} arguments {}",
            "the combiner must end with `tile.yield`",
            "the combiner must yield {}",
            "arguments {} and {} and yield {} of the combiner must all be {}",
        ],
        explanation: "A combiner of N sources has 2N arguments, those of the left partial result and then those of the \
                      right one, and yields N values of the same types.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32, %s: f32):
      %p = arith.mulf %l, %r : f32
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
    Code {
        number: 15,
        title: "a region that does more than compute",
        messages: &["{} only computes: it may be run any number of times"],
        explanation: "Elements are combined in any order, on any thread, and neutral ones may be added: what a region \
                      does must depend on its arguments alone, and change nothing. An element, which is what a \
                      `linalg.generic` computes without its old value, or the region `element` at scope `grid`, may \
                      read other memory by `memref.load`, at an index that it computes, where the op does not write it.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = memref.load %B[%c0] : memref<4xf32>
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
    Code {
        number: 16,
        title: "memory that the scope does not see",
        messages: &[
            "private memory is seen by one thread, but the scope is `{}`",
            "shared memory is seen by one CTA, but the scope is `{}`",
            "`scope(grid)` works on global memory, found {}",
            "a memref is in an unknown memory space",
        ],
        explanation: "All threads of the scope execute the op together, so all must see its memory: private memory is \
                      one thread's, shared memory one CTA's, global memory everybody's. Use a narrower scope, or put \
                      the tile elsewhere.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32, #gpu.address_space<private>>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32, #gpu.address_space<private>> into memref<4xf32>
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
        number: 17,
        title: "memory without strides",
        messages: &["`{}` is no tile: its layout must be strided"],
        explanation: "A tile may be strided, offset and dynamic, but an element's place must be a sum of index times \
                      stride. Copy memory of another layout first.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32, affine_map<(i, j) -> (i, j mod 4)>> into memref<4xf32>
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
        number: 18,
        title: "memory and registers in one reduction",
        messages: &[
            "memory reduces `into` memory, and fragments give results; found a mixture",
            "a reduction of memory needs destinations (`into`)",
        ],
        explanation: "A reduction of memory writes `into` memory; one of fragments has fragments as results. \
                      `tile.load` and `tile.store` go between the two.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<16xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %r = tile.reduce max %A axes [1] scope(warp) : memref<16x128xf32> -> !R
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
        number: 19,
        title: "an old value that is missing or does not fit",
        messages: &[
            "`init` belongs to fragments; memory accumulates into its destination",
            "`accumulate` on fragments needs the old value: `init(...)`",
            "needs one `init` for each of {}",
            "`init` must be {} as the result is, found {}",
            "`init` must have the layout that the result has",
        ],
        explanation: "`accumulate` combines with old values. Memory has them in its destination; a fragment is given \
                      them by `init`, with the shape, type and layout of the result.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<16xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %z = arith.constant 0.0 : f32
    %old = tile.splat %z : f32 -> !R
    %r = tile.reduce max %x axes [1] scope(warp) accumulate : !X -> !R
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
    %z = arith.constant 0.0 : f32
    %old = tile.splat %z : f32 -> !R
    %r = tile.reduce max %x init(%old) axes [1] scope(warp) accumulate : !X init !R -> !R
    tile.store %r to %B scope(warp) : !R to memref<16xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 20,
        title: "fragments of more than a CTA",
        messages: &["fragments live in the registers of one CTA, but the scope is `{}`"],
        explanation: "A fragment's layout names registers, lanes and warps of one CTA. Across CTAs values go through \
                      memory: reduce within each, store, and combine what was stored.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<16xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %r = tile.reduce max %x axes [1] scope(cluster) : !X -> !R
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
        number: 21,
        title: "a copy between different tiles",
        messages: &[
            "both tiles must have one shape and one element type, found {}",
            "the value is `{}`, but the fragment's elements are `{}`",
        ],
        explanation: "`tile.copy`, `tile.load`, `tile.store` and `tile.splat` move elements as they are: they neither \
                      convert nor reshape.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<8x4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %B scope(cta) : memref<4x8xf32> to memref<8x4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4x8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %B scope(cta) : memref<4x8xf32> to memref<4x8xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 22,
        title: "groups that the scope has no room for",
        messages: &[
            "`width` must be between {}",
            "`stride` must be at least 1, and `width` times `stride` at most {}",
            "`stride` needs `width`",
        ],
        explanation: "`tile.all_reduce` combines groups of `width` threads that are `stride` apart. Their product is \
                      at most what the scope may have: 32 for a warp, 128 for a warpgroup, 1024 for a CTA, 16 times \
                      that for a cluster.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(warp) width 64 : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(warp) width 8 : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 23,
        title: "results of other types",
        messages: &["results have the types of the values"],
        explanation: "`tile.all_reduce` gives every thread its group's result in the type of the values. Convert \
                      before or after it; `acc` says the type in between.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(warp) width 8 : f32 -> f64
    memref.store %s, %B[%t] : memref<32xf64>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(warp) width 8 : f32 -> f32
    %d = arith.extf %s : f32 to f64
    memref.store %d, %B[%t] : memref<32xf64>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 24,
        title: "groups of a whole grid",
        messages: &["groups are threads of one kernel, but the scope is `{}`"],
        explanation: "`tile.all_reduce` combines one value of each thread, at most within a cluster. A whole grid is \
                      reduced by `tile.reduce` at scope `grid`, over arrays.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(grid) : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xf32>
    %s = tile.all_reduce sum %v scope(warp) width 8 : f32 -> f32
    memref.store %s, %B[%t] : memref<32xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 25,
        title: "what only whole jobs have",
        messages: &["`{}` belongs to `scope(grid)`, but the scope is `{}`"],
        explanation: "Schedules, indexing maps, partial results and the regions `element` and `epilogue` say how a job \
                      over arrays becomes kernels. Within a kernel there is nothing left to say: use a `variant` \
                      there.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {schedule = []} : memref<4x8xf32> into memref<4xf32>
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
        number: 26,
        title: "partial results that do not fit",
        messages: &[
            "`partials` names {}",
            "partial results do not `accumulate`",
            "partial result {} is `{}`, but its destination has `{}`",
            "partial results are stored as they are, without an epilogue",
            "`{}` keeps {} partial results apart, but dimension {} of destination {} has {}",
            "`{}` of `partials` is not reduced",
            "nothing is reduced, so there are no partial results",
        ],
        explanation: "`partials` names loops over reduced dimensions whose results are kept apart: they are the first \
                      dimensions of the destination, which holds partial results in their own type, unconverted and \
                      not combined with old values.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<8x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {partials = ["d1.i"], schedule = [#tile.split<"d1" by 16>]} : memref<?x?xf32> into memref<8x?xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<?x?xf32>, %B: memref<16x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {partials = ["d1.i"], schedule = [#tile.split<"d1" by 16>]} : memref<?x?xf32> into memref<16x?xf32>
  return
}
"#,
    },
    Code {
        number: 27,
        title: "indexing maps that do not fit their operands",
        messages: &[
            "`maps` must be affine maps",
            "needs a map for each of {}",
            "the map of {} has symbols; {}",
            "the map of {} has {} dimensions, the first map has {}",
            "the map of {} has {} results for the {} dimensions of {}",
        ],
        explanation: "There is a map for each source, destination and `with` operand, in this order. All take the \
                      dimensions of the iteration space, and nothing else, and give an index for each dimension of the \
                      operand.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>]} : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
    },
    Code {
        number: 28,
        title: "results that would meet in one place",
        messages: &[
            "destination {} is indexed by `{}`, expected each dimension that is not reduced once, or 0",
            "destination {} is not indexed by d{}, which is not reduced: results would meet in one place",
            "`with` operand {} is indexed by d{}, which is reduced",
            "output {} is indexed by {}, expected each loop that is not reduced once",
            "d{} is a `parallel` loop, but output {} is not indexed by it: results would meet in one place",
            "d{} is a `reduction` loop, but an output is indexed by it",
        ],
        explanation: "A destination is indexed by every dimension that is not reduced, once, and by no other: each \
                      result has one place, and each place one result.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
    },
    Code {
        number: 29,
        title: "lengths that differ or are not known",
        messages: &[
            "d{} has {} iterations by {}, but {} by {}",
            "no operand says how long d{} is",
            "no operand says how long d{} is: none is indexed by it alone",
        ],
        explanation: "How far a dimension of the iteration space goes is read off the operands that are indexed by it \
                      alone. There must be one, and all must agree.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [0, 1] scope(grid)
      {maps = [affine_map<(i, j) -> (i + j, j)>, affine_map<(i, j) -> (0)>]} : memref<4x8xf32> into memref<1xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
      {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]} : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
    },
    Code {
        number: 30,
        title: "a region of another form",
        messages: &[
            "the arguments of `{}` are {}",
            "`{}` must have one block",
            "`{}` must end with `tile.yield`",
            "`with` operands are for the epilogue, and there is none",
            "the epilogue yields `{}` for destination {}, whose elements are `{}`",
        ],
        explanation: "`element` takes each source's element and each dimension's index, and yields what is combined. \
                      `epilogue` takes each result, each `with` operand's element and each kept dimension's index, and \
                      yields what is stored, in the type of the destination.",
        command: Command::Compile,
        refused: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    tile.yield %p : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
        accepted: r#"func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    %p = arith.mulf %a, %a : f32
    tile.yield %p : f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}
"#,
    },
    Code {
        number: 31,
        title: "old values that cannot be combined",
        messages: &[
            "`accumulate` needs a destination for each of {} results, found {}",
            "`accumulate` needs old values of the sort that is combined",
            "the combiner takes `{}`, in which old values of destination {}, `{}`, have no room",
        ],
        explanation: "`accumulate` combines results with what the destination holds, in the type in which results are \
                      combined: there must be an old value for each, and it must not lose bits.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) accumulate identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf64>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    tile.reduce custom %A into %B axes [1] scope(cta) accumulate identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 32,
        title: "a layout that names no places",
        messages: &[
            "an extent must be at least 1, found {}",
            "a stride must not be negative, found {}",
            "coordinates on `{}` run from {} to {}, but the axis has {}",
            "two coordinates meet in {}: every place holds one element",
            "{} registers of each thread, expected at most {}",
        ],
        explanation: "A layout gives each element a place: a register of a thread. Extents are positive, strides are \
                      not negative, coordinates stay within their axis (32 lanes, 4 warps of a group ...), and no two \
                      elements share a place. Elements may have several places, which `replica` says.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 8 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
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
        number: 33,
        title: "a fragment that does not fit its layout",
        messages: &[
            "elements must be f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i1, i8, i16, i32 or i64, found `{}`",
            "the layout places {} elements, but the shape has {}",
        ],
        explanation: "The extents of a layout's shard list multiply to the number of elements of the fragment, and \
                      elements have a type that reductions know.",
        command: Command::Compile,
        refused: r#"#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
!X = !tile.fragment<16x128xf32, #acc>
!R = !tile.fragment<8xf32, #row>
gpu.module @kernels {
  gpu.func @k(%A: memref<16x128xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x128xf32> -> !X
    %r = tile.reduce max %x axes [1] scope(warp) : !X -> !R
    tile.store %r to %B scope(warp) : !R to memref<8xf32>
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
        number: 34,
        title: "a word that the dialect does not know",
        messages: &[
            "unknown {} `{}`; known: {}",
            "is unknown; did you mean `{}`?",
            "is unknown; known: {}",
            "unregistered operation 'tile.{}' found in dialect ('tile') that does not allow unknown operations; {}",
            "unknown {} `{}`; did you mean `{}`?",
            "`{}` is unknown: ops of this region are written with their dialect, as in `{}`; is a `}` missing above?",
            "`{}` is unknown here: this region of `{}` ends with `{}`; is a `}` missing above?",
        ],
        explanation: "Ops and their parts, attributes, kinds, scopes, axes of layouts, processors and the rules for NaN and determinism are \
                      words of the dialect, and so are the ops of other dialects of theirs. The message lists them, or names the one that is near.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce mean %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
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
        number: 35,
        title: "an attribute that no op has",
        messages: &[
            "has no attribute `{}`",
            "has no attribute `{}`; did you mean `{}`?",
            "has no attribute `{}`; known: {}",
            "argument {} has no attribute `{}`",
            "`tile.{}` must be {}",
            "result {} has no attribute `{}`",
            "`{}` has a tensor with an encoding",
            "stands in the body of a linalg op, found `{}` around it",
            "attribute `{}` of a linalg op is not handed on to the reduction",
            "attribute `{}` is for reductions, and `{}` reduces nothing",
            "attributes of two ops meet in one, which has room for one of them",
            "attribute `{}` of `{}` cannot be kept: the op has no body",
            "the `schedule` of this op cannot be kept: its loops are others now",
            "attribute `{}` is `{}`, expected {}",
        ],
        explanation: "An attribute that an op of `tile` does not know is a misspelt one, and would say nothing: a schedule \
                      that is called `scedule` is not followed. The notes list those that the op has, and name the one \
                      that is near. What a compiler of your own notes on ops has a dot in its name, as `theirs.fact`. Of a linalg op, \
                      `acc`, `determinism`, `nan` and `schedule` are handed on to its `tile.reduce`; what looks like one of \
                      these, or is for `tile.reduce` alone, would be lost.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {varaint = "shared"} : memref<4x8xf32> into memref<4xf32>
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
        number: 36,
        title: "an attribute that is not as its op wants it",
        messages: &[
            "attribute '{}' failed to satisfy constraint: {}",
            "attribute `{}` must be a list in brackets, found `{}`: write `{}`",
            "attribute `{}` must be a list in brackets: write `{}`",
            "attribute `{}` is said by the syntax of the op, and not in braces",
            "`params` are a variant's, and no `variant` is named",
            "`{}` is `{}`, expected `array<i32: {}>`",
            "attribute `{}` must have three numbers: `array<i32: X, Y, Z>`",
        ],
        explanation: "What an op wants of an attribute is in the message: `determinism` is `#tile.determinism<any>` and no \
                      string. The kind, the axes, the scope and identities stand in the text of an op and would be said \
                      twice in braces. `params` are numbers that one variant understands: `tile-select-variant` finds \
                      them, or they stand beside the `variant` that they are for. Sizes of blocks and grids are `array<i32: 32, 1, 1>`: MLIR \
                      drops others without a word, and the kernel has none.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {determinism = "any"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {determinism = #tile.determinism<any>} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 37,
        title: "elements of a type that is not reduced",
        messages: &[
            "operand #{} must be memref of {}, found {}",
            "operand #{} must be integer (`iN`) or floating-point{}, found {}",
        ],
        explanation: "Elements are integers without a sign of their own (`i8`, `i32` …; `umax` and `umin` take them as \
                      unsigned) or floating-point numbers. An `index` has the width of the machine: use `i64`, or `i32`. \
                      Pairs, complex numbers and vectors are several sources of a `custom` reduction.",
        command: Command::Compile,
        refused: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xindex>, %B: memref<4xindex>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xindex> into memref<4xindex>
    gpu.return
  }
}
"#,
        accepted: r#"gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xi64>, %B: memref<4xi64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xi64> into memref<4xi64>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 38,
        title: "a text that is nested too deep",
        messages: &[
            "nested more than {} levels deep",
            "an expression of more than {} terms",
        ],
        explanation: "What reads a program takes a piece of the stack for each level, and a process that has no more is ended \
                      without a word, so levels are bounded. A level is a bracket of any kind, a minus sign in front of \
                      another, and an alias; what an alias stands for counts where it is used. Make a function of what is \
                      within and call it, write one sign or none for many, and fewer aliases that stand for one another. Each term of an \
                      expression of an affine map is a call as well: name parts of it.",
        command: Command::Compile,
        refused: r#"#deep0 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1 : i32]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
#deep1 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[#deep0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
#deep2 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[#deep1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
#deep3 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[#deep2]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, my.lists = #deep3} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
        accepted: r#"#deep0 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1 : i32]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
#deep1 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[#deep0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
#deep2 = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[#deep1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, my.lists = #deep2} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
"#,
    },
    Code {
        number: 39,
        title: "an attribute, a type or an op that is written otherwise",
        messages: &[
            "expected {}, found {}: write `{}`",
            "expected '{}': write `{}`",
            "invalid kind of attribute specified, found {}: write `{}`",
            "`{}` of `{}` must be a {}",
            "`{}` of `{}` must be an {}",
            "`{}` of `{}` must be strings {}",
            "`{}` of `{}` must be `true` or `false`{}",
            "`{}` of `{}` cannot be read",
            "`{}` of `{}` cannot be read: {}",
            "`{}` has no parameters",
            "`{}` is not closed: expected a `{}` behind what it holds",
            "the {} `{}` is of no dialect; did you mean `{}`?",
        ],
        explanation: "Each attribute of a schedule has one form, which the message shows: names of loops stand in quotation \
                      marks, words such as `block_x` and `sum` do not, and numbers are integers. `tx explain` of a program \
                      prints the schedules that were thought of, to begin with.",
        command: Command::Compile,
        refused: r#"func.func @k(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<d1, 8>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
        accepted: r#"func.func @k(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 8>]} : memref<?x?xf32> into memref<?xf32>
  return
}
"#,
    },
];
