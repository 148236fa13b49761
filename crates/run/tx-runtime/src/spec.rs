//! Argument specifications of the command line.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tx_plan::ElementType;

use crate::array::{Array, byte_count};
use crate::error::{Error, SpecError};
use crate::npy::read_npy;
use crate::number::Number;

/// Scalar argument, or memref argument in host memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// Memref argument.
    Array(Array),
    /// Scalar argument.
    Scalar(Number),
}

impl From<Array> for Arg {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl<N: Into<Number>> From<N> for Arg {
    fn from(number: N) -> Self {
        Self::Scalar(number.into())
    }
}

/// Argument specification.
///
/// | text | argument |
/// |---|---|
/// | `FILE.npy` | array in the file |
/// | `FILE.npy:bf16` | array in the file, reinterpreted as a type of the same size |
/// | `zeros:4x8xf32` | zeros |
/// | `full:1.5:4x8xf32` | one value in every element; also `inf`, `-inf` and `nan` |
/// | `rand:4x8xf32`, `rand:4x8xf32:SEED` | [pseudorandom numbers](Array::random), default seed 0 |
/// | `1.5`, `-inf`, `7`, `true` | scalar |
///
/// The specification of a rank-0 array has no sizes, as in `zeros:f32`.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// Array in a `.npy` file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Element type that replaces the dtype of the file (the bytes of the array are
        /// reinterpreted); `None` keeps the dtype of the file.
        element: Option<ElementType>,
    },
    /// Array of zeros.
    Zeros(ArrayType),
    /// Array with one value in every element.
    Full(Number, ArrayType),
    /// Array of pseudorandom numbers with the given seed.
    Random(ArrayType, u64),
    /// Scalar.
    Scalar(Number),
}

/// Array type such as `4x8xf32`: the sizes, outermost first, and the element type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayType {
    /// Size of each dimension in elements.
    pub shape: Vec<usize>,
    /// Element type.
    pub element: ElementType,
}

impl Spec {
    /// Returns the size of the array or of the file in bytes; `None` if the size overflows or the
    /// file does not exist.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::File { path, .. } => path.metadata().ok().map(|file| file.len()),
            Self::Zeros(ty) | Self::Full(_, ty) | Self::Random(ty, _) => {
                let bytes = byte_count(ty.element, &ty.shape).ok()?;
                u64::try_from(bytes).ok()
            }
            Self::Scalar(_) => Some(0),
        }
    }

    /// Creates the argument.
    ///
    /// # Errors
    /// Fails if the file cannot be read, the type cannot represent the value, or there is not
    /// enough memory.
    pub fn load(&self) -> Result<Arg, Error> {
        match self.clone() {
            Self::File { path, element } => read_npy(&path, element).map(Arg::Array),
            Self::Zeros(ArrayType { shape, element }) => {
                Array::zeros(element, shape).map(Arg::Array)
            }
            Self::Full(value, ArrayType { shape, element }) => {
                Array::full(element, shape, value).map(Arg::Array)
            }
            Self::Random(ArrayType { shape, element }, seed) => {
                Array::random(element, shape, seed).map(Arg::Array)
            }
            Self::Scalar(value) => Ok(Arg::Scalar(value)),
        }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse(text).map_err(|reason| SpecError {
            text: text.to_owned(),
            reason,
        })
    }
}

fn parse(text: &str) -> Result<Spec, String> {
    let is_npy = |path: &str| {
        Path::new(path)
            .extension()
            .is_some_and(|extension| extension == "npy")
    };
    if is_npy(text) {
        return Ok(Spec::File {
            path: text.into(),
            element: None,
        });
    }
    if let Some((path, element)) = text.rsplit_once(':')
        && is_npy(path)
    {
        return Ok(Spec::File {
            path: path.into(),
            element: Some(parse_element(element)?),
        });
    }
    match text.split_once(':') {
        Some(("zeros", ty)) => ty.parse().map(Spec::Zeros),
        Some(("full", rest)) => {
            let (value, ty) = rest.split_once(':').ok_or("found one part after `full:`, expected \
                                                          `full:VALUE:4x8xf32`")?;
            let value: Number = value.parse().map_err(|error: crate::NotANumber| error.to_string())?;
            let ty: ArrayType = ty.parse()?;
            if value.to_bits(ty.element).is_none() {
                return Err(format!("{value} is not a value of {}", ty.element));
            }
            Ok(Spec::Full(value, ty))
        }
        Some(("rand", rest)) => match rest.split_once(':') {
            None => Ok(Spec::Random(rest.parse()?, 0)),
            Some((ty, seed)) => {
                let seed = seed.parse().map_err(|_| {
                    format!("seed `{seed}` is not a whole number from 0 to 2^64-1")
                })?;
                Ok(Spec::Random(ty.parse()?, seed))
            }
        },
        _ => text.parse().map(Spec::Scalar).map_err(|error: crate::NotANumber| {
            if error.too_large {
                return error.to_string();
            }
            if text.ends_with(".npz") {
                return "a .npz file is an archive of arrays: save the array with `numpy.save`, as \
                        FILE.npy".to_owned();
            }
            format!("{FORMS}{}", hint(text))
        }),
    }
}

const FORMS: &str = "expected FILE.npy, FILE.npy:bf16, zeros:4x8xf32, full:1.5:4x8xf32, \
                     rand:4x8xf32[:SEED] or a number";

const GENERATORS: [&str; 3] = ["zeros", "full", "rand"];

/// Names of array generators in tools other than `tx`, each with the equivalent argument
/// specification of `tx`.
const ELSEWHERE: &[(&str, &str)] = &[
    ("zero", "zeros:TYPE"),
    ("empty", "zeros:TYPE"),
    ("ones", "full:1:TYPE"),
    ("one", "full:1:TYPE"),
    ("fill", "full:VALUE:TYPE"),
    ("const", "full:VALUE:TYPE"),
    ("constant", "full:VALUE:TYPE"),
    ("value", "full:VALUE:TYPE"),
    ("randn", RAND),
    ("randint", RAND),
    ("random", RAND),
    ("normal", RAND),
    ("uniform", RAND),
];
const RAND: &str = "rand:TYPE` (uniform: floats from 0 to 1, integers from -8 to 7)";

fn hint(text: &str) -> String {
    let mut hints = String::new();
    let mut rest = text;
    // The text may begin with an argument name, as in `%A=zeros:f32`.
    if let Some((name, value)) = text.split_once('=') {
        let name = name.trim_start_matches('%');
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name {
            hints.push_str(
                "; `--arg` accepts no names: pass one `--arg` for each argument, in order",
            );
            rest = value;
        }
    }
    let Some((found, _)) = rest.split_once(':') else {
        return hints;
    };
    let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == found);
    let near = || {
        let distance = |name: &&str| strsim::osa_distance(found, name);
        let near = GENERATORS.into_iter().min_by_key(|name| distance(name));
        near.filter(|name| 3 * distance(name) <= name.len().max(6))
    };
    let meant = match elsewhere {
        Some((_, instead)) => Some((*instead).to_owned()),
        None if GENERATORS.contains(&found) => None,
        None => near().map(|near| format!("{near}:")),
    };
    if !GENERATORS.contains(&found) {
        hints.push_str(&format!(
            "; `{found}` does not create an array, expected {}",
            GENERATORS.map(|name| format!("`{name}`")).join(", ")
        ));
    }
    if let Some(meant) = meant {
        let closed = if meant.contains('`') { "" } else { "`" };
        hints.push_str(&format!("; did you mean `{meant}{closed}?"));
    }
    hints
}

fn parse_element(text: &str) -> Result<ElementType, String> {
    text.parse()
        .map_err(|error: tx_plan::UnknownElementType| error.to_string())
}

impl FromStr for ArrayType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The type name `index` contains the separator `x`.
        let index = text.strip_suffix("index");
        let (sizes, element) =
            match index.filter(|sizes| matches!(sizes.chars().last(), None | Some('x'))) {
                Some(sizes) => (sizes, "index"),
                None => text
                    .rsplit_once('x')
                    .map_or(("", text), |(sizes, _)| text.split_at(sizes.len() + 1)),
            };
        if element.is_empty() && !sizes.is_empty() || element.parse::<usize>().is_ok() {
            return Err(format!(
                "`{text}` ends without an element type, as in `4x8xf32`"
            ));
        }
        let shape = sizes.split_terminator('x').map(|size| {
            size.parse().map_err(|_| match size {
                "" => format!("`{text}` lacks a size: an argument has sizes such as `4x8xf32`"),
                _ => format!("`{size}` is not a size: an argument has sizes such as `4x8xf32`"),
            })
        });
        Ok(Self {
            shape: shape.collect::<Result<_, _>>()?,
            element: parse_element(element)?,
        })
    }
}

impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::array::describe(self.element, &self.shape))
    }
}
