// RUN: tx explain %s --chip sm_90 --entry normalized
// SNAPSHOT: none — the lines are checked.
// RUN(JSON): tx explain %s --chip sm_90 --entry normalized --json
// SNAPSHOT(JSON): none — the lines are checked.

// CHECK:      remark: `tile.reduce` does not share a kernel with the previous op
// CHECK:      loop `p0` has 4096 iterations, but in another op of the group 32

// Ops of one kernel are explained together: held arrays, arrays never stored, and bytes moved.
// CHECK:      explain-a-group.mlir:[[# @LINE + 19]]:3: remark: 2 ops share a kernel, scheduled by their rows
// CHECK:      ops: `tile.reduce` at {{[0-9]+}}:3, `linalg.generic` at {{[0-9]+}}:3
// CHECK-NEXT: kernel `normalized_0`: 512 threads a block
// CHECK-NEXT: `in0`, argument 0, stays in registers
// CHECK-NEXT: `tmp0`, a temporary, stays in registers and is never stored
// CHECK-NEXT: `out0`, argument 1, is in memory
// CHECK-NEXT: reads and writes 1048576 bytes, the minimum
// JSON:       "group": {
// JSON:         "kernel": "normalized_0",
// JSON:         "threads": 512,
// JSON:         "op": "tile.reduce",
// JSON:         "name": "in0",
// JSON-NEXT:    "argument": 0,
// JSON-NEXT:    "is_held": true,
// JSON-NEXT:    "is_stored": true
// JSON:         "bytes": 1048576,
// JSON-NEXT:    "fewest": 1048576
func.func @normalized(%A: memref<32x4096xf32>, %B: memref<32x4096xf32>) {
  %M = memref.alloc() : memref<32xf32>
  tile.reduce max %A into %M axes [1] scope(grid) : memref<32x4096xf32> into memref<32xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%A, %M : memref<32x4096xf32>, memref<32xf32>) outs(%B : memref<32x4096xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %q = arith.divf %a, %m : f32
    linalg.yield %q : f32
  }
  memref.dealloc %M : memref<32xf32>
  return
}

// A value that is combined with old values is reloaded by each op.
// CHECK:      remark: 2 ops share a kernel
// CHECK:      `in0`, argument 0, is in memory
// CHECK-NEXT: `tmp0`, argument 1, is in memory
// CHECK-NEXT: `out0`, argument 2, is in memory
// CHECK-NEXT: reads and writes 1573248 bytes, some of them from caches; the minimum is 1048832 bytes
// CHECK:      the schedule of each kernel
// CHECK-NEXT: kernel `normalized_0`: split r0 by 4, bind p0 to block_x
func.func @reloaded(%A: memref<32x4096xf32>, %M: memref<32xf32>, %B: memref<32x4096xf32>) {
  tile.reduce sum %A into %M axes [1] scope(grid) accumulate : memref<32x4096xf32> into memref<32xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%A, %M : memref<32x4096xf32>, memref<32xf32>) outs(%B : memref<32x4096xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %q = arith.divf %a, %m : f32
    linalg.yield %q : f32
  }
  return
}

// The reason why an op does not share a kernel with the previous op comes first.
func.func @apart(%A: memref<32x4096xf32>, %M: memref<32xf32>, %N: memref<4096xf32>) {
  tile.reduce max %A into %M axes [1] scope(grid) : memref<32x4096xf32> into memref<32xf32>
  tile.reduce max %A into %N axes [0] scope(grid) : memref<32x4096xf32> into memref<4096xf32>
  return
}
