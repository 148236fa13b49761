// RUN: tx-opt %s --tile-insert-sync

!S = memref<8x64xf32, #gpu.address_space<workgroup>>
!D = memref<8xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // A tile is copied to shared memory, changed, and copied out: one barrier after each step whose result the
  // next step reads, two in total.
  // CHECK-LABEL: gpu.func @in_and_out
  // CHECK:         tile.copy
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    gpu.return
  gpu.func @in_and_out(%A: memref<8x64xf32>, %B: memref<8x64xf32>) workgroup(%S: !S, %T: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.copy %A to %S scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<8x64xf32> to !S
    tile.copy %S to %T scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : !S to !S
    tile.copy %T to %B scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : !S to memref<8x64xf32>
    gpu.return
  }

  // Two independent tiles share one barrier.
  // CHECK-LABEL: gpu.func @two_tiles_share_a_barrier
  // CHECK:         tile.copy
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    gpu.return
  gpu.func @two_tiles_share_a_barrier(%A: memref<8x64xf32>, %B: memref<8x64xf32>, %C: memref<8x64xf32>)
      workgroup(%S: !S, %T: !S) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.copy %A to %S scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<8x64xf32> to !S
    tile.copy %A to %T scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<8x64xf32> to !S
    tile.copy %S to %B scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : !S to memref<8x64xf32>
    tile.copy %T to %C scope(cta) {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : !S to memref<8x64xf32>
    gpu.return
  }

  // A row sum after earlier passes: the copy in, the sum of the lanes' elements, the copy out. Two barriers;
  // a warp has 2 of the 8 rows.
  // CHECK-LABEL:   gpu.func @copy_sum_copy
  // CHECK:         tile.copy
  // CHECK:         gpu.barrier
  // CHECK:         memref.load
  // CHECK-NOT:     barrier
  // CHECK:         memref.store
  // CHECK:         gpu.barrier
  // CHECK-NEXT:    tile.copy
  // CHECK-NEXT:    gpu.return
  gpu.func @copy_sum_copy(%A: memref<8x64xf32>, %B: memref<8xf32>) workgroup(%S: !S, %D: !D)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %w32 = arith.constant 32 : i32
    tile.copy %A to %S scope(cta) {exec = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}}
      : memref<8x64xf32> to !S
    %t = gpu.thread_id x
    %row = arith.divui %t, %c32 : index
    %lane = arith.remui %t, %c32 : index
    %x = memref.load %S[%row, %lane] : !S
    %y, %valid = gpu.shuffle xor %x, %one, %w32 : f32
    %sum = arith.addf %x, %y : f32
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      memref.store %sum, %D[%row] : !D
    }
    tile.copy %D to %B scope(cta) {exec = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}}
      : !D to memref<8xf32>
    gpu.return
  }
}
