//! Time from MLIR text to PTX, in process.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;

/// A program of the lit tests.
fn program(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../lit-tests")
        .join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn text_to_ptx(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let mut group = c.benchmark_group("text to PTX");
    for name in ["demo-shared-4x8", "demo-local-4"] {
        let text = program(&format!("lower-reduction/{name}.mlir"));
        group.bench_function(name, |b| {
            b.iter(|| {
                compiler
                    .compile(black_box(&text))
                    .expect("the program compiles")
            });
        });
    }
    group.finish();
}

/// Every program of the lit tests that works on whole arrays.
fn programs(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/programs");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".mlir"))
        .collect();
    names.sort();
    let mut group = c.benchmark_group("program to PTX");
    group.sample_size(20);
    for name in names {
        let text = program(&format!("programs/{name}"));
        group.bench_function(&name, |b| {
            b.iter(|| {
                compiler
                    .compile(black_box(&text))
                    .expect("the program compiles")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, text_to_ptx, programs);
criterion_main!(benches);
