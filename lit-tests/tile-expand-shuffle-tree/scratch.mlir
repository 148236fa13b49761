// RUN: tx-opt %s --tile-expand-shuffle-tree
// SNAPSHOT: none — CHECK and COUNT state what each kernel holds

// Two exchanges between warps in sequence use separate memory, so the second can begin while some warps still
// load. The third uses the memory of the first, because a barrier of the second is in between. Memory is
// named after the kernel, with unique names.
// CHECK-DAG: memref.global "private" @once_scratch : memref<4xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-DAG: memref.global "private" @chain_scratch : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @chain_scratch_1 : memref<4xi32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @three_in_a_row_scratch : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @three_in_a_row_scratch_1 : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @pairs_scratch : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @pairs_scratch_1 : memref<4xi32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @taken_scratch_1 : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @taken_scratch : memref<7xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.global "private" @loop_scratch : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.global
gpu.module @kernels {
  memref.global "private" @taken_scratch : memref<7xf32, #gpu.address_space<workgroup>> = uninitialized

  // First of three exchanges.
  // CHECK-LABEL: gpu.func @once(
  // CHECK-COUNT-1: memref.get_global @once_scratch
  // CHECK-NOT:     get_global
  // CHECK:         gpu.return
  gpu.func @once(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // An exchange of the previous exchange's result.
  // CHECK-LABEL: gpu.func @chain(
  // CHECK-COUNT-5: gpu.shuffle xor %{{.+}} : f32
  // CHECK:         memref.get_global @chain_scratch : memref<4xf32,
  // CHECK-COUNT-2: memref.load {{.+}} : memref<4xf32,
  // CHECK-NEXT:    %[[SUM:.+]] = arith.addf
  // CHECK-NEXT:    %[[INT:.+]] = arith.fptosi %[[SUM]]
  // CHECK:         gpu.shuffle xor %[[INT]], %{{.+}} : i32
  // CHECK-COUNT-4: gpu.shuffle xor %{{.+}} : i32
  // CHECK:         memref.get_global @chain_scratch_1 : memref<4xi32,
  // CHECK-COUNT-2: memref.load {{.+}} : memref<4xi32,
  // CHECK-NEXT:    %[[MAX:.+]] = arith.maxsi
  // CHECK:         gpu.shuffle xor %[[MAX]], %{{.+}} : i32
  // CHECK-NEXT:    %[[MIN:.+]] = arith.minsi
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.store %[[MIN]]
  // COUNT: @chain barriers = 0, shuffles = 11, loads = 4, shared loads = 4, stores = 3, shared stores = 2, scf.if = 2
  gpu.func @chain(%v: f32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    %i = arith.fptosi %s : f32 to i32
    %m = tile.all_reduce max %i scope(cta) : i32 -> i32
    %n = tile.all_reduce min %m scope(warp) width 2 stride 1 : i32 -> i32
    memref.store %n, %R[] : memref<i32>
    gpu.return
  }

  // Three exchanges of one type alternate between two arrays.
  // CHECK-LABEL: gpu.func @three_in_a_row(
  // CHECK:         memref.get_global @three_in_a_row_scratch :
  // CHECK:         memref.get_global @three_in_a_row_scratch_1 :
  // CHECK:         memref.get_global @three_in_a_row_scratch :
  // CHECK-NOT:     get_global
  // CHECK:         gpu.return
  // COUNT: @three_in_a_row barriers = 0, shuffles = 15, loads = 6, shared loads = 6, stores = 4, shared stores = 3
  // COUNT: @three_in_a_row scf.if = 3
  gpu.func @three_in_a_row(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = tile.all_reduce sum %v scope(cta) : f32 -> f32
    %b = tile.all_reduce max %a scope(cta) : f32 -> f32
    %c = tile.all_reduce min %b scope(cta) : f32 -> f32
    memref.store %c, %R[] : memref<f32>
    gpu.return
  }

  // The two values of a pair use separate arrays.
  // CHECK-LABEL: gpu.func @pairs(
  // CHECK:         %[[VALUES:.+]] = memref.get_global @pairs_scratch :
  // CHECK:         %[[PLACES:.+]] = memref.get_global @pairs_scratch_1 :
  // CHECK:         memref.store %{{.+}}, %[[VALUES]]
  // CHECK-NEXT:    memref.store %{{.+}}, %[[PLACES]]
  // CHECK-NOT:     get_global
  // CHECK:         gpu.return
  // COUNT: @pairs barriers = 0, shuffles = 10, loads = 4, shared loads = 4, stores = 3, shared stores = 2, scf.if = 1
  gpu.func @pairs(%v: f32, %i: i32, %R: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
    memref.store %j, %R[] : memref<i32>
    gpu.return
  }

  // A name that the program uses is avoided.
  // CHECK-LABEL: gpu.func @taken(
  // CHECK:         memref.get_global @taken_scratch_1 : memref<4xf32,
  // CHECK:         gpu.return
  // COUNT: @taken barriers = 0, shuffles = 5, loads = 1, shared loads = 1, vector loads = 1, stores = 2
  // COUNT: @taken shared stores = 1, scf.if = 1
  gpu.func @taken(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // In a loop, each iteration uses the same memory.
  // CHECK-LABEL: gpu.func @loop(
  // CHECK:         scf.for
  // CHECK-COUNT-1:   memref.get_global @loop_scratch
  // CHECK-NOT:     get_global
  // CHECK:         gpu.return
  // COUNT: @loop barriers = 0, shuffles = 5, loads = 2, shared loads = 2, stores = 2, shared stores = 1, scf.for = 1
  // COUNT: @loop scf.if = 1
  gpu.func @loop(%v: f32, %n: index, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (f32) {
      %s = tile.all_reduce sum %x scope(cta) : f32 -> f32
      scf.yield %s : f32
    }
    memref.store %r, %R[] : memref<f32>
    gpu.return
  }
}

// Another module may use the same names.
// CHECK-LABEL: gpu.module @others
// CHECK-NEXT:    memref.global "private" @once_scratch : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK:         gpu.func @once(
// CHECK:         memref.get_global @once_scratch : memref<8xf32,
gpu.module @others {
  gpu.func @once(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }
}
