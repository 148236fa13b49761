// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta128 = {active = array<i64: 0, 128>, block = 128 : i64, threads = 128 : i64}
#group8 = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
#columns32 = {group = 1 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}

gpu.module @kernels {
  // One lane per column: neighbouring lanes load neighbours, and nothing is exchanged.
  // CHECK-LABEL: gpu.func @columns_on_lanes
  // CHECK-SAME:    (%[[A:.+]]: memref<8x32xf32>, %[[B:.+]]: memref<32xf32>)
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[COLUMN:.+]] = arith.remui %[[T]], %{{.+}} : index
  // CHECK:         %[[ROWS:.+]] = arith.constant 8 : index
  // CHECK:         %[[SUM:.+]] = scf.for %{{.+}} = %{{.+}} to %[[ROWS]] step %{{.+}} iter_args
  // CHECK:           memref.load %[[A]][%{{.+}}, %[[COLUMN]]]
  // CHECK-COUNT-1:   arith.addf
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         memref.store %[[SUM]], %[[B]][%[[COLUMN]]]
  gpu.func @columns_on_lanes(%A: memref<8x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32, params = #columns32, variant = "shared"}
      : memref<8x32xf32> into memref<32xf32>
    gpu.return
  }

  // Four warps share the columns: each warp takes every fourth row. In the end, threads of one column, 32
  // threads apart, exchange partial results.
  // CHECK-LABEL: gpu.func @columns_on_warps
  // CHECK:         %[[COLUMN:.+]] = arith.remui
  // CHECK-NEXT:    %[[WARP:.+]] = arith.divui
  // CHECK:         %[[P:.+]] = scf.for %[[I:[^ ]+]] = %{{.+}} to %{{.+}} step %[[FOUR:.+]] iter_args
  // CHECK-NEXT:      %[[ROW:.+]] = arith.addi %[[I]], %[[WARP]]
  // CHECK-NEXT:      memref.load %{{.+}}[%[[ROW]], %[[COLUMN]]]
  // CHECK:         tile.all_reduce sum %[[P]] scope(cta) width 4 stride 32
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.cmpi eq, %[[WARP]], %{{.+}}
  // CHECK-NEXT:    scf.if %[[FIRST]] {
  // CHECK-NEXT:      memref.store %{{.+}}, %{{.+}}[%[[COLUMN]]]
  gpu.func @columns_on_warps(%A: memref<32x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta)
      {exec = #cta128, params = {group = 4 : i64, groups = 1 : i64, stride = 32 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<32x32xf32> into memref<32xf32>
    gpu.return
  }

  // Four columns on a warp: eight lanes per column, with a stride of four.
  // CHECK-LABEL: gpu.func @four_columns
  // CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 8 stride 4
  gpu.func @four_columns(%A: memref<64x4xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 1 : i64, stride = 4 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<64x4xf32> into memref<4xf32>
    gpu.return
  }

  // With 24 columns, eight lanes of a warp have no column.
  // CHECK-LABEL: gpu.func @fewer_columns_than_lanes
  // CHECK:         %[[COLUMN:.+]] = arith.remui
  // CHECK:         %[[COLUMNS:.+]] = arith.constant 24 : index
  // CHECK-NEXT:    %[[VALID:.+]] = arith.cmpi ult, %[[COLUMN]], %[[COLUMNS]]
  // CHECK-NEXT:    scf.if %[[VALID]] -> (f32)
  // CHECK:         %[[WRITER:.+]] = arith.andi %[[VALID]], %{{.+}}
  // CHECK-NEXT:    scf.if %[[WRITER]] {
  // CHECK-NEXT:      memref.store
  gpu.func @fewer_columns_than_lanes(%A: memref<8x24xf32>, %B: memref<24xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) {exec = #cta32, params = #columns32, variant = "shared"}
      : memref<8x24xf32> into memref<24xf32>
    gpu.return
  }

  // Two reduced axes form one row of 2 * 4 elements: lane 5 loads element (1, 1).
  // CHECK-LABEL: gpu.func @two_reduced_axes
  // CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %{{.+}} : index
  // CHECK-NEXT:    %[[ROW:.+]] = arith.divui
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK-NEXT:    %[[INNER:.+]] = arith.remui %[[LANE]], %[[FOUR]]
  // CHECK-NEXT:    %[[OUTER:.+]] = arith.divui %[[LANE]], %[[FOUR]]
  // CHECK-NEXT:    memref.load %{{.+}}[%[[OUTER]], %[[ROW]], %[[INNER]]]
  // CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 8 stride 1
  // CHECK:         memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
  gpu.func @two_reduced_axes(%A: memref<2x4x4xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 2] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<2x4x4xf32> into memref<4xf32>
    gpu.return
  }

  // Two parallel axes form one list of results, whose index is split for loads and stores.
  // CHECK-LABEL: gpu.func @two_kept_axes
  // CHECK:         %[[LANE:.+]] = arith.remui
  // CHECK-NEXT:    %[[RESULT:.+]] = arith.divui
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[J:.+]] = arith.remui %[[RESULT]], %[[TWO]]
  // CHECK-NEXT:    %[[I:.+]] = arith.divui %[[RESULT]], %[[TWO]]
  // CHECK:         memref.load %{{.+}}[%[[I]], %[[J]], %[[LANE]]]
  // CHECK:         tile.all_reduce
  // CHECK:           %[[JD:.+]] = arith.remui %[[RESULT]], %{{.+}} : index
  // CHECK-NEXT:      %[[ID:.+]] = arith.divui %[[RESULT]], %{{.+}} : index
  // CHECK-NEXT:      memref.store %{{.+}}, %{{.+}}[%[[ID]], %[[JD]]]
  gpu.func @two_kept_axes(%A: memref<2x2x8xf32>, %B: memref<2x2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [2] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<2x2x8xf32> into memref<2x2xf32>
    gpu.return
  }

  // With all axes reduced, one result is stored to a destination of rank 0.
  // CHECK-LABEL: gpu.func @all_axes
  // CHECK:         tile.all_reduce sum %{{.+}} scope(cta) {
  // CHECK:         memref.store %{{.+}}, %{{.+}}[] {{.*}}: memref<f32>
  gpu.func @all_axes(%A: memref<16x32xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 1] scope(cta)
      {exec = #cta128, params = {group = 128 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<16x32xf32> into memref<f32>
    gpu.return
  }

  // Without axes, the op is an element-wise copy.
  // CHECK-LABEL: gpu.func @no_axes
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         scf.for
  // CHECK:           memref.load %{{.+}}[%[[I:.+]], %[[J:.+]]] : memref<4x32xf32>
  // CHECK:             memref.store %{{.+}} : memref<4x32xf32>
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         gpu.return
  gpu.func @no_axes(%A: memref<4x32xf32>, %B: memref<4x32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [] scope(cta) {exec = #cta32, params = #columns32, variant = "shared"}
      : memref<4x32xf32> into memref<4x32xf32>
    gpu.return
  }

  // In a transposed memref, lanes lie along axis 0, whether the axis is reduced or not. Indices keep the
  // order of the type.
  // CHECK-LABEL: gpu.func @transposed
  // CHECK:         %[[COLUMN:.+]] = arith.remui %{{.+}}, %{{.+}} : index
  // CHECK-NEXT:    %[[LANE:.+]] = arith.divui
  // CHECK:         memref.load %{{.+}}[%[[COLUMN]], %[[LANE]]] : memref<4x8xf32, strided<[1, 4]>>
  // CHECK:         tile.all_reduce sum %{{.+}} scope(warp) width 8 stride 4
  gpu.func @transposed(%A: memref<4x8xf32, strided<[1, 4]>>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 1 : i64, stride = 4 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32, strided<[1, 4]>> into memref<4xf32>
    gpu.return
  }

  // A subview of a larger tile is indexed directly.
  // CHECK-LABEL: gpu.func @window
  // CHECK:         %[[W:.+]] = memref.subview
  // CHECK:         memref.load %[[W]][%{{.+}}, %{{.+}}] : memref<4x8xf32, strided<[64, 2], offset: ?>>
  gpu.func @window(%A: memref<32x64xf32>, %B: memref<4xf32>, %i: index)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %W = memref.subview %A[%i, 3] [4, 8] [1, 2] : memref<32x64xf32> to memref<4x8xf32, strided<[64, 2], offset: ?>>
    tile.reduce sum %W into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32, strided<[64, 2], offset: ?>> into memref<4xf32>
    gpu.return
  }
}
