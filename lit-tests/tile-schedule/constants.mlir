// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK lines state where constants are, and validation what is computed
// VALIDATE: --chip sm_90

// A constant array is not an argument of a kernel: the GPU module gets one copy for all kernels. The host
// function and its module no longer have the array.
// CHECK-NOT:     memref.global
// CHECK-LABEL: gpu.module @dot_kernels
// CHECK:         memref.global "private" constant @weights : memref<7xf32> = dense<[1.000000e+00, -0.000000e+00, 0x7F800000
// CHECK-NOT:     memref.global
// CHECK:         gpu.func @dot_0(%{{[^,]+}}: memref<5x7xf32>, %{{[^,]+}}: memref<5xf32>) kernel
// CHECK:           memref.get_global @weights : memref<7xf32>
// CHECK:         gpu.func @dot_1(%{{[^,]+}}: memref<7xf32>) kernel
// CHECK:           memref.get_global @weights : memref<7xf32>
// CHECK-LABEL: func.func @dot(
// CHECK-NOT:     memref.get_global
// CHECK:         args(%{{[^,]+}} : memref<5x7xf32>, %{{[^,]+}} : memref<5xf32>)
// CHECK:         args(%{{[^,]+}} : memref<7xf32>)
memref.global "private" constant @weights : memref<7xf32> = dense<[1.0, -0.0, 0x7F800000, 4.0, 5.0, 6.0, 0x7FC00000]>
func.func @dot(%A: memref<5x7xf32>, %B: memref<5xf32>, %C: memref<7xf32>) {
  %w = memref.get_global @weights : memref<7xf32>
  tile.reduce sum %A, %w into %B axes [1] scope(grid)
    {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]}
    element {
    ^bb0(%a: f32, %k: f32, %i: index, %j: index):
      %p = arith.mulf %a, %k : f32
      tile.yield %p : f32
    } : memref<5x7xf32>, memref<7xf32> into memref<5xf32>
  memref.copy %w, %C : memref<7xf32> to memref<7xf32>
  return
}

// A view of a constant array is computed in the kernel, and its sizes on the host. If a kernel has the name
// of the array, the copy is renamed. A public array stays in place.
// CHECK:       memref.global constant @part_0 : memref<1003xi32>
// CHECK-LABEL: gpu.module @part_kernels
// CHECK:         memref.global "private" constant @part_0_1 : memref<1003xi32>
// CHECK:         gpu.func @part_0(
// CHECK:           %[[ALL:.+]] = memref.get_global @part_0_1 : memref<1003xi32>
// CHECK:           memref.subview %[[ALL]][%{{.+}}] [%{{.+}}] [1]
// CHECK-LABEL: func.func @part(
// CHECK-NOT:     memref.subview
memref.global constant @part_0 : memref<1003xi32> = dense<7>
func.func @part(%from: index, %size: index, %A: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1003 = arith.constant 1003 : index
  %end = arith.addi %from, %size : index
  %first = arith.cmpi sge, %from, %c0 : index
  %sized = arith.cmpi sge, %size, %c0 : index
  %last = arith.cmpi sle, %end, %c1003 : index
  cf.assert %first, "begins inside"
  cf.assert %sized, "no negative size"
  cf.assert %last, "ends inside"
  %w = memref.get_global @part_0 : memref<1003xi32>
  %s = memref.subview %w[%from] [%size] [1] : memref<1003xi32> to memref<?xi32, strided<[1], offset: ?>>
  linalg.add ins(%s, %A : memref<?xi32, strided<[1], offset: ?>>, memref<?xi32>) outs(%A : memref<?xi32>)
  return
}

// The body of an op gathers from a constant array.
// CHECK-LABEL: gpu.func @gather_0(%{{[^,]+}}: memref<100xi1>, %{{[^,]+}}: memref<100xf64>) kernel
// CHECK:         memref.get_global @table : memref<2xf64>
// CHECK:         memref.load %{{.+}}[%{{.+}}] : memref<2xf64>
memref.global "private" constant @table : memref<2xf64> = dense<[0.5, -0.0]>
func.func @gather(%I: memref<100xi1>, %A: memref<100xf64>) {
  %w = memref.get_global @table : memref<2xf64>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%I : memref<100xi1>) outs(%A : memref<100xf64>) {
  ^bb0(%i: i1, %o: f64):
    %at = arith.index_castui %i : i1 to index
    %x = memref.load %w[%at] : memref<2xf64>
    linalg.yield %x : f64
  }
  return
}
