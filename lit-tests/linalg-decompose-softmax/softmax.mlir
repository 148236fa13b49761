// RUN: tx-opt %s --linalg-decompose-softmax
// SNAPSHOT: none — CHECK says which ops there are

// CHECK-LABEL: func.func @memrefs(
// CHECK:         %[[MAX:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%[[MAX]] : memref<4xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0 : memref<4x8xf32>) outs(%[[MAX]] : memref<4xf32>)
// CHECK:           arith.maximumf
// CHECK:         %[[SUM:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.generic {{.*}}ins(%arg0, %[[MAX]] : memref<4x8xf32>, memref<4xf32>) outs(%[[SUM]] : memref<4xf32>)
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%arg0, %[[MAX]], %[[SUM]] : {{.*}}) outs(%arg1 : memref<4x8xf32>)
// CHECK:           arith.divf
// CHECK:         memref.dealloc %[[SUM]]
// CHECK:         memref.dealloc %[[MAX]]
// CHECK-NOT:     linalg.softmax
func.func @memrefs(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  linalg.softmax dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
  return
}

// Softmax of 16-bit elements over a middle dimension, of dynamic sizes.
// CHECK-LABEL: func.func @tensors(
// CHECK:         %[[FIRST:.+]] = tensor.dim %arg0, %{{.+}} : tensor<?x?x3xbf16>
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%[[FIRST]]) : tensor<?x3xf32>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:           arith.extf %{{.+}} : bf16 to f32
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:         %[[RESULT:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK:           arith.truncf %{{.+}} : f32 to bf16
// CHECK:         return %[[RESULT]]
func.func @tensors(%A: tensor<?x?x3xbf16>, %B: tensor<?x?x3xbf16>) -> tensor<?x?x3xbf16> {
  %R = linalg.softmax dimension(1) ins(%A : tensor<?x?x3xbf16>) outs(%B : tensor<?x?x3xbf16>) -> tensor<?x?x3xbf16>
  return %R : tensor<?x?x3xbf16>
}

// Softmax of 8-bit elements.
// CHECK-LABEL: func.func @narrow(
// CHECK:         memref.alloc() : memref<4xf32>
// CHECK:         arith.extf %{{.+}} : f8E4M3FN to f32
// CHECK:         arith.truncf %{{.+}} : f32 to f8E4M3FN
func.func @narrow(%A: memref<4x8xf8E4M3FN>, %B: memref<4x8xf8E4M3FN>) {
  linalg.softmax dimension(1) ins(%A : memref<4x8xf8E4M3FN>) outs(%B : memref<4x8xf8E4M3FN>)
  return
}
