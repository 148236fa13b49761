//! Tests of the output of `tx validate`; other tests cover its findings.

use super::{BLOCKS, Case, RACE, ROWS, SUM, status, stderr, stdout};
use std::fs;
use std::process::Command;

/// A missing `ptxas` is reported once for all programs.
#[test]
fn validation_says_once_how_to_get_ptxas() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    // The test runs a copy of `tx` outside of the target directory, because `tx` also searches for
    // `ptxas` in the target directory.
    let away = case.folder.path().join("tx");
    fs::copy(env!("CARGO_BIN_EXE_tx"), &away).expect("a copy");
    let output = Command::new(&away)
        .current_dir(case.folder.path())
        .args(["validate", "sum.mlir", "sum.mlir"])
        .args(["--arg", "zeros:128xf32", "--arg", "zeros:f32"])
        .env("PATH", "")
        .output()
        .expect("tx starts");
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let said = stdout(&output);
    assert_eq!(said.matches("; not assembled\n").count(), 2, "{said}");
    assert_eq!(said.matches("ptxas was not found").count(), 1, "{said}");
    assert_eq!(said.matches("cargo xtask setup").count(), 1, "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.starts_with(
            "ptxas was not found, so no PTX was assembled: `pip install nvidia-cuda-nvcc`"
        ),
        "{said}"
    );
}

/// `tx validate` reports an assumed grid once below the table, with the option that changes the
/// grid. The page of `tx report` also contains this note. Kernels that do not read block ids are
/// not mentioned.
#[test]
fn a_grid_that_is_left_out_is_told_in_the_table() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    case.file("blocks.mlir", BLOCKS);
    let known = "known_block_size = array<i32: 1, 1, 1>";
    let sized = format!("{known}, known_grid_size = array<i32: 4, 1, 1>");
    case.file("sized.mlir", BLOCKS.replace(known, &sized));
    case.file("rows.mlir", ROWS.replace('?', "9"));
    let told = "Run with one block, because the grid size is not known: @blocks. Set the grid size \
                with `--grid X,Y,Z`, or with `known_grid_size = array<i32: X, Y, Z>` next to the \
                block size.\n";
    let files = [
        "validate",
        "sum.mlir",
        "blocks.mlir",
        "sized.mlir",
        "rows.mlir",
    ];
    let said = stdout(&case.tx(&files));
    assert_eq!(said.matches(told).count(), 1, "{said}");
    assert_eq!(said.matches("Run with").count(), 1, "{said}");
    let page =
        |more: &[&str]| stdout(&case.tx(&[&["report", "blocks.mlir", "-o", "-"], more].concat()));
    let in_page = "Run with one block, because the grid size is not known: @blocks.";
    assert_eq!(page(&[]).matches(in_page).count(), 1);
    for said in [
        stdout(&case.tx(&["validate", "blocks.mlir", "--grid", "1"])),
        stdout(&case.tx(&["validate", "sum.mlir", "sized.mlir", "rows.mlir"])),
        page(&["--grid", "1"]),
    ] {
        assert!(!said.contains("Run with"), "{said}");
    }
}

#[test]
fn findings_have_a_place() {
    let case = Case::new();
    case.file("race.mlir", RACE);
    let output = case.tx(&["validate", "race.mlir", "--message-format", "json"]);
    assert_eq!(status(&output), 3);
    let said = stderr(&output);
    let finding: serde_json::Value =
        serde_json::from_str(said.lines().next().unwrap_or_default()).expect(&said);
    let text = "@race: the program has a race after `tile-insert-sync`";
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["message"], text);
    assert_eq!(finding["file"], "race.mlir");
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&5.into(), &5.into())
    );
    let verdict = finding["notes"][0]["message"].as_str().unwrap_or_default();
    assert!(
        verdict.starts_with("tile-insert-sync: RACE: race on global memory"),
        "{said}"
    );
    // In text format, only the table contains the verdict.
    let output = case.tx(&["validate", "race.mlir"]);
    assert!(
        stderr(&output).starts_with(&format!(
            "race.mlir:5:5: error: {text}\n    memref.store %t, %B[%c0] : memref<1xindex>\n    \
             ^\nnote: `tile-insert-sync` inserts the barriers between two ops"
        )),
        "{}",
        stderr(&output)
    );
}

/// A broken combiner property has a diagnostic code, and JSON contains its values.
#[test]
fn broken_laws_have_a_code() {
    let case = Case::new();
    case.file(
        "odd.mlir",
        "\
func.func @odd(%A: memref<7xi8>, %B: memref<i8>) {
  tile.reduce custom %A into %B axes [0] scope(grid) identity [0 : i8] combiner {
  ^bb0(%l: i8, %r: i8):
    %c = arith.constant 77 : i8
    %is = arith.cmpi eq, %l, %c : i8
    %s = arith.addi %l, %r : i8
    %t = arith.addi %s, %s : i8
    %p = arith.select %is, %t, %s : i8
    tile.yield %p : i8
  } : memref<7xi8> into memref<i8>
  return
}
",
    );
    let output = case.tx(&["validate", "odd.mlir", "--message-format", "json"]);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    let first = stderr(&output).lines().next().map(str::to_owned);
    let one: serde_json::Value = serde_json::from_str(&first.expect("a line")).expect("JSON");
    assert_eq!(
        one["message"],
        "@odd: a combiner violates an algebraic property"
    );
    assert_eq!(one["code"], "TX0207");
    let note = one["notes"][0]["message"].as_str().expect("a note");
    assert!(
        note.contains("not commutative: combiner(0, 77) = 77"),
        "{one}"
    );
    let rendered = one["rendered"].as_str().expect("text");
    assert!(
        rendered.contains(note) && rendered.contains("TX0207"),
        "{one}"
    );
}
