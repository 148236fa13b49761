// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

// Accesses of different warps never conflict, whatever other warps are in the block.
// RACE-FREE
gpu.module @kernels {
  // One of eight warps reduces alone. Its barriers are warp barriers, so the other seven warps do not
  // wait.
  // CHECK-LABEL: gpu.func @warp_5_of_8
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.if
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           scf.for
  // CHECK:             vector.load {{.+}}, vector<4xf32>
  // CHECK-COUNT-2:   gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @warp_5_of_8(%A: memref<4x64xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x64xf32, #shared>, %Bs: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c5 = arith.constant 5 : index
    %w = gpu.subgroup_id : index
    %is_5 = arith.cmpi eq, %w, %c5 : index
    scf.if %is_5 {
      tile.copy %A to %As scope(warp) : memref<4x64xf32> to memref<4x64xf32, #shared>
      tile.reduce sum %As into %Bs axes [1] scope(warp)
        : memref<4x64xf32, #shared> into memref<4xf32, #shared>
      tile.copy %Bs to %B scope(warp) : memref<4xf32, #shared> to memref<4xf32>
    }
    gpu.return
  }

  // Every warp has its own tile. Two lanes share a row, and a warp reduces sixteen rows at a time.
  // CHECK-LABEL: gpu.func @every_warp
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @every_warp(%A: memref<8x16x16xf32>, %B: memref<8x16xf32>)
      workgroup(%As: memref<8x16x16xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %w = gpu.subgroup_id : index
    %from = memref.subview %A[%w, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    %tile = memref.subview %As[%w, 0, 0] [1, 16, 16] [1, 1, 1]
      : memref<8x16x16xf32, #shared> to memref<16x16xf32, strided<[16, 1], offset: ?>, #shared>
    %to = memref.subview %B[%w, 0] [1, 16] [1, 1]
      : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warp)
      : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %to axes [1] scope(warp)
      : memref<16x16xf32, strided<[16, 1], offset: ?>, #shared> into memref<16xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
