//! Tests of compilers in text: a file says how it is run and what must come out, in comments.
//!
//! The harness of `tx`'s own [lit tests][lit], for projects that have passes, dialects or variants
//! of theirs. It runs programs and links none: no MLIR is needed to build it.
//!
//! [lit]: https://llvm.org/docs/CommandGuide/lit.html
//!
//! # A suite
//!
//! A test target without the standard harness, in `Cargo.toml`,
//!
//! ```toml
//! [[test]]
//! name = "lit"
//! harness = false
//! ```
//!
//! whose `main` is the configuration, in `tests/lit.rs`:
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
//! The [driver](Suite::driver) says what programs do. It is `tx`, which
//! `tx_lit::Tool::in_path("tx")` finds, where the tests are of passes and variants of `tx` alone.
//! One that is registered elsewhere it never runs: then the driver is a program of the project's,
//! whose `main` registers them and calls `tx_cli::main_with`. `docs/how-to/test-your-own.md` has
//! both programs.
//!
//! Every `.mlir` file in `tests/lit` and in the folders below it is a test, named by its path:
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
//! It has a `RUN` line or another directive that runs something, something that checks each `RUN`
//! line, and a sentence that says what it is about. A file without them is refused, and so is
//! whatever looks like a directive and is none: a misspelt CHECK would otherwise pass for ever.
//!
//! # Directives
//!
//! They stand at the beginning of a line, after `//`.
//!
//! | directive | meaning |
//! |---|---|
//! | `RUN: COMMAND` | runs; the output has to meet the `CHECK` lines |
//! | `RUN(NAME): COMMAND` | the same with `NAME`, `NAME-NEXT` …; of several RUN lines all but one need names. `RUN(A,B):` for both |
//! | `EXIT: 3` | the RUN line above ends with this status; without it, with 0 |
//! | `CHECK: …`, `-NEXT`, `-SAME`, `-NOT`, `-DAG`, `-LABEL`, `-EMPTY`, `-COUNT-N` | as [FileCheck] reads them |
//! | `SNAPSHOT: none — REASON` | no snapshot; `SNAPSHOT(NAME):` of one of several RUN lines |
//! | `ROUNDTRIP: none — REASON` | the output need not be read back, where [`Suite::round_trip`] asks for it |
//! | `COUNT: @kernel WHAT = N, …` | so many operations stand in the output: see [below](#counts) |
//! | `VALIDATE` | `validate` of the driver accepts the program: every stage computes what the one before does |
//! | `RACE-FREE` | the lowered program was run on the executor, and has no race |
//! | `PTXAS: sm_80 sm_90` | `compile` of the driver for each chip; NVIDIA's `ptxas` has to accept the result |
//!
//! [FileCheck]: https://llvm.org/docs/CommandGuide/FileCheck.html
//!
//! A command is a [tool](Suite::tool) with arguments, quoted if they hold blanks. `not` in front of
//! it expects a failure (status 1 to 127, no signal). `|` pipes standard output on. `2>&1` at the
//! end adds standard error to what is checked. There is no shell behind it. `%s` is the test file,
//! `%S` its folder, and `%t` a path for a temporary file. In output, [`Suite::root`] is `$ROOT` and
//! the folder of temporary files `$TMP`.
//!
//! A project adds [tools](Suite::tool) and [directives](Suite::directive) of its own, and names those that
//! [something else reads](Suite::read_elsewhere), which can find them with [`directives`].
//!
//! ## What a program does
//!
//! `VALIDATE` and `RACE-FREE` may have arguments for `tx validate`, after a colon: `VALIDATE:
//! --entry rows --chip sm_90`, `RACE-FREE: --arg rand:4x8xf32 --arg zeros:4xf32`. Without `--arg`,
//! inputs are made.
//!
//! `RACE-FREE` is less than `VALIDATE`: a program whose results are wrong on the way may have it.
//! It is more than that no race was met: each function and kernel must have been run as a whole. A
//! race that the program has as it comes, and that lowering orders, is none; with `--synchronized`
//! it is.
//!
//! ## Counts
//!
//! `COUNT` looks at the output of the RUN line: MLIR, PTX, or PTX in a `gpu.binary`. Where there
//! are several, it says in parentheses of which, as CHECK lines do by their names: `COUNT(PTX):
//! @rows shuffles = 3`.
//!
//! Counted is what stands in a function, not how often it runs. A comparison is `=`, `<=` or `>=`;
//! the function may be left out if there is one.
//!
//! | what | in MLIR | in PTX |
//! |---|---|---|
//! | `barriers` | `gpu.barrier`, `nvvm.barrier` | `bar`, `barrier` |
//! | `warp barriers` | `nvvm.bar.warp.sync` | `bar.warp.sync` |
//! | `cluster barriers` | `nvvm.cluster.wait` | `barrier.cluster.wait` |
//! | `shuffles` | `gpu.shuffle`, `nvvm.shfl.sync` | `shfl.sync` |
//! | `redux` | `nvvm.redux.sync` | `redux.sync` |
//! | `votes` | `nvvm.vote.sync` | `vote.sync` |
//! | `fences` | `llvm.fence`, `nvvm.memory.barrier`, `nvvm.fence.*` | `fence`, `membar` |
//! | `atomics` | `memref.atomic_rmw`, `llvm.atomicrmw`, `llvm.cmpxchg` | `atom`, `red` |
//! | `loads` | `memref.load`, `vector.load`, `llvm.load` … | `ld`, but of parameters |
//! | `stores` | `memref.store`, `vector.store`, `llvm.store` … | `st`, but of parameters |
//! | `gpu.thread_id` | ops of this name | instructions with this opcode, all of it |
//!
//! `loads`, `stores` and `atomics` may have a memory before them, `global`, `shared`, `private`,
//! `cluster` (shared memory of another block) or `generic` (a pointer that does not say), and
//! `loads` and `stores` the word `vector`: several elements at once, `shared vector loads = 1`. An
//! access of several elements counts once. In MLIR the memory is that of the type; a `memref` that
//! names none is global.
//!
//! What cannot be told is refused, not counted as nothing: an op of `tile` that is not lowered yet,
//! a call, inline assembly.
//!
//! # Snapshots
//!
//! Beside the CHECK lines, which say what must be true, `x.snap` beside `x.mlir` holds the whole
//! output (`x.NAME.snap` for `RUN(NAME)`), and shows what a change does. Snapshots are [insta]'s:
//! `INSTA_UPDATE=always` accepts the present output, and `cargo insta review` asks.
//! [`Suite::bless_hint`] is what a failure tells people to run.
//!
//! A snapshot has at most [300 lines](Suite::max_snapshot_lines), since nobody reviews longer ones.
//! A test with more output states its result in CHECK, `COUNT` or `VALIDATE` lines, and says so:
//! `SNAPSHOT: none — REASON`.
//!
//! They come last: where a directive or a CHECK line fails, that is what is told, and no snapshot
//! is compared, written or asked for. So what is accepted has computed the right thing, where the
//! test says `VALIDATE`.
//!
//! A snapshot that is not as the output is stays as it is, and what came out lies beside it in
//! `x.snap.new`, which `cargo insta` reads and the next run that holds removes. It is nothing to
//! commit: a line `*.snap.new` in `.gitignore` keeps these files out.
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

/// What [`suite!`] compares snapshots with.
#[cfg(feature = "run")]
#[doc(hidden)]
pub use insta;
/// The runner of tests, whose [`Arguments`](libtest_mimic::Arguments) and [`Trial`](libtest_mimic::Trial)s
/// [`Suite::run_with`] takes.
#[cfg(feature = "run")]
pub use libtest_mimic;
