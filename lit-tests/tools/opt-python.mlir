// RUN: not tx-opt %s 2>&1

// Text of another language is told as a whole, and not by its first word, which is no op.
// CHECK:     error: this is no program in MLIR: no line begins with an op, the first is `import math`; expected one that begins with `func.func`, `gpu.module` or `module`
// CHECK-NOT: error
import math
print(math.sqrt(2.0))
