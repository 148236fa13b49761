// RUN: tx-opt %s --convert-linalg-to-tile
// COMPARE: @range(A: Nx100xf32, R: Nxf32) R = max(A, 1) - min(A, 1)
// COMPARE: @sum_over_max(A: Nx100xf32 in 1..2, R: Nxf32) R = sum(A, 1) / max(A, 1)
// COMPARE: @max_over_sum(A: Nx100xf32 in 1..2, R: Nxf32) R = max(A, 1) / sum(A, 1)
// COMPARE: @three(A: Nx100xf32, R: Nxf32) R = (max(A, 1) - min(A, 1)) * sum(A, 1)
// COMPARE: @both_places(A: Nx100xf32, R: Nxf32) R = sum(A, 1) + R
// SIZES: N = 33 128 1 7

// Results of several reductions are combined in the memory of one of them. The combining op is fused into the
// reduction with this memory. The op is never fused into another reduction, whose epilogue would read the
// memory that it writes. Without a reduction of this memory, the op stays.

#row = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @range(
// CHECK-SAME:    %[[A:.+]]: memref<?x100xf32>, %[[R:.+]]: memref<?xf32>)
// CHECK:       tile.reduce min %[[A]] into %[[LOW:.+]] axes [1] scope(grid) :
// CHECK:       tile.reduce max %[[A]] into %[[R]] with %[[LOW]] axes [1] scope(grid) epilogue {
// CHECK:         arith.subf
func.func @range(%A: memref<?x100xf32>, %R: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %inf = arith.constant 0x7F800000 : f32
  %minus = arith.constant 0xFF800000 : f32
  %low = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%inf : f32) outs(%low : memref<?xf32>)
  linalg.fill ins(%minus : f32) outs(%R : memref<?xf32>)
  linalg.reduce { arith.minimumf } ins(%A : memref<?x100xf32>) outs(%low : memref<?xf32>) dimensions = [1]
  linalg.reduce { arith.maximumf } ins(%A : memref<?x100xf32>) outs(%R : memref<?xf32>) dimensions = [1]
  linalg.sub ins(%R, %low : memref<?xf32>, memref<?xf32>) outs(%R : memref<?xf32>)
  memref.dealloc %low : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @sum_over_max(
// CHECK-SAME:    %[[A:.+]]: memref<?x100xf32>, %[[R:.+]]: memref<?xf32>)
// CHECK:       tile.reduce max %[[A]] into %[[MAX:.+]] axes [1] scope(grid) :
// CHECK:       tile.reduce sum %[[A]] into %[[R]] with %[[MAX]] axes [1] scope(grid) epilogue {
// CHECK:         arith.divf
func.func @sum_over_max(%A: memref<?x100xf32>, %R: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant 0xFF800000 : f32
  %max = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%R : memref<?xf32>)
  linalg.fill ins(%minus : f32) outs(%max : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x100xf32>) outs(%R : memref<?xf32>) dimensions = [1]
  linalg.reduce { arith.maximumf } ins(%A : memref<?x100xf32>) outs(%max : memref<?xf32>) dimensions = [1]
  linalg.div ins(%R, %max : memref<?xf32>, memref<?xf32>) outs(%R : memref<?xf32>)
  memref.dealloc %max : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @max_over_sum(
// CHECK:       tile.reduce max
// CHECK:       tile.reduce sum {{.+}} epilogue {
func.func @max_over_sum(%A: memref<?x100xf32>, %R: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant 0xFF800000 : f32
  %max = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%R : memref<?xf32>)
  linalg.fill ins(%minus : f32) outs(%max : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x100xf32>) outs(%R : memref<?xf32>) dimensions = [1]
  linalg.reduce { arith.maximumf } ins(%A : memref<?x100xf32>) outs(%max : memref<?xf32>) dimensions = [1]
  linalg.div ins(%max, %R : memref<?xf32>, memref<?xf32>) outs(%R : memref<?xf32>)
  memref.dealloc %max : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @three(
// CHECK-COUNT-3: tile.reduce
func.func @three(%A: memref<?x100xf32>, %R: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %minus = arith.constant 0xFF800000 : f32
  %low = memref.alloc(%n) : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%minus : f32) outs(%R : memref<?xf32>)
  linalg.fill ins(%inf : f32) outs(%low : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x100xf32>) outs(%sum : memref<?xf32>) dimensions = [1]
  linalg.reduce { arith.minimumf } ins(%A : memref<?x100xf32>) outs(%low : memref<?xf32>) dimensions = [1]
  linalg.reduce { arith.maximumf } ins(%A : memref<?x100xf32>) outs(%R : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%low, %sum : memref<?xf32>, memref<?xf32>) outs(%R : memref<?xf32>) {
  ^bb0(%l: f32, %s: f32, %h: f32):
    %d = arith.subf %h, %l : f32
    %p = arith.mulf %d, %s : f32
    linalg.yield %p : f32
  }
  memref.dealloc %low : memref<?xf32>
  memref.dealloc %sum : memref<?xf32>
  return
}

// The old value of the output is an input of the combining op.
// CHECK-LABEL: func.func @both_places(
// CHECK-SAME:    %[[A:.+]]: memref<?x100xf32>, %[[R:.+]]: memref<?xf32>)
// CHECK:       tile.reduce sum %[[A]] into %[[SUM:.+]] axes [1] scope(grid) :
// CHECK:       linalg.add ins(%[[SUM]], %[[R]] : {{.+}}) outs(%[[R]] :
func.func @both_places(%A: memref<?x100xf32>, %R: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x100xf32>) outs(%sum : memref<?xf32>) dimensions = [1]
  linalg.add ins(%sum, %R : memref<?xf32>, memref<?xf32>) outs(%R : memref<?xf32>)
  memref.dealloc %sum : memref<?xf32>
  return
}
