// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A slice is reduced without a copy, into another slice. A warp reduces four of its rows at once.
  // CHECK-LABEL: gpu.func @slice
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-DAG:     %[[V:.+]] = memref.subview %{{.+}}[8, 4] [16, 32] [1, 1]
  // CHECK-DAG:     %[[W:.+]] = memref.subview %{{.+}}[8] [16] [1]
  // CHECK-COUNT-4: memref.load %[[V]]
  // CHECK-COUNT-6: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.store %{{.+}}, %[[W]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @slice barriers = 0, shuffles = 6, loads = 4, stores = 1, scf.if = 1
  gpu.func @slice(%A: memref<64x64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %V = memref.subview %A[8, 4] [16, 32] [1, 1]
      : memref<64x64xf32> to memref<16x32xf32, strided<[64, 1], offset: 516>>
    %W = memref.subview %B[8] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 8>>
    tile.reduce sum %V into %W axes [1] scope(cta)
      : memref<16x32xf32, strided<[64, 1], offset: 516>> into memref<16xf32, strided<[1], offset: 8>>
    gpu.return
  }

  // Every third element of every second row, into every second element of the destination. 21 elements are no
  // power of two: the excess lanes contribute the initial value.
  // CHECK-LABEL: gpu.func @strides
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b|vector.load}}
  // CHECK-COUNT-8: memref.load %{{.+}} : memref<32x21xf32, strided<[128, 3], offset: 1>>
  // CHECK-COUNT-9: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.store %{{.+}} : memref<32xf32, strided<[2]>>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @strides barriers = 0, shuffles = 9, loads = 8, stores = 1, scf.if = 2
  gpu.func @strides(%A: memref<64x64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %V = memref.subview %A[0, 1] [32, 21] [2, 3]
      : memref<64x64xf32> to memref<32x21xf32, strided<[128, 3], offset: 1>>
    %W = memref.subview %B[0] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2]>>
    tile.reduce sum %V into %W axes [1] scope(cta)
      : memref<32x21xf32, strided<[128, 3], offset: 1>> into memref<32xf32, strided<[2]>>
    gpu.return
  }

  // Axis 1 of a transposed tile is contiguous in memory along its columns. As for all columns, lanes load
  // neighbours, and exchange nothing.
  // CHECK-LABEL: gpu.func @transposed
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.transpose
  // CHECK-NOT:     {{tile\.|gpu.shuffle|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @transposed barriers = 1, shuffles = 0, loads = 3, shared loads = 2, stores = 2, shared stores = 1
  // COUNT: @transposed scf.for = 1, scf.if = 1
  gpu.func @transposed(%A: memref<32x64xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %V = memref.transpose %A (i, j) -> (j, i) : memref<32x64xf32> to memref<64x32xf32, strided<[1, 64]>>
    tile.reduce sum %V into %B axes [1] scope(cta)
      : memref<64x32xf32, strided<[1, 64]>> into memref<64xf32>
    gpu.return
  }

  // A slice of shared memory at an odd offset is loaded element by element, one at an even offset in vectors
  // of two.
  // CHECK-LABEL: gpu.func @alignment
  // CHECK:         gpu.barrier
  // CHECK-NOT:     vector.load
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         vector.load %{{.+}} {alignment = 8 : i64} : {{.+}}, vector<2xf32>
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @alignment barriers = 1, shuffles = 7, loads = 3, shared loads = 2, vector loads = 1, stores = 3
  // COUNT: @alignment shared stores = 1, scf.for = 3, scf.if = 5
  gpu.func @alignment(%A: memref<4x130xf32>, %B: memref<4xf32>, %C: memref<4xf32>)
      workgroup(%S: memref<4x130xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<4x130xf32> to memref<4x130xf32, #shared>
    %V = memref.subview %S[0, 1] [4, 128] [1, 1]
      : memref<4x130xf32, #shared> to memref<4x128xf32, strided<[130, 1], offset: 1>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta)
      : memref<4x128xf32, strided<[130, 1], offset: 1>, #shared> into memref<4xf32>
    %W = memref.subview %S[0, 2] [4, 128] [1, 1]
      : memref<4x130xf32, #shared> to memref<4x128xf32, strided<[130, 1], offset: 2>, #shared>
    tile.reduce sum %W into %C axes [1] scope(cta)
      : memref<4x128xf32, strided<[130, 1], offset: 2>, #shared> into memref<4xf32>
    gpu.return
  }
}
