// RUN: tx-opt %s --gpu-binary-strip-times

// The pass removes the LLVM compile times, which differ between runs. Other properties of the object stay.
// CHECK-LABEL: gpu.binary @kernels
// CHECK-NOT:     TimeInMs
// CHECK-SAME:    properties = {O = 2 : i32}
// CHECK-SAME:    assembly = "ptx"
gpu.binary @kernels [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 17 : i64, O = 2 : i32}, assembly = "ptx">]

// An object without compile times does not change.
// CHECK-LABEL: gpu.binary @plain
// CHECK-SAME:    assembly = "ptx"
gpu.binary @plain [#gpu.object<#nvvm.target, assembly = "ptx">]
