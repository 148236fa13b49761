// RUN: tx-opt %s --lower-reduction
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // In a block of 48 threads, the second warp has 16 lanes. A row has four lanes, which exist in
  // every group, so two plain steps combine them. Four of 100 elements need a step with a bounds
  // check.
  // CHECK-LABEL: gpu.func @rows_by_48
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         vector.load {{.+}}, vector<4xf32>
  // CHECK-COUNT-2: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @rows_by_48 barriers = 2, shuffles = 2, loads = 4, shared loads = 3, vector loads = 1, stores = 3
  // COUNT: @rows_by_48 shared stores = 2, scf.for = 2, scf.if = 5
  gpu.func @rows_by_48(%A: memref<3x100xf32>, %B: memref<3xf32>)
      workgroup(%As: memref<3x100xf32, #shared>, %Bs: memref<3xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<3x100xf32> to memref<3x100xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<3x100xf32, #shared> into memref<3xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<3xf32, #shared> to memref<3xf32>
    gpu.return
  }

  // One row for all 48 threads also needs an exchange in shared memory, of one value per warp.
  // CHECK-LABEL: gpu.func @one_row_by_48
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         vector.load {{.+}}, vector<2xf32>
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         memref.get_global @{{.+}} : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.barrier
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @one_row_by_48 barriers = 3, shuffles = 6, loads = 6, shared loads = 5, vector loads = 1, stores = 4
  // COUNT: @one_row_by_48 shared stores = 3, scf.for = 1, scf.if = 5
  gpu.func @one_row_by_48(%A: memref<1x100xf32>, %B: memref<1xf32>)
      workgroup(%As: memref<1x100xf32, #shared>, %Bs: memref<1xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<1x100xf32> to memref<1x100xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<1x100xf32, #shared> into memref<1xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
    gpu.return
  }

  // A block of 20 threads is one warp. Its barrier is a warp barrier with 20 lanes. A row has two lanes.
  // CHECK-LABEL: gpu.func @rows_by_20
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         %[[LANES:.+]] = arith.constant 1048575 : i32
  // CHECK-NEXT:    nvvm.bar.warp.sync %[[LANES]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         vector.load {{.+}}, vector<4xf32>
  // CHECK-COUNT-1: gpu.shuffle xor
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @rows_by_20 barriers = 0, shuffles = 1, warp barriers = 2, loads = 3, shared loads = 2, vector loads = 1
  // COUNT: @rows_by_20 stores = 3, shared stores = 2, scf.for = 2, scf.if = 3
  gpu.func @rows_by_20(%A: memref<3x40xf32>, %B: memref<3xf32>)
      workgroup(%As: memref<3x40xf32, #shared>, %Bs: memref<3xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<3x40xf32> to memref<3x40xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<3x40xf32, #shared> into memref<3xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<3xf32, #shared> to memref<3xf32>
    gpu.return
  }

  // Rows over all lanes of a partial warp: a lane reads only existing lanes, in five steps, and a sixth step
  // broadcasts the total of the first lane.
  // CHECK-LABEL: gpu.func @one_row_by_20
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK-COUNT-6: gpu.shuffle idx
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // COUNT: @one_row_by_20 barriers = 0, shuffles = 6, loads = 1, stores = 1
  gpu.func @one_row_by_20(%A: memref<20xf32>, %B: memref<20xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<20xf32>
    %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
    memref.store %s, %B[%t] : memref<20xf32>
    gpu.return
  }

  // Columns on 20 threads: one column per thread, in two rounds, without an exchange.
  // CHECK-LABEL: gpu.func @columns_by_20
  // CHECK-NOT:     {{tile\.|gpu.shuffle|gpu.barrier|nvvm.b}}
  // CHECK:         gpu.return
  // COUNT: @columns_by_20 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 2
  gpu.func @columns_by_20(%A: memref<40x30xf32>, %B: memref<30xf32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<40x30xf32> into memref<30xf32>
    gpu.return
  }
}
