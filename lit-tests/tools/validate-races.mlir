// RUN: not tx validate %s --chip sm_80 2>&1
// EXIT: 3
// SNAPSHOT: none — whether there is an assembler is not the matter.

// All threads store one element, which no barrier orders. The barrier pass inserts none, and is still named
// for the unordered accesses. Later passes are not to blame, whether they change nothing, or the race occurs
// again in another form of execution: both are reported in the same way.
// CHECK:      @together: the program has a race after `tile-insert-sync`
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
