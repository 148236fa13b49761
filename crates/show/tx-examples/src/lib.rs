//! Numbered examples of programs that use tx. The package contains only these examples.
//!
//! | example | content | needs |
//! |---|---|---|
//! | 01 `01-compile.rs` | compiles MLIR text to PTX and a launch plan, and shows the IR after each stage | |
//! | 02 `02-run.rs` | runs a program on a GPU, or on the CPU if there is none | |
//! | 03 `03-variant` | adds a custom variant, which is an algorithm for reductions | |
//! | 04 `04-pass` | adds a custom pass with options and counters to the pipeline | |
//! | 05 `05-tensors.rs` | lowers sums and maxima of a small tensor-expression compiler through tx | |
//! | 06 `gpu/06-custom-operation.rs` | launches an operation on buffers and streams of a cudarc program | a GPU |
//! | 07 `gpu/07-cuda-graph.rs` | captures the operation in a CUDA graph, and replays it | a GPU |
//! | 08 `gpu/08-several-gpus.rs` | reduces a shard per GPU, and adds with NCCL, in one or several processes | GPUs, NCCL |
//!
//! ```console
//! cargo run -p tx-examples --example 01-compile
//! cargo run -p tx-examples --example gpu -- 06                                 # on a GPU
//! cargo run -p tx-examples --example gpu -- 06 --device cpu                    # where there is none
//! cargo run -p tx-examples --features nccl --example gpu -- 08 --processes
//! ```
//!
//! Every example compares its results with an `f64` reference, and returns status 0 only for
//! correct results. On a machine without a GPU, the example `gpu` exits with status 1. The archive
//! that `cargo xtask dist` builds contains the example `gpu`, but not the compiler.
