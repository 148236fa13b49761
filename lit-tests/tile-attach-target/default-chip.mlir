// RUN: tx-opt %s --tile-attach-target
// RUN(SM90): tx-opt %s --tile-attach-target=chip=sm_90

// A module without a chip gets the default chip, or that of the option, with the oldest PTX version that
// supports this chip.
// CHECK-LABEL: gpu.module @names_no_chip [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// SM90-LABEL:  gpu.module @names_no_chip [#nvvm.target<chip = "sm_90", features = "+ptx81">]
gpu.module @names_no_chip {
}

// Each module is handled separately: an existing target has priority over the option.
// CHECK-LABEL: gpu.module @names_a_chip [#nvvm.target<chip = "sm_100", features = "+ptx88">]
// SM90-LABEL:  gpu.module @names_a_chip [#nvvm.target<chip = "sm_100", features = "+ptx88">]
gpu.module @names_a_chip [#nvvm.target<chip = "sm_100">] {
}
