//! Tests that elements of every type keep their values from a specification to a kernel on the SIMT
//! executor, and back to text and files.
#![cfg(feature = "simt")]

use tx_plan::{Argument, Artifact, ElementType, EntryKind, Expr, Operand, Plan, Step};
use tx_runtime::{Arg, Array, Device, ErrorKind, Executable, Number, Spec, read_npy, write_npy};

fn llvm_type(element: ElementType) -> &'static str {
    match element {
        ElementType::F8E4M3FN | ElementType::F8E5M2 => "i8",
        ElementType::Index => "i64",
        element => element.name(),
    }
}

/// Returns a kernel with two `memref<?xT>` and a scalar `%s` of type `T`. Thread `i` computes `%w`
/// by `operation` from `%s` and element `%v` of the first memref, and stores `%w`.
fn artifact(element: ElementType, operation: &str) -> Artifact {
    let llvm = llvm_type(element);
    let memref = format!("memref<?x{element}>");
    Artifact {
        ptx: String::new(),
        plan: Plan {
            version: tx_plan::VERSION,
            chip: "sm_80".to_owned(),
            entry: "main".to_owned(),
            entry_kind: EntryKind::Kernel,
            arguments: [(&*memref, false), (&memref, true), (element.name(), false)]
                .into_iter()
                .map(|(ty, written)| Argument {
                    ty: ty.parse().expect("a type"),
                    written,
                })
                .collect(),
            checks: Vec::new(),
            temporaries: vec![],
            steps: vec![Step {
                kernel: "main".to_owned(),
                module: "main".to_owned(),
                choice: None,
                when: Vec::new(),
                grid: [1; 3].map(Expr::Const),
                block: [Expr::dim(0, 0), Expr::Const(1), Expr::Const(1)],
                cluster: None,
                dynamic_shared_bytes: Expr::Const(0),
                operands: (0..3).map(Operand::Argument).collect(),
            }],
        },
        device_ir: format!(
            "gpu.module @kernels {{
               llvm.func @main(%xa: !llvm.ptr, %x: !llvm.ptr, %xo: i64, %xn: i64, %xs: i64,
                               %ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %yn: i64, %ys: i64, %s: {llvm})
                   attributes {{gpu.kernel, nvvm.kernel}} {{
                 %i = nvvm.read.ptx.sreg.tid.x : i32
                 %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i32) -> !llvm.ptr, {llvm}
                 %v = llvm.load %p : !llvm.ptr -> {llvm}
                 {operation}
                 %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i32) -> !llvm.ptr, {llvm}
                 llvm.store %w, %q : {llvm}, !llvm.ptr
                 llvm.return
               }}
             }}"
        ),
        stages: vec![],
        warnings: Vec::new(),
        modules: Vec::new(),
    }
}

fn load(element: ElementType, operation: &str) -> Executable {
    Device::cpu()
        .and_then(|cpu| cpu.load(&artifact(element, operation)))
        .unwrap_or_else(|error| panic!("{element}: {error}"))
}

fn run(executable: &Executable, input: Array, scalar: Number) -> Array {
    let output = Array::zeros(input.element(), input.shape().to_vec()).expect("memory");
    let outputs = executable
        .run(vec![input.into(), output.into(), Arg::Scalar(scalar)])
        .unwrap_or_else(|error| panic!("{error}"));
    outputs.argument(1).expect("an array").clone()
}

fn array(spec: &str) -> Array {
    match spec.parse::<Spec>().expect(spec).load().expect(spec) {
        Arg::Array(array) => array,
        Arg::Scalar(value) => panic!("{spec} is the scalar {value}"),
    }
}

const COPY: &str = "%zero = llvm.mlir.constant(0 : i32) : i32
                    %first = llvm.icmp \"eq\" %i, %zero : i32
                    %w = llvm.select %first, %s, %v : i1, T";

/// Elements and scalars of every type are passed to a kernel and returned without change, for every
/// form of specification and for files. Types that numpy does not support are stored as integers of
/// the same size.
#[test]
fn every_type_goes_through_a_kernel() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for element in ElementType::ALL {
        let copy = load(element, &COPY.replace('T', llvm_type(element)));
        let one = match element.is_float() {
            true => Number::Float(1.0),
            false => Number::Int(1),
        };
        for spec in ["rand:37xT:5", "zeros:37xT", "full:1:37xT"] {
            let input = array(&spec.replace('T', element.name()));
            let output = run(&copy, input.clone(), one);
            assert_eq!(output.get(0), Some(one), "{element}");
            let size = element.size();
            assert_eq!(output.bytes()[size..], input.bytes()[size..], "{element}");

            let path = folder.path().join("out.npy");
            write_npy(&path, &output)?;
            let path = path.to_str().ok_or("a path that is no text")?;
            assert_eq!(array(&format!("{path}:{element}")), output);
            // Without a requested type, the file is read with its numpy dtype.
            let plain = array(path);
            let expected = match element {
                ElementType::BF16 => ElementType::I16,
                ElementType::F8E4M3FN | ElementType::F8E5M2 => ElementType::I8,
                ElementType::Index => ElementType::I64,
                element => element,
            };
            assert_eq!(plain.element(), expected);
            assert_eq!(plain.bytes(), output.bytes());
        }
    }
    Ok(())
}

/// A kernel copies every bit pattern of the 8- and 16-bit types unchanged, including NaNs.
#[test]
fn every_pattern_goes_through() {
    for element in ElementType::ALL {
        if element.size() > 2 || element == ElementType::I1 {
            continue;
        }
        let copy = load(element, &COPY.replace('T', llvm_type(element)));
        let all: Vec<u8> = match element.size() {
            1 => (0..=u8::MAX).collect(),
            _ => (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
        };
        for part in all.chunks(1024) {
            let count = part.len() / element.size();
            let input = Array::new(element, vec![count], part.to_vec()).expect("an array");
            let first = input.get(0).expect("an element");
            let output = run(&copy, input, first);
            let size = element.size();
            assert_eq!(output.bytes()[size..], part[size..], "{element}");
        }
    }
}

/// An `i1` memref has one byte per element, and a kernel reads and writes 0 and 1.
#[test]
fn truth_values_are_bytes() -> Result<(), Box<dyn std::error::Error>> {
    let input = array("rand:100xi1:9");
    assert!(input.bytes().contains(&0) && input.bytes().contains(&1));
    let flip = load(ElementType::I1, "%w = llvm.xor %v, %s : i1");
    let output = run(&flip, input.clone(), Number::Int(1));
    let flipped: Vec<u8> = input.bytes().iter().map(|byte| 1 - byte).collect();
    assert_eq!(output.bytes(), flipped);
    let shown = array("full:true:3xi1");
    assert_eq!(shown.to_string(), "[ True  True  True]");

    // An `i1` array is written as numpy's bool. If the file has another dtype, all elements other
    // than 0 are true.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("truth.npy");
    write_npy(&path, &output)?;
    assert_eq!(&std::fs::read(&path)?[10..27], b"{'descr': '|b1', ");
    assert_eq!(read_npy(&path, None)?, output);
    write_npy(&path, &array("full:-3:2xi8"))?;
    assert_eq!(
        read_npy(&path, Some(ElementType::I1))?.to_vec::<bool>()?,
        [true, true]
    );
    Ok(())
}

#[test]
fn integers_have_their_width() {
    for (element, largest, smallest) in [
        (ElementType::I8, 127, -128),
        (ElementType::I16, 32767, -32768),
        (ElementType::I32, i128::from(i32::MAX), i128::from(i32::MIN)),
        (ElementType::I64, i128::from(i64::MAX), i128::from(i64::MIN)),
        (
            ElementType::Index,
            i128::from(i64::MAX),
            i128::from(i64::MIN),
        ),
    ] {
        let add = format!("%w = llvm.add %v, %s : {}", llvm_type(element));
        let input = array(&format!("full:{largest}:2x{element}"));
        let output = run(&load(element, &add), input, Number::Int(1));
        assert_eq!(output.get(1), Some(Number::Int(smallest)), "{element}");
    }
}

#[test]
fn floats_have_their_precision() {
    for (element, expected) in [
        (ElementType::F16, 2050.0),
        (ElementType::BF16, 2064.0),
        (ElementType::F32, 2049.1),
        (ElementType::F64, 2049.1),
    ] {
        // Expected value: 2048 plus the addend, both rounded to the type, and the sum rounded to
        // the type.
        let add = format!("%w = llvm.fadd %v, %s : {element}");
        let input = array(&format!("full:2048:2x{element}"));
        let addend = if element == ElementType::BF16 {
            9.0
        } else {
            1.1
        };
        let found = run(&load(element, &add), input, Number::Float(addend));
        let value = found.get(1).map(Number::to_f64).expect("an element");
        assert!((value - expected).abs() < 1e-4, "{element}: {value}");
    }
}

#[test]
fn eight_bit_floats_are_shown() {
    for (element, bytes, text) in [
        (
            ElementType::F8E4M3FN,
            [0x00, 0x80, 0x01, 0x08, 0x38, 0x7e, 0xfe, 0x7f, 0xff],
            "[ 0.0e+00 -0.0e+00  2.0e-03  1.6e-02  1.0e+00  4.5e+02 -4.5e+02      nan\n      nan]",
        ),
        (
            ElementType::F8E5M2,
            [0x00, 0x80, 0x01, 0x04, 0x3c, 0x7b, 0x7c, 0xfc, 0x7f],
            "[ 0.e+00 -0.e+00  2.e-05  6.e-05  1.e+00  6.e+04     inf    -inf     nan]",
        ),
    ] {
        let array = Array::new(element, vec![9], bytes.to_vec()).expect("nine bytes");
        let values: Vec<f64> = (0..9)
            .filter_map(|i| array.get(i))
            .map(Number::to_f64)
            .collect();
        let expected = match element {
            ElementType::F8E4M3FN => [
                0.0,
                -0.0,
                2_f64.powi(-9),
                2_f64.powi(-6),
                1.0,
                448.0,
                -448.0,
                f64::NAN,
                f64::NAN,
            ],
            _ => [
                0.0,
                -0.0,
                2_f64.powi(-16),
                2_f64.powi(-14),
                1.0,
                57344.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ],
        };
        for (found, expected) in values.iter().zip(expected) {
            let same = found.to_bits() == expected.to_bits();
            assert!(same || found.is_nan() && expected.is_nan(), "{element}");
        }
        assert_eq!(array.to_string(), text, "{element}");
    }
    assert_eq!(array("full:0.1:2xf8E4M3FN").to_string(), "[0.1 0.1]");
    assert_eq!(array("full:-inf:2xf8E5M2").to_string(), "[-inf -inf]");
}

/// An array of another type than the argument is rejected, even if the element sizes are equal.
/// Reinterpretation requires an explicit type in the specification.
#[test]
fn other_types_are_refused() {
    let executable = load(ElementType::F8E4M3FN, "%w = llvm.add %v, %s : i8");
    for spec in ["zeros:4xi8", "zeros:4xf8E5M2", "zeros:4xi1", "zeros:4xf32"] {
        let args = vec![
            array(spec).into(),
            array("zeros:4xf8E4M3FN").into(),
            1.0.into(),
        ];
        let error = executable.run(args).expect_err(spec);
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        assert!(error.to_string().contains("f8E4M3FN"), "{error}");
    }
}
