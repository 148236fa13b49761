// RUN: tx compile %s --chip sm_90 --plan -
// RUN(SUMS): tx run %s --device cpu --arg full:1.5:3x10xf32 --arg full:7:3xf32 --arg 2
// RUN(EMPTY): tx run %s --device cpu --arg full:1.5:0x10xf32 --arg zeros:0xf32 --arg 2
// RUN(GRID): not tx run %s --device cpu --grid 3 --arg full:1.5:3x10xf32 --arg zeros:3xf32 --arg 2 2>&1
// EXIT: 2

// A function with two kernels has a plan of two steps and a temporary in between. Its sizes are expressions
// of the argument sizes. Only memory that a kernel may write is marked as written, with or without barriers.
// The plan suffices to run the function; a step without blocks is skipped; the function computes its own
// grid.
// CHECK:      "chip": "sm_90",
// CHECK-NEXT: "entry": "scaled_sums",
// CHECK:      "type": "memref<?x?xf32>",
// CHECK:      "written": false
// CHECK:      "type": "memref<?xf32>",
// CHECK:      "written": true
// CHECK:      "temporaries": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "element": "f32",
// CHECK-NEXT:     "shape": [
// CHECK-NEXT:       "arg0.dim0",
// CHECK-NEXT:       64
// CHECK-NEXT:     ],
// CHECK-NEXT:     "bytes": "arg0.dim0 * 64 * 4"
// CHECK:      "kernel": "partial",
// CHECK-NEXT: "module": "partial",
// CHECK-NEXT: "grid": [
// CHECK-NEXT:   "arg0.dim0",
// CHECK:      "block": [
// CHECK-NEXT:   64,
// CHECK:      "operands": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "temporary": 0
// CHECK:      "kernel": "total",
// CHECK-NEXT: "module": "total",
// CHECK-NEXT: "grid": [
// CHECK-NEXT:   "ceildiv(arg0.dim0, 2)",
// CHECK:      "operands": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "temporary": 0
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 1
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 2
// CHECK-NEXT:   }
// SUMS:       argument 1: 3xf32
// SUMS-NEXT:  [30. 30. 30.]
// EMPTY:      argument 1: 0xf32
// EMPTY-NEXT: []
// GRID:       tx: error: the grid can be set only for a kernel, but `scaled_sums` is a host function
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // 64 threads add up a row, each with a stride of 64.
    gpu.func @partial(%A: memref<?x?xf32>, %P: memref<?x64xf32>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0.0 : f32
      %row = gpu.block_id x
      %thread = gpu.thread_id x
      %length = memref.dim %A, %c1 : memref<?x?xf32>
      %sum = scf.for %i = %thread to %length step %c64 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %A[%row, %i] : memref<?x?xf32>
        %more = arith.addf %sum, %x : f32
        scf.yield %more : f32
      }
      memref.store %sum, %P[%row, %thread] : memref<?x64xf32>
      gpu.return
    }

    // A block adds up two rows, if both exist, and scales them.
    gpu.func @total(%P: memref<?x64xf32>, %B: memref<?xf32>, %factor: f32)
        workgroup(%sum: memref<f32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %block = gpu.block_id x
      %from = arith.muli %block, %c2 : index
      %rows = memref.dim %P, %c0 : memref<?x64xf32>
      %beyond = arith.addi %from, %c2 : index
      %to = arith.minui %beyond, %rows : index
      %c1 = arith.constant 1 : index
      scf.for %row = %from to %to step %c1 {
        %p = memref.subview %P[%row, 0] [1, 64] [1, 1]
          : memref<?x64xf32> to memref<64xf32, strided<[1], offset: ?>>
        tile.reduce sum %p into %sum axes [0] scope(cta)
          : memref<64xf32, strided<[1], offset: ?>> into memref<f32, #gpu.address_space<workgroup>>
        %x = memref.load %sum[] : memref<f32, #gpu.address_space<workgroup>>
        %y = arith.mulf %x, %factor : f32
        %thread = gpu.thread_id x
        %first = arith.cmpi eq, %thread, %c0 : index
        scf.if %first {
          memref.store %y, %B[%row] : memref<?xf32>
        }
      }
      gpu.return
    }
  }

  func.func @scaled_sums(%A: memref<?x?xf32>, %B: memref<?xf32>, %factor: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %rows = memref.dim %A, %c0 : memref<?x?xf32>
    %P = memref.alloc(%rows) : memref<?x64xf32>
    gpu.launch_func @kernels::@partial blocks in (%rows, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%A : memref<?x?xf32>, %P : memref<?x64xf32>)
    %pairs = arith.ceildivui %rows, %c2 : index
    gpu.launch_func @kernels::@total blocks in (%pairs, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%P : memref<?x64xf32>, %B : memref<?xf32>, %factor : f32)
    memref.dealloc %P : memref<?x64xf32>
    return
  }
}
