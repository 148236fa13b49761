// Conversions between float types, and arithmetic in narrow float types, of one element per thread.
gpu.module @convert {
  llvm.func @f32_to_bf16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %from : !llvm.ptr<1> -> f32
    %w = llvm.fptrunc %v : f32 to bf16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    llvm.store %w, %at : bf16, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @f32_to_f16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %from : !llvm.ptr<1> -> f32
    %w = llvm.fptrunc %v : f32 to f16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    llvm.store %w, %at : f16, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @f64_to_bf16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f64
    %v = llvm.load %from : !llvm.ptr<1> -> f64
    %w = llvm.fptrunc %v : f64 to bf16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    llvm.store %w, %at : bf16, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @f64_to_f16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f64
    %v = llvm.load %from : !llvm.ptr<1> -> f64
    %w = llvm.fptrunc %v : f64 to f16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    llvm.store %w, %at : f16, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @bf16_to_f32(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    %v = llvm.load %from : !llvm.ptr<1> -> bf16
    %w = llvm.fpext %v : bf16 to f32
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %w, %at : f32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @f16_to_f32(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = llvm.load %from : !llvm.ptr<1> -> f16
    %w = llvm.fpext %v : f16 to f32
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %w, %at : f32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @f16_to_f64(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = llvm.load %from : !llvm.ptr<1> -> f16
    %w = llvm.fpext %v : f16 to f64
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f64
    llvm.store %w, %at : f64, !llvm.ptr<1>
    llvm.return
  }

  // in[t] + %addend.
  llvm.func @add_bf16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %addend: bf16) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    %v = llvm.load %from : !llvm.ptr<1> -> bf16
    %w = llvm.fadd %v, %addend : bf16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
    llvm.store %w, %at : bf16, !llvm.ptr<1>
    llvm.return
  }

  // in[t] + %addend.
  llvm.func @add_f16(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %addend: f16) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = llvm.load %from : !llvm.ptr<1> -> f16
    %w = llvm.fadd %v, %addend : f16
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    llvm.store %w, %at : f16, !llvm.ptr<1>
    llvm.return
  }

  // Functions of libdevice and intrinsics: exp, sqrt, fma, rsqrt, log2, erf, exp (intrinsic), maximum (intrinsic).
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @__nv_sqrt(f64) -> f64
  llvm.func @__nv_fmaf(f32, f32, f32) -> f32
  llvm.func @__nv_rsqrtf(f32) -> f32
  llvm.func @__nv_fast_log2f(f32) -> f32
  llvm.func @__nv_erff(f32) -> f32
  llvm.func @functions(%out: !llvm.ptr<1>, %x: f32, %y: f32) attributes {gpu.kernel, nvvm.kernel} {
    %d = llvm.fpext %x : f32 to f64
    %v0 = llvm.call @__nv_expf(%x) : (f32) -> f32
    %s = llvm.call @__nv_sqrt(%d) : (f64) -> f64
    %v1 = llvm.fptrunc %s : f64 to f32
    %v2 = llvm.call @__nv_fmaf(%x, %y, %x) : (f32, f32, f32) -> f32
    %v3 = llvm.call @__nv_rsqrtf(%x) : (f32) -> f32
    %v4 = llvm.call @__nv_fast_log2f(%x) : (f32) -> f32
    %v5 = llvm.call @__nv_erff(%x) : (f32) -> f32
    %v6 = llvm.intr.exp(%y) : (f32) -> f32
    %v7 = llvm.intr.maximum(%x, %y) : (f32, f32) -> f32
    %a0 = llvm.getelementptr %out[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v0, %a0 : f32, !llvm.ptr<1>
    %a1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v1, %a1 : f32, !llvm.ptr<1>
    %a2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v2, %a2 : f32, !llvm.ptr<1>
    %a3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v3, %a3 : f32, !llvm.ptr<1>
    %a4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v4, %a4 : f32, !llvm.ptr<1>
    %a5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v5, %a5 : f32, !llvm.ptr<1>
    %a6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v6, %a6 : f32, !llvm.ptr<1>
    %a7 = llvm.getelementptr %out[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v7, %a7 : f32, !llvm.ptr<1>
    llvm.return
  }

  // Libdevice's maximum and minimum in f32, and in f64.
  llvm.func @__nv_fmaxf(f32, f32) -> f32
  llvm.func @__nv_fminf(f32, f32) -> f32
  llvm.func @__nv_fmax(f64, f64) -> f64
  llvm.func @__nv_fmin(f64, f64) -> f64
  llvm.func @extrema(%out: !llvm.ptr<1>, %x: f32, %y: f32) attributes {gpu.kernel, nvvm.kernel} {
    %dx = llvm.fpext %x : f32 to f64
    %dy = llvm.fpext %y : f32 to f64
    %v0 = llvm.call @__nv_fmaxf(%x, %y) : (f32, f32) -> f32
    %v1 = llvm.call @__nv_fminf(%x, %y) : (f32, f32) -> f32
    %d2 = llvm.call @__nv_fmax(%dx, %dy) : (f64, f64) -> f64
    %d3 = llvm.call @__nv_fmin(%dx, %dy) : (f64, f64) -> f64
    %v2 = llvm.fptrunc %d2 : f64 to f32
    %v3 = llvm.fptrunc %d3 : f64 to f32
    llvm.store %v0, %out : f32, !llvm.ptr<1>
    %a1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v1, %a1 : f32, !llvm.ptr<1>
    %a2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v2, %a2 : f32, !llvm.ptr<1>
    %a3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %v3, %a3 : f32, !llvm.ptr<1>
    llvm.return
  }
}
