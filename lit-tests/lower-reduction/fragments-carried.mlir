// RUN: tx-opt %s --lower-reduction

#tile = #tile.layout<[<8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<8 : 4 lane>] replica [<4 : 1 lane>]>

gpu.module @kernels {
  // A loop carries a fragment in registers: memory is loaded once per iteration, and stored once at the end.
  // Elements are added before lanes exchange values.
  // CHECK-LABEL: gpu.func @for
  // CHECK:         %[[START:.+]] = vector.broadcast %{{.+}} : f32 to vector<2xf32>
  // CHECK:         %[[SUMS:.+]] = scf.for {{.+}} iter_args(%[[CARRIED:.+]] = %[[START]]) -> (vector<2xf32>) {
  // CHECK-COUNT-2:   memref.load
  // CHECK-NOT:       {{gpu.shuffle|barrier|nvvm.b|memref.store}}
  // CHECK-COUNT-2:   arith.addf
  // CHECK-NOT:       {{gpu.shuffle|barrier|nvvm.b|memref.store}}
  // CHECK:           scf.yield %{{.+}} : vector<2xf32>
  // CHECK:         vector.extract %[[SUMS]][0]
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         memref.store
  gpu.func @for(%A: memref<8x64xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %none = tile.splat %zero : f32 -> !tile.fragment<8x8xf32, #tile>
    %sums = scf.for %i = %c0 to %c64 step %c8 iter_args(%old = %none) -> (!tile.fragment<8x8xf32, #tile>) {
      %from = memref.subview %A[0, %i] [8, 8] [1, 1]
        : memref<8x64xf32> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      %x = tile.load %from scope(warp)
        : memref<8x8xf32, strided<[64, 1], offset: ?>> -> !tile.fragment<8x8xf32, #tile>
      %new = tile.reduce sum %x init(%old) axes [] scope(warp) accumulate
        : !tile.fragment<8x8xf32, #tile> init !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8x8xf32, #tile>
      scf.yield %new : !tile.fragment<8x8xf32, #tile>
    }
    %r = tile.reduce sum %sums axes [1] scope(warp)
      : !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8xf32, #row>
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    gpu.return
  }

  // A branch taken by all threads together yields one of two fragments.
  // CHECK-LABEL: gpu.func @if
  // CHECK:         %[[EITHER:.+]] = scf.if %{{.+}} -> (vector<1xf32>) {
  // CHECK-COUNT-2:   gpu.shuffle xor
  // CHECK:           scf.yield %{{.+}} : vector<1xf32>
  // CHECK:         } else {
  // CHECK-NOT:       gpu.shuffle
  // CHECK:           vector.broadcast
  // CHECK:           scf.yield %{{.+}} : vector<1xf32>
  // CHECK:         }
  // CHECK:         vector.extract %[[EITHER]][0]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  gpu.func @if(%c: i1, %A: memref<8x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %r = scf.if %c -> (!tile.fragment<8xf32, #row>) {
      %x = tile.load %A scope(warp) : memref<8x8xf32> -> !tile.fragment<8x8xf32, #tile>
      %max = tile.reduce max %x axes [1] scope(warp)
        : !tile.fragment<8x8xf32, #tile> -> !tile.fragment<8xf32, #row>
      scf.yield %max : !tile.fragment<8xf32, #row>
    } else {
      %zero = arith.constant 0.0 : f32
      %none = tile.splat %zero : f32 -> !tile.fragment<8xf32, #row>
      scf.yield %none : !tile.fragment<8xf32, #row>
    }
    tile.store %r to %B scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    gpu.return
  }

  // The row maximum of one iteration is the old value of the next: a running maximum in registers.
  // CHECK-LABEL: gpu.func @running
  // CHECK:         scf.for {{.+}} -> (vector<1xf32>) {
  // CHECK-COUNT-2:   gpu.shuffle xor
  // CHECK-NOT:       {{tile\.|gpu.shuffle|barrier|nvvm.b|memref.store}}
  // CHECK:           scf.yield
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.b}}
  // CHECK:         memref.store
  gpu.func @running(%A: memref<8x64xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %none = tile.splat %low : f32 -> !tile.fragment<8xf32, #row>
    %max = scf.for %i = %c0 to %c64 step %c8 iter_args(%old = %none) -> (!tile.fragment<8xf32, #row>) {
      %from = memref.subview %A[0, %i] [8, 8] [1, 1]
        : memref<8x64xf32> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      %x = tile.load %from scope(warp)
        : memref<8x8xf32, strided<[64, 1], offset: ?>> -> !tile.fragment<8x8xf32, #tile>
      %new = tile.reduce max %x init(%old) axes [1] scope(warp) accumulate
        : !tile.fragment<8x8xf32, #tile> init !tile.fragment<8xf32, #row> -> !tile.fragment<8xf32, #row>
      scf.yield %new : !tile.fragment<8xf32, #row>
    }
    tile.store %max to %B scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
    gpu.return
  }
}
