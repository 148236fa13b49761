//! Enum keywords of the dialect, and suggestions for misspelt keywords.

use crate::diagnostic::send;
use crate::ffi::Sink;
use mlir_sys::MlirStringRef;
use std::ffi::c_void;
use tx_mlir::{codes, nearest};

/// Table of synonyms. An entry contains the name of an enumeration of the dialect, one keyword of
/// the enumeration, and the names that other languages use for the keyword.
const SYNONYMS: &[(&str, &str, &[&str])] = &[
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

/// Reports an error about the keyword `word` to the C++ object `sink`. `known` points to an array
/// of the `count` valid keywords. `what` is the name of the enumeration in messages. If `word` is a
/// valid keyword, the error states that the keyword is in the wrong position.
pub(crate) unsafe extern "C" fn unknown_keyword(
    what: MlirStringRef,
    word: MlirStringRef,
    known: *const MlirStringRef,
    count: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: all texts are valid during the call.
    let (what, word, known) = unsafe {
        let known = std::slice::from_raw_parts(known, count);
        let known: Vec<&str> = known.iter().map(|text| borrowed(*text)).collect();
        (borrowed(what), borrowed(word), known)
    };
    let list = known.join(", ");
    let message = if known.contains(&word) {
        // Only a keyword of an op part can be out of place, because the parser accepts every valid
        // keyword of the other enumerations without this call.
        format!(
            "{what} `{word}` is in the wrong position; expected the order {list}; the attribute \
             dictionary comes before `identity` or last"
        )
    } else {
        let meant = meant(what, word, &known)
            .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        format!("unknown {what} `{word}`; known: {list}{meant}")
    };
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(Some((codes::TX0034, message)), emit, sink) }
}

/// # Safety
/// The text that `text` refers to must remain valid for the lifetime `'a`.
unsafe fn borrowed<'a>(text: MlirStringRef) -> &'a str {
    // SAFETY: the caller guarantees a valid text.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Returns the valid keyword that `found` probably means. `found` may be a synonym, a misspelling,
/// or a keyword with wrong upper or lower case.
fn meant<'k>(what: &str, found: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = found.to_lowercase();
    let other = SYNONYMS
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
