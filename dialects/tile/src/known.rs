//! The names that the dialect knows, and what may be meant by others.

use crate::Sink;
use crate::attributes::{MNEMONICS, OPS};
use crate::verify::{complain, send};
use mlir_sys::{MlirAttribute, MlirOperation};
use std::ffi::{c_char, c_void};
use tx_mlir::{
    Failed, Op, Reworded, Said, attribute, codes, dictionary, discardable_attributes, elements,
    name, nearest,
};

/// The candidate schedules of a `tile.reduce`, written by `tile-schedule{until=candidates}`: a description of what the estimates
/// are for, then pairs of a schedule and its estimated time in microseconds, the chosen one first.
pub const CANDIDATES: &str = "tile.candidates";

/// Marks a `memref.alloc` of a host function whose memory is zero before each run, and after it.
pub const CLEARED: &str = "tile.cleared";

/// The owner of an access: of accesses with one number, each element is accessed by one thread only.
pub const OWNED: &str = "tile.owned";

/// Marks the module that `tensor-isolate-functions` made.
pub const ISOLATED: &str = "tile.isolated";

/// An attribute of the dialect that stands on an op by its name alone, with no declaration in `Tile.td`.
struct Fact {
    name: &'static str,
    /// The ops that it may stand on; empty for any op.
    on: &'static [&'static str],
    /// Whether a value is of its kind.
    is: unsafe extern "C" fn(MlirAttribute) -> bool,
    /// Its kind, for messages.
    kind: &'static str,
}

/// Every such attribute. Any other attribute whose name begins with `tile.` is an error.
const FACTS: [Fact; 4] = [
    Fact {
        name: CANDIDATES,
        on: &["tile.reduce"],
        is: mlir_sys::mlirAttributeIsAArray,
        kind: "a list",
    },
    Fact {
        name: CLEARED,
        on: &["memref.alloc"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    Fact {
        name: ISOLATED,
        on: &["builtin.module"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    Fact {
        name: OWNED,
        on: &[],
        is: mlir_sys::mlirAttributeIsAInteger,
        kind: "an integer",
    },
];

impl Fact {
    fn fits(&self, op_name: &str) -> bool {
        self.on.is_empty() || self.on.contains(&op_name)
    }

    /// The names of the facts that may stand on an op.
    fn names_on(op_name: &str) -> impl Iterator<Item = &'static str> {
        let on = FACTS.iter().filter(move |fact| fact.fits(op_name));
        on.map(|fact| fact.name)
    }
}

/// Refuses attributes of a `tile` op that no pass reads, which are misspelt ones as a rule: MLIR keeps attributes that no op
/// declares. An attribute with a dot in its name belongs to the dialect before the dot.
pub(crate) fn check_attributes(op: Op<'_>) -> Result<(), Failed> {
    for (found, _) in discardable_attributes(op) {
        let found = found.as_str();
        let is_foreign = found.contains('.') && !found.starts_with("tile.");
        if is_foreign || Fact::names_on(name(op)).any(|fact| fact == found) {
            continue;
        }
        let known: Vec<&str> = OPS
            .iter()
            .filter(|(op_name, _)| *op_name == name(op))
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let mut report = complain(op, no_attribute(found)).code(codes::TX0035);
        let meant = nearest(found, known.iter().copied().chain(Fact::names_on(name(op))));
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

/// Lists of attributes of arguments, results and memory of an op.
const NESTED: [&str; 4] = [
    "arg_attrs",
    "res_attrs",
    "workgroup_attrib_attrs",
    "private_attrib_attrs",
];

/// Refuses attributes of the dialect on the arguments and results of calls, and on the memory that a kernel declares, which MLIR does not
/// give to the dialect's verifier.
///
/// # Errors
/// When there is one: no attribute of the dialect stands there.
pub fn check_nested_attributes(op: Op<'_>) -> Result<(), Failed> {
    for list in NESTED {
        let entries = attribute(op, list).and_then(elements).unwrap_or_default();
        let names = entries
            .into_iter()
            .flat_map(dictionary)
            .map(|(name, _)| name);
        if let Some(found) = names.into_iter().find(|name| name.starts_with("tile.")) {
            return Err(complain(op, no_attribute(&found))
                .code(codes::TX0035)
                .emit());
        }
    }
    Ok(())
}

fn no_attribute(found: &str) -> String {
    format!("has no attribute `{found}`")
}

/// Writes to `sink` why an attribute named `tile.…` must not stand on `op`, an op of another dialect; `op` is null where the
/// attribute stands on an argument or a result.
pub(crate) unsafe extern "C" fn verify_attribute(
    op: MlirOperation,
    text: *const c_char,
    length: usize,
    value: MlirAttribute,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: the text outlives the call, and MLIR keeps `op` alive.
    let (found, on) = unsafe {
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
        let on = (!op.ptr.is_null()).then(|| name(Op::from_raw(op)).to_owned());
        (String::from_utf8_lossy(bytes), on)
    };
    let known: Vec<&str> = on.iter().flat_map(|on| Fact::names_on(on)).collect();
    if known.contains(&found.as_ref()) {
        let fact = FACTS.iter().find(|fact| fact.name == found);
        // SAFETY: the attribute is alive.
        if let Some(fact) = fact.filter(|fact| !unsafe { (fact.is)(value) }) {
            // SAFETY: `emit` and `sink` belong together.
            unsafe {
                let message = format!("`{found}` must be {}", fact.kind);
                send(Some((codes::TX0035, message)), emit, sink);
            }
        }
        return;
    }
    let message = match (nearest(&found, known.iter().copied()), known.is_empty()) {
        (Some(meant), _) => format!("{}; did you mean `{meant}`?", no_attribute(&found)),
        (None, false) => format!("{}; known: {}", no_attribute(&found), known.join(", ")),
        (None, true) => no_attribute(&found),
    };
    // SAFETY: `emit` and `sink` belong together.
    unsafe { send(Some((codes::TX0035, message)), emit, sink) }
}

/// Better words for what MLIR says of names and types that are not the dialect's.
pub(crate) fn reword(said: &Said<'_>) -> Option<Reworded> {
    let unknown = Reworded::coded(codes::TX0034);
    (unknown_attribute(said.message).map(&unknown))
        .or_else(|| wrong_type(said.message))
        .or_else(|| other_word(said).map(&unknown))
        .or_else(|| types_of_operands(said.message).map(Reworded::coded(codes::TX0005)))
        .or_else(|| crate::syntax::reword(said))
}

/// Words of other languages and libraries for those of an enumeration.
const OTHER_WORDS: &[(&str, &str, &[&str])] = &[
    ("kind", "sum", &["add", "plus", "addf", "addi"]),
    (
        "kind",
        "prod",
        &["mul", "multiply", "product", "mulf", "muli"],
    ),
    ("kind", "max", &["maximum", "maximumf", "maxsi"]),
    ("kind", "min", &["minimum", "minimumf", "minsi"]),
    ("kind", "umax", &["maxui"]),
    ("kind", "umin", &["minui"]),
    ("kind", "and", &["all", "andi"]),
    ("kind", "or", &["any", "ori"]),
    ("kind", "xor", &["xori"]),
    ("scope", "thread", &["lane"]),
    ("scope", "warp", &["subgroup", "wave"]),
    (
        "scope",
        "cta",
        &["block", "thread_block", "threadblock", "workgroup", "group"],
    ),
    ("scope", "grid", &["device", "gpu", "kernel", "global"]),
    ("processor", "block_x", &["x", "blockidx.x"]),
    ("processor", "block_y", &["y", "blockidx.y"]),
    ("processor", "block_z", &["z", "blockidx.z"]),
    ("processor", "thread_x", &["threadidx.x", "lane"]),
    ("processor", "thread_y", &["threadidx.y"]),
    ("processor", "thread_z", &["threadidx.z"]),
    ("axis", "reg", &["register"]),
    ("axis", "warpgroup", &["warp_group"]),
];

/// A word of an enumeration by another name, in capitals, or with hyphens.
fn other_word(said: &Said<'_>) -> Option<String> {
    let (before, known) = said.message.split_once("`; known: ")?;
    let (_, before) = before.rsplit_once("unknown ")?;
    let (what, found) = before.split_once(" `")?;
    // The parser's word ends at a hyphen.
    let rest = said.place().map_or("", tx_mlir::Place::after);
    let is_letter = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    let whole = &rest[..rest.find(|c| !is_letter(c)).unwrap_or(rest.len())];
    let whole = if whole.starts_with(found) {
        whole
    } else {
        found
    };
    let found = whole.to_lowercase().replace('-', "_");
    let other = OTHER_WORDS
        .iter()
        .find(|(of, _, words)| *of == what && words.contains(&found.as_str()));
    let meant = other.map_or(found.as_str(), |(_, word, _)| word);
    let is_known = known.split(", ").any(|word| word == meant);
    is_known.then(|| format!("{}; did you mean `{meant}`?", said.message))
}

/// An attribute that the dialect does not have, with those that it has.
fn unknown_attribute(said: &str) -> Option<String> {
    let found = said.strip_prefix("unknown attribute `")?;
    let found = found.strip_suffix("` in dialect `tile`")?;
    let said = format!("unknown attribute `#tile.{found}`");
    Some(match nearest(found, MNEMONICS.iter().copied()) {
        Some(meant) => format!("{said}; did you mean `#tile.{meant}`?"),
        None => format!("{said}; known: {}", MNEMONICS.join(", ")),
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
fn wrong_type(said: &str) -> Option<Reworded> {
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
        _ if op == "reduce" && place.starts_with("result #") => {
            "; a tile in memory is reduced `into` memory: `tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>`"
        }
        _ if found.starts_with("tensor<") => "; `--tensors-to-memrefs` makes memrefs of tensors",
        _ => "",
    };
    Some(Reworded {
        text: format!("'tile.{op}' op {place} must be {expected}, found `{found}`{instead}"),
        code: place.starts_with("operand #").then_some(codes::TX0037),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str) -> Option<String> {
        reword(&Said::new(message, None)).map(|better| better.text)
    }

    #[test]
    fn unknown_attributes_have_neighbours() {
        for (found, meant) in [("splt", "split"), ("Nan", "nan")] {
            let said = format!("unknown attribute `{found}` in dialect `tile`");
            let better =
                format!("unknown attribute `#tile.{found}`; did you mean `#tile.{meant}`?");
            assert_eq!(told(&said), Some(better));
        }
        let far = told("unknown attribute `` in dialect `tile`").unwrap_or_default();
        assert!(far.contains("known: ") && far.contains("split, "), "{far}");
        assert_eq!(told("unknown attribute `splt` in dialect `gpu`"), None);
    }
}
