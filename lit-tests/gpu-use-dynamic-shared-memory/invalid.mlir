// RUN: tx-opt %s --gpu-use-dynamic-shared-memory --gpu-prepare-for-nvvm --split-input-file --verify-diagnostics

// A block of sm_90 has 227 KiB.
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @all() workgroup(%S: memref<58112xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
  // expected-error @below {{the kernel has 232452 bytes of shared memory, and a block of sm_90 may have 232448}}
  // expected-note @below {{work on smaller tiles, or one after the other; what `tx` allocates for exchange between warps counts}}
  gpu.func @too_much() workgroup(%S: memref<58113xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// The smallest of several targets counts.
gpu.module @kernels [#nvvm.target<chip = "sm_90">, #nvvm.target<chip = "sm_80">] {
  // expected-error @below {{the kernel has 232448 bytes of shared memory, and a block of sm_80 may have 166912}}
  // expected-note @below {{work on smaller tiles}}
  gpu.func @too_much() workgroup(%S: memref<58112xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// Dynamic shared memory has an alignment of 16 bytes: what needs more stays static.
gpu.module @kernels {
  // expected-error @below {{the kernel has 65536 bytes of static shared memory, and may have 49152}}
  // expected-note @below {{unless it has dynamic shared memory of its own, or arrays aligned to more than 16 bytes}}
  gpu.func @aligned() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel {
    gpu.return
  }
}

// -----

// A kernel with dynamic shared memory has all of it.
gpu.module @kernels {
  // expected-error @below {{the kernel has 65536 bytes of static shared memory, and may have 49152}}
  // expected-note @below {{unless it has dynamic shared memory of its own}}
  gpu.func @has_some() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
