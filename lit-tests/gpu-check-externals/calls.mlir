// RUN: tx-opt %s --gpu-check-externals

// Calls to functions of the module and of the driver are accepted, and so are declarations without
// calls.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         llvm.call @helper
// CHECK:         llvm.call @vprintf
gpu.module @kernels {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @__nv_sqrtf(f32) -> f32
  llvm.func @helper(%x: f32) -> f32 {
    llvm.return %x : f32
  }
  llvm.func @kernel(%x: f32, %p: !llvm.ptr) {
    %y = llvm.call @helper(%x) : (f32) -> f32
    %n = llvm.call @vprintf(%p, %p) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}
