// RUN: not my-opt %s --serving-set-determinism=to=maybe 2>&1

// Diagnostics of a pass for the module are shown at the first op if the file contains no module.
// CHECK: wrong-option.mlir:[[#@LINE+2]]:1: error: option `to` is `maybe`, expected one of any, run_to_run, batch_invariant
// SNAPSHOT: none — what counts is said above.
func.func @empty() {
  return
}
