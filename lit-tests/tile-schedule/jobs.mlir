// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Kernels of ops other than plain reductions, and kernel arguments.

// An element region, maps and an epilogue: the bias is loaded once for each result.
// CHECK-LABEL: gpu.func @convolution_0
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK:         memref.load %{{.+}}[%{{.+}}] : memref<?xf32>
// CHECK:         arith.addf
// CHECK:         memref.store
// COUNT: @convolution_0 barriers = 0, shuffles = 0, loads = 3, stores = 1, scf.for = 3, scf.if = 1
// COUNT: @convolution gpu.launch_func = 1, cf.assert = 3
func.func @convolution(%A: memref<?x?xf32>, %K: memref<3x3xf32>, %B: memref<?x?xf32>, %bias: memref<?xf32>) {
  tile.reduce sum %A, %K into %B with %bias axes [2, 3] scope(grid)
    {maps = [affine_map<(i, j, di, dj) -> (i + di, j + dj)>, affine_map<(i, j, di, dj) -> (di, dj)>,
             affine_map<(i, j, di, dj) -> (i, j)>, affine_map<(i, j, di, dj) -> (j)>]}
    element {
    ^bb0(%a: f32, %k: f32, %i: index, %j: index, %di: index, %dj: index):
      %p = arith.mulf %a, %k : f32
      tile.yield %p : f32
    } epilogue {
    ^bb0(%r: f32, %b: f32, %i: index, %j: index):
      %s = arith.addf %r, %b : f32
      tile.yield %s : f32
    } : memref<?x?xf32>, memref<3x3xf32> into memref<?x?xf32> with memref<?xf32>
  return
}

// Small element-wise ops, also in place: one thread per element. `linalg.index` is the loop index.
// CHECK-LABEL: gpu.func @element_wise_0
// CHECK:         math.absf
// CHECK-LABEL: gpu.func @element_wise_1
// CHECK:         %[[AT:.+]] = arith.addi
// CHECK-NOT:     linalg.index
// CHECK:         arith.index_cast %[[AT]]
// CHECK-LABEL: gpu.func @element_wise_2
// CHECK:         memref.store %cst
// CHECK-LABEL: gpu.func @element_wise_3
// CHECK:         memref.load
// CHECK-NEXT:    memref.store
// COUNT: @element_wise_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 0, scf.if = 1
// COUNT: @element_wise_1 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 0, scf.if = 1
// COUNT: @element_wise_2 barriers = 0, shuffles = 0, loads = 0, stores = 1, scf.for = 0, scf.if = 1
// COUNT: @element_wise_3 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 0, scf.if = 1
// COUNT: @element_wise gpu.launch_func = 4, cf.assert = 0
func.func @element_wise(%A: memref<1003xf32>, %B: memref<1003xi32>, %C: memref<1003xf32>) {
  linalg.map { math.absf } ins(%A : memref<1003xf32>) outs(%A : memref<1003xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%B : memref<1003xi32>) {
  ^bb0(%b: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %s = arith.addi %b, %n : i32
    linalg.yield %s : i32
  }
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%C : memref<1003xf32>)
  memref.copy %A, %C : memref<1003xf32> to memref<1003xf32>
  return
}

// Scalars of the host: arguments and indices are kernel arguments, others are recomputed in the kernel.
// CHECK-LABEL: gpu.func @scalars_0
// CHECK-SAME:    (%{{.+}}: memref<?xf32>, %{{.+}}: memref<f32>, %[[N:.+]]: index, %[[SCALE:.+]]: f32)
// CHECK:         %[[I:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[F:.+]] = arith.sitofp %[[I]] : i64 to f32
// CHECK:         %[[M:.+]] = arith.divf %{{.+}}, %[[F]]
// CHECK:         arith.mulf %[[M]], %[[SCALE]]
// CHECK-LABEL: func.func @scalars(
// CHECK:         %[[D:.+]] = memref.dim
// CHECK:         gpu.launch_func @scalars_kernels::@scalars_0
// CHECK-SAME:      %[[D]] : index
// COUNT: @scalars_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @scalars gpu.launch_func = 1
func.func @scalars(%A: memref<?xf32>, %B: memref<f32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  tile.reduce sum %A into %B axes [0] scope(grid) {schedule = []} epilogue {
  ^bb0(%r: f32):
    %mean = arith.divf %r, %f : f32
    %s = arith.mulf %mean, %scale : f32
    tile.yield %s : f32
  } : memref<?xf32> into memref<f32>
  return
}

// More blocks than the grid limit: a grid-stride loop, and the host limits the grid.
// CHECK-LABEL: gpu.func @too_many_blocks_0
// CHECK:         scf.for %{{.+}} = %block_id_y to %{{.+}} step %grid_dim_y
// CHECK-LABEL: func.func @too_many_blocks(
// CHECK:         gpu.launch_func {{.+}} blocks in (%c1, %c65535, %c1)
// COUNT: @too_many_blocks_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2
// COUNT: @too_many_blocks gpu.launch_func = 1
func.func @too_many_blocks(%A: memref<100000x4xf32>, %B: memref<100000xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_y>]}
    : memref<100000x4xf32> into memref<100000xf32>
  return
}

// Empty iteration spaces: no blocks are launched, or only the identity is stored.
// CHECK-LABEL: gpu.func @nothing_0
// CHECK-LABEL: gpu.func @nothing_1
// CHECK-NOT:     memref.load
// CHECK:         memref.store %cst
// CHECK-LABEL: func.func @nothing(
// CHECK:         gpu.launch_func {{.+}}@nothing_0 blocks in (%c0
// COUNT: @nothing_0 barriers = 0, shuffles = 0, loads = 0, stores = 0
// COUNT: @nothing_1 barriers = 0, shuffles = 0, loads = 0, stores = 1
// COUNT: @nothing gpu.launch_func = 2
func.func @nothing(%A: memref<0x8xf32>, %B: memref<0xf32>, %C: memref<8x0xf32>, %D: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<0x8xf32> into memref<0xf32>
  tile.reduce sum %C into %D axes [1] scope(grid) : memref<8x0xf32> into memref<8xf32>
  return
}

// A body may gather from other memory, and an output may have a dimension with a constant index.
// CHECK-LABEL: gpu.func @lookup_0
// CHECK:         %[[AT:.+]] = arith.index_cast
// CHECK:         memref.load %{{.+}}[%[[AT]]] : memref<256xf32>
// CHECK:         memref.store %{{.+}}, %{{.+}}[%{{.+}}, %c0] {{.*}}: memref<?x1xf32>
// COUNT: @lookup_0 barriers = 0, shuffles = 0, loads = 2, stores = 1, scf.for = 1, scf.if = 1
// COUNT: @lookup gpu.launch_func = 1, cf.assert = 1
func.func @lookup(%A: memref<?xi32>, %T: memref<256xf32>, %B: memref<?x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%A : memref<?xi32>) outs(%B : memref<?x1xf32>) {
  ^bb0(%a: i32, %b: f32):
    %i = arith.index_cast %a : i32 to index
    %x = memref.load %T[%i] : memref<256xf32>
    linalg.yield %x : f32
  }
  return
}

// Function names may be any text; kernel names are valid in PTX.
// CHECK: gpu.module @_0a_b_kernels
// CHECK: gpu.func @_0a_b_0
// CHECK: gpu.launch_func @_0a_b_kernels::@_0a_b_0
func.func @"0a-b"(%A: memref<?xf32>) {
  linalg.map { math.absf } ins(%A : memref<?xf32>) outs(%A : memref<?xf32>)
  return
}
