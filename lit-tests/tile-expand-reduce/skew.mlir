// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// With one row per thread, all threads would load from the same banks of shared memory. Each thread begins at
// another element of its row and wraps around.
gpu.module @kernels {
  // Rows of 32 words begin at the same bank: row 3 begins at element 12, with four elements per load.
  // CHECK-LABEL: gpu.func @every_row(
  // CHECK:         %[[ROW:.+]] = gpu.thread_id x
  // CHECK:         %[[FIRST:.+]] = arith.muli %[[ROW]], %[[FOUR:.+]] : index
  // CHECK:         scf.for %[[I:[^ ]+]] = %{{.+}} to %[[LENGTH:[^ ]+]] step %[[FOUR]]
  // CHECK-NEXT:      %[[ON:.+]] = arith.addi %[[I]], %[[FIRST]]
  // CHECK-NEXT:      %[[AT:.+]] = arith.remui %[[ON]], %[[LENGTH]]
  // CHECK-NEXT:      vector.load %{{.+}}[%[[ROW]], %[[AT]]] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NOT:     {{gpu.shuffle|tile.all_reduce}}
  // CHECK:         memref.store
  gpu.func @every_row() workgroup(%S: memref<32x32xf32, #shared>, %D: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta)
      {exec = #cta32, params = {group = 1 : i64, groups = 32 : i64, skew = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"}
      : memref<32x32xf32, #shared> into memref<32xf32, #shared>
    gpu.return
  }

  // Rows of 36 words repeat banks after eight rows: rows 8 to 15 begin four elements later.
  // CHECK-LABEL: gpu.func @every_eighth_row(
  // CHECK:         %[[ROW:.+]] = gpu.thread_id x
  // CHECK:         %[[EIGHTH:.+]] = arith.divui %[[ROW]], %{{.*}}c8
  // CHECK:         %[[FIRST:.+]] = arith.muli %[[EIGHTH]], %{{.*}}c4
  // CHECK:         scf.for
  // CHECK-NEXT:      %[[ON:.+]] = arith.addi %{{.+}}, %[[FIRST]]
  // CHECK-NEXT:      arith.remui %[[ON]],
  gpu.func @every_eighth_row() workgroup(%S: memref<32x36xf32, #shared>, %D: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %R = memref.subview %S[0, 0] [32, 32] [1, 1]
      : memref<32x36xf32, #shared> to memref<32x32xf32, strided<[36, 1]>, #shared>
    tile.reduce sum %R into %D axes [1] scope(cta)
      {exec = #cta32, params = {group = 1 : i64, groups = 32 : i64, skew = 8 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"}
      : memref<32x32xf32, strided<[36, 1]>, #shared> into memref<32xf32, #shared>
    gpu.return
  }

  // A thread with elements out of order compares indices, too, and starts with an index after all elements.
  // CHECK-LABEL: gpu.func @argmax(
  // CHECK:         %[[BEHIND:.+]] = arith.constant 2147483647 : i32
  // CHECK:         scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[PLACE:.+]] = %[[BEHIND]])
  // CHECK:           %[[AT:.+]] = arith.remui
  // CHECK:           memref.load %{{.+}}[%{{.+}}, %[[AT]]]
  // CHECK:           %[[NEW:.+]] = arith.index_cast %[[AT]]
  // CHECK:           arith.cmpi slt, %[[NEW]], %[[PLACE]]
  gpu.func @argmax() workgroup(%S: memref<32x32xf32, #shared>, %D: memref<32xf32, #shared>, %I: memref<32xi32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %S into %D, %I axes [1] scope(cta)
      {exec = #cta32, params = {group = 1 : i64, groups = 32 : i64, skew = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<32x32xf32, #shared> into memref<32xf32, #shared>, memref<32xi32, #shared>
    gpu.return
  }
}
