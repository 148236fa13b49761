// RUN: tx-opt %s --convert-tile-to-gpu --split-input-file --verify-diagnostics

// A reduction must be expanded before this pass. The note names the expanding pass.
gpu.module @m {
  gpu.func @reduce(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.reduce` is not lowered}}
    // expected-note @below {{run `tile-select-variant` and `tile-expand-reduce` first}}
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// An exchange between threads must be expanded before this pass.
gpu.module @m {
  gpu.func @all_reduce(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.all_reduce` is not lowered}}
    // expected-note @below {{run `tile-expand-shuffle-tree` first}}
    %s = tile.all_reduce sum %x scope(warp) : f32 -> f32
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>]>

// The threads that execute a load must be known.
gpu.module @m {
  gpu.func @load(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.load` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 4 lane>]>

// A fragment layout must fit the threads that execute the op.
gpu.module @m {
  gpu.func @eight_of_sixteen(%A: memref<8xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error @below {{`tile.load` cannot place this fragment: the layout uses 29 threads, but the `warp` has 16}}
    %x = tile.load %A scope(warp)
      {exec = {active = array<i64: 0, 16>, block = 16 : i64, threads = 16 : i64}}
      : memref<8xf32> -> !tile.fragment<8xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>]>

// A function cannot take fragments from its caller.
gpu.module @m {
  // expected-error @below {{`gpu.func` does not support fragments}}
  // expected-note @below {{a fragment is in the registers of one kernel: store it to memory, or pass it through `scf` ops}}
  gpu.func @argument(%x: !tile.fragment<8xf32, #frag>) {
    gpu.return
  }
}

// -----

// The threads that execute a copy must be known.
gpu.module @m {
  gpu.func @no_exec(%A: memref<4x8xf32>, %B: memref<4x8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.copy` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    tile.copy %A to %B scope(cta) : memref<4x8xf32> to memref<4x8xf32>
    gpu.return
  }
}

// -----

// A copy without participating threads is an error.
gpu.module @m {
  gpu.func @no_threads(%A: memref<4x8xf32>, %B: memref<4x8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`exec` must give 1 to 32 threads for this scope and block, found 0}}
    tile.copy %A to %B scope(cta)
      {exec = {active = array<i64>, block = 32 : i64, threads = 0 : i64}}
      : memref<4x8xf32> to memref<4x8xf32>
    gpu.return
  }
}

// -----

// Host code has no threads.
func.func @host(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  // expected-error @below {{`tile.copy` must be in a `gpu.func` kernel}}
  // expected-note @below {{only ops at `scope(grid)` are allowed in a host function}}
  tile.copy %A to %B scope(cta)
    {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
    : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// A kernel needs a block size.
gpu.module @m {
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%A: memref<4x8xf32>, %B: memref<4x8xf32>) kernel {
    // expected-error @below {{the kernel has no block size}}
    tile.copy %A to %B scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
      : memref<4x8xf32> to memref<4x8xf32>
    gpu.return
  }
}
