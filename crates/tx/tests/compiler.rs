//! A compiler that is kept, and shared by threads.

use std::path::Path;
use tx::{Artifact, Compiler, Target};

/// The programs of the lit tests that work on whole arrays, each with its name.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/programs");
    let mut programs: Vec<(String, String)> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "mlir")
        })
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a program");
            (path.display().to_string(), text)
        })
        .collect();
    programs.sort();
    programs
}

fn compiler() -> Compiler {
    Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler")
}

fn compile(compiler: &Compiler, (name, text): &(String, String)) -> Artifact {
    let artifact = compiler.compile(text);
    artifact.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What a program becomes does not depend on what the compiler was given before, nor on who else uses it at the time.
#[test]
fn a_program_becomes_the_same_whatever_was_compiled_before() {
    let programs = programs();
    let alone: Vec<Artifact> = programs.iter().map(|p| compile(&compiler(), p)).collect();
    let shared = compiler();
    // What fails leaves nothing behind.
    let error = shared.compile("func.func @f() { return 1 }");
    assert!(error.is_err());
    let check = |i: usize| {
        let (again, first) = (compile(&shared, &programs[i]), &alone[i]);
        let name = &programs[i].0;
        assert_eq!(again.ptx, first.ptx, "PTX of {name}");
        assert_eq!(again.plan, first.plan, "plan of {name}");
        assert_eq!(again.device_ir, first.device_ir, "device IR of {name}");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| (0..programs.len()).for_each(check));
        scope.spawn(|| (0..programs.len()).rev().for_each(check));
    });
}
