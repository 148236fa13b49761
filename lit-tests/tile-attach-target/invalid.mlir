// RUN: tx-opt %s --tile-attach-target --split-input-file --verify-diagnostics

// For an unknown chip, the message lists the supported chips.
// expected-error @below {{unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a}}
gpu.module @unknown_chip [#nvvm.target<chip = "sm_91">] {
}

// -----

// MLIR's default chip, sm_50, is older than all supported chips.
// expected-error @below {{unknown chip `sm_50`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a}}
gpu.module @default_chip_of_mlir [#nvvm.target] {
}

// -----

// LLVM would ignore an unknown feature, after a line on standard error.
// expected-error @below {{unknown target feature `+tensorcores`}}
// expected-note @below {{known: +ptx32, }}
gpu.module @unknown_feature [#nvvm.target<chip = "sm_90", features = "+tensorcores">] {
}

// -----

// Features cannot be disabled either.
// expected-error @below {{unknown target feature `-ptx80`}}
// expected-note @below {{known: +ptx32, }}
gpu.module @negative_feature [#nvvm.target<chip = "sm_90", features = "-ptx80">] {
}

// -----

// A PTX version that LLVM does not support is rejected.
// expected-error @below {{unknown target feature `+ptx99`}}
// expected-note @below {{known: +ptx32, }}
gpu.module @unknown_ptx_version [#nvvm.target<chip = "sm_90", features = "+ptx99">] {
}

// -----

// One invalid target among valid targets is found.
// expected-error @below {{Minimum NVVM target SM version is sm_20}}
gpu.module @second_target_is_unknown [#nvvm.target<chip = "sm_90">, #nvvm.target<chip = "sm_9">] {
}

// -----

// Kernels are compiled to PTX: LLVM would abort for another target.
// expected-error @below {{the target is `#rocdl.target`, expected `#nvvm.target`}}
// expected-note @below {{kernels are compiled to PTX}}
gpu.module @other [#rocdl.target] {
}
