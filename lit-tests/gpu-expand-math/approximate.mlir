// RUN: tx-opt %s --gpu-expand-math
// RUN(PTX): tx compile %s --chip sm_80
// PTXAS: sm_80 sm_90 sm_100
// SNAPSHOT: none — CHECK states which ops are left

// With `fastmath<afn>`, functions become products of the f32 instructions `exp2`, `log2`, `rsqrt`, `sqrt`
// and 1 / x. f16 is computed in f32, and f64 as without the flag.
// CHECK-LABEL: gpu.func @functions(
// CHECK:         %[[P:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:    math.exp2 %[[P]] fastmath<afn> : f32
// CHECK:         %[[L:.+]] = math.log2 %{{.+}} fastmath<afn> : f32
// CHECK:         arith.mulf %[[L]], %{{.+}} : f32
// CHECK:         %[[Q:.+]] = arith.divf %{{.+}}, %{{.+}} fastmath<afn> : f32
// CHECK-NEXT:    arith.mulf %{{.+}}, %[[Q]] : f32
// CHECK:         %[[X:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         %[[P:.+]] = arith.mulf %[[X]], %{{.+}} : f32
// CHECK-NEXT:    %[[E:.+]] = math.exp2 %[[P]] fastmath<afn> : f32
// CHECK-NEXT:    arith.truncf %[[E]] : f32 to f16
// CHECK:         math.exp2 %{{.+}} fastmath<afn> : vector<2xf32>
// CHECK:         %[[X:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         math.rsqrt %[[X]] fastmath<afn> : f32
// CHECK:         math.sqrt %{{.+}} fastmath<afn> : f32
// CHECK-NOT:     math.{{exp|log}}
// CHECK:         arith.divf %{{.+}}, %{{.+}} fastmath<afn> : f64

// PTX:         .visible .entry functions(
// PTX:         ex2.approx.ftz.f32
// PTX:         lg2.approx.ftz.f32
// PTX:         rcp.approx.f32
// PTX-COUNT-3: ex2.approx.ftz.f32
// PTX:         rsqrt.approx.f32
// PTX:         sqrt.approx.f32
// PTX-NOT:     .approx
// PTX:         div.rn.f64
gpu.module @kernels {
  gpu.func @functions(%A: memref<3xf32>, %B: memref<1xf16>, %C: memref<2xf32>, %D: memref<1xf64>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = memref.load %A[%c0] : memref<3xf32>
    %e = math.exp %x fastmath<afn> : f32
    memref.store %e, %A[%c0] : memref<3xf32>
    %y = memref.load %A[%c1] : memref<3xf32>
    %l = math.log10 %y fastmath<afn> : f32
    memref.store %l, %A[%c1] : memref<3xf32>
    %q = arith.divf %x, %y fastmath<afn> : f32
    memref.store %q, %A[%c2] : memref<3xf32>
    %half = memref.load %B[%c0] : memref<1xf16>
    %f = math.exp %half fastmath<afn> : f16
    memref.store %f, %B[%c0] : memref<1xf16>
    %both = vector.load %C[%c0] : memref<2xf32>, vector<2xf32>
    %g = math.exp2 %both fastmath<afn> : vector<2xf32>
    vector.store %g, %C[%c0] : memref<2xf32>, vector<2xf32>
    %i = math.rsqrt %half fastmath<afn> : f16
    memref.store %i, %B[%c0] : memref<1xf16>
    %s = math.sqrt %x fastmath<afn> : f32
    memref.store %s, %A[%c0] : memref<3xf32>
    %z = memref.load %D[%c0] : memref<1xf64>
    %h = math.exp %z fastmath<afn> : f64
    %r = arith.divf %h, %z fastmath<afn> : f64
    memref.store %r, %D[%c0] : memref<1xf64>
    gpu.return
  }
}
