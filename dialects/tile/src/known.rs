//! The names that the dialect knows, and what may be meant by others.

use crate::Sink;
use crate::verify::{complain, send};
use std::ffi::{c_char, c_int, c_void};
use strsim::osa_distance;
use tx_mlir::{Failed, Op, discardable_attributes, name};

/// Each op with the attributes that `Tile.td` declares.
const OPS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/attributes.rs"));

/// Where `tile-schedule{until=candidates}` notes how a `tile.reduce` might be scheduled: pairs of a schedule and the microseconds
/// that it should take, what the op has first.
pub const CANDIDATES: &str = "tile.candidates";

/// Attributes of ops that passes leave beside those of `Tile.td`.
const FACTS: &[&str] = &[CANDIDATES];

/// Refuses attributes that nobody reads, which are misspelt ones as a rule: MLIR keeps those that no op declares. One with a dot
/// in its name belongs to the dialect before it, and the others have their own rules.
pub(crate) fn check_attributes(op: Op<'_>) -> Result<(), Failed> {
    for (found, _) in discardable_attributes(op) {
        let found = found.as_str();
        let foreign = found.contains('.') && !found.starts_with("tile.");
        if foreign || FACTS.contains(&found) {
            continue;
        }
        // Sizes of groups of operands are no words of the syntax.
        let known: Vec<&str> = OPS
            .iter()
            .filter(|(op_name, _)| *op_name == name(op))
            .flat_map(|(_, names)| names.iter().copied())
            .filter(|name| *name != "operandSegmentSizes")
            .collect();
        let mut report = complain(op, format!("has no attribute `{found}`"));
        let meant = nearest(found, known.iter().chain(FACTS).copied());
        if let Some(meant) = meant {
            report = report.note(format!("did you mean `{meant}`?"));
        }
        let known = match known.is_empty() {
            true => "it has none".to_owned(),
            false => format!("known: {}", known.join(", ")),
        };
        return Err(report
            .note(format!(
                "{known}; what others say of an op has a dot in its name: `theirs.{}`",
                found.trim_start_matches("tile.")
            ))
            .emit());
    }
    Ok(())
}

/// Attributes of the dialect, as `#tile.split`.
const ATTRIBUTES: &[&str] = include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Words that begin a part of an op, as `identity [0.0 : f32]`.
const PARTS: &[&str] = &["identity", "combiner", "element", "epilogue"];

/// What to say of a name that means nothing where it stands; `place` is what `tile.cpp` calls it.
fn unknown(found: &str, place: c_int) -> String {
    let (said, sign, known): (_, _, Vec<&str>) = match place {
        0 => {
            let ops = OPS.iter().filter_map(|(op, _)| op.strip_prefix("tile."));
            ("is unknown".to_owned(), "tile.", ops.collect())
        }
        1 => {
            let said = format!("unknown attribute `#tile.{found}`");
            (said, "#tile.", ATTRIBUTES.to_vec())
        }
        2 => (format!("unknown part `{found}`"), "", PARTS.to_vec()),
        _ => {
            return format!(
                "attribute `{found}` is said by the syntax of the op, and not in braces"
            );
        }
    };
    let found = found.strip_prefix("tile.").unwrap_or(found);
    match nearest(found, known.iter().copied()) {
        Some(meant) => format!("{said}; did you mean `{sign}{meant}`?"),
        None => format!("{said}; known: {}", known.join(", ")),
    }
}

pub(crate) unsafe extern "C" fn tell_unknown(
    name: *const c_char,
    length: usize,
    place: c_int,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: the text is alive, and has this length.
    let name = unsafe { std::slice::from_raw_parts(name.cast(), length) };
    let message = unknown(&String::from_utf8_lossy(name), place);
    // SAFETY: `emit` and `sink` belong together.
    unsafe { send(&message, emit, sink) }
}

/// The name that may have been meant: the first of those with the fewest letters that were left out, put in, changed or swapped,
/// if most of it is right.
pub fn nearest<'n>(found: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|name| (osa_distance(found, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| 3 * distance <= name.len().max(3))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_found() {
        let reduce = || OPS.iter().find(|(op, _)| *op == "tile.reduce").into_iter();
        let known = || reduce().flat_map(|(_, names)| names.iter().copied());
        for (found, meant) in [
            ("determinsm", Some("determinism")),
            ("scedule", Some("schedule")),
            ("varaint", Some("variant")),
            ("Nan", Some("nan")),
            ("threads", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, known()), meant, "{found}");
        }
    }

    #[test]
    fn unknown_ops_and_attributes_have_neighbours() {
        for (found, place, said) in [
            ("tile.reduc", 0, "is unknown; did you mean `tile.reduce`?"),
            (
                "tile.allreduce",
                0,
                "is unknown; did you mean `tile.all_reduce`?",
            ),
            (
                "splt",
                1,
                "unknown attribute `#tile.splt`; did you mean `#tile.split`?",
            ),
            (
                "Nan",
                1,
                "unknown attribute `#tile.Nan`; did you mean `#tile.nan`?",
            ),
            (
                "elemnt",
                2,
                "unknown part `elemnt`; did you mean `element`?",
            ),
        ] {
            assert_eq!(unknown(found, place), said);
        }
        let far = unknown("tile.gather", 0);
        assert!(
            far.starts_with("is unknown; known: ") && far.contains("all_reduce, "),
            "{far}"
        );
        let far = unknown("", 1);
        assert!(far.contains("known: ") && far.contains("split, "), "{far}");
    }
}
