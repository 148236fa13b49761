// RUN: not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// An op that no pass lowers is rejected at its position, with its name and a replacement. The lowered form of
// other ops is not reported.
gpu.module @integers {
  // CHECK-NOT: note: see current operation
  // CHECK: not-lowered.mlir:[[# @LINE + 7]]:10: error: `math.ipowi` cannot be lowered to LLVM
  // CHECK: note: multiply, in a loop where the exponent is no constant
  // CHECK: = TX0510
  // CHECK-NOT: error
  gpu.func @power(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %A[%i] : memref<32xi32>
    %y = math.ipowi %x, %x : i32
    memref.store %y, %A[%i] : memref<32xi32>
    gpu.return
  }
}
