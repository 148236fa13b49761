// RUN: not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// A two-dimensional vector is rejected at its store, not at the stored-to argument.
gpu.module @vectors {
  // CHECK: not-lowered-vectors.mlir:[[# @LINE + 6]]:5: error: `vector.store` cannot be lowered to LLVM
  // CHECK: note: use one-dimensional vectors, one row at a time
  // CHECK-NOT: error
  gpu.func @rows(%A: memref<4x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : vector<2x2xf32>
    vector.store %x, %A[%c0, %c0] : memref<4x4xf32>, vector<2x2xf32>
    gpu.return
  }
}
