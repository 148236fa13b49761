// RUN(TILE): tx-opt %s --convert-linalg-to-tile
// RUN: tx-opt %s --convert-linalg-to-tile --tile-schedule
// COMPARE: @argmax(A: NxMxf32 of ties, V: Nxf32, I: Nxi32) V = max(A, 1); I = argmax(A, 1)
// COMPARE: @argmax(A: NxMxf32, V: Nxf32, I: Nxi32) V = max(A, 1); I = argmax(A, 1)

// ## The same in `linalg`
//
// A `linalg.generic` with two outputs, whose body takes the new element if it is larger.

#cell = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

func.func @argmax(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  linalg.fill ins(%least : f32) outs(%V : memref<?xf32>)
  linalg.fill ins(%none : i32) outs(%I : memref<?xi32>)
  linalg.generic {indexing_maps = [#cell, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%V, %I : memref<?xf32>, memref<?xi32>) attrs = {schedule = []} {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %column = linalg.index 1 : index
    %k = arith.index_cast %column : index to i32
    %more = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %more, %x, %v : f32
    %ni = arith.select %more, %k, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// SHOW: TILE tile.reduce
//
// Two comparisons and the index of the loop are recognised as `argmax`, which may combine in any order
// because it knows what to do with equal values.
// TILE-LABEL: func.func @argmax(
// TILE-NOT:   linalg
// TILE:       tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid)
//
// A comparison by `ogt` never takes NaN. So the element of a NaN is minus infinity, and a row without a larger element has
// minus infinity and index 0, as the fills left them.
// TILE:         arith.maxnumf
//
// Pairs go from iteration to iteration, as above.
// CHECK-LABEL: gpu.func @argmax_0(
// CHECK:         %[[START:.+]] = arith.constant {{.+}} : f32
// CHECK:         %[[PAIR:.+]]:2 = scf.for {{.+}} iter_args(%[[V:.+]] = %[[START]], %[[I:.+]] = %{{.+}}) -> (f32, i32)
// CHECK:           %[[LOADED:.+]] = memref.load
// CHECK:           %[[X:.+]] = arith.maxnumf %[[LOADED]]
// CHECK:           %[[K:.+]] = arith.index_cast
// CHECK:           arith.cmpf {{[ou]}}gt, %[[X]], %[[V]]
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.select %[[WINS:.+]], %[[X]], %[[V]]
// CHECK:           arith.select %[[WINS]], %[[K]], %[[I]]
// CHECK:         memref.store %{{.+}}, %[[VALUES:[a-z0-9]+]][%[[ROW:.+]]] {{.*}} : memref<?xf32>
// CHECK-NEXT:    memref.store %{{.+}}, %{{.+}}[%[[ROW]]] {{.*}} : memref<?xi32>
