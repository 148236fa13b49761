// RUN: not tx run %s --device cpu --arg zeros:64xf32 2>&1
// EXIT: 3
// SNAPSHOT: none — what is said is the matter

// MLIR lowers `gpu.all_reduce` with one shared array, and omits barriers that two of them need. The message
// names a replacement.
// CHECK: [[# @LINE + 6]]:10: error: race on shared memory
// CHECK: note: several threads access one byte in this op: {{.+}}; replace a `gpu.all_reduce`, which has internal memory, by a `tile.all_reduce`
gpu.module @kernels {
  gpu.func @k(%A: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %y = gpu.all_reduce add %x uniform {} : (f32) -> f32
    %z = gpu.all_reduce add %y uniform {} : (f32) -> f32
    memref.store %z, %A[%t] : memref<64xf32>
    gpu.return
  }
}
