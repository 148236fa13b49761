// RUN(SYNTAX): not tx compile %s 2>&1
// EXIT: 1

// A parse error is reported like in MLIR, with the line and a mark below it.
// SYNTAX:      compile-invalid-op.mlir:[[# @LINE + 7]]:{{[0-9]+}}: error: {{.*}}
// SYNTAX-NEXT:   tile.reduce product %A
// SYNTAX-NEXT:   ^
// SYNTAX-NOT:  error
gpu.module @kernels {
  gpu.func @k(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce product %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
