//! Tests of report pages in Chromium, driven by `browser/check.mjs`.
//!
//! `TX_BLESS=1 cargo test -p tx-cli --test integration browser` accepts new screenshots. If a
//! screenshot differs from the accepted screenshot, the tests write the new screenshot to `browser`
//! in the `tmp` directory of the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Program with eight lanes per row, for screenshots.
const ROWS: &str = "\
// Sums of four rows of eight numbers, <b>eight lanes</b> a row.
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      workgroup(%As : memref<4x8xf32, #gpu.address_space<workgroup>>,
                %Bs : memref<4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<4x8xf32> to memref<4x8xf32, #gpu.address_space<workgroup>>
    tile.reduce sum %As into %Bs axes [-1] scope(cta)
        : memref<4x8xf32, #gpu.address_space<workgroup>> into memref<4xf32, #gpu.address_space<workgroup>>
    tile.copy %Bs to %B scope(cta) : memref<4xf32, #gpu.address_space<workgroup>> to memref<4xf32>
    gpu.return
  }
}
";

/// Program with a forced variant that does not apply.
const REFUSED: &str = "\
gpu.module @kernels {
  gpu.func @rows(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = \"packed_key\"}
        : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
";

/// Invalid program text.
const UNREAD: &str = "gpu.module @kernels {\n  gpu.funk\n";

/// Program with dynamic sizes. The compiler generates one kernel for each range of row lengths.
const MANY: &str = "\
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
";

/// Text that the browser would interpret as HTML if the page did not escape the text.
const HOSTILE: &str = "\
// </script><script>window.hit = 1</script> <img src=x onerror=\"hit=1\"> &lt; <!-- </table></details>
gpu.module @\"</script><script>window.hit = 1</script>\" {
  gpu.func @rows(%A: memref<128xf32>, %B: memref<f32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, \"<img src=x onerror=hit=1>\" = \
                                                              \"</style><svg onload=hit=1>\"} {
    tile.reduce sum %A into %B axes [0] scope(cta) : memref<128xf32> into memref<f32>
    gpu.return
  }
}
";

/// Program with fragments in the registers of a warp.
const FRAGMENTS: &str = "\
gpu.module @kernels {
  gpu.func @rows(%A: memref<16x8xf32>, %B: memref<16xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<16x8xf32>
        -> !tile.fragment<16x8xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>>
    %r = tile.reduce max %x axes [1] scope(warp)
        : !tile.fragment<16x8xf32, #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <4 : 1 lane>, <2 : 1 reg>]>>
        -> !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
    tile.store %r to %B scope(warp)
        : !tile.fragment<16xf32, #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>>
          to memref<16xf32>
    gpu.return
  }
}
";

/// The test skips validation, because the validation of a program with many kernels takes long.
const UNCHECKED: &[&str] = &["--no-validate"];

/// Writes the page of a program; returns its size in bytes.
fn report(folder: &Path, [program, text, page]: [&str; 3], status: i32, flags: &[&str]) -> u64 {
    fs::write(folder.join(program), text).expect("a temporary file");
    let output = Command::new(env!("CARGO_BIN_EXE_tx"))
        .current_dir(folder)
        .args(["report", "--no-times", program, "-o", page])
        .args(flags)
        .output()
        .expect("tx starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{program}: {said}");
    let page = fs::metadata(folder.join(page)).expect("a page");
    page.len()
}

/// Returns the path of the browser driver that `cargo xtask setup` installs in the target
/// directory.
fn driver() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_tx"))
        .ancestors()
        .skip(2)
        .take(2)
        .map(|folder| folder.join("tools/browser"))
        .find(|folder| folder.join("node_modules/playwright-core").is_dir())
        .expect("this test needs Playwright: `cargo xtask setup` fetches it into target/tools")
}

#[test]
fn pages_are_small() {
    const MOST: u64 = 400 * 1024;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let size = report(
        folder.path(),
        ["rows.mlir", MANY, "page.html"],
        0,
        UNCHECKED,
    );
    assert!(size <= MOST, "{size} bytes, expected at most {MOST}");
}

#[test]
fn pages_work_in_a_browser() {
    let driver = driver();
    let chromium = std::env::var_os("TX_CHROMIUM").unwrap_or_else(|| "/usr/bin/chromium".into());
    assert!(
        Path::new(&chromium).is_file(),
        "this test needs Chromium, and there is no {}: `cargo xtask setup` installs it; or name \
         another in TX_CHROMIUM",
        Path::new(&chromium).display()
    );
    let pages = tempfile::tempdir().expect("a temporary folder");
    for (name, text, status, flags) in [
        ("rows", ROWS, 0, &[][..]),
        ("refused", REFUSED, 1, &[]),
        ("unread", UNREAD, 1, &[]),
        ("many", MANY, 0, UNCHECKED),
        ("fragments", FRAGMENTS, 0, &[]),
    ] {
        let [program, page] = ["mlir", "html"].map(|extension| format!("{name}.{extension}"));
        report(pages.path(), [&program, text, &page], status, flags);
    }
    let name = "<img src=x onerror=hit=1>&.mlir";
    report(pages.path(), [name, HOSTILE, "hostile.html"], 0, &[]);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let mut command = Command::new("node");
    command
        .arg(tests.join("check.mjs"))
        .arg(driver)
        .arg(chromium)
        .arg(pages.path())
        .arg(tests.join("goldens"))
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser"));
    if std::env::var_os("TX_BLESS").is_some() {
        fs::create_dir_all(tests.join("goldens")).expect("a folder for screenshots");
        command.arg("--bless");
    }
    let output = command
        .output()
        .expect("this test needs Node.js: `cargo xtask setup` installs it");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
