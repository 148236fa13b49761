// RUN: tx-opt --convert-gpu-math-to-llvm %s

// Each op with a PTX instruction becomes the LLVM intrinsic of this instruction. Other ops, ops outside GPU
// modules, and types without LLVM type do not change.

// CHECK-LABEL: gpu.func @scalars
// CHECK:         llvm.call_intrinsic "llvm.fabs"(%{{.+}}) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.sqrt"(%{{.+}}) : (f64) -> f64
// CHECK:         llvm.call_intrinsic "llvm.fma"(%{{.+}}, %{{.+}}, %{{.+}}) : (f16, f16, f16) -> f16
// CHECK:         llvm.call_intrinsic "llvm.copysign"
// CHECK:         llvm.call_intrinsic "llvm.floor"
// CHECK:         llvm.call_intrinsic "llvm.ceil"
// CHECK:         llvm.call_intrinsic "llvm.trunc"
// CHECK:         llvm.call_intrinsic "llvm.roundeven"
// CHECK:         math.exp
gpu.module @math {
  gpu.func @scalars(%a: f32, %b: f64, %c: f16) kernel {
    %0 = math.absf %a : f32
    %1 = math.sqrt %b : f64
    %2 = math.fma %c, %c, %c : f16
    %3 = math.copysign %a, %0 : f32
    %4 = math.floor %a : f32
    %5 = math.ceil %a : f32
    %6 = math.trunc %a : f32
    %7 = math.roundeven %a : f32
    %8 = math.exp %a : f32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @vectors
  // CHECK:         llvm.call_intrinsic "llvm.fabs"(%{{.+}}) : (vector<4xf32>) -> vector<4xf32>
  // CHECK:         math.absf %{{.+}} : vector<2x2xf32>
  // CHECK:         math.absf %{{.+}} : f8E5M2
  gpu.func @vectors(%a: vector<4xf32>, %b: vector<2x2xf32>, %c: f8E5M2) kernel {
    %0 = math.absf %a : vector<4xf32>
    %1 = math.absf %b : vector<2x2xf32>
    %2 = math.absf %c : f8E5M2
    gpu.return
  }

  // Bit counts and absolute values of integers are defined for zero and for the minimum.
  // CHECK-LABEL: gpu.func @integers
  // CHECK:         llvm.intr.ctpop(%{{.+}}) : (i32) -> i32
  // CHECK:         "llvm.intr.ctlz"(%{{.+}}) <{is_zero_poison = false}> : (i64) -> i64
  // CHECK:         "llvm.intr.cttz"(%{{.+}}) <{is_zero_poison = false}> : (i16) -> i16
  // CHECK:         "llvm.intr.abs"(%{{.+}}) <{is_int_min_poison = false}> : (i32) -> i32
  // CHECK:         math.ctpop %{{.+}} : index
  gpu.func @integers(%a: i32, %b: i64, %c: i16, %d: index) kernel {
    %0 = math.ctpop %a : i32
    %1 = math.ctlz %b : i64
    %2 = math.cttz %c : i16
    %3 = math.absi %a : i32
    %4 = math.ctpop %d : index
    gpu.return
  }
}

// CHECK-LABEL: func.func @host
// CHECK:         math.absf
func.func @host(%a: f32) -> f32 {
  %0 = math.absf %a : f32
  return %0 : f32
}
