// RUN: tx-opt %s --tile-select-variant --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Explicit parameters are used as they are, so invalid ones are rejected.
gpu.module @m {
  gpu.func @does_not_fit(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `group` (unless it is the whole scope) and `stride` must be powers of two}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {group = 7}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
  gpu.func @unknown(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: variant `shared` has no parameter `foo`; known: group, groups, skew, stride, vector}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {foo = 3, group = 8}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
  gpu.func @misspelt(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: variant `shared` has no parameter `gruop`; known: group, groups, skew, stride, vector; did you mean `group`?}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {gruop = 8}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
  gpu.func @no_number(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `group` must be a number, as in `group = 8 : i64`, found `"a"`}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {group = "a"}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// A variant without parameters rejects all parameters.
gpu.module @m {
  gpu.func @of_none() private(%P: memref<8xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: variant `local` has no parameter `group`; the variant has no parameters for this reduction}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {group = 1}, variant = "local"}
      : memref<8xf32, #private> into memref<f32, #private>
    gpu.return
  }
}
