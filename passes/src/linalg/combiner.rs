//! Combiners and elements of a reduction in the making, and what is neutral to them.

use super::body::Copier;
use super::laws::{Laws, Partial};
use super::scalar::{Scalar, Sort};
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::Kind;
use tx_mlir::{Blk, Val};
use tx_scalar::extremes;

/// What one element is combined as.
#[derive(Clone, Copy)]
pub(crate) enum Element<'c> {
    /// A value of the body.
    Value(Val<'c>),
    /// The product of two.
    Product(Val<'c>, Val<'c>),
}

impl<'c> Element<'c> {
    /// The values that it is made of.
    pub(crate) fn values(self) -> Vec<Val<'c>> {
        match self {
            Self::Value(v) => vec![v],
            Self::Product(a, b) => vec![a, b],
        }
    }

    /// Its type.
    pub(crate) fn ty(self) -> Type<'c> {
        self.values()[0].r#type()
    }
}

/// A combiner region in the making.
pub(crate) struct Combiner<'c> {
    pub(crate) block: Blk<'c>,
    /// Types of the parts of a partial result.
    pub(crate) types: Vec<Type<'c>>,
    pub(crate) parts: Vec<Part<'c>>,
}

/// How one part of a combined partial result is computed.
#[derive(Clone)]
pub(crate) enum Part<'c> {
    /// By the body, with arguments of the combiner in the places of these values.
    Body {
        known: Vec<(Val<'c>, usize)>,
        root: Val<'c>,
    },
    /// By one op.
    Op(&'static str),
}

impl<'c> Combiner<'c> {
    /// Writes the combiner's block, which takes N left and N right values; what it yields.
    pub(crate) fn write(&self, copier: &Copier<'_, 'c>, arguments: &[Val<'c>]) -> Vec<Val<'c>> {
        let n = self.types.len();
        self.parts
            .iter()
            .enumerate()
            .map(|(i, part)| match part {
                Part::Op(op) => copier.b.binary(op, arguments[i], arguments[n + i]),
                Part::Body { known, root } => {
                    let known: Vec<_> = known.iter().map(|(v, a)| (*v, arguments[*a])).collect();
                    // Indices of loops are elements.
                    let index = |_| arguments[0];
                    copier.copy(self.block, &known, &index, &[*root])[0]
                }
            })
            .collect()
    }
}

/// How it is known what is neutral.
pub(crate) enum Neutral {
    /// The first parts are of named kinds, and others may be anything.
    Kinds(Vec<Kind>),
    /// By trying.
    Laws(Laws),
}

impl Neutral {
    /// Whether partial results of these sorts and values leave others as they are.
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

    /// Whether a reduction may start from these values, which are not neutral to all others.
    pub(crate) fn starts(&self, values: &Partial) -> bool {
        match self {
            Self::Kinds(_) => false,
            Self::Laws(laws) => laws.starts_from(values),
        }
    }

    /// A neutral partial result of these sorts.
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

/// What changes no bit of a value of a named kind: of sums, 0.0 would change the sign of -0.0.
pub(crate) fn exact_identity(kind: Kind, sort: Sort) -> Scalar {
    match (kind, sort) {
        (Kind::Sum, Sort::Float(_)) => Scalar::Float(-0.0),
        _ => identity(kind, sort),
    }
}

/// The identity of a named kind.
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
