// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the ops of each power; tools/run-integer-powers.mlir runs them

// A constant exponent is a chain of squares and products.
// CHECK-LABEL: gpu.func @tenth(
// CHECK:         %[[X:.+]] = memref.load
// CHECK:         %[[X2:.+]] = arith.muli %[[X]], %[[X]] : i32
// CHECK:         %[[X4:.+]] = arith.muli %[[X2]], %[[X2]] : i32
// CHECK:         %[[X8:.+]] = arith.muli %[[X4]], %[[X4]] : i32
// CHECK:         %[[X10:.+]] = arith.muli %[[X2]], %[[X8]] : i32
// CHECK:         memref.store %[[X10]]

// Other exponents: one step for each binary digit, and what integers have for negative exponents.
// CHECK-LABEL: gpu.func @any(
// CHECK:         %[[ZEROS:.+]] = math.ctlz %[[N:.+]] : i64
// CHECK:         arith.subi %{{.+}}, %[[ZEROS]] : i64
// CHECK:         scf.for {{.+}} -> (i64, i64, i64)
// CHECK:           arith.andi
// CHECK:           arith.shrui
// CHECK:         arith.cmpi slt, %[[N]], %{{.+}} : i64
// CHECK:         arith.cmpi eq
// CHECK:         arith.cmpi eq
// CHECK-NOT:     math.ipowi

// CHECK-LABEL: gpu.func @vectors(
// CHECK:         arith.maxui %{{.+}}, %{{.+}} : i8
// CHECK:         scf.for {{.+}} -> (vector<2xi8>, vector<2xi8>, vector<2xi8>)
// CHECK:         arith.muli %{{.+}}, %{{.+}} : vector<2xi8>

// CHECK-LABEL: gpu.func @indices(
// CHECK:         arith.index_cast %{{.+}} : index to i64
// CHECK:         scf.for
// CHECK:         arith.index_cast %{{.+}} : i64 to index
// CHECK-NOT:     math.ipowi
gpu.module @kernels {
  gpu.func @tenth(%a: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %n = arith.constant 10 : i32
    %x = memref.load %a[%c0] : memref<1xi32>
    %y = math.ipowi %x, %n : i32
    memref.store %y, %a[%c0] : memref<1xi32>
    gpu.return
  }
  gpu.func @any(%a: memref<1xi64>, %n: i64) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xi64>
    %y = math.ipowi %x, %n : i64
    memref.store %y, %a[%c0] : memref<1xi64>
    gpu.return
  }
  gpu.func @vectors(%a: memref<4xi8>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %cube = arith.constant dense<3> : vector<2xi8>
    %x = vector.load %a[%c0] : memref<4xi8>, vector<2xi8>
    %n = vector.load %a[%c2] : memref<4xi8>, vector<2xi8>
    %y = math.ipowi %x, %n : vector<2xi8>
    %z = math.ipowi %y, %cube : vector<2xi8>
    vector.store %z, %a[%c0] : memref<4xi8>, vector<2xi8>
    gpu.return
  }
  gpu.func @indices(%a: memref<2xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c0] : memref<2xindex>
    %n = memref.load %a[%c1] : memref<2xindex>
    %y = math.ipowi %x, %n : index
    memref.store %y, %a[%c0] : memref<2xindex>
    gpu.return
  }
}
