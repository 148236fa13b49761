// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — COMPARE states what is computed, COUNT what each kernel holds

// Tiles of dynamic sizes, long rows, partial results written by hand, and custom combiners.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A tile of dynamic sizes.
  // COMPARE: @dynamic_extents(A: NxMxf32, B: Nxf32) B = sum(A, 1)
  // SIZES: NxM = 16x40 5x33 1x1
  // COUNT: @dynamic_extents barriers = 2, shuffles = 31, loads = 66, shared loads = 65, stores = 3, shared stores = 2
  // COUNT: @dynamic_extents scf.for = 5, scf.if = 4
  gpu.func @dynamic_extents(%A: memref<?x?xf32>, %B: memref<?xf32>) workgroup(%As: memref<16x40xf32, #shared>, %Bs: memref<16xf32, #shared>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = memref.dim %A, %zero : memref<?x?xf32>
    %m = memref.dim %A, %one : memref<?x?xf32>
    %tile = memref.subview %As[0, 0] [%n, %m] [1, 1] : memref<16x40xf32, #shared> to memref<?x?xf32, strided<[40, 1]>, #shared>
    %sums = memref.subview %Bs[0] [%n] [1] : memref<16xf32, #shared> to memref<?xf32, strided<[1]>, #shared>
    tile.copy %A to %tile scope(cta) : memref<?x?xf32> to memref<?x?xf32, strided<[40, 1]>, #shared>
    tile.reduce sum %tile into %sums axes [1] scope(cta) : memref<?x?xf32, strided<[40, 1]>, #shared> into memref<?xf32, strided<[1]>, #shared>
    tile.copy %sums to %B scope(cta) : memref<?xf32, strided<[1]>, #shared> to memref<?xf32>
    gpu.return
  }

  // A tile at a dynamic offset.
  // COMPARE: @dynamic_start(A: 16x8xf32, B: 4xf32, start = S) B = sum(slice(A, 0, [start, start + 4, 1]), 1)
  // SIZES: S = 0 5 12
  // COUNT: @dynamic_start barriers = 0, shuffles = 3, warp barriers = 2, loads = 3, shared loads = 2, stores = 3
  // COUNT: @dynamic_start shared stores = 2, scf.for = 1, scf.if = 2
  gpu.func @dynamic_start(%A: memref<16x8xf32>, %B: memref<4xf32>, %start: index) workgroup(%As: memref<16x8xf32, #shared>, %Bs: memref<4xf32, #shared>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<16x8xf32> to memref<16x8xf32, #shared>
    %tile = memref.subview %As[%start, 0] [4, 8] [1, 1] : memref<16x8xf32, #shared> to memref<4x8xf32, strided<[8, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %Bs axes [1] scope(cta) : memref<4x8xf32, strided<[8, 1], offset: ?>, #shared> into memref<4xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<4xf32, #shared> to memref<4xf32>
    gpu.return
  }

  // A sum of 20000 f16 elements: partial results of f16 would stop growing at 2048.
  // COMPARE: @halves(A: 1x20000xf16 in 0..2, B0: 1xf16) B0 = sum(A, [1])
  // COUNT: @halves barriers = 1, shuffles = 5, loads = 3, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @halves shared stores = 1, scf.for = 1, scf.if = 3
  gpu.func @halves(%A: memref<1x20000xf16>, %B0: memref<1xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.reduce sum %A into %B0 axes [1] scope(cta) : memref<1x20000xf16> into memref<1xf16>
    gpu.return
  }

  // Rows of 100 elements, in 16 partial results.
  // COMPARE: @hundred_by_sixteen(A: 128x100xf32, B: 128xf32) B = sum(A, [1])
  // COUNT: @hundred_by_sixteen barriers = 2, shuffles = 0, loads = 4, shared loads = 2, vector loads = 1, stores = 3
  // COUNT: @hundred_by_sixteen shared stores = 2, scf.for = 3, scf.if = 2
  gpu.func @hundred_by_sixteen(%A: memref<128x100xf32>, %B: memref<128xf32>) workgroup(%parts: memref<128x16xf32, #shared>) kernel attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %full = memref.subview %A[0, 0] [128, 96] [1, 1] : memref<128x100xf32> to memref<128x96xf32, strided<[100, 1]>>
    %split = memref.expand_shape %full [[0], [1, 2]] output_shape [128, 6, 16] : memref<128x96xf32, strided<[100, 1]>> into memref<128x6x16xf32, strided<[100, 16, 1]>>
    tile.reduce sum %split into %parts axes [1] scope(cta)
        : memref<128x6x16xf32, strided<[100, 16, 1]>> into memref<128x16xf32, #shared>
    %tail = memref.subview %A[0, 96] [128, 4] [1, 1] : memref<128x100xf32> to memref<128x4xf32, strided<[100, 1], offset: 96>>
    %first = memref.subview %parts[0, 0] [128, 4] [1, 1] : memref<128x16xf32, #shared> to memref<128x4xf32, strided<[16, 1]>, #shared>
    tile.reduce sum %tail into %first axes [] scope(cta) accumulate : memref<128x4xf32, strided<[100, 1], offset: 96>> into memref<128x4xf32, strided<[16, 1]>, #shared>
    tile.reduce sum %parts into %B axes [1] scope(cta)
        : memref<128x16xf32, #shared> into memref<128xf32>
    gpu.return
  }

  // Rows of dynamic length in 16 partial results: both bounds checks remain.
  // COMPARE: @dynamic_rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)
  // SIZES: NxM = 32x128 7x100 1x1
  // COUNT: @dynamic_rows barriers = 0, shuffles = 31, loads = 64, stores = 1, scf.for = 3, scf.if = 2
  gpu.func @dynamic_rows(%A: memref<?x?xf32>, %B: memref<?xf32>) kernel attributes {known_block_size = array<i32: 16, 32, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rows = arith.constant 32 : index
    %n = memref.dim %A, %zero : memref<?x?xf32>
    %m = memref.dim %A, %one : memref<?x?xf32>
    %block = gpu.block_id x
    %row = arith.muli %block, %rows : index
    %left = arith.subi %n, %row : index
    %here = arith.minsi %left, %rows : index
    %from = memref.subview %A[%row, 0] [%here, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %B[%row] [%here] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    tile.reduce sum %from into %to axes [1] scope(cta) : memref<?x?xf32, strided<[?, 1], offset: ?>> into memref<?xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // An exclusive or as a custom combiner.
  // COMPARE: @custom_xor(A: 4x40xi32, B0: 4xi32) B0 = xor(A, 1)
  // COUNT: @custom_xor barriers = 0, shuffles = 5, loads = 4, stores = 1, scf.if = 2
  gpu.func @custom_xor(%A: memref<4x40xi32>, %B0: memref<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.reduce custom %A into %B0 axes [1] scope(cta) identity [0 : i32] combiner {
    ^bb0(%l: i32, %r: i32):
      %x = arith.xori %l, %r : i32
      tile.yield %x : i32
    } : memref<4x40xi32> into memref<4xi32>
    gpu.return
  }

  // A combiner of the largest magnitude.
  // COMPARE: @custom_largest_magnitude(A: 4x40xf32, B0: 4xf32) B0 = max(abs(A), 1)
  // COUNT: @custom_largest_magnitude barriers = 0, shuffles = 5, loads = 4, stores = 1, scf.if = 2
  gpu.func @custom_largest_magnitude(%A: memref<4x40xf32>, %B0: memref<4xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    tile.reduce custom %A into %B0 axes [1] scope(cta) identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %a = math.absf %l : f32
      %b = math.absf %r : f32
      %m = arith.maximumf %a, %b : f32
      tile.yield %m : f32
    } : memref<4x40xf32> into memref<4xf32>
    gpu.return
  }
}
