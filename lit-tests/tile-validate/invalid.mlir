// RUN: tx-opt %s --lower-reduction=validate-each --split-input-file --verify-diagnostics

// A program with a data race of its own is rejected, with both accesses.
gpu.module @kernels {
  // expected-error @+2 {{`same_place` after `tile-insert-sync`: RACE: race on global memory, byte 0 of argument 0}}
  // expected-note @+1 {{`tile-insert-sync` inserts the barriers between two ops}}
  gpu.func @same_place(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 7, 1, 1>} {
    %c = arith.constant 1.0 : f32
    memref.store %c, %B[] : memref<f32>
    gpu.return
  }
}

// -----

// A program that reads uninitialized memory has no result to compare.
gpu.module @kernels {
  // expected-error @+1 {{`unwritten` in the input program: FAULT: read of byte 0 of the shared memory of a kernel, which is uninitialized}}
  gpu.func @unwritten(%B: memref<f32>) workgroup(%S: memref<8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.reduce sum %S into %B axes [0] scope(cta)
        : memref<8xf32, #gpu.address_space<workgroup>> into memref<f32>
    gpu.return
  }
}
