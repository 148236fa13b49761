// RUN: tx validate %s --chip sm_80 --synchronized --grid 3 --arg rand:3x100xf32 --arg zeros:3xf32
// SNAPSHOT: none — the verdicts are what matters.

// A kernel with its own barriers is checked with them from the first stage on, except for collective ops in
// it, which have no barriers before `tile-insert-sync`.
// CHECK:      parse{{ +}}reference
// CHECK-NOT:  RACE
// CHECK:      tile-expand-shuffle-tree{{ +}}equal
// CHECK-NOT:  RACE
// CHECK:      tile-insert-sync{{ +}}equal
// CHECK-NOT:  RACE
// CHECK:      launch{{ +}}equal
gpu.module @k {
  gpu.func @hand(%A: memref<?x?xf32>, %B: memref<?xf32>)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>, %R: memref<1xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = memref.dim %A, %c1 : memref<?x?xf32>
    %s = scf.for %i = %t to %n step %c64 iter_args(%acc = %z) -> f32 {
      %v = memref.load %A[%b, %i] : memref<?x?xf32>
      %a = arith.addf %acc, %v : f32
      scf.yield %a : f32
    }
    memref.store %s, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    tile.reduce sum %S into %R axes [0] scope(cta) : memref<64xf32, #gpu.address_space<workgroup>> into memref<1xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %r = memref.load %R[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      memref.store %r, %B[%b] : memref<?xf32>
    }
    gpu.return
  }
}
