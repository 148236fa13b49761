// RUN: tx run %s --entry rows --quiet --device cpu --arg zeros:6xf32 --arg zeros:6xi32
// RUN(OLD): tx run %s --entry old_values --quiet --device cpu --arg full:1:6xf32 --arg full:3:6xi32
// RUN(PLACES): tx run %s --entry places --quiet --device cpu --arg zeros:f16 --arg zeros:i64
// VALIDATE
// SNAPSHOT: none — CHECK lines state the results

// A comparison by `ogt` that starts from -inf and index 0: value and index of the first of the largest elements, and -inf
// and 0 of rows that have nothing but NaN and -inf, wherever NaN stands.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
memref.global "private" constant @a : memref<6x4xf32> = dense<[
  [0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000],
  [0x7FC00000, 0xFF800000, 0x7FC00000, 0xFF800000],
  [0xFF800000, 0xFF800000, 0x7FC00000, 0xFF800000],
  [0x7FC00000, 1.0, 0x7FC00000, 1.0],
  [2.0, 0x7FC00000, 3.0, 0x7FC00000],
  [0x7F800000, 0x7FC00000, 0x7F800000, 0.0]]>
// CHECK: [-inf -inf -inf   1.   3.  inf]
// CHECK: [0 0 0 1 2 0]
func.func @rows(%V: memref<6xf32>, %I: memref<6xi32>) {
  %A = memref.get_global @a : memref<6x4xf32>
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  linalg.fill ins(%inf : f32) outs(%V : memref<6xf32>)
  linalg.fill ins(%zero : i32) outs(%I : memref<6xi32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<6x4xf32>) outs(%V, %I : memref<6xf32>, memref<6xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// Old values, 1 at 3, stay where no element is larger, also where an element before them is equal.
// OLD: [ 1.  1.  1.  1.  3. inf]
// OLD: [3 3 3 3 2 0]
func.func @old_values(%V: memref<6xf32>, %I: memref<6xi32>) {
  %A = memref.get_global @a : memref<6x4xf32>
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<6x4xf32>) outs(%V, %I : memref<6xf32>, memref<6xi32>) {
  ^bb0(%x: f32, %v: f32, %i: i32):
    %j = linalg.index 1 : index
    %jj = arith.index_cast %j : index to i32
    %better = arith.cmpf ogt, %x, %v : f32
    %nv = arith.select %better, %x, %v : f32
    %ni = arith.select %better, %jj, %i : i32
    linalg.yield %nv, %ni : f32, i32
  }
  return
}

// The smallest of all elements, whose index is computed of two loops: rows are NaN, and NaN but for the last place.
memref.global "private" constant @b : memref<2x3xf16> = dense<[
  [0x7E00, 0x7E00, 0x7C00], [0x7E00, 0x7C00, -4.0]]>
// PLACES: -4.0
// PLACES: 5
func.func @places(%V: memref<f16>, %I: memref<i64>) {
  %A = memref.get_global @b : memref<2x3xf16>
  %inf = arith.constant 0x7C00 : f16
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : index
  linalg.fill ins(%inf : f16) outs(%V : memref<f16>)
  linalg.fill ins(%zero : i64) outs(%I : memref<i64>)
  linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction", "reduction"]}
      ins(%A : memref<2x3xf16>) outs(%V, %I : memref<f16>, memref<i64>) {
  ^bb0(%x: f16, %v: f16, %i: i64):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %row = arith.muli %r, %three : index
    %place = arith.addi %row, %c : index
    %p = arith.index_cast %place : index to i64
    %better = arith.cmpf olt, %x, %v : f16
    %nv = arith.select %better, %x, %v : f16
    %ni = arith.select %better, %p, %i : i64
    linalg.yield %nv, %ni : f16, i64
  }
  return
}
