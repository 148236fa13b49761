// RUN: tx-opt %s --gpu-to-ptx=chip=sm_90
// SNAPSHOT: none — the binary says how many milliseconds LLVM took.

// A GPU module becomes a binary that contains only its PTX.
// CHECK-NOT: gpu.module
// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90", features = "+ptx81">,
// CHECK-SAME: assembly = "
// CHECK-SAME: .version 8.1
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry pairs(
// CHECK-SAME: {{\.(maxntid|reqntid)}} 64
// CHECK-SAME: .shared
// CHECK-SAME: shfl.sync.bfly.b32
// CHECK-SAME: bar{{(rier)?}}.sync
// CHECK-NOT: gpu.func
gpu.module @kernels {
  gpu.func @pairs(%A: memref<64xf32>, %B: memref<f32>)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %y, %p = gpu.shuffle xor %x, %c1, %c32 : f32
    %z = arith.addf %x, %y : f32
    memref.store %z, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %v = memref.load %S[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %B[] : memref<f32>
    }
    gpu.return
  }
}
