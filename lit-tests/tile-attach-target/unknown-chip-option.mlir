// RUN: not tx-opt %s --tile-attach-target=chip=sm_91 2>&1

// The chip of the option is checked like a chip in the module, even if no module needs it.
// CHECK: tile-attach-target{chip=sm_91}:1:20: error: unknown chip `sm_91`; known chips: sm_80, {{.*}}sm_90, sm_90a, sm_100, sm_100a
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
}
