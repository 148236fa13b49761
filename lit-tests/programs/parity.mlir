// RUN: tx-opt %s --tile-schedule
// PTXAS: sm_90
// COMPARE: @parity(words: NxMxi32, odd: Nxi32) odd = parity(xor(words, 1))

// Whether a block of words has an odd number of bits set: the exclusive or of all words, of which the
// bits are then counted.
// CHECK-LABEL: gpu.func @parity_0
// CHECK:       tile.all_reduce xor
// CHECK:       math.ctpop
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
