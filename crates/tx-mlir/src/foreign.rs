//! Files that are given for a program by mistake: what other tools, and this one, write.

/// How a file begins that is of another kind, what it is, and what takes it.
const BEGINNINGS: [(&[u8], &str); 7] = [
    (
        b"\x93NUMPY",
        "this is a NumPy array, not a program: `--arg FILE.npy` of `tx run` passes it to one",
    ),
    (
        b"PK\x03\x04",
        "this is a zip archive, as .npz of NumPy is, not a program",
    ),
    (
        b"\x7fELF",
        "this is a binary for machines, as a cubin is, not a program in MLIR",
    ),
    (
        b"BC\xc0\xde",
        "this is LLVM bitcode, not a program in MLIR: `mlir-translate --import-llvm` reads it",
    ),
    (
        b"; ModuleID = ",
        "this is LLVM IR, not a program in MLIR: `mlir-translate --import-llvm` reads it",
    ),
    (
        b"<!DOCTYPE html",
        "this is a page for a browser, as `tx report` writes, not a program",
    ),
    (
        b".version ",
        "this is PTX, not a program in MLIR: `tx compile` writes it and a CUDA driver loads it; give the program that it was made of",
    ),
];

/// What is known of a file of JSON by a key of it.
const KEYS: [(&str, &str); 3] = [
    (
        "\"entry_kind\"",
        "this is a launch plan, not a program: `tx compile --plan` writes it and a launcher reads it; give the program that it was made of",
    ),
    (
        "\"ph\"",
        "this is a trace, not a program: `--trace` writes it and Perfetto shows it",
    ),
    (
        "\"--arg\"",
        "this is a list of runs, not a program: `tx batch` takes it",
    ),
];

/// Bytes among which text has no NUL.
const HEAD: usize = 64;

/// What a file is, if it is no program in MLIR, neither text nor bytecode.
pub(crate) fn describe(source: &[u8]) -> Option<String> {
    let start = significant(source);
    let known = BEGINNINGS
        .iter()
        .find(|(beginning, _)| start.starts_with(beginning));
    if let Some((_, what)) = known {
        return Some((*what).to_owned());
    }
    if is_json(start) {
        let text = String::from_utf8_lossy(start);
        let known = KEYS.iter().find(|(key, _)| text.contains(key));
        let what = known.map_or("this is JSON, not a program in MLIR", |(_, what)| what);
        return Some(what.to_owned());
    }
    let is_binary =
        !crate::bytecode::is_bytecode(source) && source.iter().take(HEAD).any(|byte| *byte == 0);
    is_binary.then(|| {
        "this is a binary file, and no program: expected MLIR, as text or as bytecode".to_owned()
    })
}

/// Whether a line of a text begins as an op of MLIR does: with its results, or with its name, which is neither called nor assigned to.
pub(crate) fn holds_ops(text: &str) -> bool {
    text.lines().any(|line| begins_as_op(line.trim_start()))
}

fn begins_as_op(line: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let quoted = line.strip_prefix('"');
    let text = quoted.unwrap_or(line);
    let (name, rest) = text.split_at(text.find(|c| !is_letter(c)).unwrap_or(text.len()));
    let is_dotted = name.contains('.') && name.split('.').all(|part| !part.is_empty());
    let is_alone = rest.is_empty() || rest.starts_with(' ') && !rest.trim_start().starts_with('=');
    line.starts_with('%')
        || name == "module"
        || is_dotted
            && if quoted.is_some() {
                rest.starts_with('"')
            } else {
                is_alone
            }
}

/// The file from the first line on that is neither empty nor a comment.
fn significant(source: &[u8]) -> &[u8] {
    let mut rest = source.trim_ascii_start();
    while rest.starts_with(b"//") {
        let end = rest.iter().position(|byte| *byte == b'\n');
        rest = end.map_or(&[][..], |end| rest[end..].trim_ascii_start());
    }
    rest
}

/// Objects and lists of JSON, which begin as no program does: the first thing in them is a string with `:`, `,` or `]` behind it.
fn is_json(start: &[u8]) -> bool {
    let is_bracket = |byte: &u8| matches!(byte, b'{' | b'[') || byte.is_ascii_whitespace();
    let brackets = start.iter().take_while(|byte| is_bracket(byte)).count();
    let Some(string) = start[brackets..].strip_prefix(b"\"") else {
        return false;
    };
    let after = string
        .iter()
        .position(|byte| *byte == b'"')
        .map(|end| &string[end + 1..]);
    let after = after.map(<[u8]>::trim_ascii_start).and_then(<[u8]>::first);
    brackets > 0 && after.is_some_and(|byte| b":,]".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::{describe, holds_ops};

    #[test]
    fn text_of_other_languages_holds_no_ops() {
        for (text, holds) in [
            ("// x\nfunc.func @f() {", true),
            ("fnc @f() {\n  return\n  gpu.barrier\n}", true),
            ("fnc @f() {\n  %x = y\n}", true),
            ("\"builtin.module\"() ({})", true),
            ("module {}", true),
            ("import math\nmath.sqrt(2.0)\nx.y = 3\nreturn x", false),
            ("A text. With dots... and e.g. this", false),
            ("\"a\": \"b.c\"", false),
            ("", false),
        ] {
            assert_eq!(holds_ops(text), holds, "{text}");
        }
    }

    #[test]
    fn programs_are_told_from_other_files() {
        for (source, what) in [
            (&b"\x93NUMPY\x01"[..], "a NumPy array"),
            (b"\x7fELF\x02", "a binary for machines"),
            (
                b"//\n// Generated\n//\n\n.version 7.0\n.target sm_80",
                "PTX",
            ),
            (
                b"{\n \"version\": 1,\n \"entry_kind\": \"kernel\"}",
                "a launch plan",
            ),
            (b"[\"a.mlir\", \"--arg\", \"1\"]", "a list of runs"),
            (b"[\n{\"ph\": \"X\"}", "a trace"),
            (b"{\"a\": 1}", "JSON"),
            (b"\x01\x00\x02", "a binary file"),
        ] {
            let found = describe(source).unwrap_or_default();
            assert!(found.starts_with(&format!("this is {what}")), "{found}");
        }
        for source in [
            &b""[..],
            b"// .version 7.0",
            b"ML\xefR\0",
            b"func.func @f() { return }",
            b"\"builtin.module\"() ({}) {entry_kind} : () -> ()",
            b"{ \"a.b\"() : () -> () }",
            b"{-# dialect_resources: {} #-}",
            b"#map = affine_map<() -> ()>",
        ] {
            assert_eq!(describe(source), None);
        }
    }
}
