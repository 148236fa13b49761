// RUN: tx-opt %s --tile-select-variant --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// For an unknown variant, the message lists the existing ones.
gpu.module @m {
  gpu.func @unknown_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `sm100_packed`; known variants: 3input_maxmin, batched, local, packed_add_sum, packed_half, packed_key, redux, shared}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "sm100_packed"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A variant with a similar name is suggested.
gpu.module @m {
  gpu.func @misspelt_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{redux, shared; did you mean `shared`?}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "share"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// An explicit variant must accept the op: this tile is not in private memory.
gpu.module @m {
  gpu.func @forced_local_on_shared_memory() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in shared memory, expected registers or private memory}}
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32, variant = "local"}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// The threads of this scope do not share this tile.
gpu.module @m {
  gpu.func @forced_shared_on_private_memory() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{lower this reduction}}
    // expected-note @below {{shared (priority 10): storage: source is in private memory, expected shared or global memory}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "shared"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// If no variant accepts, each reports all of its reasons. Scope `cluster` is not
// supported.
gpu.module @m {
  gpu.func @cluster(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`; scope: scope `cluster`, expected `thread`; storage: source is in global memory, expected registers or private memory; results: 4 results, expected 1; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{batched (priority 10): scope: scope `cluster`, expected `warp`, `warpgroup` or `cta`}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; scope: scope `cluster` is not lowered, expected `cta` or narrower}}
    // expected-note @below {{packed_add_sum (priority 20): scope: scope `cluster`, expected `thread`; storage: source is in global memory, expected registers or private memory; results: 4 results, expected 1; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{packed_half (priority 10): scope: scope `cluster`, expected `warp`, `warpgroup` or `cta`; type: elements are `f32`, expected `f16` or `bf16`}}
    // expected-note @below {{packed_key (priority 10): scope: scope `cluster`, expected `warp`, `warpgroup` or `cta`; key: `sum` has no index}}
    // expected-note @below {{redux (priority 10): scope: scope `cluster`, expected `warp`, `warpgroup` or `cta`; instruction: `redux.sync` has no `sum` of `f32`}}
    // expected-note @below {{shared (priority 10): scope: scope `cluster` is not lowered, expected `cta` or narrower}}
    tile.reduce sum %A into %B axes [1] scope(cluster) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// The active threads are computed by another pass.
gpu.module @m {
  gpu.func @no_exec(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.reduce` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// One run reports all errors.
gpu.module @m {
  gpu.func @two_errors(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `nonsense`; known variants: 3input_maxmin, batched, local, packed_add_sum, packed_half, packed_key, redux, shared}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "nonsense"} : memref<4x8xf32> into memref<4xf32>
    // expected-error @below {{`tile.reduce` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A tile op must be in a kernel.
func.func @no_kernel(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`tile.reduce` must be in a `gpu.func` kernel}}
  // expected-note @below {{only ops at `scope(grid)` are allowed in a host function}}
  tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
  return
}
