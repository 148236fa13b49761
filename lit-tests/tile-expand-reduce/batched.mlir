// RUN: tx-opt %s --tile-expand-reduce
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#cta64 = {active = array<i64: 0, 64>, block = 64 : i64, threads = 64 : i64}
#shared = #gpu.address_space<workgroup>

// A warp exchanges many rows together. In each step, half of the lanes give one half of their rows to the
// other lanes and get the other half, so the number of rows halves.
gpu.module @kernels {
  // 32 rows take 16 + 8 + 4 + 2 + 1 shuffles, instead of 160 with five for each row. Before each shuffle, a
  // lane selects the rows that it keeps and those that it gives. In the end, lane 3 has row 3, and each lane
  // stores its row by one store.
  // CHECK-LABEL: gpu.func @thirty_two_rows(
  // CHECK-SAME:    %{{.+}}: memref<32x32xf32>, %[[B:[^:]+]]: memref<32xf32>
  // CHECK-NEXT:    %[[LANE:.+]] = gpu.thread_id x
  // CHECK-COUNT-32: memref.load
  // CHECK-NOT:     {{memref.load|gpu.shuffle}}
  // CHECK:         %[[BIT:.+]] = arith.divui %[[LANE]], %{{.*}}c16
  // CHECK-NEXT:    arith.remui %[[BIT]]
  // CHECK-COUNT-32: arith.select
  // CHECK-COUNT-16: gpu.shuffle xor %{{.+}}, %{{.*}}c16_i32,
  // CHECK-COUNT-16: arith.select
  // CHECK-COUNT-8: gpu.shuffle xor %{{.+}}, %{{.*}}c8_i32,
  // CHECK-COUNT-8: arith.select
  // CHECK-COUNT-4: gpu.shuffle xor %{{.+}}, %{{.*}}c4_i32,
  // CHECK-COUNT-4: arith.select
  // CHECK-COUNT-2: gpu.shuffle xor %{{.+}}, %{{.*}}c2_i32,
  // CHECK-COUNT-2: arith.select
  // CHECK-COUNT-1: gpu.shuffle xor %{{.+}}, %{{.*}}c1_i32,
  // CHECK-NEXT:    %[[TOTAL:.+]] = arith.addf
  // CHECK-NOT:     {{gpu.shuffle|select|barrier}}
  // CHECK:         memref.store %[[TOTAL]], %[[B]][%[[LANE]]]
  // CHECK-NOT:     {{gpu.shuffle|memref.store|barrier}}
  // CHECK:         gpu.return
  // COUNT: @thirty_two_rows barriers = 0, shuffles = 31, loads = 32, stores = 1, scf.if = 1
  gpu.func @thirty_two_rows(%A: memref<32x32xf32>, %B: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {rows = 32 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<32x32xf32> into memref<32xf32>
    gpu.return
  }

  // Two rows: each half of the warp gets one row, by one shuffle, and four more among sixteen lanes. The
  // first lane of each half stores.
  // CHECK-LABEL: gpu.func @two_rows(
  // CHECK-COUNT-2: memref.load
  // CHECK-COUNT-2: arith.select
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     {{gpu.shuffle|arith.select}}
  // CHECK:         %[[ROW:.+]] = arith.divui %[[LANE:.+]], %[[C16:.+]] : index
  // CHECK-NEXT:    %[[COPY:.+]] = arith.remui %[[LANE]], %[[C16]]
  // CHECK-NEXT:    arith.cmpi eq, %[[COPY]],
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store %{{.+}}, %{{.+}}[%[[ROW]]]{{.+}}
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    gpu.return
  // COUNT: @two_rows barriers = 0, shuffles = 5, loads = 2, stores = 1, scf.if = 1
  gpu.func @two_rows(%A: memref<2x32xf32>, %B: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {rows = 2 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<2x32xf32> into memref<2xf32>
    gpu.return
  }

  // Eight rows take 4 + 2 + 1 shuffles, and two among the four lanes with the same row. The last eight of forty
  // elements are loaded with a bounds check, before the exchange.
  // CHECK-LABEL: gpu.func @eight_rows(
  // CHECK-COUNT-8: memref.load
  // CHECK:         arith.cmpi ult, %{{.+}}, %{{.*}}c40
  // CHECK-NEXT:    scf.if
  // CHECK-COUNT-8:   memref.load
  // CHECK-NOT:       {{memref.load|gpu.shuffle}}
  // CHECK:         } else {
  // CHECK:         }{{$}}
  // CHECK-COUNT-9: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         scf.if
  // CHECK-COUNT-1:   memref.store
  // CHECK-NOT:     memref.store
  // CHECK:         gpu.return
  // COUNT: @eight_rows barriers = 0, shuffles = 9, loads = 16, stores = 1, scf.if = 2
  gpu.func @eight_rows(%A: memref<8x40xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {rows = 8 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<8x40xf32> into memref<8xf32>
    gpu.return
  }

  // Twenty rows are exchanged like thirty-two. Lanes beyond the last row load the last row, so no load is out
  // of bounds, and only twenty lanes store.
  // CHECK-LABEL: gpu.func @twenty_rows(
  // CHECK:         %[[LANE:.+]] = gpu.thread_id x
  // CHECK:         %[[LAST:.+]] = arith.constant 19 : index
  // CHECK-COUNT-13: memref.load %{{.+}}[%[[LAST]], %[[LANE]]]
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-31: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[LANE]], %{{.*}}c20
  // CHECK-NEXT:    scf.if %[[INSIDE]] {
  // CHECK-NEXT:      memref.store %{{.+}}, %{{.+}}[%[[LANE]]]{{.+}}
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    gpu.return
  // COUNT: @twenty_rows barriers = 0, shuffles = 31, loads = 32, stores = 1, scf.if = 1
  gpu.func @twenty_rows(%A: memref<20x32xf32>, %B: memref<20xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {rows = 32 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<20x32xf32> into memref<20xf32>
    gpu.return
  }

  // Two warps with two rows each need seven rounds for 26 rows. In the last round, the second warp loads the
  // last row twice and stores nothing. Its lanes still execute the shuffles, which are outside all branches.
  // CHECK-LABEL: gpu.func @twenty_six_rows_by_two_warps(
  // CHECK:         %[[WARP:.+]] = arith.divui %{{.+}}, %{{.*}}c32
  // CHECK:         scf.for %[[ROUND:[^ ]+]] = %{{.*}}c0 to %{{.*}}c7 step
  // CHECK:           %[[TWICE:.+]] = arith.muli %[[ROUND]],
  // CHECK-NEXT:      %[[BATCH:.+]] = arith.addi %[[TWICE]], %[[WARP]]
  // CHECK-NEXT:      %[[ROW:.+]] = arith.muli %[[BATCH]],
  // CHECK:           %[[HAS:.+]] = arith.cmpi ult, %[[ROW]], %{{.*}}c26
  // CHECK-NEXT:      %[[LAST:.+]] = arith.constant 25 : index
  // CHECK-NEXT:      arith.select %[[HAS]], %[[ROW]], %[[LAST]]
  // CHECK-NOT:       scf.if
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK-NOT:       gpu.shuffle
  // CHECK:           scf.if
  // CHECK-NEXT:        memref.store {{.+}}
  // CHECK-NEXT:      }{{$}}
  // CHECK-NEXT:    }{{$}}
  // CHECK-NEXT:    gpu.return
  // COUNT: @twenty_six_rows_by_two_warps barriers = 0, shuffles = 5, loads = 2, stores = 1, scf.for = 1, scf.if = 1
  gpu.func @twenty_six_rows_by_two_warps(%A: memref<26x32xf32>, %B: memref<26xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta64, params = {rows = 2 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<26x32xf32> into memref<26xf32>
    gpu.return
  }

  // Four consecutive elements of a row are one load, and are combined before the exchange.
  // CHECK-LABEL: gpu.func @vectors(
  // CHECK-SAME:    {llvm.align = 16 : i64}
  // CHECK:         vector.load %{{.+}} {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         vector.load %{{.+}} {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NOT:     {{memref.load|vector.load}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @vectors barriers = 0, shuffles = 5, loads = 2, shared loads = 2, vector loads = 2, stores = 1
  // COUNT: @vectors shared stores = 1, scf.if = 1
  gpu.func @vectors() workgroup(%S: memref<2x128xf32, #shared>, %B: memref<2xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
      {exec = #cta32, params = {rows = 2 : i64, vector = 4 : i64}, variant = "batched"}
      : memref<2x128xf32, #shared> into memref<2xf32, #shared>
    gpu.return
  }

  // Value and index are exchanged together: two shuffles per step.
  // CHECK-LABEL: gpu.func @argmax(
  // CHECK-COUNT-4: arith.select
  // CHECK:         gpu.shuffle xor %{{.+}} : f32
  // CHECK-NEXT:    gpu.shuffle xor %{{.+}} : i32
  // CHECK-COUNT-8: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         scf.if
  // CHECK-NEXT:      memref.store
  // CHECK-NEXT:      memref.store
  // CHECK:         gpu.return
  // COUNT: @argmax barriers = 0, shuffles = 10, loads = 2, stores = 2, scf.if = 1
  gpu.func @argmax(%A: memref<2x32xf32>, %V: memref<2xf32>, %I: memref<2xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta)
      {exec = #cta32, params = {rows = 2 : i64, vector = 1 : i64}, variant = "batched"}
      : memref<2x32xf32> into memref<2xf32>, memref<2xi32>
    gpu.return
  }
}
