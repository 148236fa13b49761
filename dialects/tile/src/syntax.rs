//! How ops, attributes and types of the dialect are written, for who wrote something else.

use crate::attributes::MNEMONICS;
use tx_mlir::{Place, Reworded, Said, codes, nearest, parameter, unregistered_name};

/// An example of each attribute that is more than a name, and of the type.
const EXAMPLES: &[(&str, &str)] = &[
    ("#tile.align", "#tile.align<\"d1\" to 4>"),
    ("#tile.bind", "#tile.bind<\"d0\" to block_x>"),
    (
        "#tile.case",
        "#tile.case<\"d1\" to 64, [#tile.bind<\"d0\" to block_x>]>",
    ),
    ("#tile.determinism", "#tile.determinism<run_to_run>"),
    ("#tile.fuse", "#tile.fuse<[\"d0\", \"d1\"] to \"p\">"),
    ("#tile.iter", "#tile.iter<8 : 1 lane>"),
    ("#tile.kind", "#tile.kind<sum>"),
    ("#tile.last_block", "#tile.last_block"),
    (
        "#tile.layout",
        "#tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>",
    ),
    ("#tile.nan", "#tile.nan<propagate>"),
    (
        "#tile.otherwise",
        "#tile.otherwise<[#tile.bind<\"d0\" to block_x>]>",
    ),
    ("#tile.reorder", "#tile.reorder<\"d1.o\", \"d0.i\">"),
    ("#tile.resident", "#tile.resident<1024>"),
    ("#tile.rfactor", "#tile.rfactor<\"d1.i\">"),
    ("#tile.scope", "#tile.scope<cta>"),
    ("#tile.split", "#tile.split<\"d1\" by 8>"),
    ("#tile.stream", "#tile.stream"),
    ("#tile.unroll", "#tile.unroll<\"d1.i\">"),
    ("#tile.vectorize", "#tile.vectorize<\"d1.i\">"),
    (
        "!tile.fragment",
        "!tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>",
    ),
    (
        "tile.reduce",
        "tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>",
    ),
    (
        "tile.all_reduce",
        "%s = tile.all_reduce sum %v scope(warp) : f32 -> f32",
    ),
    (
        "tile.copy",
        "tile.copy %A to %B scope(cta) : memref<8xf32> to memref<8xf32>",
    ),
    (
        "tile.load",
        "%x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>",
    ),
    (
        "tile.store",
        "tile.store %x to %A scope(warp) : !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>> to memref<8xf32>",
    ),
    (
        "tile.splat",
        "%x = tile.splat %v : f32 -> !tile.fragment<8xf32, #tile.layout<[<8 : 1 lane>]>>",
    ),
    ("tile.yield", "tile.yield %v : f32"),
];

fn example(name: &str) -> Option<&'static str> {
    let found = EXAMPLES.iter().find(|(known, _)| *known == name);
    found.map(|(_, example)| *example)
}

/// What the parser says of the dialect's syntax, with an example.
pub(crate) fn reword(said: &Said<'_>) -> Option<Reworded> {
    let unknown = Reworded::coded(codes::TX0034);
    let written_otherwise = Reworded::coded(codes::TX0039);
    (without_dialect(said.message).map(&written_otherwise))
        .or_else(|| unknown_type(said.message).map(&unknown))
        .or_else(|| wrong_parameter(said).map(&written_otherwise))
        .or_else(|| types_expected(said).map(&unknown))
        .or_else(|| not_as_expected(said).map(&written_otherwise))
}

/// `#split<...>`.
fn without_dialect(message: &str) -> Option<String> {
    let (found, what) = unregistered_name(message)?;
    let (sign, known) = match what {
        "type" => ("!", &["fragment"][..]),
        _ => ("#", MNEMONICS),
    };
    let meant = nearest(found, known.iter().copied())?;
    Some(format!(
        "the {what} `{sign}{found}` is of no dialect; did you mean `{sign}tile.{meant}`?"
    ))
}

/// The dialect has one type.
fn unknown_type(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown  type `")?;
    let found = rest.strip_suffix("` in dialect `tile`")?;
    Some(format!(
        "unknown type `!tile.{found}`; did you mean `!tile.fragment`?"
    ))
}

/// A parameter of an attribute or of the type, which messages name by the class.
fn wrong_parameter(said: &Said<'_>) -> Option<String> {
    let (_, class) = said.message.split_once("failed to parse Tile_")?;
    let (class, _) = class.split_once(" parameter '")?;
    let class = class.strip_suffix("Attr").unwrap_or(class).to_lowercase();
    let (name, example) = EXAMPLES.iter().find(|(name, _)| {
        let word = name.get(6..).unwrap_or("").replace('_', "");
        name.starts_with(['#', '!']) && word == class
    })?;
    let told = parameter(said, Some(name))?;
    Some(format!("{told}: write `{example}`"))
}

/// Something else than a part of an op, where there is no `:`.
fn types_expected(said: &Said<'_>) -> Option<String> {
    let (_, rest) = said.message.split_once("' unknown part `")?;
    let (found, known) = rest.split_once("`; known: ")?;
    let known = known.strip_suffix(", or `:` and types")?;
    if nearest(found, known.split(", ")).is_some() {
        return None;
    }
    let op = op_of_prefix(said.message)?;
    Some(format!(
        "{}; types stand behind `:`, as in `{}`",
        said.message,
        example(op)?
    ))
}

/// What the parser found something else than.
fn not_as_expected(said: &Said<'_>) -> Option<String> {
    let found = said.with_found()?;
    let name = match said.place().and_then(Place::within) {
        Some(name) => name,
        None if said.message.ends_with('\'') => {
            op_of_prefix(said.message).or_else(|| op_around(said.place()?))?
        }
        None => op_of_prefix(said.message)?,
    };
    Some(format!("{found}: write `{}`", example(name)?))
}

/// `custom op 'tile.copy' ...`
fn op_of_prefix(message: &str) -> Option<&str> {
    let (op, _) = message.strip_prefix("custom op '")?.split_once('\'')?;
    Some(op)
}

/// The op that a place is in: the last that a line begins with.
fn op_around(place: &Place) -> Option<&str> {
    place.before().lines().rev().find_map(|line| {
        let line = match line.split_once(" = ") {
            Some((results, rest)) if results.trim_start().starts_with('%') => rest,
            _ => line,
        };
        let word = line.trim_start();
        let end = word.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
        let word = &word[..end.unwrap_or(word.len())];
        word.contains('.').then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written as others are not has an example.
    #[test]
    fn all_attributes_have_examples() {
        for word in MNEMONICS {
            let name = format!("#tile.{word}");
            let found = example(&name).unwrap_or_default();
            assert!(found.starts_with(&name), "{name}");
        }
        for op in crate::TILE_OPS {
            assert!(example(op).unwrap_or_default().contains(op), "{op}");
        }
    }
}
