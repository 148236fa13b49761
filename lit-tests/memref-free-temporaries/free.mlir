// RUN: tx-opt %s --memref-free-temporaries

// A temporary without `dealloc` is freed at the end of its block. Returned and freed ones stay.
// CHECK-LABEL: func.func @f(
// CHECK:       %[[T:.+]] = memref.alloc() : memref<4xf32>
// CHECK:       %[[U:.+]] = memref.alloc() : memref<4xf32>
// CHECK:       %[[V:.+]] = memref.alloc() : memref<4xf32>
// CHECK:       memref.dealloc %[[U]]
// CHECK-NOT:   memref.dealloc
// CHECK:       linalg.exp
// CHECK-NEXT:  memref.dealloc %[[T]]
// CHECK-NEXT:  return %[[V]]
func.func @f(%A: memref<4xf32>) -> memref<4xf32> {
  %T = memref.alloc() : memref<4xf32>
  %U = memref.alloc() : memref<4xf32>
  %V = memref.alloc() : memref<4xf32>
  memref.dealloc %U : memref<4xf32>
  linalg.exp ins(%A : memref<4xf32>) outs(%T : memref<4xf32>)
  return %V : memref<4xf32>
}

// CHECK-LABEL: func.func @in_a_loop(
// CHECK:       scf.for
// CHECK:         %[[T:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         memref.dealloc %[[T]]
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @in_a_loop(%A: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %T = memref.alloc() : memref<4xf32>
    linalg.exp ins(%A : memref<4xf32>) outs(%T : memref<4xf32>)
  }
  return
}
