// RUN: tx-opt %s --split-input-file --verify-diagnostics

// A copy does not reshape.
func.func @copy_between_shapes(%A: memref<4x8xf32>, %B: memref<8x4xf32>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [4, 8] of `f32` and [8, 4] of `f32`}}
  tile.copy %A to %B scope(cta) : memref<4x8xf32> to memref<8x4xf32>
  return
}

// -----

// A copy keeps all dimensions, also those of size 1.
func.func @copy_between_ranks(%A: memref<4x1xf32>, %B: memref<4xf32>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [4, 1] of `f32` and [4] of `f32`}}
  tile.copy %A to %B scope(cta) : memref<4x1xf32> to memref<4xf32>
  return
}

// -----

// A dynamic size is compatible with any size; static sizes must be equal.
func.func @copy_between_dynamic_shapes(%A: memref<?x8xf32>, %B: memref<4x9xf32>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [?, 8] of `f32` and [4, 9] of `f32`}}
  tile.copy %A to %B scope(cta) : memref<?x8xf32> to memref<4x9xf32>
  return
}

// -----

// A copy does not convert.
func.func @copy_between_element_types(%A: memref<8xf32>, %B: memref<8xf16>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [8] of `f32` and [8] of `f16`}}
  tile.copy %A to %B scope(cta) : memref<8xf32> to memref<8xf16>
  return
}

// -----

// Private memory can only be copied at scope `thread`.
func.func @copy_to_private_memory_by_a_cta(%A: memref<8xf32>, %B: memref<8xf32, #gpu.address_space<private>>) {
  // expected-error @below {{private memory is visible to one thread only, but the scope is `cta`}}
  // expected-note @below {{use `scope(thread)`, or put the tile into shared memory or a fragment}}
  tile.copy %A to %B scope(cta) : memref<8xf32> to memref<8xf32, #gpu.address_space<private>>
  return
}

// -----

// At scope `grid`, there is no shared memory.
func.func @copy_to_shared_memory_by_a_grid(%A: memref<8xf32>, %B: memref<8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{`scope(grid)` requires global memory, found shared memory}}
  tile.copy %A to %B scope(grid) : memref<8xf32> to memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// Fragments are loaded and stored, not copied.
func.func @copy_of_a_fragment(%x: !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>, %B: memref<8xf32>) {
  // expected-error @below {{expected builtin.memref, but found '!tile.fragment<8xf32}}
  tile.copy %x to %B scope(warp) : !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>> to memref<8xf32>
  return
}

// -----

// An unknown memory space is rejected.
func.func @copy_from_an_unknown_space(%A: memref<8xf32, 2>, %B: memref<8xf32>) {
  // expected-error @below {{a memref is in an unknown memory space}}
  // expected-note @below {{known: none, 1 or `#gpu.address_space<global>`; 3 or `#gpu.address_space<workgroup>`; 5 or `#gpu.address_space<private>`}}
  tile.copy %A to %B scope(cta) : memref<8xf32, 2> to memref<8xf32>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A fragment has the shape of the memory that it is loaded from.
func.func @load_of_another_shape(%A: memref<16xf32>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [16] of `f32` and [8] of `f32`}}
  %x = tile.load %A scope(warp) : memref<16xf32> -> !tile.fragment<8xf32, #row>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A load does not convert.
func.func @load_of_another_element_type(%A: memref<8xf16>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [8] of `f16` and [8] of `f32`}}
  %x = tile.load %A scope(warp) : memref<8xf16> -> !tile.fragment<8xf32, #row>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A warp cannot load from private memory.
func.func @load_of_private_memory(%A: memref<8xf32, 5>) {
  // expected-error @below {{private memory is visible to one thread only, but the scope is `warp`}}
  // expected-note @below {{use `scope(thread)`, or put the tile into shared memory or a fragment}}
  %x = tile.load %A scope(warp) : memref<8xf32, 5> -> !tile.fragment<8xf32, #row>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// Fragments need a scope within one block.
func.func @load_by_a_grid(%A: memref<8xf32>) {
  // expected-error @below {{the elements of a fragment are in registers of one CTA, but the scope is `grid`}}
  %x = tile.load %A scope(grid) : memref<8xf32> -> !tile.fragment<8xf32, #row>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A store does not reshape.
func.func @store_to_another_shape(%x: !tile.fragment<8xf32, #row>, %B: memref<2x4xf32>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [2, 4] of `f32` and [8] of `f32`}}
  tile.store %x to %B scope(warp) : !tile.fragment<8xf32, #row> to memref<2x4xf32>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A store does not convert.
func.func @store_to_another_element_type(%x: !tile.fragment<8xf32, #row>, %B: memref<8xf64>) {
  // expected-error @below {{both tiles must have the same shape and element type, found [8] of `f64` and [8] of `f32`}}
  tile.store %x to %B scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf64>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// A grid cannot store fragments.
func.func @store_by_a_grid(%x: !tile.fragment<8xf32, #row>, %B: memref<8xf32>) {
  // expected-error @below {{the elements of a fragment are in registers of one CTA, but the scope is `grid`}}
  tile.store %x to %B scope(grid) : !tile.fragment<8xf32, #row> to memref<8xf32>
  return
}

// -----

#row = #tile.layout<[<8 : 1 lane>]>

// The value of a splat has the fragment's element type.
func.func @splat_of_another_type(%c: f16) {
  // expected-error @below {{the value is `f16`, but the fragment's elements are `f32`}}
  %z = tile.splat %c : f16 -> !tile.fragment<8xf32, #row>
  return
}

// -----

// For a misspelt scope, the message lists the valid scopes.
func.func @unknown_scope(%A: memref<8xf32>, %B: memref<8xf32>) {
  // expected-error @below {{unknown scope `lane`; known: thread, warp, warpgroup, cta, cluster, grid}}
  tile.copy %A to %B scope(lane) : memref<8xf32> to memref<8xf32>
  return
}
