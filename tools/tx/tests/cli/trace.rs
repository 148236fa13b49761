//! Tests of `--trace`.

use super::{Case, RACE, ROWS, SUM, fails, status, stderr};
use std::fs;

/// Returns the events of a trace, after a check of the required fields.
fn events(case: &Case, name: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(case.folder.path().join(name)).expect("a trace");
    let events: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list in JSON");
    let mut open: Vec<(u64, String)> = Vec::new();
    let mut last = 0.0;
    for event in &events {
        let time = event["ts"].as_f64().expect("a time");
        assert!(time >= last, "{event}");
        last = time;
        let name = event["name"].as_str().expect("a name").to_owned();
        let thread = event["tid"].as_u64().expect("a thread");
        match event["ph"].as_str() {
            Some("B") => open.push((thread, name)),
            Some("E") => {
                let at = open.iter().rposition(|(other, _)| *other == thread);
                let (_, begun) = open.remove(at.expect("what ends has begun"));
                assert_eq!(begun, name);
            }
            Some("i") => {}
            _ => panic!("{event}"),
        }
    }
    assert_eq!(open, [], "what begins ends");
    events
}

fn begun(events: &[serde_json::Value]) -> Vec<String> {
    let begun = events.iter().filter(|event| event["ph"] == "B");
    begun
        .map(|event| event["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// A trace contains the stages and every pass, in order. The option `--trace` prints nothing.
#[test]
fn traces_have_every_pass_and_stage() {
    let case = Case::new();
    case.file("rows.mlir", ROWS);
    let output = case.tx(&[
        "run",
        "rows.mlir",
        "--device",
        "cpu",
        "--arg",
        "rand:4x8xf32",
        "--arg",
        "zeros:4xf32",
        "--trace",
        "run.json",
    ]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let names = begun(&events(&case, "run.json"));
    let stages = [
        "compile",
        "parse",
        "convert-linalg-to-tile",
        "tile-schedule",
        "tile-insert-sync",
        "gpu-module-to-binary",
        "load",
        "copy to device",
        "launch",
        "wait",
        "read back",
    ];
    let mut rest = names.iter();
    for stage in stages {
        assert!(
            rest.any(|name| name.starts_with(stage)),
            "{stage} is not in its place: {names:?}"
        );
    }
    // The number of passes equals that of `--time`.
    let timed = case.tx(&[
        "compile",
        "rows.mlir",
        "--time",
        "-o",
        "rows.ptx",
        "--trace",
        "compile.json",
    ]);
    let events = events(&case, "compile.json");
    let passes = events
        .iter()
        .filter(|event| event["ph"] == "B" && event["cat"] == "pass")
        .count();
    // `context`, `parse` and `total` are not passes.
    assert_eq!(
        passes + 3,
        stderr(&timed).lines().count(),
        "{}",
        stderr(&timed)
    );
}

#[test]
fn traces_end_when_programs_fail() {
    let case = Case::new();
    case.file(
        "wrong.mlir",
        "func.func @f() { %0 = \"no.op\"() : () -> () }",
    );
    case.file("race.mlir", RACE);
    let output = case.tx(&["compile", "wrong.mlir", "--trace", "wrong.json"]);
    assert_eq!(status(&output), 1);
    assert!(begun(&events(&case, "wrong.json")).contains(&"parse".to_owned()));
    let output = case.tx(&[
        "run",
        "race.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:1xi64",
        "--trace",
        "race.json",
    ]);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(begun(&events(&case, "race.json")).contains(&"launch".to_owned()));
    case.tx(&["compile", "missing.mlir", "--trace", "missing.json"]);
    assert_eq!(begun(&events(&case, "missing.json")), [""; 0]);
}

#[test]
fn traces_need_a_file() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&["compile", "sum.mlir", "--trace", "no/folder.json"]);
    fails(
        &output,
        1,
        "tx: error: no/folder.json: the folder `no` does not exist: create it with `mkdir -p no`\n",
    );
}
