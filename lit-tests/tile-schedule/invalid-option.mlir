// RUN: not tx-opt %s --tile-schedule=until=never 2>&1
// SNAPSHOT: none — it is refused

// A stage that is none; the message stands at the option, and lists those that are.
// CHECK: tile-schedule{until=never}:1:15: error: option `until`: unknown stage `never`
// CHECK: note: known: explain, candidates, choice, partials, kernels
module {
}
