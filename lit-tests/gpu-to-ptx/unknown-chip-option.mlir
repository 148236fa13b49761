// RUN: not tx-opt %s --gpu-to-ptx=chip=sm_91 2>&1
// EXIT: 1

// A chip that does not exist is refused before a pass runs, and the message lists those that do.
// CHECK: error: `gpu-to-ptx`: unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
gpu.module @kernels {
}
