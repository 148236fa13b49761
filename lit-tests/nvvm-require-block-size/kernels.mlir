// RUN: tx-opt %s --nvvm-require-block-size

gpu.module @kernels {
  // A kernel with a known block size can only be launched with this size.
  // CHECK-LABEL: llvm.func @known
  // CHECK-NOT:     maxntid
  // CHECK-SAME:    nvvm.reqntid = array<i32: 32, 4, 1>
  llvm.func @known() attributes {gpu.kernel, gpu.known_block_size = array<i32: 32, 4, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 32, 4, 1>} {
    llvm.return
  }

  // An upper bound of the program stays an upper bound.
  // CHECK-LABEL: llvm.func @bounded
  // CHECK-NOT:     reqntid
  // CHECK-SAME:    nvvm.maxntid = array<i32: 256>
  llvm.func @bounded() attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 256>} {
    llvm.return
  }
}
