//! Combiners of reductions.

use crate::element::Element::{self, F16, F32, F64, I32, I64};
use serde::{Deserialize, Serialize};

/// Combiner, element types and attributes of a reduction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Combine {
    /// Reduction kind of the `tile` dialect, or a custom combiner from `CUSTOM`.
    pub kind: Kind,
    /// Element type of the source. The field `element` has no effect for a custom combiner, because
    /// each custom combiner has fixed element types.
    pub element: Element,
    /// Element type of the destination, or of the value destination of argmin and argmax.
    pub to: Element,
    /// Element type of the index destination of argmin and argmax.
    pub index: Element,
    /// Accumulator type, if specified.
    pub acc: Option<Element>,
    /// Set if the reduction ignores NaN elements.
    pub ignore_nan: bool,
    /// Attribute `determinism`, if specified.
    pub determinism: Option<Determinism>,
    /// Forced variant.
    pub variant: Option<String>,
    /// Set if the reduction combines its results with the old contents of the destination.
    pub accumulate: bool,
}

/// Kind of reduction.
#[expect(missing_docs, reason = "the names are those of the dialect")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Sum,
    Prod,
    Max,
    Min,
    UMax,
    UMin,
    And,
    Or,
    Xor,
    ArgMax,
    ArgMin,
    /// Custom combiner, as an index into the table `CUSTOM`.
    Custom(usize),
}

/// Required reproducibility of results.
#[expect(missing_docs, reason = "the names are those of the dialect")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Determinism {
    Any,
    RunToRun,
    BatchInvariant,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::UMax => "umax",
            Self::UMin => "umin",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::ArgMax => "argmax",
            Self::ArgMin => "argmin",
            Self::Custom(_) => "custom",
        }
    }

    pub(crate) fn is_arg(self) -> bool {
        matches!(self, Self::ArgMax | Self::ArgMin)
    }

    /// Returns the reduction kinds that support an element type.
    pub(crate) fn of(element: Element) -> &'static [Self] {
        match element {
            Element::I1 => &[Self::And, Self::Or, Self::Xor],
            element if element.is_float() => &[
                Self::Sum,
                Self::Prod,
                Self::Max,
                Self::Min,
                Self::ArgMax,
                Self::ArgMin,
            ],
            _ => &[
                Self::Sum,
                Self::Prod,
                Self::Max,
                Self::Min,
                Self::UMax,
                Self::UMin,
                Self::And,
                Self::Or,
                Self::Xor,
                Self::ArgMax,
                Self::ArgMin,
            ],
        }
    }
}

/// Custom combiner. In the field `text` of a custom combiner, `ACC` is a placeholder for the
/// accumulator type of the first source.
pub(crate) struct Custom {
    pub(crate) elements: &'static [Element],
    text: &'static str,
}

/// Associative and commutative combiners. Combining a value with the identity yields this value,
/// unless the value is NaN or -0.0. For example, a maximum that ignores NaN combines NaN and its
/// identity -∞ to -∞. The sum of -0.0 and the identity 0.0 is 0.0.
pub(crate) const CUSTOM: [Custom; 12] = [
    // Product.
    Custom {
        elements: &[F32],
        text: "identity [1.0 : f32] combiner {\n\
               ^bb0(%l: f32, %r: f32):\n\
               \x20 %p = arith.mulf %l, %r : f32\n\
               \x20 tile.yield %p : f32\n}",
    },
    // Sum with swapped operands.
    Custom {
        elements: &[F16],
        text: "identity [-0.0 : f32] combiner {\n\
               ^bb0(%l: f32, %r: f32):\n\
               \x20 %p = arith.addf %r, %l : f32\n\
               \x20 tile.yield %p : f32\n}",
    },
    // Maximum of f64 that ignores NaN.
    Custom {
        elements: &[F64],
        text: "identity [0xFFF0000000000000 : f64] combiner {\n\
               ^bb0(%l: f64, %r: f64):\n\
               \x20 %p = arith.maxnumf %l, %r : f64\n\
               \x20 tile.yield %p : f64\n}",
    },
    // Complex multiplication.
    Custom {
        elements: &[I32, I32],
        text: "identity [1 : i32, 0 : i32] combiner {\n\
               ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):\n\
               \x20 %ac = arith.muli %a, %c : i32\n\
               \x20 %bd = arith.muli %b, %d : i32\n\
               \x20 %ad = arith.muli %a, %d : i32\n\
               \x20 %bc = arith.muli %b, %c : i32\n\
               \x20 %re = arith.subi %ac, %bd : i32\n\
               \x20 %im = arith.addi %ad, %bc : i32\n\
               \x20 tile.yield %re, %im : i32, i32\n}",
    },
    // Count and sum, with different widths.
    Custom {
        elements: &[I32, I64],
        text: "identity [0 : i32, 0 : i64] combiner {\n\
               ^bb0(%ln: i32, %ls: i64, %rn: i32, %rs: i64):\n\
               \x20 %n = arith.addi %ln, %rn : i32\n\
               \x20 %s = arith.addi %ls, %rs : i64\n\
               \x20 tile.yield %n, %s : i32, i64\n}",
    },
    // Maximum, and the summed weight of the elements equal to it.
    Custom {
        elements: &[I32, I32],
        text: "identity [-2147483648 : i32, 0 : i32] combiner {\n\
               ^bb0(%lm: i32, %lw: i32, %rm: i32, %rw: i32):\n\
               \x20 %none = arith.constant 0 : i32\n\
               \x20 %m = arith.maxsi %lm, %rm : i32\n\
               \x20 %is_l = arith.cmpi eq, %lm, %m : i32\n\
               \x20 %is_r = arith.cmpi eq, %rm, %m : i32\n\
               \x20 %wl = arith.select %is_l, %lw, %none : i32\n\
               \x20 %wr = arith.select %is_r, %rw, %none : i32\n\
               \x20 %w = arith.addi %wl, %wr : i32\n\
               \x20 tile.yield %m, %w : i32, i32\n}",
    },
    // Sum of two separate sources.
    Custom {
        elements: &[F32, F32],
        text: "identity [-0.0 : f32, -0.0 : f32] combiner {\n\
               ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):\n\
               \x20 %s = arith.addf %a, %c : f32\n\
               \x20 %q = arith.addf %b, %d : f32\n\
               \x20 tile.yield %s, %q : f32, f32\n}",
    },
    // Minimum and maximum.
    Custom {
        elements: &[F32, F32],
        text: "identity [0x7F800000 : f32, 0xFF800000 : f32] combiner {\n\
               ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):\n\
               \x20 %s = arith.minimumf %a, %c : f32\n\
               \x20 %q = arith.maximumf %b, %d : f32\n\
               \x20 tile.yield %s, %q : f32, f32\n}",
    },
    // Three values of three types.
    Custom {
        elements: &[F32, I64, I32],
        text: "identity [-0.0 : f32, 0 : i64, 0 : i32] combiner {\n\
               ^bb0(%a: f32, %b: i64, %c: i32, %d: f32, %e: i64, %f: i32):\n\
               \x20 %x = arith.addf %a, %d : f32\n\
               \x20 %y = arith.xori %b, %e : i64\n\
               \x20 %z = arith.ori %c, %f : i32\n\
               \x20 tile.yield %x, %y, %z : f32, i64, i32\n}",
    },
    // Parity of i1 and a count.
    Custom {
        elements: &[Element::I1, Element::I8],
        text: "identity [false, 0 : i8] combiner {\n\
               ^bb0(%a: i1, %b: i8, %c: i1, %d: i8):\n\
               \x20 %x = arith.xori %a, %c : i1\n\
               \x20 %y = arith.addi %b, %d : i8\n\
               \x20 tile.yield %x, %y : i1, i8\n}",
    },
    // Bitwise or with a branch.
    Custom {
        elements: &[I32],
        text: "identity [0 : i32] combiner {\n\
               ^bb0(%a: i32, %b: i32):\n\
               \x20 %x = arith.ori %a, %b : i32\n\
               \x20 %none = arith.constant 0 : i32\n\
               \x20 %is = arith.cmpi eq, %x, %none : i32\n\
               \x20 %y = scf.if %is -> i32 {\n\
               \x20   scf.yield %none : i32\n\
               \x20 } else {\n\
               \x20   scf.yield %x : i32\n\
               \x20 }\n\
               \x20 tile.yield %y : i32\n}",
    },
    // Sum with identity 0.0, which changes -0.0.
    Custom {
        elements: &[F32],
        text: "identity [0.0 : f32] combiner {\n\
               ^bb0(%l: f32, %r: f32):\n\
               \x20 %p = arith.addf %l, %r : f32\n\
               \x20 tile.yield %p : f32\n}",
    },
];

impl Combine {
    /// Returns a combiner of the given kind without optional attributes.
    pub(crate) fn plain(kind: Kind, element: Element) -> Self {
        Self {
            kind,
            element,
            to: element.destinations()[0],
            index: I32,
            acc: None,
            ignore_nan: false,
            determinism: None,
            variant: None,
            accumulate: false,
        }
    }

    pub(crate) fn sources(&self) -> Vec<Element> {
        match self.kind {
            Kind::Custom(i) => CUSTOM[i].elements.to_vec(),
            _ => vec![self.element],
        }
    }

    pub(crate) fn destinations(&self) -> Vec<Element> {
        match self.kind {
            Kind::Custom(i) => CUSTOM[i].elements.to_vec(),
            kind if kind.is_arg() => vec![self.to, self.index],
            _ => vec![self.to],
        }
    }

    /// Returns the combiner region in the syntax of `tile.reduce`.
    pub(crate) fn region(&self) -> String {
        match self.kind {
            Kind::Custom(i) => format!(" {}", CUSTOM[i].text),
            _ => String::new(),
        }
    }

    /// Returns the attributes in the syntax of `tile.reduce`.
    pub(crate) fn attributes(&self) -> Vec<String> {
        let mut list = Vec::new();
        if let Some(acc) = self.acc {
            list.push(format!("acc = {}", acc.mlir()));
        }
        if self.ignore_nan {
            list.push("nan = #tile.nan<ignore>".to_owned());
        }
        if let Some(determinism) = self.determinism {
            let name = match determinism {
                Determinism::Any => "any",
                Determinism::RunToRun => "run_to_run",
                Determinism::BatchInvariant => "batch_invariant",
            };
            list.push(format!("determinism = #tile.determinism<{name}>"));
        }
        if let Some(variant) = &self.variant {
            list.push(format!("variant = \"{variant}\""));
        }
        list
    }
}
