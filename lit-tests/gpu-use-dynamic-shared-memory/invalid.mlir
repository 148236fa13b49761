// RUN: tx-opt %s --gpu-use-dynamic-shared-memory --gpu-prepare-for-nvvm --split-input-file --verify-diagnostics

// A block on sm_90 has at most 227 KiB of shared memory.
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  gpu.func @all() workgroup(%S: memref<58112xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
  // expected-error @below {{the kernel uses 232452 bytes of shared memory, but a block on sm_90 has at most 232448}}
  // expected-note @below {{use smaller tiles, or process them one at a time; the total includes the memory that `tx` allocates for exchange between warps}}
  gpu.func @too_much() workgroup(%S: memref<58113xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// With several targets, the smallest limit applies.
gpu.module @kernels [#nvvm.target<chip = "sm_90">, #nvvm.target<chip = "sm_80">] {
  // expected-error @below {{the kernel uses 232448 bytes of shared memory, but a block on sm_80 has at most 166912}}
  // expected-note @below {{use smaller tiles, or process them one at a time; the total includes the memory that `tx` allocates}}
  gpu.func @too_much() workgroup(%S: memref<58112xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// Dynamic shared memory is aligned to 16 bytes. Variables with a greater alignment stay static.
gpu.module @kernels {
  // expected-error @below {{the kernel uses 65536 bytes of static shared memory, expected at most 49152}}
  // expected-note @below {{`gpu-use-dynamic-shared-memory` raises the limit, unless the kernel has its own dynamic shared}}
  gpu.func @aligned() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel {
    gpu.return
  }
}

// -----

// A kernel that already uses dynamic shared memory is an error.
gpu.module @kernels {
  // expected-error @below {{the kernel uses 65536 bytes of static shared memory, expected at most 49152}}
  // expected-note @below {{`gpu-use-dynamic-shared-memory` raises the limit, unless the kernel has its own dynamic shared}}
  gpu.func @has_some() workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
