// RUN: tx-opt %s --convert-tile-to-gpu

#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

// CHECK-NOT: tile.
gpu.module @kernels {
  // At scope `thread`, one thread copies the whole tile, by one loop for each dimension. The copy does not
  // depend on the thread id.
  // CHECK-LABEL: gpu.func @thread
  // CHECK-SAME:    (%[[A:.+]]: memref<4x8xf32>) private(%[[P:.+]] : memref<4x8xf32, #gpu.address_space<private>>)
  // CHECK-NOT:     gpu.thread_id
  // CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : index
  // CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[C4]] step
  // CHECK:           %[[C8:.+]] = arith.constant 8 : index
  // CHECK:           scf.for %[[J:.+]] = %{{.+}} to %[[C8]] step
  // CHECK-NEXT:        %[[X:.+]] = memref.load %[[A]][%[[I]], %[[J]]]
  // CHECK-NEXT:        memref.store %[[X]], %[[P]][%[[I]], %[[J]]]
  gpu.func @thread(%A: memref<4x8xf32>) private(%P: memref<4x8xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %P scope(thread)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}}
      : memref<4x8xf32> to memref<4x8xf32, #private>
    gpu.return
  }

  // As many elements as threads: each thread copies one, without a loop or bounds check.
  // CHECK-LABEL: gpu.func @cta
  // CHECK-SAME:    (%[[A:.+]]: memref<4x8xf32>) workgroup(%[[S:.+]] : memref<4x8xf32, #gpu.address_space<workgroup>>)
  // CHECK-NOT:     scf.
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[C8:.+]] = arith.constant 8 : index
  // CHECK:         %[[J:.+]] = arith.remui %[[T]], %[[C8]]
  // CHECK:         %[[I:.+]] = arith.divui %[[T]], %[[C8]]
  // CHECK:         %[[X:.+]] = memref.load %[[A]][%[[I]], %[[J]]]
  // CHECK-NEXT:    memref.store %[[X]], %[[S]][%[[I]], %[[J]]]
  // CHECK-NOT:     scf.
  gpu.func @cta(%A: memref<4x8xf32>) workgroup(%S: memref<4x8xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %S scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
      : memref<4x8xf32> to memref<4x8xf32, #shared>
    gpu.return
  }

  // A warp numbers its threads from its first one, and copies in as many rounds as necessary.
  // CHECK-LABEL: gpu.func @warp
  // CHECK-DAG:     %[[T:.+]] = gpu.thread_id x
  // CHECK-DAG:     %[[C32:.+]] = arith.constant 32 : index
  // CHECK:         %[[LANE:.+]] = arith.remui %[[T]], %[[C32]]
  // CHECK-DAG:     %[[ROUNDS:.+]] = arith.constant 4 : index
  // CHECK:         scf.for %[[R:.+]] = %{{.+}} to %[[ROUNDS]] step
  // CHECK:           %[[START:.+]] = arith.muli %[[R]], %[[C32]]
  // CHECK:           arith.addi %[[START]], %[[LANE]]
  // CHECK-NOT:       scf.if
  // CHECK-COUNT-1:   memref.load
  // CHECK-COUNT-1:   memref.store
  gpu.func @warp(%A: memref<128xf32>) workgroup(%S: memref<8x128xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %w = gpu.subgroup_id : index
    %V = memref.subview %S[%w, 0] [1, 128] [1, 1]
      : memref<8x128xf32, #shared> to memref<128xf32, strided<[1], offset: ?>, #shared>
    tile.copy %A to %V scope(warp)
      {exec = {active = array<i64: 0, 256>, block = 256 : i64, threads = 32 : i64}}
      : memref<128xf32> to memref<128xf32, strided<[1], offset: ?>, #shared>
    gpu.return
  }

  // So does a warpgroup, in a block of three dimensions: x counts first, z last.
  // CHECK-LABEL: gpu.func @warpgroup
  // CHECK:         %[[TX:.+]] = gpu.thread_id x
  // CHECK:         %[[TY:.+]] = gpu.thread_id y
  // CHECK:         %[[C64:.+]] = arith.constant 64 : index
  // CHECK:         %[[Y:.+]] = arith.muli %[[TY]], %[[C64]]
  // CHECK:         %[[XY:.+]] = arith.addi %[[TX]], %[[Y]]
  // CHECK:         %[[TZ:.+]] = gpu.thread_id z
  // CHECK:         %[[C128:.+]] = arith.constant 128 : index
  // CHECK:         %[[Z:.+]] = arith.muli %[[TZ]], %[[C128]]
  // CHECK:         %[[T:.+]] = arith.addi %[[XY]], %[[Z]]
  // CHECK:         %[[IN_GROUP:.+]] = arith.remui %[[T]], %[[C128]]
  // CHECK:         scf.for
  // CHECK:           arith.addi %{{.+}}, %[[IN_GROUP]]
  // CHECK-NOT:       scf.if
  // CHECK-COUNT-1:   memref.load
  // CHECK-COUNT-1:   memref.store
  gpu.func @warpgroup(%A: memref<8x128xf32>) workgroup(%S: memref<2x8x128xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 2, 2>} {
    %z = gpu.thread_id z
    %V = memref.subview %S[%z, 0, 0] [1, 8, 128] [1, 1, 1]
      : memref<2x8x128xf32, #shared> to memref<8x128xf32, strided<[128, 1], offset: ?>, #shared>
    tile.copy %A to %V scope(warpgroup)
      {exec = {active = array<i64: 0, 256>, block = 256 : i64, threads = 128 : i64}}
      : memref<8x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>, #shared>
    gpu.return
  }
}
