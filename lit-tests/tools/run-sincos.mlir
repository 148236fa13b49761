// RUN: tx run %s --device cpu --quiet --arg full:1.0e22:7xf64 --arg full:7:7xf64 --arg full:7:7xf64
// VALIDATE
// SNAPSHOT: none — CHECK lines state the results

// Both results of one op, in two arrays, of an argument that is reduced by 1.6e21 periods.
// CHECK: [-0.85220085 -0.85220085
// CHECK: [0.52321479 0.52321479
#id = affine_map<(i) -> (i)>
func.func @both(%A: memref<?xf64>, %S: memref<?xf64>, %C: memref<?xf64>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%A : memref<?xf64>) outs(%S, %C : memref<?xf64>, memref<?xf64>) {
  ^bb0(%a: f64, %os: f64, %oc: f64):
    %s, %c = math.sincos %a : f64
    linalg.yield %s, %c : f64, f64
  }
  return
}
