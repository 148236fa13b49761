// RUN: not tx run %s --device cpu --entry unwritten --arg full:3:20xf32 --arg zeros:20xf32 2>&1
// EXIT: 3
// RUN(HALF): not tx run %s --device cpu --entry half --arg full:3:20xf32 --arg zeros:20xf32 2>&1
// EXIT: 3
// RUN(WHOLE): tx run %s --device cpu --entry whole --arg full:3:20xf32 --arg zeros:20xf32
// SNAPSHOT: none — addresses differ from run to run.

// Uninitialized private memory holds old contents of the stack: reading it is an error, as for shared and
// global memory.
// CHECK: run-unwritten-private.mlir:19:10: error: {{.*}}read of 4 bytes at byte 4 of private memory (32 bytes)
// Half of a vector is uninitialized, which is an error.
// HALF:  run-unwritten-private.mlir:31:10: error: {{.*}}read of 8 bytes at byte 0 of private memory (32 bytes)
// WHOLE: [3. 3. 3.
gpu.module @kernels {
  gpu.func @unwritten(%A: memref<20xf32>, %B: memref<20xf32>) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %p = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    %x = memref.load %p[%c1] : memref<8xf32, #gpu.address_space<private>>
    memref.store %x, %B[%t] : memref<20xf32>
    gpu.return
  }

  gpu.func @half(%A: memref<20xf32>, %B: memref<20xf32>) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %p = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    %a = memref.load %A[%t] : memref<20xf32>
    memref.store %a, %p[%c1] : memref<8xf32, #gpu.address_space<private>>
    %v = vector.load %p[%c0] : memref<8xf32, #gpu.address_space<private>>, vector<2xf32>
    %x = vector.extract %v[1] : f32 from vector<2xf32>
    memref.store %x, %B[%t] : memref<20xf32>
    gpu.return
  }

  gpu.func @whole(%A: memref<20xf32>, %B: memref<20xf32>) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %p = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    %a = memref.load %A[%t] : memref<20xf32>
    memref.store %a, %p[%c1] : memref<8xf32, #gpu.address_space<private>>
    %x = memref.load %p[%c1] : memref<8xf32, #gpu.address_space<private>>
    memref.store %x, %B[%t] : memref<20xf32>
    gpu.return
  }
}
