//! Warp operations: the encoding of the operations in generated code, the arrived lanes, and the
//! results as defined by the PTX ISA.

/// Number of lanes of a warp.
pub(crate) const WARP: usize = 32;

/// The rule that selects the source lane of a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Bfly,
    Up,
    Down,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redux {
    Add,
    And,
    Max,
    Min,
    Or,
    Umax,
    Umin,
    Xor,
    /// Minimum of f32 values. With `abs`, the operation reduces absolute values; with `nan`, any
    /// NaN operand makes the result NaN.
    Fmin {
        abs: bool,
        nan: bool,
    },
    Fmax {
        abs: bool,
        nan: bool,
    },
}

/// A warp operation that all lanes in a member mask execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOp {
    Sync,
    Shuffle(Shuffle),
    Redux(Redux),
    VoteAny,
    VoteAll,
    VoteUni,
    Ballot,
    MatchAny,
    MatchAll,
    Elect,
}

impl WarpOp {
    /// Returns the encoding of the warp operation in generated code.
    pub(crate) fn code(self) -> i32 {
        let float = |abs, nan| i32::from(abs) | i32::from(nan) << 1;
        match self {
            Self::Sync => 0,
            Self::Shuffle(Shuffle::Bfly) => 1,
            Self::Shuffle(Shuffle::Up) => 2,
            Self::Shuffle(Shuffle::Down) => 3,
            Self::Shuffle(Shuffle::Idx) => 4,
            Self::VoteAny => 5,
            Self::VoteAll => 6,
            Self::VoteUni => 7,
            Self::Ballot => 8,
            Self::MatchAny => 9,
            Self::MatchAll => 10,
            Self::Elect => 11,
            Self::Redux(Redux::Add) => 16,
            Self::Redux(Redux::And) => 17,
            Self::Redux(Redux::Max) => 18,
            Self::Redux(Redux::Min) => 19,
            Self::Redux(Redux::Or) => 20,
            Self::Redux(Redux::Umax) => 21,
            Self::Redux(Redux::Umin) => 22,
            Self::Redux(Redux::Xor) => 23,
            Self::Redux(Redux::Fmin { abs, nan }) => 24 + float(abs, nan),
            Self::Redux(Redux::Fmax { abs, nan }) => 28 + float(abs, nan),
        }
    }

    pub(crate) fn from_code(code: i32) -> Option<Self> {
        let (abs, nan) = (code & 1 != 0, code & 2 != 0);
        Some(match code {
            0 => Self::Sync,
            1 => Self::Shuffle(Shuffle::Bfly),
            2 => Self::Shuffle(Shuffle::Up),
            3 => Self::Shuffle(Shuffle::Down),
            4 => Self::Shuffle(Shuffle::Idx),
            5 => Self::VoteAny,
            6 => Self::VoteAll,
            7 => Self::VoteUni,
            8 => Self::Ballot,
            9 => Self::MatchAny,
            10 => Self::MatchAll,
            11 => Self::Elect,
            16 => Self::Redux(Redux::Add),
            17 => Self::Redux(Redux::And),
            18 => Self::Redux(Redux::Max),
            19 => Self::Redux(Redux::Min),
            20 => Self::Redux(Redux::Or),
            21 => Self::Redux(Redux::Umax),
            22 => Self::Redux(Redux::Umin),
            23 => Self::Redux(Redux::Xor),
            24..=27 => Self::Redux(Redux::Fmin { abs, nan }),
            28..=31 => Self::Redux(Redux::Fmax { abs, nan }),
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaneInput {
    /// Operand value of the lane; a predicate is encoded as 0 or 1.
    pub(crate) value: u64,
    /// Second and third operand of a shuffle: `offset` and `clamp`.
    pub(crate) offset: u32,
    pub(crate) clamp: u32,
}

/// Cache of the lanes of one warp that have arrived at the most recently reached warp operation.
///
/// The cache is valid while no member lane of the cached operation waits in a different operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WarpArrivals {
    site: u32,
    mask: u32,
    /// Mask of the lanes that have arrived at the warp operation; 0 if the mask must be recomputed.
    arrived: u32,
}

impl WarpArrivals {
    /// The mask `arrived` must contain at least one lane.
    pub(crate) fn new(site: u32, mask: u32, arrived: u32) -> Self {
        Self {
            site,
            mask,
            arrived,
        }
    }

    /// Returns the mask of the lanes that have arrived at the warp operation with index `site` and
    /// member mask `mask`; `None` if the mask must be recomputed.
    pub(crate) fn at(self, site: u32, mask: u32) -> Option<u32> {
        let is_same = (self.site, self.mask) == (site, mask);
        (is_same && self.arrived != 0).then_some(self.arrived)
    }
}

/// Error of a shuffle: lane `lane` reads lane `source`, but the member mask does not contain lane
/// `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InactiveLane {
    pub(crate) lane: usize,
    pub(crate) source: usize,
}

pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < WARP).then_some(lane)
    })
}

/// Returns the source lane of a shuffle, and whether the source lane is in the shuffle segment of
/// the reading lane.
pub(crate) fn source(kind: Shuffle, lane: usize, offset: u32, clamp: u32) -> (usize, bool) {
    let lane = lane as i32;
    let offset = (offset & 31) as i32;
    let bound = (clamp & 31) as i32;
    let segment = (clamp >> 8 & 31) as i32;
    let first = lane & segment;
    let last = first | bound & !segment;
    let (source, valid) = match kind {
        Shuffle::Up => (lane - offset, lane - offset >= last),
        Shuffle::Down => (lane + offset, lane + offset <= last),
        Shuffle::Bfly => (lane ^ offset, lane ^ offset <= last),
        Shuffle::Idx => {
            let source = first | offset & !segment;
            (source, source <= last)
        }
    };
    let source = if valid { source } else { lane };
    (source as usize, valid)
}

/// Returns the result of a warp operation for every lane in the member mask. Bit 32 of a result
/// contains the predicate, if the operation returns a value and a predicate.
pub(crate) fn evaluate(
    op: WarpOp,
    mask: u32,
    inputs: &[LaneInput; WARP],
) -> Result<[u64; WARP], InactiveLane> {
    let values = || lanes(mask).map(|lane| inputs[lane].value);
    let mut results = [0; WARP];
    match op {
        WarpOp::Sync => {}
        WarpOp::Shuffle(kind) => {
            for lane in lanes(mask) {
                let LaneInput { offset, clamp, .. } = inputs[lane];
                let (source, valid) = source(kind, lane, offset, clamp);
                if mask >> source & 1 == 0 {
                    return Err(InactiveLane { lane, source });
                }
                results[lane] = inputs[source].value & 0xffff_ffff | u64::from(valid) << 32;
            }
        }
        WarpOp::Redux(kind) => {
            let reduced = redux(kind, values().map(|value| value as u32));
            results.fill(u64::from(reduced));
        }
        WarpOp::VoteAny => results.fill(u64::from(values().any(|value| value != 0))),
        WarpOp::VoteAll => results.fill(u64::from(values().all(|value| value != 0))),
        WarpOp::VoteUni => {
            let first = values().next();
            results.fill(u64::from(values().all(|value| Some(value) == first)));
        }
        WarpOp::Ballot => {
            let ballot = lanes(mask).filter(|&lane| inputs[lane].value != 0);
            results.fill(ballot.fold(0, |bits, lane| bits | 1 << lane));
        }
        WarpOp::MatchAny => {
            for lane in lanes(mask) {
                results[lane] = lanes(mask)
                    .filter(|&other| inputs[other].value == inputs[lane].value)
                    .fold(0, |bits, other| bits | 1 << other);
            }
        }
        WarpOp::MatchAll => {
            let first = values().next();
            if values().all(|value| Some(value) == first) {
                results.fill(u64::from(mask) | 1 << 32);
            }
        }
        WarpOp::Elect => {
            let leader = mask.trailing_zeros();
            results.fill(u64::from(leader));
            if let Some(result) = results.get_mut(leader as usize) {
                *result |= 1 << 32;
            }
        }
    }
    Ok(results)
}

fn redux(kind: Redux, values: impl Iterator<Item = u32>) -> u32 {
    let signed = |value: u32| value as i32;
    let combine = |left: u32, right: u32| match kind {
        Redux::Add => left.wrapping_add(right),
        Redux::And => left & right,
        Redux::Or => left | right,
        Redux::Xor => left ^ right,
        Redux::Max => signed(left).max(signed(right)) as u32,
        Redux::Min => signed(left).min(signed(right)) as u32,
        Redux::Umax => left.max(right),
        Redux::Umin => left.min(right),
        Redux::Fmin { nan, .. } => extremum(left, right, nan, false),
        Redux::Fmax { nan, .. } => extremum(left, right, nan, true),
    };
    let absolute = matches!(
        kind,
        Redux::Fmin { abs: true, .. } | Redux::Fmax { abs: true, .. }
    );
    let reduced = values
        .map(|value| if absolute { value & 0x7fff_ffff } else { value })
        .reduce(combine)
        .unwrap_or(0);
    let is_float = matches!(kind, Redux::Fmin { .. } | Redux::Fmax { .. });
    if is_float && f32::from_bits(reduced).is_nan() {
        CANONICAL_NAN
    } else {
        reduced
    }
}

/// Canonical NaN of PTX operations on f32.
const CANONICAL_NAN: u32 = 0x7fff_ffff;

/// Returns the minimum or maximum of two f32, with −0 below +0.
fn extremum(left: u32, right: u32, nan_wins: bool, largest: bool) -> u32 {
    let (a, b) = (f32::from_bits(left), f32::from_bits(right));
    match (a.is_nan(), b.is_nan()) {
        (true, true) => left,
        (true, false) => [right, left][usize::from(nan_wins)],
        (false, true) => [left, right][usize::from(nan_wins)],
        (false, false) if a.total_cmp(&b).is_gt() == largest => left,
        (false, false) => right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_inverse() {
        for code in 0..64 {
            if let Some(op) = WarpOp::from_code(code) {
                assert_eq!(op.code(), code);
            }
        }
    }

    /// For width `w`, CUDA's `__shfl_*_sync` sets operand `c` of the PTX instruction `shfl.sync` to
    /// `(32 - w) << 8 | 31`, or to `(32 - w) << 8` for the mode `up`.
    #[test]
    fn sources_stay_in_their_segment() {
        let c = |width: u32| (32 - width) << 8 | 31;
        assert_eq!(source(Shuffle::Bfly, 5, 2, c(8)), (7, true));
        assert_eq!(source(Shuffle::Bfly, 5, 8, c(8)), (5, false));
        assert_eq!(source(Shuffle::Bfly, 13, 8, c(8)), (5, true));
        assert_eq!(source(Shuffle::Down, 5, 2, c(8)), (7, true));
        assert_eq!(source(Shuffle::Down, 6, 2, c(8)), (6, false));
        assert_eq!(source(Shuffle::Up, 9, 1, (32 - 8) << 8), (8, true));
        assert_eq!(source(Shuffle::Up, 8, 1, (32 - 8) << 8), (8, false));
        assert_eq!(source(Shuffle::Up, 0, 1, 0), (0, false));
        assert_eq!(source(Shuffle::Idx, 13, 9, c(8)), (9, true));
        assert_eq!(source(Shuffle::Idx, 3, 31, 15), (3, false));
    }

    #[test]
    fn float_reductions_follow_their_flags() {
        let nan = f32::NAN.to_bits();
        let values = [(-3.0f32).to_bits(), nan, 2.0f32.to_bits()];
        let run = |kind| redux(kind, values.into_iter());
        let flags = |abs, nan| (abs, nan);
        let max = |(abs, nan)| Redux::Fmax { abs, nan };
        assert_eq!(run(max(flags(false, false))), 2.0f32.to_bits());
        assert_eq!(run(max(flags(true, false))), 3.0f32.to_bits());
        assert_eq!(run(max(flags(false, true))), CANONICAL_NAN);
        let zeros = [0x8000_0000, 0];
        assert_eq!(redux(max(flags(false, false)), zeros.into_iter()), 0);
        let min = Redux::Fmin {
            abs: false,
            nan: false,
        };
        assert_eq!(redux(min, zeros.into_iter()), 0x8000_0000);
    }
}
