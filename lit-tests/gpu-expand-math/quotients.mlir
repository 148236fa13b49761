// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK lines state the ops of a quotient.

// Four quotients by one divisor share its reciprocal. The ops that compute the dividends move before the first quotient.
// Divisions remain for operands out of range.
// CHECK-LABEL: gpu.func @row(
// CHECK:         %[[R:.+]] = arith.divf %{{.+}}, %[[S:.+]] : f32
// CHECK:         %[[N:.+]] = arith.negf %[[R]]
// CHECK:         %[[Q:.+]] = arith.mulf %[[X:.+]], %[[R]] : f32
// CHECK:         %[[M:.+]] = arith.negf %[[X]]
// CHECK:         %[[E:.+]] = math.fma %[[Q]], %[[S]], %[[M]]
// CHECK:         math.fma %[[E]], %[[N]], %[[Q]]
// CHECK-COUNT-6: math.fma
// CHECK-NOT:     math.fma
// CHECK:         arith.maxui
// CHECK:         arith.cmpf ord
// CHECK:         scf.if %{{.+}} -> (f32, f32, f32, f32)
// CHECK-NEXT:      scf.yield
// CHECK:         } else {
// CHECK-COUNT-4:   arith.divf %{{.+}}, %[[S]] : f32
// CHECK:         gpu.return

// Unchanged: three quotients, and quotients with flags, by constants, of other types and by other divisors.
// CHECK-LABEL: gpu.func @left(
// CHECK-NOT:     scf.if
// CHECK:         gpu.return

// Unchanged: a quotient of a quotient, and a quotient of a value that is loaded after a store.
// CHECK-LABEL: gpu.func @chained(
// CHECK:         scf.if %{{.+}} -> (f32, f32, f32, f32)
// CHECK:         memref.store
// CHECK-COUNT-2: arith.divf
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
gpu.module @kernels {
  gpu.func @row(%s: f32, %a: memref<4xf32>, %b: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %v = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
    %x0 = vector.extract %v[0] : f32 from vector<4xf32>
    %q0 = arith.divf %x0, %s : f32
    memref.store %q0, %b[%c0] : memref<4xf32>
    %x1 = vector.extract %v[1] : f32 from vector<4xf32>
    %y1 = arith.addf %x1, %x0 : f32
    %q1 = arith.divf %y1, %s : f32
    memref.store %q1, %b[%c1] : memref<4xf32>
    %x2 = vector.extract %v[2] : f32 from vector<4xf32>
    %y2 = arith.addf %x2, %y1 : f32
    %q2 = arith.divf %y2, %s : f32
    memref.store %q2, %b[%c2] : memref<4xf32>
    %x3 = vector.extract %v[3] : f32 from vector<4xf32>
    %q3 = arith.divf %x3, %s : f32
    memref.store %q3, %b[%c3] : memref<4xf32>
    gpu.return
  }
  gpu.func @left(%s: f32, %t: f32, %h: f16, %x: f32, %a: memref<5xf32>, %g: memref<4xf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %three = arith.constant 3.0 : f32
    %q0 = arith.divf %x, %s : f32
    %q1 = arith.divf %q0, %t : f32
    %q2 = arith.divf %q1, %s : f32
    %q3 = arith.divf %q2, %t : f32
    memref.store %q3, %a[%c0] : memref<5xf32>
    %p0 = arith.divf %x, %three : f32
    %p1 = arith.divf %q0, %three : f32
    %p2 = arith.divf %q1, %three : f32
    %p3 = arith.divf %q2, %three : f32
    memref.store %p0, %a[%c0] : memref<5xf32>
    memref.store %p1, %a[%c1] : memref<5xf32>
    memref.store %p2, %a[%c2] : memref<5xf32>
    memref.store %p3, %a[%c3] : memref<5xf32>
    %h0 = arith.divf %h, %h : f16
    %h1 = arith.divf %h0, %h : f16
    memref.store %h0, %g[%c0] : memref<4xf16>
    memref.store %h1, %g[%c1] : memref<4xf16>
    %a0 = arith.divf %x, %s fastmath<arcp> : f32
    %a1 = arith.divf %q1, %s fastmath<arcp> : f32
    %a2 = arith.divf %q3, %s fastmath<arcp> : f32
    memref.store %a0, %a[%c0] : memref<5xf32>
    memref.store %a1, %a[%c1] : memref<5xf32>
    memref.store %a2, %a[%c2] : memref<5xf32>
    gpu.return
  }
  gpu.func @chained(%s: f32, %x: f32, %y: f32, %z: f32, %w: f32, %a: memref<8xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %q0 = arith.divf %x, %s : f32
    %q1 = arith.divf %y, %s : f32
    %q2 = arith.divf %z, %s : f32
    %q3 = arith.divf %w, %s : f32
    memref.store %q0, %a[%c0] : memref<8xf32>
    memref.store %q1, %a[%c1] : memref<8xf32>
    memref.store %q2, %a[%c2] : memref<8xf32>
    memref.store %q3, %a[%c3] : memref<8xf32>
    %u = memref.load %a[%c4] : memref<8xf32>
    %q4 = arith.divf %u, %s : f32
    %q5 = arith.divf %q0, %s : f32
    memref.store %q4, %a[%c0] : memref<8xf32>
    memref.store %q5, %a[%c1] : memref<8xf32>
    gpu.return
  }
}
