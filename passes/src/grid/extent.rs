//! Extents: the number of iterations of a loop.

use tx_mlir::{Builder, Index};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    Static(i64),
    /// `Dim(d)`: dynamic length of dimension `d`.
    Dim(usize),
    /// Dynamic length of dimension `dim`; the host launches the kernel only if the length is
    /// greater than `above`, at most `most`, and a multiple of `multiple_of`.
    Between {
        dim: usize,
        above: i64,
        most: Option<i64>,
        multiple_of: i64,
    },
    CeilDiv(Box<Self>, i64),
    Product(Vec<Self>),
    /// `AtMost(n)`: number of aligned vectors in a row, at most `n`. The number of aligned vectors
    /// depends on the address of the first element of the row.
    AtMost(Box<Self>),
}

/// Returns `n / by`, rounded up, without overflow for any `n`.
pub(super) fn ceildiv(n: i64, by: i64) -> i64 {
    n / by + i64::from(n % by != 0)
}

impl Extent {
    pub(crate) fn known(&self) -> Option<i64> {
        match self {
            Self::Static(n) => Some(*n),
            _ => None,
        }
    }

    /// Returns the maximum number of iterations, or `None` if there is no static bound.
    pub(crate) fn most(&self) -> Option<i64> {
        match self {
            Self::Static(n) => Some(*n),
            Self::Between { most, .. } => *most,
            Self::AtMost(most) => most.most(),
            Self::CeilDiv(of, factor) => Some(ceildiv(of.most()?, *factor)),
            Self::Dim(_) | Self::Product(_) => None,
        }
    }

    pub(crate) fn least(&self) -> i64 {
        match self {
            Self::Static(n) => *n,
            Self::Between { above, .. } => above.saturating_add(1),
            Self::CeilDiv(of, factor) => ceildiv(of.least(), *factor),
            Self::Dim(_) | Self::Product(_) | Self::AtMost(_) => 0,
        }
    }

    /// Returns whether the host launches the kernel only for multiples of a number.
    pub(super) fn has_whole_vectors(&self) -> bool {
        matches!(
            self,
            Self::Between {
                multiple_of: 2..,
                ..
            }
        )
    }

    pub(super) fn ceildiv(&self, factor: i64) -> Self {
        match self {
            Self::Static(n) => Self::Static(ceildiv(*n, factor)),
            other if factor == 1 => other.clone(),
            other => Self::CeilDiv(Box::new(other.clone()), factor),
        }
    }

    /// Returns whether the number of iterations is a multiple of `factor` for all values of the
    /// dynamic sizes.
    pub(super) fn is_multiple_of(&self, factor: i64) -> bool {
        match self {
            Self::Static(n) | Self::Between { multiple_of: n, .. } => n % factor == 0,
            Self::Product(all) => all.iter().any(|e| e.is_multiple_of(factor)),
            _ => factor == 1,
        }
    }

    /// Emits the trip count of a loop over the aligned vectors of a row with `count` aligned
    /// vectors.
    pub(crate) fn of_vectors<'c>(&self, b: &Builder<'c>, count: Index<'c>) -> Index<'c> {
        match self {
            Self::AtMost(_) => count,
            Self::CeilDiv(of, factor) => b.ceildiv(of.of_vectors(b, count), Index::Const(*factor)),
            // Loops whose length differs between rows are never fused.
            other => other.value(b, &|_, _| Index::Const(0)),
        }
    }

    /// Emits the trip count of a loop, or an upper bound of the trip count. The callback `dim`
    /// returns the length of a dimension.
    pub(crate) fn value<'c>(
        &self,
        b: &Builder<'c>,
        dim: &dyn Fn(&Builder<'c>, usize) -> Index<'c>,
    ) -> Index<'c> {
        match self {
            Self::Static(n) => Index::Const(*n),
            Self::Dim(d) | Self::Between { dim: d, .. } => dim(b, *d),
            Self::CeilDiv(of, factor) => b.ceildiv(of.value(b, dim), Index::Const(*factor)),
            Self::Product(all) => all
                .iter()
                .fold(Index::Const(1), |n, e| b.mul(n, e.value(b, dim))),
            Self::AtMost(most) => most.value(b, dim),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quotients_are_rounded_up(n in 0..=i64::MAX, by in 1..=i64::MAX) {
            let quotient = i128::from(ceildiv(n, by));
            let (n, by) = (i128::from(n), i128::from(by));
            prop_assert!(quotient * by >= n && (quotient - 1) * by < n);
        }
    }
}
