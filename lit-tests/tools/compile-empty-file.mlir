// RUN: not tx compile %s 2>&1
// EXIT: 1

// An empty file has no entry, and the message explains what an entry is.
// CHECK:      compile-empty-file.mlir: error: no entry: expected a kernel `gpu.func` or a `func.func` with a body
// CHECK-NEXT: compile-empty-file.mlir: note: the file has comments and nothing else
