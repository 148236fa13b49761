// RUN: tx-opt %s --gpu-module-to-ptx

// A module with one target becomes a binary that contains PTX.
// CHECK-LABEL: gpu.binary @plain
// CHECK-SAME:    #gpu.object<#nvvm.target<chip = "sm_90", features = "+ptx81">, properties = {O = 2 : i32}, assembly = "
// CHECK-SAME:    .version 8.1
// CHECK-SAME:    .target sm_90
// CHECK-SAME:    .visible .entry store(
// CHECK-SAME:    st.global.b32
gpu.module @plain [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.func @store(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
}

// A module without kernels becomes a binary without code.
// CHECK: gpu.binary @empty
gpu.module @empty [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
}

// Targets with other properties than chip and features are left to MLIR's pass. So are unknown chips, such
// as MLIR's default, which is not printed.
// CHECK: gpu.module @none {
// CHECK: gpu.module @two [
// CHECK: gpu.module @level [
// CHECK: gpu.module @flags [
// CHECK: gpu.module @libraries [
// CHECK: gpu.module @handler<
// CHECK: gpu.module @default [#nvvm.target]
// CHECK: gpu.module @unknown [
gpu.module @none {
}
gpu.module @two [#nvvm.target<chip = "sm_80", features = "+ptx70">, #nvvm.target<chip = "sm_90", features = "+ptx81">] {
}
gpu.module @level [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx70">] {
}
gpu.module @flags [#nvvm.target<chip = "sm_80", features = "+ptx70", flags = {fast}>] {
}
gpu.module @libraries [#nvvm.target<chip = "sm_80", features = "+ptx70", link = ["a.bc"]>] {
}
gpu.module @handler <#gpu.select_object<0>> [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
}
gpu.module @default [#nvvm.target] {
}
gpu.module @unknown [#nvvm.target<chip = "sm_999", features = "+ptx78">] {
}
