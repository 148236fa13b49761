//! Corpus of programs, and the mutations that the fuzzer applies to these programs.

use super::process;
use crate::random::Random;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Numbers at the limits of integer and float types.
const NUMBERS: &[&str] = &[
    "-1",
    "0",
    "1",
    "31",
    "33",
    "1023",
    "1025",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e400",
    "-1.0e-400",
    "0x7FF0000000000000",
    "0xFFFFFFFFFFFFFFFFFF",
    "?",
];

const TYPES: &[&str] = &[
    "f32",
    "f16",
    "f64",
    "i1",
    "i7",
    "i32",
    "i128",
    "index",
    "none",
    "tensor<4x8xf32>",
    "tensor<*xf32>",
    "memref<*xf32>",
    "memref<4x8xf32>",
    "memref<?x?xf32, strided<[?, ?], offset: ?>>",
    "memref<4xvector<2xf32>>",
    "memref<4x8xf32, affine_map<(i, j) -> (j, i)>>",
    "vector<4xf32>",
    "vector<[4]xf32>",
    "complex<f32>",
    "tuple<f32, i32>",
    "f8E4M3FN",
    "f128",
    "!tile.fragment<4x8xf32, #tile.layout<[<32 : 1 lane>]>>",
    "!llvm.ptr",
];

const WORDS: &[&str] = &[
    "sum",
    "prod",
    "argmax",
    "custom",
    "thread",
    "warp",
    "warpgroup",
    "cta",
    "cluster",
    "grid",
    "accumulate",
    "axes",
    "into",
    "init",
    "identity",
    "combiner",
    "element",
    "epilogue",
    "with",
    "width",
    "stride",
    "lane",
    "reg",
    "replica",
    "offset",
    "block_x",
    "thread_z",
    "tile.yield",
    "tile.reduce",
    "tile.all_reduce",
    "tile.copy",
    "tile.load",
    "tile.splat",
    "tile.store",
    "gpu.barrier",
    "scf.if",
    "scf.for",
    "scf.while",
    "cf.br",
    "func.call",
    "memref.alloca",
    "memref.view",
    "affine_map",
    "dense",
    "unit",
    "true",
    "\"\"",
    "@",
    "%",
    "^bb9",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    ":",
    ",",
    "->",
    "=",
];

const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("tuple<", ">"),
    ("memref<4x", ">"),
    ("vector<4x", ">"),
    ("loc(\"x\"(", "))"),
    ("affine_map<(d0) -> ((", "))>"),
    ("builtin.module {\n", "\n}"),
    ("#tile.layout<[", "]>"),
    ("-", ""),
    ("!tile.fragment<", ">"),
];

pub(super) struct Unit {
    pub(super) text: String,
    pub(super) bytecode: Option<Vec<u8>>,
    /// `tx-opt` flags from the RUN line of the lit test that contains the program.
    pub(super) flags: Vec<String>,
}

pub(super) struct Corpus(Vec<Unit>);

/// Number of random modules in the corpus if the user specifies no directory with programs.
const MODULES: u64 = 64;

impl Corpus {
    /// Creates random modules from a seed.
    pub(super) fn random(seed: u64, opt: Option<&Path>) -> io::Result<Self> {
        let texts = (0..MODULES).filter_map(|index| crate::generate(seed, index, None).text().ok());
        let unit = |text: crate::Text| {
            Ok(Unit {
                bytecode: opt.map_or(Ok(None), |opt| bytecode(opt, &text.mlir))?,
                text: text.mlir,
                flags: Vec::new(),
            })
        };
        texts.map(unit).collect::<io::Result<_>>().map(Self)
    }

    /// Reads all programs in a directory. A file may contain several programs.
    pub(super) fn read(folder: &Path, opt: Option<&Path>) -> io::Result<Self> {
        let mut files = Vec::new();
        list(folder, &mut files).map_err(|error| {
            let reason = format!("{error}; `--corpus DIR` is a folder with programs");
            io::Error::new(error.kind(), reason)
        })?;
        files.sort();
        let mut units = Vec::new();
        for file in files {
            let text = fs::read_to_string(&file)?;
            let flags = flags(&text);
            for part in text.split("// -----") {
                let lines: Vec<&str> = part
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .collect();
                let text = lines.join("\n") + "\n";
                if text.trim().is_empty() {
                    continue;
                }
                units.push(Unit {
                    bytecode: match opt {
                        Some(opt) => bytecode(opt, &text)?,
                        None => None,
                    },
                    text,
                    flags: flags.clone(),
                });
            }
        }
        if units.is_empty() {
            let message = format!("no programs in {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        Ok(Self(units))
    }

    /// Returns the original program, the mutated bytes, and whether the mutated bytes are text (and
    /// not bytecode).
    pub(super) fn damaged(&self, random: &mut Random) -> io::Result<(&Unit, Vec<u8>, bool)> {
        let mut unit = &self.0[random.below(self.0.len())];
        // Prefer valid programs, because their mutations reach the stages after the parser. Only
        // valid programs have bytecode.
        for _ in 0..2 {
            if unit.bytecode.is_none() {
                unit = &self.0[random.below(self.0.len())];
            }
        }
        if let Some(bytecode) = &unit.bytecode
            && random.percent(20)
        {
            let mut bytes = bytecode.clone();
            for _ in 0..1 + random.below(6) {
                damage_bytes(random, &mut bytes);
            }
            return Ok((unit, bytes, false));
        }
        let mut text = unit.text.clone();
        let times = random.pick(&[1, 1, 1, 1, 1, 2, 2, 3]);
        for _ in 0..times {
            let other = &self.0[random.below(self.0.len())].text;
            text = damage_text(random, &text, other);
        }
        let mut bytes = text.into_bytes();
        if random.percent(8) {
            damage_bytes(random, &mut bytes);
        }
        Ok((unit, bytes, true))
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = fs::read_dir(folder)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "mlir") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the `tx-opt` flags of the first RUN line that runs `tx-opt`.
fn flags(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("// RUN")?;
        rest.split_once("tx-opt %s")
            .map(|(_, flags)| flags.to_owned())
    });
    line.unwrap_or_default()
        .split_whitespace()
        .take_while(|word| !matches!(*word, "|" | "2>&1" | "-o"))
        .filter(|word| word.starts_with("--") && !word.contains(['\'', '"', '(']))
        .map(str::to_owned)
        .collect()
}

/// Returns the bytecode of a program; `None` if the program is invalid.
fn bytecode(opt: &Path, text: &str) -> io::Result<Option<Vec<u8>>> {
    let folder = std::env::temp_dir().join(format!("tx-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (from, to) = (folder.join("program.mlir"), folder.join("program.mlirbc"));
    fs::write(&from, text)?;
    let line = [
        opt.as_os_str().to_owned(),
        from.into_os_string(),
        "--emit-bytecode".into(),
        "-o".into(),
        to.clone().into_os_string(),
    ];
    let ended = process::run(&line, &folder.join("program.log"))?;
    let bytes = match ended.code {
        Some(0) => Some(fs::read(to)?),
        _ => None,
    };
    fs::remove_dir_all(folder)?;
    Ok(bytes)
}

fn damage_bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.pick(&[0, 1, 0x7f, 0x80, 0xfe, 0xff]),
        3 => bytes[at] = random.next() as u8,
        4 => {
            bytes.remove(at);
        }
        5 => bytes.insert(at, random.next() as u8),
        6 => {
            let end = (at + 1 + random.below(16)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, part);
        }
        _ if random.percent(20) => bytes.truncate(at),
        _ => {
            let to = random.below(bytes.len());
            bytes.swap(at, to);
        }
    }
}

/// Splits text into words, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let is_word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%' | '#' | '!' | '@' | '^');
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()),
            c if is_word(c) => rest.find(|c: char| !is_word(c)),
            c => Some(c.len_utf8()),
        }
        .unwrap_or(rest.len());
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn damage_text(random: &mut Random, text: &str, other: &str) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return text.to_owned();
    }
    let place = |random: &mut Random, wanted: &dyn Fn(&str) -> bool| -> Option<usize> {
        let places: Vec<usize> = (0..tokens.len()).filter(|at| wanted(tokens[*at])).collect();
        (!places.is_empty()).then(|| random.pick(&places))
    };
    let join = |tokens: &[&str]| tokens.concat();
    let mut new: Vec<&str> = tokens.clone();
    let any = |token: &str| !token.trim().is_empty();
    let at = place(random, &any).unwrap_or(0);
    match random.below(24) {
        16..20 => {
            // Replace one dialect keyword by another.
            let is_word = |token: &str| token.starts_with(|c: char| c.is_ascii_lowercase());
            let known = |token: &str| is_word(token) && WORDS.contains(&token);
            let words: Vec<&str> = WORDS.iter().copied().filter(|word| is_word(word)).collect();
            let Some(at) = place(random, &known) else {
                return text.to_owned();
            };
            new[at] = random.pick(&words);
        }
        0..3 | 20..24 => {
            // Sizes are part of a type token, such as `4x8xf32`.
            let Some(at) = place(random, &is_number) else {
                return text.to_owned();
            };
            let number = random.pick(NUMBERS);
            let replaced = match tokens[at].split_once('x') {
                Some((first, rest)) if random.percent(50) => {
                    format!("{first}x{}", replace_extent(rest, number))
                }
                Some((_, rest)) => format!("{number}x{rest}"),
                None => number.to_owned(),
            };
            return [join(&tokens[..at]), replaced, join(&tokens[at + 1..])].concat();
        }
        3 => {
            new.remove(at);
        }
        4 => new.insert(at, tokens[at]),
        5 => {
            let to = place(random, &any).unwrap_or(0);
            new.swap(at, to);
        }
        6 => new[at] = random.pick(WORDS),
        7 => new.insert(at, random.pick(WORDS)),
        8 => {
            let is_type = |token: &str| {
                matches!(
                    token,
                    "f32" | "f16" | "i32" | "i64" | "f64" | "index" | "i1" | "bf16" | "memref"
                )
            };
            let Some(at) = place(random, &is_type) else {
                return text.to_owned();
            };
            new[at] = random.pick(TYPES);
        }
        9 => {
            // Replace a token by another token of its kind from the program.
            let first = tokens[at].chars().next().unwrap_or(' ');
            let same = |token: &str| token.starts_with(first);
            if let Some(from) = place(random, &same) {
                new[at] = tokens[from];
            }
        }
        10..13 => return damage_lines(random, text, other),
        13 => {
            let other = self::tokens(other);
            let start = random.below(other.len());
            let end = (start + 1 + random.below(12)).min(other.len());
            return [
                join(&tokens[..at]),
                join(&other[start..end]),
                join(&tokens[at..]),
            ]
            .concat();
        }
        14 if random.percent(15) => {
            let (open, close) = random.pick(NESTS);
            let times = random.pick(&[10, 100, 1000, 5000, 20_000]);
            let inner = match random.percent(50) {
                true => tokens[at],
                false => "",
            };
            let nest = [open.repeat(times).as_str(), inner, &close.repeat(times)].concat();
            return [join(&tokens[..at]), nest, join(&tokens[at..])].concat();
        }
        14 => {
            let quoted = random.pick(&[
                "\"\\00\"",
                "\"\u{1f980}\"",
                "\"",
                "\"d0.o.i.o\"",
                "// -----\n",
                "/*",
            ]);
            new.insert(at, quoted);
        }
        _ if random.percent(30) => new.truncate(at),
        _ => {
            let to = place(random, &any).unwrap_or(0);
            let (first, last) = (at.min(to), at.max(to).min(at.min(to) + 8));
            new.drain(first..last);
        }
    }
    new.concat()
}

/// Replaces the first size in a text such as `8xf32` by `number`.
fn replace_extent(rest: &str, number: &str) -> String {
    match rest.split_once('x') {
        Some((_, rest)) => format!("{number}x{rest}"),
        None => rest.to_owned(),
    }
}

fn damage_lines(random: &mut Random, text: &str, other: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    if lines.is_empty() || others.is_empty() {
        return text.to_owned();
    }
    let at = random.below(lines.len());
    match random.below(5) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at]),
        2 => {
            let to = random.below(lines.len());
            lines.swap(at, to);
        }
        3 => lines.insert(at, others[random.below(others.len())]),
        _ => {
            let from = random.below(lines.len());
            let line = lines.remove(from);
            lines.insert(at.min(lines.len()), line);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "func.func @f(%A: memref<4x8xf32>) {\n  // \u{e9}\n  %x = \
                           arith.constant 1.5 : f32\n  return\n}\n";

    /// The concatenation of all tokens equals the text.
    #[test]
    fn tokens_are_the_text() {
        assert_eq!(tokens(PROGRAM).concat(), PROGRAM);
        assert!(tokens(PROGRAM).contains(&"4x8xf32"));
        assert_eq!(tokens(""), Vec::<&str>::new());
    }

    /// The mutation depends only on the seed and the index, and changes the text of almost every
    /// program.
    #[test]
    fn damage_can_be_done_again() {
        let mut same = 0;
        for index in 0..500 {
            let damaged =
                |_: ()| damage_text(&mut Random::new(1, index), PROGRAM, "tile.reduce sum\nx\n");
            assert_eq!(damaged(()), damaged(()));
            same += usize::from(damaged(()) == PROGRAM);
            let mut bytes = PROGRAM.as_bytes().to_vec();
            damage_bytes(&mut Random::new(1, index), &mut bytes);
            assert!(bytes.len() < 2 * PROGRAM.len());
        }
        assert!(same < 150, "{same} of 500 are as they were");
    }

    /// `flags` returns neither check prefixes of a RUN line nor flags of commands after a pipe.
    #[test]
    fn flags_are_those_of_the_first_line() {
        let text =
            "// RUN(A): tx-opt %s --tile-choose-schedule --split-input-file | tx-opt --cse\n";
        assert_eq!(
            flags(text),
            ["--tile-choose-schedule", "--split-input-file"]
        );
        assert!(flags("// RUN: tx compile %s").is_empty());
    }
}
