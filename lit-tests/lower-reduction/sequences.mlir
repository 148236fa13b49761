// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A copy and a reduction in a loop: the next copy must wait for the reduction, and the reduction for the
  // copy. The accumulator needs no barrier, because each of its elements belongs to one thread in every
  // iteration.
  // CHECK-LABEL: gpu.func @loop
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.for
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           gpu.barrier
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           memref.store %{{.+}} : memref<4x32xf32, #gpu.address_space<workgroup>>
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           gpu.barrier
  // CHECK-NOT:       {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @loop(%A: memref<8x4x32xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %V = memref.subview %A[%i, 0, 0] [1, 4, 32] [1, 1, 1]
        : memref<8x4x32xf32> to memref<4x32xf32, strided<[32, 1], offset: ?>>
      tile.copy %V to %As scope(cta)
        : memref<4x32xf32, strided<[32, 1], offset: ?>> to memref<4x32xf32, #shared>
      tile.reduce sum %As into %B axes [1] scope(cta) accumulate
        : memref<4x32xf32, #shared> into memref<4xf32>
    }
    gpu.return
  }

  // The second reduction reads the first one's result. A thread has one row of the first, and loads its own
  // sum in the second, in which sixteen lanes share a row: copy, barrier, rows, rows, barrier, copy.
  // CHECK-LABEL: gpu.func @one_after_the_other
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.store %{{.+}}, %[[SUMS:arg[0-9]+]][
  // CHECK:         memref.load %[[SUMS]][
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @one_after_the_other(%A: memref<8x16x32xf32>, %B: memref<8xf32>)
      workgroup(%As: memref<8x16x32xf32, #shared>, %Bs: memref<8x16xf32, #shared>, %Cs: memref<8xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<8x16x32xf32> to memref<8x16x32xf32, #shared>
    tile.reduce sum %As into %Bs axes [2] scope(cta)
      : memref<8x16x32xf32, #shared> into memref<8x16xf32, #shared>
    tile.reduce max %Bs into %Cs axes [1] scope(cta)
      : memref<8x16xf32, #shared> into memref<8xf32, #shared>
    tile.copy %Cs to %B scope(cta) : memref<8xf32, #shared> to memref<8xf32>
    gpu.return
  }

  // Two reductions of one tile into different destinations need no barrier in between.
  // CHECK-LABEL: gpu.func @side_by_side
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @side_by_side(%A: memref<4x32xf32>, %B: memref<4xf32>, %C: memref<4xf32>)
      workgroup(%As: memref<4x32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x32xf32> to memref<4x32xf32, #shared>
    tile.reduce sum %As into %B axes [1] scope(cta) : memref<4x32xf32, #shared> into memref<4xf32>
    tile.reduce max %As into %C axes [1] scope(cta) : memref<4x32xf32, #shared> into memref<4xf32>
    gpu.return
  }
}
