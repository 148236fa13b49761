// RUN: tx-opt %s --convert-tile-to-gpu

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Fewer elements than threads: a branch excludes the other threads.
  // CHECK-LABEL: gpu.func @fewer_elements_than_threads
  // CHECK-NOT:     scf.for
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[C35:.+]] = arith.constant 35 : index
  // CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[T]], %[[C35]]
  // CHECK:         scf.if %[[INSIDE]]
  // CHECK-COUNT-1:   memref.store
  // CHECK-NOT:     scf.for
  gpu.func @fewer_elements_than_threads(%A: memref<5x7xf32>) workgroup(%S: memref<5x7xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    tile.copy %A to %S scope(cta)
      {exec = {active = array<i64: 0, 48>, block = 48 : i64, threads = 48 : i64}}
      : memref<5x7xf32> to memref<5x7xf32, #shared>
    gpu.return
  }

  // Odd sizes in several rounds: 3 * 5 * 7 elements by 32 threads is four, the last not full.
  // CHECK-LABEL: gpu.func @odd_sizes
  // CHECK-DAG:     %[[ROUNDS:.+]] = arith.constant 4 : index
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROUNDS]] step
  // CHECK:           %[[C105:.+]] = arith.constant 105 : index
  // CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[AT:.+]], %[[C105]]
  // CHECK:           scf.if %[[INSIDE]]
  // CHECK:             %[[C7:.+]] = arith.constant 7 : index
  // CHECK:             %[[K:.+]] = arith.remui %[[AT]], %[[C7]]
  // CHECK:             memref.load %{{.+}}[%{{.+}}, %{{.+}}, %[[K]]]
  gpu.func @odd_sizes(%A: memref<3x5x7xi8>, %B: memref<3x5x7xi8>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %B scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
      : memref<3x5x7xi8> to memref<3x5x7xi8>
    gpu.return
  }

  // If the last warp has 16 lanes, only the first 16 lanes of each warp copy: lanes 16 to 31 of a full warp
  // would copy the same elements twice.
  // CHECK-LABEL: gpu.func @warps_of_different_widths
  // CHECK:         %[[LANE:.+]] = arith.remui
  // CHECK:         %[[C16:.+]] = arith.constant 16 : index
  // CHECK:         %[[TAKES_PART:.+]] = arith.cmpi ult, %[[LANE]], %[[C16]]
  // CHECK:         scf.for
  // CHECK:           arith.muli %{{.+}}, %[[C16]]
  // CHECK:           %[[INSIDE:.+]] = arith.cmpi ult
  // CHECK:           %[[BOTH:.+]] = arith.andi %[[TAKES_PART]], %[[INSIDE]]
  // CHECK:           scf.if %[[BOTH]]
  gpu.func @warps_of_different_widths(%A: memref<5x7xf32>) workgroup(%S: memref<2x5x7xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %w = gpu.subgroup_id : index
    %V = memref.subview %S[%w, 0, 0] [1, 5, 7] [1, 1, 1]
      : memref<2x5x7xf32, #shared> to memref<5x7xf32, strided<[7, 1], offset: ?>, #shared>
    tile.copy %A to %V scope(warp)
      {exec = {active = array<i64: 0, 48>, block = 48 : i64, threads = 16 : i64}}
      : memref<5x7xf32> to memref<5x7xf32, strided<[7, 1], offset: ?>, #shared>
    gpu.return
  }

  // A tile of rank 0 has one element, which one thread copies.
  // CHECK-LABEL: gpu.func @rank_0
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[C1:.+]] = arith.constant 1 : index
  // CHECK:         %[[FIRST:.+]] = arith.cmpi ult, %[[T]], %[[C1]]
  // CHECK:         scf.if %[[FIRST]]
  // CHECK-NEXT:      %[[X:.+]] = memref.load %{{.+}}[] : memref<f32>
  // CHECK-NEXT:      memref.store %[[X]], %{{.+}}[]
  gpu.func @rank_0(%A: memref<f32>) workgroup(%S: memref<f32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.copy %A to %S scope(cta)
      {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<f32> to memref<f32, #shared>
    gpu.return
  }

  // A copy of an empty tile becomes no code.
  // CHECK-LABEL: gpu.func @no_elements
  // CHECK-NOT:     scf.
  // CHECK-NOT:     memref.
  // CHECK:         gpu.return
  gpu.func @no_elements(%A: memref<0x4xf32>, %B: memref<0x4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.copy %A to %B scope(cta)
      {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<0x4xf32> to memref<0x4xf32>
    gpu.return
  }

  // For dynamic sizes, the number of rounds is computed, and the last round has a bounds check.
  // CHECK-LABEL: gpu.func @dynamic
  // CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?x?xf32>)
  // CHECK:         %[[D0:.+]] = memref.dim %[[A]]
  // CHECK:         %[[D1:.+]] = memref.dim %[[A]]
  // CHECK:         %[[COUNT:.+]] = arith.muli %[[D0]], %[[D1]]
  // CHECK:         %[[ROUNDS:.+]] = arith.ceildivui %[[COUNT]], %{{.+}}
  // CHECK:         scf.for %{{.+}} = %{{.+}} to %[[ROUNDS]] step
  // CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[AT:.+]], %[[COUNT]]
  // CHECK:           scf.if %[[INSIDE]]
  // CHECK:             %[[J:.+]] = arith.remui %[[AT]], %[[D1]]
  // CHECK:             %[[I:.+]] = arith.divui %[[AT]], %[[D1]]
  // CHECK:             %[[X:.+]] = memref.load %[[A]][%[[I]], %[[J]]]
  // CHECK:             memref.store %[[X]], %[[B]][%[[I]], %[[J]]]
  gpu.func @dynamic(%A: memref<?x?xf32>, %B: memref<?x?xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.copy %A to %B scope(cta)
      {exec = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}}
      : memref<?x?xf32> to memref<?x?xf32>
    gpu.return
  }

  // A view keeps its indices: strides and offset remain in its type.
  // CHECK-LABEL: gpu.func @strided
  // CHECK:         %[[V:.+]] = memref.subview
  // CHECK:         %[[X:.+]] = memref.load %[[V]][%[[I:.+]], %[[J:.+]]] : memref<4x8xf32, strided<[128, 2], offset: 321>>
  // CHECK:         memref.store %[[X]], %{{.+}}[%[[I]], %[[J]]]
  gpu.func @strided(%A: memref<16x64xf32>) workgroup(%S: memref<4x8xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %A[5, 1] [4, 8] [2, 2]
      : memref<16x64xf32> to memref<4x8xf32, strided<[128, 2], offset: 321>>
    tile.copy %V to %S scope(cta)
      {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
      : memref<4x8xf32, strided<[128, 2], offset: 321>> to memref<4x8xf32, #shared>
    gpu.return
  }
}
