// RUN: tx-opt %s --tile-schedule

// Without maps a `with` operand lies as the results do: with the reduced dimensions removed, or kept as 1.
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
func.func @one(%A: memref<64xf32>, %O: memref<f32>, %W: memref<f32>) {
  tile.reduce sum %A into %O with %W axes [0] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<64xf32> into memref<f32> with memref<f32>
  return
}
func.func @rows(%A: memref<?x64xf32>, %O: memref<?xf32>, %W: memref<?x1xf32>) {
  tile.reduce sum %A into %O with %W axes [1] scope(grid) epilogue {
  ^bb0(%r: f32, %w: f32, %i: index):
    %z = arith.addf %r, %w : f32
    tile.yield %z : f32
  } : memref<?x64xf32> into memref<?xf32> with memref<?x1xf32>
  return
}
