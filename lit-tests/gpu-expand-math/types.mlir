// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — `exp.snap` shows an expansion.

// f64 has separate constants. 16-bit floats are computed in f32 and rounded once.

// CHECK-LABEL: gpu.func @scalars(
// CHECK-NOT:     math.exp
// CHECK:         arith.bitcast %{{.+}} : f64 to i64
// CHECK-COUNT-13: math.fma %{{.+}} : f64
// CHECK:         %[[H:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:         arith.cmpf olt, %[[H]]
// CHECK:         arith.truncf %{{.+}} : f32 to f16
// CHECK:         arith.extf %{{.+}} : bf16 to f32
// CHECK:         arith.truncf %{{.+}} : f32 to bf16
// CHECK-NOT:     math.exp

// Vectors are expanded without splitting.
// CHECK-LABEL: gpu.func @vectors(
// CHECK-NOT:     math.exp
// CHECK:         arith.cmpf olt, %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK:         arith.bitcast %{{.+}} : vector<4xf32> to vector<4xi32>
// CHECK:         arith.extf %{{.+}} : vector<8xbf16> to vector<8xf32>
// CHECK:         math.fma %{{.+}}, %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK:         arith.truncf %{{.+}} : vector<8xf32> to vector<8xbf16>
// CHECK-NOT:     math.exp

// Ops of other types, other functions, and ops outside GPU modules stay.
// CHECK-LABEL: gpu.func @left(
// CHECK:         math.exp %{{.+}} : vector<2x2xf32>
// CHECK:         math.exp %{{.+}} : vector<[4]xf32>
// CHECK:         math.exp %{{.+}} : f8E5M2FNUZ
// CHECK:         math.exp %{{.+}} : f128
// CHECK:         math.ceil %{{.+}} : f32
// CHECK-NEXT:    gpu.return
// CHECK-LABEL: func.func @host(
// CHECK-NEXT:    math.exp
gpu.module @kernels {
  gpu.func @scalars(%a: f64, %b: f16, %c: bf16, %A: memref<f64>, %B: memref<f16>, %C: memref<bf16>) kernel {
    %0 = math.exp %a : f64
    memref.store %0, %A[] : memref<f64>
    %1 = math.exp %b : f16
    memref.store %1, %B[] : memref<f16>
    %2 = math.exp %c : bf16
    memref.store %2, %C[] : memref<bf16>
    gpu.return
  }

  gpu.func @vectors(%a: vector<4xf32>, %b: vector<8xbf16>) kernel {
    %0 = math.exp %a : vector<4xf32>
    %1 = math.exp %b : vector<8xbf16>
    gpu.return
  }

  gpu.func @left(%a: vector<2x2xf32>, %b: vector<[4]xf32>, %c: f8E5M2FNUZ, %d: f128, %e: f32, %n: i32) kernel {
    %0 = math.exp %a : vector<2x2xf32>
    %1 = math.exp %b : vector<[4]xf32>
    %2 = math.exp %c : f8E5M2FNUZ
    %3 = math.exp %d : f128
    %4 = math.ceil %e : f32
    gpu.return
  }
}

func.func @host(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}
