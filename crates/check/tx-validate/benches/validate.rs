//! Benchmarks `tx validate` on a small kernel and on a program of several kernels.
//!
//! The small kernel computes the row sums of a 4x8 matrix; the validation should take at most 300
//! ms.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tx::{Compiler, Source, Target};
use tx_validate::{Options, validate};

const PROGRAMS: [(&str, &str); 2] = [
    (
        "4x8 row sums",
        include_str!("../../../../lit-tests/ptx/demo-shared-4x8.mlir"),
    ),
    (
        "softmax",
        include_str!("../../../../lit-tests/programs/softmax.mlir"),
    ),
];

fn programs(c: &mut Criterion) {
    let target = Target::parse("sm_80").expect("a chip that is known");
    let mut group = c.benchmark_group("validate");
    group.sample_size(10);
    for (name, text) in PROGRAMS {
        let source = Source {
            name: "bench.mlir".to_owned(),
            text: text.as_bytes().to_vec(),
            entry: None,
            keep_stages: false,
        };
        group.bench_function(name, |b| {
            b.iter(|| {
                let compiler = Compiler::new(target).expect("a compiler");
                let found = validate(&compiler, black_box(&source), &Options::default());
                assert!(found.expect("it can be run").is_good());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
