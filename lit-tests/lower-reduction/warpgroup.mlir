// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Two warpgroups reduce a row each: five shuffles in a warp. The four warps store one sum each, and every
  // thread of the group loads all four in one load.
  // CHECK-LABEL: gpu.func @two_warpgroups
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         {{gpu.barrier|nvvm.barrier}}
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.get_global @{{.+}} : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK:         {{gpu.barrier|nvvm.barrier}}
  // CHECK-COUNT-1: vector.load %{{.+}} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @two_warpgroups(%A: memref<2x1024xf32>, %B: memref<2xf32>)
      workgroup(%As: memref<2x1024xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %g = arith.divui %t, %c128 : index
    %from = memref.subview %A[%g, 0] [1, 1024] [1, 1]
      : memref<2x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
    %tile = memref.subview %As[%g, 0] [1, 1024] [1, 1]
      : memref<2x1024xf32, #shared> to memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared>
    %to = memref.subview %B[%g] [1] [1] : memref<2xf32> to memref<1xf32, strided<[1], offset: ?>>
    tile.copy %from to %tile scope(warpgroup)
      : memref<1x1024xf32, strided<[1024, 1], offset: ?>> to memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared>
    tile.reduce sum %tile into %to axes [1] scope(warpgroup)
      : memref<1x1024xf32, strided<[1024, 1], offset: ?>, #shared> into memref<1xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // The first four of six warps reduce alone. Their barrier has its own number and counts 128 threads, so the
  // other two warps do not participate.
  // CHECK-LABEL: gpu.func @warpgroup_0_of_a_block_of_192
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         scf.if
  // CHECK-DAG:       %[[ID:.+]] = arith.constant 1 : i32
  // CHECK-DAG:       %[[COUNT:.+]] = arith.constant 128 : i32
  // CHECK:           nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
  // CHECK-NOT:       {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:           vector.load {{.+}}, vector<4xf32>
  // CHECK-COUNT-3:   gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  gpu.func @warpgroup_0_of_a_block_of_192(%A: memref<4x256xf32>, %B: memref<4xf32>)
      workgroup(%As: memref<4x256xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      tile.copy %A to %As scope(warpgroup) : memref<4x256xf32> to memref<4x256xf32, #shared>
      tile.reduce sum %As into %B axes [1] scope(warpgroup)
        : memref<4x256xf32, #shared> into memref<4xf32>
    }
    gpu.return
  }
}
