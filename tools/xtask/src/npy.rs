//! Reader and writer of `.npy` files of NumPy, for the exchange of arrays with `tx run`.
//!
//! The reader returns the elements as little-endian bytes, and the caller converts the bytes to
//! numbers. This code is independent of the `.npy` code in `tx`, so that tests detect errors of the
//! `.npy` code in `tx`.

use std::fs;
use std::path::Path;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    /// Element type in NumPy's notation, such as `<f4`, `<f2` or `<i4`.
    pub(crate) descr: String,
    /// Dimensions, outermost first.
    pub(crate) shape: Vec<usize>,
    /// Bytes of the elements, in row-major order.
    pub(crate) bytes: Vec<u8>,
}

const MAGIC: &[u8] = b"\x93NUMPY";

impl Array {
    pub(crate) fn f32(shape: &[usize], values: &[f32]) -> Self {
        Self {
            descr: "<f4".to_owned(),
            shape: shape.to_vec(),
            bytes: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        }
    }

    pub(crate) fn to_f32(&self) -> Result<Vec<f32>, String> {
        if self.descr != "<f4" {
            return Err(format!("expected elements `<f4`, found `{}`", self.descr));
        }
        Ok(self
            .bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect())
    }

    /// Writes the array to a file in format version 1.0.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let dimensions: String = self
            .shape
            .iter()
            .map(|extent| format!("{extent}, "))
            .collect();
        let mut header = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
            self.descr,
            // The shape in the header is a Python tuple, and a Python tuple of one element requires
            // a comma.
            dimensions.trim_end(),
        );
        // The data start at a multiple of 64 bytes, and the header ends with a newline.
        let used = MAGIC.len() + 4 + header.len() + 1;
        header.push_str(&" ".repeat(used.next_multiple_of(64) - used));
        header.push('\n');
        let length = u16::try_from(header.len()).map_err(|_| "too many dimensions".to_owned())?;

        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend(length.to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(&self.bytes);
        fs::write(path, file).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads an array in row-major order from a file of any format version.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let file = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&file).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(file: &[u8]) -> Result<Self, String> {
        let rest = file.strip_prefix(MAGIC).ok_or("not an .npy file")?;
        let (start, length) = match *rest {
            [1, _, low, high, ..] => (4, usize::from(u16::from_le_bytes([low, high]))),
            [2 | 3, _, a, b, c, d, ..] => (6, u32::from_le_bytes([a, b, c, d]) as usize),
            _ => return Err("unknown version".to_owned()),
        };
        let header = rest.get(start..start + length).ok_or("cut short")?;
        let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
        let field = |name: &str| -> Result<&str, String> {
            let key = format!("'{name}':");
            let at = header.find(&key).ok_or(format!("no field {name}"))?;
            Ok(header[at + key.len()..].trim_start())
        };
        if field("fortran_order")?.starts_with("True") {
            return Err("column-major order".to_owned());
        }
        let descr = field("descr")?
            .strip_prefix('\'')
            .and_then(|text| text.split('\'').next())
            .ok_or("descr is not a string")?
            .to_owned();
        let shape = field("shape")?
            .strip_prefix('(')
            .and_then(|text| text.split(')').next())
            .ok_or("shape is not a tuple")?
            .split(',')
            .map(str::trim)
            .filter(|extent| !extent.is_empty())
            .map(|extent| extent.parse().map_err(|_| format!("bad extent {extent}")))
            .collect::<Result<_, _>>()?;
        let bytes = rest[start + length..].to_vec();
        Ok(Self {
            descr,
            shape,
            bytes,
        })
    }
}
