//! `packed_add_sum` and `3input_maxmin`: one thread reduces f32 elements by instructions that
//! sm_100 introduced.
//!
//! LLVM selects `add.rn.f32x2` and the three-operand `max.f32` and `min.f32` for ordinary
//! arithmetic ops.

use super::parts::{load_elements, source_index, store_result};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::analysis::placement::Placement;
use crate::combiner::Combiner;
use crate::emit::{finish, fragment, registers, registers_type, scalars, vector_of};
use melior::ir::ValueLike;
use tx_dialect_tile::{Fragment, Kind, Scope, element_type};
use tx_mlir::memref::Space;
use tx_mlir::{Builder, Index, Val};
use tx_scalar::Float;

const CHUNK: usize = 8;

pub(crate) struct PackedAddSum;
pub(crate) struct ThreeInputMaxMin;

const fn predicates(kind: Predicate) -> [Predicate; 9] {
    [
        kind,
        checks::LAYOUT,
        Predicate {
            name: "scope",
            check: |r| match r.view.scope {
                Scope::Thread => Ok(()),
                other => Err(format!("scope `{other}`, expected `thread`")),
            },
        },
        Predicate {
            name: "storage",
            check: |r| match r.sources.iter().find(|m| m.space != Space::Private) {
                Some(m) => Err(format!(
                    "source is in {}, expected registers or private memory",
                    m.space.name()
                )),
                None => Ok(()),
            },
        },
        Predicate {
            name: "results",
            check: |r| match r.results() {
                Some(1) => Ok(()),
                Some(n) => Err(format!("{n} results, expected 1")),
                None => Err("the number of results is dynamic, expected 1".to_owned()),
            },
        },
        Predicate {
            name: "rank",
            check: |r| match r.shape.len() {
                1 => Ok(()),
                n => Err(format!("source of rank {n}, expected 1")),
            },
        },
        Predicate {
            name: "type",
            check: |r| {
                let element = element_type(r.view.sources[0].r#type());
                let acc = r.view.accumulators().unwrap_or_default();
                let single = |t: &melior::ir::Type<'_>| Float::of(*t) == Some(Float::F32);
                match element {
                    Some(e) if single(&e) && acc.iter().all(single) => Ok(()),
                    Some(e) if single(&e) => {
                        Err("partial results are not f32, expected f32".to_owned())
                    }
                    Some(e) => Err(format!("elements are `{e}`, expected `f32`")),
                    None => Err("the source is no tile".to_owned()),
                }
            },
        },
        Predicate {
            name: "chip",
            check: |r| {
                if r.chip.packed_f32 {
                    return Ok(());
                }
                Err(format!("{} is older than sm_100", r.chip))
            },
        },
        Predicate {
            name: "length",
            check: |r| match r.length() {
                Some(n) if n >= CHUNK as u64 => Ok(()),
                Some(n) => Err(format!("length {n}, expected {CHUNK} or more")),
                None => Err(format!("the length is dynamic, expected {CHUNK} or more")),
            },
        },
    ]
}

const SUM: &[Predicate] = &predicates(Predicate {
    name: "kind",
    check: |r| match r.view.kind {
        Kind::Sum => Ok(()),
        other => Err(format!("`{other}`, expected `sum`")),
    },
});

const MAX_MIN: &[Predicate] = &predicates(Predicate {
    name: "kind",
    check: |r| match r.view.kind {
        Kind::Max | Kind::Min => Ok(()),
        other => Err(format!("`{other}`, expected `max` or `min`")),
    },
});

impl Variant for PackedAddSum {
    fn name(&self) -> &'static str {
        "packed_add_sum"
    }

    fn doc(&self) -> &'static str {
        "\
One thread sums f32 elements in pairs, by the instruction `add.rn.f32x2` of sm_100.

The thread loads eight elements at a time, and has four accumulators of two elements each. The variant
is for reductions of registers or private memory to one result in one thread."
    }

    fn priority(&self) -> i32 {
        20
    }

    fn predicates(&self) -> &'static [Predicate] {
        SUM
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        r.length().unwrap_or(0).div_ceil(2) * 4
    }

    fn params(&self, _: &Reduction<'_>) -> Params {
        Params::new()
    }

    fn expand<'c>(&self, r: &Reduction<'c>, _: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        in_chunks(b, r, |combiner, elements| {
            let pair = |two: &[Val<'c>]| vec![vector_of(b, two)];
            let chunks = elements.chunks_exact(CHUNK);
            let rest = chunks.remainder().to_vec();
            // Each chunk of eight elements consists of four pairs. Each pair is combined with the
            // same pair of the next chunk.
            let mut pairs: Vec<Vec<Val<'c>>> = Vec::new();
            for chunk in chunks {
                let next = chunk.chunks(2).map(pair);
                pairs = if pairs.is_empty() {
                    next.collect()
                } else {
                    let both = pairs.iter().zip(next);
                    both.map(|(l, r)| combiner.combine(b, l, &r)).collect()
                };
            }
            let two = combiner.combine_all(b, pairs);
            let mut all: Vec<Vec<Val<'c>>> =
                scalars(b, two[0]).into_iter().map(|v| vec![v]).collect();
            all.extend(rest.into_iter().map(|v| vec![v]));
            combiner.combine_all(b, all)
        });
    }
}

impl Variant for ThreeInputMaxMin {
    fn name(&self) -> &'static str {
        "3input_maxmin"
    }

    fn doc(&self) -> &'static str {
        "\
One thread computes an f32 maximum or minimum by three-operand instructions of sm_100.

The thread loads eight elements at a time, and has four accumulators. Each accumulator combines two
elements by one `max.f32` or `min.f32`. The variant is for reductions of registers or private memory to
one result in one thread."
    }

    fn priority(&self) -> i32 {
        20
    }

    fn predicates(&self) -> &'static [Predicate] {
        MAX_MIN
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        r.length().unwrap_or(0).div_ceil(2) * 4
    }

    fn params(&self, _: &Reduction<'_>) -> Params {
        Params::new()
    }

    fn expand<'c>(&self, r: &Reduction<'c>, _: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        in_chunks(b, r, |combiner, elements| {
            // Accumulator i combines elements 2i and 2i + 1 of each chunk.
            let mut chains: Vec<Option<Vec<Val<'c>>>> = vec![None; CHUNK / 2];
            for (i, element) in elements.iter().enumerate() {
                let chain = &mut chains[i % CHUNK / 2];
                let element = vec![*element];
                *chain = Some(match chain.take() {
                    Some(before) => combiner.combine(b, &before, &element),
                    None => element,
                });
            }
            // The accumulators are combined one after another, so LLVM merges two consecutive
            // combinations into one three-operand instruction.
            let mut chains = chains.into_iter().flatten();
            let first = chains.next().unwrap_or_else(|| combiner.start(b));
            chains.fold(first, |l, r| combiner.combine(b, &l, &r))
        });
    }
}

fn slots_of(fragment: Val<'_>) -> usize {
    let vector = registers_type(fragment.r#type());
    let lanes = vector.and_then(tx_mlir::vector_parts).map_or(1, |(n, _)| n);
    usize::try_from(lanes).unwrap_or(1)
}

/// Emits loads of all elements, the ops that the callback `combine` creates, and the store of the
/// result.
fn in_chunks<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    combine: impl FnOnce(&Combiner<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) {
    let Ok(combiner) = r.combiner() else { return };
    let length = r.length().unwrap_or(0).cast_signed();
    if r.sources.is_empty() {
        let source = Fragment::from_type(r.view.sources[0].r#type());
        let placed = source.and_then(|f| Placement::of(&f, Scope::Thread).ok());
        let vector = registers(b, r.view.sources[0]);
        let (Some(placed), Some(vector)) = (placed, vector) else {
            return;
        };
        let slots = placed.slots.iter().zip(scalars(b, vector));
        let elements: Vec<Val<'c>> = slots
            .filter(|(slot, _)| !slot.copy)
            .map(|(_, v)| v)
            .collect();
        let total = combine(&combiner, &elements);
        let old = r.view.accumulate.then(|| {
            let old = registers(b, r.view.inits[0]).map(|v| scalars(b, v));
            old.unwrap_or_default()
        });
        let output = tx_mlir::results(r.view.op)[0];
        let types: Vec<_> = element_type(output.r#type()).into_iter().collect();
        let result = finish(b, &combiner, &total, Index::Const(length), old, &types);
        let slots = vec![result[0]; slots_of(output)];
        let made = fragment(b, vector_of(b, &slots), output.r#type());
        tx_mlir::replace_uses(output, made);
        return;
    }
    let elements: Vec<Val<'c>> = (0..length)
        .map(|i| {
            let reduced = vec![Index::Const(i); r.reduced.len()];
            let kept = vec![Index::Const(0); r.kept.len()];
            let place = source_index(b, r, &kept, &reduced);
            load_elements(b, r, &place, 1)[0][0]
        })
        .collect();
    let total = combine(&combiner, &elements);
    let kept = vec![Index::Const(0); r.kept.len()];
    store_result(b, r, &combiner, &total, Index::Const(length), &kept);
}
