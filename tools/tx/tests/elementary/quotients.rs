//! Tests that quotients computed with a shared reciprocal are bitwise equal to the results of a
//! division.

use std::fs;
use std::path::Path;

use crate::element::Element;
use crate::inputs::Random;
use crate::npy::Array;
use crate::run_kernel;

/// Number of divisors, and of dividends per divisor.
const DIVISORS: usize = 64 * 1024;
const EACH: usize = 8;
const THREADS: usize = 128;

/// Returns a kernel in which each thread divides eight numbers by one divisor.
fn program() -> String {
    let count = DIVISORS * EACH;
    let each: String = (0..EACH)
        .map(|k| {
            format!(
                "%x{k} = vector.extract %all[{k}] : f32 from vector<{EACH}xf32>\n\
                 %q{k} = arith.divf %x{k}, %one : f32\n"
            )
        })
        .collect();
    let quotients: Vec<String> = (0..EACH).map(|k| format!("%q{k}")).collect();
    format!(
        "gpu.module @kernels {{\n\
         gpu.func @divide(%x: memref<{count}xf32>, %s: memref<{DIVISORS}xf32>, %q: memref<{count}xf32>) \
         kernel attributes {{known_block_size = array<i32: {THREADS}, 1, 1>, \
         known_grid_size = array<i32: 1, 1, 1>}} {{\n\
         %thread = gpu.thread_id x\n\
         %each = arith.constant {EACH} : index\n\
         %divisors = arith.constant {DIVISORS} : index\n\
         %step = arith.constant {THREADS} : index\n\
         scf.for %i = %thread to %divisors step %step {{\n\
         %first = arith.muli %i, %each : index\n\
         %all = vector.load %x[%first] : memref<{count}xf32>, vector<{EACH}xf32>\n\
         %one = memref.load %s[%i] : memref<{DIVISORS}xf32>\n\
         {each}\
         %quotients = vector.from_elements {quotients} : vector<{EACH}xf32>\n\
         vector.store %quotients, %q[%first] : memref<{count}xf32>, vector<{EACH}xf32>\n\
         }}\n\
         gpu.return\n}}\n}}\n",
        quotients = quotients.join(", "),
    )
}

/// Bits of numbers near the bounds of the ranges, and of special values.
const DIVIDENDS_OF_NOTE: [u32; 14] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x0f80_0000,
    0x0f7f_ffff,
    0x8f80_0001,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
];
const DIVISORS_OF_NOTE: [u32; 10] = [
    0,
    0x8000_0000,
    0x007f_ffff,
    0x0080_0000,
    0x4e00_0000,
    0x4e00_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0x7fc0_0000,
];

/// Returns the bits of a number in a range of exponents. Some numbers have the smallest or the
/// largest fraction. With probability 1 / `one_in`, the function returns a number of a list
/// instead.
fn number(random: &mut Random, [least, greatest]: [i32; 2], of_note: (&[u32], u64)) -> u32 {
    let word = random.next();
    let (list, one_in) = of_note;
    if word.is_multiple_of(one_in) {
        return list[(word >> 32) as usize % list.len()];
    }
    let exponent = least + ((word >> 8) % (greatest - least + 1) as u64) as i32;
    let fraction = match word >> 60 {
        0 => 0,
        1 => 1,
        2 => 0x7f_ffff,
        3 => 0x7f_fffe,
        _ => (word >> 32) as u32 & 0x7f_ffff,
    };
    ((exponent + 127) as u32) << 23 | fraction
}

/// Divides in the kernel and compares the bits with Rust's division.
pub(crate) fn compare(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let random = &mut Random::new(3);
    let (mut dividends, mut divisors) = (Vec::new(), Vec::new());
    for i in 0..DIVISORS {
        // In the three configurations, all operands, most operands or few operands are in range.
        let (one_in, range, signs) = [
            (5, [-96, 127], &DIVIDENDS_OF_NOTE[..2]),
            (300, [-97, 2], &DIVIDENDS_OF_NOTE[..]),
            (30, [-126, 127], &DIVIDENDS_OF_NOTE[..]),
        ][i % 3];
        divisors.push(number(random, [-126, 29], (&DIVISORS_OF_NOTE, 20)));
        for _ in 0..EACH {
            let sign = (random.next() & 1) as u32;
            dividends.push(number(random, range, (signs, one_in)) ^ sign << 31);
        }
    }
    let write = |name: &str, values: &[u32]| -> Result<String, String> {
        let file = folder.join(name);
        let array = Array {
            descr: Element::F32.descr().to_owned(),
            shape: vec![values.len()],
            bytes: values.iter().flat_map(|bits| bits.to_le_bytes()).collect(),
        };
        array.write(&file)?;
        Ok(file.display().to_string())
    };
    let arguments = [
        write("dividends.npy", &dividends)?,
        write("divisors.npy", &divisors)?,
        format!("zeros:{}xf32", DIVISORS * EACH),
    ];
    let quotients = Element::F32.unpack(&run_kernel(&program(), &arguments, folder)?);
    for (at, found) in quotients.into_iter().enumerate() {
        let [x, s] = [dividends[at], divisors[at / EACH]].map(f32::from_bits);
        let (found, expected) = (f32::from_bits(found as u32), x / s);
        let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        if !is_same {
            return Err(format!("{x:e} / {s:e} is {found:e}, expected {expected:e}"));
        }
    }
    let _ = fs::remove_dir_all(folder);
    Ok(())
}
