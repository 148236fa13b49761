//! Fuzz target 2: malformed text and bytecode must cause a diagnostic.
//!
//! The fuzzer passes damaged copies of lit test programs to `tx-opt` and `tx`. `tx-opt` and `tx`
//! must exit with a defined status. `tx-opt` and `tx` must print a message if they reject the
//! input. If MLIR's `mlir-opt` also fails on an input, the fuzzer counts the failure as a failure
//! of MLIR.

mod command;
mod config;
mod mutate;
mod process;

use crate::check::{Class, Outcome};
use crate::random::Random;
use crate::report::{Findings, Folder, Summary};
use command::Command;
use mutate::Corpus;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

pub use config::Config;
pub(crate) use process::place_of_crash;

/// Returns a copy of `text` with random edits, some of which insert parts of `other`. The edits
/// depend only on `text`, `other`, `seed` and `index`.
pub fn damaged(text: &str, other: &str, seed: u64, index: u64) -> String {
    let mut random = Random::new(seed, index);
    let mut text = text.to_owned();
    for _ in 0..random.pick(&[1, 1, 1, 2, 3]) {
        text = mutate::damage_text(&mut random, &text, other);
    }
    text
}

/// Symbols that identify MLIR's parser or bytecode reader in a stack trace.
const PARSERS: [&str; 5] = [
    "mlir::detail::Parser::",
    "OperationParser::",
    "BytecodeReader::",
    "AttrTypeReader::",
    "DialectReader::",
];
/// Maximum number of findings that the fuzzer shrinks for each kind of failure.
const OF_A_KIND: usize = 1;
/// Time limit for shrinking one finding.
const SHRINK: Duration = Duration::from_secs(60);

/// Damaged program, and the command that runs on it.
struct Input {
    bytes: Vec<u8>,
    /// Set if the input is MLIR text instead of bytecode.
    text: bool,
    command: Command,
}

/// Runs `tx` and `tx-opt` on malformed inputs until the fuzz run reaches its time limit.
///
/// # Errors
///
/// Returns an error if a process cannot be started, a file cannot be written, or the corpus
/// contains no program.
pub fn run(config: &Config) -> io::Result<Summary> {
    let _folder = Folder::open(&config.out)?;
    // Processes run in the directory for findings.
    let whole = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let config = &Config {
        tx: whole(&config.tx),
        opt: config.opt.as_ref().map(whole),
        upstream: config.upstream.as_ref().map(whole),
        out: whole(&config.out),
        ..config.clone()
    };
    let corpus = match &config.corpus {
        Some(folder) => Corpus::read(folder, config.opt.as_deref())?,
        None => Corpus::random(config.seed, config.opt.as_deref())?,
    };
    let passes = match &config.opt {
        Some(opt) => command::passes(opt)?,
        None => Vec::new(),
    };
    let end = Instant::now() + config.time;
    let next = AtomicU64::new(config.first);
    let last = config
        .cases
        .map_or(u64::MAX, |cases| config.first.saturating_add(cases));
    let summary = Mutex::new(Summary::default());
    let findings = Findings::default();
    let thread = |job: usize| -> io::Result<()> {
        let file = config.out.join(format!("input-{job}.mlir"));
        while Instant::now() < end {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= last {
                break;
            }
            let mut random = Random::new(config.seed, index);
            let (unit, bytes, text) = corpus.damaged(&mut random)?;
            let input = Input {
                bytes,
                text,
                command: Command::random(&mut random, config, &passes, &unit.flags),
            };
            let mut outcome = attempt(config, &file, &input)?;
            if outcome.class.is_finding() && is_upstreams(config, &file, &input, &outcome)? {
                outcome.class = Class::Upstream;
            }
            summary
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .count(index, &outcome);
            config.done.fetch_add(1, Ordering::Relaxed);
            let wanted = outcome.class.is_finding() || outcome.class == Class::Upstream;
            if wanted && findings.take(&outcome.kind(), OF_A_KIND) {
                let (bytes, outcome) = match outcome.class {
                    Class::Upstream => (input.bytes, outcome),
                    _ => smaller(config, &file, input, outcome.clone())?,
                };
                save(config, index, &bytes, text, &outcome)?;
            }
        }
        let _ = fs::remove_file(&file);
        let _ = fs::remove_file(file.with_extension("log"));
        Ok(())
    };
    let thread = &thread;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..config.jobs.max(1))
            .map(|job| scope.spawn(move || thread(job)))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
        })
    })?;
    Ok(summary.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn attempt(config: &Config, file: &Path, input: &Input) -> io::Result<Outcome> {
    fs::write(file, &input.bytes)?;
    let ended = process::run(
        &input.command.line(config, file),
        &file.with_extension("log"),
    )?;
    Ok(input.command.judge(&ended, input.text))
}

/// Returns whether MLIR causes the failure: `mlir-opt` also fails on the input, or the failure is
/// in MLIR's parser or bytecode reader.
fn is_upstreams(
    config: &Config,
    file: &Path,
    input: &Input,
    outcome: &Outcome,
) -> io::Result<bool> {
    // MLIR's bytecode reader rejects some input without a message.
    if outcome.class == Class::Silent && !input.text && input.command.is_opt() {
        return Ok(true);
    }
    let stuck = matches!(outcome.class, Class::Crash | Class::Hang);
    if stuck && (is_in_parser(&outcome.message) || is_stuck_in_parser(config, file, input.text)?) {
        return Ok(true);
    }
    let Some(upstream) = &config.upstream else {
        return Ok(false);
    };
    if !stuck {
        return Ok(false);
    }
    // MLIR parses nested types recursively without a depth limit, including those of `tile`.
    let own = String::from_utf8_lossy(&input.bytes).replace("!tile.fragment<", "tuple<");
    if input.text && own.as_bytes() != input.bytes {
        fs::write(file, own)?;
    }
    let line = [
        upstream.clone().into_os_string(),
        "--allow-unregistered-dialect".into(),
        file.as_os_str().to_owned(),
    ];
    // `mlir-opt` and the tested tool have stack frames of different sizes, so their recursion
    // limits differ. With half of the usual stack size, `mlir-opt` also overflows its stack.
    let ended = process::run_on_half_the_stack(&line, &file.with_extension("log"))?;
    Ok(ended.died() || ended.code.is_none())
}

/// Returns whether `tx-opt` fails while parsing the input. The function runs `tx-opt` instead of
/// `tx`, because only `tx-opt` prints a stack trace when it crashes. The function halves the stack
/// size of `tx-opt`, so that an input that overflows the stack of `tx` also overflows the stack of
/// `tx-opt`.
///
/// For bytecode, the function also returns true if `tx-opt` exceeds the time limit without a stack
/// trace. MLIR's bytecode reader exceeds the time limit if a type contains itself.
fn is_stuck_in_parser(config: &Config, file: &Path, text: bool) -> io::Result<bool> {
    let Some(opt) = &config.opt else {
        return Ok(false);
    };
    let line = [opt.clone().into_os_string(), file.as_os_str().to_owned()];
    let ended = process::run_on_half_the_stack(&line, &file.with_extension("log"))?;
    let reads_bytecode = !text && ended.code.is_none() && ended.said.is_empty();
    Ok(reads_bytecode || (ended.died() || ended.code.is_none()) && is_in_parser(&ended.said))
}

/// Returns whether a stack trace contains a frame of MLIR's parser before the first frame of this
/// project. A stack trace lists the innermost frame first. `mlir-opt` cannot reproduce all crashes
/// of MLIR's parser: `mlir-opt` rejects `tile` ops, and may survive a heap corruption.
fn is_in_parser(stack: &str) -> bool {
    let symbols = stack.lines().filter_map(|line| {
        let frame = line.trim_start().strip_prefix('#')?;
        let (_, symbol) = frame.split_once(" 0x")?;
        symbol.split_once(' ').map(|(_, symbol)| symbol)
    });
    for symbol in symbols {
        if PARSERS.iter().any(|parser| symbol.contains(parser)) {
            return true;
        }
        // The program path follows in parentheses.
        let name = symbol.split(" (").next().unwrap_or(symbol);
        if name.contains("tile") || name.contains("tx") {
            return false;
        }
    }
    false
}

/// Shortens an input: removes lines and words as long as the input causes the same kind of failure.
fn smaller(
    config: &Config,
    file: &Path,
    input: Input,
    outcome: Outcome,
) -> io::Result<(Vec<u8>, Outcome)> {
    if !input.text {
        return Ok((input.bytes, outcome));
    }
    let stop = Instant::now() + SHRINK;
    let mut best = (input.bytes.clone(), outcome);
    for unit in [b'\n', b' '] {
        let mut pieces: Vec<Vec<u8>> = best
            .0
            .split_inclusive(|byte| *byte == unit)
            .map(<[u8]>::to_vec)
            .collect();
        let mut length = pieces.len().div_ceil(2);
        while length > 0 {
            let mut at = 0;
            while at < pieces.len() {
                if Instant::now() > stop {
                    return Ok(best);
                }
                let end = (at + length).min(pieces.len());
                let bytes = [&pieces[..at], &pieces[end..]].concat().concat();
                let input = Input {
                    bytes,
                    text: true,
                    command: input.command.clone(),
                };
                let outcome = attempt(config, file, &input)?;
                if outcome.is_like(&best.1) {
                    best = (input.bytes, outcome);
                    pieces.drain(at..end);
                } else {
                    at = end;
                }
            }
            length /= 2;
        }
    }
    Ok(best)
}

/// Writes an input and a description of its failure to two files.
fn save(
    config: &Config,
    index: u64,
    bytes: &[u8],
    text: bool,
    outcome: &Outcome,
) -> io::Result<()> {
    let class = format!("{:?}", outcome.class).to_lowercase();
    let name = format!("text-{class}-{}-{index}", config.seed);
    let ending = if text { "mlir" } else { "mlirbc" };
    fs::write(config.out.join(format!("{name}.{ending}")), bytes)?;
    fs::write(
        config.out.join(format!("{name}.txt")),
        format!(
            "Found by `{} fuzz text --seed {} --first {index} --cases 1`, then made smaller.\n{}\n{}\n",
            config.program,
            config.seed,
            outcome.headline(),
            outcome.message
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::is_in_parser;

    /// A crash in MLIR's parser is a failure of MLIR; a crash in the custom parser of an op of this
    /// project is a finding.
    #[test]
    fn stacks() {
        let parser = " #3 0x00007f27d705a050 (/lib/libc.so.6+0x3c050)\n \
                      #4 0x000055a809172a88 mlir::FloatType::getWidth() (/fz/tx-opt+0x5078a88)\n \
                      #6 0x000055a80afc9fd2 mlir::detail::Parser::parseDenseArrayAttr(mlir::Type) \
                      (/fz/tx-opt+0x6ec)\n";
        assert!(is_in_parser(parser));
        let reader = " #5 0x00007f27d705a050 (/lib/libc.so.6+0x3c050)\n \
                      #9 0x000055a80afc9fd2 mlir::BytecodeReader::Impl::~Impl() (/fz/tx-opt+0x6ec)\n";
        assert!(is_in_parser(reader));
        let own = " #4 0x000055a809172a88 mlir::tile::SplitAttr::parse(mlir::AsmParser&) \
                   (/fz/tx-opt+0x5078a88)\n \
                   #6 0x000055a80afc9fd2 mlir::detail::Parser::parseExtendedAttr(mlir::Type) \
                   (/fz/tx-opt+0x6ec)\n";
        assert!(!is_in_parser(own));
        assert!(!is_in_parser(
            " #4 0x000055a809172a88 tx_passes::grid::body::Body::write (/fz/tx-opt+0x5078a88)\n"
        ));
    }
}
