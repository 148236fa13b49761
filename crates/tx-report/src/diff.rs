//! What a pass changed: the lines of two modules side by side.

use crate::highlight::{Kind, Token, mlir};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of both sides that belong together, by their numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// The same on both sides; `renamed` when values have other names, or the indentation differs.
    Same {
        /// Line before.
        old: usize,
        /// Line after.
        new: usize,
        /// Whether the text differs, and means the same.
        renamed: bool,
    },
    /// The same op, changed: which tokens of each side differ.
    Changed {
        /// Line before.
        old: usize,
        /// Line after.
        new: usize,
        /// For each token before, whether it is gone.
        old_marks: Vec<bool>,
        /// For each token after, whether it is new.
        new_marks: Vec<bool>,
    },
    /// Only before.
    Removed(usize),
    /// Only after.
    Added(usize),
}

impl Row {
    /// Whether both sides are the same.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same { .. })
    }
}

/// Lines around a change that are always shown.
const CONTEXT: usize = 3;

/// A run of rows, shown or folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Numbers of rows.
    pub rows: Range<usize>,
    /// Whether it is behind a button.
    pub is_folded: bool,
}

/// The tokens of a line that mean something: no blanks at its ends.
fn trimmed<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let is_blank = |t: &&Token<'_>| t.text.trim().is_empty();
    let skipped = tokens.iter().take_while(is_blank).count();
    tokens[skipped..].to_vec()
}

/// What a line says whatever its values are called.
fn key(tokens: &[Token<'_>]) -> String {
    let mut key = String::new();
    for token in tokens {
        match token.kind {
            Kind::Value => key.push('%'),
            // A block is named by its number.
            Kind::Block => key.push('^'),
            _ => key.push_str(token.text),
        }
    }
    key
}

/// What kind of line it is: the ops that it names.
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

/// The values of a line, and whether each is defined there.
fn values<'t>(tokens: &[Token<'t>]) -> Vec<(&'t str, bool)> {
    let declares = tokens.first().is_some_and(|t| t.kind == Kind::Block)
        || tokens
            .iter()
            .any(|t| t.kind == Kind::Op && t.text.ends_with(".func"));
    let leads = tokens.first().is_some_and(|t| t.kind == Kind::Value);
    let assigned = tokens.iter().position(|t| t.text == "=").filter(|_| leads);
    tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| t.kind == Kind::Value)
        .map(|(at, t)| {
            let mut next = tokens[at + 1..]
                .iter()
                .filter(|t| !t.text.trim().is_empty());
            let is_target = next.next().is_some_and(|t| t.text == "=");
            let defines = declares || is_target || assigned.is_some_and(|end| at < end);
            (t.text.split('#').next().unwrap_or(t.text), defines)
        })
        .collect()
}

/// Names of values before, and what they are called after.
#[derive(Default)]
struct Names<'t>(BTreeMap<&'t str, &'t str>);

impl<'t> Names<'t> {
    /// Whether the values of two lines that are otherwise equal are the same ones. What they define is remembered.
    fn agree(&mut self, old: &[Token<'t>], new: &[Token<'t>]) -> bool {
        let (old, new) = (values(old), values(new));
        let agree = old.iter().zip(&new).all(|((a, defines), (b, _))| {
            *defines || self.0.get(a).map_or(a == b, |known| known == b)
        });
        self.define(&old, &new);
        agree
    }

    fn define(&mut self, old: &[(&'t str, bool)], new: &[(&'t str, bool)]) {
        let defined = |values: &[(&'t str, bool)]| -> Vec<&'t str> {
            values
                .iter()
                .filter(|(_, d)| *d)
                .map(|(name, _)| *name)
                .collect()
        };
        let (old, new) = (defined(old), defined(new));
        if old.len() == new.len() {
            self.0.extend(old.into_iter().zip(new));
        }
    }
}

/// The rows of two modules, in order: each line of each side once.
pub fn rows(old: &[&str], new: &[&str]) -> Vec<Row> {
    let old: Vec<Vec<Token<'_>>> = old.iter().map(|line| mlir(line)).collect();
    let new: Vec<Vec<Token<'_>>> = new.iter().map(|line| mlir(line)).collect();
    let trim = |lines: &[Vec<Token<'_>>]| -> Vec<String> {
        lines.iter().map(|l| key(&trimmed(l))).collect()
    };
    let (old_keys, new_keys) = (trim(&old), trim(&new));
    let mut names = Names::default();
    let mut rows = Vec::new();
    let mut pair = |rows: &mut Vec<Row>, i: usize, j: usize| {
        let (a, b) = (trimmed(&old[i]), trimmed(&new[j]));
        let is_equal = old_keys[i] == new_keys[j];
        if is_equal && names.agree(&a, &b) {
            let text = |tokens: &[Token<'_>]| -> String { tokens.iter().map(|t| t.text).collect() };
            let renamed = text(&old[i]) != text(&new[j]);
            rows.push(Row::Same {
                old: i,
                new: j,
                renamed,
            });
            return;
        }
        if !is_equal {
            names.define(&values(&a), &values(&b));
        }
        let (old_marks, new_marks) = marks(&old[i], &new[j]);
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
            pair(&mut rows, gone.start, come.start);
            continue;
        }
        // Between lines that are equal those belong together that name the same op.
        let (before, after) = (shapes(&old[gone.clone()]), shapes(&new[come.clone()]));
        for (left, right, is_pair) in partners(&before, &after) {
            if is_pair {
                pair(&mut rows, gone.start + left.start, come.start + right.start);
            } else {
                rows.extend(left.map(|i| Row::Removed(gone.start + i)));
                rows.extend(right.map(|j| Row::Added(come.start + j)));
            }
        }
    }
    rows
}

/// Pairs of equal elements in order, and what stands between them on both sides.
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

/// Elements that are left and right, in order. What one side has alone is not compared: where everything changes, that would be
/// each with each.
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
    // Numbers of elements, and where they stand: numbers are soon compared.
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

/// Which tokens of two lines differ.
fn marks(old: &[Token<'_>], new: &[Token<'_>]) -> (Vec<bool>, Vec<bool>) {
    let texts = |tokens: &[Token<'_>]| -> Vec<String> {
        tokens.iter().map(|t| t.text.to_owned()).collect()
    };
    let (mut gone, mut come) = (vec![false; old.len()], vec![false; new.len()]);
    for op in capture_diff_slices(Algorithm::Myers, &texts(old), &texts(new)) {
        let (tag, before, after) = op.as_tag_tuple();
        if tag != similar::DiffTag::Equal {
            gone[before].fill(true);
            come[after].fill(true);
        }
    }
    (gone, come)
}

/// Folds what is far from every change, where that saves lines.
pub fn fold(rows: &[Row]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let same = rows[at..].iter().take_while(|row| row.is_same()).count();
        if same == 0 {
            let changed = rows[at..].iter().take_while(|row| !row.is_same()).count();
            pieces.push(Piece {
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
        // A button in place of a line or two saves nothing.
        if to > from + 2 {
            for (rows, is_folded) in [(at..from, false), (from..to, true), (to..end, false)] {
                if !rows.is_empty() {
                    pieces.push(Piece { rows, is_folded });
                }
            }
        } else {
            pieces.push(Piece {
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
