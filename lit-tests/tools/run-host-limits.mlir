// RUN: tx run %s --entry nothing --device cpu --arg full:3:4xf32 --log info 2>&1
// RUN(NOTHING): tx compile %s --entry nothing --plan -
// RUN(LARGE): tx run %s --entry large --device cpu --arg 2147483649 --arg zeros:2xi8
// RUN(RANKS): tx run %s --entry ranks --device cpu --arg full:0.5:2x1x2x1x2x1x2x2xf32 --arg zeros:f32 --arg zeros:2x2x2x1x2xf32
// RUN(EMPTY): tx run %s --entry grids --device cpu --arg 0 --arg 70000 --arg zeros:2xi8
// RUN(GRID): not tx run %s --entry grids --device cpu --arg 1 --arg 70000 --arg zeros:2xi8 2>&1
// EXIT: 1
// RUN(BLOCK): not tx run %s --entry block --device cpu --arg 3 --arg zeros:2xi8 2>&1
// EXIT: 1
// RUN(NEGATIVE): not tx run %s --entry large --device cpu --arg -1 --arg zeros:2xi8 2>&1
// EXIT: 1
// RUN(OVERFLOW): not tx run %s --entry squares --device cpu --arg 3037000500 --arg zeros:2xi8 2>&1
// EXIT: 1
// RUN(MEMORY): not tx run %s --entry squares --device cpu --arg 3037000499 --arg zeros:2xi8 2>&1
// EXIT: 1
// RUN(UNWRITTEN): not tx run %s --entry unwritten --device cpu --arg zeros:2xi8 2>&1
// EXIT: 3
// SNAPSHOT: none — what is printed is checked as a whole.

// A function without launches runs on every device.
// CHECK:        ran elapsed=0ns
// CHECK-NOT:    {{.}}
// NOTHING:      "temporaries": [],
// NOTHING-NEXT: "steps": []
//
// Temporaries and indices may exceed 2³¹ elements.
// LARGE:      argument 1: 2xi8
// LARGE-NEXT: [5 5]
//
// A memref may have any rank, at least from 0 to 8.
// RANKS:      argument 1: f32
// RANKS-NEXT: 16.0
// RANKS:      argument 2: 2x2x2x1x2xf32
// RANKS-NEXT: {{\[\[\[\[\[}}1. 1.]]
//
// A grid without blocks is skipped, however large its other dimensions are. For a grid that no device can
// launch, the error names the step and the computation of the size.
// EMPTY:     argument 2: 2xi8
// EMPTY:     [0 0]
// GRID:      tx: error: step 0 (`store`), grid along y: found 70000 for `arg1`, expected 0 to 65535
// BLOCK:     tx: error: step 0 (`store`), block along x: found 3072 for `arg0 * 1024`, where arg0 is 3, expected 1 to 1024
// NEGATIVE:  tx: error: temporary 0: found -1 for `arg0`, expected 0 or more
// OVERFLOW:  tx: error: temporary 0: `arg0 * arg0` overflows 64 bits: 3037000500 and 3037000500
// MEMORY:    tx: error: not enough memory for temporary 0 in the executor (9223372030926249001 bytes)
//
// A temporary is uninitialized until a kernel writes it.
// UNWRITTEN: run-host-limits.mlir:[[# @LINE + 24]]:12: error: uninitialized: {{.*}}temporary 0
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @store(%T: memref<?xi8>, %at: index)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %five = arith.constant 5 : i8
      memref.store %five, %T[%at] : memref<?xi8>
      gpu.return
    }
    gpu.func @sum(%A: memref<32xf32>, %B: memref<f32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.reduce sum %A into %B axes [0] scope(cta) : memref<32xf32> into memref<f32>
      gpu.return
    }
    gpu.func @sum8(%A: memref<2x1x2x1x2x1x2x2xf32>, %B: memref<2x2x2x1x2xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      tile.reduce sum %A into %B axes [1, 3, 7] scope(cta)
        : memref<2x1x2x1x2x1x2x2xf32> into memref<2x2x2x1x2xf32>
      gpu.return
    }
    gpu.func @load(%T: memref<?xi8>, %at: index, %B: memref<2xi8>) kernel
        attributes {known_block_size = array<i32: 2, 1, 1>} {
      %t = gpu.thread_id x
      // Only the finally stored element is read.
      %x = memref.load %T[%at] : memref<?xi8>
      memref.store %x, %B[%t] : memref<2xi8>
      gpu.return
    }
  }

  func.func @nothing(%A: memref<?xf32>) {
    // Unused values are not computed, even invalid ones.
    %c0 = arith.constant 0 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %wide = arith.index_cast %n : index to i64
    %x = arith.uitofp %wide : i64 to f32
    %more = arith.addf %x, %x : f32
    return
  }

  // Stores and loads the last element.
  func.func @large(%n: index, %B: memref<2xi8>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %T = memref.alloc(%n) : memref<?xi8>
    %last = arith.subi %n, %c1 : index
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<?xi8>, %last : index)
    gpu.launch_func @kernels::@load blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
      args(%T : memref<?xi8>, %last : index, %B : memref<2xi8>)
    return
  }

  func.func @ranks(%A: memref<2x1x2x1x2x1x2x2xf32>, %B: memref<f32>, %C: memref<2x2x2x1x2xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %flat = memref.collapse_shape %A [[0, 1, 2, 3, 4, 5, 6, 7]]
      : memref<2x1x2x1x2x1x2x2xf32> into memref<32xf32>
    gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%flat : memref<32xf32>, %B : memref<f32>)
    gpu.launch_func @kernels::@sum8 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<2x1x2x1x2x1x2x2xf32>, %C : memref<2x2x2x1x2xf32>)
    return
  }

  func.func @grids(%m: index, %n: index, %B: memref<2xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = memref.cast %B : memref<2xi8> to memref<?xi8>
    gpu.launch_func @kernels::@store blocks in (%m, %n, %c1) threads in (%c1, %c1, %c1)
      args(%b : memref<?xi8>, %c0 : index)
    return
  }

  func.func @block(%n: index, %B: memref<2xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %b = memref.cast %B : memref<2xi8> to memref<?xi8>
    %threads = arith.muli %n, %c1024 : index
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%b : memref<?xi8>, %c0 : index)
    return
  }

  func.func @squares(%n: index, %B: memref<2xi8>) {
    %square = arith.muli %n, %n : index
    %T = memref.alloc(%square) : memref<?xi8>
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<?xi8>, %c1 : index)
    return
  }

  func.func @unwritten(%B: memref<2xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %T = memref.alloc(%c2) : memref<?xi8>
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%T : memref<?xi8>, %c1 : index)
    gpu.launch_func @kernels::@load blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
      args(%T : memref<?xi8>, %c0 : index, %B : memref<2xi8>)
    return
  }
}
