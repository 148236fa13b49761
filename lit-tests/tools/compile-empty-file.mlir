// RUN: not tx compile %s 2>&1
// EXIT: 1

// A file with nothing in it has no entry, and the message says what one would be.
// CHECK:      compile-empty-file.mlir: error: no entry: expected a kernel `gpu.func` or a `func.func` with a body
// CHECK-NEXT: compile-empty-file.mlir: note: the file has comments and nothing else
