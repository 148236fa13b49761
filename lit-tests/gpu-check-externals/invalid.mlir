// RUN: tx-opt %s --gpu-check-externals --split-input-file --verify-diagnostics

// A call to libdevice, which is not linked. The message lists the available functions.
gpu.module @kernels {
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`__nv_sinf` is called, but is not defined in the module}}
    // expected-note @below {{the function is in CUDA's libdevice, which is not linked}}
    // expected-note @below {{ops that need no library, on f16, bf16, f32, f64 and one-dimensional vectors of them: arith.remf}}
    %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

// A helper function is declared but has no body.
gpu.module @kernels {
  llvm.func @helper(f32) -> f32
  llvm.func @kernel(%x: f32) {
    // expected-error @below {{`helper` is called, but is not defined in the module}}
    // expected-note @below {{define the function in the module, or link the module that defines it first}}
    %y = llvm.call @helper(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

// Two ops that no pass has lowered: for one of them, the message names a replacement.
gpu.module @kernels {
  llvm.func @kernel(%x: i32, %y: f32) {
    // expected-error @below {{`vector.print` cannot be lowered to LLVM}}
    // expected-note @below {{print scalars with `gpu.printf`; `vector.extract` extracts a scalar from a vector}}
    vector.print %x : i32
    // expected-error @below {{`math.ceil` cannot be lowered to LLVM}}
    %c = math.ceil %y : f32
    llvm.return
  }
}
