//! Parsing of directives in comments.

/// Directive in a comment of a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'t> {
    /// Line number in the file, from 1.
    pub number: usize,
    /// Name of the directive: `RUN` for `RUN(A,B): tool %s`.
    pub name: &'t str,
    /// Argument in parentheses: `A,B` for `RUN(A,B): tool %s`.
    pub argument: Option<&'t str>,
    /// Text after the colon: `tool %s` for `RUN(A,B): tool %s`; empty without a colon.
    pub value: &'t str,
    /// Whether a colon follows the name of the directive. A directive without a colon consists of
    /// its name alone.
    pub colon: bool,
}

/// Parses the text of a comment as a directive: `NAME: value`, `NAME(argument): value`, or `NAME`
/// alone. A name begins with a capital letter and consists of capital letters, digits, `-` and `_`.
/// A name without a colon has at least two characters.
///
/// The line number of the result is 0; the caller must set the actual line number.
///
/// ```
/// let line = tx_lit::directive("RUN(A,B): tx-opt %s").unwrap();
/// assert_eq!((line.name, line.argument, line.value), ("RUN", Some("A,B"), "tx-opt %s"));
/// assert_eq!(tx_lit::directive("RACE-FREE").unwrap().name, "RACE-FREE");
/// assert_eq!(tx_lit::directive("A sum: of rows."), None);
/// ```
pub fn directive(comment: &str) -> Option<Line<'_>> {
    let comment = comment.trim();
    let Some((head, rest)) = comment.split_once(':') else {
        return (comment.len() > 1 && is_name(comment)).then_some(Line {
            number: 0,
            name: comment,
            argument: None,
            value: "",
            colon: false,
        });
    };
    let (name, argument) = match head.split_once('(') {
        Some((name, argument)) => (name, Some(argument.strip_suffix(')')?)),
        None => (head, None),
    };
    is_name(name).then(|| Line {
        number: 0,
        name,
        argument,
        value: rest.trim(),
        colon: true,
    })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
}

/// Returns the text and the line number of each comment at the beginning of a line. The text
/// excludes `//`.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let comment = line.trim_start().strip_prefix("//")?;
        Some((number, comment.trim()))
    })
}

/// Returns the directives in all comments that begin a line of a file.
///
/// ```
/// let text = "// RUN: tx-opt %s\n\n// A sum of rows.\n// CHECK: x\nfunc.func @f() // CHECK: y\n";
/// let found: Vec<_> = tx_lit::directives(text).map(|line| (line.number, line.name)).collect();
/// assert_eq!(found, [(1, "RUN"), (4, "CHECK")]);
/// ```
pub fn directives(text: &str) -> impl Iterator<Item = Line<'_>> {
    comments(text)
        .filter_map(|(number, comment)| directive(comment).map(|line| Line { number, ..line }))
}

/// Returns the content of a snapshot file without the header that insta writes between two `---`
/// lines.
///
/// ```
/// assert_eq!(tx_lit::snapshot_contents("---\nsource: lit.rs\n---\nmodule {\n}\n"), "module {\n}\n");
/// ```
pub fn snapshot_contents(file: &str) -> &str {
    file.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(file, |(_, contents)| contents)
}
