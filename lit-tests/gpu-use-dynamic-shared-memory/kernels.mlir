// RUN: tx-opt %s --gpu-use-dynamic-shared-memory
// VALIDATE: --chip sm_90
// SNAPSHOT: none — what becomes a view is checked

// 64 KB of attributions and a global variable become views of dynamic shared memory, each aligned to 16
// bytes. The private array stays.
// CHECK-LABEL: gpu.func @reversed
// CHECK-SAME:  private(%{{.+}} : memref<1xf32, #gpu.address_space<private>>)
// CHECK:       %[[ALL:.+]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:  %[[FIRST:.+]] = arith.constant 0 : index
// CHECK-NEXT:  memref.view %[[ALL]][%[[FIRST]]][] : {{.+}} to memref<16387xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:  %[[AT:.+]] = arith.constant 65552 : index
// CHECK-NEXT:  memref.view %[[ALL]][%[[AT]]][] : {{.+}} to memref<7xi64, #gpu.address_space<workgroup>>
// CHECK-NOT:   memref.get_global

// Shared memory within the static limit stays static.
// CHECK-LABEL: gpu.func @small
// CHECK:       memref.get_global @kept
// CHECK-NOT:   gpu.dynamic_shared_memory

// A numeric memory space stays numeric.
// CHECK-LABEL: gpu.func @numbered
// CHECK:       memref.memory_space_cast %{{.+}} : memref<16384xf32, #gpu.address_space<workgroup>> to memref<16384xf32, 3>

// A variable of two kernels stays static for the kernel within the limit.
// CHECK-LABEL: gpu.func @both
// CHECK:       gpu.dynamic_shared_memory

// Each launch requests the dynamic shared memory of its kernel.
// CHECK-LABEL: func.func @host
// CHECK:       %[[BYTES:.+]] = arith.constant 65608 : i32
// CHECK:       gpu.launch_func @kernels::@reversed blocks in {{.+}} dynamic_shared_memory_size %[[BYTES]] args(
// CHECK:       gpu.launch_func @kernels::@small
// CHECK-NOT:   dynamic_shared_memory_size
// CHECK:       return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-NOT: memref.global {{.*}}@gone
    memref.global "private" @gone : memref<7xi64, #gpu.address_space<workgroup>> {alignment = 8 : i64}
    memref.global "private" @kept : memref<32xf32, #gpu.address_space<workgroup>>

    gpu.func @reversed(%A: memref<16387xf32>, %B: memref<16387xf32>)
        workgroup(%S: memref<16387xf32, #gpu.address_space<workgroup>>)
        private(%P: memref<1xf32, #gpu.address_space<private>>)
        kernel attributes {known_block_size = array<i32: 48, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %c48 = arith.constant 48 : index
      %last = arith.constant 16386 : index
      %n = arith.constant 16387 : index
      %t = gpu.thread_id x
      %G = memref.get_global @gone : memref<7xi64, #gpu.address_space<workgroup>>
      %first = arith.cmpi ult, %t, %c7 : index
      scf.if %first {
        %x = arith.index_cast %t : index to i64
        memref.store %x, %G[%t] : memref<7xi64, #gpu.address_space<workgroup>>
      }
      scf.for %i = %t to %n step %c48 {
        %x = memref.load %A[%i] : memref<16387xf32>
        memref.store %x, %S[%i] : memref<16387xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %H = memref.get_global @gone : memref<7xi64, #gpu.address_space<workgroup>>
      scf.for %i = %t to %n step %c48 {
        %j = arith.subi %last, %i : index
        %x = memref.load %S[%j] : memref<16387xf32, #gpu.address_space<workgroup>>
        %m = arith.remui %i, %c7 : index
        %k = memref.load %H[%m] : memref<7xi64, #gpu.address_space<workgroup>>
        %f = arith.sitofp %k : i64 to f32
        memref.store %f, %P[%c0] : memref<1xf32, #gpu.address_space<private>>
        %g = memref.load %P[%c0] : memref<1xf32, #gpu.address_space<private>>
        %y = arith.addf %x, %g : f32
        memref.store %y, %B[%i] : memref<16387xf32>
      }
      gpu.return
    }

    gpu.func @small(%A: memref<32xf32>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %t = gpu.thread_id x
      %S = memref.get_global @kept : memref<32xf32, #gpu.address_space<workgroup>>
      %x = memref.load %A[%t] : memref<32xf32>
      memref.store %x, %S[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      %y = memref.load %S[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %y, %A[%t] : memref<32xf32>
      gpu.return
    }

    gpu.func @numbered(%A: memref<32xf32>) workgroup(%S: memref<16384xf32, 3>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<32xf32>
      memref.store %x, %S[%t] : memref<16384xf32, 3>
      %y = memref.load %S[%t] : memref<16384xf32, 3>
      memref.store %y, %A[%t] : memref<32xf32>
      gpu.return
    }

    gpu.func @both(%A: memref<32xf32>) workgroup(%S: memref<12288xf32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %t = gpu.thread_id x
      %K = memref.get_global @kept : memref<32xf32, #gpu.address_space<workgroup>>
      %x = memref.load %A[%t] : memref<32xf32>
      memref.store %x, %S[%t] : memref<12288xf32, #gpu.address_space<workgroup>>
      %y = memref.load %S[%t] : memref<12288xf32, #gpu.address_space<workgroup>>
      memref.store %y, %K[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      %z = memref.load %K[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %z, %A[%t] : memref<32xf32>
      gpu.return
    }
  }
  func.func @host(%A: memref<16387xf32>, %B: memref<16387xf32>, %C: memref<32xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    gpu.launch_func @kernels::@reversed blocks in (%c1, %c1, %c1) threads in (%c48, %c1, %c1)
      args(%A : memref<16387xf32>, %B : memref<16387xf32>)
    gpu.launch_func @kernels::@small blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%C : memref<32xf32>)
    return
  }
}
