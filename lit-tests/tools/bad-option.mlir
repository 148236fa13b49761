// RUN(VALUE): not tx-opt %s --tile-select-variant=explain=maybe 2>&1
// EXIT: 1
// RUN(CHIP): not tx-opt %s --lower-reduction=chip=sm_91 2>&1
// EXIT: 1
// RUN(PIPE): not tx-opt %s --pass-pipeline='builtin.module(lower-reduction{chip=sm_91})' 2>&1
// EXIT: 1

// For an invalid option value, the message lists the valid values.
// VALUE: error: `tile-select-variant`: option `explain`: expected `true` or `false`, found `maybe`
// CHIP:  error: `lower-reduction`: unknown chip `sm_91`; known chips: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
// PIPE:  error: `lower-reduction`: unknown chip `sm_91`
gpu.module @kernels {
}
