// RUN: not tx-opt %s --gpu-to-ptx=chip=sm_91 2>&1
// EXIT: 1

// An unknown chip is rejected before any pass runs. The message lists the supported chips.
// CHECK: error: `gpu-to-ptx`: unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
gpu.module @kernels {
}
