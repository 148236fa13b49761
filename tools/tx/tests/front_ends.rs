//! Tests of modules that front ends emit. The tests compile and run the modules on the CPU, and
//! compare the results with those of the framework.
//!
//! `front_ends/FRONT_END/NAME.static.mlir` and `NAME.dynamic.mlir` are outputs of torch-mlir, IREE,
//! JAX and MLIR's lowering of TOSA. `front_ends/arrays/FRAMEWORK/NAME` contains the arguments and
//! results of a function: `argument0.npy`, `argument1.bf16.npy` (16-bit words), `result0.npy`.
//!
//! Integers must be equal. A float may differ by a tolerance of its type, relative to the largest
//! value of the result (at least 1), because the combination order may differ.
//!
//! A test name is `front_ends::FRONT_END::FILE`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use tx_plan::{ArgumentType, ElementType};
use tx_runtime::{Arg, Array, Device, Number, read_npy};

/// Pairs of a front end and the directory in `arrays` that contains its results.
const FRONT_ENDS: [(&str, &str); 5] = [
    ("torch-mlir", "torch"),
    ("iree-torch", "torch"),
    ("jax-iree", "jax"),
    ("jax-stablehlo", "jax"),
    ("tosa", "torch"),
];

/// Contents of an output before the run, to detect elements that no kernel writes.
const UNWRITTEN: Number = Number::Int(77);

fn main() -> ExitCode {
    match trials() {
        Ok(trials) => libtest_mimic::run(&Arguments::from_args(), trials).exit_code(),
        Err(error) => {
            eprintln!("front_ends: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, String> {
    let target = tx::Target::parse("sm_90").map_err(|error| error.to_string())?;
    let compiler = tx::Compiler::new(target).map_err(|error| error.to_string())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/front_ends");
    let mut trials = Vec::new();
    for (front_end, framework) in FRONT_ENDS {
        let modules = files(&root.join(front_end))?;
        if modules.is_empty() {
            return Err(format!("found no modules of {front_end}"));
        }
        for module in modules {
            let file = name_of(&module)?;
            let function = file.split('.').next().unwrap_or_default();
            let arrays = root.join("arrays").join(framework).join(function);
            let compiler = compiler.clone();
            let name = format!("front_ends::{front_end}::{file}");
            trials.push(Trial::test(name, move || {
                check(&compiler, &module, &arrays).map_err(Failed::from)
            }));
        }
    }
    Ok(trials)
}

/// Compiles a module, runs its `main`, and compares each result.
fn check(compiler: &tx::Compiler, module: &Path, arrays: &Path) -> Result<(), String> {
    let text = fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
    let mut source = tx::Source::new(module.display().to_string(), text);
    source.entry = Some("main".to_owned());
    let artifact = compiler
        .compile_source(&source)
        .map_err(|error| error.to_string())?;

    let mut args = numbered(arrays, "argument")?;
    let first = args.len();
    let references = numbered(arrays, "result")?;
    let parameters = &artifact.plan.arguments;
    if references.is_empty() || parameters.len() != first + references.len() {
        return Err(format!(
            "found {} arguments in the launch plan, expected {first} inputs and {} results",
            parameters.len(),
            references.len()
        ));
    }
    // Outputs have the shapes of their references, and the types of the module.
    for (reference, parameter) in references.iter().zip(&parameters[first..]) {
        let ArgumentType::Memref(memref) = &parameter.ty else {
            return Err(format!("found a result of type {}", parameter.ty));
        };
        let unwritten = match memref.element {
            ElementType::I1 => Number::Int(1),
            _ => UNWRITTEN,
        };
        let output = Array::full(memref.element, reference.shape().to_vec(), unwritten);
        args.push(output.map_err(|error| error.to_string())?);
    }
    // If the inputs have type f32, their precision limits the precision of f64 results.
    let is_wide = args[..first]
        .iter()
        .any(|arg| arg.element() == ElementType::F64);
    let outputs = Device::cpu()
        .and_then(|device| device.load(&artifact))
        .and_then(|program| program.run(args.into_iter().map(Arg::from).collect()))
        .map_err(|error| error.to_string())?;
    for (number, reference) in references.iter().enumerate() {
        let result = outputs
            .argument(first + number)
            .ok_or_else(|| format!("result {number} is no array"))?;
        compare(result, reference, is_wide).map_err(|error| format!("result {number}: {error}"))?;
    }
    Ok(())
}

/// Returns the tolerance of a float, relative to the largest value of the result.
fn tolerance(element: ElementType, is_wide: bool) -> f64 {
    match element {
        ElementType::F64 if is_wide => 1e-12,
        ElementType::F64 => 1e-6,
        ElementType::F16 => 3e-3,
        ElementType::BF16 => 2e-2,
        _ => 1e-5,
    }
}

fn compare(result: &Array, reference: &Array, is_wide: bool) -> Result<(), String> {
    let result = result.clone().with_unsigned(reference.is_unsigned());
    let scale = (0..reference.len())
        .filter_map(|position| reference.get(position).map(float))
        .filter(|value| value.is_finite())
        .fold(1_f64, |largest, value| largest.max(value.abs()));
    let allowed = tolerance(result.element(), is_wide) * scale;
    for position in 0..reference.len() {
        let (found, expected) = (result.get(position), reference.get(position));
        let is_right = match (found, expected) {
            (Some(Number::Int(found)), Some(Number::Int(expected))) => found == expected,
            (Some(found), Some(expected)) => {
                let (found, expected) = (float(found), float(expected));
                found == expected
                    || (found.is_nan() && expected.is_nan())
                    || (found - expected).abs() <= allowed
            }
            _ => false,
        };
        if !is_right {
            return Err(format!(
                "found {found:?} at element {position}, expected {expected:?}"
            ));
        }
    }
    Ok(())
}

fn float(number: Number) -> f64 {
    match number {
        Number::Int(value) => value as f64,
        Number::Float(value) => value,
    }
}

/// Reads `KIND0.npy`, `KIND1.npy` … of a directory, or `KIND0.bf16.npy`.
fn numbered(folder: &Path, kind: &str) -> Result<Vec<Array>, String> {
    let mut arrays = Vec::new();
    loop {
        let number = arrays.len();
        let plain = folder.join(format!("{kind}{number}.npy"));
        let words = folder.join(format!("{kind}{number}.bf16.npy"));
        let array = match (plain.exists(), words.exists()) {
            (true, _) => read_npy(&plain, None),
            (_, true) => read_npy(&words, Some(ElementType::BF16)),
            _ => return Ok(arrays),
        };
        arrays.push(array.map_err(|error| error.to_string())?);
    }
}

/// Returns the files of a directory, sorted by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let error = |error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        paths.push(entry.map_err(error)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> Result<String, String> {
    let name = path.file_stem().and_then(|name| name.to_str());
    name.map(str::to_owned)
        .ok_or_else(|| format!("{}: the name is not UTF-8", path.display()))
}
