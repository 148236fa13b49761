// RUN: tx-opt %s --convert-linalg-to-tile --tile-form-kernels --tile-schedule
// SNAPSHOT: none — what each function computes is checked by validation, and CHECK lines count its kernels

// 8-bit floats are converted in bodies, and stored by element-wise ops and epilogues.
// COUNT: @quant gpu.launch_func = 2
// COUNT: @relu gpu.launch_func = 1
// COUNT: @sum_scaled gpu.launch_func = 1
// COUNT: @fill gpu.launch_func = 1
// COUNT: @exponential gpu.launch_func = 1
// CHECK-LABEL: gpu.func @quant_0
// CHECK:       arith.truncf {{.+}} : f32 to f8E4M3FN
// CHECK-LABEL: gpu.func @sum_scaled_0
// CHECK:       arith.extf {{.+}} : f8E4M3FN to f32
// CHECK:       arith.truncf {{.+}} : f32 to f8E4M3FN
#a = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @quant(%A: memref<?x1003xbf16>, %Q: memref<?x1003xf8E4M3FN>, %S: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x1003xbf16>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<?xf32>)
  linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]} ins(%A : memref<?x1003xbf16>) outs(%S : memref<?xf32>) {
  ^bb0(%x: bf16, %s: f32):
    %e = arith.extf %x : bf16 to f32
    %m = math.absf %e : f32
    %t = arith.maximumf %s, %m : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#a, #r, #a], iterator_types = ["parallel", "parallel"]} ins(%A, %S : memref<?x1003xbf16>, memref<?xf32>) outs(%Q : memref<?x1003xf8E4M3FN>) {
  ^bb0(%x: bf16, %s: f32, %o: f8E4M3FN):
    %c448 = arith.constant 448.0 : f32
    %e = arith.extf %x : bf16 to f32
    %q = arith.divf %e, %s : f32
    %k = arith.mulf %q, %c448 : f32
    %t = arith.truncf %k : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}
func.func @relu(%A: memref<37x50xf8E5M2>, %B: memref<37x50xf8E5M2>) {
  linalg.generic {indexing_maps = [#a, #a], iterator_types = ["parallel", "parallel"]} ins(%A : memref<37x50xf8E5M2>) outs(%B : memref<37x50xf8E5M2>) {
  ^bb0(%x: f8E5M2, %o: f8E5M2):
    %z = arith.constant 0.0 : f8E5M2
    %e = arith.extf %x : f8E5M2 to f16
    %zh = arith.constant 0.0 : f16
    %p = arith.cmpf ogt, %e, %zh : f16
    %t = arith.select %p, %x, %z : f8E5M2
    linalg.yield %t : f8E5M2
  }
  return
}
func.func @sum_scaled(%A: memref<37x50xf8E4M3FN>, %B: memref<37xf8E4M3FN>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%x: f8E4M3FN, %i: index, %j: index):
    %e = arith.extf %x : f8E4M3FN to f32
    tile.yield %e : f32
  } epilogue {
  ^bb0(%t: f32, %i: index):
    %h = arith.constant 0.5 : f32
    %m = arith.mulf %t, %h : f32
    %r = arith.truncf %m : f32 to f8E4M3FN
    tile.yield %r : f8E4M3FN
  } : memref<37x50xf8E4M3FN> into memref<37xf8E4M3FN>
  return
}
func.func @fill(%B: memref<37x20xf8E4M3FN>) {
  %z = arith.constant 1.0 : f8E4M3FN
  linalg.fill ins(%z : f8E4M3FN) outs(%B : memref<37x20xf8E4M3FN>)
  return
}
func.func @exponential(%A: memref<37x20xf8E4M3FN>, %B: memref<37x20xf8E4M3FN>) {
  linalg.exp ins(%A : memref<37x20xf8E4M3FN>) outs(%B : memref<37x20xf8E4M3FN>)
  return
}
