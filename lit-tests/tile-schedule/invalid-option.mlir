// RUN: tx-opt %s --tile-schedule=until=never --verify-diagnostics
// SNAPSHOT: none — it is refused

// A stage that is none; the message lists those that are.
// expected-error @below {{option `until`: unknown stage `never`}}
// expected-note @below {{known: explain, candidates, choice, partials, kernels}}
module {
}
