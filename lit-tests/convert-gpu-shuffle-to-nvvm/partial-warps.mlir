// RUN: tx-opt %s --convert-gpu-shuffle-to-nvvm

gpu.module @kernels {
  // A block of one warp with 20 threads: lanes 0 to 19 are members, mask 0xfffff. There is no full warp, so
  // the mask is constant.
  // CHECK-LABEL: gpu.func @block_of_20
  // CHECK:         %[[SOME:.+]] = arith.constant 1048575 : i32
  // CHECK-NOT:     arith.select
  // CHECK:         nvvm.shfl.sync bfly %[[SOME]],
  gpu.func @block_of_20(%x: f32, %o: i32) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle xor %x, %o, %c32 : f32
    gpu.return
  }

  // A block of 48 threads: the first warp is full, and the second has 16 lanes, mask 0xffff.
  // CHECK-LABEL: gpu.func @block_of_48
  // CHECK-DAG:     %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK-DAG:     %[[SOME:.+]] = arith.constant 65535 : i32
  // CHECK-DAG:     %[[T:.+]] = gpu.thread_id x
  // CHECK-DAG:     %[[C32:.+]] = arith.constant 32 : index
  // CHECK:         %[[FIRST:.+]] = arith.cmpi ult, %[[T]], %[[C32]] : index
  // CHECK:         %[[MEMBERS:.+]] = arith.select %[[FIRST]], %[[ALL]], %[[SOME]] : i32
  // CHECK:         nvvm.shfl.sync bfly %[[MEMBERS]],
  gpu.func @block_of_48(%x: f32, %o: i32) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle xor %x, %o, %c32 : f32
    gpu.return
  }

  // In three dimensions, warps are counted along x, then y, then z: 5 * 3 * 3 threads are 45, and the
  // second warp has 13 lanes, mask 0x1fff.
  // CHECK-LABEL: gpu.func @block_of_5_by_3_by_3
  // CHECK-DAG:     gpu.thread_id x
  // CHECK-DAG:     gpu.thread_id y
  // CHECK-DAG:     gpu.thread_id z
  // CHECK-DAG:     %[[SOME:.+]] = arith.constant 8191 : i32
  // CHECK:         arith.cmpi ult, %{{.+}}, %{{.+}} : index
  // CHECK:         %[[MEMBERS:.+]] = arith.select %{{.+}}, %{{.+}}, %[[SOME]] : i32
  // CHECK:         nvvm.shfl.sync idx %[[MEMBERS]],
  gpu.func @block_of_5_by_3_by_3(%x: f32, %o: i32) kernel attributes {known_block_size = array<i32: 5, 3, 3>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle idx %x, %o, %c32 : f32
    gpu.return
  }

  // A block of one thread: its lane is a member.
  // CHECK-LABEL: gpu.func @block_of_1
  // CHECK:         %[[MEMBERS:.+]] = arith.constant 1 : i32
  // CHECK:         nvvm.shfl.sync idx %[[MEMBERS]],
  gpu.func @block_of_1(%x: f32, %o: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle idx %x, %o, %c32 : f32
    gpu.return
  }
}
