// RUN: not tx batch %S/run-batch.jsonl 2>&1
// EXIT: 3
// SNAPSHOT: none — a fault names the address, which is another on each run.

// Each line is a separate run: its error is reported on its line, and the next line runs. The exit status is
// the worst of all runs.
// CHECK:      argument 0: 3xf32
// CHECK-NEXT: [3. 3. 3.]
// CHECK-NEXT: {"line":1,"status":0}
// CHECK-NEXT: {"line":3,"message":"{{.*}}out of bounds{{.*}}","status":3}
// CHECK-NEXT: {"line":4,"message":"{{.*}}no entry named `nowhere`{{.*}}","status":1}
// CHECK-NEXT: {"line":5,"message":"tx: error: unexpected argument '--speed'{{.*}}","status":2}
// CHECK-NEXT: {"line":6,"message":"tx: error: expected a JSON list of strings, such as {{.*}}","status":2}
// CHECK-NEXT: tx: error: 1 of 5 runs failed, 3 were refused
gpu.module @kernels {
  gpu.func @twice(%A: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 3, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %A[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%i] : memref<?xf32>
    gpu.return
  }
  gpu.func @outside(%A: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %A[%i] : memref<?xf32>
    memref.store %x, %A[%i] : memref<?xf32>
    gpu.return
  }
}
