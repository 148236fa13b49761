// RUN: tx-opt %s --tile-attach-target

// MLIR's default PTX version, which is not printed, is too old for all supported chips.
// CHECK-LABEL: gpu.module @default_version_is_raised [#nvvm.target<chip = "sm_90", features = "+ptx81">]
gpu.module @default_version_is_raised [#nvvm.target<chip = "sm_90">] {
}

// An explicit PTX version that is too old is raised, too.
// CHECK-LABEL: gpu.module @old_version_is_raised [#nvvm.target<chip = "sm_90a", features = "+ptx81">]
gpu.module @old_version_is_raised [#nvvm.target<chip = "sm_90a", features = "+ptx78">] {
}

// A newer PTX version stays.
// CHECK-LABEL: gpu.module @newer_version_stays [#nvvm.target<chip = "sm_80", features = "+ptx84">]
gpu.module @newer_version_stays [#nvvm.target<chip = "sm_80", features = "+ptx84">] {
}

// Other properties of a target stay.
// CHECK-LABEL: gpu.module @the_rest_is_kept [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx81", flags = {fast}, link = ["libdevice.bc"]>]
gpu.module @the_rest_is_kept
    [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80", flags = {fast}, link = ["libdevice.bc"]>] {
}

// A module may have several targets.
// CHECK-LABEL: gpu.module @several_targets [#nvvm.target<chip = "sm_80", features = "+ptx70">, #nvvm.target<chip = "sm_90", features = "+ptx81">]
gpu.module @several_targets [#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90">] {
}
