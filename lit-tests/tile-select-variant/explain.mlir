// RUN: tx-opt %s --tile-select-variant=explain --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// A remark shows the chosen variant, its cost, and why the others were not chosen. A load is 30 cycles and
// one more to issue, a combine 4, and three shuffles 84. The variant `batched` would leave most lanes without
// an element.
gpu.module @m {
  gpu.func @shared() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`; scope: scope `cta`, expected `thread`; storage: source is in shared memory, expected registers or private memory; results: 4 results, expected 1; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{batched (priority 10): accepted, cost 202}}
    // expected-note @below {{local (priority 10): storage: source is in shared memory, expected registers or private memory}}
    // expected-note @below {{packed_add_sum (priority 20): scope: scope `cta`, expected `thread`; storage: source is in shared memory, expected registers or private memory; results: 4 results, expected 1; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{packed_half (priority 10): type: elements are `f32`, expected `f16` or `bf16`; vector: alignment, strides and length allow no vectors of two or more elements per thread}}
    // expected-note @below {{packed_key (priority 10): key: `sum` has no index}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `sum` of `f32`}}
    // expected-note @below {{shared (priority 10): accepted, cost 119, chosen}}
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// The table lists every variant, whichever is chosen.
gpu.module @m {
  gpu.func @local() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `local` computes this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`; chip: sm_80 is older than sm_100; length: length 4, expected 8 or more}}
    // expected-note @below {{batched (priority 10): storage: source is in private memory, expected shared or global memory; scope: scope `thread`, expected `warp`, `warpgroup` or `cta`; warps: 1 thread, expected whole warps; rows: fewer than two results for each warp}}
    // expected-note @below {{local (priority 10): accepted, cost 16, chosen}}
    // expected-note @below {{packed_add_sum (priority 20): chip: sm_80 is older than sm_100; length: length 4, expected 8 or more}}
    // expected-note @below {{packed_half (priority 10): storage: source is in private memory, expected shared or global memory; scope: scope `thread`, expected `warp`, `warpgroup` or `cta`; type: elements are `f32`, expected `f16` or `bf16`; vector: alignment, strides and length allow no vectors of two or more elements per thread}}
    // expected-note @below {{packed_key (priority 10): storage: source is in private memory, expected shared or global memory; scope: scope `thread`, expected `warp`, `warpgroup` or `cta`; key: `sum` has no index}}
    // expected-note @below {{redux (priority 10): storage: source is in private memory, expected shared or global memory, or registers; scope: scope `thread`, expected `warp`, `warpgroup` or `cta`; instruction: `redux.sync` has no `sum` of `f32`; group: no two lanes of a warp compute the same result}}
    // expected-note @below {{shared (priority 10): storage: source is in private memory, expected shared or global memory}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}
#shared = #gpu.address_space<workgroup>

// Shared memory costs more: four loads of four elements, which 256 threads issue in sequence, five shuffles
// and an exchange.
gpu.module @m {
  gpu.func @exchange(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`; scope: scope `cta`, expected `thread`; storage: source is in shared memory, expected registers or private memory; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{batched (priority 10): rows: fewer than two results for each warp}}
    // expected-note @below {{local (priority 10): storage: source is in shared memory}}
    // expected-note @below {{packed_add_sum (priority 20): scope: scope `cta`, expected `thread`; storage: source is in shared memory, expected registers or private memory; rank: source of rank 2, expected 1; chip: sm_80 is older than sm_100}}
    // expected-note @below {{packed_half (priority 10): type: elements are `f32`, expected `f16` or `bf16`}}
    // expected-note @below {{packed_key (priority 10): key: `sum` has no index}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `sum` of `f32`}}
    // expected-note @below {{shared (priority 10): accepted, cost 390, chosen}}
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta256}
      : memref<1x4096xf32, #shared> into memref<1xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Each reduction has its own remark. A forced variant is the only one listed.
gpu.module @m {
  gpu.func @two(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{3input_maxmin (priority 20): kind: `sum`, expected `max` or `min`; scope: scope `cta`, expected `thread`; storage: source is in global memory}}
    // expected-note @below {{batched (priority 10): accepted, cost 202}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory}}
    // expected-note @below {{packed_add_sum (priority 20): scope: scope `cta`, expected `thread`; storage: source is in global memory}}
    // expected-note @below {{packed_half (priority 10): type: elements are `f32`, expected `f16` or `bf16`}}
    // expected-note @below {{packed_key (priority 10): key: `sum` has no index}}
    // expected-note @below {{redux (priority 10): instruction: `redux.sync` has no `sum` of `f32`}}
    // expected-note @below {{shared (priority 10): accepted, cost 119, chosen}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{shared (priority 10): accepted, cost 119, chosen}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "shared"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}

// Threads of a group in different warps cannot shuffle: columns are combined through shared memory only.
gpu.module @m {
  gpu.func @columns(%v: f32) kernel attributes {known_block_size = array<i32: 32, 8, 1>} {
    // expected-remark @below {{shared memory exchanges these values of `columns`}}
    // expected-note @below {{no two threads of a group are lanes of one warp, so no values are shuffled}}
    %s = tile.all_reduce sum %v scope(cta) width 8 stride 32 {exec = #cta256} : f32 -> f32
    // A single thread has no exchange.
    %t = tile.all_reduce sum %v scope(cta) width 1 {exec = #cta256} : f32 -> f32
    gpu.return
  }
}
