//! The codes of diagnostics, as data: for each rule a code such as `TX0001`, the messages that say it is broken, what the rule
//! is, why, and how to mend what breaks it, with a program that is refused and one that is not.
//!
//! A message is known by its text ([`find`]): whoever reports it says what is wrong, and nothing of codes.

mod pattern;
mod table;

pub use pattern::matches;

/// A rule, and what to know of it.
#[derive(Debug)]
pub struct Code {
    /// What stands behind `TX`. Never given to another rule.
    pub number: u16,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// First lines of the messages, without the name of the op that MLIR's verifiers put before: patterns, see [`matches()`].
    pub messages: &'static [&'static str],
    /// What the rule is, why it is, and what to do.
    pub explanation: &'static str,
    /// What refuses the example.
    pub command: Command,
    /// A program that breaks the rule.
    pub refused: &'static str,
    /// The same, mended.
    pub accepted: &'static str,
}

/// What shows that an example is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `tx compile`.
    Compile,
    /// `tx run --device cpu` with these arguments: what runs, and goes wrong.
    Run(&'static [&'static str]),
    /// `tx-opt` with these arguments.
    Opt(&'static [&'static str]),
    /// The same, where the arguments are what is wrong, and the program stays as it is.
    Options {
        /// Those that are refused.
        refused: &'static [&'static str],
        /// Those that are not.
        accepted: &'static [&'static str],
    },
}

/// A part of the table: a title, and the codes in order.
#[derive(Debug)]
pub struct Group {
    /// What its rules are about.
    pub title: &'static str,
    /// Its rules.
    pub codes: &'static [Code],
}

/// Every code, in order.
pub fn groups() -> &'static [Group] {
    table::GROUPS
}

/// Every code, in order.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    groups().iter().flat_map(|group| group.codes)
}

impl Code {
    /// `TX0001`
    pub fn name(&self) -> String {
        format!("TX{:04}", self.number)
    }

    /// The messages to show: what says why as well, or does not, is one.
    pub fn shown(&self) -> impl Iterator<Item = &'static str> {
        let goes_on = |message: &str| {
            let mut others = self.messages.iter();
            others.any(|other| {
                other
                    .strip_prefix(message)
                    .is_some_and(|rest| rest.starts_with(": "))
            })
        };
        self.messages
            .iter()
            .copied()
            .filter(move |message| !goes_on(message))
    }
}

/// The rule that a message says is broken.
pub fn find(message: &str) -> Option<&'static Code> {
    candidates(message).next()
}

/// Every rule that a message could be of, which is one or none. Only the first line counts: the others hold details.
pub fn candidates(message: &str) -> impl Iterator<Item = &'static Code> {
    let line = without_op(message.lines().next().unwrap_or_default());
    codes().filter(move |code| code.messages.iter().any(|pattern| matches(pattern, line)))
}

/// A message without what MLIR puts before: `'tile.reduce' op needs a source`, and where an op is parsed,
/// `custom op 'tile.reduce' unknown scope ...`.
fn without_op(line: &str) -> &str {
    let of_verifiers = || line.strip_prefix('\'')?.split_once("' op ");
    let of_parsers = || line.strip_prefix("custom op '")?.split_once("' ");
    of_verifiers()
        .or_else(of_parsers)
        .map_or(line, |(_, message)| message)
}

/// The number in text of the form of a code, in whatever case: `TX0012`, `tx12`.
pub fn number(text: &str) -> Option<u64> {
    let (tx, digits) = text.split_at_checked(2)?;
    let form = tx.eq_ignore_ascii_case("tx")
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit());
    // One that is too large is that of no code.
    form.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// The code of a number.
pub fn get(number: u64) -> Option<&'static Code> {
    codes().find(|code| u64::from(code.number) == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_ascend() {
        let numbers: Vec<u16> = codes().map(|code| code.number).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert!(numbers.iter().all(|n| (1..=9999).contains(n)));
    }

    #[test]
    fn texts_are_in_one_style() {
        let mut titles = BTreeSet::new();
        for code in codes() {
            let name = code.name();
            assert!(titles.insert(code.title), "{name}: two of one title");
            assert!(!code.title.ends_with('.'), "{name}: {}", code.title);
            assert!(
                code.explanation.ends_with(['.', ')']),
                "{name}: {}",
                code.explanation
            );
            assert!(
                !code.explanation.contains("  "),
                "{name}: {}",
                code.explanation
            );
            assert!(!code.messages.is_empty(), "{name}");
            for program in [code.refused, code.accepted] {
                assert!(
                    program.ends_with("}\n") && !program.contains('\t'),
                    "{name}"
                );
            }
            let arguments = matches!(code.command, Command::Options { .. });
            assert_eq!(code.refused == code.accepted, arguments, "{name}");
        }
    }

    /// Whatever stands for the placeholders, a message has one code.
    #[test]
    fn every_message_has_one_code() {
        for code in codes() {
            for pattern in code.messages {
                for filler in ["x", "7", "[4, 8]", "`f32` and `f16`", "it, and more: d0"] {
                    // Between backticks there is no backtick.
                    let plain: String = filler.chars().filter(|c| *c != '`').collect();
                    let message = pattern
                        .replace("`{}`", &format!("`{plain}`"))
                        .replace("{}", filler);
                    let found: Vec<String> = codes()
                        .filter(|other| other.messages.iter().any(|p| matches(p, &message)))
                        .map(Code::name)
                        .collect();
                    assert_eq!(found, [code.name()], "{message}");
                }
            }
        }
    }

    /// What may say why or not is shown once, and found both ways.
    #[test]
    fn messages_are_shown_once() {
        let laws = get(207).expect("a code");
        assert_eq!((laws.messages.len(), laws.shown().count()), (7, 4));
        assert!(laws.shown().all(|message| message.ends_with("{}")));
        let axis = get(1).expect("a code");
        assert!(axis.shown().eq(axis.messages.iter().copied()));
    }

    #[test]
    fn messages_are_found() {
        let name = |message| find(message).map(Code::name);
        let axis = Some("TX0001".to_owned());
        assert_eq!(name("axis 2 is out of range for rank 2"), axis);
        assert_eq!(
            name("'tile.reduce' op axis -3 is out of range for rank 2"),
            axis
        );
        assert_eq!(
            name("custom op 'tile.reduce' axis 2 is out of range for rank 2"),
            axis
        );
        assert_eq!(name("axis 2 is out of range for rank 2\nand so on"), axis);
        assert_eq!(name("an axis 2 is out of range for rank 2"), None);
        assert_eq!(name("axis  is out of range for rank 2"), None);
        for nothing in ["", "\n", "'", "'tile.reduce' op ", "expected ','"] {
            assert_eq!(name(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn codes_are_read_in_any_case() {
        assert_eq!(number("TX0012"), Some(12));
        assert_eq!(number("tx12"), Some(12));
        assert_eq!(number("Tx99999999999999999999"), Some(u64::MAX));
        for other in [
            "",
            "t",
            "TX",
            "TX-1",
            "TX0012.mlir",
            "0012",
            "été12",
            "TX 12",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
        assert_eq!(get(1).map(Code::name).as_deref(), Some("TX0001"));
        assert!(get(0).is_none() && get(u64::MAX).is_none());
    }
}
