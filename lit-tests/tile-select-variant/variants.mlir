// RUN: tx-opt %s --tile-select-variant

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>

gpu.module @kernels {
  // A thread reduces its private memory by `local`, which needs no parameters.
  // CHECK-LABEL: gpu.func @private_source
  // CHECK:       tile.reduce {{.*}}params = {}, variant = "local"}
  gpu.func @private_source() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }

  // The space of the destination does not change the variant.
  // CHECK-LABEL: gpu.func @private_source_shared_destination
  // CHECK:       tile.reduce {{.*}}params = {}, variant = "local"}
  gpu.func @private_source_shared_destination()
      workgroup(%D: memref<32xf32, #shared>) private(%P: memref<4xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %mine = memref.subview %D[%t] [1] [1] : memref<32xf32, #shared> to memref<1xf32, strided<[1], offset: ?>, #shared>
    tile.reduce sum %P into %mine axes [0] scope(thread) {exec = #thread32}
      : memref<4xf32, #private> into memref<1xf32, strided<[1], offset: ?>, #shared>
    gpu.return
  }

  // A tile in shared memory is reduced by `shared`.
  // CHECK-LABEL: gpu.func @shared_source
  // CHECK:       tile.reduce {{.*}}variant = "shared"}
  gpu.func @shared_source() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }

  // A tile in global memory is reduced by `shared`.
  // CHECK-LABEL: gpu.func @global_source
  // CHECK:       tile.reduce {{.*}}variant = "shared"}
  gpu.func @global_source(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }

  // One thread reduces a shared tile alone.
  // CHECK-LABEL: gpu.func @shared_source_one_thread
  // CHECK:       params = {group = 1 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
  gpu.func @shared_source_one_thread()
      workgroup(%S: memref<4x8xf32, #shared>) private(%Q: memref<4xf32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %Q axes [1] scope(thread) {exec = #thread32}
      : memref<4x8xf32, #shared> into memref<4xf32, #private>
    gpu.return
  }

  // An explicit variant is used, and gets its parameters.
  // CHECK-LABEL: gpu.func @forced_shared
  // CHECK:       params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
  gpu.func @forced_shared() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32, variant = "shared"}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }

  // This explicit variant has no parameters.
  // CHECK-LABEL: gpu.func @forced_local
  // CHECK:       params = {}, variant = "local"}
  gpu.func @forced_local() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32, variant = "local"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }
}
