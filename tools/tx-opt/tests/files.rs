//! Tests of `tx-opt` on files and pipes: damaged bytecode is rejected with a message.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn opt(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .args(args)
        .output()
        .expect("tx-opt runs")
}

/// MLIR parses a dense array of functions in bytecode, but crashes when it prints the array.
#[test]
fn arrays_of_what_is_no_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (text, file, output) = (path("a.mlir"), path("a.mlirbc"), path("output.mlirbc"));
    let module = "module attributes {mine.array = array<i64: 1>, mine.function = () -> ()} {}";
    fs::write(&text, module).expect("written");
    assert!(
        opt(&[&text, "--emit-bytecode", "-o", &file])
            .status
            .success()
    );
    assert!(opt(&[&file]).status.success());

    // The array has one element of eight bytes. The element type of the array is the first of two
    // types; the test changes the element type to the second type.
    let mut bytes = fs::read(&file).expect("bytecode");
    let array = [0x23, 0x01, 0x03, 0x11];
    let places: Vec<usize> = (0..bytes.len() - array.len())
        .filter(|&at| bytes[at..].starts_with(&array))
        .collect();
    let [at] = places[..] else {
        panic!("the array stands at {places:?}");
    };
    bytes[at + 1] = 0x03;
    fs::write(&file, &bytes).expect("written");
    let refused = opt(&[&file]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains(
            "damaged bytecode: an attribute of `builtin.module` is an array of neither integers \
             nor floating-point numbers"
        ),
        "{said}"
    );

    // The output file is overwritten, so it may contain damaged bytecode.
    fs::write(&output, &bytes).expect("written");
    let written = opt(&[&text, "-o", &output]);
    assert!(
        written.status.success(),
        "{}",
        String::from_utf8_lossy(&written.stderr)
    );
}

#[test]
fn arrays_of_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (text, file) = (path("a.mlir"), path("a.mlirbc"));
    let module = "module attributes {mine.a = array<f16: 1.0>, mine.b = {c = [array<si32: 3>, \
                  array<i24: 1>]}} {}";
    fs::write(&text, module).expect("written");
    assert!(
        opt(&[&text, "--emit-bytecode", "-o", &file])
            .status
            .success()
    );
    let read = opt(&[&file]);
    assert!(
        read.status.success(),
        "{}",
        String::from_utf8_lossy(&read.stderr)
    );
    assert_eq!(read.stdout, opt(&[&text]).stdout);
}

/// MLIR reads the input after `tx-opt` has checked it, so the check must not consume the input of a
/// pipe.
#[test]
fn pipes_are_read_once() {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .arg("/dev/stdin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tx-opt runs");
    let mut input = tool.stdin.take().expect("standard input");
    write!(input, "func.func @here() {{ return }}").expect("written");
    drop(input);
    let output = tool.wait_with_output().expect("tx-opt ends");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("func.func @here()"), "{printed}");
}

/// For an error in standard input, `tx-opt` prints the same message as for the same error in a
/// file.
#[test]
fn standard_input_is_looked_into() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.mlir");
    for (text, expected) in [
        (
            "func.func @f(%a: memref<4xf32, #gpu.address_space<workgrop>>) {\n  return\n}",
            ":1:51: error: expected ::mlir::gpu::AddressSpace to be one of: global, workgroup, private",
        ),
        (
            "func.func @f(%a: f32) {\n  %b = arith.negf %A : f32\n}",
            ": error: use of undeclared SSA value name",
        ),
        ("\u{93}NUMPY", ": error: "),
    ] {
        fs::write(&file, text).expect("written");
        let of_file = opt(&[&file.to_string_lossy()]);
        for args in [&[][..], &["-"]] {
            let mut tool = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
                .args(args)
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("tx-opt runs");
            let mut input = tool.stdin.take().expect("standard input");
            write!(input, "{text}").expect("written");
            drop(input);
            let output = tool.wait_with_output().expect("tx-opt ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(expected), "{said}");
            let named = said.replace("<stdin>", &file.to_string_lossy());
            assert_eq!(named, String::from_utf8_lossy(&of_file.stderr));
        }
    }
}

#[test]
fn standard_input_that_cannot_be_read() {
    let folder = fs::File::open(env!("CARGO_MANIFEST_DIR")).expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .stdin(folder)
        .output()
        .expect("tx-opt runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("<stdin>: error: Is a directory"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.mlir");
    fs::write(&file, "func.func @here() { return }").expect("written");
    let file = file.to_string_lossy();
    for (args, output) in [
        (&[&*file][..], "standard output"),
        (&[&*file, "--emit-bytecode"], "standard output"),
        (&["--help"], "standard output"),
        (&["--tx-dump-variants"], "standard output"),
        (&[&*file, "-o", "/dev/full"], "`/dev/full`"),
        (&[&*file, "-o=/dev/full"], "`/dev/full`"),
    ] {
        let full = fs::File::options().write(true).open("/dev/full");
        let done = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
            .args(args)
            .stdout(full.expect("a device"))
            .output()
            .expect("tx-opt runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{args:?}: {said}");
        let told = format!("tx-opt: error: cannot write {output}: No space left on device");
        assert!(said.starts_with(&told), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
    }
}

#[test]
fn a_closed_pipe_is_no_crash() {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tx-opt runs");
    drop(tool.stdout.take());
    let mut input = tool.stdin.take().expect("standard input");
    write!(input, "func.func @here() {{ return }}").expect("written");
    drop(input);
    let output = tool.wait_with_output().expect("tx-opt ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Text that exceeds the maximum nesting depth is rejected at its location.
#[test]
fn deep_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("deep.mlir");
    let deep = "builtin.module {\n".repeat(100_000) + &"}\n".repeat(100_000);
    fs::write(&file, deep).expect("written");
    let refused = opt(&[&file.to_string_lossy()]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("deep.mlir:257:16: error: nested more than 256 levels deep"),
        "{said}"
    );
    let long = "#map = affine_map<(d0) -> (d0".to_owned() + &" + d0".repeat(100_000) + ")>";
    fs::write(&file, long).expect("written");
    let refused = opt(&[&file.to_string_lossy()]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("deep.mlir:1:20506: error: an expression of more than 4096 terms"),
        "{said}"
    );
}
