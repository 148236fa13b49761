// RUN(OLD): tx compile %s --chip sm_80
// RUN(NEW): tx compile %s --chip sm_100
// PTXAS: sm_80 sm_90 sm_100
// SNAPSHOT: none — long; what matters is what is not there.

// Every function in every type. Each sum and product has an explicit rounding mode, so `ptxas` fuses none.
// There are no approximations, no flushed subnormals and no calls.

// OLD:     .visible .entry functions
// OLD-NOT: {{call|\.approx|\.ftz|\.full|\.sat}}
// OLD-NOT: {{(add|sub|mul|mad|fma|div|rcp|sqrt)\.(f|bf)}}
// NEW:     .visible .entry functions
// NEW-NOT: {{call|\.approx|\.ftz|\.full|\.sat}}
// NEW-NOT: {{(add|sub|mul|mad|fma|div|rcp|sqrt)\.(f|bf)}}
gpu.module @kernels {
  gpu.func @functions(%f32: memref<26x2xf32>, %f64: memref<26x2xf64>,
      %f16: memref<26x2xf16>, %bf16: memref<26x2xbf16>)
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
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    %c18 = arith.constant 18 : index
    %c19 = arith.constant 19 : index
    %c20 = arith.constant 20 : index
    %c21 = arith.constant 21 : index
    %c22 = arith.constant 22 : index
    %c23 = arith.constant 23 : index
    %c24 = arith.constant 24 : index
    %c25 = arith.constant 25 : index
    %x0 = memref.load %f32[%c0, %c0] : memref<26x2xf32>
    %y0 = math.acos %x0 : f32
    memref.store %y0, %f32[%c0, %c0] : memref<26x2xf32>
    %x1 = memref.load %f32[%c1, %c0] : memref<26x2xf32>
    %y1 = math.acosh %x1 : f32
    memref.store %y1, %f32[%c1, %c0] : memref<26x2xf32>
    %x2 = memref.load %f32[%c2, %c0] : memref<26x2xf32>
    %y2 = math.asin %x2 : f32
    memref.store %y2, %f32[%c2, %c0] : memref<26x2xf32>
    %x3 = memref.load %f32[%c3, %c0] : memref<26x2xf32>
    %y3 = math.asinh %x3 : f32
    memref.store %y3, %f32[%c3, %c0] : memref<26x2xf32>
    %x4 = memref.load %f32[%c4, %c0] : memref<26x2xf32>
    %y4 = math.atan %x4 : f32
    memref.store %y4, %f32[%c4, %c0] : memref<26x2xf32>
    %x5 = memref.load %f32[%c5, %c0] : memref<26x2xf32>
    %y5 = math.atanh %x5 : f32
    memref.store %y5, %f32[%c5, %c0] : memref<26x2xf32>
    %x6 = memref.load %f32[%c6, %c0] : memref<26x2xf32>
    %y6 = math.cbrt %x6 : f32
    memref.store %y6, %f32[%c6, %c0] : memref<26x2xf32>
    %x7 = memref.load %f32[%c7, %c0] : memref<26x2xf32>
    %y7 = math.cos %x7 : f32
    memref.store %y7, %f32[%c7, %c0] : memref<26x2xf32>
    %x8 = memref.load %f32[%c8, %c0] : memref<26x2xf32>
    %y8 = math.cosh %x8 : f32
    memref.store %y8, %f32[%c8, %c0] : memref<26x2xf32>
    %x9 = memref.load %f32[%c9, %c0] : memref<26x2xf32>
    %y9 = math.erf %x9 : f32
    memref.store %y9, %f32[%c9, %c0] : memref<26x2xf32>
    %x10 = memref.load %f32[%c10, %c0] : memref<26x2xf32>
    %y10 = math.erfc %x10 : f32
    memref.store %y10, %f32[%c10, %c0] : memref<26x2xf32>
    %x11 = memref.load %f32[%c11, %c0] : memref<26x2xf32>
    %y11 = math.exp %x11 : f32
    memref.store %y11, %f32[%c11, %c0] : memref<26x2xf32>
    %x12 = memref.load %f32[%c12, %c0] : memref<26x2xf32>
    %y12 = math.exp2 %x12 : f32
    memref.store %y12, %f32[%c12, %c0] : memref<26x2xf32>
    %x13 = memref.load %f32[%c13, %c0] : memref<26x2xf32>
    %y13 = math.expm1 %x13 : f32
    memref.store %y13, %f32[%c13, %c0] : memref<26x2xf32>
    %x14 = memref.load %f32[%c14, %c0] : memref<26x2xf32>
    %y14 = math.log %x14 : f32
    memref.store %y14, %f32[%c14, %c0] : memref<26x2xf32>
    %x15 = memref.load %f32[%c15, %c0] : memref<26x2xf32>
    %y15 = math.log10 %x15 : f32
    memref.store %y15, %f32[%c15, %c0] : memref<26x2xf32>
    %x16 = memref.load %f32[%c16, %c0] : memref<26x2xf32>
    %y16 = math.log1p %x16 : f32
    memref.store %y16, %f32[%c16, %c0] : memref<26x2xf32>
    %x17 = memref.load %f32[%c17, %c0] : memref<26x2xf32>
    %y17 = math.log2 %x17 : f32
    memref.store %y17, %f32[%c17, %c0] : memref<26x2xf32>
    %x18 = memref.load %f32[%c18, %c0] : memref<26x2xf32>
    %y18 = math.round %x18 : f32
    memref.store %y18, %f32[%c18, %c0] : memref<26x2xf32>
    %x19 = memref.load %f32[%c19, %c0] : memref<26x2xf32>
    %y19 = math.rsqrt %x19 : f32
    memref.store %y19, %f32[%c19, %c0] : memref<26x2xf32>
    %x20 = memref.load %f32[%c20, %c0] : memref<26x2xf32>
    %y20 = math.sin %x20 : f32
    memref.store %y20, %f32[%c20, %c0] : memref<26x2xf32>
    %x21 = memref.load %f32[%c21, %c0] : memref<26x2xf32>
    %y21 = math.sinh %x21 : f32
    memref.store %y21, %f32[%c21, %c0] : memref<26x2xf32>
    %x22 = memref.load %f32[%c22, %c0] : memref<26x2xf32>
    %y22 = math.tan %x22 : f32
    memref.store %y22, %f32[%c22, %c0] : memref<26x2xf32>
    %x23 = memref.load %f32[%c23, %c0] : memref<26x2xf32>
    %y23 = math.tanh %x23 : f32
    memref.store %y23, %f32[%c23, %c0] : memref<26x2xf32>
    %x24 = memref.load %f32[%c24, %c0] : memref<26x2xf32>
    %y24 = math.atan2 %x24, %x24 : f32
    memref.store %y24, %f32[%c24, %c0] : memref<26x2xf32>
    %x25 = memref.load %f32[%c25, %c0] : memref<26x2xf32>
    %y25 = math.powf %x25, %x25 : f32
    memref.store %y25, %f32[%c25, %c0] : memref<26x2xf32>
    %x26 = vector.load %f32[%c0, %c0] : memref<26x2xf32>, vector<2xf32>
    %y26 = math.acos %x26 : vector<2xf32>
    vector.store %y26, %f32[%c0, %c0] : memref<26x2xf32>, vector<2xf32>
    %x27 = vector.load %f32[%c1, %c0] : memref<26x2xf32>, vector<2xf32>
    %y27 = math.acosh %x27 : vector<2xf32>
    vector.store %y27, %f32[%c1, %c0] : memref<26x2xf32>, vector<2xf32>
    %x28 = vector.load %f32[%c2, %c0] : memref<26x2xf32>, vector<2xf32>
    %y28 = math.asin %x28 : vector<2xf32>
    vector.store %y28, %f32[%c2, %c0] : memref<26x2xf32>, vector<2xf32>
    %x29 = vector.load %f32[%c3, %c0] : memref<26x2xf32>, vector<2xf32>
    %y29 = math.asinh %x29 : vector<2xf32>
    vector.store %y29, %f32[%c3, %c0] : memref<26x2xf32>, vector<2xf32>
    %x30 = vector.load %f32[%c4, %c0] : memref<26x2xf32>, vector<2xf32>
    %y30 = math.atan %x30 : vector<2xf32>
    vector.store %y30, %f32[%c4, %c0] : memref<26x2xf32>, vector<2xf32>
    %x31 = vector.load %f32[%c5, %c0] : memref<26x2xf32>, vector<2xf32>
    %y31 = math.atanh %x31 : vector<2xf32>
    vector.store %y31, %f32[%c5, %c0] : memref<26x2xf32>, vector<2xf32>
    %x32 = vector.load %f32[%c6, %c0] : memref<26x2xf32>, vector<2xf32>
    %y32 = math.cbrt %x32 : vector<2xf32>
    vector.store %y32, %f32[%c6, %c0] : memref<26x2xf32>, vector<2xf32>
    %x33 = vector.load %f32[%c7, %c0] : memref<26x2xf32>, vector<2xf32>
    %y33 = math.cos %x33 : vector<2xf32>
    vector.store %y33, %f32[%c7, %c0] : memref<26x2xf32>, vector<2xf32>
    %x34 = vector.load %f32[%c8, %c0] : memref<26x2xf32>, vector<2xf32>
    %y34 = math.cosh %x34 : vector<2xf32>
    vector.store %y34, %f32[%c8, %c0] : memref<26x2xf32>, vector<2xf32>
    %x35 = vector.load %f32[%c9, %c0] : memref<26x2xf32>, vector<2xf32>
    %y35 = math.erf %x35 : vector<2xf32>
    vector.store %y35, %f32[%c9, %c0] : memref<26x2xf32>, vector<2xf32>
    %x36 = vector.load %f32[%c10, %c0] : memref<26x2xf32>, vector<2xf32>
    %y36 = math.erfc %x36 : vector<2xf32>
    vector.store %y36, %f32[%c10, %c0] : memref<26x2xf32>, vector<2xf32>
    %x37 = vector.load %f32[%c11, %c0] : memref<26x2xf32>, vector<2xf32>
    %y37 = math.exp %x37 : vector<2xf32>
    vector.store %y37, %f32[%c11, %c0] : memref<26x2xf32>, vector<2xf32>
    %x38 = vector.load %f32[%c12, %c0] : memref<26x2xf32>, vector<2xf32>
    %y38 = math.exp2 %x38 : vector<2xf32>
    vector.store %y38, %f32[%c12, %c0] : memref<26x2xf32>, vector<2xf32>
    %x39 = vector.load %f32[%c13, %c0] : memref<26x2xf32>, vector<2xf32>
    %y39 = math.expm1 %x39 : vector<2xf32>
    vector.store %y39, %f32[%c13, %c0] : memref<26x2xf32>, vector<2xf32>
    %x40 = vector.load %f32[%c14, %c0] : memref<26x2xf32>, vector<2xf32>
    %y40 = math.log %x40 : vector<2xf32>
    vector.store %y40, %f32[%c14, %c0] : memref<26x2xf32>, vector<2xf32>
    %x41 = vector.load %f32[%c15, %c0] : memref<26x2xf32>, vector<2xf32>
    %y41 = math.log10 %x41 : vector<2xf32>
    vector.store %y41, %f32[%c15, %c0] : memref<26x2xf32>, vector<2xf32>
    %x42 = vector.load %f32[%c16, %c0] : memref<26x2xf32>, vector<2xf32>
    %y42 = math.log1p %x42 : vector<2xf32>
    vector.store %y42, %f32[%c16, %c0] : memref<26x2xf32>, vector<2xf32>
    %x43 = vector.load %f32[%c17, %c0] : memref<26x2xf32>, vector<2xf32>
    %y43 = math.log2 %x43 : vector<2xf32>
    vector.store %y43, %f32[%c17, %c0] : memref<26x2xf32>, vector<2xf32>
    %x44 = vector.load %f32[%c18, %c0] : memref<26x2xf32>, vector<2xf32>
    %y44 = math.round %x44 : vector<2xf32>
    vector.store %y44, %f32[%c18, %c0] : memref<26x2xf32>, vector<2xf32>
    %x45 = vector.load %f32[%c19, %c0] : memref<26x2xf32>, vector<2xf32>
    %y45 = math.rsqrt %x45 : vector<2xf32>
    vector.store %y45, %f32[%c19, %c0] : memref<26x2xf32>, vector<2xf32>
    %x46 = vector.load %f32[%c20, %c0] : memref<26x2xf32>, vector<2xf32>
    %y46 = math.sin %x46 : vector<2xf32>
    vector.store %y46, %f32[%c20, %c0] : memref<26x2xf32>, vector<2xf32>
    %x47 = vector.load %f32[%c21, %c0] : memref<26x2xf32>, vector<2xf32>
    %y47 = math.sinh %x47 : vector<2xf32>
    vector.store %y47, %f32[%c21, %c0] : memref<26x2xf32>, vector<2xf32>
    %x48 = vector.load %f32[%c22, %c0] : memref<26x2xf32>, vector<2xf32>
    %y48 = math.tan %x48 : vector<2xf32>
    vector.store %y48, %f32[%c22, %c0] : memref<26x2xf32>, vector<2xf32>
    %x49 = vector.load %f32[%c23, %c0] : memref<26x2xf32>, vector<2xf32>
    %y49 = math.tanh %x49 : vector<2xf32>
    vector.store %y49, %f32[%c23, %c0] : memref<26x2xf32>, vector<2xf32>
    %x50 = vector.load %f32[%c24, %c0] : memref<26x2xf32>, vector<2xf32>
    %y50 = math.atan2 %x50, %x50 : vector<2xf32>
    vector.store %y50, %f32[%c24, %c0] : memref<26x2xf32>, vector<2xf32>
    %x51 = vector.load %f32[%c25, %c0] : memref<26x2xf32>, vector<2xf32>
    %y51 = math.powf %x51, %x51 : vector<2xf32>
    vector.store %y51, %f32[%c25, %c0] : memref<26x2xf32>, vector<2xf32>
    %x52 = memref.load %f64[%c0, %c0] : memref<26x2xf64>
    %y52 = math.acos %x52 : f64
    memref.store %y52, %f64[%c0, %c0] : memref<26x2xf64>
    %x53 = memref.load %f64[%c1, %c0] : memref<26x2xf64>
    %y53 = math.acosh %x53 : f64
    memref.store %y53, %f64[%c1, %c0] : memref<26x2xf64>
    %x54 = memref.load %f64[%c2, %c0] : memref<26x2xf64>
    %y54 = math.asin %x54 : f64
    memref.store %y54, %f64[%c2, %c0] : memref<26x2xf64>
    %x55 = memref.load %f64[%c3, %c0] : memref<26x2xf64>
    %y55 = math.asinh %x55 : f64
    memref.store %y55, %f64[%c3, %c0] : memref<26x2xf64>
    %x56 = memref.load %f64[%c4, %c0] : memref<26x2xf64>
    %y56 = math.atan %x56 : f64
    memref.store %y56, %f64[%c4, %c0] : memref<26x2xf64>
    %x57 = memref.load %f64[%c5, %c0] : memref<26x2xf64>
    %y57 = math.atanh %x57 : f64
    memref.store %y57, %f64[%c5, %c0] : memref<26x2xf64>
    %x58 = memref.load %f64[%c6, %c0] : memref<26x2xf64>
    %y58 = math.cbrt %x58 : f64
    memref.store %y58, %f64[%c6, %c0] : memref<26x2xf64>
    %x59 = memref.load %f64[%c7, %c0] : memref<26x2xf64>
    %y59 = math.cos %x59 : f64
    memref.store %y59, %f64[%c7, %c0] : memref<26x2xf64>
    %x60 = memref.load %f64[%c8, %c0] : memref<26x2xf64>
    %y60 = math.cosh %x60 : f64
    memref.store %y60, %f64[%c8, %c0] : memref<26x2xf64>
    %x61 = memref.load %f64[%c9, %c0] : memref<26x2xf64>
    %y61 = math.erf %x61 : f64
    memref.store %y61, %f64[%c9, %c0] : memref<26x2xf64>
    %x62 = memref.load %f64[%c10, %c0] : memref<26x2xf64>
    %y62 = math.erfc %x62 : f64
    memref.store %y62, %f64[%c10, %c0] : memref<26x2xf64>
    %x63 = memref.load %f64[%c11, %c0] : memref<26x2xf64>
    %y63 = math.exp %x63 : f64
    memref.store %y63, %f64[%c11, %c0] : memref<26x2xf64>
    %x64 = memref.load %f64[%c12, %c0] : memref<26x2xf64>
    %y64 = math.exp2 %x64 : f64
    memref.store %y64, %f64[%c12, %c0] : memref<26x2xf64>
    %x65 = memref.load %f64[%c13, %c0] : memref<26x2xf64>
    %y65 = math.expm1 %x65 : f64
    memref.store %y65, %f64[%c13, %c0] : memref<26x2xf64>
    %x66 = memref.load %f64[%c14, %c0] : memref<26x2xf64>
    %y66 = math.log %x66 : f64
    memref.store %y66, %f64[%c14, %c0] : memref<26x2xf64>
    %x67 = memref.load %f64[%c15, %c0] : memref<26x2xf64>
    %y67 = math.log10 %x67 : f64
    memref.store %y67, %f64[%c15, %c0] : memref<26x2xf64>
    %x68 = memref.load %f64[%c16, %c0] : memref<26x2xf64>
    %y68 = math.log1p %x68 : f64
    memref.store %y68, %f64[%c16, %c0] : memref<26x2xf64>
    %x69 = memref.load %f64[%c17, %c0] : memref<26x2xf64>
    %y69 = math.log2 %x69 : f64
    memref.store %y69, %f64[%c17, %c0] : memref<26x2xf64>
    %x70 = memref.load %f64[%c18, %c0] : memref<26x2xf64>
    %y70 = math.round %x70 : f64
    memref.store %y70, %f64[%c18, %c0] : memref<26x2xf64>
    %x71 = memref.load %f64[%c19, %c0] : memref<26x2xf64>
    %y71 = math.rsqrt %x71 : f64
    memref.store %y71, %f64[%c19, %c0] : memref<26x2xf64>
    %x72 = memref.load %f64[%c20, %c0] : memref<26x2xf64>
    %y72 = math.sin %x72 : f64
    memref.store %y72, %f64[%c20, %c0] : memref<26x2xf64>
    %x73 = memref.load %f64[%c21, %c0] : memref<26x2xf64>
    %y73 = math.sinh %x73 : f64
    memref.store %y73, %f64[%c21, %c0] : memref<26x2xf64>
    %x74 = memref.load %f64[%c22, %c0] : memref<26x2xf64>
    %y74 = math.tan %x74 : f64
    memref.store %y74, %f64[%c22, %c0] : memref<26x2xf64>
    %x75 = memref.load %f64[%c23, %c0] : memref<26x2xf64>
    %y75 = math.tanh %x75 : f64
    memref.store %y75, %f64[%c23, %c0] : memref<26x2xf64>
    %x76 = memref.load %f64[%c24, %c0] : memref<26x2xf64>
    %y76 = math.atan2 %x76, %x76 : f64
    memref.store %y76, %f64[%c24, %c0] : memref<26x2xf64>
    %x77 = memref.load %f64[%c25, %c0] : memref<26x2xf64>
    %y77 = math.powf %x77, %x77 : f64
    memref.store %y77, %f64[%c25, %c0] : memref<26x2xf64>
    %x78 = vector.load %f64[%c0, %c0] : memref<26x2xf64>, vector<2xf64>
    %y78 = math.acos %x78 : vector<2xf64>
    vector.store %y78, %f64[%c0, %c0] : memref<26x2xf64>, vector<2xf64>
    %x79 = vector.load %f64[%c1, %c0] : memref<26x2xf64>, vector<2xf64>
    %y79 = math.acosh %x79 : vector<2xf64>
    vector.store %y79, %f64[%c1, %c0] : memref<26x2xf64>, vector<2xf64>
    %x80 = vector.load %f64[%c2, %c0] : memref<26x2xf64>, vector<2xf64>
    %y80 = math.asin %x80 : vector<2xf64>
    vector.store %y80, %f64[%c2, %c0] : memref<26x2xf64>, vector<2xf64>
    %x81 = vector.load %f64[%c3, %c0] : memref<26x2xf64>, vector<2xf64>
    %y81 = math.asinh %x81 : vector<2xf64>
    vector.store %y81, %f64[%c3, %c0] : memref<26x2xf64>, vector<2xf64>
    %x82 = vector.load %f64[%c4, %c0] : memref<26x2xf64>, vector<2xf64>
    %y82 = math.atan %x82 : vector<2xf64>
    vector.store %y82, %f64[%c4, %c0] : memref<26x2xf64>, vector<2xf64>
    %x83 = vector.load %f64[%c5, %c0] : memref<26x2xf64>, vector<2xf64>
    %y83 = math.atanh %x83 : vector<2xf64>
    vector.store %y83, %f64[%c5, %c0] : memref<26x2xf64>, vector<2xf64>
    %x84 = vector.load %f64[%c6, %c0] : memref<26x2xf64>, vector<2xf64>
    %y84 = math.cbrt %x84 : vector<2xf64>
    vector.store %y84, %f64[%c6, %c0] : memref<26x2xf64>, vector<2xf64>
    %x85 = vector.load %f64[%c7, %c0] : memref<26x2xf64>, vector<2xf64>
    %y85 = math.cos %x85 : vector<2xf64>
    vector.store %y85, %f64[%c7, %c0] : memref<26x2xf64>, vector<2xf64>
    %x86 = vector.load %f64[%c8, %c0] : memref<26x2xf64>, vector<2xf64>
    %y86 = math.cosh %x86 : vector<2xf64>
    vector.store %y86, %f64[%c8, %c0] : memref<26x2xf64>, vector<2xf64>
    %x87 = vector.load %f64[%c9, %c0] : memref<26x2xf64>, vector<2xf64>
    %y87 = math.erf %x87 : vector<2xf64>
    vector.store %y87, %f64[%c9, %c0] : memref<26x2xf64>, vector<2xf64>
    %x88 = vector.load %f64[%c10, %c0] : memref<26x2xf64>, vector<2xf64>
    %y88 = math.erfc %x88 : vector<2xf64>
    vector.store %y88, %f64[%c10, %c0] : memref<26x2xf64>, vector<2xf64>
    %x89 = vector.load %f64[%c11, %c0] : memref<26x2xf64>, vector<2xf64>
    %y89 = math.exp %x89 : vector<2xf64>
    vector.store %y89, %f64[%c11, %c0] : memref<26x2xf64>, vector<2xf64>
    %x90 = vector.load %f64[%c12, %c0] : memref<26x2xf64>, vector<2xf64>
    %y90 = math.exp2 %x90 : vector<2xf64>
    vector.store %y90, %f64[%c12, %c0] : memref<26x2xf64>, vector<2xf64>
    %x91 = vector.load %f64[%c13, %c0] : memref<26x2xf64>, vector<2xf64>
    %y91 = math.expm1 %x91 : vector<2xf64>
    vector.store %y91, %f64[%c13, %c0] : memref<26x2xf64>, vector<2xf64>
    %x92 = vector.load %f64[%c14, %c0] : memref<26x2xf64>, vector<2xf64>
    %y92 = math.log %x92 : vector<2xf64>
    vector.store %y92, %f64[%c14, %c0] : memref<26x2xf64>, vector<2xf64>
    %x93 = vector.load %f64[%c15, %c0] : memref<26x2xf64>, vector<2xf64>
    %y93 = math.log10 %x93 : vector<2xf64>
    vector.store %y93, %f64[%c15, %c0] : memref<26x2xf64>, vector<2xf64>
    %x94 = vector.load %f64[%c16, %c0] : memref<26x2xf64>, vector<2xf64>
    %y94 = math.log1p %x94 : vector<2xf64>
    vector.store %y94, %f64[%c16, %c0] : memref<26x2xf64>, vector<2xf64>
    %x95 = vector.load %f64[%c17, %c0] : memref<26x2xf64>, vector<2xf64>
    %y95 = math.log2 %x95 : vector<2xf64>
    vector.store %y95, %f64[%c17, %c0] : memref<26x2xf64>, vector<2xf64>
    %x96 = vector.load %f64[%c18, %c0] : memref<26x2xf64>, vector<2xf64>
    %y96 = math.round %x96 : vector<2xf64>
    vector.store %y96, %f64[%c18, %c0] : memref<26x2xf64>, vector<2xf64>
    %x97 = vector.load %f64[%c19, %c0] : memref<26x2xf64>, vector<2xf64>
    %y97 = math.rsqrt %x97 : vector<2xf64>
    vector.store %y97, %f64[%c19, %c0] : memref<26x2xf64>, vector<2xf64>
    %x98 = vector.load %f64[%c20, %c0] : memref<26x2xf64>, vector<2xf64>
    %y98 = math.sin %x98 : vector<2xf64>
    vector.store %y98, %f64[%c20, %c0] : memref<26x2xf64>, vector<2xf64>
    %x99 = vector.load %f64[%c21, %c0] : memref<26x2xf64>, vector<2xf64>
    %y99 = math.sinh %x99 : vector<2xf64>
    vector.store %y99, %f64[%c21, %c0] : memref<26x2xf64>, vector<2xf64>
    %x100 = vector.load %f64[%c22, %c0] : memref<26x2xf64>, vector<2xf64>
    %y100 = math.tan %x100 : vector<2xf64>
    vector.store %y100, %f64[%c22, %c0] : memref<26x2xf64>, vector<2xf64>
    %x101 = vector.load %f64[%c23, %c0] : memref<26x2xf64>, vector<2xf64>
    %y101 = math.tanh %x101 : vector<2xf64>
    vector.store %y101, %f64[%c23, %c0] : memref<26x2xf64>, vector<2xf64>
    %x102 = vector.load %f64[%c24, %c0] : memref<26x2xf64>, vector<2xf64>
    %y102 = math.atan2 %x102, %x102 : vector<2xf64>
    vector.store %y102, %f64[%c24, %c0] : memref<26x2xf64>, vector<2xf64>
    %x103 = vector.load %f64[%c25, %c0] : memref<26x2xf64>, vector<2xf64>
    %y103 = math.powf %x103, %x103 : vector<2xf64>
    vector.store %y103, %f64[%c25, %c0] : memref<26x2xf64>, vector<2xf64>
    %x104 = memref.load %f16[%c0, %c0] : memref<26x2xf16>
    %y104 = math.acos %x104 : f16
    memref.store %y104, %f16[%c0, %c0] : memref<26x2xf16>
    %x105 = memref.load %f16[%c1, %c0] : memref<26x2xf16>
    %y105 = math.acosh %x105 : f16
    memref.store %y105, %f16[%c1, %c0] : memref<26x2xf16>
    %x106 = memref.load %f16[%c2, %c0] : memref<26x2xf16>
    %y106 = math.asin %x106 : f16
    memref.store %y106, %f16[%c2, %c0] : memref<26x2xf16>
    %x107 = memref.load %f16[%c3, %c0] : memref<26x2xf16>
    %y107 = math.asinh %x107 : f16
    memref.store %y107, %f16[%c3, %c0] : memref<26x2xf16>
    %x108 = memref.load %f16[%c4, %c0] : memref<26x2xf16>
    %y108 = math.atan %x108 : f16
    memref.store %y108, %f16[%c4, %c0] : memref<26x2xf16>
    %x109 = memref.load %f16[%c5, %c0] : memref<26x2xf16>
    %y109 = math.atanh %x109 : f16
    memref.store %y109, %f16[%c5, %c0] : memref<26x2xf16>
    %x110 = memref.load %f16[%c6, %c0] : memref<26x2xf16>
    %y110 = math.cbrt %x110 : f16
    memref.store %y110, %f16[%c6, %c0] : memref<26x2xf16>
    %x111 = memref.load %f16[%c7, %c0] : memref<26x2xf16>
    %y111 = math.cos %x111 : f16
    memref.store %y111, %f16[%c7, %c0] : memref<26x2xf16>
    %x112 = memref.load %f16[%c8, %c0] : memref<26x2xf16>
    %y112 = math.cosh %x112 : f16
    memref.store %y112, %f16[%c8, %c0] : memref<26x2xf16>
    %x113 = memref.load %f16[%c9, %c0] : memref<26x2xf16>
    %y113 = math.erf %x113 : f16
    memref.store %y113, %f16[%c9, %c0] : memref<26x2xf16>
    %x114 = memref.load %f16[%c10, %c0] : memref<26x2xf16>
    %y114 = math.erfc %x114 : f16
    memref.store %y114, %f16[%c10, %c0] : memref<26x2xf16>
    %x115 = memref.load %f16[%c11, %c0] : memref<26x2xf16>
    %y115 = math.exp %x115 : f16
    memref.store %y115, %f16[%c11, %c0] : memref<26x2xf16>
    %x116 = memref.load %f16[%c12, %c0] : memref<26x2xf16>
    %y116 = math.exp2 %x116 : f16
    memref.store %y116, %f16[%c12, %c0] : memref<26x2xf16>
    %x117 = memref.load %f16[%c13, %c0] : memref<26x2xf16>
    %y117 = math.expm1 %x117 : f16
    memref.store %y117, %f16[%c13, %c0] : memref<26x2xf16>
    %x118 = memref.load %f16[%c14, %c0] : memref<26x2xf16>
    %y118 = math.log %x118 : f16
    memref.store %y118, %f16[%c14, %c0] : memref<26x2xf16>
    %x119 = memref.load %f16[%c15, %c0] : memref<26x2xf16>
    %y119 = math.log10 %x119 : f16
    memref.store %y119, %f16[%c15, %c0] : memref<26x2xf16>
    %x120 = memref.load %f16[%c16, %c0] : memref<26x2xf16>
    %y120 = math.log1p %x120 : f16
    memref.store %y120, %f16[%c16, %c0] : memref<26x2xf16>
    %x121 = memref.load %f16[%c17, %c0] : memref<26x2xf16>
    %y121 = math.log2 %x121 : f16
    memref.store %y121, %f16[%c17, %c0] : memref<26x2xf16>
    %x122 = memref.load %f16[%c18, %c0] : memref<26x2xf16>
    %y122 = math.round %x122 : f16
    memref.store %y122, %f16[%c18, %c0] : memref<26x2xf16>
    %x123 = memref.load %f16[%c19, %c0] : memref<26x2xf16>
    %y123 = math.rsqrt %x123 : f16
    memref.store %y123, %f16[%c19, %c0] : memref<26x2xf16>
    %x124 = memref.load %f16[%c20, %c0] : memref<26x2xf16>
    %y124 = math.sin %x124 : f16
    memref.store %y124, %f16[%c20, %c0] : memref<26x2xf16>
    %x125 = memref.load %f16[%c21, %c0] : memref<26x2xf16>
    %y125 = math.sinh %x125 : f16
    memref.store %y125, %f16[%c21, %c0] : memref<26x2xf16>
    %x126 = memref.load %f16[%c22, %c0] : memref<26x2xf16>
    %y126 = math.tan %x126 : f16
    memref.store %y126, %f16[%c22, %c0] : memref<26x2xf16>
    %x127 = memref.load %f16[%c23, %c0] : memref<26x2xf16>
    %y127 = math.tanh %x127 : f16
    memref.store %y127, %f16[%c23, %c0] : memref<26x2xf16>
    %x128 = memref.load %f16[%c24, %c0] : memref<26x2xf16>
    %y128 = math.atan2 %x128, %x128 : f16
    memref.store %y128, %f16[%c24, %c0] : memref<26x2xf16>
    %x129 = memref.load %f16[%c25, %c0] : memref<26x2xf16>
    %y129 = math.powf %x129, %x129 : f16
    memref.store %y129, %f16[%c25, %c0] : memref<26x2xf16>
    %x130 = vector.load %f16[%c0, %c0] : memref<26x2xf16>, vector<2xf16>
    %y130 = math.acos %x130 : vector<2xf16>
    vector.store %y130, %f16[%c0, %c0] : memref<26x2xf16>, vector<2xf16>
    %x131 = vector.load %f16[%c1, %c0] : memref<26x2xf16>, vector<2xf16>
    %y131 = math.acosh %x131 : vector<2xf16>
    vector.store %y131, %f16[%c1, %c0] : memref<26x2xf16>, vector<2xf16>
    %x132 = vector.load %f16[%c2, %c0] : memref<26x2xf16>, vector<2xf16>
    %y132 = math.asin %x132 : vector<2xf16>
    vector.store %y132, %f16[%c2, %c0] : memref<26x2xf16>, vector<2xf16>
    %x133 = vector.load %f16[%c3, %c0] : memref<26x2xf16>, vector<2xf16>
    %y133 = math.asinh %x133 : vector<2xf16>
    vector.store %y133, %f16[%c3, %c0] : memref<26x2xf16>, vector<2xf16>
    %x134 = vector.load %f16[%c4, %c0] : memref<26x2xf16>, vector<2xf16>
    %y134 = math.atan %x134 : vector<2xf16>
    vector.store %y134, %f16[%c4, %c0] : memref<26x2xf16>, vector<2xf16>
    %x135 = vector.load %f16[%c5, %c0] : memref<26x2xf16>, vector<2xf16>
    %y135 = math.atanh %x135 : vector<2xf16>
    vector.store %y135, %f16[%c5, %c0] : memref<26x2xf16>, vector<2xf16>
    %x136 = vector.load %f16[%c6, %c0] : memref<26x2xf16>, vector<2xf16>
    %y136 = math.cbrt %x136 : vector<2xf16>
    vector.store %y136, %f16[%c6, %c0] : memref<26x2xf16>, vector<2xf16>
    %x137 = vector.load %f16[%c7, %c0] : memref<26x2xf16>, vector<2xf16>
    %y137 = math.cos %x137 : vector<2xf16>
    vector.store %y137, %f16[%c7, %c0] : memref<26x2xf16>, vector<2xf16>
    %x138 = vector.load %f16[%c8, %c0] : memref<26x2xf16>, vector<2xf16>
    %y138 = math.cosh %x138 : vector<2xf16>
    vector.store %y138, %f16[%c8, %c0] : memref<26x2xf16>, vector<2xf16>
    %x139 = vector.load %f16[%c9, %c0] : memref<26x2xf16>, vector<2xf16>
    %y139 = math.erf %x139 : vector<2xf16>
    vector.store %y139, %f16[%c9, %c0] : memref<26x2xf16>, vector<2xf16>
    %x140 = vector.load %f16[%c10, %c0] : memref<26x2xf16>, vector<2xf16>
    %y140 = math.erfc %x140 : vector<2xf16>
    vector.store %y140, %f16[%c10, %c0] : memref<26x2xf16>, vector<2xf16>
    %x141 = vector.load %f16[%c11, %c0] : memref<26x2xf16>, vector<2xf16>
    %y141 = math.exp %x141 : vector<2xf16>
    vector.store %y141, %f16[%c11, %c0] : memref<26x2xf16>, vector<2xf16>
    %x142 = vector.load %f16[%c12, %c0] : memref<26x2xf16>, vector<2xf16>
    %y142 = math.exp2 %x142 : vector<2xf16>
    vector.store %y142, %f16[%c12, %c0] : memref<26x2xf16>, vector<2xf16>
    %x143 = vector.load %f16[%c13, %c0] : memref<26x2xf16>, vector<2xf16>
    %y143 = math.expm1 %x143 : vector<2xf16>
    vector.store %y143, %f16[%c13, %c0] : memref<26x2xf16>, vector<2xf16>
    %x144 = vector.load %f16[%c14, %c0] : memref<26x2xf16>, vector<2xf16>
    %y144 = math.log %x144 : vector<2xf16>
    vector.store %y144, %f16[%c14, %c0] : memref<26x2xf16>, vector<2xf16>
    %x145 = vector.load %f16[%c15, %c0] : memref<26x2xf16>, vector<2xf16>
    %y145 = math.log10 %x145 : vector<2xf16>
    vector.store %y145, %f16[%c15, %c0] : memref<26x2xf16>, vector<2xf16>
    %x146 = vector.load %f16[%c16, %c0] : memref<26x2xf16>, vector<2xf16>
    %y146 = math.log1p %x146 : vector<2xf16>
    vector.store %y146, %f16[%c16, %c0] : memref<26x2xf16>, vector<2xf16>
    %x147 = vector.load %f16[%c17, %c0] : memref<26x2xf16>, vector<2xf16>
    %y147 = math.log2 %x147 : vector<2xf16>
    vector.store %y147, %f16[%c17, %c0] : memref<26x2xf16>, vector<2xf16>
    %x148 = vector.load %f16[%c18, %c0] : memref<26x2xf16>, vector<2xf16>
    %y148 = math.round %x148 : vector<2xf16>
    vector.store %y148, %f16[%c18, %c0] : memref<26x2xf16>, vector<2xf16>
    %x149 = vector.load %f16[%c19, %c0] : memref<26x2xf16>, vector<2xf16>
    %y149 = math.rsqrt %x149 : vector<2xf16>
    vector.store %y149, %f16[%c19, %c0] : memref<26x2xf16>, vector<2xf16>
    %x150 = vector.load %f16[%c20, %c0] : memref<26x2xf16>, vector<2xf16>
    %y150 = math.sin %x150 : vector<2xf16>
    vector.store %y150, %f16[%c20, %c0] : memref<26x2xf16>, vector<2xf16>
    %x151 = vector.load %f16[%c21, %c0] : memref<26x2xf16>, vector<2xf16>
    %y151 = math.sinh %x151 : vector<2xf16>
    vector.store %y151, %f16[%c21, %c0] : memref<26x2xf16>, vector<2xf16>
    %x152 = vector.load %f16[%c22, %c0] : memref<26x2xf16>, vector<2xf16>
    %y152 = math.tan %x152 : vector<2xf16>
    vector.store %y152, %f16[%c22, %c0] : memref<26x2xf16>, vector<2xf16>
    %x153 = vector.load %f16[%c23, %c0] : memref<26x2xf16>, vector<2xf16>
    %y153 = math.tanh %x153 : vector<2xf16>
    vector.store %y153, %f16[%c23, %c0] : memref<26x2xf16>, vector<2xf16>
    %x154 = vector.load %f16[%c24, %c0] : memref<26x2xf16>, vector<2xf16>
    %y154 = math.atan2 %x154, %x154 : vector<2xf16>
    vector.store %y154, %f16[%c24, %c0] : memref<26x2xf16>, vector<2xf16>
    %x155 = vector.load %f16[%c25, %c0] : memref<26x2xf16>, vector<2xf16>
    %y155 = math.powf %x155, %x155 : vector<2xf16>
    vector.store %y155, %f16[%c25, %c0] : memref<26x2xf16>, vector<2xf16>
    %x156 = memref.load %bf16[%c0, %c0] : memref<26x2xbf16>
    %y156 = math.acos %x156 : bf16
    memref.store %y156, %bf16[%c0, %c0] : memref<26x2xbf16>
    %x157 = memref.load %bf16[%c1, %c0] : memref<26x2xbf16>
    %y157 = math.acosh %x157 : bf16
    memref.store %y157, %bf16[%c1, %c0] : memref<26x2xbf16>
    %x158 = memref.load %bf16[%c2, %c0] : memref<26x2xbf16>
    %y158 = math.asin %x158 : bf16
    memref.store %y158, %bf16[%c2, %c0] : memref<26x2xbf16>
    %x159 = memref.load %bf16[%c3, %c0] : memref<26x2xbf16>
    %y159 = math.asinh %x159 : bf16
    memref.store %y159, %bf16[%c3, %c0] : memref<26x2xbf16>
    %x160 = memref.load %bf16[%c4, %c0] : memref<26x2xbf16>
    %y160 = math.atan %x160 : bf16
    memref.store %y160, %bf16[%c4, %c0] : memref<26x2xbf16>
    %x161 = memref.load %bf16[%c5, %c0] : memref<26x2xbf16>
    %y161 = math.atanh %x161 : bf16
    memref.store %y161, %bf16[%c5, %c0] : memref<26x2xbf16>
    %x162 = memref.load %bf16[%c6, %c0] : memref<26x2xbf16>
    %y162 = math.cbrt %x162 : bf16
    memref.store %y162, %bf16[%c6, %c0] : memref<26x2xbf16>
    %x163 = memref.load %bf16[%c7, %c0] : memref<26x2xbf16>
    %y163 = math.cos %x163 : bf16
    memref.store %y163, %bf16[%c7, %c0] : memref<26x2xbf16>
    %x164 = memref.load %bf16[%c8, %c0] : memref<26x2xbf16>
    %y164 = math.cosh %x164 : bf16
    memref.store %y164, %bf16[%c8, %c0] : memref<26x2xbf16>
    %x165 = memref.load %bf16[%c9, %c0] : memref<26x2xbf16>
    %y165 = math.erf %x165 : bf16
    memref.store %y165, %bf16[%c9, %c0] : memref<26x2xbf16>
    %x166 = memref.load %bf16[%c10, %c0] : memref<26x2xbf16>
    %y166 = math.erfc %x166 : bf16
    memref.store %y166, %bf16[%c10, %c0] : memref<26x2xbf16>
    %x167 = memref.load %bf16[%c11, %c0] : memref<26x2xbf16>
    %y167 = math.exp %x167 : bf16
    memref.store %y167, %bf16[%c11, %c0] : memref<26x2xbf16>
    %x168 = memref.load %bf16[%c12, %c0] : memref<26x2xbf16>
    %y168 = math.exp2 %x168 : bf16
    memref.store %y168, %bf16[%c12, %c0] : memref<26x2xbf16>
    %x169 = memref.load %bf16[%c13, %c0] : memref<26x2xbf16>
    %y169 = math.expm1 %x169 : bf16
    memref.store %y169, %bf16[%c13, %c0] : memref<26x2xbf16>
    %x170 = memref.load %bf16[%c14, %c0] : memref<26x2xbf16>
    %y170 = math.log %x170 : bf16
    memref.store %y170, %bf16[%c14, %c0] : memref<26x2xbf16>
    %x171 = memref.load %bf16[%c15, %c0] : memref<26x2xbf16>
    %y171 = math.log10 %x171 : bf16
    memref.store %y171, %bf16[%c15, %c0] : memref<26x2xbf16>
    %x172 = memref.load %bf16[%c16, %c0] : memref<26x2xbf16>
    %y172 = math.log1p %x172 : bf16
    memref.store %y172, %bf16[%c16, %c0] : memref<26x2xbf16>
    %x173 = memref.load %bf16[%c17, %c0] : memref<26x2xbf16>
    %y173 = math.log2 %x173 : bf16
    memref.store %y173, %bf16[%c17, %c0] : memref<26x2xbf16>
    %x174 = memref.load %bf16[%c18, %c0] : memref<26x2xbf16>
    %y174 = math.round %x174 : bf16
    memref.store %y174, %bf16[%c18, %c0] : memref<26x2xbf16>
    %x175 = memref.load %bf16[%c19, %c0] : memref<26x2xbf16>
    %y175 = math.rsqrt %x175 : bf16
    memref.store %y175, %bf16[%c19, %c0] : memref<26x2xbf16>
    %x176 = memref.load %bf16[%c20, %c0] : memref<26x2xbf16>
    %y176 = math.sin %x176 : bf16
    memref.store %y176, %bf16[%c20, %c0] : memref<26x2xbf16>
    %x177 = memref.load %bf16[%c21, %c0] : memref<26x2xbf16>
    %y177 = math.sinh %x177 : bf16
    memref.store %y177, %bf16[%c21, %c0] : memref<26x2xbf16>
    %x178 = memref.load %bf16[%c22, %c0] : memref<26x2xbf16>
    %y178 = math.tan %x178 : bf16
    memref.store %y178, %bf16[%c22, %c0] : memref<26x2xbf16>
    %x179 = memref.load %bf16[%c23, %c0] : memref<26x2xbf16>
    %y179 = math.tanh %x179 : bf16
    memref.store %y179, %bf16[%c23, %c0] : memref<26x2xbf16>
    %x180 = memref.load %bf16[%c24, %c0] : memref<26x2xbf16>
    %y180 = math.atan2 %x180, %x180 : bf16
    memref.store %y180, %bf16[%c24, %c0] : memref<26x2xbf16>
    %x181 = memref.load %bf16[%c25, %c0] : memref<26x2xbf16>
    %y181 = math.powf %x181, %x181 : bf16
    memref.store %y181, %bf16[%c25, %c0] : memref<26x2xbf16>
    %x182 = vector.load %bf16[%c0, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y182 = math.acos %x182 : vector<2xbf16>
    vector.store %y182, %bf16[%c0, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x183 = vector.load %bf16[%c1, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y183 = math.acosh %x183 : vector<2xbf16>
    vector.store %y183, %bf16[%c1, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x184 = vector.load %bf16[%c2, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y184 = math.asin %x184 : vector<2xbf16>
    vector.store %y184, %bf16[%c2, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x185 = vector.load %bf16[%c3, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y185 = math.asinh %x185 : vector<2xbf16>
    vector.store %y185, %bf16[%c3, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x186 = vector.load %bf16[%c4, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y186 = math.atan %x186 : vector<2xbf16>
    vector.store %y186, %bf16[%c4, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x187 = vector.load %bf16[%c5, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y187 = math.atanh %x187 : vector<2xbf16>
    vector.store %y187, %bf16[%c5, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x188 = vector.load %bf16[%c6, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y188 = math.cbrt %x188 : vector<2xbf16>
    vector.store %y188, %bf16[%c6, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x189 = vector.load %bf16[%c7, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y189 = math.cos %x189 : vector<2xbf16>
    vector.store %y189, %bf16[%c7, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x190 = vector.load %bf16[%c8, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y190 = math.cosh %x190 : vector<2xbf16>
    vector.store %y190, %bf16[%c8, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x191 = vector.load %bf16[%c9, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y191 = math.erf %x191 : vector<2xbf16>
    vector.store %y191, %bf16[%c9, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x192 = vector.load %bf16[%c10, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y192 = math.erfc %x192 : vector<2xbf16>
    vector.store %y192, %bf16[%c10, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x193 = vector.load %bf16[%c11, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y193 = math.exp %x193 : vector<2xbf16>
    vector.store %y193, %bf16[%c11, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x194 = vector.load %bf16[%c12, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y194 = math.exp2 %x194 : vector<2xbf16>
    vector.store %y194, %bf16[%c12, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x195 = vector.load %bf16[%c13, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y195 = math.expm1 %x195 : vector<2xbf16>
    vector.store %y195, %bf16[%c13, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x196 = vector.load %bf16[%c14, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y196 = math.log %x196 : vector<2xbf16>
    vector.store %y196, %bf16[%c14, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x197 = vector.load %bf16[%c15, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y197 = math.log10 %x197 : vector<2xbf16>
    vector.store %y197, %bf16[%c15, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x198 = vector.load %bf16[%c16, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y198 = math.log1p %x198 : vector<2xbf16>
    vector.store %y198, %bf16[%c16, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x199 = vector.load %bf16[%c17, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y199 = math.log2 %x199 : vector<2xbf16>
    vector.store %y199, %bf16[%c17, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x200 = vector.load %bf16[%c18, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y200 = math.round %x200 : vector<2xbf16>
    vector.store %y200, %bf16[%c18, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x201 = vector.load %bf16[%c19, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y201 = math.rsqrt %x201 : vector<2xbf16>
    vector.store %y201, %bf16[%c19, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x202 = vector.load %bf16[%c20, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y202 = math.sin %x202 : vector<2xbf16>
    vector.store %y202, %bf16[%c20, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x203 = vector.load %bf16[%c21, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y203 = math.sinh %x203 : vector<2xbf16>
    vector.store %y203, %bf16[%c21, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x204 = vector.load %bf16[%c22, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y204 = math.tan %x204 : vector<2xbf16>
    vector.store %y204, %bf16[%c22, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x205 = vector.load %bf16[%c23, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y205 = math.tanh %x205 : vector<2xbf16>
    vector.store %y205, %bf16[%c23, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x206 = vector.load %bf16[%c24, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y206 = math.atan2 %x206, %x206 : vector<2xbf16>
    vector.store %y206, %bf16[%c24, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %x207 = vector.load %bf16[%c25, %c0] : memref<26x2xbf16>, vector<2xbf16>
    %y207 = math.powf %x207, %x207 : vector<2xbf16>
    vector.store %y207, %bf16[%c25, %c0] : memref<26x2xbf16>, vector<2xbf16>
    gpu.return
  }
}
