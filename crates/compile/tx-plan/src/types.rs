//! Argument types in MLIR's syntax.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::element::ElementType;

/// Size, stride or offset in elements: static, or `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Compile-time constant.
    Static(i64),
    /// Dynamic extent `?`, whose value is known at launch time.
    Dynamic,
}

impl Extent {
    /// Returns the value of a static extent.
    pub const fn known(self) -> Option<i64> {
        match self {
            Self::Static(value) => Some(value),
            Self::Dynamic => None,
        }
    }

    /// Returns whether the extent is dynamic or equal to `value`.
    pub const fn accepts(self, value: i64) -> bool {
        match self {
            Self::Static(expected) => expected == value,
            Self::Dynamic => true,
        }
    }
}

impl From<i64> for Extent {
    fn from(value: i64) -> Self {
        Self::Static(value)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(value) => write!(f, "{value}"),
            Self::Dynamic => f.write_str("?"),
        }
    }
}

/// The JSON form of an extent is a number, or `"?"`.
impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Static(value) => serializer.serialize_i64(*value),
            Self::Dynamic => serializer.serialize_str("?"),
        }
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Extent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of elements, or \"?\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Extent, E> {
                Ok(Extent::Static(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Extent, E> {
                i64::try_from(value)
                    .map(Extent::Static)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Extent, E> {
                if text == "?" {
                    Ok(Extent::Dynamic)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// Memory space of a memref.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    /// Global memory, visible to every thread: `1`, `#gpu.address_space<global>`, or no memory
    /// space attribute.
    #[default]
    Global,
    /// Shared memory of one CTA: `3` or `#gpu.address_space<workgroup>`.
    Workgroup,
    /// Private memory of one thread: `5` or `#gpu.address_space<private>`.
    Private,
}

/// Layout of a memref.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Layout of a memref type without a layout attribute: contiguous row-major elements from
    /// offset 0. Compiled code assumes that the elements of a memref without a layout attribute are
    /// contiguous.
    #[default]
    Identity,
    /// `strided<[…], offset: …>`
    Strided {
        /// Stride of each dimension, in elements; a stride can be negative.
        strides: Vec<Extent>,
        /// Offset of the first element from the aligned pointer, in elements.
        offset: Extent,
    },
}

/// Memref type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemrefType {
    /// Element type.
    pub element: ElementType,
    /// Size of each dimension, in elements; an empty list for rank 0.
    pub shape: Vec<Extent>,
    /// Layout of the elements.
    pub layout: Layout,
    /// Memory space.
    pub space: MemorySpace,
}

impl MemrefType {
    /// Returns a contiguous row-major memref type in global memory.
    pub fn new(element: ElementType, shape: impl IntoIterator<Item = Extent>) -> Self {
        Self {
            element,
            shape: shape.into_iter().collect(),
            layout: Layout::Identity,
            space: MemorySpace::Global,
        }
    }

    /// Returns the number of dimensions of the memref.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the stride of each dimension, in elements. In the identity layout, the stride of a
    /// dimension is static if the sizes of all inner dimensions are static.
    pub fn strides(&self) -> Vec<Extent> {
        match &self.layout {
            Layout::Strided { strides, .. } => strides.clone(),
            Layout::Identity => {
                let mut stride = Some(1_i64);
                let mut strides: Vec<_> = self
                    .shape
                    .iter()
                    .rev()
                    .map(|size| {
                        let this = stride.map_or(Extent::Dynamic, Extent::Static);
                        stride = stride
                            .zip(size.known())
                            .and_then(|(stride, size)| stride.checked_mul(size));
                        this
                    })
                    .collect();
                strides.reverse();
                strides
            }
        }
    }

    /// Returns the offset of the first element from the aligned pointer, in elements.
    pub fn offset(&self) -> Extent {
        match self.layout {
            Layout::Identity => Extent::Static(0),
            Layout::Strided { offset, .. } => offset,
        }
    }

    /// Returns whether the elements of the memref span less than 2^63 bytes. Arrays of 2^63 bytes
    /// or more are not supported. The function assumes the value 1 for a dynamic size, and the
    /// value 0 for a dynamic stride.
    pub fn is_addressable(&self) -> bool {
        let size = |extent: &Extent| i128::from(extent.known().unwrap_or(1));
        if self.shape.iter().any(|extent| size(extent) == 0) {
            return true;
        }
        let elements = match &self.layout {
            Layout::Identity => self.shape.iter().try_fold(1_i128, |elements, extent| {
                elements.checked_mul(size(extent))
            }),
            Layout::Strided { strides, .. } => {
                let mut spans = self.shape.iter().zip(strides).map(|(extent, stride)| {
                    let stride = stride.known().unwrap_or(0).unsigned_abs();
                    (size(extent) - 1).checked_mul(i128::from(stride))
                });
                spans.try_fold(1_i128, |elements, span| elements.checked_add(span?))
            }
        };
        let bytes = elements.and_then(|elements| elements.checked_mul(self.element.size() as i128));
        bytes.is_some_and(|bytes| bytes <= i128::from(i64::MAX))
    }

    /// Returns the number of kernel parameters of the memref descriptor: allocated pointer, aligned
    /// pointer, offset, sizes, strides.
    pub fn descriptor_len(&self) -> usize {
        3 + 2 * self.rank()
    }
}

impl fmt::Display for MemrefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memref<")?;
        for size in &self.shape {
            write!(f, "{size}x")?;
        }
        write!(f, "{}", self.element)?;
        if let Layout::Strided { strides, offset } = &self.layout {
            f.write_str(", strided<[")?;
            for (i, stride) in strides.iter().enumerate() {
                write!(f, "{}{stride}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str("]")?;
            if *offset != Extent::Static(0) {
                write!(f, ", offset: {offset}")?;
            }
            f.write_str(">")?;
        }
        f.write_str(match self.space {
            MemorySpace::Global => ">",
            MemorySpace::Workgroup => ", #gpu.address_space<workgroup>>",
            MemorySpace::Private => ", #gpu.address_space<private>>",
        })
    }
}

/// Type of an argument of the entry function or kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentType {
    /// Array in device memory, passed as an expanded descriptor.
    Memref(MemrefType),
    /// Scalar, passed by value.
    Scalar(ElementType),
}

impl fmt::Display for ArgumentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memref(memref) => memref.fmt(f),
            Self::Scalar(element) => element.fmt(f),
        }
    }
}

/// Error for a text that is not an argument type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an argument type: {reason}")]
pub struct TypeError {
    /// Whole text.
    pub text: String,
    /// Found and expected text.
    pub reason: String,
}

/// Parses MLIR's syntax: `memref<4x?xf32, strided<[?, 1], offset: ?>, 1>`, or an element type.
impl FromStr for ArgumentType {
    type Err = TypeError;

    fn from_str(text: &str) -> Result<Self, TypeError> {
        if text.trim_start().starts_with("memref") {
            text.parse().map(Self::Memref)
        } else {
            text.trim()
                .parse()
                .map(Self::Scalar)
                .map_err(|error| TypeError {
                    text: text.to_owned(),
                    reason: format!("{error}, or `memref<…>`"),
                })
        }
    }
}

/// Parses MLIR's syntax: `memref<4x?xf32, strided<[?, 1], offset: ?>, 1>`.
impl FromStr for MemrefType {
    type Err = TypeError;

    fn from_str(text: &str) -> Result<Self, TypeError> {
        parse_memref(text).map_err(|reason| TypeError {
            text: text.to_owned(),
            reason,
        })
    }
}

fn parse_memref(text: &str) -> Result<MemrefType, String> {
    let body = text
        .trim()
        .strip_prefix("memref<")
        .and_then(|rest| rest.strip_suffix('>'))
        .ok_or("expected `memref<…>`")?;
    if body.trim_start().starts_with('*') {
        return Err(
            "it is unranked; expected its sizes, or `?` where they are known at run time"
                .to_owned(),
        );
    }
    let mut parts = split_top_level(body).into_iter();
    let (shape, element) = parse_shape(parts.next().unwrap_or_default())?;
    let mut memref = MemrefType {
        element,
        shape,
        layout: Layout::Identity,
        space: MemorySpace::Global,
    };
    let mut next = parts.next();
    if let Some(strided) = next.and_then(|part| part.strip_prefix("strided<")) {
        memref.layout = parse_strided(
            strided
                .strip_suffix('>')
                .ok_or("`strided<` is not closed")?,
            memref.rank(),
        )?;
        next = parts.next();
    } else if next.is_some_and(|part| part.starts_with("affine_map<")) {
        return Err(
            "affine map layouts are not supported; expected `strided<[…], offset: …>`".to_owned(),
        );
    }
    memref.space = match next {
        None | Some("1" | "1 : i32" | "1 : i64" | "#gpu.address_space<global>") => {
            MemorySpace::Global
        }
        Some("3" | "3 : i32" | "3 : i64" | "#gpu.address_space<workgroup>") => {
            MemorySpace::Workgroup
        }
        Some("5" | "5 : i32" | "5 : i64" | "#gpu.address_space<private>") => MemorySpace::Private,
        Some(other) => {
            return Err(format!(
                "unknown memory space `{other}`; expected none, `1`, `3`, `5` or \
                 `#gpu.address_space<global|workgroup|private>`"
            ));
        }
    };
    match parts.next() {
        None => Ok(memref),
        Some(extra) => Err(format!("unexpected `{extra}` after the memory space")),
    }
}

/// Splits a text at commas outside of brackets, and trims white space from each piece.
fn split_top_level(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c| {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}

fn parse_shape(text: &str) -> Result<(Vec<Extent>, ElementType), String> {
    let mut shape = Vec::new();
    let mut rest = text.trim();
    while rest.starts_with(|c: char| c == '?' || c.is_ascii_digit()) {
        let (size, tail) = rest
            .split_once('x')
            .ok_or_else(|| format!("`{rest}` ends without an element type"))?;
        shape.push(parse_extent(size)?);
        rest = tail;
    }
    Ok((
        shape,
        rest.parse()
            .map_err(|error: crate::UnknownElementType| error.to_string())?,
    ))
}

fn parse_extent(text: &str) -> Result<Extent, String> {
    match text.trim() {
        "?" => Ok(Extent::Dynamic),
        number => number
            .parse()
            .map(Extent::Static)
            .map_err(|_| format!("`{number}` is neither a number of 64 bits nor `?`")),
    }
}

/// Parses the body of a `strided` layout, such as `[?, 1], offset: ?`.
fn parse_strided(text: &str, rank: usize) -> Result<Layout, String> {
    let mut parts = split_top_level(text).into_iter();
    let list = parts
        .next()
        .and_then(|list| list.strip_prefix('[')?.strip_suffix(']'))
        .ok_or("expected `strided<[…]>`")?;
    let strides = if list.trim().is_empty() {
        Vec::new()
    } else {
        list.split(',')
            .map(parse_extent)
            .collect::<Result<Vec<_>, _>>()?
    };
    if strides.len() != rank {
        return Err(format!("{} strides for {rank} dimensions", strides.len()));
    }
    let offset = match parts.next() {
        None => Extent::Static(0),
        Some(part) => parse_extent(
            part.strip_prefix("offset:")
                .ok_or_else(|| format!("expected `offset:`, found `{part}`"))?,
        )?,
    };
    match parts.next() {
        None => Ok(Layout::Strided { strides, offset }),
        Some(extra) => Err(format!("unexpected `{extra}` after the offset")),
    }
}
