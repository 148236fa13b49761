// RUN(OLD): tx compile %s --chip sm_80
// RUN(NEW): tx compile %s --chip sm_100
// PTXAS: sm_80 sm_90 sm_100
// SNAPSHOT: none — long; what matters is what is not there.

// Every function in every type. Each sum and product has its rounding written out, so that `ptxas` fuses none of them;
// nothing is approximate, nothing flushes subnormal numbers, and nothing is called.

// OLD:     .visible .entry functions
// OLD-NOT: {{call|\.approx|\.ftz|\.full|\.sat}}
// OLD-NOT: {{(add|sub|mul|mad|fma|div|rcp|sqrt)\.(f|bf)}}
// NEW:     .visible .entry functions
// NEW-NOT: {{call|\.approx|\.ftz|\.full|\.sat}}
// NEW-NOT: {{(add|sub|mul|mad|fma|div|rcp|sqrt)\.(f|bf)}}
gpu.module @kernels {
  gpu.func @functions(%f32: memref<11x2xf32>, %f64: memref<11x2xf64>, %f16: memref<11x2xf16>, %bf16: memref<11x2xbf16>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %x0 = memref.load %f32[%c0, %c0] : memref<11x2xf32>
    %y0 = math.erf %x0 : f32
    memref.store %y0, %f32[%c0, %c0] : memref<11x2xf32>
    %x1 = memref.load %f32[%c1, %c0] : memref<11x2xf32>
    %y1 = math.exp %x1 : f32
    memref.store %y1, %f32[%c1, %c0] : memref<11x2xf32>
    %x2 = memref.load %f32[%c2, %c0] : memref<11x2xf32>
    %y2 = math.exp2 %x2 : f32
    memref.store %y2, %f32[%c2, %c0] : memref<11x2xf32>
    %x3 = memref.load %f32[%c3, %c0] : memref<11x2xf32>
    %y3 = math.expm1 %x3 : f32
    memref.store %y3, %f32[%c3, %c0] : memref<11x2xf32>
    %x4 = memref.load %f32[%c4, %c0] : memref<11x2xf32>
    %y4 = math.log %x4 : f32
    memref.store %y4, %f32[%c4, %c0] : memref<11x2xf32>
    %x5 = memref.load %f32[%c5, %c0] : memref<11x2xf32>
    %y5 = math.log10 %x5 : f32
    memref.store %y5, %f32[%c5, %c0] : memref<11x2xf32>
    %x6 = memref.load %f32[%c6, %c0] : memref<11x2xf32>
    %y6 = math.log1p %x6 : f32
    memref.store %y6, %f32[%c6, %c0] : memref<11x2xf32>
    %x7 = memref.load %f32[%c7, %c0] : memref<11x2xf32>
    %y7 = math.log2 %x7 : f32
    memref.store %y7, %f32[%c7, %c0] : memref<11x2xf32>
    %x8 = memref.load %f32[%c8, %c0] : memref<11x2xf32>
    %y8 = math.rsqrt %x8 : f32
    memref.store %y8, %f32[%c8, %c0] : memref<11x2xf32>
    %x9 = memref.load %f32[%c9, %c0] : memref<11x2xf32>
    %y9 = math.tanh %x9 : f32
    memref.store %y9, %f32[%c9, %c0] : memref<11x2xf32>
    %x10 = memref.load %f32[%c10, %c0] : memref<11x2xf32>
    %y10 = math.powf %x10, %x10 : f32
    memref.store %y10, %f32[%c10, %c0] : memref<11x2xf32>
    %x11 = vector.load %f32[%c0, %c0] : memref<11x2xf32>, vector<2xf32>
    %y11 = math.erf %x11 : vector<2xf32>
    vector.store %y11, %f32[%c0, %c0] : memref<11x2xf32>, vector<2xf32>
    %x12 = vector.load %f32[%c1, %c0] : memref<11x2xf32>, vector<2xf32>
    %y12 = math.exp %x12 : vector<2xf32>
    vector.store %y12, %f32[%c1, %c0] : memref<11x2xf32>, vector<2xf32>
    %x13 = vector.load %f32[%c2, %c0] : memref<11x2xf32>, vector<2xf32>
    %y13 = math.exp2 %x13 : vector<2xf32>
    vector.store %y13, %f32[%c2, %c0] : memref<11x2xf32>, vector<2xf32>
    %x14 = vector.load %f32[%c3, %c0] : memref<11x2xf32>, vector<2xf32>
    %y14 = math.expm1 %x14 : vector<2xf32>
    vector.store %y14, %f32[%c3, %c0] : memref<11x2xf32>, vector<2xf32>
    %x15 = vector.load %f32[%c4, %c0] : memref<11x2xf32>, vector<2xf32>
    %y15 = math.log %x15 : vector<2xf32>
    vector.store %y15, %f32[%c4, %c0] : memref<11x2xf32>, vector<2xf32>
    %x16 = vector.load %f32[%c5, %c0] : memref<11x2xf32>, vector<2xf32>
    %y16 = math.log10 %x16 : vector<2xf32>
    vector.store %y16, %f32[%c5, %c0] : memref<11x2xf32>, vector<2xf32>
    %x17 = vector.load %f32[%c6, %c0] : memref<11x2xf32>, vector<2xf32>
    %y17 = math.log1p %x17 : vector<2xf32>
    vector.store %y17, %f32[%c6, %c0] : memref<11x2xf32>, vector<2xf32>
    %x18 = vector.load %f32[%c7, %c0] : memref<11x2xf32>, vector<2xf32>
    %y18 = math.log2 %x18 : vector<2xf32>
    vector.store %y18, %f32[%c7, %c0] : memref<11x2xf32>, vector<2xf32>
    %x19 = vector.load %f32[%c8, %c0] : memref<11x2xf32>, vector<2xf32>
    %y19 = math.rsqrt %x19 : vector<2xf32>
    vector.store %y19, %f32[%c8, %c0] : memref<11x2xf32>, vector<2xf32>
    %x20 = vector.load %f32[%c9, %c0] : memref<11x2xf32>, vector<2xf32>
    %y20 = math.tanh %x20 : vector<2xf32>
    vector.store %y20, %f32[%c9, %c0] : memref<11x2xf32>, vector<2xf32>
    %x21 = vector.load %f32[%c10, %c0] : memref<11x2xf32>, vector<2xf32>
    %y21 = math.powf %x21, %x21 : vector<2xf32>
    vector.store %y21, %f32[%c10, %c0] : memref<11x2xf32>, vector<2xf32>
    %x22 = memref.load %f64[%c0, %c0] : memref<11x2xf64>
    %y22 = math.erf %x22 : f64
    memref.store %y22, %f64[%c0, %c0] : memref<11x2xf64>
    %x23 = memref.load %f64[%c1, %c0] : memref<11x2xf64>
    %y23 = math.exp %x23 : f64
    memref.store %y23, %f64[%c1, %c0] : memref<11x2xf64>
    %x24 = memref.load %f64[%c2, %c0] : memref<11x2xf64>
    %y24 = math.exp2 %x24 : f64
    memref.store %y24, %f64[%c2, %c0] : memref<11x2xf64>
    %x25 = memref.load %f64[%c3, %c0] : memref<11x2xf64>
    %y25 = math.expm1 %x25 : f64
    memref.store %y25, %f64[%c3, %c0] : memref<11x2xf64>
    %x26 = memref.load %f64[%c4, %c0] : memref<11x2xf64>
    %y26 = math.log %x26 : f64
    memref.store %y26, %f64[%c4, %c0] : memref<11x2xf64>
    %x27 = memref.load %f64[%c5, %c0] : memref<11x2xf64>
    %y27 = math.log10 %x27 : f64
    memref.store %y27, %f64[%c5, %c0] : memref<11x2xf64>
    %x28 = memref.load %f64[%c6, %c0] : memref<11x2xf64>
    %y28 = math.log1p %x28 : f64
    memref.store %y28, %f64[%c6, %c0] : memref<11x2xf64>
    %x29 = memref.load %f64[%c7, %c0] : memref<11x2xf64>
    %y29 = math.log2 %x29 : f64
    memref.store %y29, %f64[%c7, %c0] : memref<11x2xf64>
    %x30 = memref.load %f64[%c8, %c0] : memref<11x2xf64>
    %y30 = math.rsqrt %x30 : f64
    memref.store %y30, %f64[%c8, %c0] : memref<11x2xf64>
    %x31 = memref.load %f64[%c9, %c0] : memref<11x2xf64>
    %y31 = math.tanh %x31 : f64
    memref.store %y31, %f64[%c9, %c0] : memref<11x2xf64>
    %x32 = memref.load %f64[%c10, %c0] : memref<11x2xf64>
    %y32 = math.powf %x32, %x32 : f64
    memref.store %y32, %f64[%c10, %c0] : memref<11x2xf64>
    %x33 = memref.load %f16[%c0, %c0] : memref<11x2xf16>
    %y33 = math.erf %x33 : f16
    memref.store %y33, %f16[%c0, %c0] : memref<11x2xf16>
    %x34 = memref.load %f16[%c1, %c0] : memref<11x2xf16>
    %y34 = math.exp %x34 : f16
    memref.store %y34, %f16[%c1, %c0] : memref<11x2xf16>
    %x35 = memref.load %f16[%c2, %c0] : memref<11x2xf16>
    %y35 = math.exp2 %x35 : f16
    memref.store %y35, %f16[%c2, %c0] : memref<11x2xf16>
    %x36 = memref.load %f16[%c3, %c0] : memref<11x2xf16>
    %y36 = math.expm1 %x36 : f16
    memref.store %y36, %f16[%c3, %c0] : memref<11x2xf16>
    %x37 = memref.load %f16[%c4, %c0] : memref<11x2xf16>
    %y37 = math.log %x37 : f16
    memref.store %y37, %f16[%c4, %c0] : memref<11x2xf16>
    %x38 = memref.load %f16[%c5, %c0] : memref<11x2xf16>
    %y38 = math.log10 %x38 : f16
    memref.store %y38, %f16[%c5, %c0] : memref<11x2xf16>
    %x39 = memref.load %f16[%c6, %c0] : memref<11x2xf16>
    %y39 = math.log1p %x39 : f16
    memref.store %y39, %f16[%c6, %c0] : memref<11x2xf16>
    %x40 = memref.load %f16[%c7, %c0] : memref<11x2xf16>
    %y40 = math.log2 %x40 : f16
    memref.store %y40, %f16[%c7, %c0] : memref<11x2xf16>
    %x41 = memref.load %f16[%c8, %c0] : memref<11x2xf16>
    %y41 = math.rsqrt %x41 : f16
    memref.store %y41, %f16[%c8, %c0] : memref<11x2xf16>
    %x42 = memref.load %f16[%c9, %c0] : memref<11x2xf16>
    %y42 = math.tanh %x42 : f16
    memref.store %y42, %f16[%c9, %c0] : memref<11x2xf16>
    %x43 = memref.load %f16[%c10, %c0] : memref<11x2xf16>
    %y43 = math.powf %x43, %x43 : f16
    memref.store %y43, %f16[%c10, %c0] : memref<11x2xf16>
    %x44 = vector.load %f16[%c0, %c0] : memref<11x2xf16>, vector<2xf16>
    %y44 = math.erf %x44 : vector<2xf16>
    vector.store %y44, %f16[%c0, %c0] : memref<11x2xf16>, vector<2xf16>
    %x45 = vector.load %f16[%c1, %c0] : memref<11x2xf16>, vector<2xf16>
    %y45 = math.exp %x45 : vector<2xf16>
    vector.store %y45, %f16[%c1, %c0] : memref<11x2xf16>, vector<2xf16>
    %x46 = vector.load %f16[%c2, %c0] : memref<11x2xf16>, vector<2xf16>
    %y46 = math.exp2 %x46 : vector<2xf16>
    vector.store %y46, %f16[%c2, %c0] : memref<11x2xf16>, vector<2xf16>
    %x47 = vector.load %f16[%c3, %c0] : memref<11x2xf16>, vector<2xf16>
    %y47 = math.expm1 %x47 : vector<2xf16>
    vector.store %y47, %f16[%c3, %c0] : memref<11x2xf16>, vector<2xf16>
    %x48 = vector.load %f16[%c4, %c0] : memref<11x2xf16>, vector<2xf16>
    %y48 = math.log %x48 : vector<2xf16>
    vector.store %y48, %f16[%c4, %c0] : memref<11x2xf16>, vector<2xf16>
    %x49 = vector.load %f16[%c5, %c0] : memref<11x2xf16>, vector<2xf16>
    %y49 = math.log10 %x49 : vector<2xf16>
    vector.store %y49, %f16[%c5, %c0] : memref<11x2xf16>, vector<2xf16>
    %x50 = vector.load %f16[%c6, %c0] : memref<11x2xf16>, vector<2xf16>
    %y50 = math.log1p %x50 : vector<2xf16>
    vector.store %y50, %f16[%c6, %c0] : memref<11x2xf16>, vector<2xf16>
    %x51 = vector.load %f16[%c7, %c0] : memref<11x2xf16>, vector<2xf16>
    %y51 = math.log2 %x51 : vector<2xf16>
    vector.store %y51, %f16[%c7, %c0] : memref<11x2xf16>, vector<2xf16>
    %x52 = vector.load %f16[%c8, %c0] : memref<11x2xf16>, vector<2xf16>
    %y52 = math.rsqrt %x52 : vector<2xf16>
    vector.store %y52, %f16[%c8, %c0] : memref<11x2xf16>, vector<2xf16>
    %x53 = vector.load %f16[%c9, %c0] : memref<11x2xf16>, vector<2xf16>
    %y53 = math.tanh %x53 : vector<2xf16>
    vector.store %y53, %f16[%c9, %c0] : memref<11x2xf16>, vector<2xf16>
    %x54 = vector.load %f16[%c10, %c0] : memref<11x2xf16>, vector<2xf16>
    %y54 = math.powf %x54, %x54 : vector<2xf16>
    vector.store %y54, %f16[%c10, %c0] : memref<11x2xf16>, vector<2xf16>
    %x55 = memref.load %bf16[%c0, %c0] : memref<11x2xbf16>
    %y55 = math.erf %x55 : bf16
    memref.store %y55, %bf16[%c0, %c0] : memref<11x2xbf16>
    %x56 = memref.load %bf16[%c1, %c0] : memref<11x2xbf16>
    %y56 = math.exp %x56 : bf16
    memref.store %y56, %bf16[%c1, %c0] : memref<11x2xbf16>
    %x57 = memref.load %bf16[%c2, %c0] : memref<11x2xbf16>
    %y57 = math.exp2 %x57 : bf16
    memref.store %y57, %bf16[%c2, %c0] : memref<11x2xbf16>
    %x58 = memref.load %bf16[%c3, %c0] : memref<11x2xbf16>
    %y58 = math.expm1 %x58 : bf16
    memref.store %y58, %bf16[%c3, %c0] : memref<11x2xbf16>
    %x59 = memref.load %bf16[%c4, %c0] : memref<11x2xbf16>
    %y59 = math.log %x59 : bf16
    memref.store %y59, %bf16[%c4, %c0] : memref<11x2xbf16>
    %x60 = memref.load %bf16[%c5, %c0] : memref<11x2xbf16>
    %y60 = math.log10 %x60 : bf16
    memref.store %y60, %bf16[%c5, %c0] : memref<11x2xbf16>
    %x61 = memref.load %bf16[%c6, %c0] : memref<11x2xbf16>
    %y61 = math.log1p %x61 : bf16
    memref.store %y61, %bf16[%c6, %c0] : memref<11x2xbf16>
    %x62 = memref.load %bf16[%c7, %c0] : memref<11x2xbf16>
    %y62 = math.log2 %x62 : bf16
    memref.store %y62, %bf16[%c7, %c0] : memref<11x2xbf16>
    %x63 = memref.load %bf16[%c8, %c0] : memref<11x2xbf16>
    %y63 = math.rsqrt %x63 : bf16
    memref.store %y63, %bf16[%c8, %c0] : memref<11x2xbf16>
    %x64 = memref.load %bf16[%c9, %c0] : memref<11x2xbf16>
    %y64 = math.tanh %x64 : bf16
    memref.store %y64, %bf16[%c9, %c0] : memref<11x2xbf16>
    %x65 = memref.load %bf16[%c10, %c0] : memref<11x2xbf16>
    %y65 = math.powf %x65, %x65 : bf16
    memref.store %y65, %bf16[%c10, %c0] : memref<11x2xbf16>
    gpu.return
  }
}
