//! Argument specifications: the created arguments, and the errors for invalid text.

use tx_plan::ElementType;
use tx_runtime::{Arg, Array, ErrorKind, Number, Spec, write_npy};

fn load(text: &str) -> Arg {
    text.parse::<Spec>().expect(text).load().expect(text)
}

fn array(text: &str) -> Array {
    match load(text) {
        Arg::Array(array) => array,
        Arg::Scalar(value) => panic!("{text} is the scalar {value}"),
    }
}

#[test]
fn makes_arrays() {
    assert_eq!(
        array("zeros:2x3xf32"),
        Array::from_slice(&[2, 3], &[0_f32; 6]).expect("six")
    );
    assert_eq!(array("zeros:f32").shape(), &[] as &[usize]);
    assert_eq!(array("zeros:0x3xi64").len(), 0);
    assert_eq!(array("full:1.5:2xf64").to_string(), "[1.5 1.5]");
    assert_eq!(array("full:-inf:2xbf16").to_string(), "[-inf -inf]");
    assert_eq!(array("full:nan:1xf8E4M3FN").bytes(), [0x7f]);
    assert_eq!(array("full:255:2xi8").to_string(), "[-1 -1]");
    assert_eq!(array("full:true:2xi1").to_string(), "[ True  True]");
    assert_eq!(array("zeros:2xindex").element(), ElementType::Index);
}

#[test]
fn makes_scalars() {
    for (text, value) in [
        ("7", Number::Int(7)),
        ("-7", Number::Int(-7)),
        ("0x10", Number::Int(16)),
        ("1.5", Number::Float(1.5)),
        ("1e3", Number::Float(1e3)),
        ("inf", Number::Float(f64::INFINITY)),
        ("-inf", Number::Float(f64::NEG_INFINITY)),
        ("true", Number::Int(1)),
    ] {
        assert_eq!(load(text), Arg::Scalar(value), "{text}");
    }
    assert!(matches!(load("nan"), Arg::Scalar(Number::Float(value)) if value.is_nan()));
}

/// Random arrays depend only on the seed. Their values are in the documented range, and reach both
/// bounds.
#[test]
fn random_arrays_are_reproducible() {
    assert_eq!(array("rand:64xf32"), array("rand:64xf32:0"));
    assert_ne!(array("rand:64xf32"), array("rand:64xf32:1"));
    // The first outputs of SplitMix64 with seed 0 are e220a8397b1dcdaf and 6e789e6aa1b965f4.
    let first = array("rand:2xf64").to_vec::<f64>().expect("doubles");
    assert_eq!(
        first,
        [
            (0xe220a8397b1dcdaf_u64 >> 11) as f64 / 2_f64.powi(53),
            (0x6e789e6aa1b965f4_u64 >> 11) as f64 / 2_f64.powi(53)
        ]
    );
    for (ty, low, high) in [
        ("f64", 0.0, 1.0),
        ("f32", 0.0, 1.0),
        ("f16", 0.0, 1.0),
        ("bf16", 0.0, 1.0),
        ("f8E4M3FN", 0.0, 0.9375),
        ("f8E5M2", 0.0, 0.875),
        ("i8", -8.0, 7.0),
        ("i64", -8.0, 7.0),
        ("index", 0.0, 15.0),
        ("i1", 0.0, 1.0),
    ] {
        let array = array(&format!("rand:5000x{ty}:3"));
        let values: Vec<f64> = (0..array.len())
            .filter_map(|i| array.get(i))
            .map(Number::to_f64)
            .collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(
            (low..low + 0.01).contains(&least) && (high - 0.01..=high).contains(&most),
            "{ty}: {least} to {most}"
        );
        assert!(!array.element().is_float() || most < 1.0, "{ty}");
    }
}

#[test]
fn reads_files() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a:b.npy");
    write_npy(&path, &array("full:1:2xbf16"))?;
    let path = path.to_str().ok_or("a temporary path that is no text")?;
    assert_eq!(array(path).element(), ElementType::I16);
    assert_eq!(array(&format!("{path}:bf16")).to_string(), "[1. 1.]");
    let error = format!("{path}:f32").parse::<Spec>()?.load().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("cannot read 2-byte words of dtype <u2 as f32, which has 4"),
        "{error}"
    );
    Ok(())
}

#[test]
fn explains_what_it_expected() {
    let forms = "expected FILE.npy, FILE.npy:bf16, zeros:4x8xf32, full:1.5:4x8xf32, \
                 rand:4x8xf32[:SEED] or a number";
    let makes = "`FOUND` does not create an array, expected `zeros`, `full`, `rand`";
    for (text, reason) in [
        ("", forms),
        ("data.txt", forms),
        (
            "A=randn:4xf32",
            &format!(
                "{forms}; `--arg` accepts no names: pass one `--arg` for each argument, in order; \
                 {makes}; did you mean `rand:TYPE` (uniform: floats from 0 to 1, integers from -8 \
                 to 7)?"
            )
            .replace("FOUND", "randn"),
        ),
        (
            "A=rand:4xf32",
            &format!(
                "{forms}; `--arg` accepts no names: pass one `--arg` for each argument, in order"
            ),
        ),
        (
            "zreos:4xf32",
            &format!("{forms}; {makes}; did you mean `zeros:`?").replace("FOUND", "zreos"),
        ),
        (
            "ones:4xf32",
            &format!("{forms}; {makes}; did you mean `full:1:TYPE`?").replace("FOUND", "ones"),
        ),
        (
            "mesh:4xf32",
            &format!("{forms}; {makes}").replace("FOUND", "mesh"),
        ),
        (
            "rand:4xdouble",
            "unknown element type `double`; known types: f16, bf16, f32, f64, i1, i8, i16, i32, \
             i64, index, f8E4M3FN, f8E5M2; did you mean `f64`?",
        ),
        (
            "data.npz",
            "a .npz file is an archive of arrays: save the array with `numpy.save`, as FILE.npy",
        ),
        (
            "zeros:4x8",
            "`4x8` ends without an element type, as in `4x8xf32`",
        ),
        (
            "zeros:",
            "unknown element type ``; known types: f16, bf16, f32, f64, i1, i8, i16, i32, i64, \
             index, f8E4M3FN, f8E5M2",
        ),
        (
            "zeros:?xf32",
            "`?` is not a size: an argument has sizes such as `4x8xf32`",
        ),
        (
            "zeros:4x-8xf32",
            "`-8` is not a size: an argument has sizes such as `4x8xf32`",
        ),
        (
            "zeros:4xxindex",
            "`4xxindex` lacks a size: an argument has sizes such as `4x8xf32`",
        ),
        (
            "zeros:4",
            "`4` ends without an element type, as in `4x8xf32`",
        ),
        (
            "zeros:4x",
            "`4x` ends without an element type, as in `4x8xf32`",
        ),
        (
            "zeros:99999999999999999999xf32",
            "`99999999999999999999` is not a size: an argument has sizes such as `4x8xf32`",
        ),
        (
            "full:4xf32",
            "found one part after `full:`, expected `full:VALUE:4x8xf32`",
        ),
        ("full:one:4xf32", "`one` is not a number"),
        ("full:1.5:4xi32", "1.5 is not a value of i32"),
        ("full:2:4xi1", "2 is not a value of i1"),
        ("full:1e39:4xf32", "1e39 is not a value of f32"),
        ("full:500:4xf8E4M3FN", "500 is not a value of f8E4M3FN"),
        (
            "full:1e400:4xf64",
            "`1e400` is too large for every type; infinity is written `inf`",
        ),
        (
            "-1e400",
            "`-1e400` is too large for every type; infinity is written `inf`",
        ),
        (
            "rand:4xf32:-1",
            "seed `-1` is not a whole number from 0 to 2^64-1",
        ),
        (
            "x.npy:u2",
            "unknown element type `u2`; known types: f16, bf16, f32, f64, i1, i8, i16, i32, i64, \
             index, f8E4M3FN, f8E5M2",
        ),
    ] {
        let error = text.parse::<Spec>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{text}` is not an argument: {reason}")
        );
        assert_eq!(tx_runtime::Error::from(error).kind(), ErrorKind::Usage);
    }
}

#[test]
fn refuses_what_does_not_fit() {
    for text in [
        "zeros:9223372036854775807xf32",
        "zeros:4611686018427387904x4xi8",
        "rand:1000000000000000xf64",
    ] {
        let error = text.parse::<Spec>().expect(text).load().unwrap_err();
        assert!(
            error.to_string().starts_with("not enough memory for "),
            "{error}"
        );
    }
    assert_eq!(
        array("zeros:0x9223372036854775807x9223372036854775807xf32").len(),
        0
    );
}
