// RUN: tx-opt %s --tile-insert-sync

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // What a loop carries may be any of the kernel's memory: here the tile that the loop reads
  // another thread's element of. One barrier comes between the store and the load, one between the
  // load and the next round's store.
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
}
