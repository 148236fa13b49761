// RUN: tx-opt %s --gpu-binary-strip-times --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects invalid binaries.
// expected-error @below {{expected attribute value}}
gpu.binary @kernels [oops]
