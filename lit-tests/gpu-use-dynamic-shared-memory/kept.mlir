// RUN: tx-opt %s --gpu-use-dynamic-shared-memory
// SNAPSHOT: none — nothing changes

// Dynamic shared memory has an alignment of 16 bytes, and a kernel all of it: what needs more, or has some of its own,
// is refused later.
// CHECK-LABEL: gpu.func @aligned
// CHECK-SAME:    workgroup(%{{.+}} : memref<16384xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
// CHECK-LABEL: gpu.func @has_some
// CHECK-SAME:    workgroup(
// CHECK:         gpu.dynamic_shared_memory
// CHECK-NOT:     gpu.dynamic_shared_memory
gpu.module @kernels {
  gpu.func @aligned() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel {
    gpu.return
  }
  gpu.func @has_some() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
