// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#group8 = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
#group1 = {group = 1 : i64, groups = 32 : i64, stride = 1 : i64, vector = 1 : i64}
#private = #gpu.address_space<private>

gpu.module @kernels {
  // Without `accumulate`, the old value is not loaded.
  // CHECK-LABEL: gpu.func @old_value_is_not_read
  // CHECK-SAME:    (%[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>)
  // CHECK-NOT:     memref.load %[[B]]
  // CHECK:         memref.store %{{.+}}, %[[B]]
  // CHECK-NOT:     memref.load %[[B]]
  // CHECK:         gpu.return
  gpu.func @old_value_is_not_read(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // With `accumulate`, the storing thread loads the old value, once for each result.
  // CHECK-LABEL: gpu.func @accumulate
  // CHECK-SAME:    (%[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4xf32>)
  // CHECK-NOT:     memref.load %[[B]]
  // CHECK:         %[[SUM:.+]] = tile.all_reduce
  // CHECK-NOT:     memref.load
  // CHECK:         scf.if
  // CHECK-NEXT:      %[[OLD:.+]] = memref.load %[[B]][%[[ROW:.+]]] {
  // CHECK-NEXT:      %[[NEW:.+]] = arith.addf %[[OLD]], %[[SUM]]
  // CHECK-NEXT:      memref.store %[[NEW]], %[[B]][%[[ROW]]] {
  // CHECK-NOT:     memref.load
  // CHECK:         gpu.return
  gpu.func @accumulate(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // The old value is widened like an element: the sum with the old value is rounded once.
  // CHECK-LABEL: gpu.func @accumulate_halves
  // CHECK:         %[[SUM:.+]] = tile.all_reduce sum %{{.+}} : f32 -> f32
  // CHECK-NOT:     truncf
  // CHECK:         %[[OLD:.+]] = memref.load %{{.+}} : memref<4xf16>
  // CHECK-NEXT:    %[[WIDE:.+]] = arith.extf %[[OLD]] : f16 to f32
  // CHECK-NEXT:    %[[NEW:.+]] = arith.addf %[[WIDE]], %[[SUM]] : f32
  // CHECK-NEXT:    %[[R:.+]] = arith.truncf %[[NEW]] : f32 to f16
  // CHECK-NEXT:    memref.store %[[R]]
  gpu.func @accumulate_halves(%A: memref<4x8xf16>, %B: memref<4xf16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf16> into memref<4xf16>
    gpu.return
  }

  // A single thread that accumulates also starts from the identity, not from the old value.
  // CHECK-LABEL: gpu.func @accumulate_in_one_thread
  // CHECK:         %[[START:.+]] = arith.constant 1.000000e+00 : f32
  // CHECK:         %[[PROD:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %[[START]])
  // CHECK:         %[[OLD:.+]] = memref.load %[[Q:.+]][]
  // CHECK-NEXT:    %[[NEW:.+]] = arith.mulf %[[OLD]], %[[PROD]]
  // CHECK-NEXT:    memref.store %[[NEW]], %[[Q]][]
  gpu.func @accumulate_in_one_thread() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce prod %P into %Q axes [0] scope(thread) accumulate {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // A reduced axis kept with size 1 has index 0.
  // CHECK-LABEL: gpu.func @kept_axis
  // CHECK-SAME:    (%[[A:.+]]: memref<4x8xf32>, %[[B:.+]]: memref<4x1xf32>)
  // CHECK:         %[[ROW:.+]] = arith.divui
  // CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK:         memref.store %{{.+}}, %[[B]][%[[ROW]], %[[ZERO]]]
  gpu.func @kept_axis(%A: memref<4x8xf32>, %B: memref<4x1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4x1xf32>
    gpu.return
  }

  // A kept axis of size 1 may be any dimension.
  // CHECK-LABEL: gpu.func @kept_axes_around_a_row
  // CHECK:         %[[ROW:.+]] = arith.divui
  // CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK:         memref.load %[[B:.+]][%[[ZERO]], %[[ROW]], %[[ZERO]]] {{.+}} memref<1x4x1xf32>
  // CHECK:         memref.store %{{.+}}, %[[B]][%[[ZERO]], %[[ROW]], %[[ZERO]]]
  gpu.func @kept_axes_around_a_row(%A: memref<2x4x4xf32>, %B: memref<1x4x1xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0, 2] scope(cta) accumulate {exec = #cta32, params = #group8, variant = "shared"}
      : memref<2x4x4xf32> into memref<1x4x1xf32>
    gpu.return
  }

  // A destination may be a column of another array.
  // CHECK-LABEL: gpu.func @strided_destination
  // CHECK:         %[[D:.+]] = memref.subview
  // CHECK:         memref.store %{{.+}}, %[[D]][%{{.+}}] {{.+}} memref<4xf32, strided<[16], offset: 3>>
  gpu.func @strided_destination(%A: memref<4x8xf32>, %B: memref<4x16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %D = memref.subview %B[0, 3] [4, 1] [1, 1] : memref<4x16xf32> to memref<4xf32, strided<[16], offset: 3>>
    tile.reduce sum %A into %D axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32, strided<[16], offset: 3>>
    gpu.return
  }

  // Rows without elements give the identity: no loads and no exchange, and one thread stores each
  // result.
  // CHECK-LABEL: gpu.func @rows_without_elements
  // CHECK-NOT:     {{memref.load|tile.all_reduce|scf.for}}
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK-COUNT-1: memref.store %{{.+}}, %{{.+}}[%[[T]]]
  // CHECK-NOT:     {{memref.load|tile.all_reduce|scf.for|memref.store}}
  // CHECK:         gpu.return
  gpu.func @rows_without_elements(%A: memref<4x0xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group1, variant = "shared"}
      : memref<4x0xf32> into memref<4xf32>
    gpu.return
  }

  // A reduction of no rows becomes no code.
  // CHECK-LABEL: gpu.func @no_rows
  // CHECK-NOT:     memref.{{load|store}}
  // CHECK:         gpu.return
  gpu.func @no_rows(%A: memref<0x8xf32>, %B: memref<0xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<0x8xf32> into memref<0xf32>
    gpu.return
  }

  // If NaN never wins, idle threads and partial results start with NaN, and the exchange has the same `nan`
  // policy.
  // CHECK-LABEL: gpu.func @ignored_nan
  // CHECK:         %[[P:.+]] = scf.if
  // CHECK:           %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK:           arith.maxnumf %[[NAN]]
  // CHECK:         } else {
  // CHECK-NEXT:      %[[IDLE:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK-NEXT:      scf.yield %[[IDLE]]
  // CHECK:         tile.all_reduce max %[[P]] {{.*}}nan = #tile.nan<ignore>
  gpu.func @ignored_nan(%A: memref<3x8xf32>, %B: memref<3xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta) {exec = #cta32, nan = #tile.nan<ignore>, params = #group8, variant = "shared"}
      : memref<3x8xf32> into memref<3xf32>
    gpu.return
  }

  // Two reductions number their owned accesses separately.
  // CHECK-LABEL: gpu.func @two_reductions
  // CHECK:         memref.store {{.+}} {tile.owned = [[ONE:[0-9]+]] : i64}
  // CHECK-NOT:     tile.owned = [[ONE]] :
  // CHECK:         memref.store {{.+}} {tile.owned =
  gpu.func @two_reductions(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    tile.reduce max %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
