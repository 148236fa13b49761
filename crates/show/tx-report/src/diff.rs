//! Line diff between the modules before and after a pass.

mod values;

use crate::highlight::{Kind, Token, mlir};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;
use std::ops::Range;
use values::{ValueCorrespondence, key, trimmed};

/// Row of a side-by-side diff. Line numbers of both modules count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Two lines that differ at most in value names and indentation.
    Same {
        /// Line before.
        old: usize,
        /// Line after.
        new: usize,
        /// True if the value names or the indentation of the two lines differ.
        renamed: bool,
    },
    /// Two lines that contain the same op, but differ in some tokens.
    Changed {
        /// Line before.
        old: usize,
        /// Line after.
        new: usize,
        /// One flag per token of the old line; the flag is set if the pass removes the token.
        old_marks: Vec<bool>,
        /// One flag per token of the new line; the flag is set if the pass adds the token.
        new_marks: Vec<bool>,
    },
    /// Removed line.
    Removed(usize),
    /// Added line.
    Added(usize),
}

impl Row {
    /// Returns whether the old and the new line differ at most in value names and indentation.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same { .. })
    }
}

/// Number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Range of diff rows that is shown or folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    /// Row numbers.
    pub rows: Range<usize>,
    /// True if the page hides the rows of the range behind a button.
    pub is_folded: bool,
}

/// Returns the first op of a line, or the text of a line without ops.
fn shape(tokens: &[Token<'_>]) -> Vec<String> {
    let mut ops: Vec<String> = tokens
        .iter()
        .filter(|t| t.kind == Kind::Op)
        .map(|t| t.text.to_owned())
        .take(1)
        .collect();
    if ops.is_empty() {
        ops.push(key(tokens));
    }
    ops
}

/// Returns the diff of two modules. Every line of the two modules occurs once in the diff.
pub fn rows<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Row> {
    let old: Vec<Vec<Token<'t>>> = old.iter().map(|line| mlir(line)).collect();
    let new: Vec<Vec<Token<'t>>> = new.iter().map(|line| mlir(line)).collect();
    let trim = |lines: &[Vec<Token<'_>>]| -> Vec<String> {
        lines.iter().map(|l| key(&trimmed(l))).collect()
    };
    let (old_keys, new_keys) = (trim(&old), trim(&new));
    let mut values = ValueCorrespondence::default();
    let mut rows = Vec::new();
    let pair = |rows: &mut Vec<Row>, values: &mut ValueCorrespondence<'t>, i: usize, j: usize| {
        let (before, after) = (&old[i], &new[j]);
        let (old_marks, new_marks) = if old_keys[i] == new_keys[j] {
            let others = values.differing_uses(&trimmed(before), &trimmed(after));
            if others.is_empty() {
                let text =
                    |tokens: &[Token<'_>]| -> String { tokens.iter().map(|t| t.text).collect() };
                let renamed = text(before) != text(after);
                rows.push(Row::Same {
                    old: i,
                    new: j,
                    renamed,
                });
                return;
            }
            let marks = |tokens: &[Token<'_>]| -> Vec<bool> {
                let skipped = tokens.len() - trimmed(tokens).len();
                let mut marks = vec![false; tokens.len()];
                others.iter().for_each(|at| marks[skipped + at] = true);
                marks
            };
            (marks(before), marks(after))
        } else {
            let marks = values.marks(before, after);
            values.define(before, after);
            marks
        };
        rows.push(Row::Changed {
            old: i,
            new: j,
            old_marks,
            new_marks,
        });
    };
    let shapes = |lines: &[Vec<Token<'_>>]| -> Vec<Vec<String>> {
        lines.iter().map(|l| shape(&trimmed(l))).collect()
    };
    for (gone, come, is_pair) in partners(&old_keys, &new_keys) {
        if is_pair {
            pair(&mut rows, &mut values, gone.start, come.start);
            continue;
        }
        // The lines between two equal lines are paired if they contain the same op.
        let (before, after) = (shapes(&old[gone.clone()]), shapes(&new[come.clone()]));
        for (left, right, is_pair) in partners(&before, &after) {
            if is_pair {
                let (i, j) = (gone.start + left.start, come.start + right.start);
                pair(&mut rows, &mut values, i, j);
            } else {
                for i in left.map(|i| gone.start + i) {
                    values.define(&old[i], &[]);
                    rows.push(Row::Removed(i));
                }
                for j in right.map(|j| come.start + j) {
                    values.define(&[], &new[j]);
                    rows.push(Row::Added(j));
                }
            }
        }
    }
    rows
}

/// Returns the pairs of equal elements of two lists, and the ranges of elements between the pairs.
fn partners<T: Ord>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>, bool)> {
    let mut all = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b) in common(old, new) {
        if (i, j) != (a, b) {
            all.push((i..a, j..b, false));
        }
        all.push((a..a + 1, b..b + 1, true));
        (i, j) = (a + 1, b + 1);
    }
    if (i, j) != (old.len(), new.len()) {
        all.push((i..old.len(), j..new.len(), false));
    }
    all
}

/// Returns a common subsequence of two lists. The function first removes the elements that occur in
/// only one list, because the comparison of two unrelated lists would take quadratic time.
fn common<T: Ord>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut numbers: BTreeMap<&T, [bool; 2]> = BTreeMap::new();
    for (side, elements) in [old, new].into_iter().enumerate() {
        for element in elements {
            numbers.entry(element).or_default()[side] = true;
        }
    }
    let both: BTreeMap<&T, usize> = numbers
        .into_iter()
        .filter(|(_, sides)| *sides == [true; 2])
        .enumerate()
        .map(|(number, (element, _))| (element, number))
        .collect();
    // Numbers replace the elements, because the comparison of numbers is faster.
    let known = |elements: &[T]| -> (Vec<usize>, Vec<usize>) {
        let known = elements.iter().enumerate();
        known
            .filter_map(|(at, element)| Some((*both.get(element)?, at)))
            .unzip()
    };
    let ((old, old_places), (new, new_places)) = (known(old), known(new));
    capture_diff_slices(Algorithm::Patience, &old, &new)
        .into_iter()
        .filter_map(|op| match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => Some((old_index..old_index + len).zip(new_index..new_index + len)),
            _ => None,
        })
        .flatten()
        .map(|(i, j)| (old_places[i], new_places[j]))
        .collect()
}

/// Splits diff rows into shown and folded ranges: unchanged rows far from every change are folded
/// if folding shortens the page by at least two lines.
pub fn fold(rows: &[Row]) -> Vec<RowRange> {
    let mut pieces: Vec<RowRange> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let same = rows[at..].iter().take_while(|row| row.is_same()).count();
        if same == 0 {
            let changed = rows[at..].iter().take_while(|row| !row.is_same()).count();
            pieces.push(RowRange {
                rows: at..at + changed,
                is_folded: false,
            });
            at += changed;
            continue;
        }
        let end = at + same;
        let from = if at == 0 { 0 } else { at + CONTEXT };
        let to = if end == rows.len() {
            end
        } else {
            end.saturating_sub(CONTEXT)
        };
        // A button in place of one or two lines saves no space.
        if to > from + 2 {
            for (rows, is_folded) in [(at..from, false), (from..to, true), (to..end, false)] {
                if !rows.is_empty() {
                    pieces.push(RowRange { rows, is_folded });
                }
            }
        } else {
            pieces.push(RowRange {
                rows: at..end,
                is_folded: false,
            });
        }
        at = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn a_value_that_is_only_renamed_is_no_change() {
        let old = split("%0 = memref.load %A[%i]\n%1 = arith.addf %0, %0\nmemref.store %1, %B[]");
        let new = split(
            "%c = arith.constant 1\n%5 = memref.load %A[%i]\n%6 = arith.addf %5, %5\nmemref.store %6, %B[]",
        );
        let rows = rows(&old, &new);
        assert_eq!(rows[0], Row::Added(0));
        assert!(rows[1..].iter().all(Row::is_same), "{rows:?}");
        assert!(matches!(rows[1], Row::Same { renamed: true, .. }));
    }

    #[test]
    fn an_operand_that_is_another_value_is_a_change() {
        let old = split("%0 = a.a\n%1 = a.b\n%2 = arith.addf %0, %1");
        let new = split("%0 = a.a\n%1 = a.b\n%2 = arith.addf %0, %0");
        let rows = rows(&old, &new);
        assert!(rows[0].is_same() && rows[1].is_same());
        let Row::Changed { new_marks, .. } = &rows[2] else {
            panic!("{rows:?}")
        };
        assert_eq!(new_marks.iter().filter(|m| **m).count(), 1);
    }

    /// Checks that the diff marks neither the users of a replaced op nor the users of merged
    /// constants.
    #[test]
    fn a_value_that_takes_the_place_of_another_is_no_change() {
        let old = split(
            "%c1 = arith.constant 1 : i32\n%c1_0 = arith.constant 1 : i32\n%0:2 = a.old\n%2 = \
             arith.addf %0#1, %c1\na.use %2, %0#0\na.use %c1_0",
        );
        let new = split(
            "%3 = llvm.mlir.constant(1 : i32) : i32\n%4 = b.new\n%5 = b.new\n%6 = arith.addf %4, \
             %3\na.use %6, %5\na.use %3",
        );
        let rows = rows(&old, &new);
        let same = |row: &&Row| row.is_same();
        assert_eq!(rows.iter().filter(same).count(), 3, "{rows:?}");
        // Two equal expressions are interchangeable.
        let old = split("%0 = gpu.thread_id x\na.use %0");
        let new = split("%0 = gpu.thread_id x\n  %1 = gpu.thread_id x\na.use %1");
        assert!(super::rows(&old, &new)[2].is_same());
        // Two removed values do not both correspond to one added value.
        let old = split("%0 = a.a\n%1 = a.b\n%2 = arith.addf %0, %1");
        let new = split("%7 = b.b\n%8 = b.c\n%9 = arith.addf %7, %7");
        let rows = super::rows(&old, &new);
        let Some(Row::Changed { new_marks, .. }) = rows.last() else {
            panic!("{rows:?}")
        };
        assert_eq!(new_marks.iter().filter(|m| **m).count(), 1, "{rows:?}");
    }

    #[test]
    fn only_what_changed_of_a_line_is_marked() {
        let old = split("%0 = a.a\n%1 = a.b %0, %0 {x = 1 : i64}");
        let new = split("%c = b.c\n%5 = a.a\n%6 = a.b %5, %c {x = 2 : i64}");
        let rows = rows(&old, &new);
        let Some(Row::Changed { new_marks, .. }) = rows.last() else {
            panic!("{rows:?}")
        };
        let tokens = mlir(new[2]);
        let marked: Vec<&str> = tokens
            .iter()
            .zip(new_marks)
            .filter(|(_, marked)| **marked)
            .map(|(token, _)| token.text)
            .collect();
        assert_eq!(marked, ["%c", "2"]);
    }

    #[test]
    fn values_that_change_places_are_a_change() {
        let old = split("^bb0(%l: f32, %r: f32):\n%2 = arith.subf %l, %r");
        let new = split("^bb0(%r: f32, %l: f32):\n%2 = arith.subf %l, %r");
        let rows = rows(&old, &new);
        assert!(rows[0].is_same(), "{rows:?}");
        assert!(!rows[1].is_same(), "{rows:?}");
    }

    #[test]
    fn the_same_op_with_another_attribute_is_one_row() {
        let old = split("tile.reduce sum %A into %B axes [1] scope(cta) : f32");
        let new =
            split("tile.reduce sum %A into %B axes [1] scope(cta) {variant = \"shared\"} : f32");
        let rows = rows(&old, &new);
        assert_eq!(rows.len(), 1);
        let Row::Changed {
            old_marks,
            new_marks,
            ..
        } = &rows[0]
        else {
            panic!("{rows:?}")
        };
        assert!(old_marks.iter().all(|m| !m) && new_marks.iter().any(|m| *m));
    }

    #[test]
    fn long_runs_fold_and_short_ones_do_not() {
        let same = |n: usize| {
            (0..n).map(|i| Row::Same {
                old: i,
                new: i,
                renamed: false,
            })
        };
        let folded = |rows: &[Row]| {
            fold(rows)
                .iter()
                .filter(|p| p.is_folded)
                .map(|p| p.rows.len())
                .sum::<usize>()
        };
        assert_eq!(folded(&same(20).collect::<Vec<_>>()), 20);
        let between = |n| {
            [Row::Added(0)]
                .into_iter()
                .chain(same(n))
                .chain([Row::Added(1)])
                .collect::<Vec<_>>()
        };
        assert_eq!(folded(&between(8)), 0);
        assert_eq!(folded(&between(9)), 3);
        assert_eq!(fold(&[]), []);
    }

    proptest! {
        #[test]
        fn every_line_stands_in_one_row(
            old in prop::collection::vec("[ %}]{0,3}(a|b|c)", 0..20),
            new in prop::collection::vec("[ %}]{0,3}(a|b|c)", 0..20),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let rows = rows(&old, &new);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for row in &rows {
                match row {
                    Row::Same { old, new, .. } | Row::Changed { old, new, .. } => {
                        before.push(*old);
                        after.push(*new);
                    }
                    Row::Removed(old) => before.push(*old),
                    Row::Added(new) => after.push(*new),
                }
            }
            prop_assert_eq!(before, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(after, (0..new.len()).collect::<Vec<_>>());
            let covered: Vec<usize> = fold(&rows).into_iter().flat_map(|p| p.rows).collect();
            prop_assert_eq!(covered, (0..rows.len()).collect::<Vec<_>>());
        }
    }
}
