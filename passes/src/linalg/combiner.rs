//! Combiners, combined values and neutral values of reductions in linalg bodies.

use super::body::Copier;
use super::laws::{Laws, Partial};
use super::scalar::{Scalar, Sort};
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::Kind;
use tx_mlir::build::Cond;
use tx_mlir::{Blk, Builder, Val, byte_width, f32_of};
use tx_scalar::extremes;

/// Integer encodings of predicates of `arith.cmpf`.
const OGT: i64 = 2;
const OLT: i64 = 4;

/// Element that a reduction combines, computed from values in the body of the linalg op.
#[derive(Clone, Copy)]
pub(crate) enum Element<'c> {
    Value(Val<'c>),
    Product(Val<'c>, Val<'c>),
    /// A float value of the body; if the value is NaN, the identity of the reduction kind replaces
    /// NaN.
    Number(Val<'c>, Kind),
    /// The index of an element; 0 if the element is NaN or equals the identity of the reduction
    /// kind.
    IndexOf(Val<'c>, Val<'c>, Kind),
}

impl<'c> Element<'c> {
    /// Returns the values of the body from which [`Self::write`] computes the element.
    pub(crate) fn values(self) -> Vec<Val<'c>> {
        match self {
            Self::Value(v) | Self::Number(v, _) => vec![v],
            Self::Product(a, b) | Self::IndexOf(a, b, _) => vec![a, b],
        }
    }

    /// Emits the computation of the element from copies of [`Self::values`].
    pub(crate) fn write(self, b: &Builder<'c>, values: &[Val<'c>]) -> Val<'c> {
        let with_identity = |kind, value: Val<'c>| {
            let ty = compared_in(value.r#type());
            let identity = match kind {
                Kind::ArgMin => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
            (extended(b, value, ty), b.float(identity, ty))
        };
        match (self, values) {
            (Self::Product(..), [left, right]) => b.binary("arith.mulf", *left, *right),
            (Self::Number(_, kind), [value]) => {
                let op = match kind {
                    Kind::ArgMin => "arith.minnumf",
                    _ => "arith.maxnumf",
                };
                let (value, identity) = with_identity(kind, *value);
                b.binary(op, value, identity)
            }
            (Self::IndexOf(_, _, kind), [index, value]) => {
                let predicate = match kind {
                    Kind::ArgMin => OLT,
                    _ => OGT,
                };
                let (value, identity) = with_identity(kind, *value);
                let is_better = b.compare_floats(predicate, value, identity);
                let zero = b.int(0, index.r#type());
                b.select(Cond::Val(is_better), *index, zero)
            }
            _ => values[0],
        }
    }

    pub(crate) fn ty(self) -> Type<'c> {
        let ty = self.values()[0].r#type();
        match self {
            Self::Number(..) => compared_in(ty),
            _ => ty,
        }
    }
}

/// Returns the type in which values of `ty` are compared. Values of 8-bit floats are compared in
/// f32, because 8-bit floats have no comparison op.
fn compared_in(ty: Type<'_>) -> Type<'_> {
    match byte_width(ty) {
        Some(1) => f32_of(ty),
        _ => ty,
    }
}

fn extended<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
    if value.r#type() == ty {
        return value;
    }
    b.create("arith.extf").operands(&[value]).result(ty).value()
}

/// A combiner region that is not emitted yet.
pub(crate) struct Combiner<'c> {
    pub(crate) block: Blk<'c>,
    pub(crate) types: Vec<Type<'c>>,
    pub(crate) parts: Vec<Part<'c>>,
}

/// Computation of one component of a partial result in a combiner region.
#[derive(Clone)]
pub(crate) enum Part<'c> {
    /// Computation of the value `root` in the original body; `known` maps values of the body to
    /// arguments of the combiner.
    Body {
        known: Vec<(Val<'c>, usize)>,
        root: Val<'c>,
    },
    Op(&'static str),
}

impl<'c> Combiner<'c> {
    /// Emits the body of the combiner region for N left and N right arguments. Returns the yielded
    /// values.
    pub(crate) fn write(&self, copier: &Copier<'_, 'c>, arguments: &[Val<'c>]) -> Vec<Val<'c>> {
        let n = self.types.len();
        self.parts
            .iter()
            .enumerate()
            .map(|(i, part)| match part {
                Part::Op(op) => copier.b.binary(op, arguments[i], arguments[n + i]),
                Part::Body { known, root } => {
                    let known: Vec<_> = known.iter().map(|(v, a)| (*v, arguments[*a])).collect();
                    // Only the `element` region uses loop indices; the combiner region never does.
                    let index = |_| arguments[0];
                    copier.copy(self.block, &known, &index, &[*root])[0]
                }
            })
            .collect()
    }
}

/// Method that finds the neutral values of a combiner: from the reduction kinds of its components,
/// or by tests of the combiner on samples.
pub(crate) enum Neutral {
    /// Reduction kind of each component of a partial result. Every value is neutral for a component
    /// without an entry in this list.
    Kinds(Vec<Kind>),
    /// Tests of the properties of a custom combiner on samples.
    Laws(Laws),
}

impl Neutral {
    /// Returns whether the partial result `values` is neutral: the combination of `values` with any
    /// partial result x is x.
    pub(crate) fn leaves_alone(&self, values: &Partial, sorts: &[Sort]) -> bool {
        match self {
            Self::Kinds(kinds) => kinds
                .iter()
                .zip(values)
                .zip(sorts)
                .all(|((kind, value), sort)| *value == identity(*kind, *sort)),
            Self::Laws(laws) => laws.check_identity(values).is_ok(),
        }
    }

    /// Returns whether `values` may be the initial values of a reduction although `values` are not
    /// neutral.
    pub(crate) fn starts(&self, values: &Partial) -> bool {
        match self {
            Self::Kinds(_) => false,
            Self::Laws(laws) => laws.starts_from(values),
        }
    }

    pub(crate) fn find(&self, sorts: &[Sort]) -> Option<Partial> {
        match self {
            Self::Kinds(kinds) => {
                let both = kinds.iter().zip(sorts);
                Some(both.map(|(kind, sort)| identity(*kind, *sort)).collect())
            }
            Self::Laws(laws) => laws.find_identity(),
        }
    }
}

/// Returns the bitwise identity of a named reduction kind: the combination of the identity with any
/// value x is x, bit for bit. For float sums, the bitwise identity is -0.0, because a sum with 0.0
/// changes -0.0 to 0.0.
pub(crate) fn exact_identity(kind: Kind, sort: Sort) -> Scalar {
    match (kind, sort) {
        (Kind::Sum, Sort::Float(_)) => Scalar::Float(-0.0),
        _ => identity(kind, sort),
    }
}

fn identity(kind: Kind, sort: Sort) -> Scalar {
    let Sort::Int(bits) = sort else {
        return Scalar::Float(match kind {
            Kind::Prod => 1.0,
            Kind::Max | Kind::ArgMax => f64::NEG_INFINITY,
            Kind::Min | Kind::ArgMin => f64::INFINITY,
            _ => 0.0,
        });
    };
    let (least, most) = extremes(bits);
    Scalar::Int(match kind {
        Kind::Prod => 1,
        Kind::Max | Kind::ArgMax => least,
        Kind::Min | Kind::ArgMin => most,
        Kind::UMin | Kind::And => -1,
        _ => 0,
    })
}
