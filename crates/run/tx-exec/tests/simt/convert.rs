use crate::{Buffers, launch, program};
use half::{bf16, f16};
use tx_exec::Param;

/// Runs a conversion for all inputs, in blocks of up to 1024 threads, and returns the bytes of the
/// results.
fn convert(kernel: &str, inputs: &[Vec<u8>], width: usize) -> Vec<Vec<u8>> {
    let program = program!("convert");
    let mut results = Vec::new();
    for chunk in inputs.chunks(1024) {
        let mut buffers = Buffers::new(chunk.len() * 2);
        let input = buffers.add(&chunk.concat());
        let params = [buffers.out(), input];
        program
            .launch(
                kernel,
                &launch(1, chunk.len() as u32),
                &params,
                &mut buffers.memory,
            )
            .unwrap();
        let bytes = buffers.bytes();
        results.extend(
            bytes
                .chunks_exact(width)
                .take(chunk.len())
                .map(<[u8]>::to_vec),
        );
    }
    results
}

/// Values at all rounding boundaries. The values have both signs and every exponent, and their
/// fractions are at or next to the ties of f16 and bf16.
fn interesting() -> Vec<f32> {
    let mut values = vec![
        f32::INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN_POSITIVE,
        65504.0,
        65519.99,
        65520.0,
    ];
    for exponent in 0..255u32 {
        for fraction in [
            0, 1, 0x0fff, 0x1000, 0x1001, 0x3000, 0x7fff, 0x8000, 0x8001, 0x18000, 0x7f_ffff,
            0x40_0000,
        ] {
            values.push(f32::from_bits(exponent << 23 | fraction));
        }
    }
    let negative: Vec<_> = values.iter().map(|value| -value).collect();
    values.extend(negative);
    values
}

/// Conversions of f32 to f16 and bf16 round to nearest even and preserve subnormals, infinities and
/// NaNs, as the crate `half` does.
#[test]
fn narrowing_from_f32() {
    let values = interesting();
    let inputs: Vec<_> = values
        .iter()
        .map(|value| value.to_le_bytes().to_vec())
        .collect();
    let results = |kernel| {
        convert(kernel, &inputs, 2)
            .into_iter()
            .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    };
    for (&value, found) in values.iter().zip(results("f32_to_f16")) {
        let (found, expected) = (f16::from_bits(found), f16::from_f32(value));
        let same = found.to_bits() == expected.to_bits();
        assert!(same || found.is_nan() && value.is_nan(), "f16 {value:e}");
    }
    for (&value, found) in values.iter().zip(results("f32_to_bf16")) {
        let (found, expected) = (bf16::from_bits(found), bf16::from_f32(value));
        let same = found.to_bits() == expected.to_bits();
        assert!(same || found.is_nan() && value.is_nan(), "bf16 {value:e}");
    }
}

/// Conversions of f64 to f16 and bf16 round once. A value slightly above a tie is rounded up,
/// although a conversion through f32 would round this value down.
#[test]
fn narrowing_from_f64_rounds_once() {
    for (kernel, tie, below, above) in [
        ("f64_to_f16", 1.0 + 2f64.powi(-11), 0x3c00, 0x3c01),
        ("f64_to_bf16", 1.0 + 2f64.powi(-8), 0x3f80, 0x3f81),
        // Ties between the smallest subnormals.
        ("f64_to_f16", 2f64.powi(-25), 0, 1),
        ("f64_to_bf16", 2f64.powi(-134), 0, 1),
    ] {
        let inputs: Vec<_> = [tie, tie.next_up(), tie.next_down()]
            .iter()
            .map(|value| value.to_le_bytes().to_vec())
            .collect();
        let results: Vec<_> = convert(kernel, &inputs, 2)
            .iter()
            .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
            .collect();
        assert_eq!(results, [below, above, below], "{kernel} {tie:e}");
    }
}

#[test]
fn widening() {
    let inputs: Vec<_> = (0..=u16::MAX)
        .step_by(7)
        .map(|bits| bits.to_le_bytes().to_vec())
        .collect();
    let bits = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
    for (kernel, widen) in [
        (
            "f16_to_f32",
            (|bits| f16::from_bits(bits).to_f32()) as fn(u16) -> f32,
        ),
        ("bf16_to_f32", |bits| bf16::from_bits(bits).to_f32()),
    ] {
        for (input, result) in inputs.iter().zip(convert(kernel, &inputs, 4)) {
            let result = f32::from_le_bytes(result.try_into().unwrap());
            let expected = widen(bits(input));
            assert!(
                result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan(),
                "{kernel} {input:?}"
            );
        }
    }
    for (input, result) in inputs.iter().zip(convert("f16_to_f64", &inputs, 8)) {
        let result = f64::from_le_bytes(result.try_into().unwrap());
        let expected = f16::from_bits(bits(input)).to_f64();
        assert!(result == expected || result.is_nan() && expected.is_nan());
    }
}

#[test]
fn narrow_arithmetic() {
    let program = program!("convert");
    let inputs: Vec<u16> = (0..0x7c00).step_by(31).collect();
    for (kernel, addend, widen, round) in [
        (
            "add_f16",
            Param::F16(0x0003),
            (|bits| f16::from_bits(bits).to_f64()) as fn(u16) -> f64,
            (|value| f16::from_f64(value).to_bits()) as fn(f64) -> u16,
        ),
        (
            "add_bf16",
            Param::Bf16(0x0003),
            |bits| bf16::from_bits(bits).to_f64(),
            |value| bf16::from_f64(value).to_bits(),
        ),
    ] {
        for chunk in inputs.chunks(1024) {
            let mut buffers = Buffers::new(chunk.len());
            let bytes: Vec<_> = chunk.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            let input = buffers.add(&bytes);
            let params = [buffers.out(), input, addend];
            program
                .launch(
                    kernel,
                    &launch(1, chunk.len() as u32),
                    &params,
                    &mut buffers.memory,
                )
                .unwrap();
            for (bits, result) in chunk.iter().zip(buffers.bytes().chunks_exact(2)) {
                let result = u16::from_le_bytes([result[0], result[1]]);
                assert_eq!(result, round(widen(*bits) + widen(3)), "{kernel} {bits:#x}");
            }
        }
    }
}

/// Host functions replace libdevice functions and intrinsics, with an error of at most one unit in
/// the last place.
#[test]
fn functions() {
    let program = program!("convert");
    let mut buffers = Buffers::new(8);
    let (x, y) = (0.75f32, -1.5f32);
    let params = [buffers.out(), Param::F32(x), Param::F32(y)];
    program
        .launch("functions", &launch(1, 1), &params, &mut buffers.memory)
        .unwrap();
    let expected = [
        x.exp(),
        x.sqrt(),
        x.mul_add(y, x),
        1.0 / x.sqrt(),
        x.log2(),
        0.711_155_6,
        y.exp(),
        x,
    ];
    for (index, (found, expected)) in buffers.words().into_iter().zip(expected).enumerate() {
        let found = f32::from_bits(found);
        assert!(
            (found - expected).abs() <= f32::EPSILON * expected.abs(),
            "{index}: {found} {expected}"
        );
    }
}
