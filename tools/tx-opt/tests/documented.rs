//! Runs the examples in the documentation of passes. Each pass must convert the code under *Before*
//! to the code under *After*.
//!
//! An example is a module, or a list of ops that [`CONTEXTS`] completes to a module. The output
//! must contain the lines of *After* in their order, possibly with other ops between these lines.
//! `...` matches any text. SSA names may differ, if the renaming is consistent. Comments are
//! ignored.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// Text before and after the ops of an example that is not a module.
const CONTEXTS: &[(&str, &str, &str)] = &[
    (
        "convert-linalg-to-tile",
        "func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {\n%zero = arith.constant 0.0 : f32\n",
        "return }",
    ),
    (
        "linalg-sink-attributes",
        "func.func @f(%A: tensor<4x8xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {\n",
        "return %R : tensor<4xf32> }",
    ),
    (
        "linalg-hoist-attributes",
        "func.func @f(%A: memref<4x8xf32>, %B: memref<4xf32>) {\n",
        "return }",
    ),
    // The example runs in the sixth of eight warps.
    (
        "tile-analyze-scope",
        "gpu.module @m {
         gpu.func @k(%A: memref<4x8xf32, 3>, %B: memref<4xf32, 3>) kernel
             attributes {known_block_size = array<i32: 256, 1, 1>} {
           %t = gpu.thread_id x
           %c32 = arith.constant 32 : index
           %c5 = arith.constant 5 : index
           %w = arith.divui %t, %c32 : index
           %is_sixth = arith.cmpi eq, %w, %c5 : index
           scf.if %is_sixth {\n",
        "} gpu.return } }",
    ),
    ("tile-select-variant", SHARED, "gpu.return } }"),
    ("tile-expand-reduce", SHARED, "gpu.return } }"),
    (
        "tile-expand-shuffle-tree",
        "gpu.module @m {
         gpu.func @k(%v: f32, %B: memref<f32>)
             kernel attributes {known_block_size = array<i32: 32, 1, 1>} {\n",
        "memref.store %s, %B[] : memref<f32>
         gpu.return } }",
    ),
    (
        "tile-insert-sync",
        "gpu.module @m {
         gpu.func @k(%x: f32, %B: memref<64xf32>)
             workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
             kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
           %t = gpu.thread_id x
           %c63 = arith.constant 63 : index
           %other = arith.subi %c63, %t : index\n",
        "memref.store %y, %B[%t] : memref<64xf32>
         gpu.return } }",
    ),
    (
        "convert-tile-to-gpu",
        "gpu.module @m {
         gpu.func @k(%A: memref<4x8xf32>) workgroup(%S : memref<4x8xf32, #gpu.address_space<workgroup>>)
             kernel attributes {known_block_size = array<i32: 32, 1, 1>} {\n",
        "gpu.return } }",
    ),
    (
        "gpu-use-dynamic-shared-memory",
        "gpu.module @m {\n",
        "gpu.return } }",
    ),
    (
        "memref-linearize-strides",
        "gpu.module @m {
         gpu.func @k(%A: memref<8xf32, strided<[-1], offset: 7>>, %i: index, %B: memref<f32>) kernel {\n",
        "memref.store %x, %B[] : memref<f32>
         gpu.return } }",
    ),
    (
        "convert-gpu-subgroup-to-arith",
        "gpu.module @m {
         gpu.func @k(%B: memref<index>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {\n",
        "memref.store %w, %B[] : memref<index>
         gpu.return } }",
    ),
    (
        "gpu-expand-math",
        "gpu.module @m { gpu.func @k(%x: f32, %B: memref<f32>) kernel {\n",
        "memref.store %y, %B[] : memref<f32>
         gpu.return } }",
    ),
    (
        "convert-gpu-math-to-llvm",
        "gpu.module @m { gpu.func @k(%x: f32, %B: memref<f32>) kernel {\n",
        "memref.store %a, %B[] : memref<f32>
         gpu.return } }",
    ),
    (
        "convert-gpu-shuffle-to-nvvm",
        "gpu.module @m {
         gpu.func @k(%v: f32, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
           %c1 = arith.constant 1 : i32
           %c32 = arith.constant 32 : i32\n",
        "memref.store %s, %B[] : memref<f32>
         gpu.return } }",
    ),
    (
        "nvvm-require-block-size",
        "gpu.module @m {\n",
        "{ llvm.return } }",
    ),
    ("nvvm-declare-dynamic-shared-memory", "gpu.module @m {\n", "}"),
    ("nvvm-expand-cache-hints", LOADS, "llvm.return } }"),
    ("nvvm-keep-vectors", LOADS, "llvm.return } }"),
];

const SHARED: &str = "gpu.module @m {
    gpu.func @k(%A: memref<4x8xf32, 3>, %B: memref<4xf32, 3>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {\n";

const LOADS: &str = "gpu.module @m { llvm.func @k(%p: !llvm.ptr) attributes {nvvm.kernel} {\n";

#[test]
fn examples_of_passes_are_what_they_do() {
    let registry = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .arg("--tx-dump-registry")
        .output()
        .expect("tx-opt starts");
    let registry: Value = serde_json::from_slice(&registry.stdout).expect("the registry is JSON");
    let mut wrong = Vec::new();
    let mut tried = 0;
    for pass in registry.as_array().expect("a list") {
        if pass["kind"] != "pass" {
            continue;
        }
        let argument = pass["argument"].as_str().expect("a name");
        tried += 1;
        if let Err(why) = example(argument, pass["doc"].as_str().unwrap_or_default()) {
            wrong.push(format!("--{argument}: {why}"));
        }
    }
    assert!(tried > 0);
    for (argument, ..) in CONTEXTS {
        let known = registry.as_array().into_iter().flatten();
        if !known.into_iter().any(|pass| pass["argument"] == *argument) {
            wrong.push(format!("--{argument} has a context, and is no pass"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs the example in the documentation of one pass.
fn example(argument: &str, doc: &str) -> Result<(), String> {
    let blocks = blocks(doc);
    let block = |title: &str| {
        blocks
            .iter()
            .find(|(heading, _)| heading.starts_with(title))
            .ok_or_else(|| format!("there is no code under `{title}`"))
    };
    let (heading, before, after) = match block("Before and after") {
        Ok((heading, both)) => (heading, both, both),
        Err(_) => {
            let (_, before) = block("Before")?;
            let (heading, after) = block("After")?;
            (heading, before, after)
        }
    };
    // The heading has the form `After (`chip=sm_90`)`.
    let options = heading.split('`').nth(1).unwrap_or_default();
    let context = CONTEXTS.iter().find(|(name, ..)| *name == argument);
    let (prefix, suffix) = context.map_or(("", ""), |(_, prefix, suffix)| (*prefix, *suffix));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("before.mlir");
    fs::write(&file, format!("{prefix}{before}\n{suffix}\n")).map_err(|error| error.to_string())?;
    let flag = match options {
        "" => format!("--{argument}"),
        options => format!("--{argument}={options}"),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .arg(&file)
        .arg(flag)
        .output()
        .map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    found_in(after, &printed).map_err(|line| format!("`{line}` is not in its place in\n{printed}"))
}

/// Returns each code block with the heading above it.
fn blocks(doc: &str) -> Vec<(String, String)> {
    let mut heading = String::new();
    let mut code: Option<String> = None;
    let mut blocks: Vec<(String, String)> = Vec::new();
    for line in doc.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            match code.take() {
                Some(code) => blocks.push((heading.clone(), code)),
                None => code = Some(String::new()),
            }
        } else if let Some(code) = &mut code {
            code.push_str(line);
            code.push('\n');
        } else if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().to_owned();
        }
    }
    blocks
}

/// Returns the words, values, strings and punctuation of a text, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
            let length = if rest.starts_with("//") {
                break;
            } else if rest.starts_with("...") {
                3
            } else if first == '"' {
                rest[1..].find('"').map_or(rest.len(), |end| end + 2)
            } else if first == '%' {
                1 + rest[1..]
                    .find(|c: char| !(word(c) || matches!(c, '#' | '-')))
                    .unwrap_or(rest.len() - 1)
            } else if word(first) {
                rest.find(|c: char| !word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            let (token, after) = rest.split_at(length);
            if !token.trim().is_empty() {
                tokens.push(token.to_owned());
            }
            rest = after;
        }
    }
    tokens
}

/// Returns the parts of a pattern that must be contiguous in the output: lines, split at `...`.
fn pieces(pattern: &str) -> Vec<Vec<String>> {
    let mut pieces = Vec::new();
    for line in pattern.lines() {
        let tokens = tokens(line);
        pieces.extend(
            tokens
                .split(|token| token == "...")
                .filter(|piece| !piece.is_empty())
                .map(<[String]>::to_vec),
        );
    }
    pieces
}

/// Checks that a text contains all parts of a pattern in their order. The error contains the first
/// missing part.
fn found_in(pattern: &str, text: &str) -> Result<(), String> {
    let pieces = pieces(pattern);
    let text = tokens(text);
    let mut furthest = 0;
    if place(&pieces, &text, 0, &BTreeMap::new(), 0, &mut furthest) {
        return Ok(());
    }
    Err(pieces
        .get(furthest)
        .map_or_else(|| "nothing".to_owned(), |piece| piece.join(" ")))
}

type Names<'t> = BTreeMap<&'t str, &'t str>;

fn place<'t>(
    pieces: &'t [Vec<String>],
    text: &'t [String],
    from: usize,
    names: &Names<'t>,
    at: usize,
    furthest: &mut usize,
) -> bool {
    *furthest = at.max(*furthest);
    let Some(piece) = pieces.get(at) else {
        return true;
    };
    (from..=text.len().saturating_sub(piece.len())).any(|start| {
        let mut names = names.clone();
        let here = text.get(start..start + piece.len());
        let fits = here.is_some_and(|here| {
            let mut pairs = piece.iter().zip(here);
            pairs.all(|(expected, found)| fits(expected, found, &mut names))
        });
        fits && place(pieces, text, start + piece.len(), &names, at + 1, furthest)
    })
}

fn fits<'t>(expected: &'t str, found: &'t str, names: &mut Names<'t>) -> bool {
    if expected.starts_with('%') && found.starts_with('%') {
        return *names.entry(expected).or_insert(found) == found;
    }
    // Here, `...` can only occur inside a string, because the pattern was split at all other
    // occurrences.
    match expected.split_once("...") {
        Some((start, end)) => found.starts_with(start) && found.ends_with(end),
        None => expected == found,
    }
}

#[test]
fn patterns_are_found_in_order_with_names_of_their_own() {
    let text = "func @f(%arg0: f32) {\n  %0 = op %arg0 : f32\n  %1 = other %0, \"abc\" : f32\n}\n";
    for good in [
        "%x = op %a : f32\n%y = other %x, \"abc\" : f32 // a comment",
        "func ... {\n... \n%y = other %x, \"a...\" : ...\n}",
    ] {
        assert_eq!(found_in(good, text), Ok(()));
    }
    for (bad, line) in [
        ("%y = other %x, \"abc\"\n%x = op %a", "%x = op %a"),
        ("%x = op %x", "%x = op %x"),
        ("%x = op %a : f64", "%x = op %a : f64"),
        ("%y = other %x, \"b...\"", "%y = other %x , \"b...\""),
    ] {
        assert_eq!(found_in(bad, text), Err(line.to_owned()));
    }
}
