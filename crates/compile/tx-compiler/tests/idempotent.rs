//! The pipeline and each of its passes do not change a lowered module. The test uses every eighth
//! file of `lit-tests`, or every file if `TX_EVERY_PROGRAM` is set, as in `cargo xtask deep`.

use std::fs;
use std::path::{Path, PathBuf};

use tx::mlir::Session;
use tx::{Compiler, Target};

fn files() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../lit-tests");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder of lit tests");
        entries.map(|entry| entry.expect("an entry").path())
    };
    let folders = entries(&tests).filter(|path| path.is_dir());
    let all = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    let mut files: Vec<PathBuf> = all
        .filter(|path| path.extension().is_some_and(|ending| ending == "mlir"))
        .collect();
    files.sort();
    files
}

#[test]
fn lowered_programs_do_not_change() {
    tx::register();
    let compiler = Compiler::new(Target::parse("sm_90").expect("a chip")).expect("a compiler");
    let pipeline = compiler.pipeline().expect("a pipeline");
    let passes: Vec<&str> = pipeline.split(',').collect();
    let mut files = files();
    if std::env::var_os("TX_EVERY_PROGRAM").is_none() {
        files = files.into_iter().step_by(8).collect();
    }
    let mut tried = 0;
    let mut changed = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a program");
        for part in text.split("// -----") {
            let session = Session::new(tx::tile::register);
            let name = path.display().to_string();
            // Other tests cover programs that passes reject.
            let Some(mut module) = session.parse(&name, part.as_bytes()) else {
                continue;
            };
            if !session.run(&mut module, &pipeline) {
                continue;
            }
            session.take_diagnostics();
            tried += 1;
            let lowered = module.as_operation().to_string();
            for passes in [pipeline.as_str()].iter().chain(&passes) {
                let done = session.run(&mut module, passes);
                let said = session.take_diagnostics();
                if !done || module.as_operation().to_string() != lowered {
                    changed.push(format!("{name}: {passes}: {said:?}"));
                    break;
                }
            }
        }
    }
    assert!(tried > 40, "{tried} programs were lowered");
    assert!(changed.is_empty(), "{changed:#?}");
}
