// RUN: tx-opt %s --tile-expand-reduce

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#one = {group = 1 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

// At scope `thread`, a reduction is plain loops, without thread id and exchange.
gpu.module @kernels {
  // Four elements in private memory: one loop of loads and combines, and a store after the loop.
  // CHECK-LABEL: gpu.func @four_elements
  // CHECK-SAME:    private(%[[P:.+]] : memref<4xf32, {{.+}}>, %[[Q:.+]] : memref<f32, {{.+}}>)
  // CHECK-NOT:     {{gpu.thread_id|tile|scf.if}}
  // CHECK:         %[[START:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK-DAG:     %[[FROM:.+]] = arith.constant 0 : index
  // CHECK-DAG:     %[[TO:.+]] = arith.constant 4 : index
  // CHECK-DAG:     %[[STEP:.+]] = arith.constant 1 : index
  // CHECK:         %[[SUM:.+]] = scf.for %[[I:[^ ]+]] = %[[FROM]] to %[[TO]] step %[[STEP]] iter_args(%[[C:.+]] = %[[START]]) -> (f32) {
  // CHECK-NEXT:      %[[X:.+]] = memref.load %[[P]][%[[I]]]
  // CHECK-NEXT:      %[[N:.+]] = arith.addf %[[C]], %[[X]]
  // CHECK-NEXT:      scf.yield %[[N]]
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    memref.store %[[SUM]], %[[Q]][]
  // CHECK-NEXT:    gpu.return
  gpu.func @four_elements() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // Rows are an outer loop with one store per row.
  // CHECK-LABEL: gpu.func @two_rows
  // CHECK:         scf.for %[[I:[^ ]+]] = %{{.+}} to %{{.+}} step %{{[^ ]+}} {
  // CHECK:           %[[SUM:.+]] = scf.for %[[J:[^ ]+]] = {{.+}} -> (f32) {
  // CHECK:             memref.load %{{.+}}[%[[I]], %[[J]]]
  // CHECK:           }{{$}}
  // CHECK-NEXT:      memref.store %[[SUM]], %{{.+}}[%[[I]]]
  // CHECK-NEXT:    }{{$}}
  gpu.func @two_rows() private(%P: memref<2x4xf32, #private>, %Q: memref<2xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [1] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<2x4xf32, #private> into memref<2xf32, #private>
    gpu.return
  }

  // Each reduced axis is a loop that carries the partial result.
  // CHECK-LABEL: gpu.func @two_reduced_axes
  // CHECK:         scf.for %[[K:[^ ]+]] = %{{.+}} to %{{.+}} step %{{[^ ]+}} {
  // CHECK:           scf.for %[[I:[^ ]+]] = {{.+}} iter_args(%[[C:.+]] = %{{.+}}) -> (f32) {
  // CHECK:             %[[INNER:.+]] = scf.for %[[J:[^ ]+]] = {{.+}} iter_args(%{{.+}} = %[[C]]) -> (f32) {
  // CHECK-NEXT:          memref.load %{{.+}}[%[[I]], %[[K]], %[[J]]]
  // CHECK:             }{{$}}
  // CHECK-NEXT:        scf.yield %[[INNER]]
  // CHECK:           memref.store %{{.+}}, %{{.+}}[%[[K]]]
  gpu.func @two_reduced_axes() private(%P: memref<2x3x4xf32, #private>, %Q: memref<3xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0, 2] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<2x3x4xf32, #private> into memref<3xf32, #private>
    gpu.return
  }

  // Columns are reduced one after another, from the first row to the last.
  // CHECK-LABEL: gpu.func @columns
  // CHECK:         scf.for %[[J:[^ ]+]] = %{{.+}} to %{{.+}} step %{{[^ ]+}} {
  // CHECK:           scf.for %[[I:[^ ]+]] = {{.+}} -> (f32) {
  // CHECK:             memref.load %{{.+}}[%[[I]], %[[J]]]
  gpu.func @columns() private(%P: memref<4x2xf32, #private>, %Q: memref<2xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<4x2xf32, #private> into memref<2xf32, #private>
    gpu.return
  }

  // A single element needs no loop.
  // CHECK-LABEL: gpu.func @one_element
  // CHECK-NOT:     scf.for
  // CHECK-COUNT-1: memref.load
  // CHECK-COUNT-1: memref.store
  // CHECK:         gpu.return
  gpu.func @one_element() private(%P: memref<1xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, params = {}, variant = "local"}
      : memref<1xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // One thread reduces a shared tile with the same loops.
  // CHECK-LABEL: gpu.func @shared_tile
  // CHECK-NOT:     {{gpu.thread_id|tile.all_reduce|scf.if}}
  // CHECK-COUNT-2: scf.for
  // CHECK:         memref.load {{.+}} #gpu.address_space<workgroup>
  // CHECK-NOT:     {{gpu.thread_id|tile.all_reduce|scf.if}}
  // CHECK:         gpu.return
  gpu.func @shared_tile() workgroup(%S: memref<4x8xf32, #shared>) private(%Q: memref<4xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %Q axes [1] scope(thread) {exec = #thread32, params = #one, variant = "shared"}
      : memref<4x8xf32, #shared> into memref<4xf32, #private>
    gpu.return
  }

  // For a global tile of dynamic sizes, the sizes are read first.
  // CHECK-LABEL: gpu.func @dynamic_sizes
  // CHECK:         %[[ROWS:.+]] = memref.dim
  // CHECK:         %[[LENGTH:.+]] = memref.dim
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROWS]]
  // CHECK:           scf.for %{{.+}} = %{{.+}} to %[[LENGTH]]
  gpu.func @dynamic_sizes(%A: memref<?x?xf32>) private(%Q: memref<?xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %Q axes [1] scope(thread) {exec = #thread32, params = #one, variant = "shared"}
      : memref<?x?xf32> into memref<?xf32, #private>
    gpu.return
  }

  // With `nan = ignore` and a dynamic length, the result of no elements is selected at run time.
  // CHECK-LABEL: gpu.func @ignored_nan_of_dynamic_length
  // CHECK:         %[[LENGTH:.+]] = memref.dim
  // CHECK:         %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK:         %[[MAX:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %[[NAN]])
  // CHECK:         %[[EMPTY:.+]] = arith.cmpi eq, %[[LENGTH]], %{{.+}}
  // CHECK:         %[[IDENTITY:.+]] = arith.constant 0xFF800000 : f32
  // CHECK:         %[[R:.+]] = arith.select %[[EMPTY]], %[[IDENTITY]], %[[MAX]]
  // CHECK-NEXT:    memref.store %[[R]]
  gpu.func @ignored_nan_of_dynamic_length(%A: memref<?xf32>) private(%Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %A into %Q axes [0] scope(thread) {exec = #thread32, nan = #tile.nan<ignore>, params = #one, variant = "shared"}
      : memref<?xf32> into memref<f32, #private>
    gpu.return
  }
}
