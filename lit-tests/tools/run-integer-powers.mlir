// RUN: tx run %s --entry powers --quiet --device cpu --arg zeros:12xi32
// RUN(BYTES): tx run %s --entry bytes --quiet --device cpu --arg zeros:6xi8
// VALIDATE
// SNAPSHOT: none — CHECK lines state the results

// Powers wrap. With negative exponents those of 1 and -1 are 1 or -1, and those of other integers 0.
#id = affine_map<(i) -> (i)>
memref.global "private" constant @x : memref<12xi32> = dense<[2, -3, 3, 0, 7, 1, -1, -1, 5, -2, 3, 10]>
memref.global "private" constant @n : memref<12xi32> = dense<[31, 3, 21, 0, 1, -4, -3, -2, -1, 32, 2147483647, 9]>
// CHECK:      [-2147483648         -27  1870418611           1           7           1
// CHECK-NEXT:           -1           1           0           0 -1431655765  1000000000]
func.func @powers(%r: memref<12xi32>) {
  %x = memref.get_global @x : memref<12xi32>
  %n = memref.get_global @n : memref<12xi32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %n : memref<12xi32>, memref<12xi32>) outs(%r : memref<12xi32>) {
  ^bb0(%a: i32, %b: i32, %old: i32):
    %p = math.ipowi %a, %b : i32
    linalg.yield %p : i32
  }
  return
}

memref.global "private" constant @b : memref<6xi8> = dense<[2, 3, -2, -1, 0, 11]>
// BYTES: [-128 -117 -128   -1    0  -61]
func.func @bytes(%r: memref<6xi8>) {
  %x = memref.get_global @b : memref<6xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<6xi8>) outs(%r : memref<6xi8>) {
  ^bb0(%a: i8, %old: i8):
    %seven = arith.constant 7 : i8
    %p = math.ipowi %a, %seven : i8
    linalg.yield %p : i8
  }
  return
}
