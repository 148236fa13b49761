// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

gpu.module @kernels {
  // A sum of floats.
  // CHECK-LABEL: gpu.func @sum_f32(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : f32
  // CHECK-NEXT:    arith.addf %[[V]], %[[S]] : f32
  // COUNT: @sum_f32 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @sum_f32(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 2 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // f64 values are shuffled as one value at this level.
  // CHECK-LABEL: gpu.func @sum_f64(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : f64
  // CHECK-NEXT:    arith.addf %[[V]], %[[S]] : f64
  // COUNT: @sum_f64 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @sum_f64(%v: f64, %R: memref<f64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 2 stride 1 : f64 -> f64
    memref.store %s, %R[] : memref<f64>
    gpu.return
  }

  // f16 values are exchanged in f32, and rounded once, at the end.
  // CHECK-LABEL: gpu.func @sum_f16(
  // CHECK-SAME:    %[[V:[^:]+]]: f16
  // CHECK-NEXT:    %[[W:.+]] = arith.extf %[[V]] : f16 to f32
  // CHECK:         gpu.shuffle xor %[[W]], %{{.+}}, %{{.+}} : f32
  // CHECK:         gpu.shuffle xor %{{.+}} : f32
  // CHECK:         %[[ALL:.+]] = arith.addf %{{.+}} : f32
  // CHECK-NEXT:    %[[R:.+]] = arith.truncf %[[ALL]] : f32 to f16
  // CHECK-NEXT:    memref.store %[[R]]
  // COUNT: @sum_f16 barriers = 0, shuffles = 2, loads = 0, stores = 1
  gpu.func @sum_f16(%v: f16, %R: memref<f16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 4 stride 1 : f16 -> f16
    memref.store %s, %R[] : memref<f16>
    gpu.return
  }

  // f16 partial results in shared memory are f32, too.
  // CHECK-LABEL: gpu.func @sum_bf16_of_two_warps(
  // CHECK-COUNT-1: arith.extf %{{.+}} : bf16 to f32
  // CHECK:         memref.get_global @sum_bf16_of_two_warps_scratch : memref<4xf32,
  // CHECK-COUNT-1: arith.truncf %{{.+}} : f32 to bf16
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         gpu.return
  // COUNT: @sum_bf16_of_two_warps barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2
  // COUNT: @sum_bf16_of_two_warps shared stores = 1, scf.if = 1
  gpu.func @sum_bf16_of_two_warps(%v: bf16, %R: memref<bf16>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : bf16 -> bf16
    memref.store %s, %R[] : memref<bf16>
    gpu.return
  }

  // Attribute `acc` sets another type of partial results.
  // CHECK-LABEL: gpu.func @sum_f16_in_f16(
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         gpu.shuffle xor %{{.+}} : f16
  // CHECK-NEXT:    arith.addf %{{.+}} : f16
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         gpu.return
  // COUNT: @sum_f16_in_f16 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @sum_f16_in_f16(%v: f16, %R: memref<f16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 2 stride 1 {acc = f16} : f16 -> f16
    memref.store %s, %R[] : memref<f16>
    gpu.return
  }

  // Partial results may be wider for any type.
  // CHECK-LABEL: gpu.func @sum_f32_in_f64(
  // CHECK:         arith.extf %{{.+}} : f32 to f64
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f64
  // CHECK:         memref.get_global @sum_f32_in_f64_scratch : memref<2xf64,
  // CHECK:         arith.truncf %{{.+}} : f64 to f32
  // COUNT: @sum_f32_in_f64 barriers = 0, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @sum_f32_in_f64 shared stores = 1, scf.if = 1
  gpu.func @sum_f32_in_f64(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) {acc = f64} : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // The value of a group of one is widened and rounded, which does not change it.
  // CHECK-LABEL: gpu.func @no_exchange_of_f16(
  // CHECK-SAME:    %[[V:[^:]+]]: f16
  // CHECK-NEXT:    %[[W:.+]] = arith.extf %[[V]] : f16 to f32
  // CHECK-NEXT:    %[[R:.+]] = arith.truncf %[[W]] : f32 to f16
  // CHECK-NEXT:    memref.store %[[R]]
  // COUNT: @no_exchange_of_f16 barriers = 0, shuffles = 0, loads = 0, stores = 1
  gpu.func @no_exchange_of_f16(%v: f16, %R: memref<f16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 1 stride 1 : f16 -> f16
    memref.store %s, %R[] : memref<f16>
    gpu.return
  }

  // A product of integers.
  // CHECK-LABEL: gpu.func @prod_i64(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i64
  // CHECK-NEXT:    arith.muli %[[V]], %[[S]] : i64
  // COUNT: @prod_i64 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @prod_i64(%v: i64, %R: memref<i64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce prod %v scope(warp) width 2 stride 1 : i64 -> i64
    memref.store %s, %R[] : memref<i64>
    gpu.return
  }

  // A maximum in which NaN wins.
  // CHECK-LABEL: gpu.func @max_f32(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : f32
  // CHECK-NEXT:    arith.maximumf %[[V]], %[[S]] : f32
  // COUNT: @max_f32 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @max_f32(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce max %v scope(warp) width 2 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A maximum in which NaN never wins.
  // CHECK-LABEL: gpu.func @max_f32_ignoring_nan(
  // CHECK:         gpu.shuffle xor
  // CHECK-NEXT:    arith.maxnumf
  // COUNT: @max_f32_ignoring_nan barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @max_f32_ignoring_nan(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce max %v scope(warp) width 2 stride 1 {nan = #tile.nan<ignore>} : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A signed maximum of integers.
  // CHECK-LABEL: gpu.func @max_i32(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i32
  // CHECK-NEXT:    arith.maxsi %[[V]], %[[S]] : i32
  // COUNT: @max_i32 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @max_i32(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce max %v scope(warp) width 2 stride 1 : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // A signed maximum of another integer width.
  // CHECK-LABEL: gpu.func @min_i8(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i8
  // CHECK-NEXT:    arith.minsi %[[V]], %[[S]] : i8
  // COUNT: @min_i8 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @min_i8(%v: i8, %R: memref<i8>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce min %v scope(warp) width 2 stride 1 : i8 -> i8
    memref.store %s, %R[] : memref<i8>
    gpu.return
  }

  // An unsigned maximum of integers.
  // CHECK-LABEL: gpu.func @umax_i16(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i16
  // CHECK-NEXT:    arith.maxui %[[V]], %[[S]] : i16
  // COUNT: @umax_i16 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @umax_i16(%v: i16, %R: memref<i16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce umax %v scope(warp) width 2 stride 1 : i16 -> i16
    memref.store %s, %R[] : memref<i16>
    gpu.return
  }

  // A minimum of each sort.
  // CHECK-LABEL: gpu.func @umin_i32(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i32
  // CHECK-NEXT:    arith.minui %[[V]], %[[S]] : i32
  // COUNT: @umin_i32 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @umin_i32(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce umin %v scope(warp) width 2 stride 1 : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Bitwise kinds.
  // CHECK-LABEL: gpu.func @and_i32(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i32
  // CHECK-NEXT:    arith.andi %[[V]], %[[S]] : i32
  // COUNT: @and_i32 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @and_i32(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce and %v scope(warp) width 2 stride 1 : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // Bitwise kinds of other integer widths.
  // CHECK-LABEL: gpu.func @or_i64(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i64
  // CHECK-NEXT:    arith.ori %[[V]], %[[S]] : i64
  // COUNT: @or_i64 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @or_i64(%v: i64, %R: memref<i64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce or %v scope(warp) width 2 stride 1 : i64 -> i64
    memref.store %s, %R[] : memref<i64>
    gpu.return
  }

  // A bitwise kind of i1.
  // CHECK-LABEL: gpu.func @xor_i1(
  // CHECK:         %[[S:.+]], %{{.+}} = gpu.shuffle xor %[[V:.+]], %{{.+}}, %{{.+}} : i1
  // CHECK-NEXT:    arith.xori %[[V]], %[[S]] : i1
  // COUNT: @xor_i1 barriers = 0, shuffles = 1, loads = 0, stores = 1
  gpu.func @xor_i1(%v: i1, %R: memref<i1>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce xor %v scope(warp) width 2 stride 1 : i1 -> i1
    memref.store %s, %R[] : memref<i1>
    gpu.return
  }

  // A lane without a slot contributes the identity: for an integer maximum, the minimum of the type.
  // CHECK-LABEL: gpu.func @max_i32_of_seventeen_warps(
  // CHECK:         memref.get_global @max_i32_of_seventeen_warps_scratch : memref<20xi32,
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant -2147483648 : i32
  // CHECK:         gpu.shuffle xor
  // COUNT: @max_i32_of_seventeen_warps barriers = 0, shuffles = 10, loads = 2, shared loads = 2, stores = 3
  // COUNT: @max_i32_of_seventeen_warps shared stores = 2, scf.if = 4
  gpu.func @max_i32_of_seventeen_warps(%v: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 544, 1, 1>} {
    %s = tile.all_reduce max %v scope(cta) : i32 -> i32
    memref.store %s, %R[] : memref<i32>
    gpu.return
  }

  // A lane without a slot contributes infinity to a float minimum.
  // CHECK-LABEL: gpu.func @min_f64_of_seventeen_warps(
  // CHECK:         memref.get_global @min_f64_of_seventeen_warps_scratch : memref<18xf64,
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0x7FF0000000000000 : f64
  // CHECK:         gpu.shuffle xor
  // COUNT: @min_f64_of_seventeen_warps barriers = 0, shuffles = 10, loads = 2, shared loads = 2, stores = 3
  // COUNT: @min_f64_of_seventeen_warps shared stores = 2, scf.if = 4
  gpu.func @min_f64_of_seventeen_warps(%v: f64, %R: memref<f64>)
      kernel attributes {known_block_size = array<i32: 544, 1, 1>} {
    %s = tile.all_reduce min %v scope(cta) : f64 -> f64
    memref.store %s, %R[] : memref<f64>
    gpu.return
  }

  // A lane without a slot contributes NaN if NaN never wins.
  // CHECK-LABEL: gpu.func @max_of_seventeen_warps_ignoring_nan(
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant 0x7FC00000 : f32
  // CHECK:         gpu.shuffle xor
  // COUNT: @max_of_seventeen_warps_ignoring_nan barriers = 0, shuffles = 10, loads = 2, shared loads = 2, stores = 3
  // COUNT: @max_of_seventeen_warps_ignoring_nan shared stores = 2, scf.if = 4
  gpu.func @max_of_seventeen_warps_ignoring_nan(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 544, 1, 1>} {
    %s = tile.all_reduce max %v scope(cta) {nan = #tile.nan<ignore>} : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
