// RUN: tx compile %s --entry sum --chip sm_90 --asserts
// RUN(DROPPED): tx compile %s --entry sum --chip sm_90
// RUN(MEMREF): tx compile %s --entry memrefs --chip sm_90 --asserts
// RUN(MEMREFDROPPED): tx compile %s --entry memrefs --chip sm_90
// RUN(GOOD): tx run %s --entry sum --device cpu --asserts --arg full:1:1003x8xf32 --arg full:7:1003xi64 --arg zeros:f32
// RUN(BAD): not tx run %s --entry sum --device cpu --asserts --arg full:1:1003x8xf32 --arg full:8:1003xi64 --arg zeros:f32 2>&1
// EXIT: 3
// RUN(OUTSIDE): not tx run %s --entry sum --device cpu --arg full:1:1003x8xf32 --arg full:8:1003xi64 --arg zeros:f32 2>&1
// EXIT: 3
// RUN(PIPELINE): tx-opt %s --pass-pipeline=builtin.module(tensors-to-memrefs{asserts=true})
// SNAPSHOT: none — what matters of each is checked
// SNAPSHOT(PIPELINE): none — what matters of each is checked

// With `--asserts`, each thread checks its elements before the guarded access, and calls `__assertfail`. The
// gather is then a separate kernel: the body of a reduction only computes.
// CHECK:       .visible .entry sum_0
// CHECK:         setp.{{[a-z]+}}.s64
// CHECK:         call.uni __assertfail
// CHECK:       .visible .entry sum_1
// DROPPED-NOT: __assertfail
// DROPPED:     .visible .entry sum_0
// DROPPED-NOT: .visible .entry sum_2
// MEMREF:      call.uni __assertfail
// MEMREFDROPPED-NOT: __assertfail
// PIPELINE:    cf.assert
//
// GOOD:        argument 2: f32
// GOOD-NEXT:   1003.0
// BAD:         run-asserts.mlir:{{[0-9]+}}:5: error: assertion failed by thread (0, 0, 0) of block (0, 0, 0): index must be smaller than dim size (kernel `sum_0`)
// BAD-NEXT:      cf.assert
// Without `--asserts`, the executor finds the out-of-bounds access.
// OUTSIDE:     error: out of bounds: read of 4 bytes
func.func @sum(%x: tensor<1003x8xf32>, %t: tensor<1003xi64>) -> tensor<f32> {
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<1003xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<1003xi64>) outs(%e : tensor<1003xf32>) {
  ^bb0(%k: i64, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %k : i64 to index
    %ok = arith.cmpi slt, %j, %c8 : index
    cf.assert %ok, "index must be smaller than dim size"
    %v = tensor.extract %x[%i, %j] : tensor<1003x8xf32>
    linalg.yield %v : f32
  } -> tensor<1003xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%r : tensor<1003xf32>) outs(%z : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}
func.func @memrefs(%A: memref<100xi32>, %B: memref<100xi32>) {
  %c4 = arith.constant 4 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<100xi32>) outs(%B : memref<100xi32>) {
  ^bb0(%v: i32, %o: i32):
    %ok = arith.cmpi slt, %v, %c4 : i32
    cf.assert %ok, "value must be less than 4"
    linalg.yield %v : i32
  }
  return
}
