// RUN: tx-opt --convert-gpu-math-to-llvm %s
// SNAPSHOT: none — CHECK states which ops become calls

// `exp2`, `log2`, `rsqrt` and `sqrt` of f32 with approximation flags become one instruction for each vector element.
// CHECK-LABEL: gpu.func @approximate(
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%{{.+}}) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%{{.+}}) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%{{.+}}) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"(%{{.+}}) : (f32) -> f32
// CHECK:         math.exp2
// CHECK:         math.exp2
gpu.module @math {
  gpu.func @approximate(%A: memref<8xf32>, %B: memref<1xf64>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %A[%c0] : memref<8xf32>
    %0 = math.exp2 %a fastmath<afn> : f32
    memref.store %0, %A[%c0] : memref<8xf32>
    %b = vector.load %A[%c1] : memref<8xf32>, vector<2xf32>
    %1 = math.exp2 %b fastmath<afn> : vector<2xf32>
    vector.store %1, %A[%c1] : memref<8xf32>, vector<2xf32>
    %2 = math.log2 %a fastmath<afn> : f32
    memref.store %2, %A[%c3] : memref<8xf32>
    %5 = math.rsqrt %a fastmath<afn> : f32
    memref.store %5, %A[%c1] : memref<8xf32>
    %6 = math.sqrt %a fastmath<afn> : f32
    memref.store %6, %A[%c0] : memref<8xf32>
    %3 = math.exp2 %a : f32
    memref.store %3, %A[%c2] : memref<8xf32>
    %c = memref.load %B[%c0] : memref<1xf64>
    %4 = math.exp2 %c fastmath<afn> : f64
    memref.store %4, %B[%c0] : memref<1xf64>
    gpu.return
  }
}
