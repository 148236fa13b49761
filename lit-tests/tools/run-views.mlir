// RUN: tx run %s --entry views --device cpu --arg 6 --arg 4 --arg zeros:3x2xf32 --arg zeros:4x6xf32 --arg zeros:24xf32 --arg zeros:2x3x4xf32 --arg zeros:5x5xf32 --arg zeros:4xf32
// RUN(ONE): tx run %s --entry views --device cpu --arg 6 --arg 1 --arg zeros:3x1xf32 --arg zeros:1x6xf32 --arg zeros:6xf32 --arg zeros:2x3x1xf32 --arg zeros:5x5xf32 --arg zeros:1xf32
// RUN(COLLAPSE): tx run %s --entry collapse_strided --device cpu --arg rand:4x3xi32:1 --arg 3 --arg zeros:12xi32
// RUN(COLUMN): tx run %s --entry collapse_strided --device cpu --arg rand:4x3xi32:1 --arg 1 --arg zeros:4xi32
// RUN(ARGUMENTS): tx run %s --entry strided_arguments --device cpu --arg rand:2x3xi32:1 --arg rand:2x3xi32:1 --arg full:7:4x3xi32 --arg zeros:6xi32 --arg zeros:6xi32 --arg zeros:12xi32
// RUN(OUTSIDE): not tx run %s --entry outside --device cpu --arg zeros:4xi32 --arg 3 2>&1
// EXIT: 1
// SNAPSHOT: none — what is printed is checked as a whole.

// Views of temporaries and arguments are passed as descriptors. The plan computes their offsets, sizes and
// strides. The temporary has 0, 1, 2 ... in rows of `columns`. Every second row from row 1 on, without the
// first two columns, or without one:
// CHECK:      argument 2: 3x2xf32
// CHECK-NEXT: {{\[\[}} 5.  6.]
// CHECK-NEXT:  [13. 14.]
// CHECK-NEXT:  [21. 22.]]
// Transposed:
// CHECK:      argument 3: 4x6xf32
// CHECK-NEXT: {{\[\[}} 0.  4.  8. 12. 16. 20.]
// CHECK-NEXT:  [ 1.  5.  9. 13. 17. 21.]
// CHECK-NEXT:  [ 2.  6. 10. 14. 18. 22.]
// CHECK-NEXT:  [ 3.  7. 11. 15. 19. 23.]]
// Collapsed dimensions:
// CHECK:      argument 4: 24xf32
// CHECK-NEXT: [ 0.  1.  2.  3.
// An expanded dimension, then two exchanged dimensions:
// CHECK:      argument 5: 2x3x4xf32
// CHECK-NEXT: {{\[\[\[}} 0.  1.  2.  3.]
// CHECK-NEXT:   [ 8.  9. 10. 11.]
// CHECK-NEXT:   [16. 17. 18. 19.]]
// CHECK-EMPTY:
// CHECK-NEXT:  {{\[\[}} 4.  5.  6.  7.]
// CHECK-NEXT:   [12. 13. 14. 15.]
// CHECK-NEXT:   [20. 21. 22. 23.]]]
// One row five times, with stride 0:
// CHECK:      argument 6: 5x5xf32
// CHECK-NEXT: {{\[\[}}1. 2. 3. 4. 5.]
// CHECK-NEXT:  [1. 2. 3. 4. 5.]
// The last row, without its dimension:
// CHECK:      argument 7: 4xf32
// CHECK-NEXT: [20. 21. 22. 23.]
//
// Dimensions of size 1 make no difference:
// ONE:        argument 2: 3x1xf32
// ONE-NEXT:   {{\[\[}}1.]
// ONE-NEXT:    [3.]
// ONE-NEXT:    [5.]]
// ONE:        argument 3: 1x6xf32
// ONE-NEXT:   {{\[\[}}0. 1. 2. 3. 4. 5.]]
// ONE:        argument 4: 6xf32
// ONE-NEXT:   [0. 1. 2. 3. 4. 5.]
// ONE:        argument 7: 1xf32
// ONE-NEXT:   [5.]
//
// Collapsed dimensions of a strided view have the stride of the last one with more than one element.
// COLLAPSE:      argument 2: 12xi32
// COLLAPSE-NEXT: [ 1  3  7 -1 -1  4  6  0 -4  4 -2  1]
// COLUMN:        argument 2: 4xi32
// COLUMN-NEXT:   [ 1 -1  6  4]
//
// Arguments may be strided, offset and broadcast, statically or dynamically.
// ARGUMENTS:      argument 3: 6xi32
// ARGUMENTS-NEXT: [ 1  3  7 -1 -1  4]
// ARGUMENTS:      argument 4: 6xi32
// ARGUMENTS-NEXT: [ 1  3  7 -1 -1  4]
// ARGUMENTS:      argument 5: 12xi32
// ARGUMENTS-NEXT: [7 7 7 7 7 7 7 7 7 7 7 7]
//
// A view out of bounds of its memory is found before any launch.
// OUTSIDE: tx: error: step 0 (`copy1`), operand 0: found a view of elements 3 to 5, expected elements 0 to 3 of argument 0
#any1 = strided<[?], offset: ?>
#any2 = strided<[?, ?], offset: ?>
#any3 = strided<[?, ?, ?], offset: ?>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @iota(%T: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %n = arith.index_cast %i : index to i32
      %x = arith.sitofp %n : i32 to f32
      memref.store %x, %T[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @rows1(%x: memref<?xf32, #any1>, %y: memref<?xf32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %v = memref.load %x[%i] : memref<?xf32, #any1>
      memref.store %v, %y[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @rows2(%x: memref<?x?xf32, #any2>, %y: memref<?x?xf32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id y
      %j = gpu.block_id x
      %v = memref.load %x[%i, %j] : memref<?x?xf32, #any2>
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
      gpu.return
    }
    gpu.func @rows3(%x: memref<?x?x?xf32, #any3>, %y: memref<?x?x?xf32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id z
      %j = gpu.block_id y
      %k = gpu.block_id x
      %v = memref.load %x[%i, %j, %k] : memref<?x?x?xf32, #any3>
      memref.store %v, %y[%i, %j, %k] : memref<?x?x?xf32>
      gpu.return
    }
    gpu.func @copy1(%x: memref<?xi32, #any1>, %y: memref<?xi32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %v = memref.load %x[%i] : memref<?xi32, #any1>
      memref.store %v, %y[%i] : memref<?xi32>
      gpu.return
    }
    // Stores two dimensions as one, row by row.
    gpu.func @copy2(%x: memref<?x?xi32, #any2>, %y: memref<?xi32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c1 = arith.constant 1 : index
      %i = gpu.block_id y
      %j = gpu.block_id x
      %n = memref.dim %x, %c1 : memref<?x?xi32, #any2>
      %row = arith.muli %i, %n : index
      %at = arith.addi %row, %j : index
      %v = memref.load %x[%i, %j] : memref<?x?xi32, #any2>
      memref.store %v, %y[%at] : memref<?xi32>
      gpu.return
    }
  }

  func.func @views(%rows: index, %columns: index, %slice: memref<?x?xf32>, %transposed: memref<?x?xf32>,
                   %joined: memref<?xf32>, %split: memref<?x?x?xf32>, %broadcast: memref<5x5xf32>,
                   %row: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.muli %rows, %columns : index
    %T = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@iota blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<?xf32>)
    %grid = memref.expand_shape %T [[0, 1]] output_shape [%rows, %columns]
      : memref<?xf32> into memref<?x?xf32>

    %half = arith.divui %rows, %c2 : index
    %less = arith.subi %columns, %c2 : index
    %width = arith.maxsi %less, %c1 : index
    %from = arith.minsi %less, %c1 : index
    %start = arith.maxsi %from, %c0 : index
    %1 = memref.subview %grid[1, %start] [%half, %width] [2, %c1] : memref<?x?xf32> to memref<?x?xf32, #any2>
    gpu.launch_func @kernels::@rows2 blocks in (%width, %half, %c1) threads in (%c1, %c1, %c1)
      args(%1 : memref<?x?xf32, #any2>, %slice : memref<?x?xf32>)

    %2 = memref.transpose %grid (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    %3 = memref.cast %2 : memref<?x?xf32, strided<[1, ?]>> to memref<?x?xf32, #any2>
    gpu.launch_func @kernels::@rows2 blocks in (%rows, %columns, %c1) threads in (%c1, %c1, %c1)
      args(%3 : memref<?x?xf32, #any2>, %transposed : memref<?x?xf32>)

    %4 = memref.collapse_shape %grid [[0, 1]] : memref<?x?xf32> into memref<?xf32>
    %5 = memref.cast %4 : memref<?xf32> to memref<?xf32, #any1>
    gpu.launch_func @kernels::@rows1 blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%5 : memref<?xf32, #any1>, %joined : memref<?xf32>)

    %6 = memref.expand_shape %grid [[0, 1], [2]] output_shape [%half, 2, %columns]
      : memref<?x?xf32> into memref<?x2x?xf32>
    %7 = memref.transpose %6 (i, j, k) -> (j, i, k)
      : memref<?x2x?xf32> to memref<2x?x?xf32, strided<[?, ?, 1]>>
    %8 = memref.cast %7 : memref<2x?x?xf32, strided<[?, ?, 1]>> to memref<?x?x?xf32, #any3>
    gpu.launch_func @kernels::@rows3 blocks in (%columns, %half, %c2) threads in (%c1, %c1, %c1)
      args(%8 : memref<?x?x?xf32, #any3>, %split : memref<?x?x?xf32>)

    %c5 = arith.constant 5 : index
    %9 = memref.reinterpret_cast %T to offset: [1], sizes: [5, 5], strides: [0, 1]
      : memref<?xf32> to memref<5x5xf32, strided<[0, 1], offset: 1>>
    %10 = memref.cast %9 : memref<5x5xf32, strided<[0, 1], offset: 1>> to memref<?x?xf32, #any2>
    %11 = memref.cast %broadcast : memref<5x5xf32> to memref<?x?xf32>
    gpu.launch_func @kernels::@rows2 blocks in (%c5, %c5, %c1) threads in (%c1, %c1, %c1)
      args(%10 : memref<?x?xf32, #any2>, %11 : memref<?x?xf32>)

    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %grid
      : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
    %last = arith.subi %sizes#0, %c1 : index
    %12 = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#0, 1, %sizes#1],
        strides: [%strides#0, %strides#0, %strides#1]
      : memref<f32> to memref<?x1x?xf32, #any3>
    %13 = memref.subview %12[%last, 0, 0] [1, 1, %columns] [1, 1, 1]
      : memref<?x1x?xf32, #any3> to memref<?xf32, #any1>
    gpu.launch_func @kernels::@rows1 blocks in (%columns, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%13 : memref<?xf32, #any1>, %row : memref<?xf32>)
    memref.dealloc %T : memref<?xf32>
    return
  }

  // The first `columns` columns of four rows: they can be collapsed if these are all columns, or one.
  func.func @collapse_strided(%A: memref<?x?xi32>, %columns: index, %B: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %A, %c0 : memref<?x?xi32>
    %1 = memref.subview %A[0, 0] [%rows, %columns] [1, 1]
      : memref<?x?xi32> to memref<?x?xi32, strided<[?, 1]>>
    %2 = memref.cast %1 : memref<?x?xi32, strided<[?, 1]>> to memref<?x?xi32, #any2>
    %3 = memref.collapse_shape %2 [[0, 1]] : memref<?x?xi32, #any2> into memref<?xi32, #any1>
    %n = memref.dim %3, %c0 : memref<?xi32, #any1>
    gpu.launch_func @kernels::@copy1 blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%3 : memref<?xi32, #any1>, %B : memref<?xi32>)
    return
  }

  func.func @strided_arguments(%A: memref<2x3xi32, strided<[16, 2], offset: 5>>,
                               %B: memref<?x?xi32, strided<[1, ?], offset: ?>>,
                               %C: memref<?x3xi32, strided<[0, 0], offset: 1>>,
                               %X: memref<?xi32>, %Y: memref<?xi32>, %Z: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.cast %A : memref<2x3xi32, strided<[16, 2], offset: 5>> to memref<?x?xi32, #any2>
    %b = memref.cast %B : memref<?x?xi32, strided<[1, ?], offset: ?>> to memref<?x?xi32, #any2>
    %c = memref.cast %C : memref<?x3xi32, strided<[0, 0], offset: 1>> to memref<?x?xi32, #any2>
    %m = memref.dim %a, %c0 : memref<?x?xi32, #any2>
    %n = memref.dim %a, %c1 : memref<?x?xi32, #any2>
    %rows = memref.dim %c, %c0 : memref<?x?xi32, #any2>
    gpu.launch_func @kernels::@copy2 blocks in (%n, %m, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xi32, #any2>, %X : memref<?xi32>)
    gpu.launch_func @kernels::@copy2 blocks in (%n, %m, %c1) threads in (%c1, %c1, %c1)
      args(%b : memref<?x?xi32, #any2>, %Y : memref<?xi32>)
    gpu.launch_func @kernels::@copy2 blocks in (%n, %rows, %c1) threads in (%c1, %c1, %c1)
      args(%c : memref<?x?xi32, #any2>, %Z : memref<?xi32>)
    return
  }

  func.func @outside(%A: memref<?xi32>, %from: index) {
    %c1 = arith.constant 1 : index
    %1 = memref.subview %A[%from] [3] [1] : memref<?xi32> to memref<3xi32, strided<[1], offset: ?>>
    %2 = memref.cast %1 : memref<3xi32, strided<[1], offset: ?>> to memref<?xi32, #any1>
    gpu.launch_func @kernels::@copy1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%2 : memref<?xi32, #any1>, %A : memref<?xi32>)
    return
  }
}
