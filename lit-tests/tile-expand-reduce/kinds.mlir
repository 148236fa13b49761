// RUN: tx-opt %s --tile-expand-reduce
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// The combining op and the initial value of each kind and type. Scope `thread` shows them; variant `shared`
// uses the same.
gpu.module @kernels {
  // A sum starts with -0.0, because +0.0 would change a sum of -0.0.
  // CHECK-LABEL: gpu.func @sum_f32(
  // CHECK:         %[[START:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.addf %[[C]], %{{.+}} : f32
  // COUNT: @sum_f32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_f32 scf.for = 1
  gpu.func @sum_f32() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // An integer sum starts with 0.
  // CHECK-LABEL: gpu.func @sum_i32(
  // CHECK:         %[[START:.+]] = arith.constant 0 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.addi %[[C]], %{{.+}} : i32
  // COUNT: @sum_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_i32 scf.for = 1
  gpu.func @sum_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // A product starts with 1.0.
  // CHECK-LABEL: gpu.func @prod_f64(
  // CHECK:         %[[START:.+]] = arith.constant 1.000000e+00 : f64
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.mulf %[[C]], %{{.+}} : f64
  // COUNT: @prod_f64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @prod_f64 scf.for = 1
  gpu.func @prod_f64() private(%P: memref<4xf64, #private>, %Q: memref<f64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce prod %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf64, #private> into memref<f64, #private>
    gpu.return
  }

  // An integer product starts with 1.
  // CHECK-LABEL: gpu.func @prod_i64(
  // CHECK:         %[[START:.+]] = arith.constant 1 : i64
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.muli %[[C]], %{{.+}} : i64
  // COUNT: @prod_i64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @prod_i64 scf.for = 1
  gpu.func @prod_i64() private(%P: memref<4xi64, #private>, %Q: memref<i64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce prod %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi64, #private> into memref<i64, #private>
    gpu.return
  }

  // The maximum of no floats is -inf, not the lowest finite float. NaN wins.
  // CHECK-LABEL: gpu.func @max_f32(
  // CHECK:         %[[START:.+]] = arith.constant 0xFF800000 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maximumf %[[C]], %{{.+}} : f32
  // COUNT: @max_f32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_f32 scf.for = 1
  gpu.func @max_f32() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // The minimum of no floats is +inf.
  // CHECK-LABEL: gpu.func @min_f32(
  // CHECK:         %[[START:.+]] = arith.constant 0x7F800000 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.minimumf %[[C]], %{{.+}} : f32
  // COUNT: @min_f32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @min_f32 scf.for = 1
  gpu.func @min_f32() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce min %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // A maximum of f64 has the -inf of f64.
  // CHECK-LABEL: gpu.func @max_f64(
  // CHECK:         %[[START:.+]] = arith.constant 0xFFF0000000000000 : f64
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maximumf %[[C]], %{{.+}} : f64
  // COUNT: @max_f64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_f64 scf.for = 1
  gpu.func @max_f64() private(%P: memref<4xf64, #private>, %Q: memref<f64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf64, #private> into memref<f64, #private>
    gpu.return
  }

  // If NaN never wins, a maximum starts with NaN, and gives -inf for no elements.
  // CHECK-LABEL: gpu.func @max_f32_ignoring_nan(
  // CHECK:         %[[START:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maxnumf %[[C]], %{{.+}} : f32
  // COUNT: @max_f32_ignoring_nan barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1
  // COUNT: @max_f32_ignoring_nan private stores = 1, scf.for = 1
  gpu.func @max_f32_ignoring_nan() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, nan = #tile.nan<ignore>, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // If NaN never wins, a minimum starts with NaN, and gives +inf for no elements.
  // CHECK-LABEL: gpu.func @min_f32_ignoring_nan(
  // CHECK:         %[[START:.+]] = arith.constant 0x7FC00000 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.minnumf %[[C]], %{{.+}} : f32
  // COUNT: @min_f32_ignoring_nan barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1
  // COUNT: @min_f32_ignoring_nan private stores = 1, scf.for = 1
  gpu.func @min_f32_ignoring_nan() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce min %P into %Q axes [0] scope(thread)
      {exec = #thread32, nan = #tile.nan<ignore>, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // A sum ignores the `nan` policy.
  // CHECK-LABEL: gpu.func @sum_f32_ignoring_nan(
  // CHECK:         %[[START:.+]] = arith.constant -0.000000e+00 : f32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.addf %[[C]], %{{.+}} : f32
  // COUNT: @sum_f32_ignoring_nan barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1
  // COUNT: @sum_f32_ignoring_nan private stores = 1, scf.for = 1
  gpu.func @sum_f32_ignoring_nan() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, nan = #tile.nan<ignore>, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // `max` of integers is signed and starts with INT_MIN.
  // CHECK-LABEL: gpu.func @max_i32(
  // CHECK:         %[[START:.+]] = arith.constant -2147483648 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maxsi %[[C]], %{{.+}} : i32
  // COUNT: @max_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_i32 scf.for = 1
  gpu.func @max_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // `min` of integers is signed and starts with INT_MAX.
  // CHECK-LABEL: gpu.func @min_i32(
  // CHECK:         %[[START:.+]] = arith.constant 2147483647 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.minsi %[[C]], %{{.+}} : i32
  // COUNT: @min_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @min_i32 scf.for = 1
  gpu.func @min_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce min %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // `max` of i8 starts with -128.
  // CHECK-LABEL: gpu.func @max_i8(
  // CHECK:         %[[START:.+]] = arith.constant -128 : i8
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maxsi %[[C]], %{{.+}} : i8
  // COUNT: @max_i8 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_i8 scf.for = 1
  gpu.func @max_i8() private(%P: memref<4xi8, #private>, %Q: memref<i8, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi8, #private> into memref<i8, #private>
    gpu.return
  }

  // `min` of i16 starts with 32767.
  // CHECK-LABEL: gpu.func @min_i16(
  // CHECK:         %[[START:.+]] = arith.constant 32767 : i16
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.minsi %[[C]], %{{.+}} : i16
  // COUNT: @min_i16 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @min_i16 scf.for = 1
  gpu.func @min_i16() private(%P: memref<4xi16, #private>, %Q: memref<i16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce min %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi16, #private> into memref<i16, #private>
    gpu.return
  }

  // `max` of i64 starts with the lowest i64.
  // CHECK-LABEL: gpu.func @max_i64(
  // CHECK:         %[[START:.+]] = arith.constant -9223372036854775808 : i64
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maxsi %[[C]], %{{.+}} : i64
  // COUNT: @max_i64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_i64 scf.for = 1
  gpu.func @max_i64() private(%P: memref<4xi64, #private>, %Q: memref<i64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi64, #private> into memref<i64, #private>
    gpu.return
  }

  // `umax` starts with 0.
  // CHECK-LABEL: gpu.func @umax_i32(
  // CHECK:         %[[START:.+]] = arith.constant 0 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.maxui %[[C]], %{{.+}} : i32
  // COUNT: @umax_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @umax_i32 scf.for = 1
  gpu.func @umax_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce umax %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // `umin` starts with all bits set.
  // CHECK-LABEL: gpu.func @umin_i32(
  // CHECK:         %[[START:.+]] = arith.constant -1 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.minui %[[C]], %{{.+}} : i32
  // COUNT: @umin_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @umin_i32 scf.for = 1
  gpu.func @umin_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce umin %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // `and` starts with all bits set.
  // CHECK-LABEL: gpu.func @and_i32(
  // CHECK:         %[[START:.+]] = arith.constant -1 : i32
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.andi %[[C]], %{{.+}} : i32
  // COUNT: @and_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @and_i32 scf.for = 1
  gpu.func @and_i32() private(%P: memref<4xi32, #private>, %Q: memref<i32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce and %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi32, #private> into memref<i32, #private>
    gpu.return
  }

  // `or` starts with 0.
  // CHECK-LABEL: gpu.func @or_i8(
  // CHECK:         %[[START:.+]] = arith.constant 0 : i8
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.ori %[[C]], %{{.+}} : i8
  // COUNT: @or_i8 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @or_i8 scf.for = 1
  gpu.func @or_i8() private(%P: memref<4xi8, #private>, %Q: memref<i8, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce or %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi8, #private> into memref<i8, #private>
    gpu.return
  }

  // `xor` starts with 0.
  // CHECK-LABEL: gpu.func @xor_i64(
  // CHECK:         %[[START:.+]] = arith.constant 0 : i64
  // CHECK:         iter_args(%[[C:.+]] = %[[START]])
  // CHECK:           arith.xori %[[C]], %{{.+}} : i64
  // COUNT: @xor_i64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @xor_i64 scf.for = 1
  gpu.func @xor_i64() private(%P: memref<4xi64, #private>, %Q: memref<i64, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce xor %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xi64, #private> into memref<i64, #private>
    gpu.return
  }

  // f16 elements are added in f32, and rounded once, at the end.
  // CHECK-LABEL: gpu.func @sum_f16(
  // CHECK:         %[[SUM:.+]] = scf.for {{.+}} -> (f32) {
  // CHECK:           %[[X:.+]] = memref.load %{{.+}} : memref<4xf16
  // CHECK-NEXT:      %[[W:.+]] = arith.extf %[[X]] : f16 to f32
  // CHECK-NEXT:      arith.addf %{{.+}}, %[[W]] : f32
  // CHECK:         }{{$}}
  // CHECK-NEXT:    %[[R:.+]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK-NEXT:    memref.store %[[R]]
  // COUNT: @sum_f16 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_f16 scf.for = 1
  gpu.func @sum_f16() private(%P: memref<4xf16, #private>, %Q: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf16, #private> into memref<f16, #private>
    gpu.return
  }

  // bf16 elements are combined in f32. Infinity is that of f32.
  // CHECK-LABEL: gpu.func @max_bf16(
  // CHECK:         arith.constant 0xFF800000 : f32
  // CHECK:         scf.for {{.+}} -> (f32) {
  // CHECK:           arith.extf %{{.+}} : bf16 to f32
  // CHECK-NEXT:      arith.maximumf %{{.+}} : f32
  // CHECK:         arith.truncf %{{.+}} : f32 to bf16
  // CHECK-NEXT:    memref.store
  // COUNT: @max_bf16 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @max_bf16 scf.for = 1
  gpu.func @max_bf16() private(%P: memref<4xbf16, #private>, %Q: memref<bf16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xbf16, #private> into memref<bf16, #private>
    gpu.return
  }

  // Attribute `acc` sets another type of partial results.
  // CHECK-LABEL: gpu.func @sum_f16_in_f16(
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         scf.for {{.+}} -> (f16) {
  // CHECK:           arith.addf %{{.+}} : f16
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         gpu.return
  // COUNT: @sum_f16_in_f16 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_f16_in_f16 scf.for = 1
  gpu.func @sum_f16_in_f16() private(%P: memref<4xf16, #private>, %Q: memref<f16, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {acc = f16, exec = #thread32, params = {}, variant = "local"}
      : memref<4xf16, #private> into memref<f16, #private>
    gpu.return
  }

  // Partial results may be wider for any type.
  // CHECK-LABEL: gpu.func @sum_f32_in_f64(
  // CHECK:         scf.for {{.+}} -> (f64) {
  // CHECK:           arith.extf %{{.+}} : f32 to f64
  // CHECK:         arith.truncf %{{.+}} : f64 to f32
  // COUNT: @sum_f32_in_f64 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_f32_in_f64 scf.for = 1
  gpu.func @sum_f32_in_f64() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {acc = f64, exec = #thread32, params = {}, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // A wider destination stores the sum without rounding.
  // CHECK-LABEL: gpu.func @sum_f16_into_f32(
  // CHECK:         %[[SUM:.+]] = scf.for {{.+}} -> (f32) {
  // CHECK:           arith.extf %{{.+}} : f16 to f32
  // CHECK:         }{{$}}
  // CHECK-NEXT:    memref.store %[[SUM]]
  // COUNT: @sum_f16_into_f32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_f16_into_f32 scf.for = 1
  gpu.func @sum_f16_into_f32() private(%P: memref<4xf16, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<4xf16, #private> into memref<f32, #private>
    gpu.return
  }

  // Integers are sign-extended for signed kinds.
  // CHECK-LABEL: gpu.func @sum_i8_in_i32(
  // CHECK:         arith.extsi %{{.+}} : i8 to i32
  // CHECK:         arith.trunci %{{.+}} : i32 to i8
  // COUNT: @sum_i8_in_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @sum_i8_in_i32 scf.for = 1
  gpu.func @sum_i8_in_i32() private(%P: memref<4xi8, #private>, %Q: memref<i8, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {acc = i32, exec = #thread32, params = {}, variant = "local"}
      : memref<4xi8, #private> into memref<i8, #private>
    gpu.return
  }

  // Integers are zero-extended for unsigned kinds.
  // CHECK-LABEL: gpu.func @umax_i8_in_i32(
  // CHECK:         arith.extui %{{.+}} : i8 to i32
  // CHECK:         arith.trunci %{{.+}} : i32 to i8
  // COUNT: @umax_i8_in_i32 barriers = 0, shuffles = 0, loads = 1, private loads = 1, stores = 1, private stores = 1
  // COUNT: @umax_i8_in_i32 scf.for = 1
  gpu.func @umax_i8_in_i32() private(%P: memref<4xi8, #private>, %Q: memref<i8, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce umax %P into %Q axes [0] scope(thread)
      {acc = i32, exec = #thread32, params = {}, variant = "local"}
      : memref<4xi8, #private> into memref<i8, #private>
    gpu.return
  }

  // A sum of no elements stores the identity, +0.0, without
  // loads.
  // CHECK-LABEL: gpu.func @sum_of_none(
  // CHECK-NOT:     {{scf.for|memref.load}}
  // CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK-NOT:     {{scf.for|memref.load}}
  // CHECK:         memref.store %[[ZERO]]
  // COUNT: @sum_of_none barriers = 0, shuffles = 0, loads = 0, stores = 1, private stores = 1
  gpu.func @sum_of_none() private(%P: memref<0xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {}, variant = "local"}
      : memref<0xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // The maximum of no elements is -inf, even if partial results start with NaN.
  // CHECK-LABEL: gpu.func @max_of_none_ignoring_nan(
  // CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
  // CHECK:         memref.store %[[LEAST]]
  // COUNT: @max_of_none_ignoring_nan barriers = 0, shuffles = 0, loads = 0, stores = 1, private stores = 1
  gpu.func @max_of_none_ignoring_nan() private(%P: memref<0xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %P into %Q axes [0] scope(thread)
      {exec = #thread32, nan = #tile.nan<ignore>, params = {}, variant = "local"}
      : memref<0xf32, #private> into memref<f32, #private>
    gpu.return
  }
}
