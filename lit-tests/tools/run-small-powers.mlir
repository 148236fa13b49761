// RUN: tx run %s --device cpu --arg full:2.0e19:2xf32 --arg zeros:2xf32
// SNAPSHOT: none — CHECK lines state the result

// The square of 2e19 overflows; its reciprocal is a subnormal number.
// CHECK:      argument 1: 2xf32
// CHECK-NEXT: 2.5e-39
func.func @reciprocal_square(%A: memref<2xf32>, %B: memref<2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<2xf32>) outs(%B : memref<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %power = arith.constant -2.0 : f32
    %y = math.powf %x, %power : f32
    linalg.yield %y : f32
  }
  return
}
