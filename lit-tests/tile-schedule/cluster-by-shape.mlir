// RUN: tx-opt %s --tile-schedule=chip=sm_90
// RUN(OLDER): tx-opt %s --tile-schedule=chip=sm_80
// SNAPSHOT: none — the steps of each schedule are in the snapshots of other tests.

// OLDER-NOT: known_cluster_size

// With clusters, a cluster shares a row that is too long for one block and too short for the grid.

// CHECK-LABEL: gpu.func @medium_0(
// CHECK-SAME:    known_cluster_size = array<i32: 8, 1, 1>
func.func @medium(%A: memref<65536xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<65536xf32> into memref<f32>
  return
}

// Fewer rows have more blocks each.
// CHECK-LABEL: gpu.func @sixteen_rows_0(
// CHECK-SAME:    known_cluster_size = array<i32: 8, 1, 1>
func.func @sixteen_rows(%A: memref<16x32768xf32>, %B: memref<16xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<16x32768xf32> into memref<16xf32>
  return
}

// CHECK-LABEL: gpu.func @hundred_rows_0(
// CHECK-SAME:    known_cluster_size = array<i32: 2, 1, 1>
func.func @hundred_rows(%A: memref<100x65536xf16>, %B: memref<100xf16>) {
  tile.reduce max %A into %B axes [1] scope(grid) : memref<100x65536xf16> into memref<100xf16>
  return
}

// CHECK-LABEL: gpu.func @columns_0(
// CHECK-SAME:    known_cluster_size = array<i32: 1, 8, 1>
func.func @columns(%A: memref<1024x1000xf32>, %B: memref<1000xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<1024x1000xf32> into memref<1000xf32>
  return
}

// Many rows occupy the device with one block each; few very long rows need more blocks than a cluster has.
// CHECK-LABEL: gpu.func @many_rows_0(
// CHECK-NOT:     known_cluster_size
// CHECK-LABEL: gpu.func @very_long_rows_0(
// CHECK-NOT:     known_cluster_size
func.func @many_rows(%A: memref<1000x32768xf32>, %B: memref<1000xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<1000x32768xf32> into memref<1000xf32>
  return
}

func.func @very_long_rows(%A: memref<4x1048576xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x1048576xf32> into memref<4xf32>
  return
}

// In a batch-invariant op, the schedule does not depend on the number of rows.
// CHECK-LABEL: gpu.func @any_number_of_rows_0(
// CHECK-NOT:     known_cluster_size
func.func @any_number_of_rows(%A: memref<16x32768xf32>, %B: memref<16xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>} : memref<16x32768xf32> into memref<16xf32>
  return
}

// With many elements per thread, there are too few blocks: a cache line of narrow elements has more columns.
// CHECK-LABEL: gpu.func @tall_columns_0(
// CHECK-NOT:     known_cluster_size
// CHECK-LABEL: gpu.func @narrow_columns_0(
// CHECK-NOT:     known_cluster_size
func.func @tall_columns(%A: memref<8192x64xf32>, %B: memref<64xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<8192x64xf32> into memref<64xf32>
  return
}

func.func @narrow_columns(%A: memref<2048x256xi8>, %B: memref<256xi8>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<2048x256xi8> into memref<256xi8>
  return
}

// A single block reads 30 KB as fast as a cluster.
// CHECK-LABEL: gpu.func @few_bytes_0(
// CHECK-NOT:     known_cluster_size
func.func @few_bytes(%A: memref<33x15000xf16>, %B: memref<33xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<33x15000xf16> into memref<33xf16>
  return
}
