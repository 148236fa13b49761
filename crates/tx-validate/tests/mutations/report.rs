//! Page `docs/mutations.md`.

use crate::edits::EDITS;
use crate::run::{Checker, Outcome};
use crate::{Done, complaint, harmless_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Commands that write the page.
pub(crate) const COMMANDS: &str = "cargo test --package tx-validate --test mutations -- --run > \
                                   mutations.jsonl\n\
     cargo test --package tx-validate --test mutations -- --page $PWD/mutations.jsonl";

/// Returns the path of the page.
pub(crate) fn path() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).unwrap_or(package);
    root.join("docs/mutations.md")
}

/// Returns the edits listed in a page, in order.
pub(crate) fn kinds(page: &str) -> Vec<&str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once("` | "))
        .filter(|(_, rest)| rest.matches('|').count() > Checker::ALL.len())
        .map(|(name, _)| name)
        .collect()
}

/// Returns the page about the outcomes of edits in `of` programs.
pub(crate) fn page(all: &[Done], of: usize) -> String {
    let programs: BTreeSet<&str> = all.iter().map(|done| &*done.program).collect();
    let is_edited = |folder: &str| {
        programs
            .iter()
            .any(|name| name.split('/').next() == Some(folder))
    };
    let count = programs.len();
    let done: Vec<&Done> = all
        .iter()
        .filter(|done| !matches!(done.outcome, Outcome::Nothing))
        .collect();
    let mut text = format!(
        "# Are the checkers any good?\n\n\
         <!-- Written by the commands below. -->\n\n\
         `tx validate` says which pass is wrong. To see that it does, the IR is edited between \
         passes, as a careless pass \
         would change it, at {} for each kind of edit and program: {} edits of {} kinds, in \
         {count} of {of} programs, \
         which are from `crates/tx-validate/tests/mutations/programs` and the folders {} of \
         `lit-tests` as far as \
         they are accepted and inputs can be made whose sizes they accept. No edit is made in kernels for \
         arrays that are larger than any of these inputs, of which `tx validate` says so. Every edit \
         that changes what can be observed must be noticed; those that are not, and are not known \
         to be harmless, are \
         listed in the end.\n\n\
         Continuous integration runs a sample of these (`cargo test -p tx-validate --test \
         mutations`). This page is \
         written by\n\n```console\n{COMMANDS}\n```\n\n\
         An edit is noticed by\n\n\
         * *verifier*: what was edited is no IR any more;\n\
         * *pass*: a later pass refuses it, or no launch plan can hold it;\n\
         * *laws*: a combiner is not associative, not commutative or has another identity than it says;\n\
         * *result*: the interpreter computes something else;\n\
         * *fault*: the interpreter finds what must not be done, such as an access out of bounds;\n\
         * *race*: it finds accesses that no barrier orders;\n\
         * *executor*: the lowered kernel, run on the SIMT executor, has any of these;\n\
         * *PTX*: the PTX is not what the last IR says,\n\n\
         and often by several. It is *the same code* when PTX and plan are the same, byte for \
         byte. The *harmless* ones \
         are listed below, with reasons.\n\n",
        match crate::PLACES {
            1 => "one place".to_owned(),
            places => format!("up to {places} places"),
        },
        done.len(),
        EDITS.len(),
        crate::programs::FOLDERS
            .iter()
            .filter(|folder| is_edited(folder))
            .map(|folder| format!("`{folder}`"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    let mut head = "| edit | | edits |".to_owned();
    let mut rule = "|---|---|--:|".to_owned();
    for name in
        Checker::ALL
            .iter()
            .map(|c| c.name())
            .chain(["same code", "harmless", "not noticed"])
    {
        let _ = write!(head, " {name} |");
        rule.push_str("--:|");
    }
    let _ = writeln!(text, "{head}\n{rule}");
    for edit in EDITS {
        let own: Vec<&Outcome> = done
            .iter()
            .filter(|done| done.edit == edit.name)
            .map(|done| &done.outcome)
            .collect();
        let mut row = format!("| `{}` | {} | {} |", edit.name, edit.what, own.len());
        for checker in Checker::ALL {
            let count = own
                .iter()
                .filter(|o| matches!(o, Outcome::Caught(who, _) if who.contains(&checker)))
                .count();
            let _ = write!(row, " {} |", shown(count));
        }
        let same = own
            .iter()
            .filter(|o| matches!(o, Outcome::SameCode))
            .count();
        let survived = own
            .iter()
            .filter(|o| matches!(o, Outcome::Survived(_)))
            .count();
        let open = done
            .iter()
            .filter(|done| done.edit == edit.name && complaint(done).is_some())
            .count();
        let (same, harmless, open) = (shown(same), shown(survived - open), shown(open));
        let _ = writeln!(text, "{row} {same} | {harmless} | {open} |");
    }
    text.push_str("\n## Harmless edits\n");
    let mut reasons: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for done in &done {
        if let (Outcome::Survived(_), Some(harmless)) = (&done.outcome, harmless_of(done)) {
            reasons.entry(harmless.why).or_default().insert(format!(
                "`{}` in `{}` after `{}`, at {}",
                done.edit, done.program, done.place.pass, done.place.op
            ));
        }
    }
    for (why, places) in reasons {
        let _ = writeln!(text, "\n{why}\n");
        for place in places {
            let _ = writeln!(text, "* {place}");
        }
    }
    let open: Vec<String> = done.iter().filter_map(|done| complaint(done)).collect();
    if !open.is_empty() {
        text.push_str("\n## Not noticed\n\n");
    }
    for line in open {
        let _ = writeln!(text, "* {line}");
    }
    text
}

/// Formats a count; zero is empty, to make the table readable.
fn shown(count: usize) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}
