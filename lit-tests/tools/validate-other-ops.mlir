// RUN: tx validate %s --entry vectors
// RUN(INTEGERS): tx validate %s --entry integers

// Ops without direct execution, such as affine loops and vector reductions, are expanded and checked.
// SNAPSHOT: none — verdicts have tests of their own
// CHECK:     parse  reference
// CHECK-NOT: unsupported
// CHECK:     launch  equal
// INTEGERS:     parse  reference
// INTEGERS-NOT: unsupported
// INTEGERS:     launch  equal
gpu.module @kernels {
gpu.func @vectors(%x: memref<?x8xf32>, %y: memref<?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = gpu.thread_id x
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %in = arith.cmpi ult, %t, %n : index
  scf.if %in {
    %v = vector.load %x[%t, %c0] : memref<?x8xf32>, vector<8xf32>
    %squares = vector.fma %v, %v, %v : vector<8xf32>
    %sum = vector.reduction <add>, %squares, %one : vector<8xf32> into f32
    %most = vector.reduction <maximumf>, %v : vector<8xf32> into f32
    %all = affine.for %i = 0 to 8 iter_args(%s = %sum) -> f32 {
      %e = affine.load %x[%t, %i] : memref<?x8xf32>
      %next = arith.addf %s, %e : f32
      affine.yield %next : f32
    }
    %r = arith.addf %all, %most : f32
    memref.store %r, %y[%t] : memref<?xf32>
  }
  gpu.return
}

gpu.func @integers(%x: memref<32x4xi32>, %y: memref<32x3xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : i32
  %t = gpu.thread_id x
  %v = vector.load %x[%t, %c0] : memref<32x4xi32>, vector<4xi32>
  %product = vector.reduction <mul>, %v : vector<4xi32> into i32
  %least = vector.reduction <minui>, %v, %c7 : vector<4xi32> into i32
  %parity = vector.reduction <xor>, %v : vector<4xi32> into i32
  memref.store %product, %y[%t, %c0] : memref<32x3xi32>
  memref.store %least, %y[%t, %c1] : memref<32x3xi32>
  memref.store %parity, %y[%t, %c2] : memref<32x3xi32>
  gpu.return
}
}
