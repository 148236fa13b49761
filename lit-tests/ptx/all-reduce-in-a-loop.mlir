// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// Four iterations have two barriers each, whether LLVM unrolls the loop or not.
// CHECK:       .visible .entry in_a_loop(
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       st.shared
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       bar{{(rier)?}}.sync 0;
// CHECK-NOT:   {{shfl|bar\.|barrier}}
// CHECK:       ld.shared
// CHECK-COUNT-2: shfl.sync.bfly.b32
gpu.module @kernels {
  gpu.func @in_a_loop(%A: memref<4x96xf32>, %B: memref<4x96xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %A[%i, %t] : memref<4x96xf32>
      %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
      memref.store %s, %B[%i, %t] : memref<4x96xf32>
    }
    gpu.return
  }
}
