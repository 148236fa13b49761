// RUN: tx-opt %s --tile-schedule=chip=sm_90
// RUN(CHOICE): tx-opt %s --tile-choose-schedule=chip=sm_90
// SNAPSHOT: none — CHECK states where the kernels load the weights

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// With `#tile.prefetch`, the kernel loads the weights before the reduction.
// CHECK-LABEL: gpu.func @prefetched_0(
// CHECK-SAME:    %[[A:[^:]+]]: memref<5x128xf32>, %[[W:[^:]+]]: memref<128xf32>
// CHECK:         vector.load %[[A]]
// CHECK:         vector.load %[[W]]
// CHECK:         tile.all_reduce sum
// CHECK-NOT:     {{vector|memref}}.load
// CHECK-LABEL: func.func @prefetched(
func.func @prefetched(%A: memref<5x128xf32>, %W: memref<128xf32>, %B: memref<5x128xf32>) {
  %s = memref.alloc() : memref<5xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    %q = arith.mulf %a, %a : f32
    tile.yield %q : f32
  } {tile.group = 0 : i64, schedule = [#tile.split<"r0" by 4>, #tile.bind<"p0" to block_x>,
     #tile.bind<"r0.o" to thread_x>, #tile.vectorize<"r0.i">, #tile.prefetch, #tile.hold<"in0" in registers>,
     #tile.hold<"tmp0" in registers>, #tile.hold<"in1" in registers>]} : memref<5x128xf32> into memref<5xf32>
  linalg.generic {indexing_maps = [#whole, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %s, %W : memref<5x128xf32>, memref<5xf32>, memref<128xf32>) outs(%B : memref<5x128xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %t: f32, %w: f32, %old: f32):
    %x = arith.mulf %a, %t : f32
    %y = arith.mulf %x, %w : f32
    linalg.yield %y : f32
  }
  memref.dealloc %s : memref<5xf32>
  return
}

// Without `#tile.prefetch`, the kernel loads the weights after the reduction. The chosen schedule prefetches.
// CHECK-LABEL: gpu.func @late_0(
// CHECK-SAME:    %[[A:[^:]+]]: memref<5x128xf32>, %[[W:[^:]+]]: memref<128xf32>
// CHECK-NOT:     vector.load %[[W]]
// CHECK:         tile.all_reduce sum
// CHECK:         vector.load %[[W]]
// CHECK-LABEL: func.func @late(
func.func @late(%A: memref<5x128xf32>, %W: memref<128xf32>, %B: memref<5x128xf32>) {
  %s = memref.alloc() : memref<5xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    %q = arith.mulf %a, %a : f32
    tile.yield %q : f32
  } {tile.group = 0 : i64, schedule = [#tile.split<"r0" by 4>, #tile.bind<"p0" to block_x>,
     #tile.bind<"r0.o" to thread_x>, #tile.vectorize<"r0.i">, #tile.hold<"in0" in registers>,
     #tile.hold<"tmp0" in registers>, #tile.hold<"in1" in registers>]} : memref<5x128xf32> into memref<5xf32>
  linalg.generic {indexing_maps = [#whole, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %s, %W : memref<5x128xf32>, memref<5xf32>, memref<128xf32>) outs(%B : memref<5x128xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %t: f32, %w: f32, %old: f32):
    %x = arith.mulf %a, %t : f32
    %y = arith.mulf %x, %w : f32
    linalg.yield %y : f32
  }
  memref.dealloc %s : memref<5xf32>
  return
}

// CHOICE-LABEL: func.func @chosen(
// CHOICE:       #tile.prefetch
func.func @chosen(%A: memref<5x128xf32>, %W: memref<128xf32>, %B: memref<5x128xf32>) {
  %s = memref.alloc() : memref<5xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    %q = arith.mulf %a, %a : f32
    tile.yield %q : f32
  } {tile.group = 0 : i64} : memref<5x128xf32> into memref<5xf32>
  linalg.generic {indexing_maps = [#whole, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %s, %W : memref<5x128xf32>, memref<5xf32>, memref<128xf32>) outs(%B : memref<5x128xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %t: f32, %w: f32, %old: f32):
    %x = arith.mulf %a, %t : f32
    %y = arith.mulf %x, %w : f32
    linalg.yield %y : f32
  }
  memref.dealloc %s : memref<5xf32>
  return
}
