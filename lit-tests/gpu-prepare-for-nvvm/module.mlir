// RUN: tx-opt %s --gpu-prepare-for-nvvm

// The module gets the data layout of PTX. Static shared memory may have 48 KiB, including globals that the
// kernel uses. Shared memory without an alignment gets one, because LLVM assumes an alignment that it does
// not emit.
// CHECK-LABEL: gpu.module @kernels
// CHECK-SAME:    llvm.data_layout = "e-{{.*}}i64:64
// CHECK:         memref.global "private" @scratch {{.*}}alignment = 16
// CHECK:         memref.global "private" @unused {{.*}}alignment = 64
// CHECK:         workgroup({{.*}}llvm.align = 16 : i64
gpu.module @kernels {
  memref.global "private" @scratch : memref<1024xf32, #gpu.address_space<workgroup>> = uninitialized
  memref.global "private" @unused : memref<1024xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 64 : i64}
  gpu.func @all_that_is_allowed()
      workgroup(%S: memref<11264xf32, #gpu.address_space<workgroup>>) kernel {
    %scratch = memref.get_global @scratch : memref<1024xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
