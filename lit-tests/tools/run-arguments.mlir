// RUN(FEW): not tx run %s --device cpu --arg zeros:32xf32 2>&1
// EXIT: 1
// RUN(MANY): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:f32 --arg 1 --arg 2 2>&1
// EXIT: 1
// RUN(SHAPE): not tx run %s --device cpu --arg zeros:31xf32 --arg zeros:f32 --arg 1 2>&1
// EXIT: 1
// RUN(RANK): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:1xf32 --arg 1 2>&1
// EXIT: 1
// RUN(TYPE): not tx run %s --device cpu --arg zeros:32xf16 --arg zeros:f32 --arg 1 2>&1
// EXIT: 1
// RUN(ARRAY): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:f32 --arg zeros:1xi32 2>&1
// EXIT: 1
// RUN(NUMBER): not tx run %s --device cpu --arg 3 --arg zeros:f32 --arg 1 2>&1
// EXIT: 1
// RUN(VALUE): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:f32 --arg 1.5 2>&1
// EXIT: 1
// RUN(OUT): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:f32 --arg 1 --out 7=%t.npy 2>&1
// EXIT: 1
// RUN(SCALAR): not tx run %s --device cpu --arg zeros:32xf32 --arg zeros:f32 --arg 1 --out 2=%t.npy 2>&1
// EXIT: 1
// RUN(FILE): not tx run %s --device cpu --arg %t.npy --arg zeros:f32 --arg 1 2>&1
// EXIT: 1
// SNAPSHOT: none — every message is checked as a whole.

// Invalid arguments are rejected with status 1 before any launch. The message names the argument, the found
// and the expected value.
// FEW:    tx: error: found 1 argument{{s?}}, expected 3: @sum(memref<32xf32>, memref<f32>, i32)
// MANY:   tx: error: found 4 arguments, expected 3: @sum(memref<32xf32>, memref<f32>, i32)
// SHAPE:  tx: error: argument 0: found an array 31xf32, expected memref<32xf32>; dimension 0 is 31, not 32
// RANK:   tx: error: argument 1: found an array 1xf32, expected memref<f32>; the rank is 1, not 0
// TYPE:   tx: error: argument 0: found an array 32xf16, expected memref<32xf32>
// ARRAY:  tx: error: argument 2: found an array 1xi32, expected i32; a scalar is written as a number
// NUMBER: tx: error: argument 0: found the number 3, expected memref<32xf32>
// VALUE:  tx: error: argument 2: found the number 1.5, expected i32; the range of i32 is -2147483648 to 4294967295
// OUT:    tx: error: --out 7=$TMP/t.npy: there is no argument 7: `sum` takes 3, expected the index of a memref argument
// SCALAR: tx: error: --out 2=$TMP/t.npy: argument 2 is a scalar of type i32, expected the index of a memref argument
// FILE:   tx: error: $TMP/t.npy: no such file, expected an array to pass to the program
gpu.module @kernels {
  gpu.func @sum(%A: memref<32xf32>, %B: memref<f32>, %k: i32)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<32xf32> into memref<f32>
    gpu.return
  }
}
