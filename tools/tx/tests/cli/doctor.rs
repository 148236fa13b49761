//! Tests of `tx doctor`.

use super::{Case, status, stderr, stdout};

/// `tx doctor` succeeds if components are missing, and explains how to install these components.
/// With `--chip`, it prints a table of the chip's features.
#[test]
fn the_doctor_reports() {
    let case = Case::new();
    let output = case.tx(&["doctor"]);
    assert_eq!((status(&output), stderr(&output).as_str()), (0, ""));
    for name in ["tx ", "LLVM ", "cpu ", "CUDA ", "ptxas ", "cache "] {
        assert!(
            stdout(&output).lines().any(|line| line.starts_with(name)),
            "{}",
            stdout(&output)
        );
    }
    let output = case
        .command(&["doctor"])
        .env("PATH", "")
        .output()
        .expect("tx starts");
    assert_eq!(status(&output), 0);
    let output = case.tx(&["doctor", "--chip", "nonsense"]);
    assert_eq!(status(&output), 1);
    let said = stderr(&output);
    assert!(
        said.starts_with("tx: error: unknown chip `nonsense`; known"),
        "{said}"
    );
    assert!(said.ends_with("  = TX0501: tx explain TX0501\n"), "{said}");
    let output = stdout(&case.tx(&["doctor", "--chip", "sm_90"]));
    assert!(
        output.contains("compute capability") && output.contains("9.0"),
        "{output}"
    );
}
