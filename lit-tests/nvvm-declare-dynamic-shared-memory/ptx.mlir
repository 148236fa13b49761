// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90
// VALIDATE
// SNAPSHOT: none — the declaration is checked

// Two views of dynamic shared memory share one declaration at module level, without static bytes.
// CHECK: .extern .shared .align 16 .b8 [[NAME:[a-z_0-9]+]][];
// CHECK: .entry two
// CHECK-NOT: .shared .align
// CHECK: st.shared.b32
gpu.module @kernels {
  gpu.func @two(%A: memref<64xf32>)
      workgroup(%S: memref<16384xf32, #gpu.address_space<workgroup>>, %T: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    memref.store %x, %S[%t] : memref<16384xf32, #gpu.address_space<workgroup>>
    %y = arith.addf %x, %x : f32
    memref.store %y, %T[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %t : index
    %a = memref.load %S[%r] : memref<16384xf32, #gpu.address_space<workgroup>>
    %b = memref.load %T[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    %c = arith.addf %a, %b : f32
    memref.store %c, %A[%t] : memref<64xf32>
    gpu.return
  }
}
