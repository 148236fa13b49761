//! Reader and writer of NumPy's `.npy` files.
//!
//! Input files are untrusted. The module uses no existing crate for `.npy` files: these crates
//! allocate as many bytes as the header requests, without a check, and their size computation
//! overflows for impossible shapes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use tx_plan::ElementType;

use crate::array::{Array, byte_count, zeroed};
use crate::error::{Error, NpyError};

/// Maximum length of a header in bytes; numpy has the same default limit.
const MAX_HEADER: usize = 10_000;

/// Reads a `.npy` file.
///
/// The reader converts signed and unsigned integers to the signless type of the same width, and
/// records the signedness in the array. If `element` is present, the reader reinterprets the
/// elements as `element`, a type of the same size; for example, 16-bit integers as bf16. The reader
/// converts big-endian numbers to little-endian numbers, and arrays in Fortran order to arrays in C
/// order.
///
/// # Errors
/// Fails if the file cannot be read, is not a `.npy` file, or does not contain exactly one array of
/// numbers.
pub fn read_npy(path: &Path, element: Option<ElementType>) -> Result<Array, Error> {
    let read = || -> Result<Array, NpyError> {
        let mut file = File::open(path)?;
        let array = read_npy_from(&mut file, element)?;
        // Trailing data means that header and data are inconsistent, or that two files were
        // concatenated.
        if file.take(1).read_to_end(&mut Vec::new())? != 0 {
            return Err(NpyError::Trailing {
                bytes: array.bytes().len(),
                array: array.describe(),
            });
        }
        Ok(array)
    };
    read().map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })
}

/// Reads one array in the `.npy` format, as [`read_npy`] does. Bytes of `reader` after the array
/// are not read.
///
/// # Errors
/// Fails if reading fails, or the data is not an array of numbers in the `.npy` format.
pub fn read_npy_from(
    reader: &mut impl Read,
    element: Option<ElementType>,
) -> Result<Array, NpyError> {
    let header = read_header(reader)?;
    let dtype = Dtype::parse(&header.descr)?;
    // If an element type is requested, the signedness of the dtype is ignored.
    let unsigned = dtype.unsigned && element.is_none();
    let element = match element {
        None => dtype.element,
        Some(element) if element.size() == dtype.element.size() => element,
        Some(element) => {
            return Err(NpyError::Width {
                dtype: header.descr,
                bytes: dtype.element.size(),
                element,
            });
        }
    };
    let out_of_memory = |error| NpyError::OutOfMemory(Box::new(error));
    let expected = byte_count(element, &header.shape).map_err(out_of_memory)?;
    // The size in the header is untrusted, so the buffer grows with the data that is read.
    let mut bytes = Vec::new();
    let found = reader.take(expected as u64).read_to_end(&mut bytes)?;
    if found != expected {
        return Err(NpyError::Truncated {
            found,
            expected,
            array: crate::array::describe_as(element, unsigned, &header.shape),
        });
    }
    let size = element.size();
    if dtype.big_endian {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if element == ElementType::I1 {
        // Any byte except 0 is true; the kernels expect 0 or 1.
        bytes
            .iter_mut()
            .for_each(|byte| *byte = u8::from(*byte != 0));
    }
    if header.fortran_order && header.shape.len() > 1 {
        bytes = fortran_to_c(&bytes, &header.shape, size).map_err(out_of_memory)?;
    }
    let array = Array::new(element, header.shape, bytes).map_err(out_of_memory)?;
    Ok(array.with_unsigned(unsigned))
}

/// Writes a `.npy` file of version 1.0, in C order and with little-endian numbers.
///
/// Integers are written as signed unless the array is marked unsigned. An `index` is written as a
/// 64-bit integer. numpy has no type for bf16 and 8-bit floats, so their bits are written as
/// unsigned integers.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_npy(path: &Path, array: &Array) -> Result<(), Error> {
    let write = || -> Result<(), NpyError> { Ok(write_npy_to(&mut File::create(path)?, array)?) };
    write().map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })
}

/// Writes an array in the `.npy` format, as [`write_npy`] does.
///
/// # Errors
/// Fails if writing fails.
pub fn write_npy_to(writer: &mut impl Write, array: &Array) -> io::Result<()> {
    let unsigned = array.is_unsigned();
    let descr = match array.element() {
        ElementType::I8 if unsigned => "|u1",
        ElementType::I16 if unsigned => "<u2",
        ElementType::I32 if unsigned => "<u4",
        ElementType::I64 if unsigned => "<u8",
        ElementType::F16 => "<f2",
        ElementType::BF16 => "<u2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::I1 => "|b1",
        ElementType::I8 => "|i1",
        ElementType::I16 => "<i2",
        ElementType::I32 => "<i4",
        ElementType::I64 | ElementType::Index => "<i8",
        ElementType::F8E4M3FN | ElementType::F8E5M2 => "|u1",
    };
    let mut shape = array
        .shape()
        .iter()
        .map(|size| format!("{size}, "))
        .collect::<String>();
    if shape.len() > 2 && array.shape().len() > 1 {
        shape.truncate(shape.len() - 2);
    } else if array.shape().len() == 1 {
        shape.pop();
    }
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The total size of magic bytes, version, length field and header is a multiple of 64 bytes.
    // The header ends with a newline.
    let unpadded = 10 + header.len() + 1;
    header.extend(std::iter::repeat_n(
        ' ',
        unpadded.next_multiple_of(64) - unpadded,
    ));
    header.push('\n');
    let length = u16::try_from(header.len())
        .map_err(|_| io::Error::other("the shape is too long for a .npy header"))?;
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&length.to_le_bytes())?;
    writer.write_all(header.as_bytes())?;
    writer.write_all(array.bytes())?;
    writer.flush()
}

struct Dtype {
    element: ElementType,
    unsigned: bool,
    big_endian: bool,
}

impl Dtype {
    fn parse(descr: &str) -> Result<Self, NpyError> {
        let unknown = || NpyError::Dtype {
            found: format!("`{descr}`"),
        };
        let (order, code) = descr.split_at_checked(1).ok_or_else(unknown)?;
        let element = match code {
            "f2" => ElementType::F16,
            "f4" => ElementType::F32,
            "f8" => ElementType::F64,
            "b1" => ElementType::I1,
            "i1" | "u1" => ElementType::I8,
            "i2" | "u2" => ElementType::I16,
            "i4" | "u4" => ElementType::I32,
            "i8" | "u8" => ElementType::I64,
            _ => return Err(unknown()),
        };
        let big_endian = match order {
            "<" | "=" | "|" => false,
            ">" => true,
            _ => return Err(unknown()),
        };
        Ok(Self {
            element,
            unsigned: code.starts_with('u'),
            big_endian,
        })
    }
}

fn fortran_to_c(bytes: &[u8], shape: &[usize], size: usize) -> Result<Vec<u8>, Error> {
    let mut result = zeroed(bytes.len(), || "the array in C order".to_owned())?;
    // In Fortran order the first index varies fastest. `index` counts in C order, and `from` is the
    // position of the same element in Fortran order.
    let mut index = vec![0_usize; shape.len()];
    let mut from = 0;
    let strides: Vec<usize> = shape
        .iter()
        .scan(1, |stride, extent| {
            let this = *stride;
            *stride *= extent;
            Some(this)
        })
        .collect();
    for to in result.chunks_exact_mut(size) {
        to.copy_from_slice(&bytes[from * size..][..size]);
        for (axis, position) in index.iter_mut().enumerate().rev() {
            *position += 1;
            from += strides[axis];
            if *position < shape[axis] {
                break;
            }
            from -= strides[axis] * *position;
            *position = 0;
        }
    }
    Ok(result)
}

#[derive(Debug)]
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

fn read_header(reader: &mut impl Read) -> Result<Header, NpyError> {
    let mut start = Vec::new();
    reader.take(8).read_to_end(&mut start)?;
    if start.starts_with(b"\x93NUMPY") && start.len() < 8 {
        return Err(NpyError::Header("the file ends before it".to_owned()));
    }
    if !start.starts_with(b"\x93NUMPY") {
        let found = if start.is_empty() {
            "nothing (the file is empty)".to_owned()
        } else {
            format!("`{}`", start.escape_ascii())
        };
        return Err(NpyError::Magic { found });
    }
    let mut length = [0; 4];
    match (start[6], start[7]) {
        (1, 0) => reader.read_exact(&mut length[..2]),
        (2 | 3, 0) => reader.read_exact(&mut length),
        (major, minor) => return Err(NpyError::Version { major, minor }),
    }
    .map_err(ended_early)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(NpyError::Header(format!(
            "found {length} bytes, expected at most {MAX_HEADER}"
        )));
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text).map_err(ended_early)?;
    // Headers of versions 1 and 2 are Latin-1, and headers of version 3 are UTF-8; all headers that
    // this reader accepts are ASCII.
    let text = String::from_utf8_lossy(&text);
    parse_header(&text).map_err(NpyError::Header)
}

fn ended_early(error: io::Error) -> NpyError {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        NpyError::Header("the file ends within it".to_owned())
    } else {
        NpyError::Io(error)
    }
}

/// Parses a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, with keys
/// in any order.
fn parse_header(text: &str) -> Result<Header, String> {
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    let mut rest = text
        .trim()
        .strip_prefix('{')
        .ok_or("found no `{`")?
        .trim_start();
    while !rest.starts_with('}') {
        let (key, tail) = python_string(rest)?;
        rest = tail
            .trim_start()
            .strip_prefix(':')
            .ok_or_else(|| format!("found no `:` after '{key}'"))?
            .trim_start();
        match key {
            "descr" if rest.starts_with('[') => {
                return Err("structured dtypes are not supported".to_owned());
            }
            "descr" => {
                let (value, tail) = python_string(rest)?;
                descr = Some(value.to_owned());
                rest = tail;
            }
            "fortran_order" => {
                let (value, tail) = if let Some(tail) = rest.strip_prefix("True") {
                    (true, tail)
                } else if let Some(tail) = rest.strip_prefix("False") {
                    (false, tail)
                } else {
                    return Err("'fortran_order' is neither True nor False".to_owned());
                };
                fortran_order = Some(value);
                rest = tail;
            }
            "shape" => {
                let (value, tail) = rest
                    .strip_prefix('(')
                    .and_then(|rest| rest.split_once(')'))
                    .ok_or("'shape' is not a tuple")?;
                shape = Some(parse_shape(value)?);
                rest = tail;
            }
            other => {
                return Err(format!(
                    "found key '{other}', expected 'descr', 'fortran_order' or 'shape'"
                ));
            }
        }
        rest = rest.trim_start();
        match rest.strip_prefix(',') {
            Some(tail) => rest = tail.trim_start(),
            None if rest.starts_with('}') => {}
            None => return Err(format!("found no `,` or `}}` after '{key}'")),
        }
    }
    Ok(Header {
        descr: descr.ok_or("'descr' is missing")?,
        fortran_order: fortran_order.ok_or("'fortran_order' is missing")?,
        shape: shape.ok_or("'shape' is missing")?,
    })
}

fn python_string(text: &str) -> Result<(&str, &str), String> {
    ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.split_once(quote))
        .ok_or_else(|| "found no string where one was expected".to_owned())
}

fn parse_shape(text: &str) -> Result<Vec<usize>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.strip_suffix(',')
        .unwrap_or(text)
        .split(',')
        // Python 2 writes long integers with a suffix `L`.
        .map(|size| {
            let number = size.trim().trim_end_matches('L').parse();
            number.map_err(|_| format!("`{}` is not a dimension", size.trim()))
        })
        .collect()
}
