//! The names that the dialect knows, and what may be meant by others.

use crate::Sink;
use crate::attributes::{Determinism, Fusion, Math, OPS};
use crate::verify::{complain, send};
use melior_upstream::ir::Attribute;
use mlir_sys::{MlirAttribute, MlirOperation, MlirStringRef};
use std::ffi::{c_char, c_void};
use tx_mlir::{
    Failed, Op, attribute, codes, dictionary, discardable_attributes, elements, name, nearest,
};

/// The candidate schedules of a `tile.reduce`, or of the ops of a group on the first of them, written by
/// `tile-list-candidates`: a description of what the estimates are for, then pairs of a schedule and its estimated time in
/// microseconds, the chosen one first.
pub const CANDIDATES: &str = "tile.candidates";

/// Marks a `memref.alloc` of a host function whose memory is zero before each run, and after it.
pub const CLEARED: &str = "tile.cleared";

/// The `determinism` of the ops of a `func.func` that have none of their own: `#tile.determinism<…>`.
pub const DETERMINISM: &str = "tile.determinism";

/// Which ops of a `func.func` may share a kernel: `#tile.fusion<…>`.
pub const FUSION: &str = "tile.fusion";

/// The number of the kernel that an op of a host function shares with every other op of that number.
pub const GROUP: &str = "tile.group";

/// How the elementary functions and quotients of a `func.func` are computed: `#tile.math<…>`.
pub const MATH: &str = "tile.math";

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
const FACTS: [Fact; 8] = [
    Fact {
        name: CANDIDATES,
        on: &[],
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
        name: DETERMINISM,
        on: &["func.func"],
        is: is_determinism,
        kind: "`#tile.determinism<any>`, `<run_to_run>` or `<batch_invariant>`",
    },
    Fact {
        name: FUSION,
        on: &["func.func"],
        is: is_fusion,
        kind: "`#tile.fusion<none>`, `<exact>` or `<algebraic>`",
    },
    Fact {
        name: GROUP,
        on: &[],
        is: mlir_sys::mlirAttributeIsAInteger,
        kind: "an integer",
    },
    Fact {
        name: ISOLATED,
        on: &["builtin.module"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    Fact {
        name: MATH,
        on: &["func.func"],
        is: is_math,
        kind: "`#tile.math<exact>` or `<approx>`",
    },
    Fact {
        name: OWNED,
        on: &[],
        is: mlir_sys::mlirAttributeIsAInteger,
        kind: "an integer",
    },
];

unsafe extern "C" fn is_determinism(attribute: MlirAttribute) -> bool {
    // SAFETY: the attribute is alive.
    Determinism::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

unsafe extern "C" fn is_fusion(attribute: MlirAttribute) -> bool {
    // SAFETY: the attribute is alive.
    Fusion::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

unsafe extern "C" fn is_math(attribute: MlirAttribute) -> bool {
    // SAFETY: the attribute is alive.
    Math::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

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

/// Refuses attributes of a `tile` op that no pass reads, which are misspelt ones as a rule: MLIR
/// keeps attributes that no op declares. An attribute with a dot in its name belongs to the dialect
/// before the dot.
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

/// Refuses attributes of the dialect on the arguments and results of calls, and on the memory that
/// a kernel declares, which MLIR does not give to the dialect's verifier.
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

/// Writes to `sink` why an attribute named `tile.…` must not stand on `op`, an op of another
/// dialect; `op` is null where the attribute stands on an argument or a result.
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

/// Writes to `sink` that `word` is none of the `count` words at `known` of an enumeration, which
/// messages call `what`, or that it is one and stands in the wrong place.
pub(crate) unsafe extern "C" fn unknown_word(
    what: MlirStringRef,
    word: MlirStringRef,
    known: *const MlirStringRef,
    count: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: all texts outlive the call.
    let (what, word, known) = unsafe {
        let known = std::slice::from_raw_parts(known, count);
        let known: Vec<&str> = known.iter().map(|text| borrowed(*text)).collect();
        (borrowed(what), borrowed(word), known)
    };
    let list = known.join(", ");
    let message = if known.contains(&word) {
        // A part: a known word of any other enumeration has been read.
        format!(
            "{what} `{word}` is out of place; the order is {list}; attributes stand before `identity` or last"
        )
    } else {
        let meant = meant(what, word, &known)
            .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        format!("unknown {what} `{word}`; known: {list}{meant}")
    };
    // SAFETY: `emit` and `sink` belong together.
    unsafe { send(Some((codes::TX0034, message)), emit, sink) }
}

/// # Safety
/// The text must be alive for `'a`.
unsafe fn borrowed<'a>(text: MlirStringRef) -> &'a str {
    // SAFETY: by the function's contract.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The word that `found` may mean: by another name, in capitals, or misspelt.
fn meant<'k>(what: &str, found: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = found.to_lowercase();
    let other = OTHER_WORDS
        .iter()
        .find(|(of, _, words)| *of == what && words.contains(&lower.as_str()))
        .map_or(lower.as_str(), |(_, word, _)| word);
    nearest(other, known.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_known() {
        let kinds = ["sum", "prod", "max", "argmax"];
        for (found, expected) in [
            ("add", Some("sum")),
            ("MAX", Some("max")),
            ("agrmax", Some("argmax")),
            ("mean", None),
            ("", None),
        ] {
            assert_eq!(meant("kind", found, &kinds), expected, "{found}");
        }
    }
}
