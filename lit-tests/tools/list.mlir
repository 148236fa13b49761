// RUN: tx-opt --help
// RUN(FIRST): tx-opt --help
// RUN(DIALECTS): tx-opt --show-dialects
// SNAPSHOT: none — the help is MLIR's, and long.

// The help lists the passes, pipelines and dialects of this project among those of MLIR, with their
// purpose.
// CHECK-DAG: --convert-gpu-shuffle-to-nvvm - Lower shuffles to NVVM
// CHECK-DAG: --convert-tile-to-gpu - Lower the remaining tile ops
// CHECK-DAG: --tile-analyze-scope - {{[A-Z]}}
// CHECK-DAG: --tile-attach-target - {{[A-Z]}}
// CHECK-DAG: --tile-expand-reduce - {{[A-Z]}}
// CHECK-DAG: --tile-expand-shuffle-tree - {{[A-Z]}}
// CHECK-DAG: --tile-insert-sync - {{[A-Z]}}
// CHECK-DAG: --tile-select-variant - {{[A-Z]}}
// CHECK-DAG: --gpu-to-nvvm - {{[A-Z]}}
// CHECK-DAG: --gpu-to-ptx - {{[A-Z]}}
// CHECK-DAG: --lower-reduction - {{[A-Z]}}
// The help shows the type of each option.
// CHECK-DAG: --seed[=<number>]
// CHECK-DAG: --synchronized[=<true|false>]
// CHECK-DAG: --canonicalize - {{[A-Z]}}
//
// The passes of this project come first, before the hundreds of MLIR.
// FIRST:      OVERVIEW: tx optimizer driver
// FIRST-EMPTY:
// FIRST-NEXT: Pipelines, as in `tx-opt FILE.mlir --PIPELINE`:
// FIRST:        --lower-reduction{{ +}}Lower reductions
// FIRST:      Passes:
// FIRST-NEXT:   --tensor-isolate-functions{{ +}}{{[A-Z]}}
// FIRST:        --convert-linalg-to-tile{{ +}}{{[A-Z]}}
// FIRST-NEXT:   --tile-form-kernels{{ +}}{{[A-Z]}}
// FIRST-NEXT:   --linalg-collapse-loops{{ +}}{{[A-Z]}}
// FIRST-NEXT:   --tile-choose-schedule{{ +}}Write the schedule
// FIRST-NEXT:   --tile-list-candidates{{ +}}List alternative schedules
// FIRST-NEXT:   --tile-schedule{{ +}}Lower grid-level ops
// FIRST:        --tile-validate{{ +}}Check every pass by execution
// FIRST:      All other passes are MLIR's.
// FIRST:      Available Dialects:
// FIRST:      USAGE: tx-opt
// DIALECTS:  {{[ ,]}}tile{{,|$}}
gpu.module @kernels {
}
