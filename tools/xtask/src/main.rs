//! Task runner of the tx workspace; `cargo xtask --help` lists the tasks.
//!
//! The crate does not depend on MLIR, so `cargo xtask setup` can install MLIR after a fresh clone.

mod book;
mod changelog;
mod ci;
mod codegen;
mod demo;
mod dist;
mod fuzz;
mod gpu_test;
mod links;
mod npy;
mod setup;
mod sh;
mod tidy;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Tasks of the tx workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install missing dependencies: LLVM/MLIR 22 and Chromium (apt), ptxas (PyPI) and Playwright
    /// (npm) into target/tools
    Setup,
    /// Lower and run the 4x8 row sum on the available device, and check the results
    Demo,
    /// Run every test, and check generated files and the rules of the repository
    Test {
        /// Arguments for `cargo test --workspace`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run the full test sets of which continuous integration runs a sample. Takes hours
    Deep {
        /// Fuzzing time in seconds
        #[arg(long, default_value_t = 1800)]
        seconds: u64,
    },
    /// Check formatting, clippy and rustdoc, with warnings as errors
    Lint,
    /// Run exactly what continuous integration runs (.ci/run)
    Ci,
    /// Accept the current output of the lit tests, and regenerate the reference pages
    Bless {
        /// Restrict the lit tests to names that contain this text
        filter: Option<String>,
    },
    /// Write the generated reference pages of docs/
    Codegen {
        /// Write nothing; fail if a page is stale
        #[arg(long)]
        check: bool,
    },
    /// Check the rules of the repository that no compiler checks
    Tidy,
    /// Fuzz with random modules, checked after every pass, and with malformed input
    Fuzz {
        /// Total fuzzing time in seconds
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// Seed of all cases
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Number of concurrent processes; by default the number of processors
        #[arg(long)]
        jobs: Option<usize>,
    },
    /// Run the benchmarks
    Bench {
        /// Arguments for the benchmarks (a filter, `--save-baseline NAME` ...)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Build the archive of `tx` for Linux machines with a CUDA driver
    Dist {
        /// Require that this tag is a release: `v` and the version, with a section in CHANGELOG.md
        #[arg(long)]
        tag: Option<String>,
    },
    /// Build the book of docs/ with mdBook, into target/book
    Book,
    /// Run the demos and test cases of the dist archive, on a GPU by default
    GpuTest {
        /// Path of the archive; by default the one that `cargo xtask dist` builds
        #[arg(long)]
        archive: Option<PathBuf>,
        /// Device, as for `tx run --device`: auto, cpu, cuda, cuda:N
        #[arg(long, default_value = "cuda")]
        device: String,
        /// Print the steps for a machine without Rust, and run nothing
        #[arg(long)]
        print: bool,
    },
}

fn main() -> ExitCode {
    // SAFETY: the call sets the default handler. Rust ignores SIGPIPE, and `println!` would panic
    // on a closed pipe.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{} {error:#}", sh::Style::stderr().red("error:"));
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let workspace = Workspace::load()?;
    match task {
        Task::Setup => setup::setup(&workspace),
        Task::Demo => demo::demo(&workspace),
        Task::Test { args } => ci::test(&workspace, &args),
        Task::Deep { seconds } => ci::deep(&workspace, seconds),
        Task::Lint => ci::lint(&workspace),
        Task::Ci => ci::ci(&workspace),
        Task::Bless { filter } => ci::bless(&workspace, filter.as_deref()),
        Task::Codegen { check } => codegen::codegen(&workspace, check),
        Task::Tidy => tidy::tidy(&workspace),
        Task::Fuzz {
            seconds,
            seed,
            jobs,
        } => fuzz::fuzz(&workspace, seconds, seed, jobs),
        Task::Bench { args } => ci::bench(&workspace, &args),
        Task::Dist { tag } => dist::dist(&workspace, tag.as_deref()).map(drop),
        Task::Book => book::book(&workspace).map(drop),
        Task::GpuTest {
            archive,
            device,
            print,
        } => gpu_test::gpu_test(&workspace, archive, &device, print),
    }
}
