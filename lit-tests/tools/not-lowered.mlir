// RUN: not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// An op that nothing lowers is refused at its location, by its name and with an alternative. The error does not show the
// IR that passes have made of the other ops.
gpu.module @vectors {
  // CHECK-NOT: note: see current operation
  // CHECK: not-lowered.mlir:[[# @LINE + 6]]:10: error: `vector.load` cannot be lowered to LLVM
  // CHECK: note: use one-dimensional vectors, one row at a time
  // CHECK: = TX0510
  // CHECK-NOT: error
  gpu.func @square(%A: memref<32x4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %x = vector.load %A[%i, %i] : memref<32x4xi32>, vector<2x2xi32>
    %y = vector.extract %x[0, 0] : i32 from vector<2x2xi32>
    memref.store %y, %A[%i, %i] : memref<32x4xi32>
    gpu.return
  }
}
