//! Numbered examples of what other programs do with tx. There is nothing else in this package.
//!
//! | example | what it shows | needs |
//! |---|---|---|
//! | 01 `01-compile.rs` | MLIR text becomes PTX and a launch plan; the IR on the way | |
//! | 02 `02-run.rs` | a program is run on whatever device there is | |
//! | 03 `03-variant` | a way to compute reductions of one's own, chosen and run | |
//! | 04 `04-pass` | a pass of one's own, with options and counters, among those of the compiler | |
//! | 05 `05-tensors.rs` | a small tensor-expression compiler lowers sums and maxima through tx | |
//! | 06 `gpu/06-custom-operation.rs` | an operation on buffers and streams that a cudarc program owns | a GPU |
//! | 07 `gpu/07-cuda-graph.rs` | the same operation in a CUDA graph, recorded once and replayed | a GPU |
//! | 08 `gpu/08-several-gpus.rs` | each GPU reduces a shard, then NCCL adds up: threads of one process, or a process each | GPUs, NCCL |
//!
//! ```console
//! cargo run -p tx-examples --example 01-compile
//! cargo run -p tx-examples --example gpu -- 06                                 # on a GPU
//! cargo run -p tx-examples --example gpu -- 06 --device cpu                    # where there is none
//! cargo run -p tx-examples --features nccl --example gpu -- 08 --processes
//! ```
//!
//! Every example checks its results against `f64` and ends with status 0 only when they are right.
//! Those of the example `gpu` say so where there is no GPU, and end with status 1; it is in the
//! archive of `cargo xtask dist` as well, without the compiler.
