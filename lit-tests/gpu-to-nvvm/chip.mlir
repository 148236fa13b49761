// RUN: tx-opt %s --gpu-to-nvvm
// RUN(SM90A): tx-opt %s --gpu-to-nvvm=chip=sm_90a
// SNAPSHOT: none — one line of each module matters, and it is checked.

// The option applies to modules without a target; the default is sm_80.
// CHECK: gpu.module @names_none [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// SM90A: gpu.module @names_none [#nvvm.target<chip = "sm_90a", features = "+ptx81">]
gpu.module @names_none {
}

// A module's own target has priority. A missing PTX version becomes one that supports the chip.
// CHECK: gpu.module @names_one [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
// SM90A: gpu.module @names_one [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
gpu.module @names_one [#nvvm.target<chip = "sm_100a">] {
}
