//! `cargo xtask demo`: lowers one reduction step by step, runs the compiled reduction, and checks
//! the result.
//!
//! In the demo, a block of 32 threads sums the rows of a 4x8 tile in shared memory. The task prints
//! the IR after every pass, the shuffles in the PTX, and the results with their reference values.
//! The program runs on the GPU, or on the CPU if there is no GPU.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::npy::Array;
use crate::sh::{self, Style};
use crate::workspace::Workspace;
use crate::{codegen, setup};

/// Program of the demo. The arguments of the demo kernel are the source and the destination of the
/// reduction.
pub(crate) struct Program {
    /// Path of the program file, relative to the root of the repository. The program file of the
    /// demo is also a lit test.
    pub(crate) file: &'static str,
    pub(crate) source: &'static [usize],
    /// Shape of the destination, which contains one element per row of the source.
    pub(crate) destination: &'static [usize],
}

pub(crate) const SHARED: Program = Program {
    file: "lit-tests/lower-reduction/demo-shared-4x8.mlir",
    source: &[4, 8],
    destination: &[4],
};

pub(crate) const LOCAL: Program = Program {
    file: "lit-tests/lower-reduction/demo-local-4.mlir",
    source: &[4],
    destination: &[1],
};

impl Program {
    /// Returns an input whose elements and row sums are exact in f32, so the row sums do not depend
    /// on the order of additions. No two elements of the input are equal.
    pub(crate) fn input(&self) -> Array {
        let elements: usize = self.source.iter().product();
        let values: Vec<f32> = (0..elements)
            .map(|index| ((index * 37 + 11) % 101) as f32 / 8.0 - 3.0)
            .collect();
        Array::f32(self.source, &values)
    }

    pub(crate) fn reference(&self) -> Vec<f64> {
        let values = self.input().to_f32().unwrap_or_default();
        let rows: usize = self.destination.iter().product();
        values
            .chunks(values.len() / rows)
            .map(|row| row.iter().copied().map(f64::from).sum())
            .collect()
    }
}

const CHIP: &str = "sm_90";
/// Maximum number of lines that the demo prints per pass. [`COLUMNS`] is the maximum length of a
/// line.
const LINES_A_STAGE: usize = 14;
const COLUMNS: usize = 110;

pub(crate) fn demo(workspace: &Workspace) -> Result<()> {
    setup::setup(workspace)?;
    eprintln!("demo: building tx-opt and tx in release (minutes the first time)");
    let tx_opt = workspace.build("tx-opt", "release")?;
    let tx = workspace.build("tx", "release")?;
    let file = workspace.root.join(SHARED.file);

    show_stages(&tx_opt, &file)?;
    show_ptx(&tx, &file)?;
    run_and_compare(&tx, &file, &workspace.target.join("demo"))
}

fn heading(title: &str, summary: &str) {
    let style = Style::stdout();
    let title = style.cyan(&format!("── {title}"));
    println!("\n{title}  {}", style.dim(summary));
}

/// Names of the kernel arguments and of the shared-memory attribution in the source text of the
/// demo program. The demo reads the names from the text, because the MLIR parser does not keep
/// argument names.
struct ArgumentNames {
    arguments: Vec<String>,
    shared: Option<String>,
}

const SHARED_MEMORY: &str = "#gpu.address_space<workgroup>";

impl ArgumentNames {
    fn of(text: &str) -> Self {
        let aliases = text.lines().filter_map(|line| line.split_once(" = "));
        Self {
            arguments: arguments(&kernel_lines(text)),
            shared: aliases
                .into_iter()
                .find(|(name, meaning)| name.starts_with('#') && *meaning == SHARED_MEMORY)
                .map(|(name, _)| name.to_owned()),
        }
    }

    /// Returns the lines of the kernel, with the argument names of the source program instead of
    /// the names that MLIR prints.
    fn put(&self, kernel: &[String]) -> Vec<String> {
        let printed = arguments(kernel);
        let names: BTreeMap<&String, &String> = printed.iter().zip(&self.arguments).collect();
        let name = |line: &String| {
            let mut parts = line.split('%');
            let mut text = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let end = part.find(|c: char| !is_of_name(c)).unwrap_or(part.len());
                let name = part[..end].to_owned();
                text.push('%');
                text.push_str(names.get(&name).unwrap_or(&&name));
                text.push_str(&part[end..]);
            }
            match &self.shared {
                Some(alias) => text.replace(SHARED_MEMORY, alias),
                None => text,
            }
        };
        kernel.iter().map(name).collect()
    }
}

fn arguments(kernel: &[String]) -> Vec<String> {
    let head: Vec<&str> = kernel
        .iter()
        .map(String::as_str)
        .take(
            1 + kernel
                .iter()
                .take_while(|line| !line.ends_with('{'))
                .count(),
        )
        .collect();
    let head = head.join(" ");
    let names = head.split('%').skip(1).map(|part| {
        let end = part.find(|c: char| !is_of_name(c)).unwrap_or(part.len());
        part[..end].to_owned()
    });
    names.collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')
}

/// Prints a line of IR, and wraps the line if necessary. If the line is too long, the function
/// first removes the last type and the `: i64` suffixes of the line.
fn print_ir(mark: &str, line: &str, paint: impl Fn(&str) -> String) {
    for (number, part) in fit(line).iter().enumerate() {
        let mark = if number == 0 { mark } else { " " };
        println!("{}", paint(&format!(" {mark} {part}")));
    }
}

fn fit(line: &str) -> Vec<String> {
    let mut line = line.replace('\t', " ");
    if line.chars().count() > COLUMNS
        && let Some(end) = line.rfind("} : ")
    {
        line.truncate(end + 1);
        line = line.replace(" : i64", "");
    }
    let margin = " ".repeat(line.len() - line.trim_start().len() + 6);
    let mut parts: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match parts.last_mut() {
            Some(part) if part.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                part.push(' ');
                part.push_str(word);
            }
            Some(_) => parts.push(format!("{margin}{word}")),
            None => parts.push(word.to_owned()),
        }
    }
    parts
}

fn show_stages(tx_opt: &Path, file: &Path) -> Result<()> {
    let registry = codegen::parse_registry(
        &sh::capture(Command::new(tx_opt).arg("--tx-dump-registry"))?.stdout,
    )?;
    let text = fs::read_to_string(file)
        .with_context(|| format!("cannot read the demonstration program {}", file.display()))?;
    // The first stage is compared with the program as MLIR prints it.
    let printed = sh::capture(Command::new(tx_opt).arg(file))?.stdout;
    heading(
        "input",
        "a 4x8 tile, its rows summed by the 32 threads of a block",
    );
    for line in kernel_lines(&text) {
        print_ir(" ", &line, str::to_owned);
    }
    let words = ArgumentNames::of(&text);
    let mut before = words.put(&kernel_lines(&printed));

    // The pass manager prints the module after every pass. The demo shows only the lines that are
    // new.
    let output = sh::capture(
        Command::new(tx_opt)
            .args(["--lower-reduction", "--mlir-print-ir-after-all"])
            .arg(file),
    )?;
    for (argument, module) in dumps(&output.stderr) {
        let after = words.put(&kernel_lines(module));
        let summary = registry
            .iter()
            .find(|entry| entry.argument == argument)
            .map_or("", |entry| entry.summary.as_str());
        let new = new_lines(&before, &after);
        heading(argument, summary);
        if new.is_empty() {
            let nothing = "(nothing in the kernel changes)";
            println!("   {}", Style::stdout().dim(nothing));
        }
        for line in new.iter().take(LINES_A_STAGE) {
            print_ir("+", line, |text| Style::stdout().green(text));
        }
        if new.len() > LINES_A_STAGE {
            let more = format!("   … {} more lines", new.len() - LINES_A_STAGE);
            println!("{}", Style::stdout().dim(&more));
        }
        before = after;
    }
    Ok(())
}

/// Returns the pass name and the module text in each section of a `--mlir-print-ir-after-all` dump.
fn dumps(text: &str) -> Vec<(&str, &str)> {
    const BANNER: &str = "// -----// IR Dump After ";
    text.split(BANNER)
        .skip(1)
        .filter_map(|section| {
            let (title, module) = section.split_once('\n')?;
            let argument = title.split_once('(')?.1.split_once(')')?.0;
            Some((argument, module))
        })
        .collect()
}

/// Returns the unindented lines of the kernel, from `gpu.func` to the closing brace of the kernel.
fn kernel_lines(module: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut indent = None;
    for line in module.lines() {
        let depth = line.len() - line.trim_start().len();
        match indent {
            None if line.trim_start().starts_with("gpu.func ") => indent = Some(depth),
            None => continue,
            Some(_) => {}
        }
        let margin = indent.unwrap_or_default().min(depth);
        if !line.trim().is_empty() && !line.trim_start().starts_with("//") {
            lines.push(line[margin..].trim_end().to_owned());
        }
        if indent == Some(depth) && line.trim() == "}" {
            break;
        }
    }
    lines
}

/// Returns the lines of `after` that are not in `before`, except for constants and closing braces.
/// The comparison ignores SSA names.
fn new_lines(before: &[String], after: &[String]) -> Vec<String> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for line in before {
        *known.entry(without_numbers(line)).or_default() += 1;
    }
    after
        .iter()
        .filter(|line| {
            if let Some(count) = known.get_mut(&without_numbers(line))
                && *count > 0
            {
                *count -= 1;
                return false;
            }
            !line.contains("arith.constant") && !line.trim().trim_matches('}').is_empty()
        })
        .cloned()
        .collect()
}

/// Returns the text of an op without SSA names. The modules of two stages may print one SSA value
/// under different names.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.trim();
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..=at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | '-')
        });
    }
    text + rest
}

fn show_ptx(tx: &Path, file: &Path) -> Result<()> {
    let ptx = sh::capture(
        Command::new(tx)
            .arg("compile")
            .arg(file)
            .args(["--chip", CHIP]),
    )?
    .stdout;
    let shown: Vec<&str> = ptx
        .lines()
        .map(str::trim)
        .filter(|line| {
            [
                ".target",
                ".visible .entry",
                "shfl.",
                "redux.",
                "bar.",
                "barrier.",
            ]
            .iter()
            .any(|start| line.starts_with(start))
        })
        .collect();
    heading("PTX", "the instructions between threads");
    for line in shown {
        print_ir(" ", line, str::to_owned);
    }
    Ok(())
}

fn run_and_compare(tx: &Path, file: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let input: PathBuf = folder.join("A.npy");
    let result: PathBuf = folder.join("B.npy");
    let _ = fs::remove_file(&result);
    SHARED
        .input()
        .write(&input)
        .map_err(|error| anyhow!(error))?;
    let output = sh::capture(
        Command::new(tx)
            .arg("run")
            .arg(file)
            .arg("--arg")
            .arg(&input)
            .args(["--arg", "zeros:4xf32", "--out"])
            .arg(format!("1={}", result.display())),
    )?;
    let device = output.stderr.trim().trim_start_matches("tx: ");
    let values = Array::read(&result)
        .and_then(|array| array.to_f32())
        .map_err(|error| anyhow!("the result of `tx run`: {error}"))?;
    let reference = SHARED.reference();

    let style = Style::stdout();
    heading("run", device);
    println!("   row {:>14} {:>14}", "tx", "reference");
    let mut wrong = 0;
    for (row, expected) in reference.iter().enumerate() {
        let value = values.get(row).copied().map_or(f64::NAN, f64::from);
        let right = value == *expected;
        wrong += usize::from(!right);
        let mark = if right {
            style.green("equal")
        } else {
            style.red("WRONG")
        };
        println!("   {row:>3} {value:>14} {expected:>14}   {mark}");
    }
    if wrong > 0 || values.len() != reference.len() {
        bail!("demo: {wrong} of {} rows are wrong", reference.len());
    }
    println!(
        "\n{}",
        style.green(&format!("demo: all {} sums are right", reference.len()))
    );
    println!(
        "{}",
        style.dim("next: `target/release/tx --help`, and programs to try in lit-tests/programs")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
#map = affine_map<(d0) -> (d0)>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%arg0: memref<4xf32>) kernel {
      %0 = gpu.thread_id x
      gpu.return
    }
  }
}
";

    #[test]
    fn a_kernel_is_cut_out_and_moved_to_the_margin() {
        assert_eq!(
            kernel_lines(MODULE),
            [
                "gpu.func @k(%arg0: memref<4xf32>) kernel {",
                "  %0 = gpu.thread_id x",
                "  gpu.return",
                "}"
            ]
        );
    }

    #[test]
    fn stages_are_in_the_words_of_the_program() {
        let source = "\
#shared = #gpu.address_space<workgroup>
gpu.module @m {
  gpu.func @k(%A: memref<4xf32>)
      workgroup(%As: memref<4xf32, #shared>) kernel {
    gpu.return
  }
}
";
        let words = ArgumentNames::of(source);
        assert_eq!(words.arguments, ["A", "As"]);
        let kernel = [
            "gpu.func @k(%arg0: memref<4xf32>) workgroup(%arg1 : memref<4xf32, \
             #gpu.address_space<workgroup>>) kernel {",
            "  tile.copy %arg0 to %arg1 : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>",
            "  %arg10 = a.b %0",
        ];
        let kernel: Vec<String> = kernel.map(str::to_owned).to_vec();
        assert_eq!(
            words.put(&kernel),
            [
                "gpu.func @k(%A: memref<4xf32>) workgroup(%As : memref<4xf32, #shared>) kernel {",
                "  tile.copy %A to %As : memref<4xf32> to memref<4xf32, #shared>",
                "  %arg10 = a.b %0",
            ]
        );
    }

    #[test]
    fn renumbered_lines_are_not_new() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let before = lines("%0 = gpu.thread_id x\n%1 = arith.addi %0, %0 : index");
        let after = lines("%7 = gpu.thread_id x\n%8 = arith.muli %7, %7 : index\n}");
        assert_eq!(
            new_lines(&before, &after),
            ["%8 = arith.muli %7, %7 : index"]
        );
    }

    #[test]
    fn long_lines_lose_their_types_and_are_wrapped() {
        let long = "x".repeat(COLUMNS);
        assert_eq!(fit(&long), [long.as_str()]);
        assert_eq!(
            fit(&format!("  op {{a = 1 : i64}} : {long}")),
            ["  op {a = 1}"]
        );
        let margin = " ".repeat(6);
        assert_eq!(
            fit(&format!("op {long} b")),
            ["op".to_owned(), margin.clone() + &long, margin + "b"]
        );
    }

    #[test]
    fn dumps_are_split_at_their_banners() {
        let text = "\
// -----// IR Dump After SelectVariant (tile-select-variant) //----- //
module {
}

// -----// IR Dump After InsertSync (tile-insert-sync) //----- //
module { }
";
        let sections = dumps(text);
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].0, "tile-select-variant");
        assert_eq!(sections[1], ("tile-insert-sync", "module { }\n"));
    }

    #[test]
    fn the_reference_of_the_demonstration_is_exact_in_f32() {
        for program in [SHARED, LOCAL] {
            let reference = program.reference();
            assert_eq!(
                reference.len(),
                program.destination.iter().product::<usize>()
            );
            for sum in reference {
                assert_eq!(f64::from(sum as f32), sum);
            }
        }
    }
}
