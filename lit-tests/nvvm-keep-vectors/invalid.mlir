// RUN: tx-opt %s --nvvm-keep-vectors --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects invalid loads.
llvm.func @no_address(%p: i64) {
  // expected-error @below {{operand #0 must be LLVM pointer type}}
  %v = llvm.load %p : i64 -> vector<4xf32>
  llvm.return
}
