//! Benchmark of a process that runs `tx-opt --lower-reduction`, including the start of the process.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;
use std::process::{Command, Stdio};

fn lower_reduction(c: &mut Criterion) {
    let mut group = c.benchmark_group("tx-opt --lower-reduction");
    for name in ["demo-shared-4x8", "demo-local-4"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../lit-tests/lower-reduction")
            .join(format!("{name}.mlir"));
        group.bench_function(name, |b| {
            b.iter(|| {
                let status = Command::new(env!("CARGO_BIN_EXE_tx-opt"))
                    .arg(&file)
                    .arg("--lower-reduction")
                    .stdout(Stdio::null())
                    .status()
                    .expect("tx-opt starts");
                assert!(status.success(), "tx-opt refused {}", file.display());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lower_reduction);
criterion_main!(benches);
