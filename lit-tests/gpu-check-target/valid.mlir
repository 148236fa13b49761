// RUN: tx-opt %s --gpu-check-target

// All instructions are available: the cluster barrier needs PTX 7.8 and sm_90, and the newer fence is
// checked against the named target. Without a target, nothing is checked.
// CHECK-LABEL: gpu.module @clusters
// CHECK:         nvvm.cluster.arrive
gpu.module @clusters [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @kernel() {
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
}

gpu.module @fences [#nvvm.target<chip = "sm_90", features = "+ptx86">] {
  llvm.func @kernel() {
    nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
    nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
    llvm.return
  }
}

gpu.module @anywhere {
  llvm.func @kernel(%x: f32, %mask: i32) -> f32 {
    %y = nvvm.redux.sync fmax %x, %mask : f32 -> f32
    llvm.return %y : f32
  }
}

// PTX 7.8 converts pairs of 8-bit floats on sm_90, and PTX 8.1 on sm_89.
gpu.module @pairs [#nvvm.target<chip = "sm_89", features = "+ptx81">, #nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @kernel(%x: f32, %y: f32) -> i16 {
    %0 = nvvm.convert.f32x2.to.f8x2 %x, %y {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
    llvm.return %0 : i16
  }
}
