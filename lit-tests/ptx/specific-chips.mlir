// RUN(SM90A): tx compile %s --chip sm_90a
// RUN(SM100A): tx compile %s --chip sm_100a
// PTXAS: sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a
// SNAPSHOT: none — the program is the one of demo-shared-4x8.mlir.

// Chips with architecture-specific features get PTX for exactly this chip.
// SM90A:  .version 8.1
// SM90A:  .target sm_90a
// SM90A-COUNT-3: shfl.sync.bfly.b32
// SM90A-NOT: shfl
// SM100A: .version 8.8
// SM100A: .target sm_100a
// SM100A-COUNT-3: shfl.sync.bfly.b32
// SM100A-NOT: shfl
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
