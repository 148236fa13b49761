// RUN: tx run %s --entry fenced --device cpu --grid 3 --arg zeros:3xf32 --arg zeros:1xi32 --arg zeros:f32 2>&1
// RUN(RELEASE): not tx run %s --entry no_release --device cpu --grid 3 --arg zeros:3xf32 --arg zeros:1xi32 --arg zeros:f32 2>&1
// EXIT: 3
// RUN(ACQUIRE): not tx run %s --entry no_acquire --device cpu --grid 3 --arg zeros:3xf32 --arg zeros:1xi32 --arg zeros:f32 2>&1
// EXIT: 3
// SNAPSHOT: none — which of two accesses is called the second is the executor's business.

// Each block stores a number, and the block that counts last adds them. Fences before and after the atomic
// count order the accesses. Without one of them, the last block may read unordered stores, which may be
// missing on a GPU. An ordering on the atomic does not help: PTX is emitted without it.

gpu.module @kernels {
  // CHECK:      argument 2: f32
  // CHECK-NEXT: 3.0
  gpu.func @fenced(%P: memref<3xf32>, %C: memref<1xi32>, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %x = arith.constant 1.0 : f32
    %b = gpu.block_id x
    memref.store %x, %P[%b] : memref<3xf32>
    llvm.fence syncscope("device") acq_rel
    %n = memref.atomic_rmw addi %one, %C[%c0] : (i32, memref<1xi32>) -> i32
    llvm.fence syncscope("device") acq_rel
    %last = arith.cmpi eq, %n, %two : i32
    scf.if %last {
      %p0 = memref.load %P[%c0] : memref<3xf32>
      %p1 = memref.load %P[%c1] : memref<3xf32>
      %p2 = memref.load %P[%c2] : memref<3xf32>
      %s = arith.addf %p0, %p1 : f32
      %t = arith.addf %s, %p2 : f32
      memref.store %t, %R[] : memref<f32>
    }
    gpu.return
  }

  // RELEASE: run-fences.mlir:{{.+}}: error: race on global memory
  gpu.func @no_release(%P: memref<3xf32>, %C: memref<1xi32>, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %x = arith.constant 1.0 : f32
    %b = gpu.block_id x
    memref.store %x, %P[%b] : memref<3xf32>
    %n = memref.atomic_rmw addi %one, %C[%c0] : (i32, memref<1xi32>) -> i32
    llvm.fence syncscope("device") acq_rel
    %last = arith.cmpi eq, %n, %two : i32
    scf.if %last {
      %p0 = memref.load %P[%c0] : memref<3xf32>
      memref.store %p0, %R[] : memref<f32>
    }
    gpu.return
  }

  // ACQUIRE: run-fences.mlir:{{.+}}: error: race on global memory
  gpu.func @no_acquire(%P: memref<3xf32>, %C: memref<1xi32>, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %x = arith.constant 1.0 : f32
    %b = gpu.block_id x
    memref.store %x, %P[%b] : memref<3xf32>
    llvm.fence syncscope("device") acq_rel
    %n = memref.atomic_rmw addi %one, %C[%c0] : (i32, memref<1xi32>) -> i32
    %last = arith.cmpi eq, %n, %two : i32
    scf.if %last {
      %p0 = memref.load %P[%c0] : memref<3xf32>
      memref.store %p0, %R[] : memref<f32>
    }
    gpu.return
  }
}
