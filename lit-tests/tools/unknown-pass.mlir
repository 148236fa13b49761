// RUN(FLAG): not tx-opt %s --tile-nonsense 2>&1
// EXIT: 1
// RUN(PIPE): not tx-opt %s --pass-pipeline='builtin.module(tile-nonsense)' 2>&1
// EXIT: 1
// SNAPSHOT: none — the first message suggests a flag of LLVM's own.

// For an unknown pass, the message shows its name.
// FLAG: Unknown command line argument '--tile-nonsense'
// PIPE: error: {{.*}}'tile-nonsense' does not refer to a registered pass or pass pipeline
gpu.module @kernels {
}
