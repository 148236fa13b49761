// RUN: tx-opt %s --gpu-check-externals --split-input-file --verify-diagnostics

// A call to libdevice, which is not linked. The message lists the available functions.
gpu.module @kernels {
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`__nv_sinf` is called, but is not in the module}}
    // expected-note @below {{it belongs to CUDA's libdevice, which is not linked}}
    // expected-note @below {{vectors of these that need no library: arith.remf, math.absf, math.acos, math.acosh, math.asin, math.asinh, math.atan, math.atan2, math.atanh, math.cbrt, math.ceil, math.clampf, math.copysign, math.cos, math.cosh, math.erf, math.erfc, math.exp, math.exp2, math.expm1, math.floor, math.fma, math.fpowi, math.log, math.log10, math.log1p, math.log2, math.powf, math.round, math.roundeven, math.rsqrt, math.sin, math.sincos, math.sinh, math.sqrt, math.tan, math.tanh, math.trunc}}
    %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

// A helper function is declared but has no body.
gpu.module @kernels {
  llvm.func @helper(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`helper` is called, but is not in the module}}
    // expected-note @below {{give it a body}}
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

// Two ops that no pass has lowered: for one of them, the message names a replacement.
gpu.module @kernels {
  llvm.func @kernel(%x: i32, %y: f32) {
    // expected-error @below {{`vector.print` cannot be lowered to LLVM}}
    // expected-note @below {{`gpu.printf` prints numbers; `vector.extract` takes one of a vector}}
    vector.print %x : i32
    // expected-error @below {{`math.ceil` cannot be lowered to LLVM}}
    %c = math.ceil %y : f32
    llvm.return
  }
}
