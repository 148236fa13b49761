// RUN: tx-opt %s --tile-insert-sync
// RACE-FREE
// SNAPSHOT: none — it is the input.

// No two threads access one element, for any array length: execution confirms the claims of `strides.mlir`.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @of_the_block
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @of_the_block(%G: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %n = memref.dim %G, %c0 : memref<?xf32>
    scf.for %i = %t to %n step %c64 {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @of_the_grid
  // CHECK-NOT:     {{barrier|nvvm.b}}
  // CHECK:         gpu.return
  gpu.func @of_the_grid(%G: memref<?xf32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %before = arith.muli %block, %c96 : index
    %from = arith.addi %before, %t : index
    %step = arith.muli %blocks, %c96 : index
    %n = memref.dim %G, %c0 : memref<?xf32>
    scf.for %i = %from to %n step %step {
      %x = memref.load %G[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %G[%i] : memref<?xf32>
    }
    gpu.return
  }
}
