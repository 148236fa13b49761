// RUN: tx-opt %s --memref-linearize-strides

// Accesses with negative or unknown strides become accesses to the same memory with one dimension. Row-major
// memory, and strides known to be nonnegative, stay.

// CHECK-LABEL: gpu.func @backwards
// CHECK:         %[[BASE:.+]], %{{.+}}, %{{.+}}, %{{.+}} = memref.extract_strided_metadata
// CHECK:         %[[STEP:.+]] = arith.muli %{{.+}}, %c-1
// CHECK:         %[[AT:.+]] = arith.addi %c7, %[[STEP]]
// CHECK:         %[[ROW:.+]] = memref.reinterpret_cast %[[BASE]] to offset: [0]
// CHECK:         memref.load %[[ROW]][%[[AT]]] : memref<?xf32>
// CHECK-LABEL: gpu.func @unknown
// CHECK-COUNT-2: memref.extract_strided_metadata
// The one-dimensional view ends after the last element of the vector.
// CHECK:         %[[END:.+]] = arith.addi %{{.+}}, %c4 : index
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [%[[END]]]
// CHECK:         vector.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<?xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-LABEL: gpu.func @forwards
// CHECK-NOT:     memref.extract_strided_metadata
// CHECK:         gpu.return
gpu.module @m {
  gpu.func @backwards(%A: memref<8xf32, strided<[-1], offset: 7>>, %i: index) kernel {
    %x = memref.load %A[%i] : memref<8xf32, strided<[-1], offset: 7>>
    gpu.return
  }
  gpu.func @unknown(%A: memref<?x?xf32, strided<[?, ?], offset: ?>>, %B: memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<workgroup>>,
                    %i: index, %v: vector<4xf32>, %x: f32) kernel {
    %old = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> f32
    vector.store %v, %B[%i, %i] : memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.return
  }
  gpu.func @forwards(%A: memref<?x?xf32>, %B: memref<8x8xf32, strided<[16, 1], offset: ?>>, %i: index) kernel {
    %x = memref.load %A[%i, %i] : memref<?x?xf32>
    memref.store %x, %B[%i, %i] : memref<8x8xf32, strided<[16, 1], offset: ?>>
    gpu.return
  }
}
