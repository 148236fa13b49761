// RUN: tx run %s --entry ranks --device cpu --chip sm_90 --arg zeros:6xi32 2>&1
// RUN(LATE): not tx run %s --entry no_start --device cpu --chip sm_90 --arg zeros:2xf32 2>&1
// EXIT: 3
// RUN(GIVEN): tx run %s --entry no_barrier --device cpu --chip sm_90 --arg zeros:2xf32 2>&1
// SNAPSHOT: none — a fault's text is the executor's business.

// Blocks of a cluster on the executor: their ids and their shared memory.

gpu.module @kernels {
  memref.global "private" @slot : memref<1xf32, #gpu.address_space<workgroup>> = uninitialized

  // Six blocks are two clusters of three; each block writes its cluster id and its rank.
  // CHECK:      argument 0: 6xi32
  // CHECK-NEXT: 0  1  2 10 11 12
  gpu.func @ranks(%R: memref<6xi32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>, known_grid_size = array<i32: 6, 1, 1>} {
    %b = gpu.block_id x
    %c = gpu.cluster_id x
    %p = gpu.cluster_block_id x
    %c10 = arith.constant 10 : index
    %t = arith.muli %c, %c10 : index
    %n = arith.addi %t, %p : index
    %v = arith.index_cast %n : index to i32
    memref.store %v, %R[%b] : memref<6xi32>
    gpu.return
  }

  // The other block may not have started yet.
  // LATE: run-clusters.mlir{{.*}}may not have begun
  gpu.func @no_start(%R: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %to = arith.subi %one, %rank : i32
    %slot = memref.get_global @slot : memref<1xf32, #gpu.address_space<workgroup>>
    %at = memref.extract_aligned_pointer_as_index %slot : memref<1xf32, #gpu.address_space<workgroup>> -> index
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %theirs = nvvm.mapa %own, %to : !llvm.ptr<3> -> !llvm.ptr<7>
    %x = arith.constant 1.0 : f32
    llvm.store %x, %theirs : f32, !llvm.ptr<7>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %y = memref.load %slot[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    memref.store %y, %R[%b] : memref<2xf32>
    gpu.return
  }

  // The compiler inserts the barrier between the store and the load.
  // GIVEN:      argument 0: 2xf32
  // GIVEN-NEXT: 1. 1.
  gpu.func @no_barrier(%R: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %to = arith.subi %one, %rank : i32
    %slot = memref.get_global @slot : memref<1xf32, #gpu.address_space<workgroup>>
    %x = arith.constant 1.0 : f32
    memref.store %x, %slot[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %at = memref.extract_aligned_pointer_as_index %slot : memref<1xf32, #gpu.address_space<workgroup>> -> index
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %theirs = nvvm.mapa %own, %to : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %x, %theirs : f32, !llvm.ptr<7>
    %y = memref.load %slot[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    memref.store %y, %R[%b] : memref<2xf32>
    gpu.return
  }
}
