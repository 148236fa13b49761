// RUN: tx-opt --help
// RUN(DIALECTS): tx-opt --show-dialects
// SNAPSHOT: none — the help is MLIR's, and long.

// The help lists our passes and pipelines among MLIR's own, with what they are for, and so do the
// dialects.
// CHECK-DAG: --convert-gpu-shuffle-to-nvvm {{ *}} - Lower shuffles to NVVM
// CHECK-DAG: --convert-tile-to-gpu {{ *}} - Lower the tile ops that are left
// CHECK-DAG: --tile-analyze-scope {{ *}} - {{.+}}
// CHECK-DAG: --tile-attach-target {{ *}} - {{.+}}
// CHECK-DAG: --tile-expand-reduce {{ *}} - {{.+}}
// CHECK-DAG: --tile-expand-shuffle-tree {{ *}} - {{.+}}
// CHECK-DAG: --tile-insert-sync {{ *}} - {{.+}}
// CHECK-DAG: --tile-select-variant {{ *}} - {{.+}}
// CHECK-DAG: --gpu-to-nvvm {{ *}} - {{.+}}
// CHECK-DAG: --gpu-to-ptx {{ *}} - {{.+}}
// CHECK-DAG: --lower-reduction {{ *}} - {{.+}}
// CHECK-DAG: --canonicalize {{ *}} - {{.+}}
// DIALECTS:  tile
