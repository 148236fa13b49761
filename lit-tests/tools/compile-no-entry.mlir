// RUN: not tx compile %s 2>&1
// EXIT: 1

// A GPU function that is not a kernel is not an entry, and neither is a declaration.
// CHECK: compile-no-entry.mlir: error: no entry: expected a kernel `gpu.func` or a `func.func` with a body
// CHECK: compile-no-entry.mlir:8:3: note: to make `helper` a kernel, write `kernel` after its arguments: `gpu.func @helper(...) kernel`
gpu.module @kernels {
  gpu.func @helper(%x: f32) -> f32 {
    gpu.return %x : f32
  }
}
func.func private @declared(memref<4xf32>)
