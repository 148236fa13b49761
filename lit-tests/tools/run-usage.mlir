// RUN(DEVICE): not tx run %s --device gpu 2>&1
// EXIT: 2
// RUN(SPEC): not tx run %s --device cpu --arg ones:4 2>&1
// EXIT: 2
// RUN(GRID): not tx run %s --device cpu --grid 0 2>&1
// EXIT: 2
// RUN(GRAPH): not tx run %s --device cpu --arg zeros:f32 --graph 2>&1
// EXIT: 2
// RUN(COMMAND): not tx frobnicate %s 2>&1
// EXIT: 2
// RUN(OPTION): not tx compile %s --speed 11 2>&1
// EXIT: 2
// RUN(FILE): not tx compile 2>&1
// EXIT: 2
// SNAPSHOT: none — the usage that follows the message is no concern of this test.

// An invalid command line has status 2, and the message shows the valid form.
// DEVICE:  unknown device `gpu`; expected `auto`, `cpu`, `cuda` or `cuda:N`
// SPEC:    `ones:4` is not an argument: expected FILE.npy
// GRID:    expected a whole number from 1 to 2147483647 along x, as in `16,4,1`
// GRAPH:   the CPU does not support CUDA graphs and streams; launch the program without them, or on a CUDA device
// COMMAND: unrecognized subcommand 'frobnicate'
// OPTION:  unexpected argument '--speed'
// FILE:    <FILE.mlir>
gpu.module @kernels {
  gpu.func @k(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
