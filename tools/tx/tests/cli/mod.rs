//! Tests of the `tx` program as used by scripts: outputs and exit statuses.

mod compile;
mod doctor;
mod fuzz;
mod messages;
mod report;
mod run;
mod trace;
mod usage;
mod validate;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Sum of 128 elements.
const SUM: &str = "\
gpu.module @m {
  gpu.func @sum(%A: memref<128xf32>, %B: memref<f32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
    gpu.return
  }
}
";

/// Race: all threads write to one element.
const RACE: &str = "\
gpu.module @m {
  gpu.func @race(%B: memref<1xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %t, %B[%c0] : memref<1xindex>
    gpu.return
  }
}
";

/// Every block stores its id times a scalar.
const BLOCKS: &str = "\
gpu.module @m {
  gpu.func @blocks(%B: memref<4xindex>, %k: index)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    %v = arith.muli %b, %k : index
    memref.store %v, %B[%b] : memref<4xindex>
    gpu.return
  }
}
";

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, contents).expect("a temporary file");
        path
    }

    fn tx(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("tx starts")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
        // Relative paths make messages independent of the machine.
        command
            .current_dir(self.folder.path())
            .args(args)
            .env_remove("TX_LOG")
            .env("TX_CACHE", "off")
            .stdin(Stdio::null());
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("it exits")
}

#[track_caller]
fn fails(output: &Output, expected: i32, message: &str) {
    assert_eq!(status(output), expected, "{}", stderr(output));
    assert_eq!(stderr(output), message);
    assert_eq!(stdout(output), "");
}

/// Grid-level row sums.
const ROWS: &str = "\
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
";
