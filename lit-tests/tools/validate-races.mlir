// RUN: not tx validate %s --chip sm_80 2>&1
// EXIT: 3
// SNAPSHOT: none — whether there is an assembler is not the matter.

// All threads store one element: no barrier orders that, and the pass that adds barriers adds none. It is named for what it
// leaves unordered all the same. What comes after it leaves things as before, whether it changes nothing or the race is met anew where
// the IR is run in another way: both are told alike.
// CHECK:      @together: accesses are not ordered after `tile-insert-sync`
// CHECK-NEXT: memref.store
// CHECK:      note: {{.*}}`tx validate --synchronized`
// CHECK:      tile-expand-shuffle-tree {{ *}}equal
// CHECK-NEXT: tile-insert-sync {{ *}}RACE: race on global memory
// CHECK-NEXT: convert-tile-to-gpu {{ *}}as before
// CHECK:      nvvm-require-block-size {{ *}}as before
// CHECK-NEXT: nvvm-declare-dynamic-shared-memory {{ *}}as before
// CHECK-NEXT: nvvm-expand-cache-hints {{ *}}as before
// CHECK:      launch {{ *}}as before
gpu.module @kernels {
  gpu.func @together(%A: memref<64xf32>, %B: memref<1xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %x = memref.load %A[%t] : memref<64xf32>
    memref.store %x, %B[%c0] : memref<1xf32>
    gpu.return
  }
}
