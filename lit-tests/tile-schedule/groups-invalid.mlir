// RUN: tx-opt %s --tile-schedule=chip=sm_90 --split-input-file --verify-diagnostics

// No reduction says what a row is.
func.func @no_rows(%A: memref<8x40xf32>, %B: memref<8x40xf32>) {
  // expected-error @below {{this op cannot share a kernel with the others of its group: no op of the group reduces anything}}
  // expected-note @below {{give it another number, or no `tile.group`}}
  linalg.exp {tile.group = 0 : i64} ins(%A : memref<8x40xf32>) outs(%B : memref<8x40xf32>)
  return
}

// -----

func.func @other_rows(%A: memref<8x40xf32>, %a: memref<8xf32>, %B: memref<4x40xf32>, %b: memref<4xf32>) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  // expected-error @below {{this op cannot share a kernel with the others of its group: `p0` has 4 iterations, in the first op 8}}
  // expected-note @below {{give it another number}}
  tile.reduce min %B into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<4x40xf32> into memref<4xf32>
  return
}

// -----

func.func @unknown_rows(%A: memref<?x40xf32>, %a: memref<?xf32>, %B: memref<?x40xf32>, %b: memref<?xf32>) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x40xf32> into memref<?xf32>
  // expected-error @below {{`p0` may have another length than in the first op: no operand of both is indexed by it}}
  // expected-note @below {{give it another number}}
  tile.reduce min %B into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<?x40xf32> into memref<?xf32>
  return
}

// -----

// Blocks share no row: none waits for another.
func.func @shared_rows(%A: memref<8x4096xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{this op cannot share a kernel with the others of its group: blocks would share its results}}
  // expected-note @below {{give it another number}}
  tile.reduce min %A into %a axes [1] scope(grid)
      {schedule = [#tile.bind<"p0" to block_y>, #tile.split<"r0" by 1024>, #tile.rfactor<"r0.o">, #tile.bind<"r0.o" to block_x>,
                   #tile.bind<"r0.i" to thread_x>], tile.group = 0 : i64}
      : memref<8x4096xf32> into memref<8xf32>
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x4096xf32> into memref<8xf32>
  return
}

// -----

func.func @second_schedule(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-note @below {{this is the first}}
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  // expected-error @below {{the schedule of a group stands on its first op}}
  tile.reduce max %A into %b axes [1] scope(grid) {schedule = [#tile.bind<"r0" to thread_x>], tile.group = 0 : i64}
      : memref<8x40xf32> into memref<8xf32>
  return
}

// -----

// What stands between the ops of a group changes what the first one reads.
func.func @changed(%A: memref<8x40xf32>, %a: memref<8xf32>, %b: memref<8xf32>, %v: f32) {
  tile.reduce min %A into %a axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  linalg.fill ins(%v : f32) outs(%A : memref<8x40xf32>)
  // expected-error @below {{this op cannot share a kernel with the others of its group: an op in between uses the memory of an op before}}
  // expected-note @below {{give it another number}}
  tile.reduce max %A into %b axes [1] scope(grid) {tile.group = 0 : i64} : memref<8x40xf32> into memref<8xf32>
  return
}
