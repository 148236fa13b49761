//! Benchmarks of the in-process compile time, from MLIR text to PTX.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

fn program(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../lit-tests")
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

fn sums(count: usize, columns: &str) -> String {
    let source = format!("memref<1024x{columns}xf32>");
    let sum = format!(
        "  tile.reduce sum %x into %y axes [1] scope(grid) : {source} into memref<1024xf32>\n"
    );
    format!(
        "func.func @sums(%x: {source}, %y: memref<1024xf32>) {{\n{}  return\n}}\n",
        sum.repeat(count)
    )
}

/// Measures the compile time of a function with 1 to 1000 row sums.
fn row_sums(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let mut group = c.benchmark_group("row sums to PTX");
    group.sample_size(10);
    let known = [1, 10, 100, 1000].map(|count| (count, "1024"));
    for (count, columns) in known.into_iter().chain([(1, "?")]) {
        let text = sums(count, columns);
        group.bench_function(format!("{count} of {columns} columns"), |b| {
            b.iter(|| {
                compiler
                    .compile(black_box(&text))
                    .expect("the program compiles")
            });
        });
    }
    group.finish();
}

/// Measures the compile time of a program with 40 element-wise ops and reductions on tensors. The
/// compiler fuses the 40 ops of the program into a few kernels.
fn forty_ops(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let mut group = c.benchmark_group("40 ops to PTX");
    group.sample_size(10);
    let programs = [
        ("static sizes", include_str!("forty-ops.static.mlir")),
        ("dynamic sizes", include_str!("forty-ops.dynamic.mlir")),
    ];
    for (name, text) in programs {
        group.bench_function(name, |b| {
            b.iter(|| {
                compiler
                    .compile(black_box(text))
                    .expect("the program compiles")
            });
        });
    }
    group.finish();
}

/// Measures the time in which 1, 2, 4, 8 and 16 threads compile sixteen programs with one
/// `Compiler`. The benchmark omits numbers of threads that exceed the number of processors.
fn threads(c: &mut Criterion) {
    const PROGRAMS: usize = 16;
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let text = sums(1, "1024");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut group = c.benchmark_group("16 row sums by threads");
    group.sample_size(10);
    let counts = std::iter::successors(Some(1), |threads| Some(threads * 2));
    for threads in counts.take_while(|threads| *threads <= processors.min(PROGRAMS)) {
        group.bench_function(threads.to_string(), |b| {
            b.iter(|| {
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            for _ in 0..PROGRAMS / threads {
                                compiler
                                    .compile(black_box(&text))
                                    .expect("the program compiles");
                            }
                        });
                    }
                });
            });
        });
    }
    group.finish();
}

/// Measures the duration of each compilation stage of a program with one row sum.
fn stages(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let text = sums(1, "1024");
    let compile = || compiler.compile(&text).expect("the program compiles");
    let mut names: Vec<String> = Vec::new();
    for stage in compile().stages {
        if !names.contains(&stage.name) {
            names.push(stage.name);
        }
    }
    let mut group = c.benchmark_group("row sum, by stage");
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(1));
    for name in names {
        group.bench_function(&name, |b| {
            b.iter_custom(|compilations| {
                let stages = (0..compilations).flat_map(|_| compile().stages);
                let own = stages.filter(|stage| stage.name == name);
                Duration::from_secs_f64(own.map(|stage| stage.millis).sum::<f64>() / 1e3)
            });
        });
    }
    group.finish();
}

/// Measures the compile time of each program in `lit-tests/programs`.
fn programs(c: &mut Criterion) {
    let target = tx::Target::parse("sm_90").expect("a known chip");
    let compiler = tx::Compiler::new(target).expect("a compiler");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../lit-tests/programs");
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

criterion_group!(
    benches,
    text_to_ptx,
    row_sums,
    forty_ops,
    threads,
    stages,
    programs
);
criterion_main!(benches);
