//! Test harness for compilers. The comments of a test file contain commands and the expected output
//! of each command.
//!
//! This harness runs the [lit tests][lit] of `tx`. Other projects can use the harness for their own
//! passes, dialects or variants. The harness starts compilers as processes, so MLIR is not needed
//! to build the harness.
//!
//! # A suite
//!
//! Declare a test target without the standard harness in `Cargo.toml`:
//!
//! ```toml
//! [[test]]
//! name = "lit"
//! harness = false
//! ```
//!
//! The `main` function in `tests/lit.rs` configures the suite:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//! # let (my_opt, my_tx) = ("target/debug/my-opt", "target/debug/my-tx"); /*
//!     let my_opt = env!("CARGO_BIN_EXE_my-opt");
//!     let my_tx = env!("CARGO_BIN_EXE_my-tx");
//! # */
//!     tx_lit::suite!("tests/lit")
//!         .tool("my-opt", my_opt)
//!         .tool("my-tx", my_tx)
//!         .driver("my-tx")
//!         .file_check("/usr/lib/llvm-22/bin/FileCheck")
//!         .round_trip("my-opt")
//!         .bless_hint("INSTA_UPDATE=always cargo test --test lit -- --exact {test}")
//!         .run()
//! }
//! ```
//!
//! The [driver](Suite::driver) is the program that compiles and validates tests. If the tests use
//! only passes and variants of `tx`, the driver is `tx`; `tx_lit::Tool::in_path("tx")` finds `tx`
//! on `PATH`. If the tests use passes or variants of another project, the driver is a program of
//! the other project: its `main` registers the passes and variants, and calls `tx_cli::main_with`.
//! `docs/how-to/test-your-own.md` shows the source code of such a driver and of a test target.
//!
//! Every `.mlir` file in `tests/lit` and its subfolders is a test. The name of a test is its path:
//!
//! ```console
//! cargo test --test lit                                 # all tests
//! cargo test --test lit -- my-pass                      # tests whose name contains `my-pass`
//! cargo test --test lit -- --exact my-pass/rows.mlir    # one test
//! cargo test --test lit -- --list
//! ```
//!
//! # A test
//!
//! ```mlir
//! // RUN: my-opt %s --lower-reduction
//!
//! // Eight lanes of a warp reduce each row in three butterfly steps.
//! // CHECK-LABEL:   gpu.func @rows
//! // CHECK-COUNT-3: gpu.shuffle xor
//! // COUNT:         @rows barriers = 0, shuffles = 3, shared loads <= 1
//! // VALIDATE
//! ```
//!
//! A test must contain a directive that runs a program (usually a `RUN` line), a check of each
//! `RUN` line, and a sentence that describes the test. The harness rejects an incomplete test file.
//! The harness rejects an unknown directive, because a misspelt CHECK line would otherwise have no
//! effect.
//!
//! # Directives
//!
//! A directive follows `//` at the beginning of a line.
//!
//! | directive | meaning |
//! |---|---|
//! | `RUN: COMMAND` | runs the command; the output must match the `CHECK` lines |
//! | `RUN(NAME): COMMAND` | as `RUN`, with the lines `NAME`, `NAME-NEXT` …; of several RUN lines all but one need names. `RUN(A,B):` uses both |
//! | `EXIT: 3` | exit status of the RUN line above; default 0 |
//! | `CHECK: …`, `-NEXT`, `-SAME`, `-NOT`, `-DAG`, `-LABEL`, `-EMPTY`, `-COUNT-N` | as in [FileCheck] |
//! | `SNAPSHOT: none — REASON` | no snapshot; `SNAPSHOT(NAME):` selects one of several RUN lines |
//! | `ROUNDTRIP: none — REASON` | the output need not parse again, although [`Suite::round_trip`] is set |
//! | `COUNT: @kernel WHAT = N, …` | numbers of operations in the output: see [below](#counts) |
//! | `VALIDATE` | `validate` of the driver accepts the program: every stage computes equal results |
//! | `RACE-FREE` | the lowered program runs on the executor without a data race |
//! | `PTXAS: sm_80 sm_90` | `compile` of the driver for each chip; NVIDIA's `ptxas` must accept the PTX |
//!
//! A command is a [tool](Suite::tool) with arguments. Arguments that contain blanks must be quoted.
//! With the prefix `not`, the command must fail with an exit status from 1 to 127. `|` connects
//! standard output to the standard input of the next command. A final `2>&1` adds standard error to
//! the checked output. Commands run without a shell. `%s` is the path of the test file, `%S` the
//! path of its folder, and `%t` a path for a temporary file. In the output, `$ROOT` replaces the
//! path [`Suite::root`], and `$TMP` replaces the path of the folder for temporary files.
//!
//! A project can add [tools](Suite::tool) and [directives](Suite::directive). A project can declare
//! directives that [tools other than the harness read](Suite::read_elsewhere). Tools other than the
//! harness can parse their directives with the function [`directives`].
//!
//! ## Validation of a program
//!
//! After a colon, `VALIDATE` and `RACE-FREE` accept arguments of `tx validate`, as in `VALIDATE:
//! --entry rows --chip sm_90` or `RACE-FREE: --arg rand:4x8xf32 --arg zeros:4xf32`. If a `VALIDATE`
//! or `RACE-FREE` line contains no `--arg`, `tx validate` generates the inputs.
//!
//! `RACE-FREE` is weaker than `VALIDATE`, because `RACE-FREE` accepts stages with wrong results.
//! `RACE-FREE` requires that each function and kernel returns without a fault, because a fault
//! could hide a later race. `RACE-FREE` accepts a race of the input program that the lowering
//! removes, unless `--synchronized` is given.
//!
//! ## Counts
//!
//! `COUNT` checks the output of the RUN line: MLIR, PTX, or PTX in a `gpu.binary`. In a test with
//! several RUN lines, a prefix selects the RUN line: `COUNT(PTX): @rows shuffles = 3` checks the
//! output of `RUN(PTX)`.
//!
//! `COUNT` counts the operations in the text of a function. An operation in a loop counts once. The
//! comparison operators are `=`, `<=` and `>=`. The function name is optional if the output
//! contains only one function.
//!
//! | quantity | in MLIR | in PTX |
//! |---|---|---|
//! | `barriers` | `gpu.barrier`, `nvvm.barrier` | `bar`, `barrier` |
//! | `warp barriers` | `nvvm.bar.warp.sync` | `bar.warp.sync` |
//! | `cluster barriers` | `nvvm.cluster.wait` | `barrier.cluster.wait` |
//! | `shuffles` | `gpu.shuffle`, `nvvm.shfl.sync` | `shfl.sync` |
//! | `redux` | `nvvm.redux.sync` | `redux.sync` |
//! | `votes` | `nvvm.vote.sync` | `vote.sync` |
//! | `fences` | `llvm.fence`, `nvvm.memory.barrier`, `nvvm.fence.*` | `fence`, `membar` |
//! | `atomics` | `memref.atomic_rmw`, `llvm.atomicrmw`, `llvm.cmpxchg` | `atom`, `red` |
//! | `loads` | `memref.load`, `vector.load`, `llvm.load` … | `ld`, except of parameters |
//! | `stores` | `memref.store`, `vector.store`, `llvm.store` … | `st`, except of parameters |
//! | `gpu.thread_id` | ops with this name | instructions with this full opcode |
//!
//! A memory space may precede `loads`, `stores` and `atomics`: `global`, `shared`, `private`,
//! `cluster` (shared memory of another block) or `generic` (a generic pointer). The word `vector`
//! before `loads` and `stores` selects accesses of several elements: `shared vector loads = 1`. A
//! vector load or store counts as one operation. In MLIR, the memref or pointer type of an access
//! determines the memory space; a `memref` without a memory space is in global memory.
//!
//! `COUNT` fails if the function contains an op whose number of operations is unknown, such as a
//! call, inline assembly, or a `tile` op before its lowering.
//!
//! # Snapshots
//!
//! CHECK lines test required properties of the output. A snapshot contains the complete output, so
//! that a review shows every change. The snapshot of `x.mlir` is the file `x.snap` in the same
//! folder (`x.PREFIX.snap` for `RUN(PREFIX)`). The harness uses [insta]: `INSTA_UPDATE=always`
//! accepts the current output, and `cargo insta review` shows each change and asks whether to
//! accept the change. Failure messages recommend the command [`Suite::bless_hint`].
//!
//! A snapshot has at most [300 lines](Suite::max_snapshot_lines), because longer snapshots are not
//! reviewed. If the output of a test is too long for a snapshot, the line `SNAPSHOT: none — REASON`
//! disables the snapshot, and CHECK, `COUNT` or `VALIDATE` lines check the output.
//!
//! If a directive or a CHECK line fails, the harness neither compares nor writes a snapshot.
//!
//! If a snapshot differs from the output, the harness does not change the snapshot, but writes the
//! output to `x.snap.new`. `cargo insta` reads the file `x.snap.new`. The next successful run of
//! the test removes `x.snap.new`. A line `*.snap.new` in `.gitignore` keeps the file out of
//! commits.
//!
//! [FileCheck]: https://llvm.org/docs/CommandGuide/FileCheck.html
//! [insta]: https://insta.rs
//! [lit]: https://llvm.org/docs/CommandGuide/lit.html

mod text;

#[cfg(feature = "run")]
mod command;
#[cfg(feature = "run")]
mod count;
#[cfg(feature = "run")]
mod directive;
#[cfg(feature = "run")]
mod file;
#[cfg(feature = "run")]
mod file_check;
#[cfg(feature = "run")]
mod pipeline;
#[cfg(feature = "run")]
mod programs;
#[cfg(feature = "run")]
mod registry;
#[cfg(feature = "run")]
mod report;
#[cfg(feature = "run")]
mod round_trip;
#[cfg(feature = "run")]
mod semantic;
#[cfg(feature = "run")]
mod snapshot;
#[cfg(feature = "run")]
mod suite;
#[cfg(feature = "run")]
mod tool;

pub use text::{Line, directive, directives, snapshot_contents};

#[cfg(feature = "run")]
pub use command::Output;
#[cfg(feature = "run")]
pub use directive::{Context, Directive};
#[cfg(feature = "run")]
pub use snapshot::AssertSnapshot;
#[cfg(feature = "run")]
pub use suite::Suite;
#[cfg(feature = "run")]
pub use tool::Tool;

/// Snapshot library that the macro [`suite!`] calls.
#[cfg(feature = "run")]
#[doc(hidden)]
pub use insta;
/// Test runner that defines [`Arguments`](libtest_mimic::Arguments) and
/// [`Trial`](libtest_mimic::Trial) for [`Suite::run_with`].
#[cfg(feature = "run")]
pub use libtest_mimic;
