//! Test harness for compilers: a test file contains its commands and the expected output, in
//! comments.
//!
//! This harness runs the [lit tests][lit] of `tx`, and is available to projects with their own
//! passes, dialects or variants. The harness runs programs and links none, so its build needs no
//! MLIR.
//!
//! [lit]: https://llvm.org/docs/CommandGuide/lit.html
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
//! The [driver](Suite::driver) compiles and validates programs. If the tests use only passes and
//! variants of `tx`, the driver is `tx`, as found by `tx_lit::Tool::in_path("tx")`. Otherwise the
//! driver is a program of the project, whose `main` registers its passes and variants and calls
//! `tx_cli::main_with`. `docs/how-to/test-your-own.md` shows both programs.
//!
//! Every `.mlir` file in `tests/lit` and its subfolders is a test, named by its path:
//!
//! ```console
//! cargo test --test lit                                 # all
//! cargo test --test lit -- my-pass                      # those whose name contains this
//! cargo test --test lit -- --exact my-pass/rows.mlir    # one
//! cargo test --test lit -- --list
//! ```
//!
//! # A test
//!
//! ```mlir
//! // RUN: my-opt %s --lower-reduction
//!
//! // Eight lanes take a row each, and its sum is three butterfly steps. All are in one warp.
//! // CHECK-LABEL:   gpu.func @rows
//! // CHECK-COUNT-3: gpu.shuffle xor
//! // COUNT:         @rows barriers = 0, shuffles = 3, shared loads <= 1
//! // VALIDATE
//! ```
//!
//! A test needs a `RUN` line or another directive that runs a program, a check of each `RUN` line,
//! and a sentence that describes the test. A file without these parts is rejected. An unknown
//! directive is rejected too, because a misspelt CHECK would pass silently.
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
//! [FileCheck]: https://llvm.org/docs/CommandGuide/FileCheck.html
//!
//! A command is a [tool](Suite::tool) with arguments, which are quoted if they contain blanks. A
//! prefix `not` expects a failure (status 1 to 127, no signal). `|` pipes standard output. A final
//! `2>&1` adds standard error to the checked output. Commands run without a shell. `%s` is the test
//! file, `%S` its folder, and `%t` a path for a temporary file. In output, `$ROOT` replaces
//! [`Suite::root`], and `$TMP` replaces the folder of temporary files.
//!
//! A project can add [tools](Suite::tool) and [directives](Suite::directive), and can declare
//! directives that [other tools read](Suite::read_elsewhere); these tools find them with
//! [`directives`].
//!
//! ## Validation of a program
//!
//! `VALIDATE` and `RACE-FREE` accept arguments for `tx validate` after a colon: `VALIDATE: --entry
//! rows --chip sm_90`, `RACE-FREE: --arg rand:4x8xf32 --arg zeros:4xf32`. Without `--arg`, inputs
//! are generated.
//!
//! `RACE-FREE` is weaker than `VALIDATE`: the results of intermediate stages may be wrong.
//! `RACE-FREE` requires a complete run of each function and kernel, so an early fault does not hide
//! a race. A race of the input program that the lowering removes is accepted, unless
//! `--synchronized` is given.
//!
//! ## Counts
//!
//! `COUNT` checks the output of the RUN line: MLIR, PTX, or PTX in a `gpu.binary`. If there are
//! several RUN lines, their prefix selects one: `COUNT(PTX): @rows shuffles = 3`.
//!
//! Counts are static: the number of operations in the text of a function, not of executions. A
//! comparison is `=`, `<=` or `>=`. The function name is optional if the output has one function.
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
//! vector access counts as one operation. In MLIR the memory space is that of the type; a `memref`
//! without one is in global memory.
//!
//! An op that hides an unknown number of operations is an error, for example an op of `tile` that
//! is not lowered, a call, or inline assembly.
//!
//! # Snapshots
//!
//! CHECK lines state required properties. In addition, `x.snap` next to `x.mlir` contains the whole
//! output (`x.NAME.snap` for `RUN(NAME)`), so that a review shows every change. Snapshots use
//! [insta]: `INSTA_UPDATE=always` accepts the present output, and `cargo insta review` asks.
//! [`Suite::bless_hint`] is the command that a failure message recommends.
//!
//! A snapshot has at most [300 lines](Suite::max_snapshot_lines), since nobody reviews longer ones.
//! A test with more output states its result in CHECK, `COUNT` or `VALIDATE` lines, and disables
//! the snapshot with `SNAPSHOT: none — REASON`.
//!
//! Snapshots are compared last: if a directive or a CHECK line fails, no snapshot is compared or
//! written. An accepted snapshot of a test with `VALIDATE` has therefore been validated.
//!
//! A snapshot that differs from the output is left unchanged, and the output is written to
//! `x.snap.new`. `cargo insta` reads this file, and the next successful run removes it. A line
//! `*.snap.new` in `.gitignore` keeps these files out of commits.
//!
//! [insta]: https://insta.rs

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
mod report;
#[cfg(feature = "run")]
mod semantic;
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
pub use suite::{AssertSnapshot, Suite};
#[cfg(feature = "run")]
pub use tool::Tool;

/// Snapshot library of [`suite!`].
#[cfg(feature = "run")]
#[doc(hidden)]
pub use insta;
/// Test runner that defines [`Arguments`](libtest_mimic::Arguments) and
/// [`Trial`](libtest_mimic::Trial) for [`Suite::run_with`].
#[cfg(feature = "run")]
pub use libtest_mimic;
