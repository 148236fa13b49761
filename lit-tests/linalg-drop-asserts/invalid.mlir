// RUN: tx-opt %s --linalg-drop-asserts --split-input-file --verify-diagnostics

// The pass rejects nothing: the verifier of the dialect rejects assertions of other types.
func.func @number(%x: i32) {
  // expected-error @below {{must be 1-bit signless integer}}
  "cf.assert"(%x) {msg = "number"} : (i32) -> ()
  return
}
