// RUN: tx-opt %s --tile-insert-sync

// Cluster barriers for accesses to the memory of other blocks.

!S = memref<2xf32, #gpu.address_space<workgroup>>

gpu.module @m [#nvvm.target<chip = "sm_90">] {
  memref.global "private" @slots : !S = uninitialized
  memref.global "private" @other : !S = uninitialized

  // Other blocks read a stored value after a cluster barrier. The separate arrive and wait of the program do
  // not order the accesses between them.
  // CHECK-LABEL: gpu.func @push
  // CHECK:         nvvm.cluster.arrive
  // CHECK:         nvvm.cluster.wait
  // CHECK:         llvm.store
  // CHECK-NOT:     gpu.barrier
  // CHECK:         nvvm.cluster.arrive
  // CHECK-NEXT:    nvvm.cluster.wait
  // CHECK:         memref.load
  // CHECK-NOT:     barrier
  // CHECK-NOT:     cluster
  // CHECK:         gpu.return
  gpu.func @push(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    nvvm.cluster.arrive
    %slots = memref.get_global @slots : !S
    %at = memref.extract_aligned_pointer_as_index %slots : !S -> index
    nvvm.cluster.wait
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %c1 = arith.constant 1 : i32
    %to = arith.xori %rank, %c1 : i32
    %theirs = nvvm.mapa %own, %to : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %v, %theirs : f32, !llvm.ptr<7>
    %x = memref.load %slots[%c0] : !S
    memref.store %x, %R[] : memref<f32>
    gpu.return
  }

  // The memory of a block ends with the block, so all blocks synchronize before the kernel ends. A block
  // barrier does not replace a cluster barrier, and is unnecessary next to one.
  // CHECK-LABEL: gpu.func @pull
  // CHECK:         memref.store
  // CHECK-NOT:     gpu.barrier
  // CHECK:         nvvm.cluster.arrive
  // CHECK-NEXT:    nvvm.cluster.wait
  // CHECK:         llvm.load
  // CHECK:         memref.store
  // CHECK-NEXT:    nvvm.cluster.arrive
  // CHECK-NEXT:    nvvm.cluster.wait
  // CHECK-NEXT:    gpu.return
  gpu.func @pull(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %slots = memref.get_global @slots : !S
    memref.store %v, %slots[%c0] : !S
    gpu.barrier
    %at = memref.extract_aligned_pointer_as_index %slots : !S -> index
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %c1 = arith.constant 1 : i32
    %of = arith.xori %rank, %c1 : i32
    %theirs = nvvm.mapa %own, %of : !llvm.ptr<3> -> !llvm.ptr<7>
    %x = llvm.load %theirs : !llvm.ptr<7> -> f32
    memref.store %x, %R[] : memref<f32>
    gpu.return
  }

  // Shared memory without accesses of other blocks only needs block barriers.
  // CHECK-LABEL: gpu.func @own_memory
  // CHECK:         llvm.store
  // CHECK:         memref.store %{{.+}}, %[[OTHER:.+]][
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load %[[OTHER]]
  // CHECK:         nvvm.cluster.arrive
  // CHECK-NEXT:    nvvm.cluster.wait
  // CHECK-NEXT:    gpu.return
  gpu.func @own_memory(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %is_first = arith.cmpi eq, %t, %c0 : index
    %slots = memref.get_global @slots : !S
    %at = memref.extract_aligned_pointer_as_index %slots : !S -> index
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %c1 = arith.constant 1 : i32
    %to = arith.xori %rank, %c1 : i32
    %theirs = nvvm.mapa %own, %to : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %v, %theirs : f32, !llvm.ptr<7>
    %other = memref.get_global @other : !S
    memref.store %v, %other[%c0] : !S
    %x = memref.load %other[%c0] : !S
    memref.store %x, %R[] : memref<f32>
    gpu.return
  }
}
