// RUN(CHECK): tx-opt %s --gpu-prepare-for-nvvm
// RUN(LOWERED): tx-opt %s --gpu-to-nvvm

// MLIR finds the dropped dimensions of a subview by comparing strides with the source. A step changes
// strides, on which MLIR's lowering crashes. A separate view drops these dimensions.
// CHECK-LABEL: gpu.func @every_other_row
// CHECK:         %[[SEEN:[a-z_0-9]+]] = memref.subview %{{[a-z0-9]+}}[%{{[a-z0-9]+}}, 0, 0] [1, 2, 1] [1, 2, 1]
// CHECK-SAME:      memref<2x3x1xf32> to memref<1x2x1xf32, strided<[3, 2, 1], offset: ?>>
// CHECK-NEXT:    %[[VIEW:[a-z_0-9]+]] = memref.subview %[[SEEN]][0, 0, 0] [1, 2, 1] [1, 1, 1]
// CHECK-SAME:      to memref<2x1xf32, strided<[2, 1], offset: ?>>
// CHECK:         memref.load %[[VIEW]]
// LOWERED-LABEL: llvm.func @every_other_row
// LOWERED:         llvm.load
gpu.module @views {
  gpu.func @every_other_row(%A: memref<2x3x1xf32>, %B: memref<f32>, %i: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %view = memref.subview %A[%i, 0, 0] [1, 2, 1] [1, 2, 1]
      : memref<2x3x1xf32> to memref<2x1xf32, strided<[2, 1], offset: ?>>
    %x = memref.load %view[%i, %zero] : memref<2x1xf32, strided<[2, 1], offset: ?>>
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }

  // Sizes and steps may be dynamic, and the memory space may differ.
  // CHECK-LABEL: gpu.func @unknown_sizes
  // CHECK:         %[[SEEN:[a-z_0-9]+]] = memref.subview %{{[a-z0-9]+}}[%{{[a-z0-9]+}}, 1, 0] [1, %[[N:[a-z0-9]+]], 1] [1, %[[N]], 1]
  // CHECK-SAME:      to memref<1x?x1xf16, strided<[?, ?, 1], offset: ?>, #gpu.address_space<global>>
  // CHECK-NEXT:    memref.subview %[[SEEN]][0, 0, 0] [1, %[[N]], 1] [1, 1, 1]
  // LOWERED-LABEL: llvm.func @unknown_sizes
  gpu.func @unknown_sizes(%A: memref<?x?x4xf16, #gpu.address_space<global>>, %B: memref<f16>, %i: index, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %view = memref.subview %A[%i, 1, 0] [1, %n, 1] [1, %n, 1]
      : memref<?x?x4xf16, #gpu.address_space<global>> to memref<?x1xf16, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
    %x = memref.load %view[%i, %zero] : memref<?x1xf16, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
    memref.store %x, %B[] : memref<f16>
    gpu.return
  }

  // A step of 0 on a dynamic stride gives stride 0.
  // CHECK-LABEL: gpu.func @one_element_many_times
  // CHECK:         %[[SEEN:[a-z_0-9]+]] = memref.subview %{{[a-z0-9]+}}[%{{[a-z0-9]+}}, 0, 0, 0] [1, 1, 2, 1] [1, 1, 0, 1]
  // CHECK-SAME:      to memref<1x1x2x1xf32, strided<[?, ?, 0, 1], offset: ?>>
  // CHECK-NEXT:    memref.subview %[[SEEN]][0, 0, 0, 0] [1, 1, 2, 1] [1, 1, 1, 1]
  // LOWERED-LABEL: llvm.func @one_element_many_times
  gpu.func @one_element_many_times(%A: memref<4x1x2x1xf32, strided<[?, ?, ?, 1]>>, %B: memref<f32>, %i: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %view = memref.subview %A[%i, 0, 0, 0] [1, 1, 2, 1] [1, 1, 0, 1] : memref<4x1x2x1xf32, strided<[?, ?, ?, 1]>> to memref<1x2x1xf32, strided<[?, 0, 1], offset: ?>>
    %one = arith.constant 1 : index
    %x = memref.load %view[%zero, %one, %zero] : memref<1x2x1xf32, strided<[?, 0, 1], offset: ?>>
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }

  // If all dimensions of size 1 are dropped, or none, the case is unambiguous.
  // CHECK-LABEL:   gpu.func @without_a_doubt
  // CHECK-COUNT-2: memref.subview
  // CHECK-NOT:     memref.subview
  // CHECK:         gpu.return
  gpu.func @without_a_doubt(%A: memref<2x3x1xf32>, %B: memref<f32>, %i: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %view = memref.subview %A[%i, 0, 0] [1, 2, 1] [1, 2, 1] : memref<2x3x1xf32> to memref<2xf32, strided<[2], offset: ?>>
    %rows = memref.subview %A[%i, 0, 0] [1, 3, 1] [1, 1, 1] : memref<2x3x1xf32> to memref<3x1xf32, strided<[1, 1], offset: ?>>
    %x = memref.load %view[%i] : memref<2xf32, strided<[2], offset: ?>>
    %y = memref.load %rows[%i, %zero] : memref<3x1xf32, strided<[1, 1], offset: ?>>
    %z = arith.addf %x, %y : f32
    memref.store %z, %B[] : memref<f32>
    gpu.return
  }
}
