// RUN: tx-opt %s --gpu-to-nvvm
// RUN(SM90A): tx-opt %s --gpu-to-nvvm=chip=sm_90a
// SNAPSHOT: none — one line of each module matters, and it is checked.

// The option is for modules that name no chip. Without it that is sm_80.
// CHECK: gpu.module @names_none [#nvvm.target<chip = "sm_80", features = "+ptx70">]
// SM90A: gpu.module @names_none [#nvvm.target<chip = "sm_90a", features = "+ptx80">]
gpu.module @names_none {
}

// A module's own target wins, with a PTX version that knows the chip where none is given.
// CHECK: gpu.module @names_one [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
// SM90A: gpu.module @names_one [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
gpu.module @names_one [#nvvm.target<chip = "sm_100a">] {
}
