// RUN: not my-opt %s --serving-set-determinism=to=maybe 2>&1

// What a pass says of the module is shown at the first op where the file writes no module.
// CHECK: wrong-option.mlir:[[#@LINE+2]]:1: error: option `to` is `maybe`, expected one of any, run_to_run, batch_invariant
// SNAPSHOT: none — what counts is said above.
func.func @empty() {
  return
}
