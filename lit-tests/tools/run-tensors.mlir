// RUN: tx run %s --device cpu --arg full:0.5:4x3xf32 --arg zeros:4xf32 --arg zeros:4xf32
// RUN(VERDICT): tx validate %s
// RUN(PLAN): tx compile %s --plan - -o %t.ptx
// RUN(EXPLAIN): tx explain %s
// RUN(REPORT): tx report %s -o -
// RUN(BENCH): tx bench %s --device cpu --arg full:0.5:4x3xf32 --arg zeros:4xf32 --arg zeros:4xf32
// RUN(TUNE): tx tune %s --device cpu --arg full:0.5:4x3xf32 --arg zeros:4xf32 --arg zeros:4xf32 -o - 2>&1
// SNAPSHOT: none — what matters of each command is checked.

// Every command accepts functions on tensors: calls are inlined, and results are the last arguments.
// CHECK:      argument 1: 4xf32
// CHECK-NEXT: [1.5 1.5 1.5 1.5]
// CHECK:      argument 2: 4xf32
// CHECK-NEXT: [1.5 1.5 1.5 1.5]
// VERDICT:   @main
// VERDICT:   launch
// VERDICT-SAME: equal
// PLAN:       "entry": "main"
// PLAN:       "kernel": "main_0"
// EXPLAIN:    ops share a kernel, scheduled by their rows
// REPORT:     <!DOCTYPE html>
// BENCH:      main
// TUNE:       @main on cpu
// TUNE:       func.func @main(%{{.*}}: memref<4x3xf32>, %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>)
// TUNE:       acc = f64
func.func private @sum(%A: tensor<4x3xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x3xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {acc = f64}
  return %s : tensor<4xf32>
}
func.func @main(%A: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = call @sum(%A) : (tensor<4x3xf32>) -> tensor<4xf32>
  return %s, %s : tensor<4xf32>, tensor<4xf32>
}
