//! Operands of ops on tiles: memory, or fragments that threads hold in registers.

use crate::build::Build;
use crate::layout::{Holder, holders, slots};
use crate::machine::Exec;
use crate::ops::group::Group;
use crate::ops::memref::{memref, points};
use crate::points::Indices;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Slot, View};
use tx_dialect_tile::Fragment;
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::{Op, Val};
use tx_scalar::number::Scalar;

/// Shape, element type and layout of a fragment.
pub(crate) struct Tile {
    pub(crate) shape: Vec<i64>,
    /// Number of register slots per thread.
    pub(crate) width: usize,
    pub(crate) holders: Vec<Vec<Holder>>,
    element: Scalar,
}

impl Tile {
    pub(crate) fn of(op: Op<'_>, value: Val<'_>) -> Result<Self, Trouble> {
        let fragment = Fragment::from_type(value.r#type());
        fragment
            .and_then(|fragment| {
                Some(Self {
                    shape: fragment.shape.iter().map(|n| *n as i64).collect(),
                    width: slots(&fragment.layout).len(),
                    holders: holders(&fragment.layout),
                    element: Scalar::of(fragment.element)?,
                })
            })
            .ok_or_else(|| {
                Trouble::unsupported(op, format!("on values of type {}", value.r#type()))
            })
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = (Vec<i64>, &Vec<Holder>)> {
        points(&self.shape).into_iter().zip(&self.holders)
    }
}

pub(crate) fn check_sizes(view: &View, tile: &Tile, site: &Site) -> Result<(), Trouble> {
    if view.sizes == tile.shape {
        return Ok(());
    }
    let message = format!(
        "memory of sizes {:?}, expected {:?}",
        view.sizes, tile.shape
    );
    Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
}

/// Reads an element of a fragment from the first thread that holds a copy of the element.
pub(crate) fn held(
    exec: &Exec<'_>,
    slot: Slot,
    group: &Group,
    holders: &[Holder],
    site: &Site,
) -> Result<(u64, Option<tx_scalar::Bound>), Trouble> {
    let numbers = exec.numbers(slot);
    holders
        .iter()
        .find_map(|holder| {
            let thread = group.thread(holder, exec.lanes)?;
            Some((
                numbers.get(thread, holder.slot),
                numbers.bound(thread, holder.slot),
            ))
        })
        .ok_or_else(|| {
            Trouble::fault(
                FaultKind::OutOfBounds,
                site,
                "an element that no thread of the block holds",
            )
        })
}

/// Memory or fragment from which an op reads elements, or to which the op writes elements.
pub(crate) enum Operand {
    Memory { slot: Slot, scalar: Scalar },
    Fragment { slot: Slot, tile: Tile },
}

impl Operand {
    pub(crate) fn of<'c>(
        op: Op<'c>,
        value: Val<'c>,
        build: &mut Build<'_, 'c>,
    ) -> Result<Self, Trouble> {
        let slot = build.slot(value);
        if Fragment::from_type(value.r#type()).is_some() {
            return Ok(Self::Fragment {
                slot,
                tile: Tile::of(op, value)?,
            });
        }
        let (_, scalar) = memref(op, value)?;
        Ok(Self::Memory { slot, scalar })
    }

    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            Self::Memory { scalar, .. } => *scalar,
            Self::Fragment { tile, .. } => tile.element,
        }
    }

    pub(crate) fn sizes(&self, exec: &Exec<'_>, lane: u32) -> Vec<i64> {
        match self {
            Self::Memory { slot, .. } => exec.view(*slot, lane).sizes.clone(),
            Self::Fragment { tile, .. } => tile.shape.clone(),
        }
    }

    pub(crate) fn gather(
        &self,
        exec: &mut Exec<'_>,
        group: &Group,
        indices: &Indices,
        site: &(u32, Site),
    ) -> Result<Lanes, Trouble> {
        let mut out = Lanes::new(1, indices.lanes);
        match self {
            Self::Memory { slot, scalar } => {
                let view = exec.view(*slot, group.first);
                for (lane, index) in indices.iter().enumerate() {
                    inside(&view.sizes, index, &site.1)?;
                    let place = view.place(index.iter().copied());
                    let (bits, bound) = exec.read(&view, place, *scalar, group.first, site)?;
                    out.set(lane, 0, bits, bound);
                }
            }
            Self::Fragment { slot, tile } => {
                for (lane, index) in indices.iter().enumerate() {
                    let flat = flatten(index, &tile.shape);
                    let (bits, bound) = held(exec, *slot, group, &tile.holders[flat], &site.1)?;
                    out.set(lane, 0, bits, bound);
                }
            }
        }
        Ok(out)
    }
}

pub(crate) fn flatten(index: &[i64], shape: &[i64]) -> usize {
    let flat = index.iter().zip(shape).fold(0, |flat, (i, n)| flat * n + i);
    usize::try_from(flat).unwrap_or(0)
}

pub(crate) fn inside(sizes: &[i64], index: &[i64], site: &Site) -> Result<(), Trouble> {
    if index.iter().zip(sizes).all(|(i, n)| (0..*n).contains(i)) {
        return Ok(());
    }
    let message = format!("index {index:?} is out of range for an array of {sizes:?}");
    Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
}
