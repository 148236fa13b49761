// RUN: tx-opt %s --split-input-file --verify-diagnostics

// Each way to write an attribute of the dialect other than it is written is told what was found, and what to write.
func.func private @a0() attributes {
  // expected-error @below {{expected string, found `d1`: write `#tile.split<"d1" by 8>`}}
  // expected-error @below {{`loop` of `#tile.split` must be a string in quotes, as `"d0"`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split<d1, 8>}

// -----

func.func private @a1() attributes {
  // expected-error @below {{expected 'by', found `,`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split<"d1", 8>}

// -----

func.func private @a2() attributes {
  // expected-error @below {{expected integer value, found `8.5`: write `#tile.split<"d1" by 8>`}}
  // expected-error @below {{`factor` of `#tile.split` must be an integer, as `8`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split<"d1" by 8.5>}

// -----

func.func private @a3() attributes {
  // expected-error @below {{expected integer value, found `>`: write `#tile.split<"d1" by 8>`}}
  // expected-error @below {{`factor` of `#tile.split` must be an integer, as `8`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split<"d1" by>}

// -----

func.func private @a4() attributes {
  // expected-error @below {{expected 'by', found `>`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split<"d1">}

// -----

func.func private @a5() attributes {
  // expected-error @below {{expected '<', found `}`: write `#tile.split<"d1" by 8>`}}
  a = #tile.split}

// -----

func.func private @a6() attributes {
  // expected-error @below {{expected 'to', found `by`: write `#tile.align<"d1" to 4>`}}
  a = #tile.align<"d1" by 4>}

// -----

func.func private @a7() attributes {
  // expected-error @below {{expected valid keyword, found `"block_x"`: write `#tile.bind<"d0" to block_x>`}}
  a = #tile.bind<"d0" to "block_x">}

// -----

func.func private @a8() attributes {
  // expected-error @below {{expected string, found `d0`: write `#tile.bind<"d0" to block_x>`}}
  // expected-error @below {{`loop` of `#tile.bind` must be a string in quotes, as `"d0"`: write `#tile.bind<"d0" to block_x>`}}
  a = #tile.bind<d0 to block_x>}

// -----

func.func private @a9() attributes {
  // expected-error @below {{unknown processor `threadIdx.x`; known: block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, thread_x, thread_y, thread_z; did you mean `thread_x`?}}
  a = #tile.bind<"d0" to threadIdx.x>}

// -----

func.func private @a10() attributes {
  // expected-error @below {{expected string, found `d1.i`: write `#tile.rfactor<"d1.i">`}}
  // expected-error @below {{`loop` of `#tile.rfactor` must be a string in quotes, as `"d0"`: write `#tile.rfactor<"d1.i">`}}
  a = #tile.rfactor<d1.i>}

// -----

func.func private @a11() attributes {
  // expected-error @below {{expected '>', found `,`: write `#tile.rfactor<"d1.i">`}}
  a = #tile.rfactor<"d1.i", 4>}

// -----

func.func private @a12() attributes {
  // expected-error @below {{expected 'to', found `>`: write `#tile.fuse<["d0", "d1"] to "p">`}}
  a = #tile.fuse<["d0", "d1"]>}

// -----

func.func private @a13() attributes {
  // expected-error @below {{expected attribute value, found `d0`: write `#tile.fuse<["d0", "d1"] to "p">`}}
  // expected-error @below {{`loops` of `#tile.fuse` must be strings in quotes, as `"d0", "d1"`: write `#tile.fuse<["d0", "d1"] to "p">`}}
  a = #tile.fuse<[d0, d1] to "p">}

// -----

func.func private @a14() attributes {
  // expected-error @below {{invalid kind of attribute specified, found `[`: write `#tile.reorder<"d1.o", "d0.i">`}}
  // expected-error @below {{`loops` of `#tile.reorder` must be strings in quotes, as `"d0", "d1"`: write `#tile.reorder<"d1.o", "d0.i">`}}
  a = #tile.reorder<["d1", "d0"]>}

// -----

func.func private @a15() attributes {
  // expected-error @below {{expected attribute value, found `>`: write `#tile.reorder<"d1.o", "d0.i">`}}
  // expected-error @below {{`loops` of `#tile.reorder` must be strings in quotes, as `"d0", "d1"`: write `#tile.reorder<"d1.o", "d0.i">`}}
  a = #tile.reorder<>}

// -----

func.func private @a16() attributes {
  // expected-error @below {{expected string, found `4`: write `#tile.unroll<"d1.i">`}}
  // expected-error @below {{`loop` of `#tile.unroll` must be a string in quotes, as `"d0"`: write `#tile.unroll<"d1.i">`}}
  a = #tile.unroll<4>}

// -----

func.func private @a17() attributes {
  // expected-error @below {{expected '>', found `by`: write `#tile.vectorize<"d1.i">`}}
  a = #tile.vectorize<"d1" by 4>}

// -----

func.func private @a18() attributes {
  // expected-error @below {{expected integer value, found `"1024"`: write `#tile.resident<1024>`}}
  // expected-error @below {{`threads` of `#tile.resident` must be an integer, as `8`: write `#tile.resident<1024>`}}
  a = #tile.resident<"1024">}

// -----

func.func private @a19() attributes {
  // expected-error @below {{`#tile.stream` has no parameters}}
  a = #tile.stream<"d0">}

// -----

func.func private @a20() attributes {
  // expected-error @below {{`#tile.last_block` has no parameters}}
  a = #tile.last_block<1>}

// -----

func.func private @a21() attributes {
  // expected-error @below {{expected 'to', found `,`: write `#tile.case<"d1" to 64, [#tile.bind<"d0" to block_x>]>`}}
  a = #tile.case<"d1", 64, []>}

// -----

func.func private @a22() attributes {
  // expected-error @below {{invalid kind of attribute specified, found `#tile.stream`: write `#tile.case<"d1" to 64, [#tile.bind<"d0" to block_x>]>`}}
  // expected-error @below {{`schedule` of `#tile.case` must be a list in brackets, as `[1, 2]`: write `#tile.case<"d1" to 64, [#tile.bind<"d0" to block_x>]>`}}
  a = #tile.case<"d1" to 64, #tile.stream>}

// -----

func.func private @a23() attributes {
  // expected-error @below {{invalid kind of attribute specified, found `"d"`: write `#tile.otherwise<[#tile.bind<"d0" to block_x>]>`}}
  // expected-error @below {{`schedule` of `#tile.otherwise` must be a list in brackets, as `[1, 2]`: write `#tile.otherwise<[#tile.bind<"d0" to block_x>]>`}}
  a = #tile.otherwise<"d">}

// -----

func.func private @a24() attributes {
  // expected-error @below {{expected valid keyword, found `"sum"`: write `#tile.kind<sum>`}}
  a = #tile.kind<"sum">}

// -----

func.func private @a25() attributes {
  // expected-error @below {{unknown kind `sun`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom; did you mean `sum`?}}
  a = #tile.kind<sun>}

// -----

func.func private @a26() attributes {
  // expected-error @below {{unknown scope `block`; known: thread, warp, warpgroup, cta, cluster, grid; did you mean `cta`?}}
  a = #tile.scope<block>}

// -----

func.func private @a27() attributes {
  // expected-error @below {{unknown scope `CTA`; known: thread, warp, warpgroup, cta, cluster, grid; did you mean `cta`?}}
  a = #tile.scope<CTA>}

// -----

func.func private @a28() attributes {
  // expected-error @below {{unknown determinism `run`; known: any, run_to_run, batch_invariant; did you mean `run_to_run`?}}
  a = #tile.determinism<run-to-run>}

// -----

func.func private @a29() attributes {
  // expected-error @below {{expected ':', found `,`: write `#tile.iter<8 : 1 lane>`}}
  a = #tile.iter<8, 1 lane>}

// -----

func.func private @a30() attributes {
  // expected-error @below {{expected '[', found `8`: write `#tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>`}}
  a = #tile.layout<8 : 1 lane>}

// -----

func.func private @a31() attributes {
  // expected-error @below {{expected ':', found `1`: write `#tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>`}}
  a = #tile.layout<[<8 1 lane>]>}

// -----

func.func private @a32() attributes {
  // expected-error @below {{expected '>', found `,`: write `#tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>`}}
  a = #tile.layout<[<8 : 1 lane>], replica [<2 : 4 lane>]>}

// -----

func.func private @a33() attributes {
  // expected-error @below {{unknown attribute `#tile.splitt`; did you mean `#tile.split`?}}
  a = #tile.splitt<"d1" by 8>}

// -----

func.func private @a34() attributes {
  // expected-error @below {{the attribute `#split` is of no dialect; did you mean `#tile.split`?}}
  a = #split<"d1" by 8>}

// -----

func.func private @a35() attributes {
  // expected-error @below {{`#tile.split<` is not closed: expected a `>` behind what it holds}}
  a = #tile.split<"d1" by 8}

// -----

func.func private @a36() attributes {
  // expected-error @below {{expected one of: global, workgroup, private, found `shared`; did you mean `workgroup`?}}
  a = #gpu.address_space<shared>}

// -----

func.func private @a37() attributes {
  // expected-error @below {{expected valid keyword or string, found `3`}}
  // expected-error @below {{`value` of `#gpu.address_space` cannot be read}}
  a = #gpu.address_space<3>}

// -----

func.func private @a38() attributes {
  // expected-error @below {{expected string, found `sm_90`}}
  // expected-error @below {{`chip` of `#nvvm.target` must be a string in quotes, as `"d0"`}}
  a = #nvvm.target<chip = sm_90>}

// -----

// A list of one is in brackets as well.
func.func @no_list(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{attribute `schedule` must be a list in brackets, found `#tile.split<"d1" by 2>`: write `schedule = [#tile.split<"d1" by 2>]`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {variant = "shared", schedule = #tile.split<"d1" by 2>} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

// Attributes have their place.
func.func @late_attributes(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{found `{`: attributes stand before the `:` of the types, as in `{variant = "shared"} : f32`}}
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32> {variant = "shared"}
  return
}

// -----

// Results of what is in memory are in memory.
func.func @result_of_memory(%A: memref<?x?xf32>) {
  // expected-error @below {{result #0 must be a tile in registers, found `f32`; a tile in memory is reduced `into` memory: `tile.reduce sum %A into %B}}
  %m = tile.reduce max %A axes [1] scope(grid) : memref<?x?xf32> -> f32
  return
}
