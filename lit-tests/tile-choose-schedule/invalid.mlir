// RUN: tx-opt %s --tile-choose-schedule --split-input-file --verify-diagnostics

// An op that `tile-schedule` rejects gets no schedule.
func.func @unknown_loop(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  // expected-error @below {{the schedule names an unknown loop `d7`}}
  // expected-note @below {{loops here: `d0`, `d1`}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.unroll<"d7">]} : memref<4x8xf32> into memref<4xf32>
  return
}
