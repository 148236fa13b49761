// RUN: tx-opt %s --tile-insert-sync

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Four of eight warps exchange values, which needs a barrier of these four. Then all warps read the result,
  // which needs a block barrier.
  // CHECK-LABEL: gpu.func @four_then_all
  // CHECK:         scf.if
  // CHECK:           memref.store
  // CHECK:           nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
  // CHECK:           memref.load
  // CHECK:         }
  // CHECK:         gpu.barrier
  // CHECK:         memref.load
  // CHECK-NOT:     barrier
  gpu.func @four_then_all(%B: memref<256xf32>, %x: f32) workgroup(%S: memref<256xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %c128 = arith.constant 128 : index
    %c255 = arith.constant 255 : index
    %c383 = arith.constant 383 : index
    %upper = arith.cmpi uge, %t, %c128 : index
    scf.if %upper {
      memref.store %x, %S[%t] : memref<256xf32, #shared>
      %other = arith.subi %c383, %t : index
      %y = memref.load %S[%other] : memref<256xf32, #shared>
      memref.store %y, %B[%t] : memref<256xf32>
    }
    %mirror = arith.subi %c255, %t : index
    %lower = arith.cmpi ult, %t, %c128 : index
    scf.if %lower {
      %z = memref.load %S[%mirror] : memref<256xf32, #shared>
      memref.store %z, %B[%t] : memref<256xf32>
    }
    gpu.return
  }

  // A barrier with a partial member mask does not order accesses of the other lanes.
  // CHECK-LABEL: gpu.func @half_a_warp
  // CHECK:         nvvm.bar.warp.sync
  // CHECK:         nvvm.bar.warp.sync
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NEXT:    memref.load
  gpu.func @half_a_warp(%B: memref<32xf32>, %x: f32) workgroup(%S: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %c31 = arith.constant 31 : index
    %low = arith.constant 65535 : i32
    %high = arith.constant -65536 : i32
    memref.store %x, %S[%t] : memref<32xf32, #shared>
    %first = arith.cmpi ult, %t, %c16 : index
    scf.if %first {
      nvvm.bar.warp.sync %low : i32
    } else {
      nvvm.bar.warp.sync %high : i32
    }
    %r = arith.subi %c31, %t : index
    %y = memref.load %S[%r] : memref<32xf32, #shared>
    memref.store %y, %B[%t] : memref<32xf32>
    gpu.return
  }

  // A view that dropped its first and last dimension, both of size 1, refers to the same elements as the
  // whole memref.
  // CHECK-LABEL: gpu.func @dropped_dimensions
  // CHECK:         memref.store
  // CHECK:         gpu.barrier
  // CHECK:         memref.load
  gpu.func @dropped_dimensions(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<1x64x1xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %v = memref.subview %S[0, 0, 0] [1, 64, 1] [1, 1, 1]
        : memref<1x64x1xf32, #shared> to memref<1x64xf32, strided<[64, 1]>, #shared>
    memref.store %x, %v[%c0, %t] : memref<1x64xf32, strided<[64, 1]>, #shared>
    %r = arith.subi %c63, %t : index
    %y = memref.load %S[%c0, %r, %c0] : memref<1x64x1xf32, #shared>
    memref.store %y, %B[%t] : memref<64xf32>
    gpu.return
  }
}
