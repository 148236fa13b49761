// RUN: tx run %s --device cpu --arg rand:64x1000xf32:3 --arg zeros:64xf32 --arg zeros:64xf32 --arg zeros:64xi32 --arg full:1:i32 --out 1=%t.a.npy --out 2=%t.b.npy --out 3=%t.c.npy | tx run %s --device cpu --arg rand:64x1000xf32:3 --arg %t.a.npy --arg %t.b.npy --arg %t.c.npy --arg full:1:i32
// SNAPSHOT: none — the numbers are random; that they agree is checked.

// The sum of a row has the same bits, whether 64 rows are reduced at once or one. No bit differs in any
// row. Without `batch_invariant`, one row would have all threads of the block, and each of 64 rows a
// warp.
// CHECK:      argument 4: i32
// CHECK-NEXT: {{^}}0
gpu.module @kernels {
  gpu.func @both(%A: memref<64x1000xf32>, %B: memref<64xf32>, %C: memref<64xf32>, %D: memref<64xi32>, %E: memref<i32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    tile.reduce sum %A into %B axes [1] scope(cta) {determinism = #tile.determinism<batch_invariant>}
      : memref<64x1000xf32> into memref<64xf32>
    scf.for %i = %c0 to %c64 step %c1 {
      %row = memref.subview %A[%i, 0] [1, 1000] [1, 1]
        : memref<64x1000xf32> to memref<1x1000xf32, strided<[1000, 1], offset: ?>>
      %to = memref.subview %C[%i] [1] [1] : memref<64xf32> to memref<1xf32, strided<[1], offset: ?>>
      tile.reduce sum %row into %to axes [1] scope(cta) {determinism = #tile.determinism<batch_invariant>}
        : memref<1x1000xf32, strided<[1000, 1], offset: ?>> into memref<1xf32, strided<[1], offset: ?>>
    }
    %t = gpu.thread_id x
    %has = arith.cmpi ult, %t, %c64 : index
    scf.if %has {
      %b = memref.load %B[%t] : memref<64xf32>
      %c = memref.load %C[%t] : memref<64xf32>
      %x = arith.bitcast %b : f32 to i32
      %y = arith.bitcast %c : f32 to i32
      %d = arith.xori %x, %y : i32
      memref.store %d, %D[%t] : memref<64xi32>
    }
    tile.reduce or %D into %E axes [0] scope(cta) : memref<64xi32> into memref<i32>
    gpu.return
  }
}
