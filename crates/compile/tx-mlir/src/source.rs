//! Argument names in the source text of a program. MLIR's parser discards the names of arguments.

use crate::ir::{Val, argument_of, value_location};
use crate::location::source_location;
use melior::ir::Location;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// File name and text of the module that the current thread parses.
    static PARSED: RefCell<Option<(String, Rc<Vec<u8>>)>> = const { RefCell::new(None) };
}

/// Whether `tx` may read argument names from source files on disk. In the language server,
/// `READS_FILES` is false, because the text in an editor can differ from the file on disk.
static READS_FILES: AtomicBool = AtomicBool::new(false);

/// File name of standard input in MLIR locations.
pub(crate) const STANDARD_INPUT: &str = "<stdin>";

/// Text of standard input, which a program can read only once.
static INPUT: OnceLock<Vec<u8>> = OnceLock::new();

pub(crate) fn keep_input(text: Vec<u8>) {
    INPUT.get_or_init(|| text);
}

pub(crate) fn read_files() {
    READS_FILES.store(true, Ordering::Relaxed);
}

pub(crate) fn reads() -> bool {
    READS_FILES.load(Ordering::Relaxed)
}

/// Calls `parse`. While `parse` runs, [`written_name`] looks up an argument name in `text` if the
/// location of the argument is in the file `name`.
pub(crate) fn while_parsing<R>(name: &str, text: Rc<Vec<u8>>, parse: impl FnOnce() -> R) -> R {
    PARSED.set(Some((name.to_owned(), text)));
    let parsed = parse();
    PARSED.take();
    parsed
}

/// Returns the SSA name of a block argument in the source text, such as `%A`. Returns `None` if
/// `value` is not a block argument, or if the source text is not available.
pub fn written_name(value: Val<'_>) -> Option<String> {
    argument_of(value)?;
    value_name(value_location(value))
}

/// Returns the SSA name at a source location, such as `%A`. Returns `None` if the source text is
/// not available.
fn value_name(location: Location<'_>) -> Option<String> {
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
    let line = (lines_before + at.line).checked_sub(1)?;
    let line = text.split(|byte| *byte == b'\n').nth(line)?;
    name_at(line.get(at.column.checked_sub(1)?..)?)
}

fn name_at(text: &[u8]) -> Option<String> {
    let letters = text.strip_prefix(b"%")?;
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.-".contains(byte);
    let length = letters.iter().take_while(|byte| is_letter(byte)).count();
    Some(format!("%{}", String::from_utf8_lossy(&letters[..length])))
}

/// Parses the buffer name that MLIR gives to one split of an input file, such as
/// `within split at a.mlir:7 offset `. Returns the name of the input file, and the number of lines
/// before the split.
fn of_split(name: &str) -> Option<(&str, usize)> {
    let part = name.strip_prefix("within split at ")?;
    let (file, line) = part.trim_end().strip_suffix(" offset")?.rsplit_once(':')?;
    Some((file, line.parse::<usize>().ok()?.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_files_are_known() {
        assert_eq!(
            of_split("within split at a.mlir:7 offset "),
            Some(("a.mlir", 6))
        );
        assert_eq!(of_split("a.mlir"), None);
    }

    #[test]
    fn names_of_values_are_read() {
        for (text, name) in [
            ("%A: memref", Some("%A")),
            ("%x-1.$y)", Some("%x-1.$y")),
            ("A", None),
            ("", None),
        ] {
            assert_eq!(name_at(text.as_bytes()).as_deref(), name, "{text}");
        }
    }
}
