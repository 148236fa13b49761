// RUN: tx-opt %s --tile-schedule=chip=sm_90
// SNAPSHOT: none — CHECK states what is held, `tx validate` runs the programs

// Totals stay in registers, and each phase loads its row in a loop. Each thread of the row has the total,
// which is neither stored nor loaded.
#whole = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: gpu.func @odd_0(%{{.+}}: memref<7x1003xf32>, %{{.+}}: memref<7x1003xf32>)
// CHECK:       scf.for
// CHECK:         memref.load
// CHECK:       tile.all_reduce max %{{.+}} scope(cta) width 20
// CHECK:       scf.for
// CHECK:         memref.load
// CHECK:       tile.all_reduce sum %{{.+}} scope(cta) width 20
// CHECK:       scf.for
// CHECK:         memref.load
// CHECK:         memref.store
func.func @odd(%A: memref<7x1003xf32>, %B: memref<7x1003xf32>) {
  %max = memref.alloc() : memref<7xf32>
  %sum = memref.alloc() : memref<7xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
    {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 40>, #tile.split<"r0.i" by 20>,
                 #tile.bind<"r0.i.i" to thread_x>, #tile.unroll<"r0.i.o">, #tile.hold<"tmp0" in registers>, #tile.hold<"tmp1" in registers>], tile.group = 0 : i64} : memref<7x1003xf32> into memref<7xf32>
  tile.reduce sum %A, %max into %sum axes [1] scope(grid) element {
  ^bb0(%a: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  } {maps = [#whole, #row, #row], tile.group = 0 : i64} : memref<7x1003xf32>, memref<7xf32> into memref<7xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<7x1003xf32>, memref<7xf32>, memref<7xf32>) outs(%B : memref<7x1003xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}

// Three blocks of a cluster share a row, and the last block has fewer elements.
// CHECK-LABEL: gpu.func @shared_0(
// CHECK-SAME:  known_cluster_size = array<i32: 3, 1, 1>
// CHECK:       tile.all_reduce max %{{.+}} scope(cluster) width 96
// CHECK:       tile.all_reduce sum %{{.+}} scope(cluster) width 96
func.func @shared(%A: memref<5x1003xf32>, %B: memref<5x1003xf32>) {
  %max = memref.alloc() : memref<5xf32>
  %sum = memref.alloc() : memref<5xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
    {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 350>, #tile.bind<"r0.o" to cluster_x>, #tile.split<"r0.i" by 64>,
                 #tile.split<"r0.i.i" by 32>, #tile.bind<"r0.i.i.i" to thread_x>, #tile.unroll<"r0.i.i.o">, #tile.hold<"tmp0" in registers>, #tile.hold<"tmp1" in registers>], tile.group = 0 : i64} : memref<5x1003xf32> into memref<5xf32>
  tile.reduce sum %A, %max into %sum axes [1] scope(grid) element {
  ^bb0(%a: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  } {maps = [#whole, #row, #row], tile.group = 0 : i64} : memref<5x1003xf32>, memref<5xf32> into memref<5xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<5x1003xf32>, memref<5xf32>, memref<5xf32>) outs(%B : memref<5x1003xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}

// A row of dynamic length.
// CHECK-LABEL: gpu.func @dynamic_0(
// CHECK:       scf.for
// CHECK:       tile.all_reduce max
func.func @dynamic(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
    {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 192>, #tile.split<"r0.i" by 48>,
                 #tile.bind<"r0.i.i" to thread_x>, #tile.unroll<"r0.i.o">, #tile.hold<"tmp0" in registers>, #tile.hold<"tmp1" in registers>], tile.group = 0 : i64} : memref<?x?xf32> into memref<?xf32>
  tile.reduce sum %A, %max into %sum axes [1] scope(grid) element {
  ^bb0(%a: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  } {maps = [#whole, #row, #row], tile.group = 0 : i64} : memref<?x?xf32>, memref<?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}

// CHECK-LABEL: gpu.func @vectors_0(
// CHECK:       scf.for
// CHECK:         vector.load
// CHECK:       tile.all_reduce max
func.func @vectors(%A: memref<6x1000xf32>, %B: memref<6x1000xf32>) {
  %max = memref.alloc() : memref<6xf32>
  %sum = memref.alloc() : memref<6xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
    {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 4>, #tile.split<"r0.o" by 96>, #tile.split<"r0.o.i" by 48>,
                 #tile.bind<"r0.o.i.i" to thread_x>, #tile.unroll<"r0.o.i.o">, #tile.vectorize<"r0.i">, #tile.hold<"tmp0" in registers>, #tile.hold<"tmp1" in registers>], tile.group = 0 : i64} : memref<6x1000xf32> into memref<6xf32>
  tile.reduce sum %A, %max into %sum axes [1] scope(grid) element {
  ^bb0(%a: f32, %m: f32, %i: index, %j: index):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    tile.yield %e : f32
  } {maps = [#whole, #row, #row], tile.group = 0 : i64} : memref<6x1000xf32>, memref<6xf32> into memref<6xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<6x1000xf32>, memref<6xf32>, memref<6xf32>) outs(%B : memref<6x1000xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}
