//! Lines without value names, and the correspondence of SSA values before and after a pass.

use crate::highlight::{Kind, Token};
use similar::{Algorithm, capture_diff_slices};
use std::collections::BTreeMap;

/// Returns the tokens of a line without leading blanks.
pub(super) fn trimmed<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let is_blank = |t: &&Token<'_>| t.text.trim().is_empty();
    let skipped = tokens.iter().take_while(is_blank).count();
    tokens[skipped..].to_vec()
}

/// Returns the text of a line without value and block names.
pub(super) fn key(tokens: &[Token<'_>]) -> String {
    let mut key = String::new();
    for token in tokens {
        match token.kind {
            Kind::Value => key.push('%'),
            // MLIR numbers blocks, so their names carry no information.
            Kind::Block => key.push('^'),
            _ => key.push_str(token.text),
        }
    }
    key
}

/// Name of an SSA value, and its result index if the defining op has several results.
type Name<'t> = (&'t str, Option<usize>);

/// Occurrence of an SSA value in a line; `at` is the index of its token.
struct Occurrence<'t> {
    at: usize,
    name: Name<'t>,
    /// Number of results that the name denotes, such as 2 for `%0:2`; `None` if the name denotes
    /// one value.
    results: Option<usize>,
    defines: bool,
}

impl<'t> Occurrence<'t> {
    fn defined(&self) -> Vec<Name<'t>> {
        match (self.defines, self.results) {
            (false, _) => Vec::new(),
            (true, None) => vec![self.name],
            (true, Some(all)) => (0..all).map(|n| (self.name.0, Some(n))).collect(),
        }
    }
}

fn occurrences<'t>(tokens: &[Token<'t>]) -> Vec<Occurrence<'t>> {
    let first = tokens.iter().find(|t| !t.text.trim().is_empty());
    let declares = first.is_some_and(|t| t.kind == Kind::Block)
        || tokens
            .iter()
            .any(|t| t.kind == Kind::Op && t.text.ends_with(".func"));
    let leads = first.is_some_and(|t| t.kind == Kind::Value);
    let assigned = tokens.iter().position(|t| t.text == "=").filter(|_| leads);
    tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| t.kind == Kind::Value)
        .map(|(at, t)| {
            let mut next = tokens[at + 1..]
                .iter()
                .filter(|t| !t.text.trim().is_empty());
            let is_target = next.clone().next().is_some_and(|t| t.text == "=");
            let results = next
                .next()
                .filter(|t| t.text == ":")
                .and_then(|_| next.next()?.text.parse().ok());
            let name = match t.text.split_once('#') {
                Some((name, number)) => (name, number.parse().ok()),
                None => (t.text, None),
            };
            Occurrence {
                at,
                name,
                results,
                defines: declares || is_target || assigned.is_some_and(|end| at < end),
            }
        })
        .collect()
}

/// Name prefixes of ops whose results depend on their operands only.
const PURE: [&str; 8] = [
    "arith.",
    "math.",
    "index.",
    "gpu.thread_id",
    "gpu.block_id",
    "gpu.lane_id",
    "gpu.block_dim",
    "llvm.mlir.constant",
];

/// Returns a text that identifies the expression that a line computes; `None` if the op of the line
/// is not pure. For a constant, the text contains only the value of the constant, so the dialect of
/// the constant does not matter.
fn computation(tokens: &[Token<'_>]) -> Option<String> {
    let op = tokens.iter().find(|t| t.kind == Kind::Op)?;
    if !PURE.iter().any(|name| op.text.starts_with(name)) {
        return None;
    }
    if !op.text.ends_with("constant") {
        return Some(key(&trimmed(tokens)));
    }
    let literal = |t: &&Token<'_>| !matches!(t.kind, Kind::Plain | Kind::Op | Kind::Value);
    let mut words: Vec<&str> = tokens.iter().filter(literal).map(|t| t.text).collect();
    words.dedup();
    Some(words.join(" "))
}

#[derive(Clone, Copy)]
struct NumberedValue {
    /// Identifier of the value; corresponding values of both modules have equal identifiers.
    id: usize,
    /// True for a value of a removed or added op until the corresponding value in the other module
    /// is found.
    is_open: bool,
}

type Values<'t> = BTreeMap<Name<'t>, NumberedValue>;

/// Values of the modules before and after a pass. Corresponding values have equal identifiers.
#[derive(Default)]
pub(super) struct ValueCorrespondence<'t> {
    old: Values<'t>,
    new: Values<'t>,
    ids: usize,
    computed: BTreeMap<(String, Vec<usize>, usize), usize>,
}

impl<'t> ValueCorrespondence<'t> {
    /// Compares two lines that are equal except for value names, and returns the token indices at
    /// which the lines use different values. After the comparison, the function calls `define`,
    /// which records the SSA values that the two lines define.
    pub(super) fn differing_uses(&mut self, old: &[Token<'t>], new: &[Token<'t>]) -> Vec<usize> {
        let pairs = occurrences(old).into_iter().zip(occurrences(new));
        let uses = pairs.filter(|(a, _)| !a.defines);
        let others = uses
            .filter(|(a, b)| !self.agree(a.name, b.name))
            .map(|(a, _)| a.at)
            .collect();
        self.define(old, new);
        others
    }

    /// Returns whether the value `old` of the module before the pass corresponds to the value `new`
    /// of the module after the pass. Two values correspond if paired lines define the values, or if
    /// the expressions of the values are equal. A removed value also corresponds to the first added
    /// value that replaces the removed value in an operand list.
    fn agree(&mut self, old: Name<'t>, new: Name<'t>) -> bool {
        let (Some(a), Some(b)) = (self.old.get_mut(&old), self.new.get_mut(&new)) else {
            return old == new;
        };
        if a.id != b.id && a.is_open && b.is_open {
            (a.is_open, b.is_open) = (false, false);
            b.id = a.id;
        }
        a.id == b.id
    }

    /// Records the values that two paired lines define. One of the two paired lines may be empty.
    pub(super) fn define(&mut self, old: &[Token<'t>], new: &[Token<'t>]) {
        let defined = |tokens: &[Token<'t>]| -> Vec<Name<'t>> {
            occurrences(tokens)
                .iter()
                .flat_map(Occurrence::defined)
                .collect()
        };
        let (before, after) = (defined(old), defined(new));
        let is_open = before.len() != after.len();
        let olds = self.ids_of(old, before.len(), true);
        let news = match is_open {
            true => self.ids_of(new, after.len(), false),
            false => olds.clone(),
        };
        let known = |id| NumberedValue { id, is_open };
        self.old
            .extend(before.into_iter().zip(olds.into_iter().map(known)));
        self.new
            .extend(after.into_iter().zip(news.into_iter().map(known)));
    }

    /// Returns the identifiers of the values that a line defines. Equal expressions have equal
    /// identifiers.
    fn ids_of(&mut self, tokens: &[Token<'t>], count: usize, is_old: bool) -> Vec<usize> {
        let values = if is_old { &self.old } else { &self.new };
        let uses = occurrences(tokens)
            .into_iter()
            .filter(|value| !value.defines);
        let operands: Option<Vec<usize>> = uses
            .map(|value| values.get(&value.name).map(|known| known.id))
            .collect();
        let computed = computation(tokens).zip(operands);
        let ids = (0..count).map(|result| {
            self.ids += 1;
            match &computed {
                Some((what, operands)) => *self
                    .computed
                    .entry((what.clone(), operands.clone(), result))
                    .or_insert(self.ids),
                None => self.ids,
            }
        });
        ids.collect()
    }

    /// Marks the tokens in which two lines differ. A value that is only renamed does not count as a
    /// difference.
    pub(super) fn marks(&self, old: &[Token<'t>], new: &[Token<'t>]) -> (Vec<bool>, Vec<bool>) {
        let texts = |tokens: &[Token<'t>], values: &Values<'t>| {
            let mut texts: Vec<String> = tokens.iter().map(|t| t.text.to_owned()).collect();
            for occurrence in occurrences(tokens) {
                texts[occurrence.at] = match (occurrence.defines, values.get(&occurrence.name)) {
                    (true, _) => "%".to_owned(),
                    (false, Some(known)) => format!("% {}", known.id),
                    (false, None) => continue,
                };
            }
            texts
        };
        let (mut gone, mut come) = (vec![false; old.len()], vec![false; new.len()]);
        let (before, after) = (texts(old, &self.old), texts(new, &self.new));
        for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
            let (tag, before, after) = op.as_tag_tuple();
            if tag != similar::DiffTag::Equal {
                gone[before].fill(true);
                come[after].fill(true);
            }
        }
        (gone, come)
    }
}
