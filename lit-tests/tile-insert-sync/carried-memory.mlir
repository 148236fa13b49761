// RUN: tx-opt %s --tile-insert-sync

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A loop-carried memref may be any memory of the kernel: here it is the tile of which the loop reads
  // another thread's element. One barrier is between the store and the load, and one between the load and the
  // store of the next iteration.
  // CHECK-LABEL: gpu.func @carried
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:       gpu.barrier
  gpu.func @carried(%A: memref<8x64xf32>, %B: memref<8x64xf32>)
      workgroup(%S0: memref<64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %l = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %S0) -> (memref<64xf32, #shared>) {
      %x = memref.load %A[%i, %t] : memref<8x64xf32>
      memref.store %x, %a[%t] : memref<64xf32, #shared>
      %y = memref.load %S0[%other] : memref<64xf32, #shared>
      memref.store %y, %B[%i, %t] : memref<8x64xf32>
      scf.yield %a : memref<64xf32, #shared>
    }
    gpu.return
  }

  // A loop-carried view may begin anywhere in another memref. Each thread writes the element after its own,
  // which needs a barrier before the load of its own, and may use another element next time.
  // CHECK-LABEL: gpu.func @carried_view
  // CHECK:         scf.for
  // CHECK:         }
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @carried_view(%B: memref<64xf32>, %x: f32)
      workgroup(%S: memref<65xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %v = memref.subview %S[1] [64] [1] : memref<65xf32, #shared> to memref<64xf32, strided<[1], offset: 1>, #shared>
    %w = memref.cast %v
      : memref<64xf32, strided<[1], offset: 1>, #shared> to memref<64xf32, strided<[1], offset: ?>, #shared>
    memref.store %x, %S[%t] : memref<65xf32, #shared>
    %l = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %w) -> (memref<64xf32, strided<[1], offset: ?>, #shared>) {
      memref.store %x, %a[%t] : memref<64xf32, strided<[1], offset: ?>, #shared>
      scf.yield %a : memref<64xf32, strided<[1], offset: ?>, #shared>
    }
    %y = memref.load %S[%t] : memref<65xf32, #shared>
    memref.store %y, %B[%t] : memref<64xf32>
    gpu.return
  }

  // In one iteration the memref is constant: access to a thread's own element needs no barrier.
  // CHECK-LABEL: gpu.func @own_element
  // CHECK:         scf.for
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:       gpu.barrier
  // CHECK:         gpu.return
  gpu.func @own_element(%x: f32)
      workgroup(%S: memref<64xf32, #shared>, %T: memref<64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %l:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %S, %b = %T) -> (memref<64xf32, #shared>, memref<64xf32, #shared>) {
      memref.store %x, %a[%t] : memref<64xf32, #shared>
      %y = memref.load %a[%t] : memref<64xf32, #shared>
      %z = arith.addf %y, %y : f32
      memref.store %z, %a[%t] : memref<64xf32, #shared>
      scf.yield %b, %a : memref<64xf32, #shared>, memref<64xf32, #shared>
    }
    gpu.return
  }
}
