// RUN: tx run %s --device cpu --arg zeros:9xf32 --arg zeros:3xf32

// Rows read backwards, in two dimensions: element (i, j) of the view is element 8 - i - 3 j of the array, so
// the sums of its rows are 15, 12 and 9.
// CHECK: argument 1: 3xf32
// CHECK: [15. 12. 9.]
func.func @backwards(%A: memref<9xf32>, %B: memref<3xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%A : memref<9xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    linalg.yield %x : f32
  }
  %v = memref.reinterpret_cast %A to offset: [8], sizes: [3, 3], strides: [-1, -3] : memref<9xf32> to memref<3x3xf32, strided<[-1, -3], offset: 8>>
  linalg.fill ins(%zero : f32) outs(%B : memref<3xf32>)
  linalg.reduce { arith.addf } ins(%v : memref<3x3xf32, strided<[-1, -3], offset: 8>>) outs(%B : memref<3xf32>) dimensions = [1]
  return
}
