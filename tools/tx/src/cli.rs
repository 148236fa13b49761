//! Command-line definition of `tx`.

use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum, ValueHint};
use tx_runtime::{MAX_GRID, Spec};

use crate::diagnostic::Format;

/// A reduction compiler: MLIR in, PTX out, run on a GPU or on the CPU.
#[derive(Debug, Parser)]
#[command(
    name = "tx",
    version,
    propagate_version = true,
    after_help = "\
Files that are written need a folder that is there. Folders that are named
themselves (--dir, --cache, --out of `tx fuzz`) are made, with those above.

Exit status:
  0  done
  1  the program, its arguments, its chip or its files were refused
  2  wrong usage
  3  the program ran and failed: a race, a fault, a wrong result"
)]
pub(crate) struct Cli {
    /// Write log messages of this level to standard error: error, warn, info, debug, trace, or a
    /// filter such as `tx_runtime=debug` [env: TX_LOG]
    #[arg(
        long,
        value_name = "FILTER",
        global = true,
        value_parser = Offered(levels),
        hide_possible_values = true,
        display_order = 100
    )]
    pub(crate) log: Option<String>,

    /// The form of what is written to standard error: human (text, in colours on a terminal) or
    /// json (a line for each message)
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value_t = Format::Human,
        global = true,
        hide_possible_values = true,
        display_order = 101
    )]
    pub(crate) message_format: Format,
    /// Write what was done and when to this file, which Perfetto and `chrome://tracing` show
    #[arg(
        long, value_name = "FILE.json", global = true, value_hint = ValueHint::FilePath,
        display_order = 103
    )]
    pub(crate) trace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) progress: crate::progress::Options,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile a program and run it
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Run several programs in one process
    ///
    /// Each line of the file is a JSON list of what `tx run` takes, such as `["sums.mlir", "--arg",
    /// "zeros:f32"]`. A line of JSON is printed for each run, after what the run prints: its line,
    /// its exit status, and a message if that is not
    /// 0. The status is 0 if that of each run is, else 3 if a run failed, else 1. After an error
    ///    that a GPU does not recover from, all runs that follow fail.
    #[command(after_help = BATCH_EXAMPLES)]
    Batch(Batch),
    /// Measure how fast a program runs
    ///
    /// Runs it many times on the device, with the arguments as the run before left them, and prints
    /// the median time, and bytes per second: those of all arrays that it is given, each counted
    /// once, beside what the device reads at most, which is measured in the same run. Where the
    /// arguments are smaller than the cache, several sets of them take turns.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Compile a program to PTX
    #[command(after_help = COMPILE_EXAMPLES)]
    Compile(Compile),
    /// Say how a program is compiled, and why, or what a diagnostic means
    ///
    /// Of a program, for each reduction: what was chosen, and why; for which lengths each kernel
    /// is, where the host chooses one by a length; every variant, with its cost or why it is
    /// refused; then the schedules, of threads and loops. Of a code, which stands below an error:
    /// the rule, why it is one, and what to do, with a program that breaks it and one that does
    /// not.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Measure other schedules, and keep the best
    ///
    /// For each reduction of the program: compiles it with the schedule that it gets and with
    /// others that may be better, runs them on the given arguments, and compares times and results.
    /// What was measured is said on standard error; the program with the best schedules written on
    /// its reductions is what `tx compile` and the others read.
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Check every pass by execution
    ///
    /// Runs the program as it came and after each pass, on generated inputs, and says which pass
    /// changed what it computes. Outputs hold other values before each run; most sizes that are
    /// given at run time divide nothing.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// Show the lowering of a program on one page
    ///
    /// Writes HTML that needs nothing but a browser: the program after each pass beside the one
    /// before, what `tx validate` finds of each, schedules and variants that were chosen and
    /// refused, how threads exchange values, who holds what of fragments, PTX with the line that
    /// each instruction comes from, and times. A program that is refused gets a page as well, up to
    /// where it was.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Try random programs, and malformed ones
    #[command(after_help = FUZZ_EXAMPLES)]
    Fuzz(Fuzz),
    /// Say what is installed, what is missing and how to get it
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Write a completion script for a shell to standard output
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
    /// Write manual pages
    ///
    /// One page for `tx` and one for each of its commands. Without a folder, the page of `tx` goes
    /// to standard output.
    #[command(after_help = MAN_EXAMPLES)]
    Man(Man),
}

const RUN_EXAMPLES: &str = "\
A SPEC is one of:
  FILE.npy              the array of a file
  FILE.npy:bf16         the same, its 16-bit words read as bf16 (8-bit words:
                        f8E4M3FN, f8E5M2)
  zeros:4x8xf32         zeros; `zeros:f32` is an array of rank 0
  full:1.5:4x8xf32      one value everywhere; also inf, -inf and nan
  rand:4x8xf32[:SEED]   floats in [0, 1), integers from -8 to 7; SEED is 0 when
                        left out
  1.5                   a scalar

Examples:
  tx run row_sums.mlir --arg rand:1000x300xf32 --arg zeros:1000xf32
  tx run row_sums.mlir --arg input.npy --arg zeros:1000xf32 --out 1=sums.npy
  tx run kernels.mlir --entry sum --grid 16 --arg x.npy:bf16 --arg zeros:16xf32";

const BENCH_EXAMPLES: &str = "\
Examples:
  tx bench row_sums.mlir --arg rand:262144x1024xf32 --arg zeros:262144xf32
  tx bench sums.mlir --arg rand:262144x1024xf32 --arg zeros:262144xf32 --json
  tx bench kernels.mlir --entry sum --grid 16 --arg x.npy --arg zeros:16xf32";

const BATCH_EXAMPLES: &str = "\
Examples:
  tx batch runs.jsonl
  compute-sanitizer --tool racecheck tx batch runs.jsonl";

const COMPILE_EXAMPLES: &str = "\
Examples:
  tx compile row_sums.mlir
  tx compile row_sums.mlir --chip sm_90 -o row_sums.ptx --plan row_sums.json
  tx compile row_sums.mlir --time -o row_sums.ptx
  tx compile row_sums.mlir --times 20 -o row_sums.ptx";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  tx explain row_sums.mlir
  tx explain row_sums.mlir --chip sm_90
  tx explain TX0012
  tx explain --list";

const TUNE_EXAMPLES: &str = "\
Examples:
  tx tune sums.mlir --arg rand:4096x1000xf32 --arg zeros:4096xf32 -o tuned.mlir
  tx bench tuned.mlir --arg rand:4096x1000xf32 --arg zeros:4096xf32";

const VALIDATE_EXAMPLES: &str = "\
Verdicts:
  reference           the program as it came: what stages are compared with
  equal               the same bits as after the stage before (any NaN is like
                      any other)
  as before           what a stage before made wrong is wrong still, and nothing
                      else is; of races the first is told
  equal within order  other bits, as near to the program as it came as every
                      order of combination is
  WRONG               another result: the first element that differs, and both
                      values
  RACE                accesses that no barrier orders
  as in the IR        PTX with the barriers, shuffles, atomics and vector
                      accesses of the last IR
  PTX                 PTX that does otherwise than the last IR, or that ptxas
                      refuses: the first difference
  FAULT               out of bounds, never written, threads apart that must be
                      together ...
  hold, BROKEN        the laws of combiners: none is seen to fail, or values
                      with which one does
  conditional         values with which one does, that may not occur in the
                      program
  unsupported op OP   it cannot be run at this stage

Exit status:
  0  every verdict is good
  1  a program was refused, or does what it must not with all sizes and
     integers that were tried (give others with --arg)
  2  wrong usage
  3  a verdict is bad

Examples:
  tx validate row_sums.mlir
  tx validate row_sums.mlir --seed 7 --chip sm_90
  tx validate kernels.mlir --entry sum --arg rand:16x128xf32 --arg zeros:16xf32";

const REPORT_EXAMPLES: &str = "\
Exit status:
  0  the page is written
  1  the program was refused, and the page shows why, or it cannot be written
  2  wrong usage
  3  the page is written, and shows that a pass changes what is computed

Examples:
  tx report row_sums.mlir -o row_sums.html
  tx report kernels.mlir --entry warp_sum --chip sm_90 -o warp_sum.html
  tx report kernels.mlir --entry sum --grid 16 -o sum.html
  tx report row_sums.mlir --no-validate --no-times -o row_sums.html";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  tx doctor
  tx doctor --chip sm_100";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  tx completions bash > ~/.local/share/bash-completion/completions/tx
  tx completions zsh > ~/.zfunc/_tx
  tx completions fish > ~/.config/fish/completions/tx.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  tx man | man -l -
  tx man --dir ~/.local/share/man/man1";

const FUZZ_EXAMPLES: &str = "\
What is found is written to a folder, made smaller: a program, and a
description for `tx fuzz replay`.

Exit status:
  0  nothing was found
  1  it could not be looked for
  2  wrong usage
  3  something was found

Examples:
  tx fuzz modules --seconds 300 --jobs 4
  tx fuzz text --opt target/debug/tx-opt --corpus lit-tests";

const FUZZ_MODULES_EXAMPLES: &str = "\
Examples:
  tx fuzz modules --seconds 300 --jobs 4
  tx fuzz modules --seed 7 --first 1234 --cases 1
  tx fuzz modules --variant shared --seconds 60";

const FUZZ_TEXT_EXAMPLES: &str = "\
Examples:
  tx fuzz text --corpus lit-tests
  tx fuzz text --opt target/debug/tx-opt --upstream llvm-22/bin/mlir-opt";

const FUZZ_REPLAY_EXAMPLES: &str = "\
Examples:
  tx fuzz replay fuzz-findings/wrong-tile-expand-reduce-0-17.json";

const FUZZ_SHOW_EXAMPLES: &str = "\
Examples:
  tx fuzz show --seed 7 --first 1234
  tx fuzz show --cases 10";

/// Accepts any text, and offers known words for completion. Unknown words are rejected where they
/// are used, with a list of the known ones.
#[derive(Clone)]
struct Offered(fn() -> Vec<&'static str>);

fn chips() -> Vec<&'static str> {
    tx_target::CHIPS.map(|chip| chip.name).into()
}

fn devices() -> Vec<&'static str> {
    vec!["auto", "cpu", "cuda", "cuda:0", "cuda:1"]
}

fn levels() -> Vec<&'static str> {
    vec!["error", "warn", "info", "debug", "trace"]
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0().into_iter().map(PossibleValue::new)))
    }
}

/// Accepts integers in a range; the error states the range.
fn number<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    StringValueParser::new().try_map(move |text| {
        let found = text.parse().ok();
        found
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                format!(
                    "expected a whole number from {} to {}",
                    range.start(),
                    range.end()
                )
            })
    })
}

/// Program file and entry.
#[derive(Debug, Args)]
pub(crate) struct Program {
    /// MLIR text or bytecode; `-` reads standard input
    #[arg(value_name = "FILE.mlir", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The function or kernel to take; may be left out when there is one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
}

/// Compilation cache.
#[derive(Debug, Args)]
pub(crate) struct Kept {
    /// The folder in which compiled programs are kept, which is made if it is not there, or `off`
    /// [env: TX_CACHE] [default: the one that `tx doctor` names]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath,
          value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) cache: Option<PathBuf>,
}

/// Treatment of assertions.
#[derive(Debug, Args, Clone, Copy, Default)]
pub(crate) struct Asserts {
    /// Keep `cf.assert` in the bodies of linalg ops: a launch fails where an element does not meet
    /// one. They are dropped otherwise
    #[arg(long = "asserts")]
    pub(crate) kept: bool,
}

/// Device, arguments and other options of a launch.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    /// Where to run: auto (a CUDA device if there is one, else cpu), cpu, cuda or cuda:N
    #[arg(
        long, value_name = "DEVICE", default_value = "auto", value_parser = Offered(devices),
        hide_possible_values = true
    )]
    pub(crate) device: String,

    /// An argument; once for each, in order
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// The grid of a kernel, in CTAs, in place of its `known_grid_size`; one CTA, if it has none
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true)]
    pub(crate) grid: Option<Grid>,

    /// Steps of all threads of a launch after which the CPU takes it to have no end [default:
    /// 268435456, 64 for each element of the arguments and 1024 for each thread]
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,

    /// The chip to compile for [default: that of the device, sm_80 for cpu]
    #[arg(long, value_name = "CHIP", value_parser = Offered(chips), hide_possible_values = true)]
    pub(crate) chip: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) kept: Kept,

    #[command(flatten)]
    pub(crate) asserts: Asserts,

    #[command(flatten)]
    pub(crate) launch: Launch,

    /// Write argument I, counted from 0, to a file after the run, instead of printing what was
    /// written; `-` is standard output
    #[arg(long = "out", value_name = "I=FILE.npy", value_hint = ValueHint::FilePath)]
    pub(crate) outs: Vec<Out>,

    /// Write the PTX that is run to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ptx: Option<PathBuf>,

    /// Record the launches as a CUDA graph, and launch that
    #[arg(long)]
    pub(crate) graph: bool,

    /// Elements past a multiple of 256 bytes at which the CPU lets arrays begin, as a view of a
    /// larger one may
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true,
        value_parser = number(0..=u8::MAX),
          allow_negative_numbers = true)]
    pub(crate) past: u8,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) kept: Kept,

    #[command(flatten)]
    pub(crate) launch: Launch,

    /// How often to measure [default: 15, on the CPU 3]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX), allow_negative_numbers = true)]
    pub(crate) times: Option<u32>,

    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) launch: Launch,

    /// How often to measure each schedule [default: 7, on the CPU 3]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX), allow_negative_numbers = true)]
    pub(crate) times: Option<u32>,

    /// Write the program with the best schedules here instead of to standard output, which `-` stands for
    #[arg(short, long, value_name = "FILE.mlir", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// Lines of JSON; `-` reads standard input
    #[arg(value_name = "FILE.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) kept: Kept,

    /// The chip to compile for; `#nvvm.target` on a `gpu.module` wins
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = Offered(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    #[command(flatten)]
    pub(crate) asserts: Asserts,

    /// Write the PTX here instead of to standard output, which `-` stands for
    #[arg(short, long, value_name = "FILE.ptx", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write the launch plan here, as JSON; `-` writes it to standard output, and no PTX unless
    /// `-o` says where
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,

    /// Write the milliseconds each stage took, and the total, to standard error
    #[arg(long)]
    pub(crate) time: bool,

    /// Compile it so often in one process, which keeps what was loaded for the first, and write the
    /// median times
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX), allow_negative_numbers = true)]
    pub(crate) times: Option<u32>,
}

/// Amount of detail about schedules that were not chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Candidates {
    /// How many there are, and between which estimates
    None,
    /// One of each kind, without those that differ from it in numbers only
    Kinds,
    /// Each: its time, and its steps in short
    Short,
    /// Each on a line, as the attribute that it is, with what its time is for
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// MLIR text or bytecode, `-` reads standard input; or the code of a diagnostic, such as TX0012
    /// (a file of such a name is `./TX0012`)
    #[arg(value_name = "FILE.mlir|CODE", required_unless_present = "list", value_hint = ValueHint::FilePath)]
    pub(crate) what: Option<PathBuf>,

    /// List the codes of diagnostics
    #[arg(long, conflicts_with_all = ["what", "entry"])]
    pub(crate) list: bool,

    /// How schedules that were not chosen are told, after everything else; with `full`, those that
    /// were have the form of the attribute
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Candidates::Kinds)]
    pub(crate) candidates: Candidates,

    /// Print all of it as JSON, with every schedule
    #[arg(long, conflicts_with_all = ["list", "candidates"])]
    pub(crate) json: bool,

    /// The function or kernel to take; may be left out when there is one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// The chip to compile for; `#nvvm.target` on a `gpu.module` wins
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = Offered(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// MLIR text or bytecode; `-` reads standard input. Several files are checked one after the other
    #[arg(value_name = "FILE.mlir", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// The function or kernel to check; without it, every one is
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// An argument; once for each, in order. Without any, inputs are generated
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// What generated inputs depend on
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    /// The grid of a kernel, in CTAs, in place of its `known_grid_size`; one CTA, if it has none
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true)]
    pub(crate) grid: Option<Grid>,

    /// The chip to compile for; `#nvvm.target` on a `gpu.module` wins
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = Offered(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    /// Steps of all threads of a run after which it is taken to have no end [default: 268435456,
    /// and 1024 for each thread of a launch]
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,

    /// The program has all of its barriers: a race in it as it comes is reported, where
    /// `tile-insert-sync` would mend it
    #[arg(long)]
    pub(crate) synchronized: bool,

    /// NVIDIA's assembler, which is given the PTX: the program or a folder that holds it [default:
    /// that on PATH, or that of `cargo xtask setup`, if there is one]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) ptxas: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) program: Program,

    /// Write the page here; `-` is standard output
    #[arg(short, long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// The chip to compile for; `#nvvm.target` on a `gpu.module` wins
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = Offered(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    /// Do not run the program after each pass
    #[arg(long, conflicts_with = "args")]
    pub(crate) no_validate: bool,

    /// Run it with all inputs that `tx validate` generates, and not with the first of them
    #[arg(long, conflicts_with_all = ["no_validate", "args"])]
    pub(crate) all_inputs: bool,

    /// An argument to run it with; once for each, in order. Without any, inputs are generated
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// The grid of a kernel, in CTAs, in place of its `known_grid_size`; one CTA, if it has none
    #[arg(
        long,
        value_name = "X,Y,Z",
        allow_negative_numbers = true,
        conflicts_with = "no_validate"
    )]
    pub(crate) grid: Option<Grid>,

    /// Leave out how long passes took: the page is then the same every time
    #[arg(long)]
    pub(crate) no_times: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    #[command(subcommand)]
    pub(crate) target: FuzzTarget,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FuzzTarget {
    /// Check every pass on random modules
    #[command(after_help = FUZZ_MODULES_EXAMPLES)]
    Modules {
        #[command(flatten)]
        run: FuzzRun,

        /// Draw programs of this kind only
        #[arg(long, value_name = "KIND")]
        programs: Option<FuzzPrograms>,

        /// Have this variant, one of yours as well, compute a reduction of every program, and pass
        /// over those in which it takes none
        #[arg(
            long, value_name = "NAME", value_parser = Offered(tx::variant_names),
            hide_possible_values = true
        )]
        variant: Option<String>,
    },
    /// Give malformed text and bytecode to `tx` and `tx-opt`
    #[command(after_help = FUZZ_TEXT_EXAMPLES)]
    Text {
        #[command(flatten)]
        run: FuzzRun,

        /// The program `tx-opt`; without it, `tx` alone is given text
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        opt: Option<PathBuf>,

        /// MLIR's own `mlir-opt`: what it does not survive either is counted apart
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        upstream: Option<PathBuf>,

        /// The folder with programs to damage; without it, random modules are
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        corpus: Option<PathBuf>,
    },
    /// Check descriptions of programs that an earlier run wrote
    #[command(after_help = FUZZ_REPLAY_EXAMPLES)]
    Replay {
        /// Written beside the program
        #[arg(value_name = "FILE.json", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Print random modules
    #[command(after_help = FUZZ_SHOW_EXAMPLES)]
    Show(FuzzRun),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FuzzPrograms {
    /// Kernels written by hand: one `gpu.func`
    Kernels,
    /// Host functions: reductions of whole arrays
    Functions,
    /// Host functions with several ops over the rows of matrices
    Rows,
}

/// Ten years, within the range of clocks.
const MOST_SECONDS: u64 = 10 * 365 * 24 * 3600;
/// Maximum number of processes of a fuzz run.
const MOST_JOBS: u32 = 1024;

#[derive(Debug, Args)]
pub(crate) struct FuzzRun {
    /// How long
    #[arg(
        long, value_name = "N", default_value_t = 60, value_parser = number(0..=MOST_SECONDS),
        allow_negative_numbers = true
    )]
    pub(crate) seconds: u64,

    /// How many cases, if that comes first
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) cases: Option<u64>,

    /// What every case depends on, together with its number
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    /// The number of the first case
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) first: u64,

    /// Processes at a time
    #[arg(
        long, value_name = "N", default_value_t = 1, value_parser = number(1..=MOST_JOBS),
        allow_negative_numbers = true
    )]
    pub(crate) jobs: u32,

    /// The folder for what is found, which is made when something is
    #[arg(long, value_name = "DIR", default_value = "fuzz-findings", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) kept: Kept,

    /// Say what this chip can do
    #[arg(long, value_name = "CHIP", value_parser = Offered(chips), hide_possible_values = true)]
    pub(crate) chip: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write the pages to this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

/// Shells with a completion script.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Output file of an argument: `I=FILE.npy`.
#[derive(Clone, Debug)]
pub(crate) struct Out {
    pub(crate) index: usize,
    pub(crate) path: PathBuf,
}

impl FromStr for Out {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected the index of an argument and a file, as in `1=sums.npy`".to_owned();
        let (index, path) = text.split_once('=').ok_or_else(expected)?;
        if path.is_empty() {
            return Err(expected());
        }
        Ok(Self {
            index: index.parse().map_err(|_| expected())?,
            path: path.into(),
        })
    }
}

/// Grid `X,Y,Z`; omitted sizes are 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid(pub(crate) [u32; 3]);

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = |what: &str| format!("expected {what}, as in `16,4,1`");
        let mut grid = [1; 3];
        let sizes: Vec<&str> = text.split(',').collect();
        if sizes.len() > grid.len() {
            return Err(expected("one to three numbers from 1 on"));
        }
        for (i, (size, text)) in grid.iter_mut().zip(sizes).enumerate() {
            let (axis, most) = (["x", "y", "z"][i], MAX_GRID[i]);
            // Numbers that are too large are rejected at launch.
            *size = text
                .trim()
                .parse()
                .ok()
                .filter(|size| *size > 0)
                .ok_or_else(|| {
                    expected(&format!("a whole number from 1 to {most} along {axis}"))
                })?;
        }
        Ok(Self(grid))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// The clap definition is consistent.
    #[test]
    fn is_consistent() {
        super::Cli::command().debug_assert();
    }

    /// Collects all visible subcommands, with their full names.
    fn commands(command: clap::Command, path: &str, all: &mut Vec<(String, clap::Command)>) {
        for inner in command
            .get_subcommands()
            .filter(|inner| !inner.is_hide_set())
        {
            let path = format!("{path} {}", inner.get_name());
            commands(inner.clone(), &path, all);
            all.push((path, inner.clone()));
        }
    }

    /// Handwritten help below the options fits 80 columns, so that clap does not wrap it.
    #[test]
    fn layout_by_hand_is_not_broken() {
        let mut all = vec![("tx".to_owned(), super::Cli::command())];
        commands(super::Cli::command(), "tx", &mut all);
        for (path, command) in all {
            let help = command.get_after_help().map(ToString::to_string);
            for line in help.unwrap_or_default().lines() {
                assert!(line.chars().count() <= 80, "`{path} --help`: {line}");
            }
        }
    }

    #[test]
    fn every_command_has_examples_that_it_understands() {
        let mut all = Vec::new();
        commands(super::Cli::command(), "tx", &mut all);
        assert!(all.iter().any(|(path, _)| path == "tx fuzz show"));
        for (path, command) in all {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let Some((_, examples)) = help.split_once("Examples:\n") else {
                panic!("`{path} --help` has no examples");
            };
            let mut is_own = false;
            for example in examples.lines() {
                // Ignore shell redirections, and programs that start `tx`.
                let words = example.split(['>', '|']);
                let words: Vec<&str> = words.take(1).flat_map(str::split_whitespace).collect();
                let own = words.iter().position(|word| *word == "tx");
                let words = &words[own.unwrap_or_else(|| panic!("no `tx` in `{example}`"))..];
                is_own |= words.join(" ").starts_with(&path);
                if let Err(error) = super::Cli::command().try_get_matches_from(words) {
                    panic!("`{example}` of `{path} --help`: {error}");
                }
            }
            assert!(is_own, "no example of `{path} --help` is of itself");
        }
    }
}
