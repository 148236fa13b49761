// RUN(WIDE): tx run %s --entry wide --device cpu --arg zeros:4xi64
// RUN(NARROW): tx run %s --entry narrow --device cpu --arg zeros:4xi32

// SNAPSHOT: none — the CHECK lines say it all
// An unsigned loop passes the largest signed number and ends, in the executor and the interpreter.
// WIDE: [16  0  0  0]
// NARROW: [16  0  0  0]
gpu.module @m {
  gpu.func @wide(%b: memref<4xi64>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %low = arith.constant 9223372036854775800 : i64
    %high = arith.constant -9223372036854775800 : i64
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %n = scf.for unsigned %i = %low to %high step %one iter_args(%s = %zero) -> (i64) : i64 {
      %t = arith.addi %s, %one : i64
      scf.yield %t : i64
    }
    %c0 = arith.constant 0 : index
    memref.store %n, %b[%c0] : memref<4xi64>
    gpu.return
  }
  gpu.func @narrow(%b: memref<4xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %low = arith.constant 2147483640 : i32
    %high = arith.constant -2147483640 : i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %n = scf.for unsigned %i = %low to %high step %one iter_args(%s = %zero) -> (i32) : i32 {
      %t = arith.addi %s, %one : i32
      scf.yield %t : i32
    }
    %c0 = arith.constant 0 : index
    memref.store %n, %b[%c0] : memref<4xi32>
    gpu.return
  }
}
