// RUN: not tx run %s --entry k --device cpu --arg zeros:32xi32 2>&1
// EXIT: 3
// RUN(ROUNDED): not tx run %s --entry rounded --device cpu --arg zeros:32xi32 --arg 5 --arg 0 2>&1
// EXIT: 3
// SNAPSHOT: none — the CHECK lines say it all.

// An undefined division is reported at the op of the program, with its code.
// CHECK:      run-division.mlir:[[# @LINE + 10]]:10: error: integer division by zero or overflow by thread (0, 0, 0) of block (0, 0, 0) (kernel `k`)
// CHECK-NEXT:   %q = arith.divsi
// CHECK-NEXT: {{^ *\^$}}
// CHECK-NEXT: = TX0807: tx explain TX0807
// A check also precedes a division after another: LLVM would move the division, but not its operand.
// ROUNDED: error: integer division by zero or overflow
gpu.module @m {
  gpu.func @k(%A: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %A[%t] : memref<32xi32>
    %q = arith.divsi %v, %v : i32
    memref.store %q, %A[%t] : memref<32xi32>
    gpu.return
  }
  gpu.func @rounded(%B: memref<32xi32>, %n: index, %m: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %n : index to i32
    %j = arith.index_cast %m : index to i32
    %q = arith.ceildivui %i, %j : i32
    memref.store %q, %B[%t] : memref<32xi32>
    gpu.return
  }
}
