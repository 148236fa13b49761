//! Ranges of dynamic lengths: each case of a schedule has kernels for one range.

use std::collections::BTreeMap;
use std::fmt;
use tx_plan::UpTo;

/// Kernel attribute: the range of lengths for which the host launches the kernel.
pub(crate) const LENGTHS: &str = "lengths";

/// Range of loop lengths; the host launches a kernel only if the length of the loop is in this
/// range.
#[derive(Clone)]
pub(crate) struct Lengths {
    pub(crate) name: String,
    /// Exclusive lower bound of the lengths; `None` if there is no lower bound.
    pub(crate) above: Option<i64>,
    /// Inclusive upper bound of the lengths; `None` if there is no upper bound.
    pub(crate) most: Option<i64>,
    /// Number that divides each length; 1 for all lengths in the range.
    pub(crate) multiple_of: i64,
}

impl Lengths {
    fn any(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            above: None,
            most: None,
            multiple_of: 1,
        }
    }

    /// Returns the lengths in `left` that `up_to` contains; `name` is the name of the loop. If
    /// `up_to` contains all lengths up to a maximum length, the function removes these lengths from
    /// `left`.
    pub(crate) fn take(left: &mut Vec<Self>, name: &str, up_to: UpTo) -> Vec<Self> {
        let known = left.iter().position(|lengths| lengths.name == name);
        let i = known.unwrap_or_else(|| {
            left.push(Self::any(name));
            left.len() - 1
        });
        let mut taken = left.clone();
        taken[i].most = Some(up_to.length);
        taken[i].multiple_of = up_to.multiple_of;
        if up_to.multiple_of == 1 {
            left[i].above = Some(up_to.length);
        }
        taken
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", self.name)?;
        match (self.above, self.most) {
            (Some(above), Some(most)) => write!(f, "from {} to {most}", above.saturating_add(1))?,
            (None, Some(most)) => write!(f, "up to {most}")?,
            (Some(above), None) => write!(f, "above {above}")?,
            (None, None) => write!(f, "of any length")?,
        }
        match self.multiple_of {
            1 => Ok(()),
            n => write!(f, ", multiples of {n}"),
        }
    }
}

/// For each dimension, the maximum length that the earlier cases of a schedule cover.
pub(crate) type CoveredLengths = BTreeMap<usize, i64>;
