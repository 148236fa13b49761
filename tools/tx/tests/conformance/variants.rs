//! Conditions under which each variant applies. The conditions are implemented independently of the
//! compiler.

use crate::element::Element;
use crate::operands::{OperandKind, Types};
use crate::program::{Scope, Storage};
use crate::reference::Kind;

/// Properties of a reduction op that determine which variants apply.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) place: OperandKind,
    pub(crate) types: Types,
    /// Kind; `None` for `custom`.
    pub(crate) kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepts,
    Refuses,
    /// The table does not specify whether the variant applies, because the answer depends on how
    /// the variant distributes work.
    Either,
}

use Answer::{Accepts, Either, Refuses};

/// Variant on a chip.
struct Row {
    /// Name in test names.
    label: &'static str,
    name: &'static str,
    /// Oldest supporting chip; `None` for every chip.
    chip: Option<&'static str>,
    answer: fn(&Traits) -> Answer,
}

/// Target chip of verdicts programs.
pub(crate) const CHIP: &str = "sm_100";

const TABLE: &[Row] = &[
    Row {
        label: "local",
        name: "local",
        chip: None,
        answer: |t| match t.place {
            OperandKind::Memory(m) => must(m.storage == Storage::Private),
            OperandKind::Fragments(_) => Accepts,
            OperandKind::Lanes(_) => Refuses,
        },
    },
    Row {
        label: "shared",
        name: "shared",
        chip: None,
        answer: |t| {
            must(matches!(t.place, OperandKind::Memory(m) if m.storage != Storage::Private))
        },
    },
    Row {
        label: "packed_add_sum",
        name: "packed_add_sum",
        chip: Some("sm_100"),
        answer: |t| must(t.kind == Some(Kind::Sum) && long_f32_in_a_thread(t)),
    },
    Row {
        label: "3input_maxmin",
        name: "3input_maxmin",
        chip: Some("sm_100"),
        answer: |t| must(matches!(t.kind, Some(Kind::Max | Kind::Min)) && long_f32_in_a_thread(t)),
    },
    Row {
        label: "batched",
        name: "batched",
        chip: None,
        answer: |t| match t.place {
            // The variant requires whole warps, more results than warps, and a reduced dimension
            // that is innermost.
            OperandKind::Memory(m) if by_several(t) => {
                let threads = m.scope.threads(m.block).min(m.block);
                must(
                    m.block % m.scope.threads(m.block) == 0
                        && threads % 32 == 0
                        && (m.dynamic || m.rows > threads / 32)
                        && (m.dynamic || m.length > 1)
                        && !m.outer,
                )
            }
            _ => Refuses,
        },
    },
    Row {
        label: "packed_half",
        name: "packed_half",
        chip: None,
        answer: |t| match t.place {
            OperandKind::Memory(m) if by_several(t) && halves(t) => {
                if m.dynamic || m.length % 2 == 1 || m.length == 0 {
                    Refuses
                } else if m.storage == Storage::Shared
                    && !m.outer
                    && m.block == 32
                    && m.length % 256 == 0
                {
                    // For any number of threads per row, each lane reduces whole vectors.
                    Accepts
                } else {
                    Either
                }
            }
            _ => Refuses,
        },
    },
    Row {
        label: "packed_key",
        name: "packed_key",
        chip: None,
        answer: |t| match t.place {
            OperandKind::Memory(m) => must(
                by_several(t)
                    && matches!(t.kind, Some(Kind::ArgMax | Kind::ArgMin))
                    && t.types.source.bits() <= 16
                    && !m.dynamic,
            ),
            _ => Refuses,
        },
    },
    Row {
        label: "redux",
        name: "redux",
        chip: None,
        answer: |t| {
            let acc = t.types.accumulator();
            if acc.is_float() || acc.bits() > 32 || matches!(t.kind, Some(Kind::Prod)) {
                return Refuses;
            }
            redux(t)
        },
    },
    Row {
        label: "redux-sm_100a",
        name: "redux",
        chip: Some("sm_100a"),
        answer: |t| {
            if t.types.accumulator() == Element::F32
                && matches!(t.kind, Some(Kind::Max | Kind::Min))
            {
                redux(t)
            } else {
                Refuses
            }
        },
    },
];

fn must(accept: bool) -> Answer {
    if accept { Accepts } else { Refuses }
}

/// Returns whether several threads reduce in shared or global memory.
fn by_several(t: &Traits) -> bool {
    matches!(t.place, OperandKind::Memory(m) if m.storage != Storage::Private && m.scope != Scope::Thread)
}

/// Returns whether the element type is f16 or bf16, and a reduction in this type has the same
/// results as in the accumulator type.
fn halves(t: &Traits) -> bool {
    matches!(t.types.source, Element::F16 | Element::BF16)
        && match t.kind {
            Some(Kind::Max | Kind::Min) => true,
            Some(Kind::Sum | Kind::Prod) => t.types.accumulator() == t.types.source,
            _ => false,
        }
}

/// Returns whether one thread reduces at least eight f32 elements to one result, in private memory
/// or registers.
fn long_f32_in_a_thread(t: &Traits) -> bool {
    t.types.source == Element::F32
        && t.types.accumulator() == Element::F32
        && matches!(
            t.place,
            OperandKind::Memory(m) if m.storage == Storage::Private && m.flat && m.length >= 8
        )
}

/// Returns the answer for the `redux` variant, which reduces one value of at most 32 bits across
/// lanes.
fn redux(t: &Traits) -> Answer {
    if matches!(t.kind, None | Some(Kind::ArgMax | Kind::ArgMin)) {
        return Refuses;
    }
    match t.place {
        OperandKind::Memory(m) if m.storage == Storage::Private || m.scope == Scope::Thread => {
            Refuses
        }
        // The variant must reduce across the lanes if the tile is a single row with at least as
        // many elements as a warp has lanes.
        OperandKind::Memory(m) if m.rows == 1 && m.length >= 32 && m.block >= 32 && !m.dynamic => {
            Accepts
        }
        OperandKind::Memory(_) => Either,
        OperandKind::Fragments(f) if f.scope == Scope::Thread => Refuses,
        OperandKind::Fragments(f) => must(f.crosses_lanes),
        OperandKind::Lanes(_) => Refuses,
    }
}

fn find(label: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.label == label)
}

pub(crate) fn labels() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.label)
}

/// Returns the variants that the target chip of verdicts programs supports.
pub(crate) fn asked() -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .filter(|row| row.label == row.name)
        .map(|row| row.name)
}

pub(crate) fn name(label: &str) -> Option<&'static str> {
    find(label).map(|row| row.name)
}

pub(crate) fn answer(label: &str, traits: &Traits) -> Answer {
    find(label).map_or(Refuses, |row| (row.answer)(traits))
}

pub(crate) fn chip(label: &str) -> Option<&'static str> {
    find(label).and_then(|row| row.chip)
}
