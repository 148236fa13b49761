// RUN: tx-opt %s --tile-schedule=chip=sm_90
// RUN(CHOICE): tx-opt %s --tile-choose-schedule=chip=sm_90
// SNAPSHOT: none — the structure of the kernels is said below.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#per_row = affine_map<(i) -> (i)>

// A thread holds its elements and the maximum of a row in registers: no barrier, no temporary, and one launch
// after the ops in between. Two vectors per thread, each loaded as a vector or by scalars.
// CHECK-LABEL: gpu.func @centred_0(
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-8: memref.load
// CHECK:       %[[MAX:.+]] = tile.all_reduce max
// CHECK-NOT:   gpu.barrier
// CHECK-NOT:   {{vector|memref}}.load
// CHECK:       arith.subf
// CHECK-LABEL: func.func @centred(
// CHECK-NOT:   memref.alloc
// CHECK-COUNT-1: gpu.launch_func @centred_kernels::@centred_0
// CHECK-NOT:   gpu.launch_func
// CHECK-NOT:   memref.dealloc
// CHOICE-LABEL: func.func @centred(
// CHOICE:      schedule = [{{.+}}#tile.split<"p0" by 4>, #tile.bind<"p0.o" to block_x>, #tile.bind<"p0.i" to thread_y>,
// CHOICE-SAME: #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in registers>], tile.group = 3
func.func @centred(%A: memref<?x256xf32>, %B: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x256xf32>
  %M = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %M axes [1] scope(grid) {tile.group = 3 : i64} : memref<?x256xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %M : memref<?x256xf32>, memref<?xf32>) outs(%B : memref<?x256xf32>) attrs = {tile.group = 3 : i64} {
  ^bb0(%a: f32, %m: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %M : memref<?xf32>
  return
}

// A schedule of the program: 20 threads per row of dynamic length.
// CHECK-LABEL: gpu.func @by_hand_0(
// CHECK-SAME:  known_block_size = array<i32: 20, 1, 1>
// CHECK-COUNT-1: gpu.barrier
// CHECK-NOT:   gpu.barrier
// CHECK-LABEL: func.func @by_hand(
func.func @by_hand(%A: memref<7x?xf32>, %lo: memref<7xf32>, %hi: memref<7xf32>) {
  tile.reduce min %A into %lo axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 20>, #tile.bind<"r0.i" to thread_x>], tile.group = 0 : i64}
      : memref<7x?xf32> into memref<7xf32>
  tile.reduce max %A into %hi axes [1] scope(grid) {tile.group = 0 : i64} : memref<7x?xf32> into memref<7xf32>
  return
}

// The elements stay in registers, and the row maximum is reloaded: `tile-insert-sync` inserts the barrier.
// CHECK-LABEL: gpu.func @in_part_0(
// CHECK-COUNT-2: memref.load %[[A:.+]][
// CHECK:       tile.all_reduce max
// CHECK:       memref.store %{{.+}}, %[[M:.+]][%block_id_x]
// CHECK-COUNT-1: memref.load %[[M]][%block_id_x]
// CHECK-NOT:   memref.load
// CHECK-LABEL: func.func @in_part(
func.func @in_part(%A: memref<7x40xf32>, %B: memref<7x40xf32>, %M: memref<7xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 20>, #tile.bind<"r0.i" to thread_x>, #tile.unroll<"r0.o">,
                   #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in reload>], tile.group = 0 : i64}
      : memref<7x40xf32> into memref<7xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %M : memref<7x40xf32>, memref<7xf32>) outs(%B : memref<7x40xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  }
  return
}

// Ten blocks share a row and its total. One thread of the ten stores the last op's element per row.
// CHECK-LABEL: gpu.func @shared_0(
// CHECK-SAME:  known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 10, 1, 1>
// CHECK:       tile.all_reduce sum %{{.+}} scope(cluster) width 1280
// CHECK:       math.sqrt
// CHECK-COUNT-1: memref.store {{.+}} : memref<2xf32>
// CHECK-NOT:   memref<2xf32>
// CHECK:       arith.divf
// CHECK-LABEL: func.func @shared(
// CHECK-NOT:   memref.alloc
func.func @shared(%A: memref<2x40000xf32>, %B: memref<2x40000xf32>, %N: memref<2xf32>) {
  %S = memref.alloc() : memref<2xf32>
  tile.reduce sum %A into %S axes [1] scope(grid) {tile.group = 0 : i64} : memref<2x40000xf32> into memref<2xf32>
  linalg.generic {indexing_maps = [#per_row, #per_row], iterator_types = ["parallel"]}
      ins(%S : memref<2xf32>) outs(%N : memref<2xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%s: f32, %old: f32):
    %n = math.sqrt %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %N : memref<2x40000xf32>, memref<2xf32>) outs(%B : memref<2x40000xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %n: f32, %old: f32):
    %d = arith.divf %a, %n : f32
    linalg.yield %d : f32
  }
  memref.dealloc %S : memref<2xf32>
  return
}

// The parallel loops are fused to a name with the letter `r`, also in the op with one element per row.
// CHECK-LABEL: gpu.func @named_0(
// CHECK-SAME:  known_block_size = array<i32: 20, 1, 1>
// CHECK:       gpu.block_id x
// CHECK:       math.sqrt
// CHECK-LABEL: func.func @named(
func.func @named(%A: memref<2x3x20xf32>, %N: memref<2x3xf32>) {
  %S = memref.alloc() : memref<2x3xf32>
  tile.reduce sum %A into %S axes [2] scope(grid)
      {schedule = [#tile.fuse<["p0", "p1"] to "rows">, #tile.bind<"rows" to block_x>, #tile.bind<"r0" to thread_x>,
                   #tile.hold<"tmp0" in registers>], tile.group = 0 : i64}
      : memref<2x3x20xf32> into memref<2x3xf32>
  linalg.sqrt {tile.group = 0 : i64} ins(%S : memref<2x3xf32>) outs(%N : memref<2x3xf32>)
  memref.dealloc %S : memref<2x3xf32>
  return
}

// A group number on another kind of op is ignored.
// CHECK-LABEL: func.func @numbered_memory(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   tile.reduce
func.func @numbered_memory(%A: memref<7x20xf32>, %lo: memref<7xf32>, %hi: memref<7xf32>) {
  tile.reduce min %A into %lo axes [1] scope(grid) {tile.group = 0 : i64} : memref<7x20xf32> into memref<7xf32>
  tile.reduce max %A into %hi axes [1] scope(grid) {tile.group = 0 : i64} : memref<7x20xf32> into memref<7xf32>
  %M = memref.alloc() {tile.group = 0 : i64} : memref<7xf32>
  memref.dealloc %M : memref<7xf32>
  return
}
