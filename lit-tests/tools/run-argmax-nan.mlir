// RUN: tx run %s --entry value_only --device cpu --arg zeros:5x4xf32 --arg zeros:5xf32 --arg zeros:5xi64
// RUN(LAST): tx run %s --entry last --device cpu --arg zeros:5x4xf32 --arg zeros:5xf32 --arg zeros:5xi32
// RUN(AFTER): tx run %s --entry after_last --device cpu --arg zeros:5x4xf32 --arg zeros:5xf32 --arg zeros:5xi32
// RUN(OLD): tx run %s --entry old_values --device cpu --arg zeros:5x4xf32 --arg full:2.5:5xf32 --arg full:7:5xi64
// VALIDATE

// The maximum of each row and its index, by rules that differ for NaN. Rows are 2, 3, 1, 5, and row i has NaN
// at index i; the last row has no NaN. Each result is that of the loop nest.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func private @rows(%A: memref<5x4xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%A : memref<5x4xf32>) {
  ^bb0(%o: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %v0 = arith.constant 2.0 : f32
    %v1 = arith.constant 3.0 : f32
    %v2 = arith.constant 1.0 : f32
    %v3 = arith.constant 5.0 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = scf.index_switch %j -> f32
    case 0 {
      scf.yield %v0 : f32
    }
    case 1 {
      scf.yield %v1 : f32
    }
    case 2 {
      scf.yield %v2 : f32
    }
    default {
      scf.yield %v3 : f32
    }
    %same = arith.cmpi eq, %i, %j : index
    %x = arith.select %same, %nan, %v : f32
    linalg.yield %x : f32
  }
  return
}

// The value is NaN, and the index is that of the best element before the NaN.
// CHECK:      argument 1
// CHECK-NEXT: [nan nan nan nan 5.]
// CHECK:      argument 2
// CHECK-NEXT: [0 0 1 1 3]
func.func @value_only(%A: memref<5x4xf32>, %V: memref<5xf32>, %I: memref<5xi64>) {
  %inf = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  call @rows(%A) : (memref<5x4xf32>) -> ()
  linalg.fill ins(%inf : f32) outs(%V : memref<5xf32>)
  linalg.fill ins(%first : i64) outs(%I : memref<5xi64>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x4xf32>) outs(%V, %I : memref<5xf32>, memref<5xi64>) {
  ^bb0(%x: f32, %v: f32, %i: i64):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i64
    %nv = arith.maximumf %x, %v : f32
    %better = arith.cmpf ogt, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i64
    linalg.yield %nv, %ni : f32, i64
  }
  return
}

// A later NaN replaces an earlier one, and a number never replaces NaN.
// LAST:      argument 1
// LAST-NEXT: [nan nan nan nan 5.]
// LAST:      argument 2
// LAST-NEXT: [0 1 2 3 3]
func.func @last(%A: memref<5x4xf32>, %V: memref<5xf32>, %I: memref<5xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  call @rows(%A) : (memref<5x4xf32>) -> ()
  linalg.fill ins(%inf : f32) outs(%V : memref<5xf32>)
  linalg.fill ins(%first : i32) outs(%I : memref<5xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x4xf32>) outs(%V, %I : memref<5xf32>, memref<5xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %nan = arith.cmpf uno, %x, %x : f32
    %greater = arith.cmpf ogt, %x, %v : f32
    %better = arith.ori %greater, %nan : i1
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// Every element replaces a NaN: the result is the best element after the last NaN.
// AFTER:      argument 1
// AFTER-NEXT: [ 5. 5. 5. nan 5.]
// AFTER:      argument 2
// AFTER-NEXT: [3 3 3 3 3]
func.func @after_last(%A: memref<5x4xf32>, %V: memref<5xf32>, %I: memref<5xi32>) {
  %inf = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  call @rows(%A) : (memref<5x4xf32>) -> ()
  linalg.fill ins(%inf : f32) outs(%V : memref<5xf32>)
  linalg.fill ins(%first : i32) outs(%I : memref<5xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x4xf32>) outs(%V, %I : memref<5xf32>, memref<5xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ugt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// Old values are combined: 2.5 with index 7 is better than 2.
// OLD:      argument 1
// OLD-NEXT: [nan nan nan nan 5.]
// OLD:      argument 2
// OLD-NEXT: [7 7 1 1 3]
func.func @old_values(%A: memref<5x4xf32>, %V: memref<5xf32>, %I: memref<5xi64>) {
  call @rows(%A) : (memref<5x4xf32>) -> ()
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x4xf32>) outs(%V, %I : memref<5xf32>, memref<5xi64>) {
  ^bb0(%x: f32, %v: f32, %i: i64):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i64
    %nv = arith.maximumf %x, %v : f32
    %better = arith.cmpf ogt, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i64
    linalg.yield %nv, %ni : f32, i64
  }
  return
}
