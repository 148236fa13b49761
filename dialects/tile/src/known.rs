//! The names that the dialect knows, and what may be meant by others.

use crate::verify::complain;
use tx_mlir::{Failed, Op, discardable_attributes, name, nearest};

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

/// Better words for what MLIR says of names and types that are not the dialect's.
pub(crate) fn reword(said: &str) -> Option<String> {
    unknown_attribute(said)
        .or_else(|| wrong_type(said))
        .or_else(|| other_word(said))
        .or_else(|| types_of_operands(said))
        .or_else(|| {
            let at = said.strip_suffix(" expected 'axes'")?;
            let is_ours = at.starts_with("custom op 'tile.");
            is_ours.then(|| format!("{at} expected `axes [...]`, after `into` and the destinations where there are some"))
        })
}

/// Words of other languages and libraries for kinds.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("add", "sum"),
    ("plus", "sum"),
    ("mul", "prod"),
    ("multiply", "prod"),
    ("product", "prod"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("maximumf", "max"),
    ("minimumf", "min"),
    ("all", "and"),
    ("any", "or"),
];

/// A kind by another name, or in capitals.
fn other_word(said: &str) -> Option<String> {
    let (before, known) = said.split_once("`; known: ")?;
    let (_, found) = before.split_once("unknown kind `")?;
    let found = found.to_lowercase();
    let other = OTHER_WORDS.iter().find(|(word, _)| *word == found);
    let meant = other.map_or(found.as_str(), |(_, kind)| kind);
    let is_known = known.split(", ").any(|kind| kind == meant);
    is_known.then(|| format!("{said}; did you mean `{meant}`?"))
}

/// An attribute that the dialect does not have, with those that it has.
fn unknown_attribute(said: &str) -> Option<String> {
    let found = said.strip_prefix("unknown attribute `")?;
    let found = found.strip_suffix("` in dialect `tile`")?;
    let said = format!("unknown attribute `#tile.{found}`");
    Some(match nearest(found, ATTRIBUTES.iter().copied()) {
        Some(meant) => format!("{said}; did you mean `#tile.{meant}`?"),
        None => format!("{said}; known: {}", ATTRIBUTES.join(", ")),
    })
}

/// Operands and types of a part of an op, of which there are not as many.
fn types_of_operands(said: &str) -> Option<String> {
    let (op, rest) = said
        .strip_prefix("custom op 'tile.")?
        .split_once("' number of operands and types do not match: got ")?;
    let (operands, rest) = rest.split_once(" operands and ")?;
    let types = rest.strip_suffix(" types")?;
    let several = |n: &str, what: &str| match n {
        "1" => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let (found, given) = (several(operands, "operand"), several(types, "type"));
    let what = match (operands, types) {
        ("0", _) if op == "reduce" => {
            format!("`into`, `init` or `with` has {given} behind `:`, and no operand before `axes`")
        }
        (_, "0") if op == "reduce" => {
            format!("`into`, `init` or `with` has {found} before `axes`, and no type behind `:`")
        }
        _ => format!("{found} and {given} in one part, expected a type for each operand"),
    };
    Some(match op {
        "reduce" => format!(
            "{what}: write `%A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`"
        ),
        _ => what,
    })
}

/// A type that an op does not take, without the words of ODS and the op in its generic form.
fn wrong_type(said: &str) -> Option<String> {
    let (op, rest) = said.strip_prefix("'tile.")?.split_once("' op ")?;
    let (place, rest) = rest.split_once(" must be ")?;
    let (expected, found) = rest.split_once(", but got '")?;
    let expected = expected.strip_prefix("variadic of ").unwrap_or(expected);
    let found = found.strip_suffix('\'')?;
    // Behind the sizes.
    let (_, element) = found.split_once('<').unwrap_or(("", found));
    let element = element.trim_start_matches(|c: char| c.is_ascii_digit() || "?x".contains(c));
    let instead = match element {
        _ if element.starts_with("index") => {
            "; an `index` is as wide as the machine has it: use `i64` or `i32`"
        }
        _ if element.starts_with("ui") || element.starts_with("si") => {
            "; use an `iN`: `umax` and `umin` take it as unsigned"
        }
        _ if found.starts_with("tensor<") => "; `--tensors-to-memrefs` makes memrefs of tensors",
        _ => "",
    };
    Some(format!(
        "'tile.{op}' op {place} must be {expected}, found `{found}`{instead}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_attributes_have_neighbours() {
        for (found, meant) in [("splt", "split"), ("Nan", "nan")] {
            let said = format!("unknown attribute `{found}` in dialect `tile`");
            let better =
                format!("unknown attribute `#tile.{found}`; did you mean `#tile.{meant}`?");
            assert_eq!(reword(&said), Some(better));
        }
        let far = reword("unknown attribute `` in dialect `tile`").unwrap_or_default();
        assert!(far.contains("known: ") && far.contains("split, "), "{far}");
        assert_eq!(reword("unknown attribute `splt` in dialect `gpu`"), None);
    }
}
