// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

// 32 threads sum the four rows of a 4x8 tile in shared memory. Each row has eight lanes, three shuffles (1,
// 2, 4), and one store. The block is one warp, so it needs two warp barriers: after the copy in, and before
// the copy out.
// CHECK-LABEL: gpu.func @rows
// CHECK-NOT:     tile.
// CHECK-COUNT-1: nvvm.bar.warp.sync
// CHECK:         %[[ONE:.+]] = arith.constant 1 : i32
// CHECK:         gpu.shuffle xor %{{.+}}, %[[ONE]],
// CHECK:         %[[TWO:.+]] = arith.constant 2 : i32
// CHECK:         gpu.shuffle xor %{{.+}}, %[[TWO]],
// CHECK:         %[[FOUR:.+]] = arith.constant 4 : i32
// CHECK:         gpu.shuffle xor %{{.+}}, %[[FOUR]],
// CHECK-NOT:     gpu.shuffle
// CHECK-COUNT-1: nvvm.bar.warp.sync
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     tile.
// COUNT:         @rows barriers = 0, warp barriers = 2, shuffles = 3, shared loads = 2, global stores = 1
// VALIDATE
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
        workgroup(%As: memref<4x8xf32, #shared>, %Bs: memref<4xf32, #shared>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #shared>
      tile.reduce sum %As into %Bs axes [-1] scope(cta)
          : memref<4x8xf32, #shared> into memref<4xf32, #shared>
      tile.copy %Bs to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
      gpu.return
    }
  }
}
