// RUN: tx-opt %s --nvvm-expand-cache-hints --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects the attribute on other ops.
llvm.func @no_address(%p: i64) {
  // expected-error @below {{operand #0 must be LLVM pointer type}}
  %v = llvm.load %p {nontemporal} : i64 -> f32
  llvm.return
}
