//! Benchmarks that load and run a kernel in which one block of 256 threads reduces 65536 f32
//! elements.
//!
//! Target run times on one core: 20 ms with [`Checks::Off`], 200 ms with [`Checks::All`].

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tx_exec::{Checks, Launch, Memory, Order, Param, Program};

const DEVICE_IR: &str = include_str!("reduce.mlir");

const ELEMENTS: usize = 65536;

/// Thread execution orders, sorted by increasing run time of the benchmark. The order that preempts
/// threads at every access is the slowest.
const ORDERS: [(&str, Order); 3] = [
    ("sequential", Order::Sequential),
    ("shuffled", Order::Shuffled(1)),
    ("round robin", Order::RoundRobin),
];

/// Returns the descriptor of a memref with the sizes `sizes`: allocated pointer, aligned pointer,
/// offset, sizes, strides.
fn memref(pointer: u64, sizes: &[u64]) -> Vec<Param> {
    let word = |value| Param::Int { bits: 64, value };
    let strides = (1..=sizes.len()).map(|axis| sizes[axis..].iter().product());
    [Param::Pointer(pointer); 2]
        .into_iter()
        .chain(
            std::iter::once(0)
                .chain(sizes.iter().copied())
                .chain(strides)
                .map(word),
        )
        .collect()
}

fn load(c: &mut Criterion) {
    let mut group = c.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("two kernels", |b| {
        b.iter(|| Program::load(black_box(DEVICE_IR)).expect("the device IR loads"));
    });
    group.finish();
}

fn launch(c: &mut Criterion) {
    let program = Program::load(DEVICE_IR).expect("the device IR loads");
    let mut memory = Memory::new();
    let elements: Vec<u8> = (0..ELEMENTS)
        .flat_map(|index| ((index % 16) as f32).to_le_bytes())
        .collect();
    let input = memory
        .alloc("argument 0", elements.len(), 16)
        .expect("256 KiB");
    let output = memory.alloc("argument 1", 4, 16).expect("4 bytes");
    memory.write(input, 0, &elements).expect("it fits");
    let address = |buffer| memory.address(buffer).expect("a buffer of this memory");
    let (input, at) = (address(input), address(output));
    for (kernel, rows) in [("direct", 1), ("staged", 16)] {
        let columns = ELEMENTS as u64 / rows;
        let params = [memref(input, &[rows, columns]), memref(at, &[1])].concat();
        let mut run = |launch: &Launch| {
            memory.write(output, 0, &[0; 4]).expect("it fits");
            program
                .launch(kernel, launch, &params, &mut memory)
                .expect("the kernel has no fault");
            let mut sum = [0; 4];
            memory.read(output, 0, &mut sum).expect("it is as long");
            assert_eq!(f32::from_le_bytes(sum), 7.5 * ELEMENTS as f32);
        };
        for (checks_name, checks) in [("checks off", Checks::Off), ("all checks", Checks::All)] {
            let mut group = c.benchmark_group(format!("{kernel}, {checks_name}"));
            for (order_name, order) in ORDERS {
                let launch = Launch {
                    block: [256, 1, 1],
                    order,
                    checks,
                    ..Launch::default()
                };
                group.bench_function(order_name, |b| b.iter(|| run(black_box(&launch))));
            }
            group.finish();
        }
    }
}

criterion_group!(benches, load, launch);
criterion_main!(benches);
