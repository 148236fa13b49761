// RUN: tx-opt %s --tile-schedule
// RUN(SHORT): tx run %s --entry rows --device cpu --arg full:1:3x8xf32 --arg zeros:3xf32
// RUN(LONG): tx run %s --entry rows --device cpu --arg full:1:3x9xf32 --arg zeros:3xf32
// RUN(TILE): tx run %s --entry all --device cpu --arg full:1:64xf32 --arg zeros:1xf32
// RUN(TILES): tx run %s --entry all --device cpu --arg full:1:100xf32 --arg zeros:1xf32
// RUN(FULL): tx run %s --entry all --device cpu --arg full:1:256xf32 --arg zeros:1xf32
// RUN(CUT): tx run %s --entry all --device cpu --arg full:1:10000xf32 --arg zeros:1xf32
// RUN(EVERY): tx run %s --entry every --device cpu --arg full:1:100xf32 --arg zeros:1xf32
// RUN(SIDES): tx run %s --entry sides --device cpu --arg full:1:3x40xf32 --arg zeros:3xf32
// RUN(SMALL): tx run %s --entry sides --device cpu --arg full:1:5x8xf32 --arg zeros:5xf32
// RUN(LARGE): tx run %s --entry sides --device cpu --arg full:1:5x40xf32 --arg zeros:5xf32
// RUN(FEW): tx run %s --entry apart --device cpu --arg full:1:3x40xf32 --arg zeros:3xf32
// RUN(MANY): tx run %s --entry apart --device cpu --arg full:1:7x40xf32 --arg zeros:7xf32
// RUN(FOURS): tx run %s --entry fours --device cpu --arg full:1:3x12xf32 --arg zeros:3xf32
// RUN(THIRTEEN): tx run %s --entry fours --device cpu --arg full:1:3x13xf32 --arg zeros:3xf32
// RUN(SIXTEEN): tx run %s --entry fours --device cpu --arg full:1:3x16xf32 --arg zeros:3xf32
// RUN(NONE): tx run %s --entry fours --device cpu --arg full:1:3x0xf32 --arg zeros:3xf32
// RUN(DIVISOR): tx compile %s --entry fours --plan - -o /dev/null
// RUN(ROOM): tx compile %s --entry sides --plan - -o /dev/null
// RUN(PLAN): tx compile %s --entry rows --plan - -o /dev/null
// SNAPSHOT(CHECK): none — CHECK and COUNT state what each kernel holds
// SNAPSHOT(DIVISOR): none — the two conditions are checked

// Schedules for some lengths: one kernel for each, and an `scf.if` on the host that launches one.

// Rows of up to eight columns have one thread, longer rows a warp.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-LABEL: gpu.func @rows_1(
// CHECK-SAME:    known_block_size = array<i32: 32, 4, 1>
// CHECK-LABEL: func.func @rows(
// CHECK:         cf.assert
// CHECK:         %[[IS:.+]] = arith.cmpi sle, %{{.+}}, %c8{{.*}} : index
// CHECK-NEXT:    scf.if %[[IS]] {
// CHECK-NOT:     cf.assert
// CHECK:         gpu.launch_func @rows_kernels::@rows_0
// CHECK:         } else {
// CHECK:         gpu.launch_func @rows_kernels::@rows_1
// SHORT: [8. 8. 8.]
// LONG: [9. 9. 9.]
// PLAN:      "choice": 0,
// PLAN-NEXT: "when": [
// PLAN-NEXT:   "arg0.dim1 <= 8"
// PLAN-NEXT: ],
// PLAN-NEXT: "grid": [
// PLAN-NEXT:   "min(ceildiv(arg0.dim0, 128), 2147483647)",
// PLAN:      "choice": 0,
// PLAN-NEXT: "when": [
// PLAN-NEXT:   "arg0.dim1 > 8"
// PLAN-NEXT: ],
// PLAN-NEXT: "grid": [
// PLAN-NEXT:   "min(ceildiv(arg0.dim0, 4), 2147483647)",
// COUNT: @rows_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @rows_1 tile.all_reduce = 1, scf.for = 2, scf.if = 4, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @rows gpu.launch_func = 2, cf.assert = 1, scf.if = 1
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.case<"d1" to 8, [#tile.split<"d0" by 128>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.otherwise<[#tile.split<"d0" by 4>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                                  #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// A case may need several kernels: partial results and their combination are allocated for its lengths only.
// A row of at most one tile needs no loop. A tile of up to 64 elements is loaded without branches, full or
// not; loads of a longer tile have bounds checks, unless the tile is full.
// CHECK-LABEL: gpu.func @all_0(
// CHECK:         scf.if
// CHECK-COUNT-2: arith.select %{{.+}} : index
// CHECK-NOT:     scf.if
// CHECK:         tile.all_reduce
// CHECK-LABEL: gpu.func @all_1(
// CHECK-NOT:     scf.for
// CHECK:         scf.if
// CHECK-COUNT-4: memref.load
// CHECK:         scf.if
// CHECK-COUNT-4: scf.if
// CHECK:         tile.all_reduce
// CHECK-LABEL: gpu.func @all_2(
// CHECK:         memref.store %{{.+}}, %{{.+}}[%{{.+}}] {{.*}}: memref<16xf32>
// CHECK-LABEL: gpu.func @all_3(
// CHECK-SAME:    memref<16xf32>
// CHECK-LABEL: func.func @all(
// CHECK-COUNT-4: gpu.launch_func
// TILE: [64.]
// TILES: [100.]
// FULL: [256.]
// CUT: [10000.]
// COUNT: @all_0 tile.all_reduce = 1, scf.if = 2, memref.load = 2, memref.store = 1, arith.select = 5
// COUNT: @all_1 tile.all_reduce = 1, scf.if = 9, memref.load = 8, memref.store = 1, arith.select = 1
// COUNT: @all_2 tile.all_reduce = 1, scf.for = 1, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @all_3 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 1
// COUNT: @all gpu.launch_func = 4, memref.alloc = 1, scf.if = 2
func.func @all(%A: memref<?xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>],
     schedule = [#tile.case<"d0" to 64, [#tile.split<"d0" by 64>, #tile.split<"d0.i" by 32>, #tile.bind<"d0.i.i" to thread_x>, #tile.unroll<"d0.i.o">]>,
                 #tile.case<"d0" to 256, [#tile.split<"d0" by 256>, #tile.split<"d0.i" by 64>, #tile.bind<"d0.i.i" to thread_x>, #tile.unroll<"d0.i.o">]>,
                 #tile.otherwise<[#tile.split<"d0" by 1024>, #tile.split<"d0.i" by 64>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>,
                                  #tile.bind<"d0.i.i" to thread_x>]>]}
    : memref<?xf32> into memref<1xf32>
  return
}

// A case up to the largest number covers all lengths: the kernels of the other lengths are never launched.
// CHECK-LABEL: func.func @every(
// CHECK:         gpu.launch_func @every_kernels::@every_0
// CHECK:         gpu.launch_func @every_kernels::@every_1
// CHECK:         gpu.launch_func @every_kernels::@every_2
// EVERY: [100.]
// COUNT: @every_0 tile.all_reduce = 1, scf.for = 1, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @every_1 tile.all_reduce = 1, scf.for = 1, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @every_2 tile.all_reduce = 1, scf.for = 1, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @every gpu.launch_func = 3, scf.if = 2
func.func @every(%A: memref<?xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid)
    {maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>],
     schedule = [#tile.case<"d0" to 64, [#tile.split<"d0" by 32>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.case<"d0" to 9223372036854775807, [#tile.split<"d0" by 64>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.otherwise<[#tile.split<"d0" by 128>, #tile.bind<"d0.i" to thread_x>]>]}
    : memref<?xf32> into memref<1xf32>
  return
}

// Two dimensions may decide: the first case that applies is used. Up to four rows have partial results and
// counters, with memory for four rows.
// CHECK-LABEL: func.func @sides(
// CHECK:         gpu.launch_func
// CHECK:         %[[ROWS:.+]] = arith.minui %{{.+}}, %c4
// CHECK:         memref.alloc(%[[ROWS]]) {{.*}}: memref<2x?xf32>
// CHECK-COUNT-2: gpu.launch_func
// SIDES: [40. 40. 40.]
// SMALL: [8. 8. 8. 8. 8.]
// LARGE: [40. 40. 40. 40. 40.]
// ROOM:      "temporaries"
// ROOM:      "shape": [
// ROOM-NEXT:   4
// ROOM:      "shape": [
// ROOM-NEXT:   2,
// ROOM-NEXT:   "min(arg0.dim0, 4)"
// ROOM:      "arg0.dim1 <= 8"
// ROOM-NEXT: ],
// ROOM:      "arg0.dim1 > 8",
// ROOM-NEXT: "arg0.dim0 <= 4"
// ROOM-NEXT: ],
// ROOM:      "arg0.dim1 > 8",
// ROOM-NEXT: "arg0.dim0 > 4"
// ROOM-NEXT: ],
// COUNT: @sides_0 barriers = 0, shuffles = 0, loads = 1, stores = 1, scf.for = 2, scf.if = 1
// COUNT: @sides_1 tile.all_reduce = 2, scf.for = 2, scf.if = 7, memref.load = 6, memref.store = 2
// COUNT: @sides_1 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 9
// COUNT: @sides_2 tile.all_reduce = 1, scf.for = 2, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @sides gpu.launch_func = 3, memref.alloc = 2, cf.assert = 1, scf.if = 2
func.func @sides(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.case<"d1" to 8, [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.case<"d0" to 4, [#tile.bind<"d0" to block_y>, #tile.split<"d1" by 32>, #tile.split<"d1.i" by 16>, #tile.rfactor<"d1.i.o">,
                                        #tile.bind<"d1.i.o" to block_x>, #tile.last_block, #tile.bind<"d1.i.i" to thread_x>]>,
                 #tile.otherwise<[#tile.bind<"d0" to block_x>, #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// A second kernel combines the partial results, with one schedule for all their numbers. Memory for four rows
// must not be compared with seven rows.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
// FEW: [40. 40. 40.]
// MANY: [40. 40. 40. 40. 40. 40. 40.]
// COUNT: @apart_0 tile.all_reduce = 1, scf.for = 2, scf.if = 2, memref.load = 1, memref.store = 1, arith.select = 1
// COUNT: @apart_1 tile.all_reduce = 1, scf.for = 2, scf.if = 35, memref.load = 32, memref.store = 1, arith.select = 1
// COUNT: @apart_2 tile.all_reduce = 1, scf.for = 2, scf.if = 3, memref.load = 2, memref.store = 1, arith.select = 1
// COUNT: @apart gpu.launch_func = 3, memref.alloc = 1, cf.assert = 1, scf.if = 1
func.func @apart(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.case<"d0" to 4, [#tile.bind<"d0" to block_y>, #tile.split<"d1" by 32>, #tile.rfactor<"d1.o">,
                                        #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>]>,
                 #tile.otherwise<[#tile.bind<"d0" to block_x>, #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// A case may cover only multiples of a number: its vectors are inside the row or outside, as a whole. The host
// compares one number per case: `n - 12` or `n mod 4`, whichever is larger.
// CHECK-LABEL: gpu.func @fours_0(
// CHECK-SAME:    lengths = "`d1` up to 12, multiples of 4"
// CHECK-LABEL: gpu.func @fours_1(
// CHECK-SAME:    lengths = "`d1` up to 13"
// CHECK-LABEL: gpu.func @fours_2(
// CHECK-SAME:    lengths = "`d1` above 13"
// CHECK-LABEL: func.func @fours(
// CHECK:         %[[MORE:.+]] = arith.subi %{{.+}}, %c12
// CHECK:         %[[REST:.+]] = arith.remui %{{.+}}, %c4
// CHECK:         %[[WORST:.+]] = arith.maxsi %[[MORE]], %[[REST]]
// CHECK:         %[[IS:.+]] = arith.cmpi sle, %[[WORST]], %c0
// CHECK-NEXT:    scf.if %[[IS]] {
// CHECK:           gpu.launch_func @fours_kernels::@fours_0
// CHECK:         gpu.launch_func @fours_kernels::@fours_1
// CHECK:         gpu.launch_func @fours_kernels::@fours_2
// FOURS: [12. 12. 12.]
// THIRTEEN: [13. 13. 13.]
// SIXTEEN: [16. 16. 16.]
// NONE: [0. 0. 0.]
// DIVISOR: "max(arg0.dim1 - 12, mod(arg0.dim1, 4)) <= 0"
// DIVISOR: "max(arg0.dim1 - 12, mod(arg0.dim1, 4)) > 0"
// DIVISOR-NEXT: "arg0.dim1 <= 13"
// COUNT: @fours_0 barriers = 0, shuffles = 0, vector.load = 1, memref.load = 4, memref.store = 1, scf.for = 3, scf.if = 2
// COUNT: @fours gpu.launch_func = 3, cf.assert = 1, scf.if = 2
func.func @fours(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.case<"d1" to 12 multiple_of 4, [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>,
                                                       #tile.split<"d1" by 4>, #tile.vectorize<"d1.i">]>,
                 #tile.case<"d1" to 13, [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]>,
                 #tile.otherwise<[#tile.bind<"d0" to block_x>, #tile.split<"d1" by 32>, #tile.bind<"d1.i" to thread_x>]>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// A row of static length needs the kernel of one case. A case for shorter rows becomes no kernel: its threads could
// not hold the row. Nor does a longer row need a kernel.
// CHECK-LABEL: gpu.func @known_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @known(
// COUNT: @known gpu.launch_func = 1, scf.if = 0
func.func @known(%A: memref<?x128xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {tile.group = 0 : i64, schedule = [
      #tile.case<"r0" to 64, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 64>, #tile.split<"r0.i" by 32>, #tile.bind<"r0.i.i" to thread_x>,
                              #tile.unroll<"r0.i.o">, #tile.hold<"in0" in registers>]>,
      #tile.case<"r0" to 128, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 128>, #tile.split<"r0.i" by 32>, #tile.bind<"r0.i.i" to thread_x>,
                               #tile.unroll<"r0.i.o">, #tile.hold<"in0" in registers>]>]}
    : memref<?x128xf32> into memref<?xf32>
  tile.reduce max %A into %C axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x128xf32> into memref<?xf32>
  return
}
