//! Lines of a program, and source locations in texts.

use std::path::Path;

/// Lines of a program, which messages quote.
pub(crate) struct SourceLines<'a> {
    file: String,
    lines: Vec<&'a str>,
}

impl<'a> SourceLines<'a> {
    /// Splits a program into lines; bytecode has no lines.
    pub(crate) fn of(file: &Path, text: &'a [u8]) -> Self {
        let text = std::str::from_utf8(text).unwrap_or_default();
        Self {
            file: file.display().to_string(),
            lines: text.lines().collect(),
        }
    }

    /// Replaces argument numbers in a message by argument names of the function that contains
    /// `location`. For example, `arg0.dim1` becomes `%A.dim1`.
    pub(crate) fn named(&self, location: &tx::Location, message: &str) -> String {
        const ARGUMENT: &str = "arg";
        if !message.contains(ARGUMENT) || location.file != self.file {
            return message.to_owned();
        }
        let before = self.lines[..location.line.min(self.lines.len())].join("\n");
        let names = arguments(&before);
        let mut done = String::new();
        let mut rest = message;
        while let Some(at) = rest.find(ARGUMENT) {
            let (before, after) = (&rest[..at], &rest[at + ARGUMENT.len()..]);
            let last = before.chars().next_back().or(done.chars().next_back());
            let is_word = !last.is_some_and(|c| c.is_alphanumeric() || "_%$@".contains(c));
            let end = after
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(after.len());
            let ends = !after[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let name = after[..end].parse().ok().and_then(|i: usize| names.get(i));
            done.push_str(before);
            match name.filter(|_| is_word && ends) {
                Some(name) => {
                    done.push('%');
                    done.push_str(name);
                    rest = &after[end..];
                }
                None => {
                    done.push_str(ARGUMENT);
                    rest = after;
                }
            }
        }
        done + rest
    }

    /// Returns the source line at a location; `None` for a location in another file.
    pub(crate) fn at(&self, location: &tx::Location) -> Option<&'a str> {
        let number = location.line.checked_sub(1)?;
        self.lines
            .get(number)
            .copied()
            .filter(|_| location.file == self.file)
    }
}

/// Returns the argument names of the last function that begins in a text.
fn arguments(before: &str) -> Vec<&str> {
    let begin = ["func.func ", "gpu.func "]
        .iter()
        .filter_map(|op| before.rfind(op))
        .max();
    let header = begin.and_then(|begin| before[begin..].split_once('('));
    let mut rest = header.map_or("", |(_, rest)| rest);
    let mut names = Vec::new();
    // Commas and parentheses in types do not separate arguments, and comments may contain any text.
    let mut depth = 0_usize;
    while let Some(at) = rest.find(['%', '(', ')', '/']) {
        let (sign, after) = (&rest[at..=at], &rest[at + 1..]);
        rest = after;
        match sign {
            "(" => depth += 1,
            ")" if depth == 0 => break,
            ")" => depth -= 1,
            "/" if after.starts_with('/') => {
                rest = after.split_once('\n').map_or("", |(_, rest)| rest)
            }
            "%" if depth == 0 => {
                let is_letter = |c: char| c.is_alphanumeric() || "_$.-".contains(c);
                let end = after.find(|c| !is_letter(c)).unwrap_or(after.len());
                if after[end..].trim_start().starts_with(':') {
                    names.push(&after[..end]);
                }
            }
            _ => {}
        }
    }
    names
}

/// Returns the first source location of `file` in a text.
pub(crate) fn find_location(text: &str, file: &str) -> Option<tx::Location> {
    let start = text.find(&format!("{file}:"))?;
    let rest = &text[start + file.len()..];
    let end = rest.find(|c: char| c != ':' && !c.is_ascii_digit());
    let numbers = rest[..end.unwrap_or(rest.len())].trim_end_matches(':');
    parse_location(&format!("{file}{numbers}"))
}

/// Parses `FILE:LINE:COLUMN`.
pub(crate) fn parse_location(text: &str) -> Option<tx::Location> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(tx::Location {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Option<tx::Location> {
        Some(tx::Location {
            file: "a.mlir".to_owned(),
            line,
            column,
        })
    }

    #[test]
    fn arguments_have_the_names_of_the_program() {
        let text = b"func.func @f(%A: memref<?xf32, affine_map<(d0) -> (d0)>>, // %C: (\n  %B : \
                     memref<?xf32>, %n: index) {\n  op %B : f\n}\n";
        let lines = SourceLines::of(Path::new("a.mlir"), text);
        let place = at(3, 3).expect("a place");
        for (message, expected) in [
            (
                "arg0.dim0 is 4, arg1.dim0 is 5",
                "%A.dim0 is 4, %B.dim0 is 5",
            ),
            ("mod(arg0.dim0, 2) is arg2", "mod(%A.dim0, 2) is %n"),
            (
                "arg3 and %arg0, bigarg0 arg0x --arg arg",
                "arg3 and %arg0, bigarg0 arg0x --arg arg",
            ),
        ] {
            assert_eq!(lines.named(&place, message), expected);
        }
        assert_eq!(
            SourceLines::of(Path::new("b.mlir"), text).named(&place, "arg0"),
            "arg0"
        );
    }

    #[test]
    fn locations_are_read() {
        assert_eq!(parse_location("a.mlir:2:4"), at(2, 4));
        assert_eq!(
            parse_location("c:a.mlir:2:4").map(|l| l.file).as_deref(),
            Some("c:a.mlir")
        );
        for none in ["", "a.mlir", "a:1", "a:b:c", "a:1:", "a:-1:1"] {
            assert_eq!(parse_location(none), None, "{none}");
        }
    }
}
