// RUN: not tx run %s --device cpu --arg zeros:32xi32 2>&1
// EXIT: 3
// SNAPSHOT: none — the CHECK lines say it all.

// A division without a result is told as such, at the op that its author wrote, with its code.
// CHECK:      run-division.mlir:[[# @LINE + 8]]:10: error: integer division by zero or overflow at {{.*}}run-division.mlir:[[# @LINE + 8]]:10 by thread (0, 0, 0) of block (0, 0, 0) (kernel `k`)
// CHECK-NEXT:   %q = arith.divsi
// CHECK-NEXT: {{^ *\^$}}
// CHECK-NEXT: = TX0807: tx explain TX0807
gpu.module @m {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xi32>
    %q = arith.divsi %v, %v : i32
    memref.store %q, %A[%t] : memref<32xi32>
    gpu.return
  }
}
