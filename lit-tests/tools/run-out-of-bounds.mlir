// RUN: not tx run %s --device cpu --entry fill --arg zeros:?xf32 2>&1
// EXIT: 2
// RUN(SMALL): not tx run %s --device cpu --entry fill --arg zeros:63xf32 2>&1
// EXIT: 3
// RUN(ENOUGH): tx run %s --device cpu --entry fill --arg zeros:64xf32
// RUN(SHARED): not tx run %s --device cpu --entry rev --arg zeros:64xf32 2>&1
// EXIT: 3
// SNAPSHOT: none — every message is checked.

// A program that is correct for 64 elements fails for 63: the error is found at run time, status 3. An array
// of unknown size cannot be made, status 2.
// CHECK:  `zeros:?xf32` is not an argument
// SMALL:  run-out-of-bounds.mlir:[[# @LINE + 10]]:5: error: out of bounds: write of 4 bytes
// ENOUGH: argument 0: 64xf32

// Shared memory is named after the kernel, and the position is shown once.
// SHARED: run-out-of-bounds.mlir:[[# @LINE + 16]]:5: error: out of bounds: write of 4 bytes of shared memory at byte 256 of shared buffer 0 of kernel `rev` (256 bytes), by thread (56, 0, 0) of block (0, 0, 0) (kernel `rev`)
gpu.module @kernels {
  gpu.func @fill(%B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %one = arith.constant 1.0 : f32
    memref.store %one, %B[%t] : memref<?xf32>
    gpu.return
  }

  gpu.func @rev(%A: memref<64xf32>) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c8 : index
    %x = memref.load %A[%t] : memref<64xf32>
    memref.store %x, %S[%u] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
