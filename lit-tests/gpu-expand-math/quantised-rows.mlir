// RUN: tx compile %s --chip sm_90
// RUN(OLD): tx compile %s --chip sm_80
// VALIDATE: --chip sm_89
// PTXAS: sm_80 sm_89 sm_90 sm_100
// SNAPSHOT: none — the conversions are counted.

// Rows of bf16 are scaled by their largest magnitude and rounded to 8 bits, two elements per instruction. The sum of the
// rounded elements widens two elements per instruction.
// CHECK:         .visible .entry
// CHECK-COUNT-4: cvt.rn.satfinite.e4m3x2.f32
// CHECK:         cvt.rn.f16x2.e4m3x2
// OLD-NOT:       e4m3x2
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @quantised(%A: memref<4x1003xbf16>, %M: memref<4xf32>, %Q: memref<4x1003xf8E4M3FN>, %S: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%M : memref<4xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<4x1003xbf16>) outs(%M : memref<4xf32>) {
  ^bb0(%x: bf16, %m: f32):
    %e = arith.extf %x : bf16 to f32
    %a = math.absf %e : f32
    %n = arith.maximumf %m, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %M : memref<4x1003xbf16>, memref<4xf32>) outs(%Q : memref<4x1003xf8E4M3FN>) {
  ^bb0(%x: bf16, %m: f32, %old: f8E4M3FN):
    %largest = arith.constant 448.0 : f32
    %e = arith.extf %x : bf16 to f32
    %q = arith.divf %e, %m : f32
    %k = arith.mulf %q, %largest : f32
    %t = arith.truncf %k : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  linalg.fill ins(%zero : f32) outs(%S : memref<4xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%Q : memref<4x1003xf8E4M3FN>) outs(%S : memref<4xf32>) {
  ^bb0(%x: f8E4M3FN, %s: f32):
    %e = arith.extf %x : f8E4M3FN to f32
    %n = arith.addf %s, %e : f32
    linalg.yield %n : f32
  }
  return
}
