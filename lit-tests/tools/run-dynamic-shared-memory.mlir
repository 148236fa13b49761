// RUN: not tx run %s --device cpu --entry copy --arg full:3:32xf32 --arg zeros:32xf32 2>&1
// EXIT: 3
// RUN(SEEN): tx run %s --device cpu --entry fixed --arg full:3:32xf32 --arg zeros:32xf32
// RUN(PLAN): tx compile %s --entry fixed --plan -
// RUN(GIVEN): tx run %s --device cpu --entry gives --arg full:3:32xf32 --arg zeros:32xf32
// SNAPSHOT: none — what is printed is checked.

// A kernel that is run alone gets as much dynamic shared memory as its static views need. With a dynamic size
// it gets none, and the error shows the option.
// CHECK: error: out of bounds: write of 4 bytes of shared memory at byte {{.+}} of dynamic shared memory (0 bytes)
// CHECK: note: this kernel has no dynamic shared memory: declare the array after its arguments, `workgroup(%S : memref<32xf32, #gpu.address_space<workgroup>>)`, or launch it from a host function by `gpu.launch_func` with `dynamic_shared_memory_size`
// SEEN: argument 1: 32xf32
// SEEN-NEXT: [3. 3. 3.
// PLAN: "dynamic_shared_bytes": 160
// GIVEN: argument 1: 32xf32
// GIVEN-NEXT: [3. 3. 3.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @copy(%A: memref<32xf32>, %B: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %n = gpu.block_dim x
      %s = memref.view %d[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x
      %v = memref.load %A[%t] : memref<32xf32>
      memref.store %v, %s[%t] : memref<?xf32, #gpu.address_space<workgroup>>
      %w = memref.load %s[%t] : memref<?xf32, #gpu.address_space<workgroup>>
      memref.store %w, %B[%t] : memref<32xf32>
      gpu.return
    }
    gpu.func @fixed(%A: memref<32xf32>, %B: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c32 = arith.constant 32 : index
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %d[%c32][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x
      %v = memref.load %A[%t] : memref<32xf32>
      memref.store %v, %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      %w = memref.load %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %w, %B[%t] : memref<32xf32>
      gpu.return
    }
  }
  func.func @gives(%A: memref<32xf32>, %B: memref<32xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 128 : i32
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      dynamic_shared_memory_size %bytes args(%A : memref<32xf32>, %B : memref<32xf32>)
    return
  }
}
