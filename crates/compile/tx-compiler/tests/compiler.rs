//! A compiler that compiles several programs, in several threads.

use std::path::Path;
use tx::mlir::{Op, Session, gpu, is, walk};
use tx::{Artifact, Compiler, ErrorKind, Source, Target};

/// Returns the lit-test programs with grid-level ops, one source per entry.
fn programs() -> Vec<Source> {
    let compiler = compiler();
    let of_file = |(name, text): (String, String)| {
        let source = Source::new(&name, text);
        let entries = compiler
            .entries(&source)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        entries.into_iter().map(move |entry| Source {
            entry: Some(entry),
            ..source.clone()
        })
    };
    texts("programs").into_iter().flat_map(of_file).collect()
}

/// Returns the names and texts of all files in a folder of lit tests.
fn texts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../lit-tests")
        .join(folder);
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

fn compile(compiler: &Compiler, source: &Source) -> Artifact {
    let artifact = compiler.compile_source(source);
    artifact.unwrap_or_else(|error| panic!("{}: {error}", source.name))
}

/// The result of a compilation does not depend on earlier or concurrent compilations by the same
/// compiler. The test uses every seventh program, or every program if `TX_EVERY_PROGRAM` is set.
#[test]
fn a_program_becomes_the_same_whatever_was_compiled_before() {
    let every = std::env::var_os("TX_EVERY_PROGRAM").map_or(7, |_| 1);
    let programs: Vec<Source> = programs().into_iter().step_by(every).collect();
    let alone: Vec<Artifact> = programs.iter().map(|p| compile(&compiler(), p)).collect();
    let shared = compiler();
    // A failed compilation must not affect later ones.
    let error = shared.compile("func.func @f() { return 1 }");
    assert!(error.is_err());
    let check = |i: usize| {
        let (again, first) = (compile(&shared, &programs[i]), &alone[i]);
        let name = &programs[i].name;
        assert_eq!(again.ptx, first.ptx, "PTX of {name}");
        assert_eq!(again.plan, first.plan, "plan of {name}");
        assert_eq!(again.device_ir, first.device_ir, "device IR of {name}");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| (0..programs.len()).for_each(check));
        scope.spawn(|| (0..programs.len()).rev().for_each(check));
    });
}

#[test]
fn device_ir_can_be_left_out() {
    let (whole, lean) = (compiler(), compiler().without_device_ir());
    for program in &programs()[..2] {
        let (whole, lean) = (compile(&whole, program), compile(&lean, program));
        assert!(whole.device_ir.contains("gpu.module") && lean.device_ir.is_empty());
        assert_eq!((whole.ptx, whole.plan), (lean.ptx, lean.plan));
    }
}

/// The compiler skips passes and verifications without an effect. Its PTX is equal to that of the
/// complete pipelines. The test uses every seventh file, or every file if `TX_EVERY_PROGRAM` is
/// set, as in `cargo xtask deep`.
#[test]
fn the_compiler_makes_what_the_pipelines_make() {
    let compiler = compiler();
    let mut compared = 0;
    // The second folder contains views and vectors of many kinds; the third contains instructions
    // of newer chips.
    let every = std::env::var_os("TX_EVERY_PROGRAM").map_or(7, |_| 1);
    for (name, text) in ["programs", "lower-reduction", "ptx"]
        .iter()
        .flat_map(|folder| texts(folder))
        .step_by(every)
    {
        let session = Session::new(tx::register_dialects);
        let Some(mut module) = session.parse(&name, text.as_bytes()) else {
            continue;
        };
        let pipelines = "lower-reduction{chip=sm_90},gpu-to-ptx{chip=sm_90}";
        if !session.run(&mut module, pipelines) {
            continue;
        }
        // SAFETY: the op lives as long as the module.
        let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
        let binaries = walk(top).into_iter().filter(|op| is(*op, "gpu.binary"));
        let made: Vec<String> = binaries.flat_map(gpu::object_texts).collect();
        let mut source = Source::new(&name, text);
        let entries = compiler
            .entries(&source)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for entry in entries {
            source.entry = Some(entry.clone());
            let artifact = match compiler.compile_source(&source) {
                Ok(artifact) => artifact,
                // Several entries have this name.
                Err(error) if error.kind == ErrorKind::Entry => continue,
                Err(error) => panic!("{name}: @{entry}: {error}"),
            };
            assert!(
                made.contains(&artifact.ptx),
                "{name}: @{entry} is other PTX:\n{}",
                artifact.ptx
            );
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared} programs were compared");
}
