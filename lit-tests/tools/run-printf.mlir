// RUN: tx run %s --entry kernel --device cpu --arg full:0.5:4xf32
// RUN(FAULT): not tx run %s --entry kernel --device cpu --arg full:2.0:4xf32 2>&1
// EXIT: 3
// RUN(FILE): tx run %s --entry kernel --device cpu --arg full:0.5:4xf32 --out 0=/dev/null
// RUN(PTX): tx compile %s --entry kernel

// Threads print by a format, like the C library, before the results and before an error. A failed assertion
// is an error, with the message and the thread. On a GPU, both call functions of the driver.
// CHECK:      thread 0 has 0.500000, |    0|0    |0x0|00|+0.50|5.00e-01|%
// CHECK-NEXT: thread 1 has 0.500000, |    1|1    |0x1|01|+0.50|5.00e-01|%
// CHECK-NEXT: thread 2 has 0.500000, |    2|2    |0x2|02|+0.50|5.00e-01|%
// CHECK-NEXT: thread 3 has 0.500000, |    3|3    |0x3|03|+0.50|5.00e-01|%
// CHECK-NEXT: argument 0: 4xf32
// CHECK-NEXT: [1.5 1.5 1.5 1.5]
// FAULT:      thread 0 has 2.000000
// FAULT:      error: assertion failed by thread (0, 0, 0) of block (0, 0, 0): at most one (kernel `kernel`)
// FAULT-NEXT: cf.assert
// FAULT:      TX0808
// FILE-COUNT-4: thread
// FILE-NOT:   argument
// PTX:        call.uni (retval0), vprintf,
// PTX:        __assertfail,
// SNAPSHOT: none — PTX of other programs has tests of its own
gpu.module @kernels {
gpu.func @kernel(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
  %t = gpu.thread_id x
  %one = arith.constant 1.0 : f32
  %v = memref.load %A[%t] : memref<4xf32>
  %i = arith.index_cast %t : index to i32
  gpu.printf "thread %lld has %f, |%5d|%-5d|0x%x|%02u|%+.2f|%.2e|%%\n", %t, %v, %i, %i, %i, %i, %v, %v : index, f32, i32, i32, i32, i32, f32, f32
  %small = arith.cmpf ole, %v, %one : f32
  cf.assert %small, "at most one"
  %w = arith.addf %v, %one : f32
  memref.store %w, %A[%t] : memref<4xf32>
  gpu.return
}
}
