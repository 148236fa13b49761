//! Options of passes and pipelines on a command line, of which MLIR says neither whose an unknown one is nor what there is.

use crate::reword::nearest;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The options of what is registered here, by the name of the pass or pipeline.
static OPTIONS: Mutex<BTreeMap<&'static str, Vec<&'static str>>> = Mutex::new(BTreeMap::new());

/// Notes which options there are.
pub(crate) fn note(argument: &'static str, names: impl Iterator<Item = &'static str>) {
    let mut options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    options.insert(argument, names.collect());
}

/// Checks that all options that `args` give to passes and pipelines that are registered here are known.
///
/// # Errors
/// Says which is not, as diagnostics are printed.
pub(crate) fn check(args: &[String]) -> Result<(), String> {
    let options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let unknown = args.iter().skip(1).find_map(|arg| {
        let given = options.iter().flat_map(|(name, known)| {
            given_to(arg, name)
                .into_iter()
                .map(move |o| (*name, known, o))
        });
        given
            .filter_map(|(name, known, given)| {
                let (at, found) = names(given)
                    .into_iter()
                    .find(|(_, found)| !known.contains(found))?;
                Some((name, known, given, at, found))
            })
            .next()
    });
    let Some((name, known, given, at, found)) = unknown else {
        return Ok(());
    };
    let list = match known.is_empty() {
        true => "it has none".to_owned(),
        false => format!("known: {}", known.join(", ")),
    };
    let near = match nearest(found, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    // Behind the brace.
    let column = name.len() + 2 + at;
    Err(format!(
        "{name}{{{given}}}:1:{column}: error: `{name}` has no option `{found}`; {list}{near}"
    ))
}

/// Passes of MLIR's own that are often written beside those that are registered here: its registry tells no names.
const UPSTREAM: &[&str] = &[
    "canonicalize",
    "cse",
    "inline",
    "mem2reg",
    "sroa",
    "symbol-dce",
    "loop-invariant-code-motion",
    "lower-affine",
    "convert-scf-to-cf",
    "one-shot-bufferize",
    "expand-strided-metadata",
    "print-ir",
];

/// Checks that no pass in a pipeline of `args` has a name that is nearly one that is known. MLIR says of others that they are unknown.
///
/// # Errors
/// Says which has, as diagnostics are printed.
pub(crate) fn check_passes(
    args: &[String],
    is_registered: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = || options.keys().chain(UPSTREAM).copied();
    let pipelines = args.iter().skip(1).filter_map(|arg| {
        let flag = arg.strip_prefix('-')?.trim_start_matches('-');
        flag.strip_prefix("pass-pipeline=")
    });
    for pipeline in pipelines {
        for (at, found) in passes(pipeline) {
            if let Some(near) = nearest(found, known()).filter(|_| !is_registered(found)) {
                let column = at + 1;
                return Err(format!(
                    "{pipeline}:1:{column}: error: there is no pass `{found}`; did you mean `{near}`?"
                ));
            }
        }
    }
    Ok(())
}

/// The names of passes in a pipeline, and where they begin: what is followed by neither `(`, as ops are, nor is an option.
fn passes(pipeline: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = pipeline[at..].find(|c| is_part(c) || c == '{') {
        at += begin;
        let rest = &pipeline[at..];
        if let Some(options) = rest.strip_prefix('{') {
            at += 1 + value_length(options, |c| c == '}');
            continue;
        }
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if !rest[length..].trim_start().starts_with('(') {
            found.push((at, &rest[..length]));
        }
        at += length;
    }
    found
}

/// The texts of options that an argument gives to this pass: all of `--NAME=OPTIONS`, and in a pipeline those of each
/// `NAME{OPTIONS}`.
fn given_to<'a>(arg: &'a str, name: &str) -> Vec<&'a str> {
    let flag = arg.strip_prefix('-').map(|arg| arg.trim_start_matches('-'));
    let Some(flag) = flag else {
        return Vec::new();
    };
    if let Some(options) = flag
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('='))
    {
        return vec![options];
    }
    if !flag.starts_with("pass-pipeline=") {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    flag.match_indices(name)
        .filter(|(at, _)| !flag[..*at].ends_with(is_part))
        .filter_map(|(at, _)| {
            let options = flag[at + name.len()..].strip_prefix('{')?;
            options.get(..value_length(options, |c| c == '}'))
        })
        .collect()
}

/// The names of options, `a` and `b` of `a=1 b={x=2}`, and where they begin.
fn names(options: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(begin) = options[at..].find(|c: char| !c.is_whitespace()) {
        at += begin;
        let rest = &options[at..];
        let length = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
        names.push((at, &rest[..length]));
        at += length + value_length(&rest[length..], char::is_whitespace);
    }
    names
}

/// How far a value goes: up to what ends it, outside of quotes and brackets.
fn value_length(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if depth == 0 && ends(c) => return at,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if "{[(".contains(c) => depth += 1,
            None if "}])".contains(c) => depth = depth.saturating_sub(1),
            None => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_between_values() {
        assert_eq!(
            names("a=1 b={x=2 y=3}  c d='e f=1'"),
            [(0, "a"), (4, "b"), (17, "c"), (19, "d")]
        );
        assert_eq!(names(" "), []);
    }

    #[test]
    fn passes_are_found_in_pipelines() {
        let pipeline = "builtin.module(a-b{c={d} e}, func.func (f,builtin.module(g)),h{i=j(k)})";
        let found: Vec<&str> = passes(pipeline).into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, ["a-b", "f", "g", "h"]);
        assert_eq!(passes("x("), []);
    }

    /// What is registered is never taken for something else, and what is far from all is MLIR's to refuse.
    #[test]
    fn passes_that_are_near_are_told() {
        let told = |name: &str| {
            let args = [
                "opt".to_owned(),
                format!("--pass-pipeline=builtin.module({name})"),
            ];
            check_passes(&args, |name| name == "csee").err()
        };
        let meant = "builtin.module(canonicalise):1:16: error: there is no pass `canonicalise`; did you mean `canonicalize`?";
        assert_eq!(told("canonicalise").as_deref(), Some(meant));
        assert_eq!(told("csee"), None);
        assert_eq!(told("something"), None);
    }

    #[test]
    fn options_are_found_in_flags_and_pipelines() {
        assert_eq!(given_to("--mine=a=1 b", "mine"), ["a=1 b"]);
        assert_eq!(given_to("-mine=", "mine"), [""]);
        let pipeline = "--pass-pipeline=builtin.module(not-mine{c},mine{a={x} b},mine,mine{d})";
        assert_eq!(given_to(pipeline, "mine"), ["a={x} b", "d"]);
        assert_eq!(given_to("mine=a", "mine"), [""; 0]);
    }
}
