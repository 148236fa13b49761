//! Conversions of 8-bit floats: results of a kernel on the executor, compared with results of
//! `tx-scalar`.

use tx::{Compiler, Target};
use tx_plan::ElementType;
use tx_runtime::{Arg, Array, Device};
use tx_scalar::Float;

type Type = (&'static str, ElementType, Float);

const NARROW: [Type; 2] = [
    ("f8E4M3FN", ElementType::F8E4M3FN, Float::F8E4M3FN),
    ("f8E5M2", ElementType::F8E5M2, Float::F8E5M2),
];
const WIDE: [Type; 4] = [
    ("f16", ElementType::F16, Float::F16),
    ("bf16", ElementType::BF16, Float::BF16),
    ("f32", ElementType::F32, Float::F32),
    ("f64", ElementType::F64, Float::F64),
];

/// Runs an element-wise op on numbers that are given as bits.
fn convert(op: &str, from: Type, to: Type, bits: &[u64]) -> Vec<u64> {
    let (n, [a, b]) = (bits.len(), [from.0, to.0]);
    let program = format!(
        "func.func @convert(%A: memref<{n}x{a}>, %B: memref<{n}x{b}>) {{
           linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = [\"parallel\"]}}
               ins(%A : memref<{n}x{a}>) outs(%B : memref<{n}x{b}>) {{
           ^bb0(%x: {a}, %old: {b}):
             %y = arith.{op} %x : {a} to {b}
             linalg.yield %y : {b}
           }}
           return
         }}"
    );
    let compiler = Compiler::new(Target::parse("sm_90").unwrap()).unwrap();
    let artifact = compiler.compile(&program).unwrap();
    let array = |ty: Type, bits: &[u64]| {
        let width = ty.1.size();
        let bytes = bits
            .iter()
            .flat_map(|word| word.to_le_bytes()[..width].to_vec());
        Arg::Array(Array::new(ty.1, vec![n], bytes.collect()).unwrap())
    };
    let args = vec![array(from, bits), array(to, &vec![0; n])];
    let program = Device::cpu().unwrap().load(&artifact).unwrap();
    let outputs = program.run(args).unwrap();
    let result = outputs.argument(1).unwrap();
    let words = result.bytes().chunks(to.1.size());
    words
        .map(|bytes| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte))
        })
        .collect()
}

/// Compares the results with the results of `tx-scalar`. All NaNs count as equal.
fn compare(op: &str, from: Type, to: Type, bits: &[u64]) {
    let results = convert(op, from, to, bits);
    for (bits, result) in bits.iter().zip(results) {
        let value = from.2.value(*bits);
        let expected = to.2.to_bits(value);
        let [expected_value, result_value] = [expected, result].map(|bits| to.2.value(bits));
        assert!(
            expected == result || expected_value.is_nan() && result_value.is_nan(),
            "{op} of {value:e} from {} to {}: {result:#x}, expected {expected:#x}",
            from.0,
            to.0
        );
    }
}

#[test]
fn every_8_bit_float_is_extended_exactly() {
    let all: Vec<u64> = (0..256).collect();
    for from in NARROW {
        for to in WIDE {
            compare("extf", from, to, &all);
        }
    }
}

/// Inputs: every 8-bit float, the midpoint to the next float, and the neighbours of both; also
/// infinities, NaNs, the largest numbers and the smallest subnormals.
#[test]
fn numbers_are_rounded_once_and_to_nearest() {
    for to in NARROW {
        let narrow = to.2;
        let mut values: Vec<f64> = Vec::new();
        let mut numbers: Vec<f64> = (0..128)
            .map(|bits| narrow.value(bits))
            .filter(|v| v.is_finite())
            .collect();
        // Successor of the largest number, for the midpoint up to which values round to the largest
        // number.
        let [.., before, last] = numbers[..] else {
            panic!("two numbers");
        };
        numbers.push(2.0 * last - before);
        for pair in numbers.windows(2) {
            values.extend([pair[0], f64::midpoint(pair[0], pair[1])]);
        }
        values.extend(numbers.last());
        for from in WIDE {
            let wide = from.2;
            let sign = 1 << (wide.bits() - 1);
            let mut bits: Vec<u64> = Vec::new();
            for value in &values {
                let near = wide.to_bits(*value);
                bits.extend([near.saturating_sub(1), near, near + 1]);
            }
            bits.extend(
                [f64::INFINITY, f64::NAN, wide.largest(), 1e5, 1e-12].map(|v| wide.to_bits(v)),
            );
            bits.extend([1, 2, 3]);
            // A NaN in which only the lowest fraction bit is set.
            bits.push(wide.to_bits(f64::INFINITY) + 1);
            let negative: Vec<u64> = bits.iter().map(|bits| bits | sign).collect();
            bits.extend(negative);
            compare("truncf", from, to, &bits);
        }
    }
}
