//! Tests that the conversion instructions of sm_89 for 8-bit floats return the same bits as the
//! integer ops.

use std::fs;
use std::path::Path;

use crate::element::Element;
use crate::npy::Array;
use crate::run_kernel;

/// Elements per vector, and threads per block.
const LANES: usize = 4;
const THREADS: usize = 64;
/// Ops that convert any number to an 8-bit float, a clamped number to one, and an 8-bit float to
/// another type.
pub(crate) const ROUND: &str = "truncf";
pub(crate) const CLAMP: [&str; 2] = ["minimumf", "minnumf"];
pub(crate) const WIDEN: &str = "extf";

/// Returns a kernel that converts the first half of the elements as vectors and the second half as
/// scalars.
fn program(op: &str, [from, to]: [Element; 2], count: usize, target: &str) -> String {
    let (a, b) = (from.mlir(), to.mlir());
    let most = to.number(to.nearest(f64::INFINITY) - 1);
    let convert = |a: &str, b: &str, constant: [String; 2]| match op.strip_prefix("min") {
        Some(kind) => {
            let [high, low] = constant;
            format!(
                "%high = arith.constant {high} : {a}\n%low = arith.constant {low} : {a}\n\
                 %h = arith.min{kind} %x, %high : {a}\n%l = arith.max{kind} %h, %low : {a}\n\
                 %y = arith.truncf %l : {a} to {b}\n"
            )
        }
        None => format!("%y = arith.{op} %x : {a} to {b}\n"),
    };
    let [va, vb] = [a, b].map(|ty| format!("vector<{LANES}x{ty}>"));
    let bounds = [most, -most];
    let vectors = convert(&va, &vb, bounds.map(|n| format!("dense<{n:?}>")));
    let scalars = convert(a, b, bounds.map(|n| format!("{n:?}")));
    format!(
        "gpu.module @kernels [#nvvm.target<{target}>] {{\n\
         gpu.func @convert(%a: memref<{count}x{a}>, %b: memref<{count}x{b}>) kernel attributes {{\
         known_block_size = array<i32: {THREADS}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{\n\
         %thread = gpu.thread_id x\n\
         %lanes = arith.constant {LANES} : index\n\
         %first = arith.muli %thread, %lanes : index\n\
         %half = arith.constant {half} : index\n\
         %count = arith.constant {count} : index\n\
         %step = arith.constant {THREADS} : index\n\
         %wide = arith.constant {wide} : index\n\
         scf.for %i = %first to %half step %wide {{\n\
         %x = vector.load %a[%i] : memref<{count}x{a}>, vector<{LANES}x{a}>\n\
         {vectors}\
         vector.store %y, %b[%i] : memref<{count}x{b}>, vector<{LANES}x{b}>\n\
         }}\n\
         %second = arith.addi %half, %thread : index\n\
         scf.for %i = %second to %count step %step {{\n\
         %x = memref.load %a[%i] : memref<{count}x{a}>\n\
         {scalars}\
         memref.store %y, %b[%i] : memref<{count}x{b}>\n\
         }}\n\
         gpu.return\n}}\n}}\n",
        half = count / 2,
        wide = LANES * THREADS,
    )
}

/// Returns all values of a type of at most 16 bits. For f32 and f64, returns numbers near every
/// value of `narrow`, near every midpoint of two values, and some numbers of every exponent.
fn arguments(element: Element, narrow: Element) -> Vec<u64> {
    if element.bits() <= 16 {
        return (0..1 << element.bits()).collect();
    }
    let sign = 1 << (element.bits() - 1);
    let mut found = Vec::new();
    // The numbers above the largest number of the type have the same spacing as the numbers below
    // it.
    let numbers: Vec<f64> = (0..0x7c).map(|bits| narrow.number(bits)).collect();
    let beyond = (1..8).map(|n| numbers[0x7b] + f64::from(n) * (numbers[0x7b] - numbers[0x7a]));
    let numbers: Vec<f64> = numbers.iter().copied().chain(beyond).collect();
    let middles = numbers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    for number in numbers.iter().copied().chain(middles) {
        let bits = element.nearest(number);
        found.extend((0..5).map(|n| (bits + n).saturating_sub(2)));
    }
    let fraction = element.precision() - 1;
    let exponents = (sign >> fraction) - 1;
    for exponent in 0..=exponents {
        for low in [
            0,
            1,
            1 << (fraction - 1),
            (1 << (fraction - 1)) + 1,
            (1 << fraction) - 1,
        ] {
            found.push(exponent << fraction | low);
        }
    }
    let negative: Vec<u64> = found.iter().map(|bits| bits | sign).collect();
    found.extend(negative);
    found
}

/// Converts with and without the instructions and compares the bits.
pub(crate) fn compare(op: &str, [from, to]: [Element; 2], folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut values = arguments(from, if op == WIDEN { from } else { to });
    values.resize(values.len().next_multiple_of(LANES * THREADS), 0);
    values.extend(values.clone());
    let file = folder.join("argument.npy");
    let array = Array {
        descr: from.descr().to_owned(),
        shape: vec![values.len()],
        bytes: from.pack(&values),
    };
    array.write(&file)?;
    let argument = format!("{}{}", file.display(), from.suffix());
    let mut results = Vec::new();
    for target in [
        "chip = \"sm_80\", features = \"+ptx70\"",
        "chip = \"sm_90\", features = \"+ptx78\"",
    ] {
        let program = program(op, [from, to], values.len(), target);
        let zeros = format!("zeros:{}x{}", values.len(), to.mlir());
        let bytes = run_kernel(&program, &[argument.clone(), zeros], folder)?;
        results.push(to.unpack(&bytes));
    }
    for (at, value) in values.iter().enumerate() {
        let [integers, instructions] = [0, 1].map(|way: usize| results[way][at]);
        if integers != instructions {
            return Err(format!(
                "{op} of {value:#x} is {instructions:#x} by instructions and {integers:#x} by integer ops"
            ));
        }
    }
    let _ = fs::remove_dir_all(folder);
    Ok(())
}
