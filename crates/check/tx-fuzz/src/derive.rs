//! Sizes and layouts derived from the description of a random program.

use crate::description::{
    Axis, Fragment, Groups, Iter, Kernel, KernelOp, Layout, ResultLayout, Scope, Source, Space,
    View, Work,
};
use crate::element::Element;

/// Reason why the description of a random program is invalid. The shrinker can turn the valid
/// description of a program into an invalid description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Contradiction(pub(crate) String);

pub(crate) fn contradiction<T>(message: impl Into<String>) -> Result<T, Contradiction> {
    Err(Contradiction(message.into()))
}

/// Leading dimension of an array of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeadingDimension {
    /// Dimension with one tile per thread group; the field contains the number of thread groups.
    Group(usize),
    /// Dimension with one tile per loop iteration; the field contains the number of loop
    /// iterations.
    Iteration(usize),
}

impl LeadingDimension {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Group(n) | Self::Iteration(n) => n,
        }
    }
}

/// Tiles that an op writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenTiles {
    pub(crate) lead: Vec<LeadingDimension>,
    pub(crate) shape: Vec<usize>,
    pub(crate) space: Space,
    pub(crate) elements: Vec<Element>,
}

/// Returns the shape that remains after reducing `axes`.
pub(crate) fn reduced(
    shape: &[usize],
    axes: &[usize],
    keep: bool,
) -> Result<Vec<usize>, Contradiction> {
    let mut seen = Vec::new();
    for axis in axes {
        if *axis >= shape.len() || seen.contains(axis) {
            return contradiction(format!("axes {axes:?} of rank {}", shape.len()));
        }
        seen.push(*axis);
    }
    Ok(shape
        .iter()
        .enumerate()
        .filter_map(|(d, size)| match (axes.contains(&d), keep) {
            (true, true) => Some(1),
            (true, false) => None,
            (false, _) => Some(*size),
        })
        .collect())
}

impl Work {
    /// Returns the number of thread groups that execute the op.
    pub(crate) fn count(&self, kernel: &Kernel) -> usize {
        match self.groups {
            Groups::Each => self.scope.groups(kernel.threads()),
            Groups::Only(_) => 1,
        }
    }

    /// Returns the leading dimensions of an array with one tile per loop iteration. If `each` is
    /// set, the array has one tile for each pair of a thread group and a loop iteration.
    pub(crate) fn lead(&self, kernel: &Kernel, each: bool) -> Vec<LeadingDimension> {
        let mut lead = Vec::new();
        if each && self.count(kernel) > 1 {
            lead.push(LeadingDimension::Group(self.count(kernel)));
        }
        lead.extend(self.turns.map(LeadingDimension::Iteration));
        lead
    }

    fn elements(&self) -> Vec<Element> {
        match &self.op {
            KernelOp::Reduce(op) => op.combine.destinations(),
            KernelOp::Fragment(op) => op.combine.destinations(),
            KernelOp::Lanes(op) => op.combine.destinations(),
            KernelOp::Copy(op) => vec![op.element],
            KernelOp::Barrier => Vec::new(),
        }
    }
}

impl Kernel {
    /// Returns the shape, memory space and element types of the results of the op at index `at`.
    pub(crate) fn written(&self, at: usize) -> Result<WrittenTiles, Contradiction> {
        let Some(work) = self.work.get(at) else {
            return contradiction("a result of nothing");
        };
        let (shape, space) = match &work.op {
            KernelOp::Reduce(op) => (reduced(&self.seen(at)?, &op.axes, op.keep)?, op.to.space),
            KernelOp::Copy(op) => (self.seen(at)?, op.to.space),
            KernelOp::Fragment(op) => {
                (reduced(&op.layout.shape(), &op.axes, op.keep)?, op.to.space)
            }
            KernelOp::Lanes(_) => (vec![self.threads()], Space::Global),
            KernelOp::Barrier => return contradiction("a barrier writes nothing"),
        };
        let lead = match work.op {
            KernelOp::Lanes(_) => Vec::new(),
            _ => work.lead(self, true),
        };
        Ok(WrittenTiles {
            lead,
            shape,
            space,
            elements: work.elements(),
        })
    }

    /// Returns the shape of the tile that a reduction op or a copy op reads.
    pub(crate) fn seen(&self, at: usize) -> Result<Vec<usize>, Contradiction> {
        let source = match &self.work[at].op {
            KernelOp::Reduce(op) => &op.source,
            KernelOp::Copy(op) => &op.source,
            _ => return contradiction("no tile of memory"),
        };
        match source {
            Source::Fresh(tile) => Ok(tile.shape.clone()),
            Source::Result { work, .. } if *work < at => {
                let written = self.written(*work)?;
                let mine = self.takes_part_of(at, *work)?;
                Ok(written
                    .lead
                    .iter()
                    .filter(|lead| !(mine && matches!(lead, LeadingDimension::Group(_))))
                    .map(|lead| lead.size())
                    .chain(written.shape)
                    .collect())
            }
            Source::Result { .. } => contradiction("a result of later work"),
        }
    }

    /// Returns true if each thread group of the op at index `at` reads only its own part of the
    /// result of the op at index `from`.
    pub(crate) fn takes_part_of(&self, at: usize, from: usize) -> Result<bool, Contradiction> {
        let (work, earlier) = (&self.work[at], &self.work[from]);
        let written = self.written(from)?;
        let mine = work.scope == earlier.scope
            && work.groups == Groups::Each
            && written
                .lead
                .iter()
                .any(|lead| matches!(lead, LeadingDimension::Group(_)));
        if written.space == Space::Private
            && !(work.scope == Scope::Thread && work.groups == earlier.groups)
        {
            return contradiction("private memory of another thread");
        }
        Ok(mine)
    }
}

impl View {
    pub(crate) fn before(&self, d: usize) -> usize {
        self.before.get(d).copied().unwrap_or(0)
    }

    pub(crate) fn after(&self, d: usize) -> usize {
        self.after.get(d).copied().unwrap_or(0)
    }

    /// Returns the stride of the view along dimension `d`, which has `size` elements.
    pub(crate) fn step(&self, d: usize, size: usize) -> usize {
        match self.step.get(d) {
            Some(step) if size > 1 => *step,
            _ => 1,
        }
    }

    pub(crate) fn is_loose(&self, d: usize) -> bool {
        self.loose.get(d).copied().unwrap_or(false)
    }

    /// Returns the tile dimension that corresponds to each dimension of the array in memory.
    pub(crate) fn order(&self, rank: usize) -> Vec<usize> {
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..rank) {
            self.order.clone()
        } else {
            (0..rank).collect()
        }
    }

    /// Returns the size of the array in memory along tile dimension `d`.
    pub(crate) fn extent(&self, d: usize, size: usize) -> usize {
        let inside = match size {
            // A view must start within its memory, even if it is empty.
            0 => usize::from(
                !(self.before.is_empty() && self.step.is_empty() && self.order.is_empty()),
            ),
            n => (n - 1) * self.step(d, n) + 1,
        };
        self.before(d) + inside + self.after(d)
    }

    /// Returns whether a view of shape `shape` selects all elements of the array in memory.
    pub(crate) fn is_whole(&self, shape: &[usize]) -> bool {
        shape
            .iter()
            .enumerate()
            .all(|(d, size)| self.extent(d, *size) == *size && self.step(d, *size) == 1)
    }
}

impl Fragment {
    pub(crate) fn result_layout(
        &self,
        scope: Scope,
        block: usize,
    ) -> Result<Layout, Contradiction> {
        let shape = self.layout.shape();
        let result = reduced(&shape, &self.axes, self.keep)?;
        let is_reduced = |d: &usize| self.axes.contains(d);
        let kept: Vec<Vec<Iter>> = (0..shape.len())
            .filter(|d| self.keep || !is_reduced(d))
            .map(|d| match is_reduced(&d) {
                true => Vec::new(),
                false => self.layout.dims[d].clone(),
            })
            .collect();
        let gone = (0..shape.len())
            .filter(is_reduced)
            .flat_map(|d| self.layout.dims[d].iter().copied())
            .filter(|iter| iter.axis != Axis::Reg);
        let in_registers = || {
            let mut stride: usize = result.iter().product();
            result
                .iter()
                .map(|size| {
                    stride /= size.max(&1);
                    vec![Iter {
                        extent: *size,
                        stride,
                        axis: Axis::Reg,
                    }]
                })
                .collect()
        };
        let everyone = |extent: usize, axis: Axis| Iter {
            extent,
            stride: 1,
            axis,
        };
        let layout = |dims, replica, offset| Layout {
            dims,
            replica,
            offset,
        };
        Ok(match self.result {
            ResultLayout::Everyone => layout(
                kept,
                self.layout.replica.iter().copied().chain(gone).collect(),
                self.layout.offset.clone(),
            ),
            ResultLayout::First => layout(kept, Vec::new(), self.layout.offset.clone()),
            ResultLayout::Registers => layout(
                in_registers(),
                match scope {
                    Scope::Thread => Vec::new(),
                    Scope::Warp => vec![everyone(32.min(block), Axis::Lane)],
                    Scope::Warpgroup => vec![everyone(128, Axis::ThreadInGroup)],
                    Scope::Cta => vec![everyone(block, Axis::Thread)],
                },
                Vec::new(),
            ),
            ResultLayout::OneThread => layout(in_registers(), Vec::new(), Vec::new()),
            ResultLayout::Lanes => {
                let mut stride: usize = result.iter().product();
                if stride > scope.threads(block) {
                    return contradiction("more results than threads");
                }
                let axis = match scope {
                    Scope::Thread => Axis::Reg,
                    Scope::Warp => Axis::Lane,
                    Scope::Warpgroup => Axis::ThreadInGroup,
                    Scope::Cta => Axis::Thread,
                };
                let dims = result
                    .iter()
                    .map(|size| {
                        stride /= size.max(&1);
                        vec![Iter {
                            extent: *size,
                            stride,
                            axis,
                        }]
                    })
                    .collect();
                layout(dims, Vec::new(), Vec::new())
            }
        })
    }
}
