//! The largest or smallest value of each row together with an index that comes with it.

use crate::case::Case;
use crate::element::{Element, Mt19937};
use crate::host::{Buffer, Generic, Host, Reduce, Schedule, region};

/// Both the values and the indices are arguments. Where values are equal, the lower index wins.
pub(crate) struct Pairs<'a> {
    /// `argmax` or `argmin`.
    pub(crate) kind: &'a str,
    pub(crate) shape: [usize; 2],
    pub(crate) index: Element,
    pub(crate) schedule: Option<Schedule>,
    /// Whether the combiner has values before indices.
    pub(crate) value_first: bool,
    /// Whether extents are known at run time only.
    pub(crate) dynamic: bool,
}

/// The order of indices along a row.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Ascending,
    /// Each once, where the length has no common factor with 37.
    Mixed,
}

/// Values of which many are equal.
pub(crate) fn ties(count: usize) -> Vec<f64> {
    let mut random = Mt19937::new(0);
    (0..count)
        .map(|_| (random.uniform() * 64.0).floor() - 32.0)
        .collect()
}

impl Pairs<'_> {
    /// In all ways of writing it.
    pub(crate) fn all(&self) -> Vec<Case> {
        vec![self.by_hand(), self.named(), self.as_loops()]
    }

    /// With a combiner of the program's own.
    pub(crate) fn by_hand(&self) -> Case {
        self.combined("%value = arith.select %left, %v, %w : f32")
    }

    /// The same, where the value is computed and not chosen.
    pub(crate) fn computed(&self) -> Case {
        self.combined(match self.kind {
            "argmax" => "%value = arith.maximumf %v, %w : f32",
            _ => "%value = arith.minimumf %v, %w : f32",
        })
    }

    fn combined(&self, value: &str) -> Case {
        let ty = self.index.mlir();
        let better = if self.kind == "argmax" { "ogt" } else { "olt" };
        let none = match self.index {
            Element::I64 => i64::MAX,
            _ => i64::from(i32::MAX),
        };
        let none = format!("{none} : {ty}");
        let mut identity = [none.as_str(), self.worst()];
        let (left, right) = (
            [format!("%i: {ty}"), "%v: f32".to_owned()],
            [format!("%j: {ty}"), "%w: f32".to_owned()],
        );
        let mut parts = [[left[0].as_str(), &left[1]], [&right[0], &right[1]]];
        let mut results = ["%index", "%value"];
        let mut types = [ty, "f32"];
        if self.value_first {
            identity.reverse();
            parts.iter_mut().for_each(|part| part.reverse());
            results.reverse();
            types.reverse();
        }
        let identity = identity.join(", ");
        let combiner = region(
            &parts.as_flattened().join(", "),
            &[
                &format!("%more = arith.cmpf {better}, %v, %w : f32"),
                "%same = arith.cmpf oeq, %v, %w : f32",
                &format!("%before = arith.cmpi slt, %i, %j : {ty}"),
                "%first = arith.andi %same, %before : i1",
                "%left = arith.ori %more, %first : i1",
                value,
                &format!("%index = arith.select %left, %i, %j : {ty}"),
                &format!("tile.yield {} : {}", results.join(", "), types.join(", ")),
            ],
        );
        self.case(Order::Mixed, None, |host, mut from, mut into| {
            if self.value_first {
                from.reverse();
                into.reverse();
            }
            host.push(Reduce {
                kind: "custom",
                from,
                into,
                axes: vec![1],
                schedule: self.schedule.clone(),
                identity: &identity,
                combiner: combiner.clone(),
                ..Reduce::default()
            });
        })
    }

    /// With the kind that has a name, whose values come first.
    pub(crate) fn named(&self) -> Case {
        self.case(Order::Mixed, None, |host, mut from, mut into| {
            from.reverse();
            into.reverse();
            host.push(Reduce {
                kind: self.kind,
                from,
                into,
                axes: vec![1],
                schedule: self.schedule.clone(),
                ..Reduce::default()
            });
        })
    }

    /// As loops that go from left to right: a value that is no better than the old one is not
    /// taken, and before the first there is the index -1. Indices ascend, so that the first of equal
    /// values has the lowest.
    pub(crate) fn as_loops(&self) -> Case {
        self.case(Order::Ascending, None, |host, from, into| {
            host.fill(&into[0], &format!("-1 : {}", self.index.mlir()));
            host.fill(&into[1], self.worst());
            host.push(self.loops(from, into));
        })
    }

    /// The same with old values, of which every second is better than anything: then its index is
    /// what the destination was filled with.
    pub(crate) fn onto_old_values(&self) -> Case {
        let far = if self.kind == "argmax" {
            1000.0
        } else {
            -1000.0
        };
        let old: Vec<f64> = (0..self.shape[0])
            .map(|row| if row % 2 == 0 { far } else { -far })
            .collect();
        self.case(Order::Ascending, Some(&old), |host, from, into| {
            host.fill(&into[0], &format!("-1 : {}", self.index.mlir()));
            host.push(self.loops(from, into));
        })
    }

    fn worst(&self) -> &'static str {
        match self.kind {
            "argmax" => "0xFF800000 : f32",
            _ => "0x7F800000 : f32",
        }
    }

    fn loops(&self, from: Vec<Buffer>, mut into: Vec<Buffer>) -> Generic<'static> {
        let ty = self.index.mlir();
        let keeps = if self.kind == "argmax" { "oge" } else { "ole" };
        let (mut old, mut results) = (
            [format!("%j: {ty}"), "%w: f32".to_owned()],
            ["%index", "%value"],
        );
        let mut types = [ty, "f32"];
        if self.value_first {
            old.reverse();
            results.reverse();
            types.reverse();
            into.reverse();
        }
        Generic {
            from,
            into,
            maps: vec![
                "(i, k) -> (i, k)",
                "(i, k) -> (i, k)",
                "(i, k) -> (i)",
                "(i, k) -> (i)",
            ],
            reduced: vec![1],
            schedule: self.schedule.clone(),
            body: region(
                &format!("%i: {ty}, %v: f32, {}", old.join(", ")),
                &[
                    &format!("%keep = arith.cmpf {keeps}, %w, %v : f32"),
                    &format!("%index = arith.select %keep, %j, %i : {ty}"),
                    "%value = arith.select %keep, %w, %v : f32",
                    &format!("linalg.yield {} : {}", results.join(", "), types.join(", ")),
                ],
            ),
        }
    }

    /// `write` is given indices and values, and where both go. `old` values have the index -1.
    fn case(
        &self,
        order: Order,
        old: Option<&[f64]>,
        write: impl Fn(&mut Host, Vec<Buffer>, Vec<Buffer>),
    ) -> Case {
        let [rows, columns] = self.shape;
        let values = ties(rows * columns);
        let indices: Vec<f64> = (0..rows * columns)
            .map(|place| match order {
                Order::Ascending => place % columns,
                Order::Mixed => (place % columns * 37 + place / columns) % columns,
            } as f64)
            .collect();
        let (mut places, mut bests) = (Vec::new(), Vec::new());
        for (row, indices) in values.chunks(columns).zip(indices.chunks(columns)) {
            let best = row.iter().copied().reduce(match self.kind {
                "argmax" => f64::max,
                _ => f64::min,
            });
            let best = best.unwrap_or(f64::NAN);
            let ties = row.iter().zip(indices).filter(|(v, _)| **v == best);
            places.push(ties.map(|(_, i)| *i).fold(f64::INFINITY, f64::min));
            bests.push(best);
        }
        for (row, old) in old.into_iter().flatten().enumerate() {
            if (self.kind == "argmax") == (*old >= bests[row]) {
                (places[row], bests[row]) = (-1.0, *old);
            }
        }
        let mut host = match self.dynamic {
            true => Host::dynamic(),
            false => Host::new(),
        };
        let shape = &self.shape;
        let idx = host.input("Idx", self.index, shape, &indices);
        let val = host.input("Val", Element::F32, shape, &values);
        let place = host.output("T0", self.index, &[rows], &places);
        let best = match old {
            None => host.output("T1", Element::F32, &[rows], &bests),
            Some(old) => host.output_onto("T1", Element::F32, &[rows], old, &bests),
        };
        write(&mut host, vec![idx, val], vec![place, best]);
        host.case()
    }
}
