// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}
#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A whole block reduces one row, four elements per load: 4096 elements are four loads for each of 256
  // threads. Each vector element has its own accumulator, so additions are independent; the four accumulators
  // are added in pairs before the exchange. Loads of 16 bytes need a tile aligned to 16 bytes, which only
  // this pass sets.
  // CHECK-LABEL: gpu.func @whole_block
  // CHECK-SAME:    workgroup(%[[S:.+]] : memref<1x4096xf32, {{.+}}> {llvm.align = 16 : i64})
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[MINE:.+]] = arith.muli %[[T]], %[[FOUR:.+]] : index
  // CHECK:         %[[START:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK-DAG:     %[[LENGTH:.+]] = arith.constant 4096 : index
  // CHECK-DAG:     %[[STEP:.+]] = arith.constant 1024 : index
  // CHECK:         %[[P:.+]]:4 = scf.for %[[I:[^ ]+]] = %{{.+}} to %[[LENGTH]] step %[[STEP]] iter_args(%[[C:.+]] = %[[START]], %{{.+}} = %[[START]], %{{.+}} = %[[START]], %{{.+}} = %[[START]])
  // CHECK-NEXT:      %[[AT:.+]] = arith.addi %[[I]], %[[MINE]]
  // CHECK-NEXT:      %[[X:.+]] = vector.load %[[S]][%{{.+}}, %[[AT]]] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NEXT:      %[[X0:.+]] = vector.extract %[[X]][0]
  // CHECK-COUNT-3:   vector.extract %[[X]]
  // CHECK-NEXT:      arith.addf %[[C]], %[[X0]] : f32
  // CHECK-COUNT-3:   arith.addf
  // CHECK-NEXT:      scf.yield
  // CHECK:         %[[L:.+]] = arith.addf %[[P]]#0, %[[P]]#1
  // CHECK-NEXT:    %[[R:.+]] = arith.addf %[[P]]#2, %[[P]]#3
  // CHECK-NEXT:    arith.addf %[[L]], %[[R]]
  // CHECK-NOT:     arith.addf
  // CHECK:         tile.all_reduce sum %{{.+}} scope(cta) {
  gpu.func @whole_block(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = #cta256, params = {group = 256 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"}
      : memref<1x4096xf32, #shared> into memref<1xf32>
    gpu.return
  }

  // The shared memory of the source gets an alignment. Other attributes stay.
  // CHECK-LABEL: gpu.func @second_attribution
  // CHECK-SAME:    workgroup(%{{.+}} : memref<4xf32, {{[^{]+}}>, %[[S:.+]] : memref<4x128xf32, {{[^{]+}}> {
  // CHECK-DAG:     llvm.noalias
  // CHECK-DAG:     llvm.align = 16 : i64
  // CHECK:         vector.load %[[S]]
  gpu.func @second_attribution()
      workgroup(%D: memref<4xf32, #shared>, %S: memref<4x128xf32, #shared> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"}
      : memref<4x128xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }

  // Eight f16 elements are one load, and are widened separately.
  // CHECK-LABEL: gpu.func @halves
  // CHECK-SAME:    {llvm.align = 16 : i64}
  // CHECK:         %[[X:.+]] = vector.load %{{.+}} {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-COUNT-8: vector.extract %[[X]]
  // CHECK-COUNT-8: arith.extf %{{.+}} : f16 to f32
  // CHECK-NOT:     {{vector|extf}}
  // CHECK-COUNT-15: arith.addf %{{.+}} : f32
  // CHECK-NOT:     arith.addf
  // CHECK:         %[[SUM:.+]] = tile.all_reduce sum %{{.+}} : f32 -> f32
  // CHECK-COUNT-1: arith.truncf
  // CHECK-NOT:     arith.truncf
  // CHECK:         gpu.return
  gpu.func @halves(%B: memref<1xf16>) workgroup(%S: memref<1x256xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 8 : i64}, variant = "shared"}
      : memref<1x256xf16, #shared> into memref<1xf16>
    gpu.return
  }

  // The remainder of a full step is loaded element by element: four of 132 elements.
  // CHECK-LABEL: gpu.func @tail
  // CHECK:         vector.load {{.+}} vector<4xf32>
  // CHECK-COUNT-4: vector.extract
  // CHECK-COUNT-7: arith.addf
  // CHECK:         %[[AT:.+]] = arith.addi %{{.+}}, %{{.+}} : index
  // CHECK:         %[[LENGTH:.+]] = arith.constant 132 : index
  // CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[LENGTH]]
  // CHECK-NEXT:    scf.if %[[INSIDE]] -> (f32)
  // CHECK:           memref.load %{{.+}}[%{{.+}}, %[[AT]]]
  // CHECK:         tile.all_reduce
  gpu.func @tail(%B: memref<1xf32>) workgroup(%S: memref<1x132xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"}
      : memref<1x132xf32, #shared> into memref<1xf32>
    gpu.return
  }

  // A slice aligned to two elements is loaded in pairs, and the tile below the slice gets the
  // alignment.
  // CHECK-LABEL: gpu.func @pairs_of_a_slice
  // CHECK-SAME:    workgroup(%[[S:.+]] : memref<4x72xf32, {{[^{]+}}> {llvm.align = 16 : i64})
  // CHECK:         %[[V:.+]] = memref.subview %[[S]]
  // CHECK:         vector.load %[[V]]{{.+}} {alignment = 8 : i64} : {{.+}}, vector<2xf32>
  gpu.func @pairs_of_a_slice(%B: memref<4xf32>) workgroup(%S: memref<4x72xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %S[0, 2] [4, 64] [1, 1]
      : memref<4x72xf32, #shared> to memref<4x64xf32, strided<[72, 1], offset: 2>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 2 : i64}, variant = "shared"}
      : memref<4x64xf32, strided<[72, 1], offset: 2>, #shared> into memref<4xf32>
    gpu.return
  }

  // Scalar loads need no alignment attribute.
  // CHECK-LABEL: gpu.func @scalars
  // CHECK-NOT:     llvm.align
  // CHECK-NOT:     vector.load
  // CHECK:         memref.load
  // CHECK:         gpu.return
  gpu.func @scalars(%B: memref<4xf32>) workgroup(%S: memref<4x32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x32xf32, #shared> into memref<4xf32>
    gpu.return
  }
}
