// RUN: tx-opt %s --gpu-check-externals --split-input-file --verify-diagnostics

// `math.exp` has become a call of libdevice, which nobody links.
gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`__nv_expf` is called, but is not in the module}}
    // expected-note @below {{it belongs to CUDA's libdevice, which is not linked}}
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

// A helper was declared and never given a body.
gpu.module @kernels {
  llvm.func @helper(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`helper` is called, but is not in the module}}
    // expected-note @below {{give it a body}}
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.return
  }
}
