// RUN: tx-opt %s --lower-reduction=chip=sm_90 --dump-pass-pipeline -o %t.mlir 2>&1
// RUN(PTX): tx-opt %s --gpu-to-ptx=chip=sm_90 --dump-pass-pipeline -o %t.mlir 2>&1

// A pipeline expands to registered passes, and its option is passed to the pass that uses it.
// CHECK:      builtin.module(
// CHECK-NEXT:   convert-linalg-to-tile,
// CHECK-NEXT:   tile-form-kernels{chip=sm_90 explain=false fusion=algebraic math=exact},
// CHECK-NEXT:   linalg-collapse-loops,
// CHECK-NEXT:   tile-schedule{chip=sm_90},
// CHECK-NEXT:   tile-attach-target{chip=sm_90},
// CHECK-NEXT:   tile-analyze-scope,
// CHECK-NEXT:   tile-select-variant{explain=false},
// CHECK-NEXT:   tile-expand-reduce,
// CHECK-NEXT:   tile-expand-shuffle-tree,
// CHECK-NEXT:   tile-insert-sync,
// CHECK-NEXT:   convert-tile-to-gpu,
// CHECK-NEXT:   gpu-use-dynamic-shared-memory
// CHECK-NEXT: )
// PTX:        builtin.module(
// PTX-NEXT:     tile-attach-target{chip=sm_90},
// PTX:          convert-gpu-shuffle-to-nvvm
// PTX:          gpu.module(
// PTX:            convert-gpu-to-nvvm
// PTX:          gpu-module-to-ptx
// PTX-NEXT:     gpu-module-to-binary{format=isa
gpu.module @kernels {
}
