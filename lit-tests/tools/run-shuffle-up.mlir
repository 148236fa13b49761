// RUN: tx run %s --device cpu --arg zeros:32xi32 --arg zeros:32xi32
// SNAPSHOT: none — the CHECK lines say it all.

// In mode `up`, the first lanes keep their own value, on the executor and in the validating interpreter.
// CHECK: argument 0: 32xi32
// CHECK-NEXT: [0 0 0 1 1
// CHECK: argument 1: 32xi32
// CHECK-NEXT: [ 0  1  2  0  1  2  3
gpu.module @m {
  gpu.func @k(%B: memref<32xi32>, %C: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %three = arith.constant 3 : i32
    %i32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %x = arith.index_cast %t : index to i32
    %r, %ok = gpu.shuffle up %x, %three, %i32 : i32
    %e = arith.extui %ok : i1 to i32
    memref.store %e, %B[%t] : memref<32xi32>
    memref.store %r, %C[%t] : memref<32xi32>
    gpu.return
  }
}
