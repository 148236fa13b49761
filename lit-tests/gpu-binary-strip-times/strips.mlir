// RUN: tx-opt %s --gpu-binary-strip-times

// How long LLVM took differs from run to run; everything else about the object stays.
// CHECK-LABEL: gpu.binary @kernels
// CHECK-NOT:     TimeInMs
// CHECK-SAME:    properties = {O = 2 : i32}
// CHECK-SAME:    assembly = "ptx"
gpu.binary @kernels [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 17 : i64, O = 2 : i32}, assembly = "ptx">]

// An object without such notes is not touched.
// CHECK-LABEL: gpu.binary @plain
// CHECK-SAME:    assembly = "ptx"
gpu.binary @plain [#gpu.object<#nvvm.target, assembly = "ptx">]
