//! Tests of `tx report` as a command; other tests cover the page.

use super::{BLOCKS, Case, RACE, ROWS, SUM, fails, status, stderr, stdout};
use std::fs;

#[test]
fn reports_are_pages() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let page = |name: &str, more: &[&str]| {
        let output = case.tx(&[&["report", "sum.mlir", "-o", name], more].concat());
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        fs::read_to_string(case.folder.path().join(name)).expect("a page")
    };
    let first = page("a.html", &["--no-times"]);
    assert_eq!(first, page("b.html", &["--no-times"]));
    for part in [
        "<!DOCTYPE html>",
        "Entry <code>@sum</code>",
        "</span> Valid: after every pass",
        "</span> equal within order</span>",
        "Shuffle: each lane with the one at distance 16 (xor), then arith.addf",
        "Barrier of the block (gpu.barrier)",
        "✓ chosen",
        "id=line-4",
        "<a href=\"#ptx-",
    ] {
        assert!(first.contains(part), "{part}");
    }
    assert!(!first.contains("id=times"));
    let timed = page("c.html", &["--no-validate", "--chip", "sm_90"]);
    assert!(timed.contains("id=times") && !timed.contains("id=check"));
    assert!(timed.contains("Chip <code>sm_90</code>"));
    // The validation uses all inputs if their run time is short; otherwise, the page says that the
    // validation uses only the first inputs.
    let few = "These inputs are the first of many: <code>--all-inputs</code>";
    let all = page("d.html", &["--no-times", "--all-inputs"]);
    assert!(first == all && !first.contains(few));
    case.file("rows.mlir", ROWS);
    let output = case.tx(&["report", "rows.mlir", "-o", "-", "--no-times"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains(few));
    // The headline must not claim complete validation.
    let headline = text.split("class=\"headline good\"").nth(1);
    let headline = headline
        .and_then(|rest| rest.split("</p>").next())
        .unwrap_or_default();
    assert!(
        headline.contains(" of ") && headline.contains(" inputs."),
        "{headline}"
    );
    // The command validates with the given arguments, and writes the page to standard output.
    let args = ["--arg", "rand:128xf32", "--arg", "zeros:f32"];
    let output = case.tx(&[&["report", "sum.mlir", "-o", "-"], &args[..]].concat());
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("the arguments given"));
}

#[test]
fn ptx_has_no_locations_elsewhere() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let ptx = stdout(&case.tx(&["compile", "sum.mlir"]));
    assert!(ptx.contains("ret;"), "{ptx}");
    assert!(!ptx.contains(".loc") && !ptx.contains("debug"), "{ptx}");
    let page = stdout(&case.tx(&["report", "sum.mlir", "--no-validate", "-o", "-"]));
    assert!(
        page.contains("Beside each instruction stands the line of the program that it comes from.")
    );
    assert!(
        !page.contains("This is PTX with locations"),
        "it is other PTX than that of `tx compile`"
    );
}

/// If the compiler rejects a program or the validation fails, the page contains the error.
#[test]
fn reports_of_bad_programs_say_what_is_wrong() {
    let case = Case::new();
    let read = |name: &str| fs::read_to_string(case.folder.path().join(name)).expect("a page");
    case.file(
        "refused.mlir",
        SUM.replace("scope(cta)", "scope(cta) {variant = \"local\"}"),
    );
    let output = case.tx(&["report", "refused.mlir", "-o", "refused.html"]);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output)
            .starts_with("refused.mlir:4:5: error: variant `local` cannot lower this reduction"),
        "{}",
        stderr(&output)
    );
    let page = read("refused.html");
    assert!(page.contains("id=refused") && page.contains("id=stage-0"));
    assert!(page.contains("variant <code>local</code> cannot lower this reduction"));

    case.file("broken.mlir", "gpu.module @m {");
    let output = case.tx(&["report", "broken.mlir", "-o", "broken.html"]);
    assert_eq!(status(&output), 1);
    assert!(
        stderr(&output).starts_with("broken.mlir:1:"),
        "{}",
        stderr(&output)
    );
    assert!(read("broken.html").contains("The program cannot be read."));

    case.file("race.mlir", RACE);
    let output = case.tx(&["report", "race.mlir", "-o", "race.html"]);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("RACE"), "{}", stderr(&output));
    let page = read("race.html");
    assert!(page.contains("Not valid: see"));
    // The line in the verdict is marked, and the location links to it.
    let line = RACE.lines().position(|line| line.contains("store"));
    let line = line.expect("a store") + 1;
    assert!(page.contains(&format!("<tr id=line-{line} class=wrong>")));
    assert!(page.contains(&format!("<a href=\"#line-{line}\">race.mlir:{line}:")));
}

#[test]
fn reports_take_the_grid_of_a_kernel() {
    let case = Case::new();
    case.file(
        "one_place.mlir",
        BLOCKS.replace("%B[%b]", "%B[%c0]").replace(
            "%b = gpu.block_id x\n",
            "%b = gpu.block_id x\n    %c0 = arith.constant 0 : index\n",
        ),
    );
    let report = ["report", "one_place.mlir", "-o", "page.html"];
    let output = case.tx(&[&report[..], &["--grid", "1"]].concat());
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let output = case.tx(&[&report[..], &["--grid", "2"]].concat());
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("RACE"), "{}", stderr(&output));
    // A grid without validation is a usage error.
    let output = case.tx(&[&report[..], &["--grid", "2", "--no-validate"]].concat());
    assert_eq!(status(&output), 2);
    case.file("rows.mlir", ROWS);
    fails(
        &case.tx(&["report", "rows.mlir", "-o", "page.html", "--grid", "2"]),
        1,
        "tx: error: rows.mlir: the grid can be set only for a kernel, but `rows` is a host \
         function\n",
    );
}

#[test]
fn reports_that_cannot_be_made() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let quick = ["report", "sum.mlir", "--no-validate"];
    fails(
        &case.tx(&[&quick[..], &["-o", "absent/sum.html"]].concat()),
        1,
        "tx: error: absent/sum.html: the folder `absent` does not exist: create it with `mkdir -p \
         absent`\n",
    );
    fails(
        &case.tx(&["report", "absent.mlir", "-o", "sum.html"]),
        1,
        "tx: error: absent.mlir: no such file, expected a program\n",
    );
    fails(
        &case.tx(&["report", "sum.mlir", "-o", "a.html", "--arg", "zeros:3xf32"]),
        1,
        "tx: error: sum.mlir: found 1 argument, expected 2: @sum(memref<128xf32>, memref<f32>)\n\
         tx: note: pass one `--arg` for each argument, in order\n",
    );
    assert!(!case.folder.path().join("a.html").exists());
    for (args, message) in [
        (&["report", "sum.mlir"][..], "--output <FILE.html>"),
        (
            &[
                "report",
                "sum.mlir",
                "-o",
                "-",
                "--no-validate",
                "--arg",
                "1",
            ],
            "cannot be used with",
        ),
    ] {
        let output = case.tx(args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// If `tx validate` reports an error of a combiner instead of an error of a pass, the page also
/// reports the error of the combiner.
#[test]
fn combiners_are_to_blame_in_reports_too() {
    let case = Case::new();
    case.file(
        "affine.mlir",
        "\
func.func @affine(%A: memref<3x100xi32>, %C: memref<3x100xi32>, %B: memref<3xi32>, %D: memref<3xi32>) {
  tile.reduce custom %A, %C into %B, %D axes [1] scope(grid) identity [1 : i32, 0 : i32] combiner {
  ^bb0(%a: i32, %c: i32, %b: i32, %d: i32):
    %p = arith.muli %a, %b : i32
    %q = arith.muli %c, %b : i32
    %s = arith.addi %q, %d : i32
    tile.yield %p, %s : i32, i32
  } : memref<3x100xi32>, memref<3x100xi32> into memref<3xi32>, memref<3xi32>
  return
}
",
    );
    let output = case.tx(&["report", "affine.mlir", "-o", "affine.html"]);
    assert_eq!(status(&output), 3);
    let said = stderr(&output);
    let validated = stderr(&case.tx(&["validate", "affine.mlir"]));
    for part in [
        "affine.mlir:2:3: error: @affine: custom (i32, i32): where such values occur, not commutative: ",
        "; the combiner must give the same result in any order; after `tile-schedule` the results \
         of the program differ\n",
        "note: schedules combine elements in other orders, and the identity in place of missing \
         elements: the combiner is wrong, ",
    ] {
        assert!(said.contains(part), "{said}");
        assert!(validated.contains(part), "{validated}");
    }
}

/// If a property of a combiner fails for some values, the page does not report success. The page
/// mentions other inputs, and marks the warning of the compiler.
#[test]
fn laws_that_fail_for_some_values_are_no_green_page() {
    let case = Case::new();
    case.file(
        "greatest.mlir",
        "\
func.func @greatest(%a: memref<3x5xf32>, %b: memref<3xf32>) {
  tile.reduce custom %a into %b axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %x, %y : f32
    tile.yield %z : f32
  } : memref<3x5xf32> into memref<3xf32>
  return
}
",
    );
    let warning = "greatest.mlir:2:3: warning: the identity is not neutral for every value: ";
    let page = |more: &[&str]| {
        let output = case.tx(&[&["report", "greatest.mlir", "-o", "-"], more].concat());
        assert_eq!(stderr(&output).matches(warning).count(), 1, "{more:?}");
        (status(&output), stdout(&output))
    };
    let (ended, text) = page(&[]);
    assert_eq!(
        ended, 3,
        "as `tx validate` ends, which takes all inputs too"
    );
    assert!(text.contains("class=\"headline bad\""));
    assert!(text.contains(
        "<h3><span class=\"badge fair\"><span aria-hidden=true>!</span> warning</span> the identity"
    ));
    assert!(text.contains("<p>threads without an element contribute the identity: "));
    // If no input contains a failing value, the page states only that the program is valid on these
    // inputs.
    let (ended, text) = page(&["--arg", "full:1:3x5xf32", "--arg", "zeros:3xf32"]);
    assert_eq!(ended, 0);
    assert!(!text.contains("class=\"headline good\""));
    assert!(text.contains(
        "</span> Valid on the inputs tried, 1 input; the combiner's <a href=\"#laws\">laws</a> do \
         not hold for all values.</p>"
    ));
    assert_eq!(text.matches("<tr id=laws>").count(), 1);
}
