// RUN: tx-opt %s --gpu-prepare-for-nvvm --split-input-file --verify-diagnostics

// Static shared memory is limited to 48 KiB.
gpu.module @kernels {
  // expected-error @below {{the kernel uses 262144 bytes of static shared memory, expected at most 49152}}
  // expected-note @below {{`gpu-use-dynamic-shared-memory` raises the limit, unless the kernel has its own dynamic shared memory, or arrays aligned to more than 16 bytes}}
  gpu.func @too_much() workgroup(%S: memref<64x1024xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

// Shared memory of global variables counts, too.
gpu.module @kernels {
  memref.global "private" @scratch : memref<1xf32, #gpu.address_space<workgroup>> = uninitialized
  // expected-error @below {{the kernel uses 49156 bytes of static shared memory, expected at most 49152}}
  // expected-note @below {{`gpu-use-dynamic-shared-memory` raises the limit, unless the kernel has its own dynamic shared memory, or arrays aligned to more than 16 bytes}}
  gpu.func @four_bytes_too_many()
      workgroup(%S: memref<12288xf32, #gpu.address_space<workgroup>>) kernel {
    %scratch = memref.get_global @scratch : memref<1xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// `vector.print` becomes calls of host functions, which a GPU module does not declare.
gpu.module @prints {
  gpu.func @kernel(%v: vector<4xf32>) kernel {
    // expected-error @below {{`vector.print` cannot be lowered: it calls a host library}}
    // expected-note @below {{print scalars with `gpu.printf`; `vector.extract` extracts a scalar from a vector}}
    vector.print %v : vector<4xf32>
    gpu.return
  }
}

// -----

// A format with a mismatched argument prints garbage on a device, also for later fields.
gpu.module @formats {
  gpu.func @kernel(%i: index, %n: i32, %b: i8, %f: f32, %h: f16) kernel {
    gpu.printf "%lld %5d %-+.3f %g %x%% %p\n", %i, %n, %f, %h, %n, %i : index, i32, f32, f16, i32, index
    gpu.printf "no fields: 100%% %y\n"
    // expected-warning @below {{field 0 of `gpu.printf` (counted from 0), `%d`, does not print `index`}}
    // expected-note @below {{use `%lld` for 64-bit integers}}
    // expected-warning @below {{field 2 of `gpu.printf` (counted from 0), `%08lx`, does not print `i32`}}
    // expected-note @below {{use `%x` for 32-bit integers}}
    gpu.printf "%d %u %08lx\n", %i, %n, %n : index, i32, i32
    // expected-warning @below {{field 0 of `gpu.printf` (counted from 0), `%d`, does not print `i8`}}
    // expected-note @below {{extend it to `i32` with `arith.extsi` or `arith.extui`}}
    // expected-warning @below {{field 1 of `gpu.printf` (counted from 0), `%d`, does not print `f32`}}
    // expected-note @below {{use `%f` or `%g` for floats}}
    // expected-warning @below {{field 2 of `gpu.printf` (counted from 0), `%f`, does not print `i32`}}
    // expected-note @below {{use `%d` for integers}}
    gpu.printf "%d %d %f\n", %b, %f, %n : i8, f32, i32
    // expected-error @below {{`gpu.printf` has 1 of the 2 arguments that its format prints}}
    gpu.printf "%d %d\n", %n : i32
    gpu.return
  }
}

// -----

// MLIR's conversion to LLVM would abort on this memory space.
gpu.module @kernels {
  // expected-error @+2 {{`"shared"` is not a memory space of a kernel}}
  // expected-note @+1 {{known: #gpu.address_space<global>, <workgroup> and <private>, and numbers of PTX}}
  gpu.func @named(%A: memref<64xf32>) workgroup(%S: memref<64xf32, "shared">) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %v = memref.load %A[%i] : memref<64xf32>
    memref.store %v, %S[%i] : memref<64xf32, "shared">
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+2 {{`3 : ui32` is not a memory space of a kernel}}
  // expected-note @+1 {{known: #gpu.address_space<global>, <workgroup> and <private>, and numbers of PTX}}
  gpu.func @unsigned(%A: memref<64xf32>) workgroup(%S: memref<64xf32, 3 : ui32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

// Constant arrays are limited to 64 MiB in total.
// expected-error @below {{a constant array takes 67108868 bytes, expected at most 67108864}}
// expected-note @below {{pass the largest arrays as arguments of the function}}
gpu.module @kernels {
  // expected-note @below {{@weights takes 67108868 bytes}}
  memref.global "private" constant @weights : memref<16777217xf32> = dense<1.0>
}
