// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK lines state which blocks store where, and what a block waits for

// Values of several blocks.

gpu.module @m [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  // Each block combines its own values. Each of eight threads stores the result in the shared memory of another block, in
  // the slot of its own block. Thread 0 expects 32 bytes, all threads wait for them, and every thread combines the eight
  // results. Blocks arrive at the start of the kernel, after thread 0 has initialized the mbarrier object, and wait before
  // the first store.
  // CHECK-LABEL: gpu.func @all_threads
  // CHECK:         scf.if
  // CHECK:           nvvm.mbarrier.init %{{.+}}, %c1_i32
  // CHECK-NEXT:      nvvm.fence.mbarrier.init
  // CHECK:         nvvm.cluster.arrive.relaxed
  // CHECK:         memref.load %[[OWN:.+]][%{{.+}}] : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK:         nvvm.cluster.wait
  // CHECK:         %[[SHARED:.+]] = memref.get_global @all_threads_scratch{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK:         %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK:         %[[STORES:.+]] = arith.cmpi ult, %{{.+}}, %c8
  // CHECK:         scf.if %[[STORES]] {
  // CHECK:           %[[SIGNAL:.+]] = nvvm.mapa {{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK:           %[[THEIRS:.+]] = nvvm.mapa {{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK:           llvm.inline_asm {{.+}} "st.async.{{.+}}.b32 {{.+}}" %[[THEIRS]], %{{.+}}, %[[SIGNAL]]
  // CHECK:         }
  // CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c32_i32
  // CHECK:         scf.while
  // CHECK:           nvvm.mbarrier.try_wait {{.+}}scope = #nvvm.mem_scope<cluster>
  // CHECK-COUNT-8: memref.load %[[SHARED]]
  gpu.func @all_threads(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 2, 1>} {
    %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A thread and those of the same number in the two other blocks: nothing is combined within a block, and there are more
  // stores than threads. A byte is too narrow for an asynchronous store.
  // CHECK-LABEL: gpu.func @same_number
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     st.async
  // CHECK-COUNT-3: nvvm.mapa
  // CHECK-NOT:     nvvm.mapa
  // CHECK-COUNT-3: memref.load
  gpu.func @same_number(%v: i8, %R: memref<i8>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
    %s = tile.all_reduce max %v scope(cluster) width 3 stride 20 : i8 -> i8
    memref.store %s, %R[] : memref<i8>
    gpu.return
  }

  // Pairs of blocks, and of those every other thread: two values of each block, of two parts each.
  // CHECK-LABEL: gpu.func @pairs
  // CHECK-COUNT-2: memref.get_global @pairs_scratch{{.*}} : memref<4x
  // CHECK:         %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK-COUNT-2: st.async
  // CHECK-NOT:     st.async
  gpu.func @pairs(%v: f32, %i: i32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %s, %j = tile.all_reduce argmax %v, %i scope(cluster) width 32 stride 2 : f32, i32 -> f32, i32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // An mbarrier object completes one phase: blocks of an exchange in a loop meet at the barrier of the cluster.
  // CHECK-LABEL: gpu.func @in_a_loop
  // CHECK:         nvvm.cluster.arrive.relaxed
  // CHECK-NOT:     st.async
  // CHECK:         llvm.store {{.+}} !llvm.ptr<7>
  gpu.func @in_a_loop(%v: f32, %R: memref<?x4x32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %R, %c0 : memref<?x4x32xf32>
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.all_reduce sum %v scope(cluster) : f32 -> f32
      memref.store %s, %R[%i, %block, %thread] : memref<?x4x32xf32>
    }
    gpu.return
  }

  // A group within a block needs no other block.
  // CHECK-LABEL: gpu.func @within_blocks
  // CHECK-NOT:     cluster.
  // CHECK-COUNT-3: gpu.shuffle
  // CHECK-NOT:     cluster.
  // CHECK:         gpu.return
  gpu.func @within_blocks(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cluster) width 8 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
