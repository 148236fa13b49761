// RUN: tx run %s --device cpu --entry rows --arg zeros:4x0xf32 --arg full:7:4xf32 --arg full:7:4xf32 --arg full:7:4xf32 --arg full:7:4xi32 --arg full:7:4xf32 --arg full:7:4xi32
// RUN(OLD): tx run %s --device cpu --entry onto_old_values --arg zeros:4x0xf32 --arg full:-0.0:4xf32 --arg full:nan:4xf32 --arg full:-inf:4xf32 --arg full:3:4xi32 --arg full:inf:4xf32 --arg full:3:4xi32
// SNAPSHOT: none — what is printed is checked as a whole.

// Empty rows give the result of no elements, for every variant: +0 for a sum, -inf for a maximum, also if NaN
// never wins, and index 0.
// CHECK:      argument 1: 4xf32
// CHECK-NEXT: [0. 0. 0. 0.]
// CHECK-NEXT: argument 2: 4xf32
// CHECK-NEXT: [-inf -inf -inf -inf]
// CHECK-NEXT: argument 3: 4xf32
// CHECK-NEXT: [inf inf inf inf]
// CHECK-NEXT: argument 4: 4xi32
// CHECK-NEXT: [0 0 0 0]
// CHECK-NEXT: argument 5: 4xf32
// CHECK-NEXT: [-inf -inf -inf -inf]
// CHECK-NEXT: argument 6: 4xi32
// CHECK-NEXT: [0 0 0 0]
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x?xf32>, %S: memref<4xf32>, %M: memref<4xf32>, %V: memref<4xf32>, %I: memref<4xi32>, %W: memref<4xf32>, %J: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %S axes [1] scope(cta) {variant = "batched"} : memref<4x?xf32> into memref<4xf32>
    tile.reduce max %A into %M axes [1] scope(cta) {nan = #tile.nan<ignore>} : memref<4x?xf32> into memref<4xf32>
    tile.reduce argmin %A into %V, %I axes [1] scope(cta) {variant = "shared"}
      : memref<4x?xf32> into memref<4xf32>, memref<4xi32>
    tile.reduce argmax %A into %W, %J axes [1] scope(cta) {nan = #tile.nan<ignore>, variant = "batched"}
      : memref<4x?xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }

  // Old values and their indices stay bitwise unchanged.
  // OLD:      argument 1: 4xf32
  // OLD-NEXT: [-0. -0. -0. -0.]
  // OLD-NEXT: argument 2: 4xf32
  // OLD-NEXT: [nan nan nan nan]
  // OLD-NEXT: argument 3: 4xf32
  // OLD-NEXT: [-inf -inf -inf -inf]
  // OLD-NEXT: argument 4: 4xi32
  // OLD-NEXT: [3 3 3 3]
  // OLD-NEXT: argument 5: 4xf32
  // OLD-NEXT: [inf inf inf inf]
  // OLD-NEXT: argument 6: 4xi32
  // OLD-NEXT: [3 3 3 3]
  gpu.func @onto_old_values(%A: memref<4x?xf32>, %S: memref<4xf32>, %M: memref<4xf32>, %V: memref<4xf32>, %I: memref<4xi32>, %W: memref<4xf32>, %J: memref<4xi32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tile.reduce sum %A into %S axes [1] scope(cta) accumulate : memref<4x?xf32> into memref<4xf32>
    tile.reduce max %A into %M axes [1] scope(cta) accumulate {nan = #tile.nan<ignore>} : memref<4x?xf32> into memref<4xf32>
    tile.reduce argmax %A into %V, %I axes [1] scope(cta) accumulate {variant = "shared"}
      : memref<4x?xf32> into memref<4xf32>, memref<4xi32>
    tile.reduce argmin %A into %W, %J axes [1] scope(cta) accumulate {variant = "batched"}
      : memref<4x?xf32> into memref<4xf32>, memref<4xi32>
    gpu.return
  }
}
