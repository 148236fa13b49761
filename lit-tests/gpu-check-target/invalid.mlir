// RUN: tx-opt %s --gpu-check-target --split-input-file --verify-diagnostics

// LLVM would end the process over each of these. The chip is new enough, and the version of PTX is not.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @kernel() {
    nvvm.cluster.arrive
    // expected-error @below {{`nvvm.fence.mbarrier.init` needs sm_90 and PTX 8.0, found sm_90 and PTX 7.8}}
    // expected-note @below {{a target that has it: gpu.module @name [#nvvm.target<chip = "sm_90", features = "+ptx80">]}}
    nvvm.fence.mbarrier.init
    // expected-error @below {{`nvvm.fence.proxy.release` needs sm_90 and PTX 8.3, found sm_90 and PTX 7.8}}
    // expected-note @below {{features = "+ptx83">]}}
    nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
    llvm.return
  }
}

// -----

// The chip is too old.
gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx80">] {
  llvm.func @kernel() {
    // expected-error @below {{`nvvm.cluster.arrive` needs sm_90 and PTX 7.8, found sm_80 and PTX 8.0}}
    // expected-note @below {{chip = "sm_90", features = "+ptx78">]}}
    nvvm.cluster.arrive
    // A proxy is a word of the operation.
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    llvm.return
  }
}

// -----

// Only chips with an `a` reduce floats across a warp.
gpu.module @kernels [#nvvm.target<chip = "sm_100", features = "+ptx88">] {
  llvm.func @kernel(%x: f32, %n: i32, %mask: i32) {
    %i = nvvm.redux.sync add %n, %mask : i32 -> i32
    // expected-error @below {{`nvvm.redux.sync` needs sm_100a and PTX 8.6, found sm_100 and PTX 8.8}}
    // expected-note @below {{chip = "sm_100a", features = "+ptx88">]}}
    %y = nvvm.redux.sync fmax %x, %mask : f32 -> f32
    llvm.return
  }
}

// -----

// Nothing runs what stands beside the functions of a module, and MLIR's translation to LLVM IR does not survive it.
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
  // What the linker is told has no name either.
  llvm.module_flags [#llvm.mlir.module_flag<error, "flag", 1 : i32>]
  // expected-error @below {{`nvvm.barrier` stands in a GPU module, outside of its functions}}
  // expected-note @below {{move it into a function}}
  nvvm.barrier
  llvm.func @kernel() {
    llvm.return
  }
}
