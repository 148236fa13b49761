// RUN: tx-opt %s --linalg-hoist-attributes

// Attributes of ops in a body move to the surrounding op.
// CHECK-LABEL: func.func @all(
// CHECK:       linalg.generic {{.*}} attrs = {acc = f64, determinism = #tile.determinism<any>, nan = #tile.nan<ignore>, schedule = [#tile.bind<"d0" to block_x>]}
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    arith.addf
// CHECK-NOT:   tile.annotate
func.func @all(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    tile.annotate {acc = f64, nan = #tile.nan<ignore>, determinism = #tile.determinism<any>,
      schedule = [#tile.bind<"d0" to block_x>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      output_maps = [affine_map<(i, j) -> (i)>]}
    %sum = arith.addf %old, %a : f32
    linalg.yield %sum : f32
  }
  return
}
