//! Shuffles of values within a warp, and the lanes that participate in warp operations.

use crate::cluster::WARP;
use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Slot, Value};

/// The rule that selects the source lane of a shuffle.
#[derive(Clone, Copy)]
pub(crate) enum ShuffleMode {
    Xor,
    Up,
    Down,
    Index,
}

impl ShuffleMode {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "xor" | "bfly" => Self::Xor,
            "up" => Self::Up,
            "down" => Self::Down,
            "idx" => Self::Index,
            _ => return None,
        })
    }

    /// Returns the lane from which `lane` reads in a `shfl`, and whether the selected source lane
    /// is inside the segment of `lane`. If the selected source lane of a `shfl` is outside the
    /// segment, `lane` reads its own value. `segment` and `clamp` are the two fields of operand c
    /// of `shfl`.
    pub(crate) fn source(self, lane: u32, by: u32, segment: u32, clamp: u32) -> (u32, bool) {
        let by = by % WARP;
        let most = (lane & segment) | (clamp & !segment);
        let least = lane & segment;
        match self {
            Self::Up => match lane.checked_sub(by) {
                Some(source) if source >= most => (source, true),
                _ => (lane, false),
            },
            Self::Down => {
                let source = lane + by;
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
            Self::Xor => {
                let source = lane ^ by;
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
            Self::Index => {
                let source = least | (by & !segment);
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
        }
    }
}

/// Shuffles values within warps. For each lane, the callback `ask` returns the source lane in the
/// warp, and whether the source lane is in range. `mask` is the member mask of the shuffle.
pub(crate) fn shuffle(
    exec: &mut Exec<'_>,
    from: Slot,
    width: usize,
    to: &[Slot],
    mask: Option<Slot>,
    ask: impl Fn(&Exec<'_>, u32) -> (u32, bool),
    site: &Site,
) -> Result<(), Trouble> {
    let mut values = Lanes::new(width, exec.lanes);
    let mut valid = Lanes::new(1, exec.lanes);
    let active = exec.active.clone();
    for &lane in active.iter() {
        let first = lane / WARP * WARP;
        if let Some(mask) = mask {
            check_members(exec, mask, lane, site)?;
        }
        let (source, inside) = ask(exec, lane);
        let source = first + source;
        let named = mask.is_none_or(|mask| exec.int(mask, lane) >> (source % WARP) & 1 == 1);
        if inside && (active.binary_search(&source).is_err() || !named) {
            let message = format!(
                "lane {} reads lane {}, which does not participate",
                lane % WARP,
                source % WARP
            );
            return Err(
                exec.with_thread(Trouble::fault(FaultKind::InactiveLane, site, message), lane)
            );
        }
        let numbers = exec.numbers(from);
        for i in 0..width {
            let source = source as usize;
            values.set(
                lane as usize,
                i,
                numbers.get(source, i),
                numbers.bound(source, i),
            );
        }
        valid.set(lane as usize, 0, u64::from(inside), None);
    }
    exec.slots[to[0]] = Value::Numbers(values);
    if let Some(to) = to.get(1) {
        exec.slots[*to] = Value::Numbers(valid);
    }
    Ok(())
}

/// Returns an error if a lane of a participating warp is inactive.
pub(crate) fn check_whole_warps(exec: &Exec<'_>, site: &Site) -> Result<(), Trouble> {
    for warp in exec.active.chunk_by(|a, b| a / WARP == b / WARP) {
        let lane = warp[0];
        let first = lane / WARP * WARP;
        let absent =
            (first..first + WARP).find(|l| exec.has_lane(*l) && warp.binary_search(l).is_err());
        if let Some(absent) = absent {
            let message = format!(
                "lane {} of the warp does not participate, but lane {} does",
                absent % WARP,
                lane % WARP
            );
            let fault = Trouble::fault(FaultKind::InactiveLane, site, message);
            return Err(exec.with_thread(fault, lane));
        }
    }
    Ok(())
}

/// Returns an error if a member mask excludes the lane that executes the op, or includes an
/// inactive lane that belongs to a thread of the warp.
pub(crate) fn check_members(
    exec: &Exec<'_>,
    mask: Slot,
    lane: u32,
    site: &Site,
) -> Result<(), Trouble> {
    let members = exec.int(mask, lane) as u32;
    let first = lane / WARP * WARP;
    let fault = |message: String| {
        Err(exec.with_thread(Trouble::fault(FaultKind::InactiveLane, site, message), lane))
    };
    if members >> (lane % WARP) & 1 == 0 {
        return fault(format!(
            "the member mask {members:#x} does not include lane {}",
            lane % WARP
        ));
    }
    let from = exec.active.partition_point(|&thread| thread < first);
    let mut absent = members;
    for thread in exec.active[from..]
        .iter()
        .take_while(|&&thread| thread < first + WARP)
    {
        absent &= !(1 << (thread - first));
    }
    for other in (0..WARP).filter(|other| absent >> other & 1 == 1) {
        if exec.has_lane(first + other) {
            return fault(format!(
                "lane {other} of the member mask {members:#x} does not participate"
            ));
        }
    }
    Ok(())
}
