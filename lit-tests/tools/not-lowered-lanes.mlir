// RUN: not tx-opt %s --gpu-to-ptx 2>&1
// EXIT: 1
// SNAPSHOT: none — it is refused

// What MLIR calls explicitly marked illegal is told as what it is: nothing lowers it.
gpu.module @lanes {
  // CHECK: not-lowered-lanes.mlir:[[# @LINE + 4]]:14: error: `gpu.rotate` cannot be lowered: `gpu.shuffle idx` takes the value of any lane
  gpu.func @rotate(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xf32>
    %y, %p = gpu.rotate %x, 2, 16 : f32
    memref.store %y, %A[%t] : memref<32xf32>
    gpu.return
  }
}
