// RUN: tx-opt %s --tile-form-kernels
// RUN(OPTION): tx-opt %s --tile-form-kernels=math=approx
// SNAPSHOT: none — CHECK states which ops have the flag

// f32 and narrower exponentials, logarithms and divisions become approximate. Other flags stay.
// CHECK-LABEL: func.func @approx(
// CHECK:         math.exp %{{.+}} fastmath<afn> : f32
// CHECK-NEXT:    math.exp2 %{{.+}} fastmath<contract,afn> : f32
// CHECK-NEXT:    math.log %{{.+}} fastmath<afn> : f32
// CHECK-NEXT:    math.log2 %{{.+}} fastmath<afn> : f32
// CHECK-NEXT:    math.log10 %{{.+}} fastmath<afn> : f32
// CHECK-NEXT:    math.tanh %{{.+}} : f32
// CHECK-NEXT:    arith.addf %{{.+}} : f32
// CHECK-NEXT:    arith.truncf %{{.+}} : f32 to f16
// CHECK-NEXT:    arith.divf %{{.+}} fastmath<afn> : f16
// OPTION-LABEL: func.func @approx(
// OPTION:         math.exp %{{.+}} fastmath<afn> : f32
#row = affine_map<(d0) -> (d0)>
func.func @approx(%A: memref<100xf32>, %B: memref<100xf16>) attributes {tile.math = #tile.math<approx>} {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
    ins(%A : memref<100xf32>) outs(%B : memref<100xf16>) {
  ^bb0(%a: f32, %b: f16):
    %0 = math.exp %a : f32
    %1 = math.exp2 %0 fastmath<contract> : f32
    %2 = math.log %1 : f32
    %3 = math.log2 %2 : f32
    %4 = math.log10 %3 : f32
    %5 = math.tanh %4 : f32
    %6 = arith.addf %5, %a : f32
    %7 = arith.truncf %6 : f32 to f16
    %8 = arith.divf %7, %7 : f16
    linalg.yield %8 : f16
  }
  return
}

// f64 has no approximate instructions. The attribute of a function has priority over the option.
// CHECK-LABEL:  func.func @exact(
// CHECK-NOT:      afn
// OPTION-LABEL: func.func @exact(
// OPTION-NOT:     afn
func.func @exact(%A: memref<100xf32>, %B: memref<100xf32>) attributes {tile.math = #tile.math<exact>} {
  linalg.exp ins(%A : memref<100xf32>) outs(%B : memref<100xf32>)
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
    ins(%A : memref<100xf32>) outs(%B : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL:  func.func @double(
// CHECK-NOT:      afn
// OPTION-LABEL: func.func @double(
// OPTION-NOT:     afn
// CHECK:          return
// OPTION:         return
func.func @double(%A: memref<100xf64>, %B: memref<100xf64>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
    ins(%A : memref<100xf64>) outs(%B : memref<100xf64>) {
  ^bb0(%a: f64, %b: f64):
    %0 = math.exp %a : f64
    %1 = arith.divf %0, %b : f64
    linalg.yield %1 : f64
  }
  return
}
