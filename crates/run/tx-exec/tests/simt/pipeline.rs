use crate::{Buffers, ORDERS, launch, locations, program};
use half::f16;
use tx_exec::{Fault, Launch, Param};

fn word(value: u64) -> Param {
    Param::Int { bits: 64, value }
}

/// Returns the descriptor of a memref of rank 1: allocated and aligned pointer, offset, size,
/// stride.
fn memref(pointer: Param, size: u64) -> [Param; 5] {
    [pointer, pointer, word(0), word(size), word(1)]
}

/// A kernel that upstream passes lowered from the GPU dialect returns the correct result in every
/// order. If the size argument exceeds the buffer, the fault has the location of the load in the
/// GPU dialect.
#[test]
fn kernel_from_the_gpu_dialect() {
    let program = program!("sum_squares");
    let info = program.kernels().next().unwrap();
    assert_eq!(info.block_size, Some([256, 1, 1]));
    assert_eq!(info.static_shared_bytes, 32);
    assert_eq!(info.location.to_string(), "sum_squares.mlir:4:3");
    for order in ORDERS {
        let launch = Launch {
            order,
            ..launch(3, 256)
        };
        let mut buffers = Buffers::new(3);
        let elements: Vec<f16> = (0..3000)
            .map(|index| f16::from_f32((index % 7) as f32))
            .collect();
        let bytes: Vec<u8> = elements
            .iter()
            .flat_map(|element| element.to_le_bytes())
            .collect();
        let input = buffers.add(&bytes);
        let mut params = [memref(input, 3000), memref(buffers.out(), 3)].concat();
        params.push(word(1000));
        let report = program
            .launch("sum_squares", &launch, &params, &mut buffers.memory)
            .unwrap();
        assert_eq!(report.barriers, 3);
        assert_eq!(report.shuffles, 3 * 8 * 5);
        assert_eq!(report.global.reads, 3000);
        for (block, found) in elements.chunks(1000).zip(buffers.words()) {
            let sum: f32 = block.iter().map(|element| element.to_f32().powi(2)).sum();
            assert_eq!(f32::from_bits(found), sum.sqrt());
        }
        params[10] = word(1001);
        let fault = program
            .launch("sum_squares", &launch, &params, &mut buffers.memory)
            .unwrap_err();
        assert!(matches!(fault, Fault::OutOfBounds(_)), "{fault}");
        assert_eq!(locations(&fault).0, "sum_squares.mlir:22:12");
    }
}
