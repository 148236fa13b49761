// RUN: tx-opt %s --tile-analyze-scope

gpu.module @kernels {
  // Warp w takes row w if this row exists. The number of rows is dynamic, but the condition is uniform within
  // each warp.
  // CHECK-LABEL: gpu.func @as_many_as_there_are
  // CHECK:         tile.reduce
  // CHECK-SAME:      active = array<i64: 0, 128>, block = 128 : i64, threads = 32 : i64
  gpu.func @as_many_as_there_are(%A: memref<?x100xf32>, %B: memref<?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %rows = memref.dim %A, %c0 : memref<?x100xf32>
    %w = gpu.subgroup_id : index
    %has_row = arith.cmpi ult, %w, %rows : index
    scf.if %has_row {
      %row = memref.subview %A[%w, 0] [1, 100] [1, 1]
          : memref<?x100xf32> to memref<100xf32, strided<[1], offset: ?>>
      %out = memref.subview %B[%w] [1] [1] : memref<?xf32> to memref<f32, strided<[], offset: ?>>
      tile.reduce sum %row into %out axes [0] scope(warp)
          : memref<100xf32, strided<[1], offset: ?>> into memref<f32, strided<[], offset: ?>>
    }
    gpu.return
  }
}
