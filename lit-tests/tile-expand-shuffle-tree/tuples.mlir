// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

gpu.module @kernels {
  // Value and index are exchanged together. The larger value wins, and NaN wins over all numbers. For equal
  // values, or for two NaNs, the lower index wins.
  // CHECK-LABEL: gpu.func @argmax(
  // CHECK-SAME:    %[[V:[^:]+]]: f32, %[[I:[^:]+]]: i32
  // CHECK:         %[[RV:.+]], %{{.+}} = gpu.shuffle xor %[[V]],
  // CHECK-NEXT:    %[[RI:.+]], %{{.+}} = gpu.shuffle xor %[[I]],
  // CHECK-NEXT:    %[[ABOVE:.+]] = arith.cmpf ugt, %[[RV]], %[[V]]
  // CHECK-NEXT:    %[[L_IS_NONE:.+]] = arith.cmpf ord, %[[V]], %[[V]]
  // CHECK-NEXT:    %[[BEYOND:.+]] = arith.andi %[[ABOVE]], %[[L_IS_NONE]]
  // CHECK-NEXT:    %[[L_NAN:.+]] = arith.cmpf uno, %[[V]], %[[V]]
  // CHECK-NEXT:    %[[R_NAN:.+]] = arith.cmpf uno, %[[RV]], %[[RV]]
  // CHECK-NEXT:    %[[BOTH_NAN:.+]] = arith.andi %[[L_NAN]], %[[R_NAN]]
  // CHECK-NEXT:    %[[EQUAL:.+]] = arith.cmpf oeq, %[[RV]], %[[V]]
  // CHECK-NEXT:    %[[TIE:.+]] = arith.ori %[[EQUAL]], %[[BOTH_NAN]]
  // CHECK-NEXT:    %[[EARLIER:.+]] = arith.cmpi slt, %[[RI]], %[[I]]
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.andi %[[TIE]], %[[EARLIER]]
  // CHECK-NEXT:    %[[WINS:.+]] = arith.ori %[[BEYOND]], %[[FIRST]]
  // CHECK-NEXT:    %[[MAX:.+]] = arith.select %[[WINS]], %[[RV]], %[[V]]
  // CHECK-NEXT:    %[[PLACE:.+]] = arith.select %[[WINS]], %[[RI]], %[[I]]
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.store %[[MAX]]
  // CHECK-NEXT:    memref.store %[[PLACE]]
  // COUNT: @argmax barriers = 0, shuffles = 2, loads = 0, stores = 2
  gpu.func @argmax(%v: f32, %i: i32, %R: memref<f32>, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %m, %j = tile.all_reduce argmax %v, %i scope(warp) width 2 stride 1 : f32, i32 -> f32, i32
    memref.store %m, %R[] : memref<f32>
    memref.store %j, %P[] : memref<i32>
    gpu.return
  }

  // If NaN never wins, the comparison checks whether the other value is NaN.
  // CHECK-LABEL: gpu.func @argmin_ignoring_nan(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK:         %[[RV:.+]], %{{.+}} = gpu.shuffle xor %[[V]],
  // CHECK:         %[[BELOW:.+]] = arith.cmpf ult, %[[RV]], %[[V]]
  // CHECK-NEXT:    %[[R_IS_NONE:.+]] = arith.cmpf ord, %[[RV]], %[[RV]]
  // CHECK-NEXT:    arith.andi %[[BELOW]], %[[R_IS_NONE]]
  // COUNT: @argmin_ignoring_nan barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @argmin_ignoring_nan(%v: f32, %i: i64, %P: memref<i64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %m, %j = tile.all_reduce argmin %v, %i scope(warp) width 2 stride 1 {nan = #tile.nan<ignore>} : f32, i64 -> f32, i64
    memref.store %j, %P[] : memref<i64>
    gpu.return
  }

  // Integers have no NaN: two comparisons of values, and one of indices.
  // CHECK-LABEL: gpu.func @argmin_i8(
  // CHECK:         gpu.shuffle xor {{.+}} : i8
  // CHECK-NEXT:    gpu.shuffle xor {{.+}} : i32
  // CHECK-NEXT:    arith.cmpi slt, {{.+}} : i8
  // CHECK-NEXT:    arith.cmpi eq, {{.+}} : i8
  // CHECK-NEXT:    arith.cmpi slt, {{.+}} : i32
  // CHECK-NOT:     {{cmpf|cmpi}}
  // CHECK:         gpu.return
  // COUNT: @argmin_i8 barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @argmin_i8(%v: i8, %i: i32, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %m, %j = tile.all_reduce argmin %v, %i scope(warp) width 2 stride 1 : i8, i32 -> i8, i32
    memref.store %j, %P[] : memref<i32>
    gpu.return
  }

  // With up to eight warps, every thread loads all pairs: those of four warps in one load of values and one
  // of indices.
  // CHECK-LABEL: gpu.func @argmax_of_four_warps(
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK:         %[[VALUES:.+]] = memref.get_global @argmax_of_four_warps_scratch : memref<4xf32,
  // CHECK:         %[[PLACES:.+]] = memref.get_global @argmax_of_four_warps_scratch_1 : memref<4xi32,
  // CHECK-COUNT-1: vector.load %[[VALUES]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-COUNT-1: vector.load %[[PLACES]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NOT:     {{gpu.shuffle|memref.load|vector.load}}
  // CHECK:         gpu.return
  // COUNT: @argmax_of_four_warps barriers = 0, shuffles = 10, loads = 2, shared loads = 2, vector loads = 2
  // COUNT: @argmax_of_four_warps stores = 3, shared stores = 2, scf.if = 1
  gpu.func @argmax_of_four_warps(%v: f32, %i: i32, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
    memref.store %j, %P[] : memref<i32>
    gpu.return
  }

  // With more warps, the first warp combines the pairs. A lane without a slot contributes a pair that never
  // wins: the lowest value, with an index after all others.
  // CHECK-LABEL: gpu.func @argmax_of_nine_warps(
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK:         memref.get_global @argmax_of_nine_warps_scratch : memref<12xf32,
  // CHECK:         memref.get_global @argmax_of_nine_warps_scratch_1 : memref<12xi32,
  // CHECK:         %[[VALUE:.+]] = memref.get_global @argmax_of_nine_warps_scratch_2 : memref<4xf32,
  // CHECK:         %[[PLACE:.+]] = memref.get_global @argmax_of_nine_warps_scratch_3 : memref<4xi32,
  // CHECK:         scf.if %{{.+}} {
  // CHECK:         scf.if %{{.+}} -> (f32, i32) {
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0xFF800000 : f32
  // CHECK-NEXT:      arith.constant 2147483647 : i32
  // CHECK-COUNT-8: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.store %{{.+}}, %[[VALUE]]
  // CHECK-NEXT:    memref.store %{{.+}}, %[[PLACE]]
  // CHECK:         memref.load %[[VALUE]]
  // CHECK-NEXT:    memref.load %[[PLACE]]
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @argmax_of_nine_warps barriers = 0, shuffles = 18, loads = 4, shared loads = 4, stores = 5
  // COUNT: @argmax_of_nine_warps shared stores = 4, scf.if = 4
  gpu.func @argmax_of_nine_warps(%v: f32, %i: i32, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
    memref.store %j, %P[] : memref<i32>
    gpu.return
  }

  // The combiner region is inlined at every step, with the lane's own values on the left.
  // CHECK-LABEL: gpu.func @custom(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK:         %[[O:.+]], %{{.+}} = gpu.shuffle xor %[[V]],
  // CHECK-NEXT:    %[[P:.+]] = arith.mulf %[[V]], %[[O]]
  // CHECK:         %[[O2:.+]], %{{.+}} = gpu.shuffle xor %[[P]],
  // CHECK-NEXT:    %[[P2:.+]] = arith.mulf %[[P]], %[[O2]]
  // CHECK-NEXT:    memref.store %[[P2]]
  // COUNT: @custom barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @custom(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce custom %v scope(warp) width 4 stride 1 identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A combiner region with branches and outside constants: each step has a copy of the branch.
  // CHECK-LABEL: gpu.func @branch_in_a_combiner(
  // CHECK-SAME:    %[[V:[^:]+]]: f32, %[[LIMIT:[^:]+]]: f32
  // CHECK:         %[[O:.+]], %{{.+}} = gpu.shuffle xor %[[V]],
  // CHECK-NEXT:    %[[BELOW:.+]] = arith.cmpf olt, %[[O]], %[[LIMIT]]
  // CHECK-NEXT:    %[[S:.+]] = scf.if %[[BELOW]] -> (f32) {
  // CHECK-NEXT:      %[[ADDED:.+]] = arith.addf %[[V]], %[[O]]
  // CHECK-NEXT:      scf.yield %[[ADDED]]
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      scf.yield %[[V]]
  // CHECK-NEXT:    }
  // CHECK:         %[[O2:.+]], %{{.+}} = gpu.shuffle xor %[[S]],
  // CHECK-NEXT:    arith.cmpf olt, %[[O2]], %[[LIMIT]]
  // CHECK-NEXT:    scf.if
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  // COUNT: @branch_in_a_combiner barriers = 0, shuffles = 2, loads = 0, stores = 1, scf.if = 2
  gpu.func @branch_in_a_combiner(%v: f32, %limit: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce custom %v scope(warp) width 4 stride 1 identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %below = arith.cmpf olt, %r, %limit : f32
      %p = scf.if %below -> (f32) {
        %both = arith.addf %l, %r : f32
        scf.yield %both : f32
      } else {
        scf.yield %l : f32
      }
      tile.yield %p : f32
    } : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Two values in two warps: two slots per warp, and no neutral pair.
  // CHECK-LABEL: gpu.func @two_sources(
  // CHECK-COUNT-10: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.get_global @two_sources_scratch : memref<4xf32,
  // CHECK:         memref.get_global @two_sources_scratch_1 : memref<4xi32,
  // CHECK-COUNT-4: memref.load
  // CHECK-NEXT:    arith.addf
  // CHECK-NEXT:    arith.muli
  // CHECK-NOT:     {{gpu.shuffle|memref.load}}
  // CHECK:         gpu.return
  // COUNT: @two_sources barriers = 0, shuffles = 10, loads = 4, shared loads = 4, stores = 4, shared stores = 2
  // COUNT: @two_sources scf.if = 1
  gpu.func @two_sources(%v: f32, %i: i32, %R: memref<f32>, %P: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s, %p = tile.all_reduce custom %v, %i scope(cta) identity [0.0 : f32, 1 : i32] combiner {
    ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
      %x = arith.addf %a, %c : f32
      %y = arith.muli %b, %d : i32
      tile.yield %x, %y : f32, i32
    } : f32, i32 -> f32, i32
    memref.store %s, %R[] : memref<f32>
    memref.store %p, %P[] : memref<i32>
    gpu.return
  }
}
