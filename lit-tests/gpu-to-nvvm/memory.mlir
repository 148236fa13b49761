// RUN: tx-opt %s --gpu-to-nvvm

#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

gpu.module @kernels {
  // A memref argument becomes two pointers, an offset, sizes and strides.
  // CHECK-LABEL: llvm.func @arguments
  // CHECK-SAME:    (%{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64, %{{[^ ]+}}: f32)
  gpu.func @arguments(%A: memref<4x?xf32>, %x: f32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }

  // A slice becomes part of the address: no view remains.
  // CHECK-LABEL: llvm.func @slice
  // CHECK-NOT:     memref.
  // CHECK:         llvm.store
  // CHECK-NOT:     memref.
  gpu.func @slice(%A: memref<16x64xf32>, %i: index, %x: f32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %V = memref.subview %A[%i, 0] [1, 64] [1, 1]
      : memref<16x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.store %x, %V[%t] : memref<64xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // An aligned load of four elements from shared memory stays one load.
  // CHECK-LABEL: llvm.func @vector
  // CHECK:         %[[X:.+]] = llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT:     llvm.load
  // CHECK:         llvm.return
  gpu.func @vector(%B: memref<f32>) workgroup(%S: memref<128xf32, #shared> {llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %c4 : index
    %x = vector.load %S[%at] {alignment = 16 : i64} : memref<128xf32, #shared>, vector<4xf32>
    %y = vector.extract %x[3] : f32 from vector<4xf32>
    memref.store %y, %B[] : memref<f32>
    gpu.return
  }

  // Private memory is on the thread's stack.
  // CHECK-LABEL: llvm.func @private
  // CHECK:         llvm.alloca %{{.+}} x f32
  // CHECK:         llvm.return
  gpu.func @private(%B: memref<f32>, %i: index, %x: f32) private(%P: memref<8xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    memref.store %x, %P[%i] : memref<8xf32, #private>
    %y = memref.load %P[%i] : memref<8xf32, #private>
    memref.store %y, %B[] : memref<f32>
    gpu.return
  }

  // Barriers of a warp and of some warps of a block are NVVM ops from the start.
  // CHECK-LABEL: llvm.func @barriers
  // CHECK:         nvvm.bar.warp.sync
  // CHECK:         nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
  gpu.func @barriers() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %all = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    nvvm.bar.warp.sync %all : i32
    nvvm.barrier id = %c1 number_of_threads = %c128
    gpu.return
  }
}
