// RUN: tx-opt %s --nvvm-declare-dynamic-shared-memory --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects values of another size than the variable.
// expected-error @below {{requires an i8 array type of the length equal to that of the string attribute}}
llvm.mlir.global internal @dynamic("a") {addr_space = 3 : i32} : !llvm.array<0 x i8>
