// RUN: tx-opt %s --tile-select-variant --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A variant that there is not is answered with those that there are.
gpu.module @m {
  gpu.func @unknown_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `sm100_packed`; known variants: local, shared}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "sm100_packed"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// A variant that the program names has to accept: no thread has this tile to itself.
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

// And no other thread has this one.
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

// Where none accepts, each says everything that it has against it.
gpu.module @m {
  gpu.func @argmax(%A: memref<4x8xf32>, %V: memref<4xf32>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; destination: 2 destinations, expected 1; kind: `argmax` of `f32` is not implemented}}
    // expected-note @below {{shared (priority 10): destination: 2 destinations, expected 1; kind: `argmax` of `f32` is not implemented}}
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A combiner of one's own has no scalar combine yet.
gpu.module @m {
  gpu.func @custom(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; kind: `custom` of `f32` is not implemented}}
    // expected-note @below {{shared (priority 10): kind: `custom` of `f32` is not implemented}}
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#warp = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#row = #tile.layout<[<4 : 8 lane>, <8 : 1 lane>]>
#result = #tile.layout<[<4 : 8 lane>] replica [<8 : 1 lane>]>

// A fragment is in no memory.
gpu.module @m {
  gpu.func @fragment(%x: !tile.fragment<4x8xf32, #row>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is a fragment, whose reduction is not implemented; destination: the result is a fragment, expected memory}}
    // expected-note @below {{shared (priority 10): storage: source is a fragment, whose reduction is not implemented; destination: the result is a fragment, expected memory}}
    %r = tile.reduce sum %x axes [1] scope(warp) {exec = #warp} : !tile.fragment<4x8xf32, #row> -> !tile.fragment<4xf32, #result>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Elements of eight bits cannot be widened yet.
gpu.module @m {
  gpu.func @f8_source(%A: memref<4x8xf8E4M3FN>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; type: sources of `f8E4M3FN` are not implemented}}
    // expected-note @below {{shared (priority 10): type: sources of `f8E4M3FN` are not implemented}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf8E4M3FN> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Nor can bits be loaded one by one.
gpu.module @m {
  gpu.func @i1_source(%A: memref<4x8xi1>, %B: memref<4xi1>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; type: sources of `i1` are not implemented}}
    // expected-note @below {{shared (priority 10): type: sources of `i1` are not implemented}}
    tile.reduce or %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xi1> into memref<4xi1>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Blocks of a cluster do not work together yet.
gpu.module @m {
  gpu.func @cluster(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant can lower this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory; scope: scope `cluster` is not implemented, expected `cta` or narrower}}
    // expected-note @below {{shared (priority 10): scope: scope `cluster` is not implemented, expected `cta` or narrower}}
    tile.reduce sum %A into %B axes [1] scope(cluster) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// Who executes the op is found out by a pass of its own.
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

// One run reports everything that is wrong.
gpu.module @m {
  gpu.func @two_errors(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `nonsense`; known variants: local, shared}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "nonsense"} : memref<4x8xf32> into memref<4xf32>
    // expected-error @below {{`tile.reduce` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A tile op runs in a kernel.
func.func @no_kernel(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`tile.reduce` must stand in a `gpu.func` kernel}}
  // expected-note @below {{only `scope(grid)` stands in a host function}}
  tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
  return
}
