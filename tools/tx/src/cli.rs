//! Command-line definition of `tx`.

#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod help;
mod options;
#[cfg(feature = "report")]
pub(crate) mod report;
mod values;

pub(crate) use options::{AssertOptions, CacheOptions, Launch, Program};
pub(crate) use values::{Grid, OutputFile};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use tx_runtime::Spec;

use crate::stderr::Format;
use help::{
    BATCH_EXAMPLES, BENCH_EXAMPLES, COMPILE_EXAMPLES, COMPLETIONS_EXAMPLES, DOCTOR_EXAMPLES,
    EXPLAIN_EXAMPLES, MAN_EXAMPLES, RUN_EXAMPLES, TUNE_EXAMPLES, VALIDATE_EXAMPLES, after_help,
};
use values::{KnownWords, chips, levels, number};

/// Reduction compiler: lowers MLIR to PTX, and runs programs on a GPU or on the CPU.
#[derive(Debug, Parser)]
#[command(
    name = "tx",
    version,
    propagate_version = true,
    after_help = after_help()
)]
pub(crate) struct Cli {
    /// Minimum level of log messages on standard error: error, warn, info, debug, trace, or a
    /// filter such as `tx_runtime=debug` [env: TX_LOG]
    #[arg(
        long,
        value_name = "FILTER",
        global = true,
        value_parser = KnownWords(levels),
        hide_possible_values = true,
        display_order = 100
    )]
    pub(crate) log: Option<String>,

    /// Format of messages on standard error: human (text, coloured on a terminal) or json (one line
    /// per message)
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
    /// Write a trace of timed events to this file, for Perfetto or `chrome://tracing`
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
    /// Each line of the file is a JSON list of arguments of `tx run`, such as `["sums.mlir",
    /// "--arg", "zeros:f32"]`. After the output of each run, `tx batch` prints a JSON object with
    /// the line number, the exit status, and a message if the status is not 0. The exit status of
    /// `tx batch` is 0 if every run succeeds, 3 if a run fails with status 3, and 1 otherwise.
    /// After an unrecoverable GPU error, all later runs fail.
    #[command(after_help = BATCH_EXAMPLES)]
    Batch(Batch),
    /// Measure the speed of a program
    ///
    /// Runs the program repeatedly on the device, and prints the median time and the bandwidth. The
    /// arguments are not reset between runs. The bandwidth counts the bytes of each array argument
    /// once. `tx bench` also measures and prints the read bandwidth of the device. If the arguments
    /// fit into the cache, consecutive runs use different copies of the arguments.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Compile a program to PTX
    #[command(after_help = COMPILE_EXAMPLES)]
    Compile(Compile),
    /// Explain how a program is compiled, or what a diagnostic means
    ///
    /// For each reduction of a program, `tx explain` prints the chosen schedule and the reason for
    /// the choice. If the host selects a kernel by the length of a row, `tx explain` prints the
    /// range of lengths of each kernel. `tx explain` also lists every variant with its cost or the
    /// reason for its rejection, and every schedule with its threads and loops.
    ///
    /// For a diagnostic code, `tx explain` prints the rule, the reason for the rule, a fix, and an
    /// example: a rejected and an accepted program. Error messages end with their diagnostic code.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Measure alternative schedules, and keep the fastest
    ///
    /// Compiles each reduction of the program with its default schedule and with promising
    /// alternatives, runs all versions on the given arguments, and compares times and results. `tx
    /// tune` prints the measurements to standard error. The output program contains the fastest
    /// schedule as an attribute of each reduction; all commands accept this program.
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Check every pass by execution
    ///
    /// Runs the input program, and the program after each pass, on generated inputs. Reports the
    /// first pass that changes the results. The output arrays are filled with different values
    /// before each run. Most generated dynamic sizes are not multiples of a block or vector size.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// Write an HTML report of the lowering of a program
    ///
    /// The report is a single HTML file. For each pass, the report shows a diff of the IR, the
    /// verdict of `tx validate`, and the run time of the pass. The report also shows the chosen and
    /// rejected schedules and variants, the exchanges between threads, the layouts of fragments,
    /// and the PTX with the source line of each instruction. If a pass rejects the program, the
    /// report ends at this pass.
    #[cfg(feature = "report")]
    #[command(after_help = report::EXAMPLES)]
    Report(report::Report),
    /// Test the compiler on random programs and malformed input
    #[cfg(feature = "fuzz")]
    #[command(after_help = fuzz::EXAMPLES)]
    Fuzz(fuzz::Fuzz),
    /// Report installed and missing tools, and how to install the missing ones
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Write a completion script for a shell to standard output
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Completions),
    /// Write manual pages
    ///
    /// Writes one page for `tx` and one page for each command. Without `--dir`, prints the page of
    /// `tx` to standard output.
    #[command(after_help = MAN_EXAMPLES)]
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) kept: CacheOptions,

    #[command(flatten)]
    pub(crate) asserts: AssertOptions,

    #[command(flatten)]
    pub(crate) launch: Launch,

    /// After the run, write argument I (counted from 0) to a file instead of printing the outputs;
    /// `-` is standard output
    #[arg(long = "out", value_name = "I=FILE.npy", value_hint = ValueHint::FilePath)]
    pub(crate) outs: Vec<OutputFile>,

    /// Write the PTX of the program to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ptx: Option<PathBuf>,

    /// Record the launches as a CUDA graph, and launch the graph
    #[arg(long)]
    pub(crate) graph: bool,

    /// Offset of array addresses on the CPU, in elements past a multiple of 256 bytes, as in a view
    /// of a larger array
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
    pub(crate) kept: CacheOptions,

    #[command(flatten)]
    pub(crate) launch: Launch,

    /// Number of measurements [default: 15, or 3 on the CPU]
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

    /// Number of measurements of each schedule [default: 7, or 3 on the CPU]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX), allow_negative_numbers = true)]
    pub(crate) times: Option<u32>,

    /// Output file for the program with the fastest schedules; `-` is standard output
    #[arg(short, long, value_name = "FILE.mlir", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// File of JSON lines; `-` reads standard input
    #[arg(value_name = "FILE.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    #[command(flatten)]
    pub(crate) program: Program,

    #[command(flatten)]
    pub(crate) kept: CacheOptions,

    /// Target chip; `#nvvm.target` on a `gpu.module` takes precedence
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = KnownWords(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    #[command(flatten)]
    pub(crate) asserts: AssertOptions,

    /// Output file for the PTX; `-` is standard output, the default
    #[arg(short, long, value_name = "FILE.ptx", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Output file for the launch plan, as JSON; `-` is standard output. With `--plan -`, PTX is
    /// written only with `-o`
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,

    /// Print the time of each stage and the total time to standard error, in milliseconds
    #[arg(long)]
    pub(crate) time: bool,

    /// Compile the program N times in one process, and print the median times. Later compilations
    /// reuse state that the first compilation loads
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX), allow_negative_numbers = true)]
    pub(crate) times: Option<u32>,
}

/// Amount of detail about schedules that were not chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Candidates {
    /// Number of candidates, and the range of their estimated times
    None,
    /// One candidate of each kind; candidates that differ only in numbers are of the same kind
    Kinds,
    /// Estimated time and abbreviated steps of each candidate
    Short,
    /// One line per candidate: the schedule attribute, and the parts of the estimated time
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// MLIR text or bytecode (`-` reads standard input), or a diagnostic code such as TX0012. The
    /// path `./TX0012` selects a file named like a code
    #[arg(value_name = "FILE.mlir|CODE", required_unless_present = "list", value_hint = ValueHint::FilePath)]
    pub(crate) what: Option<PathBuf>,

    /// List all diagnostic codes
    #[arg(long, conflicts_with_all = ["what", "entry"])]
    pub(crate) list: bool,

    /// Amount of detail about schedules that were not chosen; `full` also prints the chosen
    /// schedules as attributes
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Candidates::Kinds)]
    pub(crate) candidates: Candidates,

    /// Print the explanation as JSON, with every schedule
    #[arg(long, conflicts_with_all = ["list", "candidates"])]
    pub(crate) json: bool,

    /// Name of the function or kernel; optional if the file has only one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Target chip; `#nvvm.target` on a `gpu.module` takes precedence
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = KnownWords(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// MLIR text or bytecode; `-` reads standard input. Several files are checked in order
    #[arg(value_name = "FILE.mlir", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Name of the function or kernel [default: all functions and kernels of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Argument of the program; repeat the option for each argument, in order [default: generated
    /// inputs]
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// Seed of the generated inputs
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    /// Grid size of a kernel in CTAs [default: the `known_grid_size` of the kernel, or one CTA]
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true)]
    pub(crate) grid: Option<Grid>,

    /// Target chip; `#nvvm.target` on a `gpu.module` takes precedence
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = KnownWords(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    /// Maximum number of steps of a run, summed over all threads [default: 268435456, plus 1024 per
    /// thread of a launch]
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,

    /// Assume that the input program contains all necessary barriers, and report its data races,
    /// even those that `tile-insert-sync` would fix
    #[arg(long)]
    pub(crate) synchronized: bool,

    /// Path of NVIDIA's assembler `ptxas`, or of its directory [default: `ptxas` on PATH, or from
    /// `cargo xtask setup`, if present]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) ptxas: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) kept: CacheOptions,

    /// Print the features of this chip
    #[arg(long, value_name = "CHIP", value_parser = KnownWords(chips), hide_possible_values = true)]
    pub(crate) chip: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell of the completion script
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Directory for the pages, which is created if missing
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn is_consistent() {
        super::Cli::command().debug_assert();
    }

    /// Collects all visible subcommands with their full names.
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

    /// Checks that handwritten help texts have at most 80 columns, so that clap does not wrap the
    /// lines.
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
        let has = |wanted: &str| all.iter().any(|(path, _)| path == wanted);
        assert!(has("tx run"));
        assert_eq!(has("tx fuzz show"), cfg!(feature = "fuzz"));
        assert_eq!(has("tx report"), cfg!(feature = "report"));
        for (path, command) in all {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let Some((_, examples)) = help.split_once("Examples:\n") else {
                panic!("`{path} --help` has no examples");
            };
            let mut is_own = false;
            for example in examples.lines() {
                // The check ignores shell redirections, and commands in which another program
                // starts `tx`.
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
