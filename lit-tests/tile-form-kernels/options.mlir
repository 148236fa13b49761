// RUN(OPTION): not tx-opt %s --tile-form-kernels=fusion=all 2>&1
// EXIT: 1
// RUN(CHIP): not tx-opt %s --tile-form-kernels=chip=sm_1 2>&1
// EXIT: 1
// RUN(MATH): not tx-opt %s --tile-form-kernels=math=fast 2>&1
// EXIT: 1
// SNAPSHOT: none — what is said of an option stands below.

// For an invalid option value, the message lists the valid values.
// OPTION: option `fusion`: unknown value `all`
// OPTION: known: none, exact, algebraic
// MATH: option `math`: unknown value `fast`
// MATH: known: exact, approx
// CHIP: option `chip`: {{.+}}sm_1
func.func @nothing() {
  return
}
