// RUN(OLD): tx-opt %s --pass-pipeline='builtin.module(tile-attach-target{chip=sm_90},tile-select-variant)'
// RUN(NEW): tx-opt %s --pass-pipeline='builtin.module(tile-attach-target{chip=sm_100a},tile-select-variant)'

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

// The chip determines the available instructions, and thus the best variant.
gpu.module @kernels {
  // Eight elements per thread suffice for the wider instructions of sm_100; seven do not.
  // OLD-LABEL: gpu.func @thread
  // OLD:       tile.reduce sum {{.*}}variant = "local"
  // OLD:       tile.reduce min {{.*}}variant = "local"
  // OLD:       tile.reduce sum {{.*}}variant = "local"
  // NEW-LABEL: gpu.func @thread
  // NEW:       tile.reduce sum {{.*}}variant = "packed_add_sum"
  // NEW:       tile.reduce min {{.*}}variant = "3input_maxmin"
  // NEW:       tile.reduce sum {{.*}}variant = "local"
  gpu.func @thread() private(%P: memref<8xf32, #private>, %O: memref<7xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32} : memref<8xf32, #private> into memref<f32, #private>
    tile.reduce min %P into %Q axes [0] scope(thread) {exec = #thread32} : memref<8xf32, #private> into memref<f32, #private>
    tile.reduce sum %O into %Q axes [0] scope(thread) {exec = #thread32} : memref<7xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // Integers of a whole warp are combined by one instruction on every chip, and float maxima on chips that
  // have it. Groups of eight lanes would execute it one after another, so they use shuffles.
  // OLD-LABEL: gpu.func @lanes
  // OLD:       tile.reduce sum {{.*}}variant = "redux"
  // OLD:       tile.reduce max {{.*}}variant = "shared"
  // OLD:       tile.reduce sum {{.*}}params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"
  // NEW-LABEL: gpu.func @lanes
  // NEW:       tile.reduce sum {{.*}}variant = "redux"
  // NEW:       tile.reduce max {{.*}}variant = "redux"
  // NEW:       tile.reduce sum {{.*}}params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"
  gpu.func @lanes(%A: memref<1x64xi32>, %B: memref<1xi32>, %C: memref<1x64xf32>, %D: memref<1xf32>, %E: memref<4x8xi32>, %F: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<1x64xi32> into memref<1xi32>
    tile.reduce max %C into %D axes [1] scope(cta) {exec = #cta32} : memref<1x64xf32> into memref<1xf32>
    tile.reduce sum %E into %F axes [1] scope(cta) {exec = #cta32} : memref<4x8xi32> into memref<4xi32>
    gpu.return
  }

  // Values in registers have the same variants.
  // OLD-LABEL: gpu.func @values
  // OLD:       tile.all_reduce sum {{.*}}variant = "redux"
  // OLD-NOT:   variant = "redux"
  // OLD:       gpu.return
  // NEW-LABEL: gpu.func @values
  // NEW:       tile.all_reduce sum {{.*}}variant = "redux"
  // NEW:       tile.all_reduce max {{.*}}variant = "redux"
  // NEW-NOT:   variant = "redux"
  // NEW:       gpu.return
  gpu.func @values(%i: i32, %x: f32, %R: memref<i32>, %S: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = tile.all_reduce sum %i scope(warp) : i32 -> i32
    %b = tile.all_reduce max %x scope(warp) : f32 -> f32
    %c = tile.all_reduce sum %a scope(warp) width 8 stride 1 : i32 -> i32
    memref.store %c, %R[] : memref<i32>
    memref.store %b, %S[] : memref<f32>
    gpu.return
  }

  // Narrow pairs of value and index become one key if a warp shares a row. f16 elements are combined in f16
  // if this changes no result, and not if partial results are f32. On a chip with the instruction, a warp
  // maximum in f32 is cheaper.
  // OLD-LABEL: gpu.func @narrow
  // OLD:       tile.reduce argmax {{.*}}variant = "packed_key"
  // OLD:       tile.reduce max {{.*}}vector = 8 : i64}, variant = "packed_half"
  // OLD:       tile.reduce sum {{.*}}vector = 8 : i64}, variant = "packed_half"
  // OLD:       tile.reduce sum {{.*}}variant = "shared"
  // NEW-LABEL: gpu.func @narrow
  // NEW:       tile.reduce argmax {{.*}}variant = "packed_key"
  // NEW:       tile.reduce max {{.*}}vector = 8 : i64}, variant = "redux"
  // NEW:       tile.reduce sum {{.*}}vector = 8 : i64}, variant = "packed_half"
  // NEW:       tile.reduce sum {{.*}}variant = "shared"
  gpu.func @narrow(%A: memref<1x64xf16>, %V: memref<1xf16>, %I: memref<1xi32>, %B: memref<1xf16>)
      workgroup(%S: memref<1x512xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) {exec = #cta32} : memref<1x64xf16> into memref<1xf16>, memref<1xi32>
    tile.reduce max %S into %B axes [1] scope(cta) {exec = #cta32} : memref<1x512xf16, #shared> into memref<1xf16>
    tile.reduce sum %S into %B axes [1] scope(cta) {acc = f16, exec = #cta32} : memref<1x512xf16, #shared> into memref<1xf16>
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<1x512xf16, #shared> into memref<1xf16>
    gpu.return
  }

  // Rows of 32 words in shared memory have one thread each, which begin at different banks; rows of 36 words
  // repeat banks after eight rows.
  // OLD-LABEL: gpu.func @rows_in_shared_memory
  // OLD:       params = {group = 1 : i64, groups = 32 : i64, skew = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"
  // OLD:       params = {group = 1 : i64, groups = 32 : i64, skew = 8 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"
  // NEW-LABEL: gpu.func @rows_in_shared_memory
  // NEW:       params = {group = 1 : i64, groups = 32 : i64, skew = 1 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"
  // NEW:       params = {group = 1 : i64, groups = 32 : i64, skew = 8 : i64, stride = 1 : i64, vector = 4 : i64}, variant = "shared"
  gpu.func @rows_in_shared_memory() workgroup(%S: memref<32x32xf32, #shared>, %T: memref<32x36xf32, #shared>, %D: memref<32xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32} : memref<32x32xf32, #shared> into memref<32xf32, #shared>
    %R = memref.subview %T[0, 0] [32, 32] [1, 1] : memref<32x36xf32, #shared> to memref<32x32xf32, strided<[36, 1]>, #shared>
    tile.reduce sum %R into %D axes [1] scope(cta) {exec = #cta32} : memref<32x32xf32, strided<[36, 1]>, #shared> into memref<32xf32, #shared>
    gpu.return
  }
}
