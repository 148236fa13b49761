// RUN: tx-opt %s --split-input-file --verify-diagnostics

func.func private @a9() attributes {
  // expected-error @below {{unknown processor `threadIdx.x`; known: block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, thread_x, thread_y, thread_z; did you mean `thread_x`?}}
  a = #tile.bind<"d0" to threadIdx.x>}

// -----

func.func private @a19() attributes {
  // expected-error @below {{`#tile.stream` has no parameters}}
  a = #tile.stream<"d0">}

// -----

func.func private @a20() attributes {
  // expected-error @below {{`#tile.last_block` has no parameters}}
  a = #tile.last_block<1>}

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
  // expected-error @below {{unknown determinism `run`; known: any, run_to_run, batch_invariant}}
  a = #tile.determinism<run-to-run>}

// -----

// A list of one element needs brackets, too.
func.func @no_list(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{attribute 'schedule' failed to satisfy constraint: array attribute}}
  tile.reduce sum %A into %B axes [1] scope(grid) {variant = "shared", schedule = #tile.split<"d1" by 2>} : memref<?x?xf32> into memref<?xf32>
  return
}
