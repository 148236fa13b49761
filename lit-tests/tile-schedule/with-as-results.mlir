// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Without maps, a `with` operand has the shape of the results: reduced dimensions are removed or have size 1.
// CHECK-LABEL: gpu.func @one_0(
// CHECK:         %[[W:.+]] = memref.load %{{.+}}[] : memref<f32>
// CHECK:         %[[S:.+]] = arith.addf %{{.+}}, %[[W]] : f32
// CHECK:         memref.store %[[S]], %{{.+}}[]
// CHECK-LABEL: gpu.func @rows_0(
// CHECK:         %[[W:.+]] = memref.load %{{.+}}[%[[ROW:.+]], %c0{{.*}}] : memref<?x1xf32>
// CHECK:         %[[S:.+]] = arith.addf %{{.+}}, %[[W]] : f32
// CHECK:         memref.store %[[S]], %{{.+}}[%[[ROW]]] {{.*}}: memref<?xf32>
// CHECK-LABEL: func.func @rows(
// CHECK:         cf.assert %{{.+}}, "arg0.dim0 and arg2.dim0 are one dimension of the reduction"
// COUNT: @one_0 tile.all_reduce = 1, scf.if = 1, memref.load = 3, memref.store = 1
// COUNT: @one gpu.launch_func = 1
func.func @one(%A: memref<64xf32>, %O: memref<f32>, %W: memref<f32>) {
  tile.reduce sum %A into %O with %W axes [0] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<64xf32> into memref<f32> with memref<f32>
  return
}
// COUNT: @rows_0 tile.all_reduce = 4, scf.for = 2, scf.if = 66, memref.load = 20, vector.load = 8, memref.store = 4
// COUNT: @rows gpu.launch_func = 1, cf.assert = 2
func.func @rows(%A: memref<?x64xf32>, %O: memref<?xf32>, %W: memref<?x1xf32>) {
  tile.reduce sum %A into %O with %W axes [1] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32, %i: index):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<?x64xf32> into memref<?xf32> with memref<?x1xf32>
  return
}
