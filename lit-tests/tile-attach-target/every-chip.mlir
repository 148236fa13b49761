// RUN(SM80): tx-opt %s --tile-attach-target=chip=sm_80
// RUN(SM90): tx-opt %s --tile-attach-target=chip=sm_90
// RUN(SM90A): tx-opt %s --tile-attach-target=chip=sm_90a
// RUN(SM100): tx-opt %s --tile-attach-target=chip=sm_100
// RUN(SM100A): tx-opt %s --tile-attach-target=chip=sm_100a
// SNAPSHOT: none — one line of each output matters, and it is checked.

// Each chip gets its own PTX version, because LLVM aborts if the PTX version does not support the chip.
// SM80:   gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// SM90:   gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx81">]
// SM90A:  gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx81">]
// SM100:  gpu.module @kernels [#nvvm.target<chip = "sm_100", features = "+ptx88">]
// SM100A: gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
gpu.module @kernels {
}
