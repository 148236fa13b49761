// RUN: tx-opt %s --tile-expand-reduce

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#group8 = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}
#private = #gpu.address_space<private>

// Reductions whose partial results have several values.
gpu.module @kernels {
  // The index of an element is its position in the row. A thread that combines elements in order compares
  // values only: the earlier of equal values wins. Its initial index is that of its first element, so that a
  // row of initial values gets the right index.
  // CHECK-LABEL: gpu.func @argmax(
  // CHECK:         %[[LOW:.+]] = arith.constant 0xFF800000 : f32
  // CHECK:         %[[FIRST:.+]] = arith.constant 0 : i32
  // CHECK:         %[[R:.+]]:2 = scf.for %[[I:[^ ]+]] = {{.+}} iter_args(%[[V:.+]] = %[[LOW]], %[[P:.+]] = %[[FIRST]]) -> (f32, i32) {
  // CHECK-NEXT:      %[[X:.+]] = memref.load %{{.+}}[%[[I]]]
  // CHECK-NEXT:      %[[AT:.+]] = arith.index_cast %[[I]] : index to i32
  // CHECK-NEXT:      %[[ABOVE:.+]] = arith.cmpf ugt, %[[X]], %[[V]]
  // CHECK-NEXT:      %[[NUMBER:.+]] = arith.cmpf ord, %[[V]], %[[V]]
  // CHECK-NEXT:      %[[WINS:.+]] = arith.andi %[[ABOVE]], %[[NUMBER]]
  // CHECK-NEXT:      arith.select %[[WINS]], %[[X]], %[[V]]
  // CHECK-NEXT:      arith.select %[[WINS]], %[[AT]], %[[P]]
  // CHECK-NEXT:      scf.yield
  // CHECK-NEXT:    }
  // CHECK-NEXT:    memref.store %[[R]]#0
  // CHECK-NEXT:    memref.store %[[R]]#1
  gpu.func @argmax() private(%S: memref<40xf32, #private>, %V: memref<f32, #private>, %P: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %S into %V, %P axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<40xf32, #private> into memref<f32, #private>, memref<i32, #private>
    gpu.return
  }

  // If NaN never wins, partial results start with NaN: only NaN elements give NaN.
  // CHECK-LABEL: gpu.func @argmin_ignoring_nan(
  // CHECK:         arith.constant 0x7FC00000 : f32
  // CHECK:         scf.for {{.+}} -> (f32, i64)
  // CHECK-NEXT:      %[[X:.+]] = memref.load
  // CHECK:           %[[BELOW:.+]] = arith.cmpf ult, %[[X]],
  // CHECK-NEXT:      %[[NUMBER:.+]] = arith.cmpf ord, %[[X]], %[[X]]
  // CHECK-NEXT:      arith.andi %[[BELOW]], %[[NUMBER]]
  // CHECK-NOT:       {{arith.cmpf|arith.cmpi}}
  // CHECK:         gpu.return
  gpu.func @argmin_ignoring_nan() private(%S: memref<40xf32, #private>, %V: memref<f32, #private>, %P: memref<i64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmin %S into %V, %P axes [0] scope(thread)
      {exec = #thread32, nan = #tile.nan<ignore>, params = {}, variant = "local"}
      : memref<40xf32, #private> into memref<f32, #private>, memref<i64, #private>
    gpu.return
  }

  // Indices over two dimensions are row-major, whatever the order of loops.
  // CHECK-LABEL: gpu.func @places_of_two_dimensions(
  // CHECK:         scf.for %[[I:[^ ]+]] =
  // CHECK:           scf.for %[[J:[^ ]+]] =
  // CHECK:             memref.load %{{.+}}[%[[I]], %[[J]]]
  // CHECK:             %[[ROW:.+]] = arith.muli %[[I]], %{{.*}}c8
  // CHECK-NEXT:        %[[AT:.+]] = arith.addi %[[ROW]], %[[J]]
  // CHECK-NEXT:        arith.index_cast %[[AT]]
  gpu.func @places_of_two_dimensions() private(%S: memref<5x8xi32, #private>, %V: memref<i32, #private>, %P: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %S into %V, %P axes [1, 0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<5x8xi32, #private> into memref<i32, #private>, memref<i32, #private>
    gpu.return
  }

  // Lanes exchange both values, and the first lane stores both. Each lane starts with the index of its own
  // element.
  // CHECK-LABEL: gpu.func @lanes(
  // CHECK:         %[[LANE:.+]] = arith.remui
  // CHECK:         %[[PLACE:.+]] = arith.index_cast %[[LANE]]
  // CHECK:         %[[R:.+]]:2 = tile.all_reduce argmax %{{.+}}, %{{.+}} scope(warp) width 8 stride 1 {{.+}} : f32, i32 -> f32, i32
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store %[[R]]#0
  // CHECK-NEXT:      memref.store %[[R]]#1
  gpu.func @lanes(%A: memref<4x8xf32>, %V: memref<4xf32>, %P: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %P axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }

  // Rows of dynamic length may be empty: the index is then 0.
  // CHECK-LABEL: gpu.func @empty_at_run_time(
  // CHECK:         %[[LENGTH:.+]] = memref.dim
  // CHECK:         %[[INF:.+]] = arith.constant 0x7F800000 : f32
  // CHECK:         %[[R:.+]]:2 = tile.all_reduce argmin
  // CHECK:         %[[EMPTY:.+]] = arith.cmpi eq, %[[LENGTH]], %{{.+}}
  // CHECK:         %[[ZERO:.+]] = arith.constant 0 : i32
  // CHECK-NEXT:    %[[V:.+]] = arith.select %[[EMPTY]], %[[INF]], %[[R]]#0
  // CHECK-NEXT:    %[[P:.+]] = arith.select %[[EMPTY]], %[[ZERO]], %[[R]]#1
  // CHECK-NEXT:    memref.store %[[V]]
  // CHECK-NEXT:    memref.store %[[P]]
  gpu.func @empty_at_run_time(%A: memref<4x?xf32>, %V: memref<4xf32>, %P: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmin %A into %V, %P axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      : memref<4x?xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }

  // An old value and its index are compared like one more element: by value, then by index.
  // CHECK-LABEL: gpu.func @accumulate(
  // CHECK:         %[[R:.+]]:2 = scf.for
  // CHECK:         %[[OLD:.+]] = memref.load %[[V:.+]][]
  // CHECK-NEXT:    %[[OLD_AT:.+]] = memref.load %[[P:.+]][]
  // CHECK-NEXT:    arith.cmpi sgt, %[[R]]#0, %[[OLD]]
  // CHECK-NEXT:    arith.cmpi eq, %[[R]]#0, %[[OLD]]
  // CHECK-NEXT:    arith.cmpi slt, %[[R]]#1, %[[OLD_AT]]
  // CHECK:         memref.store %{{.+}}, %[[V]][]
  // CHECK-NEXT:    memref.store %{{.+}}, %[[P]][]
  gpu.func @accumulate() private(%S: memref<40xi32, #private>, %V: memref<i32, #private>, %P: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %S into %V, %P axes [0] scope(thread) accumulate
      {exec = #thread32, params = {}, variant = "local"}
      : memref<40xi32, #private> into memref<i32, #private>, memref<i32, #private>
    gpu.return
  }

  // f16 elements are compared in f32, and the original f16 is stored.
  // CHECK-LABEL: gpu.func @halves(
  // CHECK:         %[[R:.+]]:2 = scf.for {{.+}} -> (f32, i32)
  // CHECK:           arith.extf %{{.+}} : bf16 to f32
  // CHECK:         arith.truncf %[[R]]#0 : f32 to bf16
  gpu.func @halves() private(%S: memref<40xbf16, #private>, %V: memref<bf16, #private>, %P: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %S into %V, %P axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<40xbf16, #private> into memref<bf16, #private>, memref<i32, #private>
    gpu.return
  }

  // Two sources of two types: one load from each, and the combiner region in between.
  // CHECK-LABEL: gpu.func @two_sources(
  // CHECK:         scf.for {{.+}} -> (f32, i32) {
  // CHECK-NEXT:      %[[X:.+]] = memref.load %{{.+}} : memref<40xf32
  // CHECK-NEXT:      %[[N:.+]] = memref.load %{{.+}} : memref<40xi32
  // CHECK-NEXT:      arith.addf %{{.+}}, %[[X]] : f32
  // CHECK-NEXT:      arith.muli %{{.+}}, %[[N]] : i32
  // CHECK-NEXT:      scf.yield
  gpu.func @two_sources() private(%S: memref<40xf32, #private>, %N: memref<40xi32, #private>,
                                  %T: memref<f32, #private>, %P: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce custom %S, %N into %T, %P axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"} identity [0.0 : f32, 1 : i32] combiner {
    ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
      %x = arith.addf %a, %c : f32
      %y = arith.muli %b, %d : i32
      tile.yield %x, %y : f32, i32
    } : memref<40xf32, #private>, memref<40xi32, #private> into memref<f32, #private>, memref<i32, #private>
    gpu.return
  }

  // Every combine contains the branches of the combiner region. The region is copied to the exchange of
  // lanes.
  // CHECK-LABEL: gpu.func @branches(
  // CHECK:         scf.for
  // CHECK:           arith.cmpf ogt
  // CHECK-NEXT:      scf.if
  // CHECK-NOT:     arith.cmpf
  // CHECK:         tile.all_reduce custom %{{.+}} scope(warp) width 8 stride 1 identity [0.000000e+00 : f32] combiner {
  // CHECK-NEXT:    ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32):
  // CHECK-NEXT:      arith.cmpf ogt, %[[R]], %[[L]]
  // CHECK-NEXT:      scf.if
  gpu.func @branches(%A: memref<4x64xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce custom %A into %B axes [1] scope(cta) {exec = #cta32, params = #group8, variant = "shared"}
      identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %more = arith.cmpf ogt, %r, %l : f32
      %m = scf.if %more -> (f32) {
        scf.yield %r : f32
      } else {
        scf.yield %l : f32
      }
      tile.yield %m : f32
    } : memref<4x64xf32> into memref<4xf32>
    gpu.return
  }

  // The combiner region combines f16 elements in f32 if its arguments are f32.
  // CHECK-LABEL: gpu.func @custom_halves(
  // CHECK:         scf.for {{.+}} -> (f32) {
  // CHECK:           %[[W:.+]] = arith.extf %{{.+}} : f16 to f32
  // CHECK-NEXT:      arith.mulf %{{.+}}, %[[W]] : f32
  // CHECK:         arith.truncf %{{.+}} : f32 to f16
  gpu.func @custom_halves() private(%S: memref<40xf16, #private>, %T: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce custom %S into %T axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"} identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<40xf16, #private> into memref<f16, #private>
    gpu.return
  }
}
