// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// SNAPSHOT: none — COMPARE states what the program computes, CHECK and COUNT what its kernels hold
// COMPARE: @parity(words: NxMxi32, odd: Nxi32) odd = parity(xor(words, 1))

// Whether a block of words has an odd number of set bits: the exclusive or of all words, whose set bits are
// then counted.
// CHECK-LABEL: gpu.func @parity_0
// CHECK:       tile.all_reduce xor
// CHECK:       math.ctpop
// COUNT: @parity_0 barriers = 0, shuffles = 0, loads = 16, stores = 2, scf.for = 1, scf.if = 3
// COUNT: @parity_1 tile.all_reduce = 2, scf.for = 1, scf.if = 4, memref.load = 8, memref.store = 2, arith.select = 24
// COUNT: @parity_2 tile.all_reduce = 2, scf.for = 1, scf.if = 4, memref.load = 6, memref.store = 2, arith.select = 18
// COUNT: @parity_3 tile.all_reduce = 4, scf.for = 1, scf.if = 6, memref.load = 8, memref.store = 4, arith.select = 24
// COUNT: @parity_4 tile.all_reduce = 1, scf.for = 3, scf.if = 21, memref.load = 8, vector.load = 4, memref.store = 1
// COUNT: @parity_4 arith.select = 22
// COUNT: @parity_5 tile.all_reduce = 1, scf.for = 3, scf.if = 17, memref.load = 6, vector.load = 4, memref.store = 1
// COUNT: @parity_5 arith.select = 20
// COUNT: @parity_6 tile.all_reduce = 1, scf.for = 3, scf.if = 17, memref.load = 6, vector.load = 4, memref.store = 1
// COUNT: @parity_6 arith.select = 20
// COUNT: @parity_7 tile.all_reduce = 1, scf.for = 2, scf.if = 18, memref.load = 8, memref.store = 1
// COUNT: @parity_8 tile.all_reduce = 1, scf.for = 4, scf.if = 23, memref.load = 6, vector.load = 4, memref.store = 1
// COUNT: @parity_8 arith.select = 4
// COUNT: @parity_9 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 10, vector.load = 4, memref.store = 2
// COUNT: @parity_9 memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @parity_10 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 10, vector.load = 4
// COUNT: @parity_10 memref.store = 2, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @parity_11 tile.all_reduce = 2, scf.for = 4, scf.if = 34, memref.load = 10, vector.load = 4
// COUNT: @parity_11 memref.store = 2, memref.atomic_rmw = 2, nvvm.barrier = 1, llvm.fence = 2, arith.select = 4
// COUNT: @parity_12 tile.all_reduce = 1, scf.for = 4, scf.if = 22, memref.load = 6, vector.load = 4, memref.store = 1
// COUNT: @parity_12 arith.select = 4
// COUNT: @parity gpu.launch_func = 13, memref.alloc = 6, cf.assert = 1
func.func @parity(%words: memref<?x?xi32>, %odd: memref<?xi32>) {
  tile.reduce xor %words into %odd axes [1] scope(grid) epilogue {
  ^bb0(%all: i32, %i: index):
    %one = arith.constant 1 : i32
    %bits = math.ctpop %all : i32
    %low = arith.andi %bits, %one : i32
    tile.yield %low : i32
  } : memref<?x?xi32> into memref<?xi32>
  return
}
