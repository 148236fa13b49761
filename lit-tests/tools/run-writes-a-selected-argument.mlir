// RUN: tx run %s --device cpu --arg full:2:4xf32 --arg zeros:4xf32 --arg zeros:4xf32 --arg 1

// The kernel writes one of two arguments, selected at run time: either may change, so both are
// printed.
// CHECK:      argument 1: 4xf32
// CHECK-NEXT: [2. 2. 2. 2.]
// CHECK:      argument 2: 4xf32
// CHECK-NEXT: [0. 0. 0. 0.]
gpu.module @kernels {
  gpu.func @choose(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>, %first: i1)
      kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<4xf32>
    %to = arith.select %first, %B, %C : memref<4xf32>
    memref.store %x, %to[%t] : memref<4xf32>
    gpu.return
  }
}
