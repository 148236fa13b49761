//! Inputs and expected results of programs.

use std::sync::Arc;

use crate::custom::{self, Custom};
use crate::element::Element;
use crate::inputs::{self, Random, SORTS};
use crate::program::Rows;
use crate::reference::{self, Expected, Kind, Nan, Rule};
use crate::spec::{Spec, Types, Work};

/// Input rows, one for each result.
pub(crate) struct Input {
    /// Elements of each source, in tile order.
    pub(crate) values: Vec<Vec<u64>>,
    pub(crate) rows: Rows,
}

/// Returns the position of element `i` of row `r` in the tile of a group.
pub(crate) type At<'a> = &'a dyn Fn(usize, usize) -> usize;

impl Spec {
    /// Returns the elements of all sources.
    pub(crate) fn input(
        &self,
        groups: usize,
        rows: usize,
        length: usize,
        at: At<'_>,
        random: &mut Random,
    ) -> Input {
        let sources = match &self.work {
            Work::Custom(custom) => custom.elements.len(),
            _ => 1,
        };
        let mut input = Input {
            values: vec![vec![0; groups * rows * length]; sources],
            rows: Arc::new(Vec::new()),
        };
        let mut places = Vec::new();
        let first = random.below(SORTS.len());
        for number in 0..groups * rows {
            let made = match &self.work {
                Work::Values(types, _) | Work::Indices(types, ..) => {
                    let sort = SORTS[(first + number) % SORTS.len()];
                    vec![inputs::row(
                        sort,
                        types.source,
                        types.accumulator(),
                        length,
                        random,
                    )]
                }
                Work::Custom(custom) => custom::rows(custom, first + number, length, random),
            };
            let (group, row) = (number / rows, number % rows);
            let at: Vec<usize> = (0..length)
                .map(|i| group * rows * length + at(row, i))
                .collect();
            for (values, made) in input.values.iter_mut().zip(made) {
                for (place, value) in at.iter().zip(made) {
                    values[*place] = value;
                }
            }
            places.push(at);
        }
        input.rows = Arc::new(places);
        input
    }
}

/// Expected results of a reduction kind, and the contents of its destinations before the run.
pub(crate) struct Results {
    /// Old contents of each destination.
    pub(crate) old: Vec<Vec<u64>>,
    pub(crate) expected: Vec<Vec<Expected>>,
}

impl Results {
    /// Copies the result of each group to all threads of the group.
    pub(crate) fn spread(self, rows: &[Vec<usize>]) -> Self {
        Self {
            old: self.old.iter().map(|of| spread(rows, of)).collect(),
            expected: self.expected.iter().map(|of| spread(rows, of)).collect(),
        }
    }
}

/// Returns one value for each position that belongs to a row. Each value is the value of the row to
/// which the position belongs.
pub(crate) fn spread<T: Clone>(rows: &[Vec<usize>], of_rows: &[T]) -> Vec<T> {
    let mut places: Vec<(usize, &T)> = rows
        .iter()
        .zip(of_rows)
        .flat_map(|(row, of)| row.iter().map(move |place| (*place, of)))
        .collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, of)| of.clone()).collect()
}

/// Returns the initial contents of a destination that the kernel must not read.
pub(crate) fn garbage(element: Element) -> u64 {
    element.wrap(0x5bad_5bad_5bad_5bad)
}

impl Spec {
    /// Returns the element type of each destination.
    pub(crate) fn destinations(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) => vec![types.destination],
            Work::Indices(types, _, index) => vec![types.destination, *index],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }

    /// Returns the element type of each source.
    pub(crate) fn sources(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) | Work::Indices(types, ..) => vec![types.source],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }

    /// Returns the expected results of a reduction kind.
    pub(crate) fn results(
        &self,
        kind: Option<Kind>,
        input: &Input,
        accumulate: bool,
        random: &mut Random,
    ) -> Result<Results, String> {
        let elements = self.destinations();
        let mut results = Results {
            old: vec![Vec::new(); elements.len()],
            expected: vec![Vec::new(); elements.len()],
        };
        for (number, row) in input.rows.iter().enumerate() {
            let mut last = String::new();
            let mut found = None;
            // If several results are correct for the old value, the next attempt uses another old
            // value.
            for attempt in 0..9 {
                let old: Vec<u64> = elements
                    .iter()
                    .enumerate()
                    .map(|(i, element)| match (&self.work, accumulate) {
                        (_, false) => garbage(*element),
                        (Work::Indices(..), true) if i == 1 => {
                            // The old index is less or greater than the index of the extreme
                            // element, and sometimes not an index of the row.
                            (random.below(row.len() + 3) + row.len() * (attempt / 5)) as u64
                        }
                        (Work::Custom(_), true) if element.is_float() => {
                            element.nearest([1.0, -2.0, 0.0, 2.0][number % 4])
                        }
                        _ => inputs::old(*element, number + attempt, random),
                    })
                    .collect();
                match self.result(kind, input, row, accumulate.then_some(&old)) {
                    Ok(expected) => {
                        found = Some((old, expected));
                        break;
                    }
                    Err(error) => last = error,
                }
                if !accumulate {
                    break;
                }
            }
            let (old, expected) = found.ok_or(last)?;
            for (i, (old, expected)) in old.into_iter().zip(expected).enumerate() {
                results.old[i].push(old);
                results.expected[i].push(expected);
            }
        }
        Ok(results)
    }

    fn result(
        &self,
        kind: Option<Kind>,
        input: &Input,
        row: &[usize],
        old: Option<&Vec<u64>>,
    ) -> Result<Vec<Expected>, String> {
        let take = |source: usize| -> Vec<u64> {
            row.iter().map(|at| input.values[source][*at]).collect()
        };
        let rule = |types: Types, nan: Nan| {
            Ok::<Rule, String>(Rule {
                kind: kind.ok_or("no kind")?,
                nan,
                source: types.source,
                acc: types.accumulator(),
                destination: types.destination,
            })
        };
        match &self.work {
            Work::Values(types, nan) => Ok(vec![reference::reduce(
                rule(*types, *nan)?,
                &take(0),
                old.map(|old| old[0]),
            )?]),
            Work::Indices(types, nan, index) => {
                let indexed: Vec<(u64, i64)> = take(0).into_iter().zip(0..).collect();
                let old = old.map(|old| (old[0], index.signed(old[1])));
                let (value, at) = reference::arg(rule(*types, *nan)?, &indexed, old)?;
                Ok(vec![
                    Expected::exactly(value),
                    Expected::exactly(index.wrap(at as u64)),
                ])
            }
            Work::Custom(custom) => {
                let parts: Vec<Vec<u64>> = (0..custom.elements.len()).map(take).collect();
                Ok(fold(custom, &parts, old.map(Vec::as_slice)))
            }
        }
    }
}

/// Applies a custom combiner to the elements at each position of `parts`.
fn fold(custom: &Custom, parts: &[Vec<u64>], old: Option<&[u64]>) -> Vec<Expected> {
    let acc: Vec<Element> = custom.elements.iter().map(|e| e.accumulator()).collect();
    let convert = |values: &[u64], from: &[Element], to: &[Element]| -> Vec<u64> {
        values
            .iter()
            .zip(from.iter().zip(to))
            .map(|(value, (from, to))| {
                if from == to {
                    *value
                } else {
                    to.nearest(from.number(*value))
                }
            })
            .collect()
    };
    let mut total = (custom.identity)(&acc);
    let mut combine = |values: &[u64]| {
        total = (custom.fold)(&total, &convert(values, custom.elements, &acc), &acc);
    };
    for i in 0..parts[0].len() {
        let values: Vec<u64> = parts.iter().map(|part| part[i]).collect();
        combine(&values);
    }
    if let Some(old) = old {
        combine(old);
    }
    convert(&total, &acc, custom.elements)
        .into_iter()
        .map(Expected::exactly)
        .collect()
}
