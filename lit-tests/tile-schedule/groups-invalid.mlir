// RUN: tx-opt %s --tile-schedule=chip=sm_90 --split-input-file --verify-diagnostics

// A group needs a reduction, which determines its rows.
func.func @no_rows(%A: memref<8x40xf32>, %B: memref<8x40xf32>) {
  // expected-error @below {{this op cannot share a kernel with the other ops of its group: no op of the group is a reduction}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  linalg.exp {tile.group = 0 : i64} ins(%A : memref<8x40xf32>) outs(%B : memref<8x40xf32>)
  return
}

// -----

func.func @other_rows(%A: memref<8x40xf32>, %a: memref<8xf32>, %B: memref<4x40xf32>, %b: memref<4xf32>) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  // expected-error @below {{this op cannot share a kernel with the other ops of its group: loop `p0` has 4 iterations, but in another op of the group 8}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce min %B into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<4x40xf32> into memref<4xf32>
  return
}

// -----

func.func @unknown_rows(%A: memref<?x40xf32>, %a: memref<?xf32>, %B: memref<?x40xf32>, %b: memref<?xf32>) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x40xf32> into memref<?xf32>
  // expected-error @below {{loop `p0` may have a different length than in the other ops of the group: no common operand is indexed by this loop}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce min %B into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x40xf32> into memref<?xf32>
  return
}

// -----

// Blocks cannot share a row, because they do not wait for each other.
func.func @shared_rows(%A: memref<8x4096xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{this op cannot share a kernel with the other ops of its group: several blocks would combine into its results}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_y>, #tile.split<"r0" by 1024>, #tile.rfactor<"r0.o">, #tile.bind<"r0.o" to block_x>,
                   #tile.bind<"r0.i" to thread_x>], tile.group = 0 : i64}
      : memref<8x4096xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x4096xf32> into memref<8xf32>
  return
}

// -----

func.func @second_schedule(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-note @below {{this is the first op of the group}}
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  // expected-error @below {{only the first op of a group may have a `schedule`}}
  tile.reduce max %A into %b axes [1] scope(grid) {schedule = [#tile.bind<"r0" to thread_x>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// An op between the ops of the group changes an operand of the first.
func.func @changed(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>, %v: f32) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  linalg.fill ins(%v : f32) outs(%A : memref<8x40xf32>)
  // expected-error @below {{this op cannot share a kernel with the other ops of its group: an op between the ops of the group uses their memory}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

func.func @unknown_name(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`#tile.hold` keeps `tmp0` in registers, but no op of the group uses an array of this name}}
  // expected-note @below {{known: in0, out0, out1}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.hold<"tmp0" in registers>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// A thread would have another element of the row in each iteration.
func.func @rolled(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`#tile.hold` keeps values in registers, but loop `d1` is not unrolled}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.hold<"in0" in registers>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

func.func @held_twice(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`in0` has two `#tile.hold` steps}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.hold<"in0" in registers>, #tile.hold<"in0" in reload>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

func.func @alone(%A: memref<8x40xf32>, %a: memref<8xf32>) {
  // expected-error @below {{`#tile.hold` keeps `in0` in registers, but the op has no `tile.group`, so no other op uses the value}}
  // expected-note @below {{set the same `tile.group` on all ops that use the value, or keep the value in shared memory}}
  tile.reduce min %A into %a axes [1] scope(grid) {schedule = [#tile.hold<"in0" in registers>]}
      : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// An op with one element per row: memory holds its value for the first thread only.
func.func @one_a_row(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  tile.reduce sum %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.bind<"r0" to thread_x>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  // expected-error @below {{the op has one element per row, but the schedule keeps no array in registers}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  linalg.exp {tile.group = 0 : i64} ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}

// -----

func.func @no_axes(%A: memref<8x40xf32>, %a: memref<8x40xf32>, %b: memref<8x40xf32>) {
  // expected-error @below {{cannot share a kernel with the other ops of its group: the op reduces no dimension, so it has no rows}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce min %A into %a axes [] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8x40xf32>
  tile.reduce max %A into %b axes [] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8x40xf32>
  return
}

// -----

func.func @in_shared(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`#tile.hold` cannot keep `in0` in shared}}
  // expected-note @below {{expected `registers` or `reload`}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.hold<"in0" in shared>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// A destination with `accumulate` is in memory before and after the kernel.
func.func @accumulates(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`#tile.hold` keeps values in registers, but an op of the group accumulates into old values}}
  // expected-note @below {{use `reload` instead of `registers` in `#tile.hold`}}
  tile.reduce min %A into %a axes [1] scope(grid) accumulate
      {schedule = [#tile.bind<"p0" to block_x>, #tile.unroll<"r0">, #tile.hold<"in0" in registers>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// Cases of a group schedule limit row loops only.
func.func @cases(%A: memref<8x?xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{`#tile.case<"d1" to 64, [#tile.bind<"d0" to block_x>]>` is not a case, but the schedule is a list of cases}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.case<"d1" to 64, [#tile.bind<"d0" to block_x>]>, #tile.otherwise<[#tile.bind<"d0" to thread_x>]>],
       tile.group = 0 : i64}
      : memref<8x?xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x?xf32> into memref<8xf32>
  return
}

// -----

// Each thread holds its elements of a row, and they exceed its registers.
func.func @many(%A: memref<8x4096xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{a thread has 128 elements of a row, expected at most 64 in registers}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 128>, #tile.split<"r0.o" by 32>, #tile.bind<"r0.o.i" to thread_x>, #tile.split<"r0.i" by 2>, #tile.unroll<"r0.i.o">, #tile.unroll<"r0.i.i">, #tile.unroll<"r0.o.o">, #tile.hold<"in0" in registers>], tile.group = 0 : i64}
      : memref<8x4096xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x4096xf32> into memref<8xf32>
  return
}

// -----

func.func @no_source(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  // expected-error @+2 {{`#tile.hold` keeps `in1` in shared, but the op has no source of this name}}
  // expected-note @+1 {{sources: `in0`}}
  linalg.transpose ins(%A : memref<64x64xf32>) outs(%B : memref<64x64xf32>) permutation = [1, 0] {schedule = [#tile.bind<"d0" to block_x>, #tile.hold<"in1" in shared>]}
  return
}

// -----

func.func @of_unknown_length(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  // expected-error @below {{`#tile.hold` cannot keep `in0` in shared memory: a block does not have one contiguous part of `d1` of static length}}
  // expected-note @below {{split the loop, and bind the outer loop to blocks, alone or fused with other outer loops; a fused inner loop must be in the block as a whole}}
  linalg.transpose ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>) permutation = [1, 0] {schedule = [#tile.bind<"d0" to block_x>, #tile.hold<"in0" in shared>]}
  return
}

// -----

func.func @too_large(%A: memref<128x128xf32>, %B: memref<128x128xf32>) {
  // expected-error @below {{the tiles of a block take 66048 bytes of shared memory, expected at most 49152}}
  // expected-note @below {{split loops, and bind the outer loops to blocks, so that each block has smaller tiles}}
  linalg.transpose ins(%A : memref<128x128xf32>) outs(%B : memref<128x128xf32>) permutation = [1, 0] {schedule = [#tile.bind<"d0" to thread_x>, #tile.hold<"in0" in shared>]}
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @written(%A: memref<64x64xf32>) {
  // expected-error @below {{`#tile.hold` cannot keep `in0` in shared memory: the op writes it}}
  // expected-note @below {{remove the `#tile.hold`}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"],
                  schedule = [#tile.bind<"d0" to thread_x>, #tile.hold<"in0" in shared>]}
      ins(%A : memref<64x64xf32>) outs(%A : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#diagonal = affine_map<(i, j) -> (i, i)>
#id = affine_map<(i, j) -> (i, j)>
func.func @diagonal(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  // expected-error @below {{`#tile.hold` cannot keep `in0` in shared memory: it is indexed by (d0, d1) -> (d0, d0)}}
  // expected-note @below {{expected a separate loop, or 0, as the index of each dimension}}
  linalg.generic {indexing_maps = [#diagonal, #id], iterator_types = ["parallel", "parallel"],
                  schedule = [#tile.bind<"d0" to thread_x>, #tile.hold<"in0" in shared>]}
      ins(%A : memref<64x64xf32>) outs(%B : memref<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @reduction(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  // expected-error @below {{`#tile.hold` cannot keep `in0` in shared memory: the op is a reduction}}
  // expected-note @below {{remove the `#tile.hold`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to thread_x>, #tile.hold<"in0" in shared>]}
      : memref<64x64xf32> into memref<64xf32>
  return
}

// -----

// A case needs at least one length.
func.func @no_length(%A: memref<8x?xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{the case of `r0` up to 0 covers no length: expected a limit of 1 or more}}
  tile.reduce min %A into %a axes [1] scope(grid) {schedule = [#tile.case<"r0" to 0, []>], tile.group = 0 : i64}
      : memref<8x?xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x?xf32> into memref<8xf32>
  return
}

// -----

// Several blocks of a row would each update the element of this row.
func.func @updated_by_each_block(%A: memref<8x20000xf32>, %S: memref<8xf32>, %U: memref<8xf32>) {
  // expected-error @below {{this op cannot share a kernel with the other ops of its group: a row is split across the blocks of a cluster, and each block would update the same element of the row}}
  // expected-note @below {{use another number, or remove `tile.group`}}
  tile.reduce sum %A into %S axes [1] scope(grid)
      {schedule = [#tile.split<"r0" by 4>, #tile.bind<"p0" to block_x>, #tile.split<"r0.o" by 2560>, #tile.bind<"r0.o.o" to cluster_x>,
                   #tile.split<"r0.o.i" by 512>, #tile.bind<"r0.o.i.i" to thread_x>, #tile.unroll<"r0.o.i.o">,
                   #tile.vectorize<"r0.i">, #tile.hold<"in0" in registers>, #tile.hold<"tmp0" in registers>],
       tile.group = 0 : i64}
      : memref<8x20000xf32> into memref<8xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%S : memref<8xf32>) outs(%U : memref<8xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %o: f32):
    %e = arith.addf %x, %o : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// A loop of at most one iteration without a bounds check: it may be empty.
func.func @one_or_none(%A: memref<2x?xf32>, %B: memref<2xf32>) {
  // expected-error @below {{`#tile.hold` keeps values in registers, but loop `d1.o` is not unrolled}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce min %A into %B axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [#tile.case<"r0" to 1, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 1>,
                                         #tile.bind<"r0.i" to thread_x>, #tile.hold<"in0" in registers>]>]}
      : memref<2x?xf32> into memref<2xf32>
  return
}

// -----

// The loop over rows is not bound.
func.func @rows_of_one_thread(%A: memref<1x8xf32>, %B: memref<1xf32>) {
  // expected-error @below {{loop `d0` iterates over rows, but is bound neither to blocks nor to threads}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce min %A into %B axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [#tile.bind<"r0" to thread_x>, #tile.hold<"in0" in registers>]}
      : memref<1x8xf32> into memref<1xf32>
  return
}

// -----

// The loop over rows is not bound, and there are no rows.
func.func @no_rows(%A: memref<0x8xf32>, %B: memref<0xf32>) {
  // expected-error @below {{loop `d0` iterates over rows, but is bound neither to blocks nor to threads}}
  // expected-note @below {{unroll the loop, bind more threads to the row, or use `reload` in `#tile.hold`}}
  tile.reduce min %A into %B axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [#tile.bind<"r0" to thread_x>, #tile.hold<"in0" in registers>]}
      : memref<0x8xf32> into memref<0xf32>
  return
}

// -----

// No case covers the rows, so the ops share no kernel.
func.func @longer_rows(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-warning @below {{no case of the schedule covers rows of 40 elements}}
  // expected-note @below {{each op of the group has a separate kernel; add a `#tile.case` up to 40, or `#tile.otherwise`}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [#tile.case<"r0" to 32, [#tile.bind<"p0" to block_x>, #tile.bind<"r0" to thread_x>]>]}
      : memref<8x40xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}
