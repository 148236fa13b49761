//! 06, 07 and 08: programs that create their own CUDA contexts, buffers and streams.
//!
//! ```console
//! cargo run -p tx-examples --example gpu -- 06                      # compiled here, for the GPU that is here
//! cargo run -p tx-examples --example gpu -- 06 --device cpu         # the same sums where there is no GPU
//! tx compile row_sums.mlir --chip sm_80 -o row_sums.ptx --plan row_sums.json
//! gpu 06 --ptx row_sums.ptx --plan row_sums.json                    # without a compiler
//! ```
//!
//! Exit status: 0 correct results; 1 the example could not run, for example without a GPU; 2 wrong
//! usage; 3 wrong results.

#[path = "07-cuda-graph.rs"]
mod cuda_graph;
#[path = "06-custom-operation.rs"]
mod custom_operation;
mod program;
#[path = "08-several-gpus.rs"]
mod several_gpus;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: gpu 06|07|08 [--device cuda|cuda:N|cpu] [--ptx FILE --plan FILE]
  06  an operation on buffers and streams that this program owns
  07  the same in a CUDA graph
  08  each GPU reduces a shard, then NCCL adds up: [--gpus N] [--processes]
      as one process of several: --rank R --gpus N --id FILE";

#[derive(Debug)]
struct Options {
    example: String,
    /// Ordinal of the CUDA device; `None` for the CPU.
    device: Option<usize>,
    ptx: Option<PathBuf>,
    plan: Option<PathBuf>,
    gpus: Option<usize>,
    processes: bool,
    /// NCCL rank of this process; `None` if a single process runs.
    rank: Option<usize>,
    /// File through which the processes exchange the NCCL id.
    id: Option<PathBuf>,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            example: words.next().ok_or("which example?")?,
            device: Some(0),
            ptx: None,
            plan: None,
            gpus: None,
            processes: false,
            rank: None,
            id: None,
        };
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| format!("`{word}` needs a value"))
            };
            let number = |text: String| {
                text.parse::<usize>()
                    .map_err(|_| format!("`{text}` is no number"))
            };
            match word.as_str() {
                "--device" => {
                    options.device = match value()?.as_str() {
                        "cpu" => None,
                        "cuda" => Some(0),
                        other => match other.strip_prefix("cuda:") {
                            Some(ordinal) => Some(number(ordinal.to_owned())?),
                            None => return Err(format!("`{other}` is no device")),
                        },
                    }
                }
                "--ptx" => options.ptx = Some(value()?.into()),
                "--plan" => options.plan = Some(value()?.into()),
                "--gpus" => options.gpus = Some(number(value()?)?),
                "--processes" => options.processes = true,
                "--rank" => options.rank = Some(number(value()?)?),
                "--id" => options.id = Some(value()?.into()),
                _ => return Err(format!("`{word}` is unknown")),
            }
        }
        if options.ptx.is_some() != options.plan.is_some() {
            return Err("`--ptx` and `--plan` go together".to_owned());
        }
        if options.gpus == Some(0) {
            return Err("`--gpus` is at least 1".to_owned());
        }
        if options.rank.is_some() && (options.id.is_none() || options.gpus.is_none()) {
            return Err("`--rank` needs `--gpus` and `--id`".to_owned());
        }
        Ok(options)
    }
}

#[derive(Debug)]
enum Failure {
    /// The example did not run, for example because the machine has no GPU.
    Cannot(String),
    /// The results are wrong.
    Wrong(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cannot(why) => f.write_str(why),
            Self::Wrong(what) => write!(f, "WRONG: {what}"),
        }
    }
}

impl From<tx_runtime::Error> for Failure {
    fn from(error: tx_runtime::Error) -> Self {
        Self::Cannot(error.to_string())
    }
}

impl From<cudarc::driver::DriverError> for Failure {
    fn from(error: cudarc::driver::DriverError) -> Self {
        Self::Cannot(error.to_string())
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("gpu: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = match options.example.as_str() {
        "06" => custom_operation::run(&options),
        "07" => cuda_graph::run(&options),
        "08" => several_gpus::run(&options),
        other => {
            eprintln!("gpu: there is no example `{other}` here\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("gpu {}: {failure}", options.example);
            ExitCode::from(match failure {
                Failure::Cannot(_) => 1,
                Failure::Wrong(_) => 3,
            })
        }
    }
}
