//! What MLIR's parser expects where it finds something else: it says the first, in words of C++ where it is a parameter, and not
//! the second.

use crate::codes;
use crate::reword::{Reworded, nearest};
use crate::source::Place;
use melior::ir::Location;
use std::cell::OnceCell;

/// A message of MLIR, without its notes.
pub struct Said<'s> {
    /// What it says.
    pub message: &'s str,
    location: Option<Location<'s>>,
    /// Files are read for messages of the parser alone.
    place: OnceCell<Option<Place>>,
}

impl<'s> Said<'s> {
    /// A message, and where it stands.
    pub fn new(message: &'s str, location: Option<Location<'s>>) -> Self {
        Self {
            message,
            location,
            place: OnceCell::new(),
        }
    }

    /// What it is about, where the text of the program is known.
    pub fn place(&self) -> Option<&Place> {
        let place = || self.location.and_then(Place::of);
        self.place.get_or_init(place).as_ref()
    }

    /// A message of the parser about what is not as expected, with what was found if that is known. None for others, and
    /// those that say more.
    pub fn with_found(&self) -> Option<String> {
        const EXPECTED: &[&str] = &[
            "string",
            "integer value",
            "valid keyword",
            "valid keyword or string",
            "attribute value",
        ];
        let said = without_op(self.message).1;
        let expected = match said {
            "invalid kind of attribute specified" => EXPECTED[0],
            said => said.strip_prefix("expected ")?,
        };
        let told =
            expected.starts_with('\'') && !expected.contains('`') || EXPECTED.contains(&expected);
        told.then_some(())?;
        let found = self
            .place()
            .map(|place| format!(", found {}", place.found()));
        Some(format!("{}{}", self.message, found.unwrap_or_default()))
    }
}

/// Words of other languages and libraries for types, spaces of memory and their like.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("shared", "workgroup"),
    ("smem", "workgroup"),
    ("local", "private"),
    ("register", "private"),
    ("device", "global"),
    ("float", "f32"),
    ("float32", "f32"),
    ("single", "f32"),
    ("double", "f64"),
    ("float64", "f64"),
    ("half", "f16"),
    ("float16", "f16"),
    ("bfloat", "bf16"),
    ("bfloat16", "bf16"),
    ("bool", "i1"),
    ("char", "i8"),
    ("int8", "i8"),
    ("short", "i16"),
    ("int16", "i16"),
    ("int", "i32"),
    ("int32", "i32"),
    ("u32", "i32"),
    ("uint32", "i32"),
    ("long", "i64"),
    ("int64", "i64"),
    ("u64", "i64"),
    ("uint64", "i64"),
    ("size_t", "index"),
    ("fp8", "f8E4M3FN"),
    ("e4m3", "f8E4M3FN"),
    ("e5m2", "f8E5M2"),
];

/// Types by a name alone.
const TYPES: &[&str] = &[
    "f32", "f16", "f64", "bf16", "i32", "i64", "i16", "i8", "i1", "index", "f8E4M3FN", "f8E5M2",
    "memref", "tensor", "vector",
];

/// Better words for a message of the parser.
pub(crate) fn reword(said: &Said<'_>) -> Option<Reworded> {
    let written_otherwise = Reworded::coded(codes::TX0039);
    (parameter(said, None).map(&written_otherwise))
        .or_else(|| not_closed(said).map(&written_otherwise))
        .or_else(|| no_list(said).map(Reworded::coded(codes::TX0036)))
        .or_else(|| without_code(said).map(Reworded::from))
}

/// Better words for messages that are not about a rule of `tx`.
fn without_code(said: &Said<'_>) -> Option<String> {
    unregistered(said.message)
        .or_else(|| one_of(said))
        .or_else(|| none_there(said))
        .or_else(|| no_op(said))
        .or_else(|| of_other_numbers(said.message))
        .or_else(|| said.with_found().filter(|better| better != said.message))
}

/// `custom op 'gpu.thread_id' ` and what follows.
fn without_op(message: &str) -> (&str, &str) {
    let rest = message.strip_prefix("custom op '");
    match rest.and_then(|rest| rest.split_once("' ")) {
        Some((_, rest)) => message.split_at(message.len() - rest.len()),
        None => ("", message),
    }
}

/// The word for what is called otherwise elsewhere, or the nearest.
fn meant<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = found.to_lowercase();
    let other = OTHER_WORDS.iter().find(|(word, _)| *word == lower);
    let word = other.map_or(lower.as_str(), |(_, word)| word);
    let same = known.iter().find(|known| known.to_lowercase() == word);
    // A letter is as far from one as from another.
    let near = known.iter().copied().filter(|known| known.len() > 1);
    same.copied().or_else(|| nearest(found, near))
}

fn did_you_mean(meant: Option<impl std::fmt::Display>) -> String {
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

/// `expected ::mlir::gpu::Dimension to be one of: x, y, z`.
fn one_of(said: &Said<'_>) -> Option<String> {
    let (op, rest) = without_op(said.message);
    let (_, known) = rest
        .strip_prefix("expected ::")?
        .split_once(" to be one of: ")?;
    let said_now = format!("{op}expected one of: {known}");
    let Some(place) = said.place() else {
        return Some(said_now);
    };
    let known: Vec<&str> = known.split(", ").collect();
    let found = place.word().map(|word| word.trim_matches('"'));
    Some(format!(
        "{said_now}, found {}{}",
        place.found(),
        did_you_mean(found.and_then(|found| meant(found, &known)))
    ))
}

/// What a parameter of an attribute or a type is, by its class in C++.
const PARAMETERS: &[(&str, &str)] = &[
    ("::llvm::StringRef", "a string in quotes, as `\"d0\"`"),
    ("StringAttr", "a string in quotes, as `\"d0\"`"),
    ("int64_t", "an integer, as `8`"),
    ("int", "an integer, as `8`"),
    ("unsigned", "an integer that is not negative, as `8`"),
    ("bool", "`true` or `false`"),
    (
        "ArrayRef<::mlir::StringAttr>",
        "strings in quotes, as `\"d0\", \"d1\"`",
    ),
    ("ArrayAttr", "a list in brackets, as `[1, 2]`"),
    ("DictionaryAttr", "a dictionary in braces, as `{fast}`"),
    ("Type", "a type, as `f32`"),
];

/// `failed to parse Tile_SplitAttr parameter 'loop' which is to be a ...`, of `known`, or of what it stands in.
pub fn parameter(said: &Said<'_>, known: Option<&str>) -> Option<String> {
    let (op, rest) = without_op(said.message);
    let rest = rest.strip_prefix("failed to parse ")?;
    let (_, rest) = rest.split_once(" parameter '")?;
    let (name, class) = rest.split_once("' which is to be a `")?;
    let class = class.strip_suffix('`')?;
    let within = known.or_else(|| said.place()?.within());
    let of = within.map_or_else(String::new, |within| format!(" of `{within}`"));
    let is = |word: &str| {
        let outer = class.strip_suffix(word);
        outer.is_some_and(|outer| outer.is_empty() || outer.ends_with("::"))
    };
    Some(match PARAMETERS.iter().find(|(word, _)| is(word)) {
        Some((_, words)) => format!("{op}`{name}`{of} must be {words}"),
        None => format!("{op}`{name}`{of} cannot be read"),
    })
}

/// What MLIR says where there is no type and no attribute, and what to say.
const NONE_THERE: &[(&str, &str, &[&str])] = &[
    (
        "expected non-function type",
        "expected a type, such as `f32`, `index` or `memref<4x?xf32>`",
        TYPES,
    ),
    (
        "expected attribute value",
        "expected an attribute, such as `1 : i64`, `\"text\"` or `#tile.determinism<any>`",
        &[],
    ),
];

/// A word that is no type, and no attribute.
fn none_there(said: &Said<'_>) -> Option<String> {
    let (_, expected, known) = NONE_THERE.iter().find(|(is, ..)| *is == said.message)?;
    let Some(place) = said.place() else {
        return Some((*expected).to_owned());
    };
    Some(format!(
        "{expected}, found {}{}",
        place.found(),
        did_you_mean(place.word().and_then(|found| meant(found, known)))
    ))
}

/// `<` of an attribute or a type.
fn not_closed(said: &Said<'_>) -> Option<String> {
    let rest = said.message.strip_prefix("unbalanced '")?;
    let (open, rest) = rest.split_once('\'')?;
    (rest == " character in pretty dialect name").then_some(())?;
    let close = match open {
        "<" => ">",
        "[" => "]",
        "(" => ")",
        "{" => "}",
        _ => return None,
    };
    let within = said.place().and_then(Place::within).unwrap_or("");
    Some(format!(
        "`{within}{open}` is not closed: expected a `{close}` behind what it holds"
    ))
}

/// Ops on integers, and those that do the same with floats.
const OF_BOTH: &[(&str, &str)] = &[
    ("arith.addi", "arith.addf"),
    ("arith.subi", "arith.subf"),
    ("arith.muli", "arith.mulf"),
    ("arith.divsi", "arith.divf"),
    ("arith.divui", "arith.divf"),
    ("arith.remsi", "arith.remf"),
    ("arith.maxsi", "arith.maximumf"),
    ("arith.maxui", "arith.maximumf"),
    ("arith.minsi", "arith.minimumf"),
    ("arith.minui", "arith.minimumf"),
    ("arith.cmpi", "arith.cmpf"),
];

/// `'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'`.
fn of_other_numbers(message: &str) -> Option<String> {
    let (op, rest) = message.strip_prefix('\'')?.split_once("' op ")?;
    let (place, rest) = rest.split_once(" must be ")?;
    let (expected, found) = rest.split_once(", but got '")?;
    let found = found.strip_suffix('\'')?;
    let of_floats = expected.starts_with("floating-point");
    let mut pairs = OF_BOTH.iter().map(|(integers, floats)| match of_floats {
        true => (floats, integers),
        false => (integers, floats),
    });
    let (_, other) = pairs.find(|(known, _)| **known == op)?;
    Some(format!(
        "'{op}' op {place} must be {expected}, found `{found}`; did you mean `{other}`?"
    ))
}

/// What is no op, where one is expected.
fn no_op(said: &Said<'_>) -> Option<String> {
    (said.message == "expected operation name in quotes").then_some(())?;
    let expected = "expected an op, such as `func.return`";
    let place = said.place()?;
    Some(match (place.found().as_str(), place.next_word()) {
        ("the end of the file", _) | (_, None) => {
            format!("{expected}, found the end of the file: a `}}` is missing")
        }
        (_, Some(":")) if place.is_behind_boolean() => {
            format!("{expected}, found `:`: `true` and `false` have no type behind them")
        }
        (_, Some(":")) => {
            format!("{expected}, found `:`: a `}}` is missing before it, which ends a region")
        }
        _ if let Some(attributes) = place.late_attributes() => {
            format!(
                "{expected}, found `{{`: attributes stand before the `:` of the types, as in `{attributes} : f32`"
            )
        }
        (_, Some(found)) if found != "}" && place.is_behind_code() => {
            format!("{expected}, found `{found}`: the op before ends there")
        }
        (_, Some(found)) => {
            format!("{expected}, found `{found}`; is a `}}` missing above, or one too many here?")
        }
    })
}

/// `attribute 'schedule' failed to satisfy constraint: array attribute`.
fn no_list(said: &Said<'_>) -> Option<String> {
    let before = said
        .message
        .strip_suffix("' failed to satisfy constraint: array attribute")?;
    let (op, name) = before.rsplit_once("attribute '")?;
    let expected = format!("{op}attribute `{name}` must be a list in brackets");
    let value = said.place().and_then(|place| place.attribute(name));
    let found = value.map_or_else(String::new, |value| format!(", found `{value}`"));
    // What is of a dialect is an entry that only lacks its brackets.
    let entry = value
        .filter(|value| value.starts_with('#'))
        .unwrap_or("...");
    Some(format!("{expected}{found}: write `{name} = [{entry}]`"))
}

/// `#split<...>`: an attribute or a type of no dialect, which MLIR takes for one of a dialect of this name.
fn unregistered(message: &str) -> Option<String> {
    let (name, what) = unregistered_name(message)?;
    Some(format!(
        "unknown dialect `{name}`: {what} `{}{name}` is of no dialect, expected `{}DIALECT.{name}`",
        &message[..1],
        &message[..1],
    ))
}

/// The name of an attribute or a type that is of no dialect, and which of the two it is.
pub fn unregistered_name(message: &str) -> Option<(&str, &'static str)> {
    let what = match message.get(..2)? {
        "#\"" => "attribute",
        "!\"" => "type",
        _ => return None,
    };
    message
        .contains(" created with unregistered dialect")
        .then_some(())?;
    let (name, _) = message[2..].split_once('"')?;
    Some((name, what))
}
