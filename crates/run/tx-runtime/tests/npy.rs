//! Tests of `.npy` files: round trips of every dtype, files written by numpy, and malformed files.

use std::path::Path;

use proptest::prelude::*;
use tx_plan::ElementType;
use tx_runtime::{
    Array, ErrorKind, NpyError, Number, read_npy, read_npy_from, write_npy, write_npy_to,
};

fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn read(bytes: &[u8]) -> Result<Array, NpyError> {
    read_npy_from(&mut &bytes[..], None)
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn every_type_round_trips() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for element in ElementType::ALL {
        for shape in [
            vec![],
            vec![0],
            vec![7],
            vec![3, 4],
            vec![2, 0, 3],
            vec![2, 3, 5],
        ] {
            let path = folder.path().join("array.npy");
            let array = Array::random(element, shape, 5)?;
            write_npy(&path, &array)?;
            assert_eq!(read_npy(&path, Some(element))?, array);
        }
    }
    Ok(())
}

#[test]
fn writes_what_numpy_writes() -> Result<(), Box<dyn std::error::Error>> {
    for (array, header) in [
        (
            Array::zeros(ElementType::F32, vec![3, 4])?,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
        ),
        (
            Array::zeros(ElementType::I8, vec![5])?,
            "{'descr': '|i1', 'fortran_order': False, 'shape': (5,), }",
        ),
        (
            Array::zeros(ElementType::I1, vec![])?,
            "{'descr': '|b1', 'fortran_order': False, 'shape': (), }",
        ),
        (
            Array::zeros(ElementType::BF16, vec![2])?,
            "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }",
        ),
    ] {
        let mut bytes = Vec::new();
        write_npy_to(&mut bytes, &array)?;
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(
            String::from_utf8_lossy(&bytes[10..128]),
            format!("{header:<117}\n")
        );
        assert_eq!(bytes.len(), 128 + array.bytes().len());
    }
    Ok(())
}

/// Unsigned, big-endian and Fortran-ordered files, and files of versions 2 and 3, are read. The
/// reader does not consume bytes of the stream after the array.
#[test]
fn reads_what_numpy_writes() -> Result<(), NpyError> {
    let header = |descr: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}  \n")
    };
    let array = read(&npy(&header(">i2", "False", "(2,)"), &[1, 2, 3, 4]))?;
    assert_eq!(array.to_vec::<i16>().ok(), Some(vec![0x0102, 0x0304]));
    let array = read(&npy(&header("|u1", "True", "(2, 3)"), &[1, 4, 2, 5, 3, 6]))?;
    assert_eq!(
        (array.shape(), array.bytes()),
        (&[2, 3][..], &[1, 2, 3, 4, 5, 6][..])
    );
    let array = read(&npy(&header("|b1", "False", "(3,)"), &[0, 1, 255, 9]))?;
    assert_eq!(
        (array.element(), array.bytes()),
        (ElementType::I1, &[0, 1, 1][..])
    );
    for (code, element) in [
        ("u2", ElementType::I16),
        ("u4", ElementType::I32),
        ("u8", ElementType::I64),
        ("f2", ElementType::F16),
    ] {
        assert_eq!(
            read(&npy(&header(&format!("<{code}"), "False", "(0L,)"), &[]))?.element(),
            element
        );
    }
    let text = header("<f8", "False", "()");
    for version in [2, 3] {
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(1.5_f64.to_le_bytes());
        assert_eq!(read(&bytes)?.to_vec::<f64>().ok(), Some(vec![1.5]));
    }
    Ok(())
}

/// Arrays of unsigned integers remain unsigned in messages, in text and in files. Arrays that are
/// read with a requested element type are signed.
#[test]
fn unsigned_integers_stay_unsigned() -> Result<(), Box<dyn std::error::Error>> {
    let header = |descr: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}  \n")
    };
    for (descr, name, largest) in [
        ("|u1", "ui8", u8::MAX.into()),
        ("<u2", "ui16", u16::MAX.into()),
        ("<u4", "ui32", u32::MAX.into()),
        ("<u8", "ui64", u64::MAX),
    ] {
        let mut bytes = npy(&header(descr), &[]);
        let size = usize::try_from(largest.count_ones() / 8)?;
        bytes.extend(vec![0; size - 1]);
        let cut = message(&bytes);
        assert!(cut.ends_with(&format!("for 2x{name}")), "{cut}");
        bytes.extend(vec![0; 1]);
        bytes.extend(vec![0xff; size]);
        let array = read(&bytes)?;
        assert_eq!(array.describe(), format!("2x{name}"));
        let width = largest.to_string().len();
        assert_eq!(array.to_string(), format!("[{:>width$} {largest}]", 0));
        assert_eq!(array.get(1), Some(Number::Int(largest.into())));
        let mut written = Vec::new();
        write_npy_to(&mut written, &array)?;
        assert_eq!(read(&written)?, array);
        let signed = read_npy_from(&mut &bytes[..], Some(array.element()))?;
        assert_eq!(
            (signed.is_unsigned(), signed.to_string().as_str()),
            (false, "[ 0 -1]")
        );
    }
    Ok(())
}

#[test]
fn reads_words_as_asked() -> Result<(), NpyError> {
    let file = npy(
        "{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}",
        &[0x80, 0x3f],
    );
    let array = read_npy_from(&mut &file[..], Some(ElementType::BF16))?;
    assert_eq!(array.to_string(), "[1.]");
    let error = read_npy_from(&mut &file[..], Some(ElementType::F8E5M2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read 2-byte words of dtype <u2 as f8E5M2, which has 1"
    );
    Ok(())
}

#[test]
fn says_what_is_broken() {
    let ok = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    for (bytes, expected) in [
        (
            b"".to_vec(),
            "not a .npy file: it starts with nothing (the file is empty), expected the bytes `\\x93NUMPY`",
        ),
        (
            b"PK\x03\x04zip archive".to_vec(),
            "not a .npy file: it starts with `PK\\x03\\x04zip `, expected the bytes `\\x93NUMPY`",
        ),
        (
            b"\x93NUMPY\x09\x00".to_vec(),
            "found .npy version 9.0, expected 1.0, 2.0 or 3.0",
        ),
        (
            b"\x93NUMPY\x01".to_vec(),
            "malformed .npy header: the file ends before it",
        ),
        (
            b"\x93NUMPY\x01\x00\x10".to_vec(),
            "malformed .npy header: the file ends within it",
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "malformed .npy header: found 4294967295 bytes, expected at most 10000",
        ),
        (npy("[]", &[]), "malformed .npy header: found no `{`"),
        (npy("{}", &[]), "malformed .npy header: 'descr' is missing"),
        (
            npy("{'descr': [('a', '<f4')], 'shape': ()}", &[]),
            "malformed .npy header: structured dtypes are not supported",
        ),
        (
            npy(&ok.replace("False", "Maybe"), &[]),
            "malformed .npy header: 'fortran_order' is neither True nor False",
        ),
        (
            npy(&ok.replace("3)", "-3)"), &[]),
            "malformed .npy header: `-3` is not a dimension",
        ),
        (
            npy(&ok.replace("<f4", "<c8"), &[]),
            "found dtype `<c8`, expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1; convert it \
             with `.astype`",
        ),
        (
            npy(&ok.replace("<f4", "|O"), &[]),
            "found dtype `|O`, expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1; convert it \
             with `.astype`",
        ),
        (
            npy(ok, &[0; 23]),
            "truncated: found 23 bytes of data, expected 24 for 2x3xf32",
        ),
        (
            npy(&ok.replace('2', "4611686018427387904"), &[]),
            "not enough memory for 4611686018427387904x3xf32",
        ),
        (
            npy(&ok.replace('2', "99999999999"), &[]),
            "truncated: found 0 bytes of data, expected 1199999999988 for 99999999999x3xf32",
        ),
    ] {
        assert_eq!(message(&bytes), expected);
    }
}

/// A file with bytes after its array is rejected. In a stream, another array may follow.
#[test]
fn refuses_more_than_one_array() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("two.npy");
    let array = Array::from_slice(&[2, 3], &[1_i16, 2, 3, 4, 5, 6])?;
    let mut bytes = Vec::new();
    write_npy_to(&mut bytes, &array)?;
    std::fs::write(&path, &bytes)?;
    assert_eq!(read_npy(&path, None)?, array);
    for more in [&b"\0"[..], &bytes.clone()] {
        std::fs::write(&path, [&bytes, more].concat())?;
        let error = read_npy(&path, None).unwrap_err();
        let expected = "the file has more data after the 12 bytes of 2x3xi16";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    let two = [&bytes[..], &bytes].concat();
    let mut stream = &two[..];
    for _ in 0..2 {
        assert_eq!(read_npy_from(&mut stream, None)?, array);
    }
    Ok(())
}

/// File errors contain the path, and have the kind `Refused`.
#[test]
fn names_the_file() {
    let error = read_npy(Path::new("/nowhere/x.npy"), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nowhere/x.npy: No such file or directory (os error 2)"
    );
    assert_eq!(error.kind(), ErrorKind::Refused);
    let array = Array::zeros(ElementType::I8, vec![]).expect("one byte");
    assert!(write_npy(Path::new("/nowhere/x.npy"), &array).is_err());
}

proptest! {
    /// No header text makes the reader panic, or allocate more memory than the file has bytes.
    #[test]
    fn reads_anything(header in "[{'a-z:<>|0-9,()TFalse \
                                 \\n}]{0,80}", data in prop::collection::vec(any::<u8>(), 0..16)) {
        let _ = read(&npy(&header, &data));
    }

    /// No change of one byte in a valid file makes the reader panic.
    #[test]
    fn survives_corruption(at in 0..140_usize, byte in any::<u8>()) {
        let mut bytes = Vec::new();
        write_npy_to(&mut bytes, &Array::zeros(ElementType::F32, vec![3, 1])?)?;
        bytes[at] = byte;
        let _ = read(&bytes);
    }

    #[test]
    fn doubles_round_trip(values in prop::collection::vec(any::<f64>(), 0..40)) {
        let array = Array::from_slice(&[values.len()], &values)?;
        let mut bytes = Vec::new();
        write_npy_to(&mut bytes, &array)?;
        prop_assert_eq!(read(&bytes).ok(), Some(array));
    }
}
