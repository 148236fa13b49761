// RUN: tx run %s --entry single --quiet --device cpu --arg zeros:20xf32
// RUN(HALF): tx run %s --entry half --quiet --device cpu --arg zeros:7xbf16
// VALIDATE
// SNAPSHOT: none — CHECK lines state the results

// Remainders of exact division: the sign is that of the dividend. The remainder of an infinity, and by 0, is NaN; that by
// an infinity is the dividend. The quotient of 1e38 and 3 has 126 binary digits, that of the largest and the smallest
// number 277.
#id = affine_map<(i) -> (i)>
memref.global "private" constant @x : memref<20xf32> = dense<[
  5.5, -5.5, 5.5, -5.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0,
  1.0, -2.5, 1.0, 1.0e38, -1.0e38, 3.4028235e38, 4.2e-45, 16777215.0, 1.5, -1.0e-40]>
memref.global "private" constant @y : memref<20xf32> = dense<[
  2.0, 2.0, -2.0, -2.0, 3.0, -3.0, 2.0, 2.0, 1.0, 0x7FC00000,
  0.0, 0x7F800000, 2.0, 3.0, 7.0, 9.8e-45, 2.8e-45, 0.1, 1.5, 3.0e-41]>
// CHECK:      [ 1.500000e+00 -1.500000e+00  1.500000e+00 -1.500000e+00  0.000000e+00
// CHECK-NEXT:  -0.000000e+00           nan           nan           nan           nan
// CHECK-NEXT:            nan -2.500000e+00  1.000000e+00  2.000000e+00 -2.000000e+00
// CHECK-NEXT:   0.000000e+00  1.401298e-45  5.000002e-02  0.000000e+00 -9.998265e-42]
func.func @single(%r: memref<20xf32>) {
  %x = memref.get_global @x : memref<20xf32>
  %y = memref.get_global @y : memref<20xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : memref<20xf32>, memref<20xf32>) outs(%r : memref<20xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %m = arith.remf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

memref.global "private" constant @p : memref<7xbf16> = dense<[7.0, -7.0, 256.0, 0x7F80, 1.0e38, -0.0, 0.75]>
memref.global "private" constant @q : memref<7xbf16> = dense<[2.0, 2.0, 3.0, 3.0, 3.0, 5.0, 0.5]>
// HALF: [ 1.   -1.    1.     nan  0.   -0.    0.25]
func.func @half(%r: memref<7xbf16>) {
  %x = memref.get_global @p : memref<7xbf16>
  %y = memref.get_global @q : memref<7xbf16>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : memref<7xbf16>, memref<7xbf16>) outs(%r : memref<7xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %old: bf16):
    %m = arith.remf %a, %b : bf16
    linalg.yield %m : bf16
  }
  return
}
