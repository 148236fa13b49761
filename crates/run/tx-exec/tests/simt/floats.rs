//! Tests that float arithmetic returns the same bits in the executor and on a GPU.

use crate::{Buffers, launch, program};
use half::{bf16, f16};
use tx_exec::{Param, Program};

#[derive(Clone, Copy, Debug)]
struct Format {
    name: &'static str,
    bits: u32,
    exponent: u32,
}

const F16: Format = Format::new("f16", 16, 5);
const BF16: Format = Format::new("bf16", 16, 8);
const F32: Format = Format::new("f32", 32, 8);
const F64: Format = Format::new("f64", 64, 11);
const FORMATS: [Format; 4] = [F16, BF16, F32, F64];

impl Format {
    const fn new(name: &'static str, bits: u32, exponent: u32) -> Self {
        Self {
            name,
            bits,
            exponent,
        }
    }

    fn bytes(self) -> usize {
        self.bits as usize / 8
    }

    fn mantissa(self) -> u32 {
        self.bits - 1 - self.exponent
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa()
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & (u64::MAX >> (65 - self.bits))
    }

    fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    /// Returns the exact value of the bits.
    fn value(self, bits: u64) -> f64 {
        match self.name {
            "f16" => f16::from_bits(bits as u16).to_f64(),
            "bf16" => bf16::from_bits(bits as u16).to_f64(),
            "f32" => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// Returns the NaN that PTX instructions return; for f64, returns the NaN that LLVM code for
    /// NVPTX returns.
    fn nan(self) -> u64 {
        match self.name {
            "f64" => 0x7ff8_0000_0000_0000,
            _ => u64::MAX >> (65 - self.bits),
        }
    }

    /// Both signs of zero, of the smallest and largest subnormals and normals, of 1 and 2, of
    /// infinity, and of quiet and signalling NaNs.
    fn special(self) -> Vec<u64> {
        let (unit, infinity) = (1 << self.mantissa(), self.infinity());
        let one = ((1 << (self.exponent - 1)) - 1) << self.mantissa();
        [
            0,
            1,
            2,
            unit - 1,
            unit,
            unit + 1,
            one,
            one | 1,
            one + unit,
            infinity - 1,
            infinity,
            infinity | 1,
            infinity | (unit / 2),
            infinity | (unit / 2) | 3,
            infinity | (unit - 1),
        ]
        .into_iter()
        .flat_map(|bits: u64| [bits, bits | 1 << (self.bits - 1)])
        .collect()
    }
}

/// Returns the inputs for an instruction: all pairs of special values. Instructions that round also
/// have random inputs. Fused instructions also have inputs whose products are ties.
/// `tests/kernels/floats.cu` creates the same inputs.
fn inputs(format: Format, instruction: &str) -> Vec<[u64; 3]> {
    let special = format.special();
    let mut inputs: Vec<_> = special
        .iter()
        .flat_map(|&x| special.iter().map(move |&y| [x, y, 0]))
        .collect();
    let fused = instruction == "fma";
    let random = match instruction {
        "fma" => 60000,
        "add" | "mul" => 20000,
        _ => 0,
    };
    let mut state = 12345_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) & (u64::MAX >> (64 - format.bits))
    };
    inputs.extend((0..random).map(|_| [next(), next(), next()]));
    if fused {
        let unit = 1 << format.mantissa();
        let one = ((1 << (format.exponent - 1)) - 1) << format.mantissa();
        inputs.extend((0..256).flat_map(|i| {
            let factors = [one | i & (unit - 1), one | 1 | (i * 7) & (unit - 1)];
            special[..30]
                .iter()
                .map(move |&addend| [factors[0], factors[1], addend])
        }));
    }
    inputs
}

/// Returns a kernel in which each thread loads vectors `x`, `y` and `z` of `lanes` elements, and
/// stores the result `%r` of `operation`. `T` in `operation` is replaced by the vector type.
fn kernel(format: Format, lanes: usize, operation: &str) -> Program {
    let element = format.name;
    let r#type = match lanes {
        1 => element.to_string(),
        _ => format!("vector<{lanes}x{element}>"),
    };
    let operation = operation.replace('T', &r#type);
    let align = format.bytes();
    let load = |name: &str| {
        format!(
            "%p{name} = llvm.getelementptr %{name}s[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
             %{name} = llvm.load %p{name} {{alignment = {align} : i64}} : !llvm.ptr<1> -> {type}"
        )
    };
    let text = format!(
        "gpu.module @floats {{
           llvm.func @floats(%out: !llvm.ptr<1>, %xs: !llvm.ptr<1>, %ys: !llvm.ptr<1>, %zs: !llvm.ptr<1>)
               attributes {{gpu.kernel, nvvm.kernel}} {{
             %t = nvvm.read.ptx.sreg.tid.x : i32
             %b = nvvm.read.ptx.sreg.ctaid.x : i32
             %n = nvvm.read.ptx.sreg.ntid.x : i32
             %base = llvm.mul %b, %n : i32
             %i = llvm.add %base, %t : i32
             {}
             {}
             {}
             {operation}
             %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
             llvm.store %r, %to {{alignment = {align} : i64}} : {type}, !llvm.ptr<1>
             llvm.return
           }}
         }}",
        load("x"),
        load("y"),
        load("z"),
    );
    Program::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the result of an operation for each input. Each thread computes `lanes` results.
fn compute(format: Format, lanes: usize, operation: &str, inputs: &[[u64; 3]]) -> Vec<u64> {
    const THREADS: usize = 64;
    let program = kernel(format, lanes, operation);
    let padded = inputs.len().next_multiple_of(THREADS * lanes);
    let size = format.bytes();
    let column = |operand: usize| -> Vec<u8> {
        (0..padded)
            .flat_map(|index| {
                let bits = inputs.get(index).map_or(0, |input| input[operand]);
                bits.to_le_bytes()[..size].to_vec()
            })
            .collect()
    };
    let mut buffers = Buffers::new(padded * size / 4);
    let params = [
        buffers.out(),
        buffers.add(&column(0)),
        buffers.add(&column(1)),
        buffers.add(&column(2)),
    ];
    let launch = launch((padded / THREADS / lanes) as u32, THREADS as u32);
    program
        .launch("floats", &launch, &params, &mut buffers.memory)
        .unwrap();
    let mut results: Vec<_> = buffers
        .bytes()
        .chunks_exact(size)
        .map(|bytes| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        })
        .collect();
    results.truncate(inputs.len());
    results
}

/// Returns the maximum or minimum of two values, with −0 below +0. If one operand is a NaN,
/// `nan_wins` selects the NaN or the other operand.
fn extremum(format: Format, largest: bool, nan_wins: bool, [x, y, _]: [u64; 3]) -> u64 {
    match (format.is_nan(x), format.is_nan(y)) {
        // The result of two f64 NaNs is the second NaN with its quiet bit set.
        (true, true) if !nan_wins && format.bits == 64 => y | 1 << 51,
        (true, true) => format.nan(),
        (true, false) | (false, true) if nan_wins => format.nan(),
        (true, false) => y,
        (false, true) => x,
        (false, false) => {
            let (a, b) = (format.value(x), format.value(y));
            // The two zeros are the only equal values with different bits.
            let x_is_larger = a > b || a == b && a.is_sign_positive();
            if x_is_larger == largest { x } else { y }
        }
    }
}

const EXTREMA: [(&str, bool, bool); 4] = [
    ("maximum", true, true),
    ("minimum", false, true),
    ("maxnum", true, false),
    ("minnum", false, false),
];

/// Tests maxima and minima of all pairs of special values of every format, as scalars and in
/// vectors.
#[test]
fn maxima_and_minima() {
    for format in FORMATS {
        let inputs = inputs(format, "max");
        for (name, largest, nan_wins) in EXTREMA {
            for lanes in [1, 2, 8, 128] {
                let operation = format!("%r = llvm.intr.{name}(%x, %y) : (T, T) -> T");
                let results = compute(format, lanes, &operation, &inputs);
                for (&input, found) in inputs.iter().zip(results) {
                    let expected = extremum(format, largest, nan_wins, input);
                    let [x, y, _] = input;
                    assert_eq!(
                        found, expected,
                        "{name} of {x:#x} and {y:#x} as {lanes} x {}: {found:#x}, not {expected:#x}",
                        format.name
                    );
                }
            }
        }
    }
}

#[test]
fn maxima_of_vectors() {
    for format in FORMATS {
        let inputs = inputs(format, "max");
        for (name, (_, largest, nan_wins)) in ["fmaximum", "fminimum", "fmax", "fmin"]
            .into_iter()
            .zip(EXTREMA)
        {
            let operation = format!(
                "%c0 = llvm.mlir.constant(0 : i32) : i32
                 %c1 = llvm.mlir.constant(1 : i32) : i32
                 %c2 = llvm.mlir.constant(2 : i32) : i32
                 %u = llvm.mlir.poison : vector<3xT>
                 %v0 = llvm.insertelement %x, %u[%c0 : i32] : vector<3xT>
                 %v1 = llvm.insertelement %y, %v0[%c1 : i32] : vector<3xT>
                 %v = llvm.insertelement %y, %v1[%c2 : i32] : vector<3xT>
                 %r = llvm.intr.vector.reduce.{name}(%v) : (vector<3xT>) -> T"
            );
            let results = compute(format, 1, &operation, &inputs);
            for (&input, found) in inputs.iter().zip(results) {
                let [x, y, _] = input;
                let two = extremum(format, largest, nan_wins, input);
                let expected = extremum(format, largest, nan_wins, [two, y, 0]);
                assert_eq!(found, expected, "{name} of {x:#x}, {y:#x}, {y:#x}");
            }
        }
    }
}

/// Digests of the results of an H200 for the same inputs: the output of `tests/kernels/floats.cu`.
const H200: [(&str, Format, &str, u64); 20] = [
    ("max", F16, "maxnum", 0x1db7_71e3_2cad_b06d),
    ("min", F16, "minnum", 0x2f71_5d58_b22c_ff1d),
    ("maxn", F16, "maximum", 0xc2fc_b4f4_617f_5d8d),
    ("minn", F16, "minimum", 0xfe68_5c69_6d49_1a7d),
    ("max", BF16, "maxnum", 0x9148_5143_3294_ec25),
    ("min", BF16, "minnum", 0xebff_3984_1a8f_9f3d),
    ("maxn", BF16, "maximum", 0x40bf_473c_c8d3_3285),
    ("minn", BF16, "minimum", 0x4d4d_717d_3486_8d1d),
    ("max", F32, "maxnum", 0x0a80_fea8_b045_de95),
    ("min", F32, "minnum", 0xf364_516e_5dd0_c4e5),
    ("maxn", F32, "maximum", 0x9bac_2cb2_8b12_6555),
    ("minn", F32, "minimum", 0x570e_fa15_2916_a425),
    ("max", F64, "maxnum", 0x0afb_ae47_f9ad_2115),
    ("min", F64, "minnum", 0xeb6a_a942_7ae0_1595),
    ("add", F16, "fadd", 0x9a8c_e30b_8138_24f6),
    ("mul", F16, "fmul", 0xd9b3_f8c6_e4f2_5cc5),
    ("fma", F16, "fma", 0x78c7_512c_8a69_c073),
    ("add", BF16, "fadd", 0x849a_fbc7_7a8b_9ab8),
    ("mul", BF16, "fmul", 0x1672_c4f8_444a_c2e1),
    ("fma", BF16, "fma", 0x168d_5f46_787f_7c06),
];

/// Maxima, and sums, products and fused multiply-adds of f16 and bf16, have the same bits as on a
/// real GPU, as scalars and in vectors. NaN results of arithmetic may have other bits.
#[test]
fn as_on_an_h200() {
    for (instruction, format, name, expected) in H200 {
        let operations = match name {
            "fadd" | "fmul" => vec![format!("%r = llvm.{name} %x, %y : T")],
            "fma" => ["fma", "fmuladd"]
                .map(|name| format!("%r = llvm.intr.{name}(%x, %y, %z) : (T, T, T) -> T"))
                .to_vec(),
            _ => vec![format!("%r = llvm.intr.{name}(%x, %y) : (T, T) -> T")],
        };
        let inputs = inputs(format, instruction);
        for operation in operations {
            for lanes in [1, 2, 8] {
                let mut digest = 0xcbf2_9ce4_8422_2325_u64;
                for mut result in compute(format, lanes, &operation, &inputs) {
                    let arithmetic = ["add", "mul", "fma"].contains(&instruction);
                    if arithmetic && format.is_nan(result) {
                        result = format.nan();
                    }
                    for byte in &result.to_le_bytes()[..format.bytes()] {
                        digest = (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
                    }
                }
                assert_eq!(digest, expected, "{operation} with {lanes} x {format:?}");
            }
        }
    }
}

/// Every operation in a chain rounds its result to the narrow type, as every PTX instruction does.
#[test]
fn chains_round_at_every_step() {
    for format in [F16, BF16] {
        let finite: Vec<(f64, u64)> = (0..format.infinity())
            .map(|bits| (format.value(bits), bits))
            .collect();
        // The function rounds to the nearest value, with ties to even. The sums and products of
        // this test are exact in f64.
        let nearest = |value: f64| -> u64 {
            if value.is_nan() {
                return format.nan();
            }
            let sign = u64::from(value.is_sign_negative()) << 15;
            let above = finite.partition_point(|&(other, _)| other < value.abs());
            let Some(&(high, high_bits)) = finite.get(above) else {
                let (largest, below) = (finite[above - 1], finite[above - 2]);
                let limit = largest.0 + (largest.0 - below.0) / 2.0;
                return sign | (largest.1 + u64::from(value.abs() >= limit));
            };
            if above == 0 {
                return sign;
            }
            let (low, low_bits) = finite[above - 1];
            let (to_low, to_high) = (value.abs() - low, high - value.abs());
            let takes_low = to_low < to_high || to_low == to_high && low_bits & 1 == 0;
            sign | if takes_low { low_bits } else { high_bits }
        };
        let inputs: Vec<_> = inputs(format, "add")
            .into_iter()
            .filter(|input| {
                let finite = input.map(|bits| format.value(bits).is_finite());
                // Sums of bf16 with very different exponents are not exact in f64, and are
                // excluded.
                let [x, y, z] = input.map(|bits| format.value(bits).abs().clamp(1e-30, 1e30));
                let spread = x.max(y).max(z) / x.min(y).min(z);
                finite == [true; 3] && (format.bits - format.exponent > 8 || spread < 1e6)
            })
            .collect();
        assert!(inputs.len() > 500);
        let operation = "%s = llvm.fadd %x, %y : T
                         %p = llvm.fmul %s, %z : T
                         %r = llvm.fsub %p, %x : T";
        for lanes in [1, 2, 4] {
            let results = compute(format, lanes, operation, &inputs);
            for (&[x, y, z], found) in inputs.iter().zip(results) {
                let sum = nearest(format.value(x) + format.value(y));
                let product = nearest(format.value(sum) * format.value(z));
                let expected = nearest(format.value(product) - format.value(x));
                let same = found == expected || format.is_nan(found) && format.is_nan(expected);
                assert!(
                    same,
                    "{} ({x:#x} + {y:#x}) * {z:#x} - {x:#x}: {found:#x}, not {expected:#x}",
                    format.name
                );
            }
        }
    }
}

#[test]
fn atomic_maxima() {
    for format in [F16, F32, F64] {
        let name = format.name;
        for (kind, (_, largest, nan_wins)) in ["fmaximum", "fminimum", "fmax", "fmin"]
            .into_iter()
            .zip(EXTREMA)
        {
            let program = Program::load(&format!(
                "gpu.module @atomics {{
                   llvm.func @atomic(%out: !llvm.ptr<1>, %olds: !llvm.ptr<1>, %values: !llvm.ptr<1>)
                       attributes {{gpu.kernel, nvvm.kernel}} {{
                     %t = nvvm.read.ptx.sreg.tid.x : i32
                     %to = llvm.getelementptr %olds[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {name}
                     %from = llvm.getelementptr %values[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {name}
                     %v = llvm.load %from : !llvm.ptr<1> -> {name}
                     %old = llvm.atomicrmw {kind} %to, %v monotonic : !llvm.ptr<1>, {name}
                     %new = llvm.load %to atomic monotonic {{alignment = {} : i64}} : !llvm.ptr<1> -> {name}
                     %two = llvm.mlir.constant(2 : i32) : i32
                     %even = llvm.mul %t, %two : i32
                     %a = llvm.getelementptr %out[%even] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {name}
                     llvm.store %old, %a : {name}, !llvm.ptr<1>
                     %b = llvm.getelementptr %a[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {name}
                     llvm.store %new, %b : {name}, !llvm.ptr<1>
                     llvm.return
                   }}
                 }}",
                format.bytes()
            ))
            .unwrap();
            let inputs = inputs(format, "max");
            let size = format.bytes();
            let column = |operand: usize| -> Vec<u8> {
                let bytes = inputs.iter().map(|input| input[operand].to_le_bytes());
                bytes.flat_map(|bytes| bytes[..size].to_vec()).collect()
            };
            let mut buffers = Buffers::new((inputs.len() * 2 * size).div_ceil(4));
            let params = [
                buffers.out(),
                buffers.add(&column(0)),
                buffers.add(&column(1)),
            ];
            let launch = launch(1, inputs.len() as u32);
            let report = program
                .launch("atomic", &launch, &params, &mut buffers.memory)
                .unwrap();
            assert_eq!(report.global.atomics, 2 * inputs.len() as u64);
            let bytes = buffers.bytes();
            for (input, found) in inputs.iter().zip(bytes.chunks_exact(2 * size)) {
                let [x, y, _] = *input;
                let expected = [x, extremum(format, largest, nan_wins, *input)];
                let expected = expected.map(|bits| bits.to_le_bytes()[..size].to_vec());
                assert_eq!(found, expected.concat(), "{name} {kind} {x:#x} {y:#x}");
            }
        }
    }
}

/// `fmax` and `fmin` of libdevice have the same results as the PTX instructions.
#[test]
fn functions_order_zeros() {
    let program = program!("convert");
    let mut buffers = Buffers::new(4);
    for (x, y) in [(0.0_f32, -0.0_f32), (-0.0, 0.0)] {
        for (x, y, expected) in [
            (x, y, [0.0_f32, -0.0, 0.0, -0.0]),
            (f32::NAN, y, [y; 4]),
            (x, f32::NAN, [x; 4]),
        ] {
            let params = [buffers.out(), Param::F32(x), Param::F32(y)];
            program
                .launch("extrema", &launch(1, 1), &params, &mut buffers.memory)
                .unwrap();
            assert_eq!(buffers.words(), expected.map(f32::to_bits), "{x} {y}");
        }
    }
}
