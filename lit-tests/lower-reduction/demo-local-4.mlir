// RUN: tx-opt %s --lower-reduction

#private = #gpu.address_space<private>

// One thread sums its own four elements in a plain sequential loop: no shuffle, no barrier.
// CHECK-LABEL: gpu.func @four
// CHECK-NOT:     tile.
// CHECK:         %[[SUM:.+]] = scf.for
// CHECK:           %[[X:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<4xf32, #gpu.address_space<private>>
// CHECK:           arith.addf %{{.+}}, %[[X]]
// CHECK:         memref.store %[[SUM]]
// CHECK-NOT:     gpu.shuffle
// CHECK-NOT:     barrier
// CHECK-NOT:     nvvm.bar
// CHECK-NOT:     tile.
// COUNT:         @four barriers = 0, warp barriers = 0, shuffles = 0, global loads = 1, global stores = 1
// VALIDATE
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @four(%A: memref<4xf32>, %B: memref<1xf32>)
        private(%a: memref<4xf32, #private>, %b: memref<1xf32, #private>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      tile.copy %A to %a scope(thread) : memref<4xf32> to memref<4xf32, #private>
      tile.reduce sum %a into %b axes [0] scope(thread)
          : memref<4xf32, #private> into memref<1xf32, #private>
      tile.copy %b to %B scope(thread) : memref<1xf32, #private> to memref<1xf32>
      gpu.return
    }
  }
}
