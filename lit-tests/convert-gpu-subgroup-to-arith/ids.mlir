// RUN: tx-opt %s --convert-gpu-subgroup-to-arith

gpu.module @kernels {
  // The warp number is the linear thread id divided by 32, also in a block of three dimensions. The number
  // of warps and their size are constants.
  // CHECK-LABEL: gpu.func @three_dimensions
  // CHECK-DAG:     %[[X:.+]] = gpu.thread_id x
  // CHECK-DAG:     %[[Y:.+]] = gpu.thread_id y
  // CHECK-DAG:     %[[Z:.+]] = gpu.thread_id z
  // CHECK:         arith.divui %{{.+}}, %{{.+}} : index
  // CHECK-NOT:     gpu.subgroup
  // CHECK-NOT:     gpu.num_subgroups
  // CHECK:         gpu.return
  gpu.func @three_dimensions(%out: memref<3xindex>)
      kernel attributes {known_block_size = array<i32: 8, 4, 3>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %id = gpu.subgroup_id : index
    %count = gpu.num_subgroups : index
    %size = gpu.subgroup_size : index
    memref.store %id, %out[%c0] : memref<3xindex>
    memref.store %count, %out[%c1] : memref<3xindex>
    memref.store %size, %out[%c2] : memref<3xindex>
    gpu.return
  }

  // A block of one warp has only warp 0: the id is a constant.
  // CHECK-LABEL: gpu.func @one_warp
  // CHECK-NOT:     gpu.thread_id
  // CHECK-NOT:     arith.divui
  // CHECK:         gpu.return
  gpu.func @one_warp(%out: memref<1xindex>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c0 = arith.constant 0 : index
    %id = gpu.subgroup_id : index
    memref.store %id, %out[%c0] : memref<1xindex>
    gpu.return
  }
}
