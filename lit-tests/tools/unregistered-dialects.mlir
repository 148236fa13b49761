// RUN: tx run %s --entry known --device cpu --arg full:-2:4xf32 --arg zeros:4xf32
// RUN(CALLS): not tx compile %s --entry calls 2>&1
// RUN(KERNEL): not tx compile %s --entry kernel 2>&1

// Functions that are not compiled may contain ops of any dialect.
// CHECK:      argument 1
// CHECK-NEXT: [2. 2. 2. 2.]
func.func @known(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = math.absf %A : tensor<4xf32>
  return %B : tensor<4xf32>
}

// A compiled function and its callees must not: the error names the dialect.
// CALLS:      unregistered-dialects.mlir:[[#@LINE+4]]:8: error: `stablehlo.abs` is an op of the dialect `stablehlo`, which is not registered
// CALLS:      note: convert it before to ops of `linalg`, `tensor`, `arith` and `math`
// CALLS-NOT:  error
func.func private @unknown(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = "stablehlo.abs"(%A) : (tensor<4xf32>) -> tensor<4xf32>
  return %B : tensor<4xf32>
}
func.func @calls(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = call @unknown(%A) : (tensor<4xf32>) -> tensor<4xf32>
  return %B : tensor<4xf32>
}

// KERNEL:     error: `foo.bar` is an op of the dialect `foo`, which is not registered
gpu.module @kernels {
  gpu.func @kernel(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    "foo.bar"(%A) : (memref<4xf32>) -> ()
    gpu.return
  }
}
