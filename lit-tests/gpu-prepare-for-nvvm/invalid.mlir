// RUN: tx-opt %s --gpu-prepare-for-nvvm --split-input-file --verify-diagnostics

// Static shared memory ends at 48 KiB.
gpu.module @kernels {
  // expected-error @below {{the kernel has 262144 bytes of static shared memory, and may have 49152}}
  // expected-note @below {{work on smaller tiles}}
  gpu.func @too_much() workgroup(%S: memref<64x1024xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// What the kernel takes from globals counts too.
gpu.module @kernels {
  memref.global "private" @scratch : memref<1xf32, #gpu.address_space<workgroup>> = uninitialized
  // expected-error @below {{the kernel has 49156 bytes of static shared memory, and may have 49152}}
  // expected-note @below {{work on smaller tiles}}
  gpu.func @four_bytes_too_many()
      workgroup(%S: memref<12288xf32, #gpu.address_space<workgroup>>) kernel {
    %scratch = memref.get_global @scratch : memref<1xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
