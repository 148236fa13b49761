// RUN: tx-opt %s --convert-linalg-to-tile

// Ops on the element alone stay in the combiner if the rest is not a combiner: the root of a sum of squares
// does not combine squares. 0 is not neutral for -3: the body makes 3 of 0 and -3.
// CHECK-LABEL: func.func @norm
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [0.000000e+00 : f32] combiner {
// CHECK-NEXT:  ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32):
// CHECK-NEXT:    %[[RR:.+]] = arith.mulf %[[R]], %[[R]] : f32
// CHECK-NEXT:    %[[LL:.+]] = arith.mulf %[[L]], %[[L]] : f32
// CHECK-NEXT:    %[[S:.+]] = arith.addf %[[RR]], %[[LL]] : f32
// CHECK-NEXT:    %[[N:.+]] = math.sqrt %[[S]] : f32
// CHECK-NEXT:    tile.yield %[[N]] : f32
// CHECK-NEXT:  } element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index):
// CHECK:         arith.mulf %[[X]], %[[X]] : f32
// CHECK:         %[[E:.+]] = math.sqrt
// CHECK-NEXT:    tile.yield %[[E]] : f32
func.func @norm(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<?xf32>)
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %xx = arith.mulf %x, %x : f32
    %oo = arith.mulf %o, %o : f32
    %s = arith.addf %xx, %oo : f32
    %n = math.sqrt %s : f32
    linalg.yield %n : f32
  }
  return
}

// Noisy or: 1 - x is not an element.
// CHECK-LABEL: func.func @noisy_or
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [0.000000e+00 : f32] combiner {
// CHECK-NEXT:  ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32):
// CHECK-DAG:     arith.subf %{{.+}}, %[[L]] : f32
// CHECK-DAG:     arith.subf %{{.+}}, %[[R]] : f32
// CHECK:       } : memref<?x?xf32> into memref<?xf32>
func.func @noisy_or(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.subf %one, %x : f32
    %q = arith.subf %one, %o : f32
    %r = arith.mulf %p, %q : f32
    %s = arith.subf %one, %r : f32
    linalg.yield %s : f32
  }
  return
}

// A maximum of magnitudes.
// CHECK-LABEL: func.func @magnitude
// CHECK-NOT:   linalg.fill
// CHECK:       tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(grid) identity [0.000000e+00 : f32] combiner {
// CHECK-COUNT-2: math.absf
// CHECK:       } element {
// CHECK:         math.absf
func.func @magnitude(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<?xf32>)
  linalg.reduce ins(%A : memref<?x?xf32>) outs(%B : memref<?xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %a = math.absf %x : f32
    %b = math.absf %o : f32
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

// Some ops on the element may move: the weights do not belong to the combiner.
// CHECK-LABEL: func.func @weighted
// CHECK:       tile.reduce custom %{{.+}}, %{{.+}} into %{{.+}} axes [0] scope(grid) identity [0.000000e+00 : f32] combiner {
// CHECK:       } element {
// CHECK-NEXT:  ^bb0(%[[X:.+]]: f32, %[[W:.+]]: f32, %{{.+}}: index):
// CHECK:         arith.mulf %[[X]], %[[W]] : f32
func.func @weighted(%A: memref<?xf32>, %W: memref<?xf32>, %B: memref<f32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A, %W : memref<?xf32>, memref<?xf32>) outs(%B : memref<f32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %e = arith.mulf %x, %w : f32
    %xx = arith.mulf %e, %e : f32
    %oo = arith.mulf %o, %o : f32
    %s = arith.addf %xx, %oo : f32
    %n = math.sqrt %s : f32
    linalg.yield %n : f32
  }
  return
}
