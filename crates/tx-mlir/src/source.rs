//! The text of a program at the places that locations of MLIR name.

use crate::diagnostic::source_location;
use crate::registration::STANDARD_INPUT;
use melior::ir::Location;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What this thread parses: the name that locations have, and the text.
    static PARSED: RefCell<Option<(String, Rc<Vec<u8>>)>> = const { RefCell::new(None) };
}

/// Whether what locations name are files as MLIR has read them. What an editor shows may differ.
static READS_FILES: AtomicBool = AtomicBool::new(false);

static INPUT: OnceLock<Vec<u8>> = OnceLock::new();

/// Keeps what standard input held: it gives that only once.
pub(crate) fn keep_input(text: Vec<u8>) {
    INPUT.get_or_init(|| text);
}

/// Looks into the files that locations name, for the rest of the process.
pub(crate) fn read_files() {
    READS_FILES.store(true, Ordering::Relaxed);
}

/// Whether it does.
pub(crate) fn reads() -> bool {
    READS_FILES.load(Ordering::Relaxed)
}

/// Calls `parse`, during which locations of this name are about this text.
pub(crate) fn while_parsing<R>(name: &str, text: Rc<Vec<u8>>, parse: impl FnOnce() -> R) -> R {
    PARSED.set(Some((name.to_owned(), text)));
    let parsed = parse();
    PARSED.take();
    parsed
}

/// A place in a program.
pub struct Place {
    text: String,
    at: usize,
}

impl Place {
    /// The place of a location, if its text is known.
    pub(crate) fn of(location: Location<'_>) -> Option<Self> {
        let at = source_location(location)?;
        let parsed = PARSED.with_borrow(|parsed| {
            let (_, text) = parsed.as_ref().filter(|(name, _)| *name == at.file)?;
            Some(text.clone())
        });
        let (text, lines_before) = match parsed {
            Some(text) => (text, 0),
            None if reads() => {
                let (file, lines) = of_split(&at.file).unwrap_or((&at.file, 0));
                let text = match INPUT.get().filter(|_| file == STANDARD_INPUT) {
                    Some(text) => text.clone(),
                    None => std::fs::read(file).ok()?,
                };
                (Rc::new(text), lines)
            }
            None => return None,
        };
        // MLIR wants a zero at the end.
        let text = String::from_utf8_lossy(text.strip_suffix(&[0]).unwrap_or(&text)).into_owned();
        Self::at(text, lines_before + at.line, at.column)
    }

    /// A line and a column, from 1.
    pub(crate) fn at(text: String, line: usize, column: usize) -> Option<Self> {
        let begin = text
            .split_inclusive('\n')
            .take(line.checked_sub(1)?)
            .map(str::len)
            .sum::<usize>();
        let at = begin + column.checked_sub(1)?;
        text.is_char_boundary(at).then_some(Self { text, at })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// What stands before it.
    pub fn before(&self) -> &str {
        &self.text[..self.at]
    }

    /// What stands there, and all behind.
    pub fn after(&self) -> &str {
        &self.text[self.at..]
    }

    /// What stands there: a word, a string, a sign. None at the end of a line.
    pub fn word(&self) -> Option<&str> {
        word(self.text[self.at..].trim_start_matches([' ', '\t']))
    }

    /// Whether something stands before it on its line, and something behind.
    pub(crate) fn is_behind_code(&self) -> bool {
        let line = self.before().rsplit('\n').next().unwrap_or("");
        !line.trim().is_empty() && self.word().is_some()
    }

    /// The line that it is in, when nothing but comments stands before that.
    pub(crate) fn first_line(&self) -> Option<&str> {
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        let first = self.text.lines().find(is_code)?;
        let before = self.before();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let is_first = !before[..line].lines().any(|line| is_code(&line));
        is_first.then(|| first.trim())
    }

    /// The attributes of an op that stand here in braces, behind its types on the same line.
    pub(crate) fn late_attributes(&self) -> Option<&str> {
        let line = self.before().rsplit('\n').next().unwrap_or("");
        let rest = self.after().trim_start_matches([' ', '\t']);
        let entry = rest.strip_prefix('{')?.trim_start();
        let is_letter = |c: char| c.is_alphanumeric() || "_.$\"".contains(c);
        let behind = entry.trim_start_matches(is_letter);
        let is_entry =
            behind.len() < entry.len() && behind.trim_start().starts_with(['=', ',', '}']);
        let is_behind_types = line.split_whitespace().any(|word| word == ":");
        let end = 1 + value(&rest[1..]).len();
        (is_entry && is_behind_types && rest[end..].starts_with('}')).then(|| &rest[..=end])
    }

    /// The value of this attribute in the dictionary that stands here.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let after = self.after();
        let is_letter = |c: char| c.is_alphanumeric() || "_.$".contains(c);
        let found = |at: usize| {
            let is_whole = !after[..at].ends_with(is_letter);
            let rest = after[at + name.len()..].trim_start().strip_prefix('=')?;
            is_whole.then(|| value_of_entry(rest).trim())
        };
        after.match_indices(name).find_map(|(at, _)| found(at))
    }

    /// Whether `true` or `false` stands before it.
    pub(crate) fn is_behind_boolean(&self) -> bool {
        let last = self.before().split_whitespace().next_back();
        matches!(last, Some("true" | "false"))
    }

    /// The next word, on whatever line.
    pub(crate) fn next_word(&self) -> Option<&str> {
        let mut at = self.at;
        loop {
            let rest = &self.text[at..];
            let code = rest.trim_start();
            at += rest.len() - code.len();
            match code.starts_with("//") {
                true => at += code.find('\n')?,
                false => return word(code),
            }
        }
    }

    /// What stands there, in words.
    pub fn found(&self) -> String {
        match self.word() {
            Some(word) => format!("`{word}`"),
            None if self.text[self.at..].trim().is_empty() => "the end of the file".to_owned(),
            None => "the end of the line".to_owned(),
        }
    }

    /// The attribute or type whose `<` is the last that is open, or would be next: `#tile.split`, `memref`.
    pub fn within(&self) -> Option<&str> {
        let before = self.before();
        let last = name_before(before.trim_end());
        if last.starts_with(['#', '!']) {
            return Some(last);
        }
        let mut closed = 0;
        for (at, c) in before.char_indices().rev() {
            match c {
                '>' if !before[..at].ends_with('-') => closed += 1,
                '<' if closed > 0 => closed -= 1,
                '<' => match name_before(&before[..at]) {
                    // An entry of a list.
                    "" => {}
                    name => return Some(name),
                },
                '{' | '}' => return None,
                _ => {}
            }
        }
        None
    }
}

/// A text up to a closing bracket that is opened before it.
fn value(text: &str) -> &str {
    up_to(text, |_| false)
}

/// A text up to a comma, or to a closing bracket, that is in no brackets of its own.
fn value_of_entry(text: &str) -> &str {
    up_to(text, |c| c == ',')
}

fn up_to(text: &str, ends: impl Fn(char) -> bool) -> &str {
    let mut open = 0_usize;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '>' if text[..at].ends_with('-') => {}
            '<' | '(' | '[' | '{' => open += 1,
            '>' | ')' | ']' | '}' if open == 0 => return &text[..at],
            '>' | ')' | ']' | '}' => open -= 1,
            c if open == 0 && ends(c) => return &text[..at],
            _ => {}
        }
    }
    text
}

/// What a text begins with.
fn word(rest: &str) -> Option<&str> {
    let first = rest
        .chars()
        .next()
        .filter(|first| !"\n\r".contains(*first) && !rest.starts_with("//"))?;
    let is_letter = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    let length = match first {
        '"' => {
            let line = rest.lines().next().unwrap_or(rest);
            line[1..].find('"').map_or(line.len(), |end| end + 2)
        }
        _ if rest.starts_with("->") => 2,
        _ if is_letter(first) || "%#!@^-".contains(first) => {
            let first = first.len_utf8();
            let letters = rest[first..].find(|c| !is_letter(c));
            letters.map_or(rest.len(), |end| first + end)
        }
        _ => first.len_utf8(),
    };
    Some(&rest[..length])
}

/// The name that a text ends with, `#` and `!` included.
fn name_before(text: &str) -> &str {
    let is_letter = |c: char| c.is_alphanumeric() || "_$.#!".contains(c);
    let begin = text.rfind(|c| !is_letter(c));
    let begin = begin.map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    &text[begin..]
}

/// The file, and the lines before, of a part of one: `within split at a.mlir:7 offset `.
fn of_split(name: &str) -> Option<(&str, usize)> {
    let part = name.strip_prefix("within split at ")?;
    let (file, line) = part.trim_end().strip_suffix(" offset")?.rsplit_once(':')?;
    Some((file, line.parse::<usize>().ok()?.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `a`, and what is behind types, at `|`.
    #[test]
    fn attributes_are_found() {
        for (text, value, late) in [
            ("x |{a = 1, b = 2} : f32", Some("1"), None),
            (
                "x |{ba = 1, a = #t.s<\"a, }\" by [2, 3]>} : f32",
                Some("#t.s<\"a, }\" by [2, 3]>"),
                None,
            ),
            (
                "x : f32| {a = \"}\"} // {",
                Some("\"}\""),
                Some("{a = \"}\"}"),
            ),
            ("x : f32 |{a}", None, Some("{a}")),
            ("x : f32 |{ y.z }", None, Some("{ y.z }")),
            ("x : f32 |{a", None, None),
            ("x : f32 |", None, None),
        ] {
            let at = text.find('|').expect("a place is marked");
            let place = Place::at(text.replace('|', ""), 1, at + 1).expect("it is in the text");
            assert_eq!(
                (place.attribute("a"), place.late_attributes()),
                (value, late),
                "{text}"
            );
        }
    }

    #[test]
    fn parts_of_files_are_known() {
        assert_eq!(
            of_split("within split at a.mlir:7 offset "),
            Some(("a.mlir", 6))
        );
        assert_eq!(of_split("a.mlir"), None);
    }

    /// What stands at `|`, and within which attribute or type.
    #[test]
    fn places_are_told() {
        for (text, found, within) in [
            ("#a.b<|d1, 8>", "`d1`", Some("#a.b")),
            ("#a.b<\"d1\"| by 8.5>", "`by`", Some("#a.b")),
            ("#a.b<\"d1\" by |8.5>", "`8.5`", Some("#a.b")),
            ("#a.b| {", "`{`", Some("#a.b")),
            ("#a.b<[<8 : 1 |\"é\">]>", "`\"é\"`", Some("#a.b")),
            ("!a.b<c<1>, |>", "`>`", Some("!a.b")),
            (
                "a.b {x = #a.b<1>} -> memref<4|\nx",
                "the end of the line",
                Some("memref"),
            ),
            (
                "a.b {x = #a.b<1>} -> f32| // end\nx",
                "the end of the line",
                None,
            ),
            ("x|\n", "the end of the file", None),
        ] {
            let at = text.find('|').expect("a place is marked");
            let place = Place::at(text.replace('|', ""), 1, at + 1).expect("it is in the text");
            assert_eq!(
                (place.found().as_str(), place.within()),
                (found, within),
                "{text}"
            );
        }
        for (line, column) in [(0, 1), (1, 0), (9, 9)] {
            assert!(Place::at("é".to_owned(), line, column).is_none());
        }
    }
}
