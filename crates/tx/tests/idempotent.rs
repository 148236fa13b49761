//! A lowered module is lowered again, and does not change: by the pipeline, and by each of its passes.

use std::fs;
use std::path::Path;

use tx::mlir::Session;
use tx::{Compiler, Target};

#[test]
fn lowered_programs_do_not_change() {
    tx::register();
    let compiler = Compiler::new(Target::parse("sm_90").expect("a chip")).expect("a compiler");
    let pipeline = compiler.pipeline().expect("a pipeline");
    let passes: Vec<&str> = pipeline.split(',').collect();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests");
    let mut tried = 0;
    let mut changed = Vec::new();
    for folder in fs::read_dir(tests).expect("the lit tests") {
        let folder = folder.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(folder).expect("a folder of lit tests") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "mlir") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a program");
            for part in text.split("// -----") {
                let session = Session::new(tx::tile::register);
                let name = path.display().to_string();
                // What is refused on the way is the subject of other tests.
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
    }
    assert!(tried > 300, "{tried} programs were lowered");
    assert!(changed.is_empty(), "{changed:#?}");
}
