// RUN: tx-opt %s --convert-linalg-to-tile --linalg-collapse-loops --tile-schedule
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @matrix(A: NxMxf32, B: MxNxf32) B = transpose(A, [1, 0])
// SIZES: NxM = 65x131 64x128 1x1 7x20 0x7
// COMPARE: @halves(A: NxMxbf16, B: MxNxbf16) B = transpose(A, [1, 0])
// SIZES: NxM = 65x131 7x20
// COMPARE: @bytes(A: NxMxi8, B: MxNxi8) B = transpose(A, [1, 0])
// SIZES: NxM = 65x257 7x20
// COMPARE: @doubles(A: NxMxf64, B: MxNxf64) B = transpose(A, [1, 0])
// SIZES: NxM = 33x67 7x20
// COMPARE: @added(A: NxMxf32, B: MxNxf32, R: Nxf32, C: MxNxf32) C = transpose(A, [1, 0]) * B + R
// SIZES: NxM = 64x128 7x20 65x127
// COMPARE: @batches(A: 3x4x33x70xf32, B: 3x70x4x33xf32) B = transpose(A, [0, 3, 1, 2])
// COMPARE: @four(A: NxMxf32, B: NxMxf32, C: NxMxf32, D: NxMxf32, E: MxNxf32) E = transpose(A + B + C + D, [1, 0])
// SIZES: NxM = 33x65 7x20
// COMPARE: @nothing(A: 0x17xf32, B: 17x0xf32) B = transpose(A, [1, 0])
// COMPARE: @small(A: 128x64xf32, B: 64x128xf32) B = transpose(A, [1, 0])
// COMPARE: @diagonals(A: MxNxNxf32, B: NxMxf32) B = transpose(sum(select(index(A, 1) == index(A, 2), A, 0), 2), [1, 0])
// SIZES: NxM = 33x65 7x20 0x7

// A transposed source passes through shared memory: a block loads 64x64 elements along rows
// of the source, and stores them along rows of the destination. Loads are vectors in full
// tiles, scalars for unaligned arrays, and have a bounds check for each element at the
// borders.
// CHECK-LABEL: gpu.func @matrix_0
// CHECK-SAME:    #tile.hold<"in0" in shared>
// CHECK:       scf.if
// CHECK:         scf.if
// CHECK-COUNT-4:   vector.load %{{.+}} {alignment = 16 : i64}
// CHECK-NOT:       vector.load
// CHECK:       memref.store %{{.+}} : memref<64x65xf32, #gpu.address_space<workgroup>>
// CHECK:       memref.load %{{.+}} : memref<64x65xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: vector.store
// COUNT: @matrix_0 vector.load = 4, vector.store = 4, scf.for = 4
func.func @matrix(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  linalg.transpose ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>) permutation = [1, 0]
  return
}

// Elements of two bytes: vectors of eight, and tile rows of 128 elements with a padding of two.
// CHECK-LABEL: gpu.func @halves_0
// CHECK:       memref.store %{{.+}} : memref<64x130xbf16, #gpu.address_space<workgroup>>
func.func @halves(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  linalg.transpose ins(%A : memref<?x?xbf16>) outs(%B : memref<?x?xbf16>) permutation = [1, 0]
  return
}

func.func @bytes(%A: memref<?x?xi8>, %B: memref<?x?xi8>) {
  linalg.transpose ins(%A : memref<?x?xi8>) outs(%B : memref<?x?xi8>) permutation = [1, 0]
  return
}

// Elements of eight bytes: tiles of 32x32.
// CHECK-LABEL: gpu.func @doubles_0
// CHECK:       memref.store %{{.+}} : memref<32x33xf64, #gpu.address_space<workgroup>>
func.func @doubles(%A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  linalg.transpose ins(%A : memref<?x?xf64>) outs(%B : memref<?x?xf64>) permutation = [1, 0]
  return
}

// Only the transposed ones of several sources pass through shared memory.
// CHECK-LABEL: gpu.func @added_0
// CHECK-SAME:    #tile.hold<"in0" in shared>, #tile.evict_last]
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
func.func @added(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %R: memref<?xf32>, %C: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#turned, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B, %R : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>) outs(%C : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %r: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %r : f32
    linalg.yield %s : f32
  }
  return
}

// All other loops are bound to blocks.
// CHECK-LABEL: gpu.func @batches_0
// CHECK-SAME:    #tile.fuse<["d0", "d2", "d1.o", "d3.o"] to "b">
func.func @batches(%A: memref<3x4x33x70xf32>, %B: memref<3x70x4x33xf32>) {
  linalg.transpose ins(%A : memref<3x4x33x70xf32>) outs(%B : memref<3x70x4x33xf32>) permutation = [0, 3, 1, 2]
  return
}

// Every tile is full: static sizes need no bounds checks.
func.func @small(%A: memref<128x64xf32>, %B: memref<64x128xf32>) {
  linalg.transpose ins(%A : memref<128x64xf32>) outs(%B : memref<64x128xf32>) permutation = [1, 0]
  return
}

// Four sources: tiles with sides of half the length fit in shared memory.
// CHECK-LABEL: gpu.func @four_0
// CHECK-COUNT-4: memref.get_global {{.+}} : memref<32x33xf32, #gpu.address_space<workgroup>>
func.func @four(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf32>, %E: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#turned, #turned, #turned, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B, %C, %D : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%E : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
    %p = arith.addf %a, %b : f32
    %q = arith.addf %p, %c : f32
    %r = arith.addf %q, %d : f32
    linalg.yield %r : f32
  }
  return
}

// A source without elements is not loaded, even if no loop is bound to blocks.
// COUNT: @nothing_0 barriers = 0
func.func @nothing(%A: memref<0x17xf32>, %B: memref<17x0xf32>) {
  linalg.transpose ins(%A : memref<0x17xf32>) outs(%B : memref<17x0xf32>) permutation = [1, 0] {schedule = [
    #tile.split<"d0" by 5>, #tile.split<"d1" by 3>, #tile.reorder<"d0.o", "d1.o", "d0.i", "d1.i">,
    #tile.fuse<["d0.o", "d1.o"] to "b">, #tile.bind<"d0.i" to thread_x>, #tile.hold<"in0" in shared>]}
  return
}

// A diagonal does not use shared memory: both tile dimensions would come from one loop.
// CHECK-LABEL: gpu.func @diagonals_0
// CHECK-NOT:   #gpu.address_space<workgroup>
// CHECK:       gpu.return
func.func @diagonals(%A: memref<?x?x?xf32>, %B: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i, i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?x?xf32>) outs(%B : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
