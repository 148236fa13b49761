// RUN: not tx compile %s --asserts 2>&1
// EXIT: 1
// RUN(DROPPED): tx compile %s
// SNAPSHOT: none — the message is checked
// SNAPSHOT(DROPPED): none — what is not there is checked

// The body of a reduction must only compute, so an assertion is an error. Without `--asserts` it is dropped.
// CHECK:       error: the body of a reduction must have no side effects: it may be executed any number of times
// CHECK:       note: `cf.assert` is not known to be free of side effects
// DROPPED-NOT: __assertfail
// DROPPED:     .visible .entry reduced_0
func.func @reduced(%A: tensor<7xi32>) -> tensor<i32> {
  %c4 = arith.constant 4 : i32
  %z = arith.constant dense<0> : tensor<i32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%A : tensor<7xi32>) outs(%z : tensor<i32>) {
  ^bb0(%v: i32, %o: i32):
    %ok = arith.cmpi slt, %v, %c4 : i32
    cf.assert %ok, "value must be less than 4"
    %t = arith.addi %o, %v : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  return %s : tensor<i32>
}
