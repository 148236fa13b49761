// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#row = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}

// `argmax` and `argmin` of narrow elements use a 32-bit key, with the value above the index.
gpu.module @kernels {
  // The largest key wins. The sign bit of a value is inverted, and so are all bits of a negative value, for
  // the order of unsigned integers. -0 becomes +0, and NaN is above all. The index is inverted, so that the
  // lowest wins. The threads exchange one key. The winner's index gives its value by another load.
  // CHECK-LABEL: gpu.func @argmax_f16(
  // CHECK-SAME:    %[[A:[^:]+]]: memref<1x64xf16>, %[[V:[^:]+]]: memref<1xf16>, %[[I:[^:]+]]: memref<1xi32>
  // CHECK:         %[[R:.+]] = scf.for {{.+}} iter_args(%[[BEST:.+]] = %{{.*}}c0_i32) -> (i32) {
  // CHECK:           %[[X:.+]] = memref.load %[[A]]
  // CHECK:           %[[BITS:.+]] = arith.bitcast %[[X]] : f16 to i16
  // CHECK:           %[[UP:.+]] = arith.xori %[[BITS]], %[[SIGN:.+]] : i16
  // CHECK:           %[[NEGATIVE:.+]] = arith.cmpi slt, %[[BITS]],
  // CHECK:           %[[TURNED:.+]] = arith.xori %[[BITS]], %[[ONES:.+]] : i16
  // CHECK-NEXT:      %[[ORDERED:.+]] = arith.select %[[NEGATIVE]], %[[TURNED]], %[[UP]]
  // CHECK-NEXT:      %[[MINUS_ZERO:.+]] = arith.cmpi eq, %[[BITS]], %[[SIGN]]
  // CHECK-NEXT:      %[[O2:.+]] = arith.select %[[MINUS_ZERO]], %[[SIGN]], %[[ORDERED]]
  // CHECK:           %[[INF:.+]] = arith.constant 31744 : i16
  // CHECK-NEXT:      %[[NAN:.+]] = arith.cmpi sgt, %{{.+}}, %[[INF]]
  // CHECK-NEXT:      %[[O3:.+]] = arith.select %[[NAN]], %[[ONES]], %[[O2]]
  // CHECK-NEXT:      %[[WIDE:.+]] = arith.extui %[[O3]] : i16 to i32
  // CHECK:           %[[HIGH:.+]] = arith.shli %[[WIDE]],
  // CHECK:           %[[LOW:.+]] = arith.subi %{{.*}}c65535_i32, %{{.+}} : i32
  // CHECK-NEXT:      %[[KEY:.+]] = arith.ori %[[HIGH]], %[[LOW]]
  // CHECK-NEXT:      arith.maxui %[[BEST]], %[[KEY]] : i32
  // CHECK:         %[[ALL:.+]] = tile.all_reduce umax %[[R]] scope(warp) width 32 stride 1 {{.*}}variant = "redux"{{.*}} : i32 -> i32
  // CHECK-NOT:     tile.all_reduce
  // CHECK:         scf.if
  // CHECK:           %[[LOW2:.+]] = arith.andi %[[ALL]], %[[MASK:.+]] : i32
  // CHECK-NEXT:      %[[AT:.+]] = arith.subi %[[MASK]], %[[LOW2]]
  // CHECK-NEXT:      %[[PLACE:.+]] = arith.index_castui %[[AT]]
  // CHECK-NEXT:      memref.load %[[A]][%{{.+}}, %[[PLACE]]]
  // CHECK:           memref.store %{{.+}}, %[[V]]
  // CHECK-NEXT:      memref.store %{{.+}}, %[[I]]
  // CHECK:         gpu.return
  gpu.func @argmax_f16(%A: memref<1x64xf16>, %V: memref<1xf16>, %I: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32, params = #row, variant = "packed_key"}
      : memref<1x64xf16> into memref<1xf16>, memref<1xi32>
    gpu.return
  }

  // If NaN never wins, its key is below all others.
  // CHECK-LABEL: gpu.func @argmax_bf16_ignoring_nan(
  // CHECK:           %[[INF:.+]] = arith.constant 32640 : i16
  // CHECK-NEXT:      %[[NAN:.+]] = arith.cmpi sgt, %{{.+}}, %[[INF]]
  // CHECK-NEXT:      arith.select %[[NAN]], %{{.*}}c0_i16, %{{.+}}
  gpu.func @argmax_bf16_ignoring_nan(%A: memref<1x64xbf16>, %V: memref<1xbf16>, %I: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta)
      {exec = #cta32, nan = #tile.nan<ignore>, params = #row, variant = "packed_key"}
      : memref<1x64xbf16> into memref<1xbf16>, memref<1xi32>
    gpu.return
  }

  // `argmin` inverts the value. With 8-bit values, the index has 24 bits.
  // CHECK-LABEL: gpu.func @argmin_i8(
  // CHECK:           %[[X:.+]] = memref.load
  // CHECK:           %[[UP:.+]] = arith.xori %[[X]], %{{.*}}c-128_i8
  // CHECK:           %[[TURNED:.+]] = arith.xori %[[UP]], %{{.*}}c-1_i8
  // CHECK-NEXT:      %[[WIDE:.+]] = arith.extui %[[TURNED]] : i8 to i32
  // CHECK:           arith.shli %[[WIDE]], %{{.*}}c24_i32
  // CHECK:           arith.constant 16777215 : i32
  // CHECK:           arith.maxui
  // CHECK:         tile.all_reduce umax
  // CHECK-NOT:     {{tile.all_reduce|arith.cmpf|arith.minsi}}
  // CHECK:         gpu.return
  gpu.func @argmin_i8(%A: memref<1x64xi8>, %V: memref<1xi8>, %I: memref<1xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmin %A into %V, %I axes [1] scope(cta) {exec = #cta32, params = #row, variant = "packed_key"}
      : memref<1x64xi8> into memref<1xi8>, memref<1xi32>
    gpu.return
  }

  // Narrow groups exchange the key by shuffles, which are cheaper there.
  // CHECK-LABEL: gpu.func @groups_of_eight(
  // CHECK:         tile.all_reduce umax %{{.+}} scope(warp) width 8 stride 1
  // CHECK-NOT:     redux
  // CHECK:         gpu.return
  gpu.func @groups_of_eight(%A: memref<4x8xf16>, %V: memref<4xf16>, %I: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "packed_key"}
      : memref<4x8xf16> into memref<4xf16>, memref<4xi32>
    gpu.return
  }
}
