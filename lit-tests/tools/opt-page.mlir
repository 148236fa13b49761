// RUN: not tx-opt %s 2>&1

// So is what does not begin with a word.
// CHECK:     error: this is no program in MLIR: no line begins with an op, the first is `<html><body>`; expected
// CHECK-NOT: error
<html><body>
  <p>What a server says in place of a file.</p>
</body></html>
