// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// For integers, one `redux.sync` is cheaper than five shuffles, but it needs whole warps or equal parts of
// warps.
// CHECK:       .visible .entry integers(
// CHECK-NOT:   redux
// CHECK-COUNT-5: shfl.sync.idx.b32
// CHECK-NOT:   {{shfl|redux}}
// CHECK:       ret;
gpu.module @kernels {
  gpu.func @integers(%A: memref<4x48xi32>, %B: memref<4x48xi32>)
      kernel attributes {known_block_size = array<i32: 48, 4, 1>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %v = memref.load %A[%y, %x] : memref<4x48xi32>
    %s = tile.all_reduce sum %v scope(cta) width 48 : i32 -> i32
    memref.store %s, %B[%y, %x] : memref<4x48xi32>
    gpu.return
  }
}
