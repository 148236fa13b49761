// RUN(COMPILE): tx compile %s 2>&1
// RUN(EXPLAIN): tx explain %s 2>&1

// A program without launches compiles to nothing; a note says so, and there is no error.
// COMPILE: tx: {{.+}}nothing-to-do.mlir: nothing to compile: `idle` launches no kernel
// EXPLAIN: tx: {{.+}}nothing-to-do.mlir: nothing to explain: the file contains no reduction
func.func @idle() {
  return
}
