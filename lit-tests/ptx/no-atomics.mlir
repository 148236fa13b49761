// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100
// SNAPSHOT: none — CHECK and COUNT state which instructions there are, PTXAS that ptxas accepts them

// The order of additions does not depend on timing: there are no atomics, and no instruction queries the
// active lanes. Cases: rows, one long row, and one value per thread.
// CHECK:     .visible .entry sums(
// CHECK-NOT: {{atom\.|[^a-z]red\.|activemask|vote}}
// CHECK:     ret;
// CHECK-NOT: {{atom\.|[^a-z]red\.|activemask|vote}}
// COUNT: @sums barriers = 2, shuffles = 19, atomics = 0, loads = 48, global loads = 44, shared vector loads = 4
// COUNT: @sums stores = 5, global stores = 3, shared stores = 2
gpu.module @kernels {
  gpu.func @sums(%A: memref<40x1000xf32>, %B: memref<40xf32>, %C: memref<1x5000xf32>, %D: memref<1xf32>, %E: memref<192xf32>)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %t = gpu.thread_id x
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<40x1000xf32> into memref<40xf32>
    tile.reduce sum %C into %D axes [1] scope(cta) : memref<1x5000xf32> into memref<1xf32>
    %x = memref.load %E[%t] : memref<192xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %E[%t] : memref<192xf32>
    gpu.return
  }
}
