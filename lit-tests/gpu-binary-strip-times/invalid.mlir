// RUN: tx-opt %s --gpu-binary-strip-times --split-input-file --verify-diagnostics

// The pass refuses nothing; what is no binary is refused by the dialect before.
// expected-error @below {{expected attribute value}}
gpu.binary @kernels [oops]
