//! The task runner of the tx workspace: `cargo xtask --help` is the menu.
//!
//! It is plain Rust with no MLIR in it, so that `cargo xtask setup` can run on a fresh clone and
//! install what the other crates need.

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

/// The tasks of the tx workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what is missing: LLVM/MLIR 22 and Chromium (apt), ptxas (PyPI) and Playwright (npm)
    /// into target/tools
    Setup,
    /// Lower and run the 4x8 row sum on whatever device there is, and check the numbers
    Demo,
    /// Run every test, and check generated files and the rules of the repository
    Test {
        /// Passed on to `cargo test --workspace`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run in full what continuous integration samples: all validation inputs, all mutations, long
    /// fuzzing. It takes hours
    Deep {
        /// How long to fuzz
        #[arg(long, default_value_t = 1800)]
        seconds: u64,
    },
    /// Check formatting, clippy and rustdoc, with warnings as errors
    Lint,
    /// Run exactly what continuous integration runs (.ci/run)
    Ci,
    /// Accept the present output of the lit tests, and regenerate the reference pages
    Bless {
        /// Only lit tests whose name contains this
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
    /// Check random modules after every pass, and give malformed input to `tx` and `tx-opt`
    Fuzz {
        /// How long, both together
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// What every case depends on
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Processes at a time; by default as many as there are processors
        #[arg(long)]
        jobs: Option<usize>,
    },
    /// Run the benchmarks
    Bench {
        /// Passed on to the benchmarks (a filter, `--save-baseline NAME` ...)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Build the archive of `tx` that runs on a Linux machine with nothing but a driver
    Dist {
        /// Only if this tag is that of a release: `v` and the version, which CHANGELOG.md has
        #[arg(long)]
        tag: Option<String>,
    },
    /// Build the book of docs/ with mdBook, into target/book
    Book,
    /// Run the demonstrations and the cases of the tests from the dist archive, on a GPU if there is one
    GpuTest {
        /// The archive; by default the one `cargo xtask dist` builds
        #[arg(long)]
        archive: Option<PathBuf>,
        /// As for `tx run --device`: auto, cpu, cuda, cuda:N
        #[arg(long, default_value = "cuda")]
        device: String,
        /// Run nothing; print how to do it on a machine without Rust
        #[arg(long)]
        print: bool,
    },
}

fn main() -> ExitCode {
    // SAFETY: the handler is the one that every process is given. `println!` panics when nobody reads on.
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
