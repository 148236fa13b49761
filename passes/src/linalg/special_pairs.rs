//! Reductions that select the largest or smallest value and its index, but differ from `argmax` and
//! `argmin` in their results for rows with NaN or in their treatment of old output values. This
//! module splits each reduction that is a [`SpecialPair`] into several ops.
//!
//! For a row with NaN, the result of the original loop nest depends on the position of the first or
//! last NaN. No commutative combiner with a state of constant size can compute the result of the
//! loop nest. The compiler therefore computes the result by several reductions, each of which does
//! not depend on the order of elements.
//!
//! With the rule [`NanRule::ValueOnly`], the result is the value NaN with the index of the largest
//! or smallest element before the first NaN. With [`NanRule::ValueOnly`], the first reduction
//! computes the output value and the position of the first NaN of each row, and the second
//! reduction is an `argmax` of the elements before the first NaN.
//!
//! With the rule [`NanRule::Last`], the result is the last NaN of the row. An `argmax` returns the
//! lowest index of a NaN, so the compiler negates the indices of NaN elements before the `argmax`,
//! and restores the original indices after the `argmax`.
//!
//! A reduction that ignores NaN becomes two ops, unless the outputs are filled with the identity
//! and an index of at most 0: an `argmax` that starts from the identity, and an op that compares
//! the results of the `argmax` with the old output values. The final result is the old output value
//! if this value is NaN or equals the result of the `argmax`.
//!
//! With the rule [`NanRule::AfterLast`], the element that follows a NaN always replaces the NaN.
//! With [`NanRule::AfterLast`], the first reduction computes the position of the last NaN, and the
//! second reduction is an `argmax` of the elements after the last NaN.
//!
//! If the outputs were not filled with neutral values, the reductions write temporaries. After the
//! reductions, the original body combines the contents of the temporaries with the old output
//! values.

use super::attributes::handed_on;
use super::choice::NanRule;
use super::converted_ops::ConvertedOps;
use super::fills::fill_before;
use super::part::{Body, Operand, Part};
use super::read::{Loops, element_of};
use super::recognise::{SpecialPair, special_pair};
use super::scalar::Scalar;
use crate::analysis::dataflow::{Access, Dataflow};
use crate::grid::partials::allocate;
use melior::ir::ValueLike;
use tx_dialect_tile::{Kind, Nan};
use tx_mlir::{Affine, Builder, Index, Op, Val, enclosing, integer_width};

/// Integer encodings of predicates of `arith.cmpf`.
const OGT: i64 = 2;
const OLT: i64 = 4;
const OEQ: i64 = 1;
const UNO: i64 = 14;

/// Integer encodings of predicates of `arith.cmpi`.
const NE: i64 = 1;
const SLT: i64 = 2;
const SGE: i64 = 5;

/// Emits the ops that replace the reduction `loops`. Returns `None` if `loops` does not select a
/// value and its index, or if `loops` is an `argmax` or `argmin`.
pub(super) fn separate<'c>(loops: &Loops<'c>) -> Option<Vec<Op<'c>>> {
    let is_other = |one: &str| one != "determinism";
    if loops.reduced.is_empty()
        || handed_on(loops.op)
            .iter()
            .any(|(one, _)| is_other(one.name))
        || loops.outputs.iter().any(|o| {
            let kept = o.map.results.iter().filter(|r| matches!(r, Affine::Dim(_)));
            kept.count() != loops.kept().len()
        })
    {
        return None;
    }
    let pair = special_pair(loops)?;
    if pair.nan == NanRule::Like(Nan::Ignore) && starts_below_all(loops, &pair) {
        return None;
    }
    let b = &Builder::before(loops.op);
    let lengths = loops.reduced[1..].iter().map(|d| length(b, loops, *d));
    let lengths: Vec<Index<'c>> = lengths.collect::<Option<_>>()?;
    let work = Work {
        b,
        loops,
        value: loops.outputs[pair.value].clone(),
        index: loops.outputs[1 - pair.value].clone(),
        old_value: loops.old_value(pair.value)?,
        old_index: loops.old_value(1 - pair.value)?,
        lengths,
        pair,
    };
    work.write()
}

fn length<'c>(b: &Builder<'c>, loops: &Loops<'c>, d: usize) -> Option<Index<'c>> {
    let lengths = loops.all().filter_map(|o| {
        let place = o.map.results.iter().position(|r| *r == Affine::Dim(d))?;
        Some((o.value, place, o.memref.as_ref()?.shape[place]))
    });
    let all: Vec<_> = lengths.collect();
    let known = all.iter().find_map(|(.., length)| *length);
    match (known, all.first()) {
        (Some(n), _) => Some(Index::Const(n.cast_signed())),
        (None, Some((memref, place, _))) => Some(Index::Val(b.dim(*memref, *place))),
        (None, None) => None,
    }
}

fn neutral(kind: Kind) -> f64 {
    match kind {
        Kind::ArgMin => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    }
}

/// Returns the constants with which the value and index outputs were filled.
fn filled_with(loops: &Loops<'_>, pair: &SpecialPair<'_>) -> Option<(Scalar, Scalar)> {
    let flow = Dataflow::of(enclosing(loops.op, "func.func")?);
    let converted = ConvertedOps::default();
    let [value, index] = [pair.value, 1 - pair.value].map(|output| {
        let memory = loops.outputs[output].value;
        fill_before(loops.op, memory, &flow, &converted).and_then(|fill| fill.value)
    });
    value.zip(index)
}

/// Returns whether the outputs were filled with the identity and an index of at most 0, so that one
/// `argmax` can combine the filled values with the elements.
fn starts_below_all(loops: &Loops<'_>, pair: &SpecialPair<'_>) -> bool {
    filled_with(loops, pair).is_some_and(|(value, index)| {
        value == Scalar::Float(neutral(pair.kind)) && index.int().is_some_and(|index| index <= 0)
    })
}

struct Work<'a, 'c> {
    b: &'a Builder<'c>,
    loops: &'a Loops<'c>,
    pair: SpecialPair<'c>,
    value: Access<'c>,
    index: Access<'c>,
    old_value: Val<'c>,
    old_index: Val<'c>,
    /// Trip counts of all reduced loops except the first reduced loop.
    lengths: Vec<Index<'c>>,
}

impl<'c> Work<'_, 'c> {
    fn write(&self) -> Option<Vec<Op<'c>>> {
        let mut temporaries = Vec::new();
        let made = match self.pair.nan {
            NanRule::ValueOnly => self.value_only(&mut temporaries),
            NanRule::Last => self.last(&mut temporaries),
            NanRule::AfterLast => self.after_last(&mut temporaries),
            NanRule::Like(Nan::Ignore) => self.numbers(&mut temporaries),
            NanRule::Like(_) | NanRule::Other => None,
        }?;
        for temporary in temporaries {
            self.b
                .create("memref.dealloc")
                .operands(&[temporary])
                .build();
        }
        Some(made)
    }

    /// Emits two ops: an `argmax` or `argmin` of the elements of each row that are not NaN, and an
    /// op that combines the result with the old output values.
    fn numbers(&self, temporaries: &mut Vec<Val<'c>>) -> Option<Vec<Op<'c>>> {
        let best = self.temporary(&self.value, temporaries);
        let index = self.temporary(&self.index, temporaries);
        self.fill_value(best.value);
        self.fill_index(index.value, 0);
        let yielded = self.loops.yielded();
        let roots = [yielded[self.pair.value], yielded[1 - self.pair.value]];
        let outputs = vec![
            (best.clone(), Some(self.old_value)),
            (index.clone(), Some(self.old_index)),
        ];
        let part = Part::of(self.loops, &roots, outputs)?;
        let of_rows = part.write(self.b, |body, _| body.copy(&roots, &[]));
        let part = self.over_rows(self.results(&best, &index), self.outputs());
        let with_old = part.overwrite(self.b, |body, _, known| body.copy(&roots, known));
        Some(vec![of_rows, with_old])
    }

    /// Emits ops that compute the value NaN, with the index of the largest or smallest element
    /// before the first NaN.
    fn value_only(&self, temporaries: &mut Vec<Val<'c>>) -> Option<Vec<Op<'c>>> {
        let is_fresh = self.is_fresh();
        let best = self.temporary(&self.value, temporaries);
        let index = match is_fresh {
            true => self.index.clone(),
            false => self.temporary(&self.index, temporaries),
        };
        let first = self.places(temporaries);
        self.fill_value(best.value);
        if !is_fresh {
            self.fill_index(index.value, 0);
        }
        self.fill_index(first.value, self.greatest());
        let mut made = vec![self.first_nan(&first, is_fresh)?];
        made.push(
            self.best_where(&best, &index, &first, 0, |b, place, first| {
                b.compare_ints(SLT, place, first)
            })?,
        );
        if !is_fresh {
            let yielded = self.loops.yielded();
            let (value, of_index) = (yielded[self.pair.value], yielded[1 - self.pair.value]);
            let mut inputs = self.results(&best, &index);
            inputs.push((self.value.clone(), Some(self.old_value)));
            let part = self.over_rows(inputs, vec![(self.index.clone(), Some(self.old_index))]);
            made.push(part.overwrite(self.b, |body, _, known| body.copy(&[of_index], known)));
            let outputs = vec![(self.value.clone(), Some(self.old_value))];
            let part = Part::of(self.loops, &[value], outputs)?;
            made.push(part.write_roots(self.b, &[value]));
        }
        Some(made)
    }

    fn last(&self, temporaries: &mut Vec<Val<'c>>) -> Option<Vec<Op<'c>>> {
        if self.is_fresh() {
            let (value, index) = (&self.value, &self.index);
            return Some(vec![
                self.best_or_last(value, index)?,
                self.decoded(value, index),
            ]);
        }
        let best = self.temporary(&self.value, temporaries);
        let index = self.temporary(&self.index, temporaries);
        self.fill_value(best.value);
        self.fill_index(index.value, 0);
        let yielded = self.loops.yielded();
        let roots = [yielded[self.pair.value], yielded[1 - self.pair.value]];
        let part = self.over_rows(self.results(&best, &index), self.outputs());
        Some(vec![
            self.best_or_last(&best, &index)?,
            self.decoded(&best, &index),
            part.overwrite(self.b, |body, _, known| body.copy(&roots, known)),
        ])
    }

    /// Emits ops that compute the value and index of the largest or smallest element after the last
    /// NaN. If no element follows the last NaN, the result is the last NaN.
    fn after_last(&self, temporaries: &mut Vec<Val<'c>>) -> Option<Vec<Op<'c>>> {
        let best = self.temporary(&self.value, temporaries);
        let index = self.temporary(&self.index, temporaries);
        let last = self.places(temporaries);
        let last_index = self.temporary(&self.index, temporaries);
        self.fill_value(best.value);
        // Index that marks a row without elements.
        let none = self.greatest();
        self.fill_index(index.value, none);
        self.fill_index(last.value, -1);
        self.fill_index(last_index.value, 0);
        let roots = [self.pair.element, self.pair.index];
        let outputs = vec![(last.clone(), None), (last_index.clone(), None)];
        let part = Part::of(self.loops, &roots, outputs)?;
        let number = part.inputs.len();
        let last_nan = part.write(self.b, |body, given| {
            let b = body.builder();
            let computed = body.copy(&roots, &[]);
            let (old, old_index) = (given[number], given[number + 1]);
            let other = b.int(-1, old.r#type());
            let own = Self::select(b, Self::is_nan(b, computed[0]), self.place(body), other);
            let is_later = b.compare_ints(SLT, old, own);
            vec![
                Self::select(b, is_later, own, old),
                Self::select(b, is_later, computed[1], old_index),
            ]
        });
        let after = self.best_where(&best, &index, &last, none, |b, place, last| {
            b.compare_ints(SLT, last, place)
        })?;
        let mut inputs = self.results(&best, &index);
        inputs.extend([(last, None), (last_index, None)]);
        let yielded = self.loops.yielded();
        let roots = [yielded[self.pair.value], yielded[1 - self.pair.value]];
        let part = self.over_rows(inputs, self.outputs());
        let with_old = part.overwrite(self.b, |body, given, known| {
            let b = body.builder();
            let [best, index, last, last_index, old_value, old_index] = given[..] else {
                return Vec::new();
            };
            let old = |own: Val<'c>, given: Val<'c>| {
                let constant = known.iter().find(|(value, _)| *value == own);
                constant.map_or(given, |(_, constant)| *constant)
            };
            let combined = body.copy(&roots, known);
            let none = b.int(none, index.r#type());
            let exists = b.compare_ints(NE, index, none);
            let follows = b.compare_ints(SGE, last, b.int(0, last.r#type()));
            let nan = b.float(f64::NAN, best.r#type());
            let choose = |after: Val<'c>, nan: Val<'c>, combined: Val<'c>, old: Val<'c>| {
                let of_nan = Self::select(b, exists, after, nan);
                let without = Self::select(b, exists, combined, old);
                Self::select(b, follows, of_nan, without)
            };
            vec![
                choose(best, nan, combined[0], old(self.old_value, old_value)),
                choose(
                    index,
                    last_index,
                    combined[1],
                    old(self.old_index, old_index),
                ),
            ]
        });
        Some(vec![last_nan, after, with_old])
    }

    /// Returns the results of the reductions as replacements of the element and the index in the
    /// original body.
    fn results(&self, best: &Access<'c>, index: &Access<'c>) -> Vec<Operand<'c>> {
        vec![
            (best.clone(), Some(self.pair.element)),
            (index.clone(), Some(self.pair.index)),
        ]
    }

    fn outputs(&self) -> Vec<Operand<'c>> {
        vec![
            (self.value.clone(), Some(self.old_value)),
            (self.index.clone(), Some(self.old_index)),
        ]
    }

    fn places(&self, temporaries: &mut Vec<Val<'c>>) -> Access<'c> {
        let memory = self.allocate(&self.value, &self.index);
        temporaries.push(memory);
        Access::new(memory, self.value.map.clone())
    }

    /// Returns whether the outputs were filled with the identity and with index 0, the result of an
    /// `argmax` without elements.
    fn is_fresh(&self) -> bool {
        self.pair.is_counted
            && filled_with(self.loops, &self.pair)
                == Some((Scalar::Float(self.neutral()), Scalar::Int(0)))
    }

    fn neutral(&self) -> f64 {
        neutral(self.pair.kind)
    }

    fn better(&self) -> i64 {
        match self.pair.kind {
            Kind::ArgMin => OLT,
            _ => OGT,
        }
    }

    fn greatest(&self) -> i64 {
        match integer_width(element_of(self.index.value)) {
            Some(32) => i64::from(i32::MAX),
            _ => i64::MAX,
        }
    }

    fn allocate(&self, like: &Access<'c>, of: &Access<'c>) -> Val<'c> {
        let shape = like.memref.iter().flat_map(|m| m.shape.iter().enumerate());
        let size = |(i, size): (usize, &Option<u64>)| match size {
            Some(n) => Index::Const(n.cast_signed()),
            None => Index::Val(self.b.dim(like.value, i)),
        };
        let sizes: Vec<Index<'c>> = shape.map(size).collect();
        allocate(self.b, &sizes, element_of(of.value))
    }

    fn temporary(&self, like: &Access<'c>, temporaries: &mut Vec<Val<'c>>) -> Access<'c> {
        let memory = self.allocate(like, like);
        temporaries.push(memory);
        Access::new(memory, like.map.clone())
    }

    fn fill(&self, memory: Val<'c>, with: Val<'c>) {
        let types = [with.r#type(); 2];
        let body = self
            .b
            .region_of(&types, "linalg.yield", |_, given| vec![given[0]]);
        self.b
            .create("linalg.fill")
            .operands(&[with, memory])
            .segments(&[1, 1])
            .region(body)
            .build();
    }

    fn fill_index(&self, memory: Val<'c>, with: i64) {
        self.fill(memory, self.b.int(with, element_of(memory)));
    }

    fn fill_value(&self, memory: Val<'c>) {
        self.fill(memory, self.b.float(self.neutral(), element_of(memory)));
    }

    /// Emits the position of an element in its row, in the index type of the program.
    fn place(&self, body: &Body<'_, 'c>) -> Val<'c> {
        let b = body.builder();
        let mut place = body.index(self.loops.reduced[0]);
        for (d, length) in self.loops.reduced[1..].iter().zip(&self.lengths) {
            let rows = b.binary("arith.muli", place, b.value(*length));
            place = b.binary("arith.addi", rows, body.index(*d));
        }
        b.index_cast(place, element_of(self.index.value))
    }

    fn select(b: &Builder<'c>, condition: Val<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        b.create("arith.select")
            .operands(&[condition, yes, no])
            .result(yes.r#type())
            .value()
    }

    fn is_nan(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
        b.compare_floats(UNO, value, value)
    }

    /// Emits a reduction that computes the position of the first NaN of each row. If `with_value`
    /// is set, the reduction also computes the value output of the original reduction.
    fn first_nan(&self, first: &Access<'c>, with_value: bool) -> Option<Op<'c>> {
        let value = self.loops.yielded()[self.pair.value];
        let mut outputs: Vec<Operand<'c>> = vec![(first.clone(), None)];
        let mut roots = vec![self.pair.element];
        if with_value {
            outputs.insert(0, (self.value.clone(), Some(self.old_value)));
            roots.push(value);
        }
        let part = Part::of(self.loops, &roots, outputs)?;
        Some(part.write(self.b, |body, given| {
            let b = body.builder();
            let computed = body.copy(&roots, &[]);
            let old = given[given.len() - 1];
            let none = b.int(self.greatest(), old.r#type());
            let own = Self::select(b, Self::is_nan(b, computed[0]), self.place(body), none);
            let first = b.binary("arith.minsi", old, own);
            computed[1..].iter().copied().chain([first]).collect()
        }))
    }

    /// Emits, for each row, an `argmax` or `argmin` of the elements whose position satisfies the
    /// predicate `counts`. The predicate compares the position with `limit`. If `none` is not 0,
    /// the value `none` replaces the index of each element that does not satisfy `counts`.
    fn best_where(
        &self,
        best: &Access<'c>,
        index: &Access<'c>,
        limit: &Access<'c>,
        none: i64,
        counts: impl FnOnce(&Builder<'c>, Val<'c>, Val<'c>) -> Val<'c>,
    ) -> Option<Op<'c>> {
        let roots = [self.pair.element, self.pair.index];
        let outputs = vec![(best.clone(), None), (index.clone(), None)];
        let mut part = Part::of(self.loops, &roots, outputs)?;
        part.inputs.push((limit.clone(), None));
        let number = part.inputs.len() - 1;
        Some(part.write(self.b, |body, given| {
            let b = body.builder();
            let computed = body.copy(&roots, &[]);
            let [value, mut index] = computed[..] else {
                return Vec::new();
            };
            let (old, old_index) = (given[number + 1], given[number + 2]);
            let counts = counts(b, self.place(body), given[number]);
            let value = Self::select(b, counts, value, b.float(self.neutral(), value.r#type()));
            let mut wins = b.compare_floats(self.better(), value, old);
            if none != 0 {
                index = Self::select(b, counts, index, b.int(none, index.r#type()));
                let ties = b.compare_floats(OEQ, value, old);
                let earlier = b.compare_ints(SLT, index, old_index);
                wins = b.binary("arith.ori", wins, b.binary("arith.andi", ties, earlier));
            }
            vec![
                Self::select(b, wins, value, old),
                Self::select(b, wins, index, old_index),
            ]
        }))
    }

    /// Emits an `argmax` or `argmin` of each row; the result for a row with NaN is the last NaN.
    /// The indices of NaN elements are negated, because `argmax` and `argmin` return the lowest
    /// index of a NaN.
    fn best_or_last(&self, best: &Access<'c>, index: &Access<'c>) -> Option<Op<'c>> {
        let roots = [self.pair.element, self.pair.index];
        let outputs = vec![(best.clone(), None), (index.clone(), None)];
        let part = Part::of(self.loops, &roots, outputs)?;
        let number = part.inputs.len();
        Some(part.write(self.b, |body, given| {
            let b = body.builder();
            let computed = body.copy(&roots, &[]);
            let (value, old, old_index) = (computed[0], given[number], given[number + 1]);
            let is_nan = Self::is_nan(b, value);
            let index = Self::select(b, is_nan, self.negated(b, computed[1]), computed[1]);
            let is_better = b.compare_floats(self.better(), value, old);
            let wins = b.binary("arith.ori", is_better, is_nan);
            let wins = b.binary("arith.andi", wins, b.not(Self::is_nan(b, old)));
            vec![
                Self::select(b, wins, value, old),
                Self::select(b, wins, index, old_index),
            ]
        }))
    }

    /// Emits an op that negates the indices of NaN a second time, to restore the original indices.
    fn decoded(&self, best: &Access<'c>, index: &Access<'c>) -> Op<'c> {
        let inputs = vec![(best.clone(), None)];
        let part = self.over_rows(inputs, vec![(index.clone(), None)]);
        part.write(self.b, |body, given| {
            let b = body.builder();
            let negated = self.negated(b, given[1]);
            vec![Self::select(
                b,
                Self::is_nan(b, given[0]),
                negated,
                given[1],
            )]
        })
    }

    /// Emits the value `greatest - index`, where `greatest` is the largest number of the index
    /// type. A call with `greatest - index` restores `index`.
    fn negated(&self, b: &Builder<'c>, index: Val<'c>) -> Val<'c> {
        let greatest = b.int(self.greatest(), index.r#type());
        b.binary("arith.subi", greatest, index)
    }

    fn over_rows(&self, inputs: Vec<Operand<'c>>, outputs: Vec<Operand<'c>>) -> Part<'_, 'c> {
        let kept = self.loops.kept();
        let place = |d: usize| match kept.iter().position(|k| *k == d) {
            Some(place) => Affine::Dim(place),
            None => Affine::Const(0),
        };
        Part {
            loops: self.loops,
            dims: kept.len(),
            by: (0..self.loops.dims).map(place).collect(),
            inputs,
            outputs,
        }
    }
}
