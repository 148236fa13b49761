// RUN: tx-opt %s --tile-select-variant --split-input-file --verify-diagnostics

#cta48 = {active = array<i64: 0, 48>, block = 48 : i64, threads = 48 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// `batched` needs whole warps, rows along memory, and several rows per warp. It does not support
// batch-invariant ops.
gpu.module @batched {
  gpu.func @half_a_warp(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    // expected-error @below {{variant `batched` cannot lower this reduction}}
    // expected-note @below {{batched (priority 10): warps: 48 threads, expected whole warps}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta48, variant = "batched"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
  gpu.func @columns(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `batched` cannot lower this reduction}}
    // expected-note @below {{batched (priority 10): contiguous: neighbours in memory belong to different results}}
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32, variant = "batched"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
  gpu.func @one_row(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `batched` cannot lower this reduction}}
    // expected-note @below {{batched (priority 10): rows: fewer than two results for each warp}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "batched"} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }
  gpu.func @batch_invariant(%A: memref<8x64xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `batched` cannot lower this reduction}}
    // expected-note @below {{batched (priority 10): determinism: `batch_invariant` requires the reduction tree of the variant `shared`}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {determinism = #tile.determinism<batch_invariant>, exec = #cta32, variant = "batched"} : memref<8x64xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// A single thread has no partner for `batched`.
gpu.module @batched {
  gpu.func @one_thread() private(%P: memref<8x8xf32, #private>, %Q: memref<8xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `batched` cannot lower this reduction}}
    // expected-note @below {{batched (priority 10): storage: source is in private memory, expected shared or global memory; scope: scope `thread`, expected `warp`, `warpgroup` or `cta`; warps: 1 thread, expected whole warps}}
    tile.reduce sum %P into %Q axes [1] scope(thread) {exec = #thread32, variant = "batched"}
      : memref<8x8xf32, #private> into memref<8xf32, #private>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// `packed_key` needs value and index in 32 bits, and a static length.
gpu.module @packed_key {
  gpu.func @wide_elements(%A: memref<4x64xf32>, %V: memref<4xf32>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_key` cannot lower this reduction}}
    // expected-note @below {{packed_key (priority 10): key: elements are `f32`, expected 8 or 16 bits}}
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32, variant = "packed_key"}
      : memref<4x64xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
  gpu.func @any_length(%A: memref<4x?xf16>, %V: memref<4xf16>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_key` cannot lower this reduction}}
    // expected-note @below {{packed_key (priority 10): key: the length is dynamic, expected a static one}}
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32, variant = "packed_key"}
      : memref<4x?xf16> into memref<4xf16>, memref<4xi32>
    gpu.return
  }
  gpu.func @too_long(%A: memref<4x65537xf16>, %V: memref<4xf16>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_key` cannot lower this reduction}}
    // expected-note @below {{packed_key (priority 10): key: length 65537, expected at most 65536 for a 32-bit key with 16 bits of value}}
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32, variant = "packed_key"}
      : memref<4x65537xf16> into memref<4xf16>, memref<4xi32>
    gpu.return
  }
  gpu.func @no_index(%A: memref<4x64xf16>, %B: memref<4xf16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_key` cannot lower this reduction}}
    // expected-note @below {{packed_key (priority 10): key: `max` has no index}}
    tile.reduce max %A into %B axes [1] scope(cta) {exec = #cta32, variant = "packed_key"}
      : memref<4x64xf16> into memref<4xf16>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// `packed_half` must not change results, as with partial results of f32.
gpu.module @packed_half {
  gpu.func @sum_in_f32(%B: memref<f16>) workgroup(%S: memref<512xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_half` cannot lower this reduction}}
    // expected-note @below {{packed_half (priority 10): acc: partial results are `f32`, expected `f16`}}
    tile.reduce sum %S into %B axes [0] scope(cta) {exec = #cta32, variant = "packed_half"}
      : memref<512xf16, #shared> into memref<f16>
    gpu.return
  }
  gpu.func @product_in_f32(%B: memref<bf16>) workgroup(%S: memref<512xbf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_half` cannot lower this reduction}}
    // expected-note @below {{packed_half (priority 10): acc: partial results are `f32`, expected `bf16`}}
    tile.reduce prod %S into %B axes [0] scope(cta) {exec = #cta32, variant = "packed_half"}
      : memref<512xbf16, #shared> into memref<bf16>
    gpu.return
  }
  gpu.func @odd_length(%B: memref<f16>) workgroup(%S: memref<513xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_half` cannot lower this reduction}}
    // expected-note @below {{packed_half (priority 10): vector: alignment, strides and length allow no vectors of two or more elements per thread}}
    tile.reduce max %S into %B axes [0] scope(cta) {exec = #cta32, variant = "packed_half"}
      : memref<513xf16, #shared> into memref<f16>
    gpu.return
  }
  gpu.func @argmax(%V: memref<f16>, %I: memref<i32>) workgroup(%S: memref<512xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_half` cannot lower this reduction}}
    // expected-note @below {{packed_half (priority 10): kind: `argmax`, expected `sum`, `prod`, `max` or `min`}}
    tile.reduce argmax %S into %V, %I axes [0] scope(cta) {exec = #cta32, variant = "packed_half"}
      : memref<512xf16, #shared> into memref<f16>, memref<i32>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// Variants for sm_100 need sm_100 or later.
gpu.module @older [#nvvm.target<chip = "sm_90">] {
  gpu.func @sum() private(%P: memref<32xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_add_sum` cannot lower this reduction}}
    // expected-note @below {{packed_add_sum (priority 20): chip: sm_90 is older than sm_100}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "packed_add_sum"}
      : memref<32xf32, #private> into memref<f32, #private>
    gpu.return
  }
  gpu.func @max() private(%P: memref<32xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `3input_maxmin` cannot lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): chip: sm_90 is older than sm_100}}
    tile.reduce max %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "3input_maxmin"}
      : memref<32xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#warp32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#private = #gpu.address_space<private>

// On sm_100, these variants need one thread, one result, f32, and at least eight elements.
gpu.module @later [#nvvm.target<chip = "sm_100a">] {
  gpu.func @other_scope(%A: memref<32xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_add_sum` cannot lower this reduction}}
    // expected-note @below {{packed_add_sum (priority 20): scope: scope `warp`, expected `thread`; storage: source is in global memory, expected registers or private memory}}
    tile.reduce sum %A into %B axes [0] scope(warp) {exec = #warp32, variant = "packed_add_sum"}
      : memref<32xf32> into memref<f32>
    gpu.return
  }
  gpu.func @seven() private(%P: memref<7xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_add_sum` cannot lower this reduction}}
    // expected-note @below {{packed_add_sum (priority 20): length: length 7, expected 8 or more}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "packed_add_sum"}
      : memref<7xf32, #private> into memref<f32, #private>
    gpu.return
  }
  gpu.func @halves() private(%P: memref<32xf16, #private>, %Q: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `3input_maxmin` cannot lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): type: elements are `f16`, expected `f32`}}
    tile.reduce max %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "3input_maxmin"}
      : memref<32xf16, #private> into memref<f16, #private>
    gpu.return
  }
  gpu.func @two_results() private(%P: memref<2x32xf32, #private>, %Q: memref<2xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `3input_maxmin` cannot lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): results: 2 results, expected 1; rank: source of rank 2, expected 1}}
    tile.reduce max %P into %Q axes [1] scope(thread) {exec = #thread32, variant = "3input_maxmin"}
      : memref<2x32xf32, #private> into memref<2xf32, #private>
    gpu.return
  }
  gpu.func @other_kind() private(%P: memref<32xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `3input_maxmin` cannot lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "3input_maxmin"}
      : memref<32xf32, #private> into memref<f32, #private>
    gpu.return
  }
  gpu.func @wider() private(%P: memref<32xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `packed_add_sum` cannot lower this reduction}}
    // expected-note @below {{packed_add_sum (priority 20): type: partial results are not f32, expected f32}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {acc = f64, exec = #thread32, variant = "packed_add_sum"}
      : memref<32xf32, #private> into memref<f32, #private>
    gpu.return
  }
  gpu.func @any_length(%B: memref<f32>, %n: index)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %P = memref.alloca(%n) : memref<?xf32, #private>
    // expected-error @below {{variant `packed_add_sum` cannot lower this reduction}}
    // expected-note @below {{packed_add_sum (priority 20): length: the length is dynamic, expected 8 or more}}
    tile.reduce sum %P into %B axes [0] scope(thread)
      {exec = {active = array<i64: 0, 1>, block = 1 : i64, threads = 1 : i64}, variant = "packed_add_sum"}
      : memref<?xf32, #private> into memref<f32>
    gpu.return
  }

  // For a misspelt name, the message lists the existing variants.
  gpu.func @unknown() private(%P: memref<32xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `sm100_packed`; known variants: 3input_maxmin, batched, local, packed_add_sum, packed_half, packed_key, redux, shared}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "sm100_packed"}
      : memref<32xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// `redux` combines integers of up to 32 bits, and f32 on some chips.
gpu.module @redux [#nvvm.target<chip = "sm_100a">] {
  gpu.func @sum_f32(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `sum` of `f32`}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "redux"} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }
  gpu.func @max_i64(%A: memref<1x64xi64>, %B: memref<1xi64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `max` of `i64`}}
    tile.reduce max %A into %B axes [1] scope(cta) {exec = #cta32, variant = "redux"} : memref<1x64xi64> into memref<1xi64>
    gpu.return
  }
  gpu.func @argmax(%A: memref<1x64xi32>, %B: memref<1xi32>, %I: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `argmax` of `i32`}}
    tile.reduce argmax %A into %B, %I axes [1] scope(cta) {exec = #cta32, variant = "redux"} : memref<1x64xi32> into memref<1xi32>, memref<1xi32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// For floats on other chips, the message names the chips. Columns without shared lanes have no exchange.
gpu.module @redux [#nvvm.target<chip = "sm_90">] {
  gpu.func @max_f32(%A: memref<1x64xf32>, %B: memref<1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{redux (priority 10): instruction: sm_90 has no `redux.sync` of f32, expected sm_100a}}
    tile.reduce max %A into %B axes [1] scope(cta) {exec = #cta32, variant = "redux"} : memref<1x64xf32> into memref<1xf32>
    gpu.return
  }
  gpu.func @columns(%A: memref<8x64xi32>, %B: memref<64xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{redux (priority 10): group: no two lanes of a warp compute the same result}}
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32, variant = "redux"} : memref<8x64xi32> into memref<64xi32>
    gpu.return
  }
}
