//! Validation.

use crate::{Code, Command};

pub(crate) const CODES: &[Code] = &[Code {
    number: 701,
    title: "what execution shows to be wrong",
    messages: &["`{}` as it came: {}", "`{}` after `{}`: {}"],
    explanation: "With `validate-each` the program is run as it came and after each pass, on generated inputs. As \
                      it came, it does what a GPU leaves undefined: a race, an access out of bounds, a read of what \
                      nobody wrote. After a pass, it computes something else, which is a bug of the pass.",
    command: Command::Opt(&["--lower-reduction=validate-each"]),
    refused: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xindex>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %t, %B[%c0] : memref<64xindex>
    gpu.return
  }
}
"#,
    accepted: r#"gpu.module @kernels {
  gpu.func @k(%B: memref<64xindex>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %t, %B[%t] : memref<64xindex>
    gpu.return
  }
}
"#,
}];
