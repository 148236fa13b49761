//! Memref values of the printed programs.

use crate::description::Space;
use crate::element::Element;

#[derive(Clone, Debug)]
pub(crate) struct Memref {
    pub(crate) name: String,
    pub(crate) element: Element,
    pub(crate) space: Space,
    pub(crate) sizes: Vec<usize>,
    /// Dynamic dimensions.
    pub(crate) loose: Vec<bool>,
    /// Static strides and offset; `None` if dynamic.
    strides: Vec<Option<usize>>,
    offset: Option<usize>,
    /// Set if the memref type has no layout attribute, because the memref is row-major.
    plain: bool,
}

impl Memref {
    /// Creates a row-major memref.
    pub(crate) fn new(
        name: impl Into<String>,
        element: Element,
        space: Space,
        sizes: Vec<usize>,
        loose: Vec<bool>,
    ) -> Self {
        let mut strides = vec![Some(1); sizes.len()];
        for d in (1..sizes.len()).rev() {
            strides[d - 1] = match loose[d] {
                true => None,
                false => strides[d].map(|stride| stride * sizes[d]),
            };
        }
        Self {
            name: name.into(),
            element,
            space,
            sizes,
            loose,
            strides,
            offset: Some(0),
            plain: true,
        }
    }

    pub(crate) fn ty(&self) -> String {
        let extents: String = self
            .sizes
            .iter()
            .zip(&self.loose)
            .map(|(size, loose)| match loose {
                true => "?x".to_owned(),
                false => format!("{size}x"),
            })
            .collect();
        let number = |n: &Option<usize>| n.map_or("?".to_owned(), |n| n.to_string());
        let layout = if self.plain {
            String::new()
        } else {
            let strides: Vec<String> = self.strides.iter().map(number).collect();
            let offset = match self.offset {
                Some(0) => String::new(),
                other => format!(", offset: {}", number(&other)),
            };
            format!(", strided<[{}]{offset}>", strides.join(", "))
        };
        format!(
            "memref<{extents}{}{layout}{}>",
            self.element.mlir(),
            self.space.suffix()
        )
    }

    /// Prints a subview. A subview range without a size selects a single index, and removes the
    /// dimension from the result.
    pub(crate) fn subview(
        &self,
        name: impl Into<String>,
        parts: &[Part],
        lines: &mut Vec<String>,
    ) -> Self {
        let mut view = Self {
            name: name.into(),
            sizes: Vec::new(),
            loose: Vec::new(),
            strides: Vec::new(),
            plain: false,
            ..self.clone()
        };
        let (mut starts, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for (part, stride) in parts.iter().zip(&self.strides) {
            let at = match &part.start {
                Start::At(at) => {
                    starts.push(at.to_string());
                    stride.map(|stride| stride * at)
                }
                Start::Value(value) => {
                    starts.push(value.clone());
                    None
                }
            };
            // The offset of an all-zero start is static even if strides are dynamic.
            let at = match part.start {
                Start::At(0) => Some(0),
                _ => at,
            };
            view.offset = view.offset.zip(at).map(|(offset, at)| offset + at);
            sizes.push(part.size.unwrap_or(1).to_string());
            steps.push(part.step.to_string());
            if let Some(size) = part.size {
                view.sizes.push(size);
                view.loose.push(false);
                view.strides.push(match part.step {
                    0 => Some(0),
                    1 => *stride,
                    step => stride.map(|stride| stride * step),
                });
            }
        }
        lines.push(format!(
            "{} = memref.subview {}[{}] [{}] [{}] : {} to {}",
            view.name,
            self.name,
            starts.join(", "),
            sizes.join(", "),
            steps.join(", "),
            self.ty(),
            view.ty()
        ));
        view
    }

    /// Prints a transposition: dimension `d` of the result is dimension `from[d]` of `self`.
    pub(crate) fn transpose(
        &self,
        name: impl Into<String>,
        from: &[usize],
        lines: &mut Vec<String>,
    ) -> Self {
        let view = Self {
            name: name.into(),
            sizes: from.iter().map(|d| self.sizes[*d]).collect(),
            loose: from.iter().map(|d| self.loose[*d]).collect(),
            strides: from.iter().map(|d| self.strides[*d]).collect(),
            plain: false,
            ..self.clone()
        };
        let dims: Vec<String> = (0..from.len()).map(|d| format!("d{d}")).collect();
        let order: Vec<String> = from.iter().map(|d| format!("d{d}")).collect();
        lines.push(format!(
            "{} = memref.transpose {} ({}) -> ({}) : {} to {}",
            view.name,
            self.name,
            dims.join(", "),
            order.join(", "),
            self.ty(),
            view.ty()
        ));
        view
    }

    /// Prints a cast of the memref to a type whose sizes are dynamic along the dimensions that are
    /// set in `loose`.
    pub(crate) fn loosened(
        &self,
        name: impl Into<String>,
        loose: Vec<bool>,
        lines: &mut Vec<String>,
    ) -> Self {
        // A type without a layout implies its strides.
        let strides = match self.plain {
            true => {
                Self::new(
                    "",
                    self.element,
                    self.space,
                    self.sizes.clone(),
                    loose.clone(),
                )
                .strides
            }
            false => self.strides.clone(),
        };
        let view = Self {
            name: name.into(),
            loose,
            strides,
            ..self.clone()
        };
        lines.push(format!(
            "{} = memref.cast {} : {} to {}",
            view.name,
            self.name,
            self.ty(),
            view.ty()
        ));
        view
    }
}

/// Offset of a subview along a dimension.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    At(usize),
    Value(String),
}

/// Range of a subview along one dimension.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) start: Start,
    pub(crate) size: Option<usize>,
    pub(crate) step: usize,
}
