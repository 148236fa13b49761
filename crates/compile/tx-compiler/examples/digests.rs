//! Prints a digest of the PTX and the launch plan of every program in a folder, for three chips. To
//! list the outputs that a change of the compiler affects, compare the digests before and after the
//! change:
//!
//! ```console
//! cargo run --release -p tx-compiler --example digests -- lit-tests > before.txt
//! cargo run --release -p tx-compiler --example digests -- lit-tests | diff before.txt -
//! ```
//!
//! Each printed line contains the file name, the index of the module in the file (`// -----`
//! separates modules), the entry, the chip, and the first half of a SHA-256 hash of the PTX and the
//! launch plan. If a program does not compile, its output line contains `refused` instead of the
//! digest. The output lines are sorted first by chip, and then by file name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest, Sha256};
use tx::{Compiler, Source, Target};

const CHIPS: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: digests FOLDER");
        return ExitCode::from(2);
    };
    let mut files = Vec::new();
    if let Err(error) = list(Path::new(&folder), &mut files) {
        eprintln!("{folder}: {error}");
        return ExitCode::FAILURE;
    }
    files.sort();
    for chip in CHIPS {
        let target = Target::parse(chip).expect("a known chip");
        let compiler = Compiler::new(target).expect("a compiler");
        for file in &files {
            let text = fs::read_to_string(file).unwrap_or_default();
            for (number, part) in text.split("// -----").enumerate() {
                for line in digests(&compiler, &file.display().to_string(), part) {
                    println!("{}#{number} {line}", file.display());
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "mlir") {
            files.push(path);
        }
    }
    Ok(())
}

fn digests(compiler: &Compiler, name: &str, text: &str) -> Vec<String> {
    let chip = compiler.target().chip().name;
    let mut source = Source::new(name, text);
    let Ok(entries) = compiler.entries(&source) else {
        return vec![format!("- {chip} refused")];
    };
    let each = |entry: String| {
        source.entry = Some(entry.clone());
        let digest = match compiler.compile_source(&source) {
            Err(_) => "refused".to_owned(),
            Ok(artifact) => {
                let mut hash = Sha256::new();
                hash.update(&artifact.ptx);
                hash.update(artifact.plan.to_json());
                let bytes = hash.finalize();
                bytes[..16]
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect()
            }
        };
        format!("@{entry} {chip} {digest}")
    };
    entries.into_iter().map(each).collect()
}
