// RUN: tx-opt %s --tile-expand-reduce --split-input-file --verify-diagnostics

// More threads than there are.
gpu.module @kernels {
  gpu.func @too_many(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be at most the 32 threads of the scope}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 8 : i64, groups = 8 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// So many that their product cannot be written.
gpu.module @kernels {
  gpu.func @overflow(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be at most the 32 threads of the scope}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 9223372036854775807 : i64, groups = 4 : i64, stride = 8 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// Wider loads than the alignment of an argument allows.
gpu.module @kernels {
  gpu.func @wide(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{alignment and strides allow at most 1, found 4}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 2 : i64, groups = 4 : i64, stride = 1 : i64, vector = 4 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}

// -----

// Lanes are exchanged in powers of two.
gpu.module @kernels {
  gpu.func @three(%A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{must be powers of two}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
       params = {group = 3 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64},
       variant = "shared"} : memref<8x8xf32> into memref<8xf32>
    gpu.return
  }
}
