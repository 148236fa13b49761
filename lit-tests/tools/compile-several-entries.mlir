// RUN(NONE): not tx compile %s 2>&1
// EXIT: 1
// RUN(OTHER): not tx compile %s --entry third 2>&1
// EXIT: 1
// RUN(SECOND): tx compile %s --entry second
// SNAPSHOT: none — the messages are all there is, and PTX of kernels that do nothing says nothing.

// If there are several entries, one must be selected by name. The message lists them.
// NONE:   error: 2 entries, expected one; choose with --entry
// NONE:   note: the file has `first`, `second`
// OTHER:  error: no entry named `third`
// OTHER:  note: the file has `first`, `second`
// SECOND: .visible .entry second(
gpu.module @kernels {
  gpu.func @first(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
  gpu.func @second(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
