// RUN(VALUE): not tx-opt %s --tile-select-variant=explain=maybe 2>&1
// EXIT: 1
// RUN(NAME): not tx-opt %s --tile-select-variant=explane=true 2>&1
// EXIT: 1
// RUN(CHIP): not tx-opt %s --lower-reduction=chip=sm_91 2>&1
// EXIT: 1
// RUN(NONE): not tx-opt %s --lower-reduction=speed=11 2>&1
// EXIT: 1
// RUN(SECOND): not tx-opt %s --pass-pipeline='builtin.module(tile-schedule{chip=sm_90 untl=choice})' 2>&1
// EXIT: 1
// RUN(PIPE): not tx-opt %s --pass-pipeline='builtin.module(lower-reduction{chip=sm_91})' 2>&1
// EXIT: 1
// RUN(PASS): not tx-opt %s --pass-pipeline='builtin.module(tile-attach-target,tile-schedul{until=choice})' 2>&1
// EXIT: 1
// RUN(UPSTREAM): not tx-opt %s --pass-pipeline='builtin.module(canonicalise)' 2>&1
// EXIT: 1

// An option with a value that it does not take says what it takes; one that is unknown is named.
// VALUE: error: `tile-select-variant`: option `explain`: expected `true` or `false`, found `maybe`
// NAME:  tile-select-variant{explane=true}:1:21: error: `tile-select-variant` has no option `explane`; known: explain; did you mean `explain`?
// SECOND: tile-schedule{chip=sm_90 untl=choice}:1:26: error: `tile-schedule` has no option `untl`; known: {{.*}}; did you mean `until`?
// CHIP:  error: `lower-reduction`: unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
// NONE:  lower-reduction{speed=11}:1:17: error: `lower-reduction` has no option `speed`; known: {{.*}}chip
// PASS: builtin.module(tile-attach-target,tile-schedul{until=choice}):1:35: error: there is no pass `tile-schedul`; did you mean `tile-schedule`?
// UPSTREAM: builtin.module(canonicalise):1:16: error: there is no pass `canonicalise`; did you mean `canonicalize`?
// PIPE:  error: `lower-reduction`: unknown chip `sm_91`
gpu.module @kernels {
}
