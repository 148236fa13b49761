// RUN: tx-opt %s --linalg-drop-asserts --split-input-file --verify-diagnostics

// The pass refuses nothing; an assertion of something else than a condition is refused by the dialect before.
func.func @number(%x: i32) {
  // expected-error @below {{must be 1-bit signless integer}}
  "cf.assert"(%x) {msg = "number"} : (i32) -> ()
  return
}
