// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

// 128 threads sum 32 columns: each lane of a warp sums one column, so lanes load neighbours and exchange
// nothing. Each of four warps sums eight rows. Their results are combined through shared memory, which has a
// slot for each warp and column.
// CHECK:         memref.global "private" @[[SCRATCH:.+]] : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: gpu.func @columns
// CHECK-SAME:    workgroup(%[[AS:.+]] : memref<32x32xf32, #gpu.address_space<workgroup>>, %[[BS:.+]] : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.store %{{.+}}, %[[AS]]
// CHECK:         %[[T:.+]] = gpu.thread_id x
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[T]], %{{.+}}
// CHECK:         gpu.barrier
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.load %[[AS]][%{{.+}}, %[[COLUMN]]]
// CHECK:         %[[S:.+]] = memref.get_global @[[SCRATCH]]
// CHECK:         memref.store %{{.+}}, %[[S]]
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         gpu.barrier
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.load %[[S]]
// CHECK:         memref.store %{{.+}}, %[[BS]]
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         gpu.barrier
// CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
// COUNT:         @columns barriers = 3, shuffles = 0
// RACE-FREE
gpu.module @kernels {
  gpu.func @columns(%A: memref<32x32xf32>, %B: memref<32xf32>)
      workgroup(%As: memref<32x32xf32, #shared>, %Bs: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<32x32xf32> to memref<32x32xf32, #shared>
    tile.reduce sum %As into %Bs axes [0] scope(cta)
      : memref<32x32xf32, #shared> into memref<32xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<32xf32, #shared> to memref<32xf32>
    gpu.return
  }
}
