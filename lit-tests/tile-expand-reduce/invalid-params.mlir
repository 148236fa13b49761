// RUN: tx-opt %s --tile-expand-reduce --split-input-file --verify-diagnostics

// Parameters with more threads than the scope has.
gpu.module @kernels {
  gpu.func @too_many(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be at most the 32 threads of the scope}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 8 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// Parameters whose product overflows.
gpu.module @kernels {
  gpu.func @overflow(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be at most the 32 threads of the scope}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 9223372036854775807 : i64, groups = 4 : i64, stride = 8 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// Wider loads than the alignment of an argument permits.
gpu.module @kernels {
  gpu.func @wide(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{alignment and strides allow at most 1, found 4}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 2 : i64, groups = 4 : i64, stride = 1 : i64, vector = 4 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// Shuffles need a power of two of lanes.
gpu.module @kernels {
  gpu.func @three(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be powers of two}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 3 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// The number of rows must be a power of two: each exchange step halves it.
gpu.module @kernels {
  gpu.func @twelve_rows(%A: memref<12x32xf32>, %B: memref<12xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`rows` must be a power of two from 2 to 32, found 12}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {rows = 12 : i64, vector = 1 : i64}, variant = "batched"} : memref<12x32xf32> into memref<12xf32>
    gpu.return
  }
}

// -----

// A lane ends with at most one row, so `rows` is at most 32.
gpu.module @kernels {
  gpu.func @sixty_four_rows(%A: memref<64x32xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`rows` must be a power of two from 2 to 32, found 64}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {rows = 64 : i64, vector = 1 : i64}, variant = "batched"} : memref<64x32xf32> into memref<64xf32>
    gpu.return
  }
}

// -----

// Packed f16 needs vectors of at least two elements.
gpu.module @kernels {
  gpu.func @one_half(%B: memref<f16>) workgroup(%S: memref<512xf16, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`vector` must be 2 or more, and `group` times `vector` must divide the length}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce max %S into %B axes [0] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "packed_half"} : memref<512xf16, #gpu.address_space<workgroup>> into memref<f16>
    gpu.return
  }
}

// -----

// `skew` needs full steps of the row.
gpu.module @kernels {
  gpu.func @skewed_rest() workgroup(%S: memref<32x30xf32, #gpu.address_space<workgroup>>, %D: memref<32xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`skew` needs a length that is a multiple of `group` times `vector`}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %S into %D axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 4 : i64, groups = 8 : i64, skew = 1 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "shared"} : memref<32x30xf32, #gpu.address_space<workgroup>> into memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
