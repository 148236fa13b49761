// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A named kind takes one source; only `custom` takes several.
func.func @sum_of_two_sources(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`sum` takes one source, found 2}}
  // expected-note @below {{use `custom` to combine several values}}
  tile.reduce sum %A, %A into %B axes [1] scope(cta) : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A named kind has one destination.
func.func @sum_into_two_destinations(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`sum` needs 1 destination, found 2}}
  tile.reduce sum %A into %B, %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xf32>
  return
}

// -----

// `argmax` has two results, a value and an index, so one destination is not enough.
func.func @argmax_without_index(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`argmax` needs 2 destinations (a value and an index), found 1}}
  tile.reduce argmax %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// `argmin` has one source; the indices are not an operand.
func.func @argmin_of_two_sources(%A: memref<4x8xf32>, %J: memref<4x8xi32>, %B: memref<4xf32>, %I: memref<4xi32>) {
  // expected-error @below {{`argmin` takes one source, found 2}}
  // expected-note @below {{use `custom` to combine several values}}
  tile.reduce argmin %A, %J into %B, %I axes [1] scope(cta)
    : memref<4x8xf32>, memref<4x8xi32> into memref<4xf32>, memref<4xi32>
  return
}

// -----

// The epilogue determines the number of destinations.
func.func @epilogue_of_two(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`sum` needs 2 destinations, found 1}}
  // expected-note @below {{the `epilogue` yields 2 values, expected one destination for each}}
  tile.reduce sum %A into %B axes [1] scope(cta) epilogue {
  ^bb0(%x: f32, %i: index):
    tile.yield %x, %x : f32, f32
  } : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// `custom` has as many destinations as sources.
func.func @custom_with_a_destination_missing(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`custom` needs 2 destinations, found 1}}
  tile.reduce custom %A, %A into %B axes [1] scope(cta) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    tile.yield %l0, %l1 : f32, f32
  } : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A reduction of memory without a destination would have no effect at all.
func.func @memory_without_destination(%A: memref<4x8xf32>) {
  // expected-error @below {{a reduction of memory needs destinations (`into`)}}
  "tile.reduce"(%A) <{axes = array<i64: 1>, kind = #tile.kind<sum>, operandSegmentSizes = array<i32: 1, 0, 0, 0>, scope = #tile.scope<cta>}> ({
  }, {
  }, {
  }) : (memref<4x8xf32>) -> ()
  return
}

// -----

// An op without any source has nothing to reduce.
func.func @no_source(%B: memref<4xf32>) {
  // expected-error @below {{needs a source}}
  "tile.reduce"(%B) <{axes = array<i64: 1>, kind = #tile.kind<sum>, operandSegmentSizes = array<i32: 0, 1, 0, 0>, scope = #tile.scope<cta>}> ({
  }, {
  }, {
  }) : (memref<4xf32>) -> ()
  return
}

// -----

// A repeated axis is rejected.
func.func @repeated_axis(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{axis 1 repeats dimension 1}}
  // expected-note @below {{each dimension may be reduced once}}
  tile.reduce sum %A into %B axes [1, 1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Axis -1 of a matrix is axis 1, so both together are a repetition.
func.func @repeated_axis_by_another_name(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{axis -1 repeats dimension 1}}
  // expected-note @below {{each dimension may be reduced once}}
  tile.reduce sum %A into %B axes [1, -1] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Axes of a matrix are 0 and 1.
func.func @axis_beyond_the_rank(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{axis 2 is out of range for rank 2}}
  // expected-note @below {{axes are 0 to 1, or from the end -2 to -1}}
  tile.reduce sum %A into %B axes [2] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// Negative axes of a matrix are -1 and -2.
func.func @negative_axis_beyond_the_rank(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{axis -3 is out of range for rank 2}}
  // expected-note @below {{axes are 0 to 1, or from the end -2 to -1}}
  tile.reduce sum %A into %B axes [-3] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// A row has one axis.
func.func @axis_beyond_a_row(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{axis 1 is out of range for rank 1}}
  // expected-note @below {{a tile of rank 1 has the axis 0, which is also -1}}
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<8xf32> into memref<f32>
  return
}

// -----

// A memref without dimensions has no axis.
func.func @axis_of_a_scalar(%A: memref<f32>, %B: memref<f32>) {
  // expected-error @below {{axis 0 is out of range for rank 0}}
  // expected-note @below {{a tile of rank 0 has no axes: `axes []`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<f32> into memref<f32>
  return
}

// -----

// The destination of row sums has one element for each row, not for each column.
func.func @destination_of_the_wrong_length(%A: memref<4x8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{reducing [4, 8] over axes [1] gives [4] or [4, 1], but the destination `memref<8xf32>` has [8]}}
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<8xf32>
  return
}

// -----

// A destination without the kept dimension is too small.
func.func @destination_of_the_wrong_rank(%A: memref<4x8xf32>, %B: memref<f32>) {
  // expected-error @below {{reducing [4, 8] over axes [1] gives [4] or [4, 1], but the destination `memref<f32>` has []}}
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<f32>
  return
}

// -----

// The destination either removes all reduced dimensions or keeps all with size 1.
func.func @one_dimension_removed_and_one_kept(%A: memref<4x8x2xf32>, %B: memref<4x1xf32>) {
  // expected-error @below {{reducing [4, 8, 2] over axes [1, 2] gives [4] or [4, 1, 1], but the destination `memref<4x1xf32>` has [4, 1]}}
  tile.reduce sum %A into %B axes [1, 2] scope(cta) : memref<4x8x2xf32> into memref<4x1xf32>
  return
}

// -----

// A dynamic dimension is compatible with any size; static sizes must be equal.
func.func @static_dimension_beside_a_dynamic_one(%A: memref<?x4x8xf32>, %B: memref<?x5xf32>) {
  // expected-error @below {{reducing [?, 4, 8] over axes [2] gives [?, 4] or [?, 4, 1], but the destination `memref<?x5xf32>` has [?, 5]}}
  tile.reduce sum %A into %B axes [2] scope(cta) : memref<?x4x8xf32> into memref<?x5xf32>
  return
}

// -----

// Both destinations of `argmax` have the result's shape.
func.func @index_destination_of_the_wrong_shape(%A: memref<4x8xf32>, %B: memref<4xf32>, %I: memref<8xi32>) {
  // expected-error @below {{reducing [4, 8] over axes [1] gives [4] or [4, 1], but the destination `memref<8xi32>` has [8]}}
  tile.reduce argmax %A into %B, %I axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<8xi32>
  return
}

// -----

// With no axes the op is a copy: the destination has the source's shape.
func.func @no_axes_and_another_shape(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{reducing [4, 8] over axes [] gives [4, 8]}}
  tile.reduce sum %A into %B axes [] scope(cta) : memref<4x8xf32> into memref<4xf32>
  return
}

// -----

// All sources of a tuple must have one shape.
func.func @sources_of_two_shapes(%A: memref<4x8xf32>, %C: memref<4x7xf32>, %B: memref<4xf32>) {
  // expected-error @below {{all sources must have the same shape, found [4, 8] and [4, 7]}}
  tile.reduce custom %A, %C into %B, %B axes [1] scope(cta) identity [0.0 : f32, 0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    tile.yield %l0, %l1 : f32, f32
  } : memref<4x8xf32>, memref<4x7xf32> into memref<4xf32>, memref<4xf32>
  return
}

// -----

// A warp cannot reduce private memory.
func.func @private_source_of_a_warp(%A: memref<8xf32, #gpu.address_space<private>>, %B: memref<f32>) {
  // expected-error @below {{private memory is visible to one thread only, but the scope is `warp`}}
  // expected-note @below {{use `scope(thread)`, or put the tile into shared memory or a fragment}}
  tile.reduce sum %A into %B axes [0] scope(warp) : memref<8xf32, #gpu.address_space<private>> into memref<f32>
  return
}

// -----

// A block cannot write its result to private memory.
func.func @private_destination_of_a_cta(%A: memref<8xf32>, %B: memref<f32, 5>) {
  // expected-error @below {{private memory is visible to one thread only, but the scope is `cta`}}
  // expected-note @below {{use `scope(thread)`, or put the tile into shared memory or a fragment}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f32, 5>
  return
}

// -----

// At scope `grid`, shared memory is rejected.
func.func @shared_source_of_a_grid(%A: memref<8xf32, #gpu.address_space<workgroup>>, %B: memref<f32>) {
  // expected-error @below {{`scope(grid)` requires global memory, found shared memory}}
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<8xf32, #gpu.address_space<workgroup>> into memref<f32>
  return
}

// -----

// A shared destination is rejected, also with the integer form of its memory space.
func.func @shared_destination_of_a_grid(%A: memref<8xf32>, %B: memref<f32, 3>) {
  // expected-error @below {{`scope(grid)` requires global memory, found shared memory}}
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<8xf32> into memref<f32, 3>
  return
}

// -----

// An unknown memory space is rejected.
func.func @unknown_memory_space(%A: memref<8xf32, 7>, %B: memref<f32>) {
  // expected-error @below {{a memref is in an unknown memory space}}
  // expected-note @below {{known: none, 1 or `#gpu.address_space<global>`; 3 or `#gpu.address_space<workgroup>`; 5 or `#gpu.address_space<private>`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf32, 7> into memref<f32>
  return
}

// -----

// A memref needs a strided layout.
func.func @layout_without_strides(%A: memref<8xf32, affine_map<(i) -> (i floordiv 2)>>, %B: memref<f32>) {
  // expected-error @below {{`memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>` is not a tile: expected a memref with a strided layout}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf32, affine_map<(i) -> (i floordiv 2)>> into memref<f32>
  return
}

// -----

// i1 can be combined bit by bit only.
func.func @sum_of_i1(%A: memref<8xi1>, %B: memref<i1>) {
  // expected-error @below {{`sum` of `i1` elements is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `xor` for a `sum` modulo 2; to count true elements, extend the elements with `arith.extui` first (at scope `grid`, in the `element` region)}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi1> into memref<i1>
  return
}

// -----

func.func @umax_of_i1(%A: memref<8xi1>, %B: memref<i1>) {
  // expected-error @below {{`umax` of `i1` elements is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `or` for `umax`}}
  tile.reduce umax %A into %B axes [0] scope(cta) : memref<8xi1> into memref<i1>
  return
}

// -----

func.func @umin_of_i1(%A: memref<8xi1>, %B: memref<i1>) {
  // expected-error @below {{`umin` of `i1` elements is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `and` for `umin`}}
  tile.reduce umin %A into %B axes [0] scope(cta) : memref<8xi1> into memref<i1>
  return
}

// -----

func.func @min_of_i1(%A: memref<8xi1>, %B: memref<i1>) {
  // expected-error @below {{`min` of `i1` elements is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `and` to test whether all elements are true; the signed `min`, where true is -1, equals `or`}}
  tile.reduce min %A into %B axes [0] scope(cta) : memref<8xi1> into memref<i1>
  return
}

// -----

func.func @prod_of_i1(%A: memref<8xi1>, %B: memref<i1>) {
  // expected-error @below {{`prod` of `i1` elements is not defined}}
  // expected-note @below {{i1 can be combined by `and`, `or`, `xor` and `custom`; write `and` for `prod`}}
  tile.reduce prod %A into %B axes [0] scope(cta) : memref<8xi1> into memref<i1>
  return
}

// -----

func.func @argmax_of_i1(%A: memref<8xi1>, %B: memref<i1>, %I: memref<i32>) {
  // expected-error @below {{`argmax` of `i1` elements is not defined}}
  // expected-note @below {{`custom`; extend the elements with `arith.extui` first (at scope `grid`, in the `element` region)}}
  tile.reduce argmax %A into %B, %I axes [0] scope(cta) : memref<8xi1> into memref<i1>, memref<i32>
  return
}

// -----

// The width of an integer must be 1, 8, 16, 32 or 64 bits.
func.func @sum_of_i4(%A: memref<8xi4>, %B: memref<i4>) {
  // expected-error @below {{`sum` of `i4` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi4> into memref<i4>
  return
}

// -----

// No integer is wider than 64 bits.
func.func @sum_of_i128(%A: memref<8xi128>, %B: memref<i128>) {
  // expected-error @below {{`sum` of `i128` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi128> into memref<i128>
  return
}

// -----

// Floats of other hardware are refused.
func.func @sum_of_f80(%A: memref<8xf80>, %B: memref<f80>) {
  // expected-error @below {{`sum` of `f80` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf80> into memref<f80>
  return
}

// -----

// tf32 is a format of tensor cores, not of memory.
func.func @sum_of_tf32(%A: memref<8xtf32>, %B: memref<f32>) {
  // expected-error @below {{`sum` of `tf32` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xtf32> into memref<f32>
  return
}

// -----

// Only two of the 8-bit float types are supported.
func.func @sum_of_another_f8(%A: memref<8xf8E4M3FNUZ>, %B: memref<f32>) {
  // expected-error @below {{`sum` of `f8E4M3FNUZ` elements is not defined}}
  // expected-note @below {{known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as sources f8E4M3FN and f8E5M2}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf8E4M3FNUZ> into memref<f32>
  return
}

// -----

// `index` elements are rejected, because their size in memory depends on the target.
func.func @sum_of_index(%A: memref<8xindex>, %B: memref<index>) {
  // expected-error @below {{found `index` in `memref<8xindex>`}}
  // expected-note @below {{the width of `index` depends on the target: use `i64` or `i32`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xindex> into memref<index>
  return
}

// -----

// Integers are signless: the kind determines the sign.
func.func @sum_of_signed_integers(%A: memref<8xsi32>, %B: memref<si32>) {
  // expected-error @below {{found `si32` in `memref<8xsi32>`}}
  // expected-note @below {{use a signless `iN`: `umax` and `umin` treat its values as unsigned}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xsi32> into memref<si32>
  return
}

// -----

// Vectors are not elements.
func.func @sum_of_vectors(%A: memref<8xvector<4xf32>>, %B: memref<vector<4xf32>>) {
  // expected-error @below {{found `vector<4xf32>` in `memref<8xvector<4xf32>>`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xvector<4xf32>> into memref<vector<4xf32>>
  return
}

// -----

// Floats have no bitwise `and`.
func.func @and_of_floats(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`and` combines integers, found `f32`}}
  tile.reduce and %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f32>
  return
}

// -----

// Floats have no unsigned order.
func.func @umax_of_floats(%A: memref<8xf16>, %B: memref<f16>) {
  // expected-error @below {{`umax` combines integers, found `f16`}}
  tile.reduce umax %A into %B axes [0] scope(cta) : memref<8xf16> into memref<f16>
  return
}

// -----

// A destination that is narrower than its source needs an explicit conversion.
func.func @narrower_destination(%A: memref<8xf32>, %B: memref<f16>) {
  // expected-error @below {{the destination's elements must be `f32` or a wider float, found `f16`}}
  // expected-note @below {{reduce into `f32` and round the result with `arith.truncf`: at scope `grid`, in an `epilogue` region}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f16>
  return
}

// -----

// There are no floats wider than f64.
func.func @destination_for_f64(%A: memref<8xf64>, %B: memref<f32>) {
  // expected-error @below {{the destination's elements must be `f64`, found `f32`}}
  // expected-note @below {{reduce into `f64` and round the result with `arith.truncf`: at scope `grid`, in an `epilogue` region}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf64> into memref<f32>
  return
}

// -----

// For f64 sources, the message suggests no narrower type, because bits would be lost.
func.func @narrower_integer_destination(%A: memref<8xi32>, %B: memref<i8>) {
  // expected-error @below {{the destination's elements must be `i32`, found `i8`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi32> into memref<i8>
  return
}

// -----

// bf16 and f16 have the same width, but different values.
func.func @destination_of_another_format(%A: memref<8xf16>, %B: memref<bf16>) {
  // expected-error @below {{the destination's elements must be `f16` or a wider float, found `bf16`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf16> into memref<bf16>
  return
}

// -----

// Integers are neither widened nor turned into floats.
func.func @wider_integer_destination(%A: memref<8xi32>, %B: memref<i64>) {
  // expected-error @below {{the destination's elements must be `i32`, found `i64`}}
  // expected-note @below {{convert the elements first: at scope `grid`, in an `element` region, with `arith.extsi` or `arith.extui`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi32> into memref<i64>
  return
}

// -----

// Integers do not become floats.
func.func @float_destination_of_integers(%A: memref<8xi32>, %B: memref<f32>) {
  // expected-error @below {{the destination's elements must be `i32`, found `f32`}}
  // expected-note @below {{convert the elements first: at scope `grid`, in an `element` region, with `arith.sitofp` or `arith.uitofp`}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xi32> into memref<f32>
  return
}

// -----

// 8-bit floats are valid as sources only.
func.func @f8_destination(%A: memref<8xf8E4M3FN>, %B: memref<f8E4M3FN>) {
  // expected-error @below {{`f8E4M3FN` is supported as the element type of a source, but not of a destination}}
  // expected-note @below {{reduce into f16, bf16 or f32}}
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf8E4M3FN> into memref<f8E4M3FN>
  return
}

// -----

// Partial results are not narrower than elements.
func.func @accumulator_narrower_than_elements(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`acc` must be `f32` or a wider type of the same class (integer or float), found `f16`}}
  tile.reduce sum %A into %B axes [0] scope(cta) {acc = f16} : memref<8xf32> into memref<f32>
  return
}

// -----

// Partial results of floats are floats.
func.func @integer_accumulator_of_floats(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`acc` must be `f32` or a wider type of the same class (integer or float), found `i64`}}
  tile.reduce sum %A into %B axes [0] scope(cta) {acc = i64} : memref<8xf32> into memref<f32>
  return
}

// -----

// Partial results of integers are integers.
func.func @float_accumulator_of_integers(%A: memref<8xi32>, %B: memref<i32>) {
  // expected-error @below {{`acc` must be `i32` or a wider type of the same class (integer or float), found `f64`}}
  tile.reduce sum %A into %B axes [0] scope(cta) {acc = f64} : memref<8xi32> into memref<i32>
  return
}

// -----

// An index is a 32-bit or 64-bit integer.
func.func @index_destination_of_i16(%A: memref<4x8xf32>, %B: memref<4xf32>, %I: memref<4xi16>) {
  // expected-error @below {{an index is `i32` or `i64`, found `i16`}}
  tile.reduce argmax %A into %B, %I axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xi16>
  return
}

// -----

// An index is no float.
func.func @index_destination_of_f32(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{an index is `i32` or `i64`, found `f32`}}
  tile.reduce argmin %A into %B, %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>, memref<4xf32>
  return
}

// -----

// The reduced dimension of `argmax` must not be empty, because no element has an index.
func.func @argmax_of_nothing(%A: memref<4x0xf32>, %B: memref<4xf32>, %I: memref<4xi32>) {
  // expected-error @below {{`argmax` has no index: a reduced dimension has length 0}}
  tile.reduce argmax %A into %B, %I axes [1] scope(cta) : memref<4x0xf32> into memref<4xf32>, memref<4xi32>
  return
}

// -----

// `custom` needs a combiner region.
func.func @custom_without_combiner(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`custom` needs `identity [...] combiner {...}` with one block}}
  tile.reduce custom %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f32>
  return
}

// -----

// A named kind must not have a combiner region.
func.func @sum_with_combiner(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`sum` has a predefined combiner; only `custom` accepts `identity` and `combiner`}}
  tile.reduce sum %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// A combiner region has one block.
func.func @combiner_of_two_blocks(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`custom` needs `identity [...] combiner {...}` with one block}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    cf.br ^bb1
  ^bb1:
    tile.yield %l : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// The message for a missing identity shows the expected form.
func.func @no_identity(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{`custom` needs `identity [...]` before `combiner`}}
  // expected-note @below {{write `identity [VALUE : f32] combiner {`, where VALUE is the neutral element of the combiner, such as 0.0 for a sum of floats}}
  tile.reduce custom %A into %B axes [0] scope(cta) combiner {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// Each source needs an identity.
func.func @one_identity_of_two(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{needs one identity for each of 2 values, found 1}}
  tile.reduce custom %A, %A into %B, %B axes [1] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
    tile.yield %l0, %l1 : f32, f32
  } : memref<4x8xf32>, memref<4x8xf32> into memref<4xf32>, memref<4xf32>
  return
}

// -----

// A combiner of one source has a left and a right argument.
func.func @combiner_with_three_arguments(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{the combiner of 1 source}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32, %x: f32):
    tile.yield %l : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// A combiner yields one value for each source.
func.func @combiner_that_yields_two_values(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{the combiner must yield 1 value}}
    tile.yield %l, %r : f32, f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// Argument and result types of a combiner must be equal.
func.func @combiner_that_yields_another_type(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %x = arith.extf %l : f32 to f64
    // expected-error @below {{arguments 0 and 1 and yield 0 of the combiner must all be `f32`, found `f32`, `f32` and `f64`}}
    tile.yield %x : f64
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// The arguments have the type of partial results: f32 for f32 elements.
func.func @combiner_on_another_type(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{arguments 0 and 1 and yield 0 of the combiner must all be `f32`, found `i32`, `i32` and `i32`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0 : i32] combiner {
  ^bb0(%l: i32, %r: i32):
    tile.yield %l : i32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// With an accumulator type, the arguments have that type.
func.func @combiner_beside_the_accumulator(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{arguments 0 and 1 and yield 0 of the combiner must all be `f64`, found `f32`, `f32` and `f32`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l : f32
  } {acc = f64} : memref<8xf32> into memref<f32>
  return
}

// -----

// An identity is a value of the arguments' type.
func.func @identity_of_another_type(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{identity 0 must have the type `f32` of the combiner's arguments, found `0 : i32`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0 : i32] combiner {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// A combiner may run any number of times on any values, so it must not write memory.
func.func @combiner_that_stores(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-note @below {{`memref.store` is not known to be free of side effects}}
    // expected-error @below {{a combiner must have no side effects: it may be executed any number of times}}
    memref.store %l, %B[] : memref<f32>
    tile.yield %l : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// A combiner must not read memory, which may change during the reduction.
func.func @combiner_that_loads(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-note @below {{`memref.load` reads memory; only `element` at scope `grid` may read memory, and only memory that the reduction does not write}}
    // expected-error @below {{a combiner must have no side effects: it may be executed any number of times}}
    %x = memref.load %B[] : memref<f32>
    tile.yield %x : f32
  } : memref<8xf32> into memref<f32>
  return
}

// -----

// A combiner ends with `tile.yield` and with no other terminator.
func.func @combiner_without_yield(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{the combiner must end with `tile.yield`}}
    llvm.unreachable
  } : memref<8xf32> into memref<f32>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>]>

// `accumulate` of fragments needs an `init` operand.
func.func @accumulate_without_init(%x: !tile.fragment<8xf32, #row>) {
  // expected-error @below {{`accumulate` on fragments needs the old value: `init(...)`}}
  %r = tile.reduce sum %x axes [0] scope(warp) accumulate : !tile.fragment<8xf32, #row> -> !tile.fragment<f32, #one>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// Fragments cannot be reduced into memory by one op.
func.func @fragment_into_memory(%x: !tile.fragment<8xf32, #row>, %B: memref<f32>) {
  // expected-error @below {{expected memref sources with destinations (`into`), or fragment sources with results, found both}}
  // expected-note @below {{convert between memrefs and fragments with `tile.load` and `tile.store`}}
  tile.reduce sum %x into %B axes [0] scope(warp) : !tile.fragment<8xf32, #row> into memref<f32>
  return
}

// -----

#one = #tile.layout<[] replica [<32 : 1 lane>]>

// Memory cannot be reduced into fragments by one op.
func.func @memory_into_fragment(%A: memref<8xf32>) {
  // expected-error @below {{a reduction of memory needs destinations (`into`)}}
  %r = tile.reduce sum %A axes [0] scope(warp) : memref<8xf32> -> !tile.fragment<f32, #one>
  return
}

// -----

#one = #tile.layout<[] replica [<32 : 1 lane>]>

// With a destination in memory, the old value is in the destination, not in `init`.
func.func @init_beside_a_destination(%A: memref<8xf32>, %B: memref<f32>, %old: !tile.fragment<f32, #one>) {
  // expected-error @below {{`init` is only for fragments; a reduction of memory accumulates into its destinations}}
  tile.reduce sum %A into %B init(%old) axes [0] scope(warp) accumulate
    : memref<8xf32> into memref<f32> init !tile.fragment<f32, #one>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>]>

// The old value has the result's shape.
func.func @init_of_another_shape(%x: !tile.fragment<8xf32, #row>) {
  // expected-error @below {{`init` must have the shape and element type of the result, [] of `f32`, found [8] of `f32`}}
  %r = tile.reduce sum %x init(%x) axes [0] scope(warp) accumulate
    : !tile.fragment<8xf32, #row> init !tile.fragment<8xf32, #row> -> !tile.fragment<f32, #one>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>]>

// There is one old value for each result.
func.func @two_inits_of_one_result(%x: !tile.fragment<8xf32, #row>, %old: !tile.fragment<f32, #one>) {
  // expected-error @below {{needs one `init` for each of 1 result}}
  %r = tile.reduce sum %x init(%old, %old) axes [0] scope(warp) accumulate
    : !tile.fragment<8xf32, #row> init !tile.fragment<f32, #one>, !tile.fragment<f32, #one> -> !tile.fragment<f32, #one>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>]>

// A grid cannot reduce fragments, which belong to one block.
func.func @grid_scope_on_fragments(%x: !tile.fragment<8xf32, #row>) {
  // expected-error @below {{the elements of a fragment are in registers of one CTA, but the scope is `grid`}}
  %r = tile.reduce sum %x axes [0] scope(grid) : !tile.fragment<8xf32, #row> -> !tile.fragment<f32, #one>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// `argmax` of registers has two results.
func.func @argmax_of_a_fragment_without_index(%x: !tile.fragment<8xf32, #row>) {
  // expected-error @below {{`argmax` needs 2 results (a value and an index), found 1}}
  %r = tile.reduce argmax %x axes [0] scope(warp) : !tile.fragment<8xf32, #row> -> !tile.fragment<f32, #tile.layout<[]>>
  return
}

// -----

// For a misspelt kind, the message lists the valid kinds.
func.func @unknown_kind(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{unknown kind `mean`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom}}
  tile.reduce mean %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f32>
  return
}

// -----

// For a misspelt scope, the message lists the valid scopes.
func.func @unknown_scope(%A: memref<8xf32>, %B: memref<f32>) {
  // expected-error @below {{unknown scope `block`; known: thread, warp, warpgroup, cta, cluster, grid}}
  tile.reduce sum %A into %B axes [0] scope(block) : memref<8xf32> into memref<f32>
  return
}

// -----

// An `i32` index is too small for rows of more than 2^31 - 1 elements: here the last index is 2^31.
func.func @narrow_index(%A: memref<2147483649xf32>, %V: memref<f32>, %I: memref<i32>) {
  // expected-error @below {{an `i32` index cannot distinguish 2147483649 elements}}
  // expected-note @below {{use an `i64` index}}
  tile.reduce argmax %A into %V, %I axes [0] scope(grid) : memref<2147483649xf32> into memref<f32>, memref<i32>
  return
}

// -----

// With one element less, every index fits. A parallel dimension does not count, and a second reduced
// dimension does.
func.func @index_that_fits(%A: memref<4x2147483648xf32>, %V: memref<4xf32>, %I: memref<4xi32>,
                           %W: memref<f32>, %J: memref<i32>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid)
    : memref<4x2147483648xf32> into memref<4xf32>, memref<4xi32>
  // expected-error @below {{an `i32` index cannot distinguish 8589934592 elements}}
  // expected-note @below {{use an `i64` index}}
  tile.reduce argmax %A into %W, %J axes [0, 1] scope(grid)
    : memref<4x2147483648xf32> into memref<f32>, memref<i32>
  return
}

// -----

// A static length that is too long is an error, even if other lengths are dynamic.
func.func @narrow_index_of_rows(%A: memref<?x8589934592xf32>, %V: memref<f32>, %I: memref<i32>) {
  // expected-error @below {{an `i32` index cannot distinguish 8589934592 elements}}
  // expected-note @below {{use an `i64` index}}
  tile.reduce argmax %A into %V, %I axes [0, 1] scope(grid)
    : memref<?x8589934592xf32> into memref<f32>, memref<i32>
  return
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<8 : 1 lane>]>
#wide = #tile.layout<[<8 : 1 lane>] replica [<2 : 8 lane>]>

// `init` must have the layout of the result.
func.func @init_elsewhere(%x: !tile.fragment<8x2xf32, #frag>, %old: !tile.fragment<8xf32, #wide>) {
  // expected-error @below {{`init` must have the layout of the result}}
  // expected-note @below {{expected `!tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>`, found `!tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>] replica [<2 : 8 lane>]>>`}}
  %r = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate
    : !tile.fragment<8x2xf32, #frag> init !tile.fragment<8xf32, #wide> -> !tile.fragment<8xf32, #row>
  return
}

// -----

// Old values wider than the combiner's type are rejected, because bits would be lost.
func.func @custom_into_wider(%A: memref<4x8xf32>, %B: memref<4xf64>) {
  // expected-error @below {{the combiner takes `f32`, which is narrower than the elements of destination 0, `f64`}}
  // expected-note @below {{set `acc` to the wider type, or reduce into a destination of the narrower type}}
  tile.reduce custom %A into %B axes [1] scope(cta) accumulate identity [0.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  } : memref<4x8xf32> into memref<4xf64>
  return
}

// -----

// Without maps, a `with` operand has the shape of the results.
func.func @with_elsewhere(%A: memref<4x8xf32>, %B: memref<4xf32>, %W: memref<8xf32>) {
  // expected-error @below {{reducing [4, 8] over axes [1] gives [4] or [4, 1], but the `with` operand `memref<8xf32>` has [8]}}
  tile.reduce sum %A into %B with %W axes [1] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32, %i: index):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<4x8xf32> into memref<4xf32> with memref<8xf32>
  return
}

// -----

// An integer division in a region may divide by an out-of-range element.
func.func @custom_that_divides(%A: memref<8xi32>, %B: memref<i32>) {
  // expected-note @below {{in this `tile.reduce`}}
  tile.reduce custom %A into %B axes [0] scope(cta) identity [0 : i32] combiner {
  ^bb0(%x: i32, %y: i32):
    // expected-note @below {{`arith.divsi` is undefined for a zero divisor, and threads without an element also execute it}}
    // expected-error @below {{a combiner must have no side effects: it may be executed any number of times}}
    %z = arith.divsi %x, %y : i32
    tile.yield %z : i32
  } : memref<8xi32> into memref<i32>
  return
}
