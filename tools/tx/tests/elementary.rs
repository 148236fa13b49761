//! Error bounds of elementary functions, for each type.
//!
//! A kernel evaluates a function for more than 100,000 arguments, most of them as vectors, on the
//! CPU. The reference for f64 has twice the precision (`elementary/double.rs`). The reference for
//! narrower types is Rust's f64 function. For 16-bit types, the tests evaluate every argument.
//! `elementary/functions.rs` lists the bounds.
//!
//! If an instruction converts 8-bit floats, its results must be bitwise equal to the results of the
//! integer ops (`elementary/narrow.rs`). If several divisions share the reciprocal of their
//! divisor, each quotient must be bitwise equal to the result of a division
//! (`elementary/quotients.rs`).
//!
//! A test name is `elementary::TYPE::FUNCTION` or `elementary::CONVERSION::FROM::TO`. Option
//! `--measure` prints the largest error of each test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

#[path = "elementary/double.rs"]
mod double;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/element.rs"]
mod element;
#[path = "elementary/functions.rs"]
mod functions;
#[path = "elementary/inputs.rs"]
mod inputs;
#[path = "elementary/narrow.rs"]
mod narrow;
#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;
#[path = "elementary/quotients.rs"]
mod quotients;

use double::{Double, Scaled};
use element::Element;
use functions::{FUNCTIONS, Function};
use inputs::{SCALARS, VECTORS};
use npy::Array;

const TYPES: [Element; 4] = [Element::F16, Element::BF16, Element::F32, Element::F64];

/// Number of elements per vector.
const LANES: usize = 4;
const THREADS: usize = 32;

fn main() -> ExitCode {
    let (measure, rest): (Vec<_>, Vec<_>) = std::env::args().partition(|a| a == "--measure");
    let measure = !measure.is_empty();
    let mut trials = vec![Trial::test("elementary::reference", || {
        self_test().map_err(Failed::from)
    })];
    for element in TYPES {
        for function in &FUNCTIONS {
            let name = format!("elementary::{}::{}", element.mlir(), function.name);
            trials.push(Trial::test(name.clone(), move || {
                let worst = run(function, element, &name)?;
                if measure {
                    println!("{name}: {worst:.4}");
                }
                Ok(())
            }));
        }
    }
    trials.push(Trial::test("elementary::quotients", || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elementary/quotients");
        Ok(quotients::compare(&folder)?)
    }));
    for narrow in [Element::F8E4M3FN, Element::F8E5M2] {
        for element in TYPES {
            for (op, types) in [
                (narrow::ROUND, [element, narrow]),
                (narrow::CLAMP[0], [element, narrow]),
                (narrow::CLAMP[1], [element, narrow]),
                (narrow::WIDEN, [narrow, element]),
            ] {
                let [from, to] = types.map(Element::mlir);
                let name = format!("elementary::{op}::{from}::{to}");
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace("::", "/"));
                trials.push(Trial::test(name, move || {
                    Ok(narrow::compare(op, types, &folder)?)
                }));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code()
}

/// Returns a kernel that evaluates a function: vectors up to `VECTORS`, then scalars.
fn program(function: &Function, element: Element) -> String {
    let all = VECTORS + SCALARS;
    let (name, ty) = (function.name, element.mlir());
    let names = &["%x", "%y"][..function.arguments()];
    let parameters: Vec<String> = names
        .iter()
        .chain(&["%r"])
        .map(|name| format!("{name}: memref<{all}x{ty}>"))
        .collect();
    let body = |load: &str, store: &str, ty: &str, of: &str| {
        let loads: Vec<String> = names
            .iter()
            .map(|name| format!("{name}v = {load} {name}[%i] : {of}\n"))
            .collect();
        let values: Vec<String> = names.iter().map(|name| format!("{name}v")).collect();
        let compute = match name.split_once("_of_") {
            Some((op, "nonpositive")) => format!(
                "%a = math.absf %xv : {ty}\n%n = arith.negf %a : {ty}\n%v = math.{op} %n : {ty}"
            ),
            Some(("sin", _)) => format!("%v, %cos = math.sincos %xv : {ty}"),
            Some(_) => format!("%sin, %v = math.sincos %xv : {ty}"),
            None => {
                let dialect = if name == "remf" { "arith" } else { "math" };
                format!("%v = {dialect}.{name} {} : {ty}", values.join(", "))
            }
        };
        format!("{}{compute}\n{store} %v, %r[%i] : {of}\n", loads.concat())
    };
    let vector = format!("vector<{LANES}x{ty}>");
    let vectors = body(
        "vector.load",
        "vector.store",
        &vector,
        &format!("memref<{all}x{ty}>, {vector}"),
    );
    let scalars = body(
        "memref.load",
        "memref.store",
        ty,
        &format!("memref<{all}x{ty}>"),
    );
    format!(
        "gpu.module @kernels {{\n\
         gpu.func @{name}({parameters}) kernel attributes {{known_block_size = array<i32: {THREADS}, 1, 1>, \
         known_grid_size = array<i32: 1, 1, 1>}} {{\n\
         %thread = gpu.thread_id x\n\
         %lanes = arith.constant {LANES} : index\n\
         %first = arith.muli %thread, %lanes : index\n\
         %vectors = arith.constant {VECTORS} : index\n\
         %all = arith.constant {all} : index\n\
         %step = arith.constant {THREADS} : index\n\
         %wide = arith.constant {wide} : index\n\
         scf.for %i = %first to %vectors step %wide {{\n{vectors}}}\n\
         %second = arith.addi %vectors, %thread : index\n\
         scf.for %i = %second to %all step %step {{\n{scalars}}}\n\
         gpu.return\n}}\n}}\n",
        parameters = parameters.join(", "),
        wide = THREADS * LANES,
    )
}

/// Runs a function and compares its results; returns the largest error.
fn run(function: &Function, element: Element, name: &str) -> Result<f64, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace("::", "/"));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let arguments = match function.arguments() {
        1 => vec![inputs::of_one(function, element)],
        _ => inputs::of_two(function, element).into(),
    };
    let results = compute(function, element, &arguments, &folder)?;
    let zero = vec![0; arguments[0].len()];
    let second = arguments.get(1).unwrap_or(&zero);
    let bound = match element {
        Element::F64 => function.bounds[1],
        Element::F32 => function.bounds[0],
        // The bound covers one rounding of a value whose error is below 2^-12 units in the last
        // place.
        _ => 0.501,
    };
    let mut worst = (0.0, 0);
    for (at, result) in results.iter().enumerate() {
        let (x, y) = (element.number(arguments[0][at]), element.number(second[at]));
        let error = error(function, element, [x, y], element.number(*result));
        if error > worst.0 {
            worst = (error, at);
        }
    }
    let (error, at) = worst;
    if error > bound {
        let shown: Vec<String> = arguments.iter().map(|all| element.show(all[at])).collect();
        return Err(format!(
            "{}({}) is {}, off by {error:.3} units in the last place, at most {bound} expected; \
             it is {}\nfiles are in {}",
            function.name,
            shown.join(", "),
            element.show(results[at]),
            function.value(element.number(arguments[0][at]), element.number(second[at])),
            folder.display()
        ));
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(error)
}

fn compute(
    function: &Function,
    element: Element,
    arguments: &[Vec<u64>],
    folder: &Path,
) -> Result<Vec<u64>, String> {
    let length = VECTORS + SCALARS;
    let mut all = Vec::new();
    for (number, values) in arguments.iter().enumerate() {
        let file = folder.join(format!("arg{number}.npy"));
        let array = Array {
            descr: element.descr().to_owned(),
            shape: vec![length],
            bytes: element.pack(values),
        };
        array.write(&file)?;
        all.push(format!("{}{}", file.display(), element.suffix()));
    }
    all.push(format!("zeros:{length}x{}", element.mlir()));
    let bytes = run_kernel(&program(function, element), &all, folder)?;
    Ok(element.unpack(&bytes))
}

/// Runs a program on the CPU and returns the bytes of its last argument.
fn run_kernel(program: &str, arguments: &[String], folder: &Path) -> Result<Vec<u8>, String> {
    let program_file = folder.join("program.mlir");
    fs::write(&program_file, program).map_err(|error| error.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command
        .arg("run")
        .arg(&program_file)
        .args(["--device", "cpu"]);
    for argument in arguments {
        command.arg("--arg").arg(argument);
    }
    let result: PathBuf = folder.join("result.npy");
    let out = arguments.len() - 1;
    let done = command
        .arg("--out")
        .arg(format!("{out}={}", result.display()))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start tx: {error}"))?;
    if !done.status.success() {
        return Err(format!(
            "tx run: {}\n{}\nfiles are in {}",
            done.status,
            String::from_utf8_lossy(&done.stderr).trim_end(),
            folder.display()
        ));
    }
    Ok(Array::read(&result)?.bytes)
}

/// Returns the error of a result in units of the last place of the exact value. Returns infinity if
/// only one of the two values is NaN, or if the signs differ.
fn error(function: &Function, element: Element, [x, y]: [f64; 2], found: f64) -> f64 {
    let exact = match element {
        Element::F64 => function.precise(x, y),
        _ => {
            let value = function.value(x, y);
            let is_number = value.is_finite() && value != 0.0;
            is_number.then_some(Scaled(Double(value, 0.0), 0))
        }
    };
    let Some(Scaled(Double(high, low), scale)) = exact else {
        let expected = function.value(x, y);
        let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        return if is_same { 0.0 } else { f64::INFINITY };
    };
    if found.is_nan() || found.is_sign_negative() != high.is_sign_negative() {
        return f64::INFINITY;
    }
    let fraction = element.precision() - 1;
    let smallest = double::exponent(element.tiniest());
    let largest = double::exponent(element.largest());
    let exponent = double::exponent(high) + scale;
    if found.is_infinite() && exponent > largest {
        return 0.0;
    }
    let unit = (exponent.min(largest) - fraction).max(smallest);
    // An infinite result counts as the next power of two above the largest number.
    let found = if found.is_infinite() {
        double::scale(1.0, largest + 1 - unit).copysign(found)
    } else {
        double::scale(found, -unit)
    };
    let shift = scale - unit;
    ((found - double::scale(high, shift)) - double::scale(low, shift)).abs()
}

/// Checks the references against values computed elsewhere with twice the precision.
fn self_test() -> Result<(), String> {
    type Case = (fn(f64) -> Scaled, f64, u64, u64);
    let cases: [Case; 28] = [
        (
            double::atan,
            0.75,
            0x3fe4_978f_a326_9ee1,
            0x3c72_419a_87f2_a458,
        ),
        (
            double::atan,
            -40.0,
            0xbff8_bb9a_6371_8f45,
            0x3c37_9d77_a137_3742,
        ),
        (
            double::asin,
            0.3,
            0x3fd3_8015_9e14_f6ff,
            0xbc7f_aba2_e018_5aa0,
        ),
        (
            double::asin,
            -0.99,
            0xbff6_de3c_6f33_d51d,
            0xbc93_ea3f_ef97_267d,
        ),
        (
            double::acos,
            0.999,
            0x3fa6_e634_e566_a29e,
            0xbc4e_ed1b_51d0_eefe,
        ),
        (
            double::acos,
            -0.4,
            0x3fff_b78e_047d_fba5,
            0x3c88_795b_e7cd_2e3e,
        ),
        (
            double::sinh,
            1.5,
            0x4001_08c3_aabd_6a60,
            0x3cab_2e0c_9341_55c9,
        ),
        (
            double::cosh,
            -0.2,
            0x3ff0_5231_84b1_ee9d,
            0xbc89_d3ff_e691_d615,
        ),
        (
            double::erfc,
            3.0,
            0x3ef7_29df_6503_422a,
            0x3b67_84ca_4c42_9a15,
        ),
        (
            double::erfc,
            -1.25,
            0x3ffe_c432_ecc5_5f00,
            0x3c90_189d_a823_4594,
        ),
        (
            double::cbrt,
            3.0,
            0x3ff7_1374_4912_3ef6,
            0x3c97_3779_fc5b_15b9,
        ),
        (
            double::asinh,
            0.7,
            0x3fe4_e2a4_fe90_85dd,
            0x3c6f_37f3_bd82_a9e1,
        ),
        (
            double::acosh,
            1.001,
            0x3fa6_e53a_cbcd_eba3,
            0xbc3b_e0b3_8dc9_9f6e,
        ),
        (
            double::atanh,
            -0.9,
            0xbff7_8e36_0604_b32d,
            0x3c5d_0b8e_e710_8685,
        ),
        (
            double::exp,
            1.0,
            0x4005_bf0a_8b14_5769,
            0x3ca4_d57e_e2b1_013a,
        ),
        (
            double::exp,
            -0.3,
            0x3fe7_b4c8_69c3_7c05,
            0xbc40_a730_392f_0d98,
        ),
        (
            double::exp2,
            0.7,
            0x3ff9_fdf8_bcce_533d,
            0x3c8c_2824_ce6c_8da8,
        ),
        (
            double::expm1,
            1e-5,
            0x3ee4_f8bc_681c_dfb6,
            0xbb77_8357_66a3_54c2,
        ),
        (
            double::log,
            1.0001,
            0x3f1a_368d_0657_fcd4,
            0x3ba0_6cf0_5487_82df,
        ),
        (
            double::log2,
            0.9,
            0xbfc3_74d6_5d9e_608d,
            0xbc44_a739_0434_6a46,
        ),
        (
            double::log10,
            7.0,
            0x3feb_0b0b_0b78_cc3f,
            0x3c74_b692_ff8a_8060,
        ),
        (
            double::log1p,
            1e-9,
            0x3e11_2e0b_e801_f1d9,
            0x3ab7_3146_f77b_063a,
        ),
        (
            double::tanh,
            0.25,
            0x3fcf_597e_a69a_1c86,
            0xbc3d_94e5_1c4f_71ac,
        ),
        (
            double::erf,
            1.5,
            0x3fee_ea55_5713_7ae0,
            0xbc83_85e4_45f2_c96d,
        ),
        (
            double::sin,
            0.5,
            0x3fde_aee8_744b_05f0,
            0xbc57_89b4_3c9b_027d,
        ),
        (
            double::sin,
            1e22,
            0xbfeb_453a_b76b_f397,
            0xbc5f_4537_9077_2648,
        ),
        (
            double::cos,
            5.319_372_648_326_541e255,
            0xbc21_4ae7_2e6b_a22f,
            0x3897_3eef_1477_d90e,
        ),
        (
            double::tan,
            -2.5,
            0x3fe7_e79b_4e00_bb15,
            0xbc84_d92d_dff3_1690,
        ),
    ];
    let pair = |value: Scaled, high: u64, low: u64, what: &str| {
        let (high, low) = (f64::from_bits(high), f64::from_bits(low));
        let found = [value.0.0, value.0.1].map(|part| double::scale(part, value.1));
        let error = ((found[0] - high) + (found[1] - low)).abs() / high.abs();
        if error > 1e-24 {
            return Err(format!(
                "{what}: found {found:?}, expected {high:?} + {low:?}"
            ));
        }
        Ok(())
    };
    for (number, (function, x, high, low)) in cases.into_iter().enumerate() {
        pair(function(x), high, low, &format!("case {number}"))?;
    }
    pair(
        double::atan2(0.3, -0.7),
        0x4005_e4c3_6ca0_118a,
        0x3c93_37dd_d84b_1129,
        "atan2",
    )?;
    pair(
        double::pow(1.1, 1.3),
        0x3ff2_1c49_d148_52a0,
        0x3c90_94c8_6ef5_b4dd,
        "pow",
    )?;
    pair(
        double::rsqrt(3.0),
        0x3fe2_79a7_4590_331c,
        0x3c83_4863_e079_2bed,
        "rsqrt",
    )
}
