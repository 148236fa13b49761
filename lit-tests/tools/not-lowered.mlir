// RUN: not tx compile %s 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// An op that nothing lowers is refused where it stands, by its name and with what there is instead; nothing is said of what
// passes have made of the rest.
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
