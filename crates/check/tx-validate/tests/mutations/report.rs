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
    let root = package.ancestors().nth(3).unwrap_or(package);
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

/// Returns the text of the page about the outcomes of edits in `of` programs.
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
        "# Mutation tests of the checkers\n\n\
         <!-- Written by the commands below. -->\n\n\
         `tx validate` reports which pass is wrong. The mutation tests measure how many wrong \
         passes its checkers detect. Each test edits the IR between two passes, as a faulty pass \
         would, and runs the checkers on the edited program.\n\n\
         The recorded run made {} edits of {} kinds in {count} of {of} programs, at {} for each kind \
         of edit and program. The programs are from `crates/check/tx-validate/tests/mutations/programs` \
         and from the folders {} of `lit-tests`. Programs are excluded if `tx` rejects them, or if \
         no valid input sizes can be generated. Kernels that no generated input launches are not \
         edited; `tx validate` names these kernels.\n\n\
         The checkers must detect every edit with an observable effect. The end of the page lists \
         undetected edits, unless they are known to be harmless.\n\n\
         Continuous integration runs a sample of the edits (`cargo test -p tx-validate --test \
         mutations`). The following commands make all edits and write this page:\n\n\
         ```console\n{COMMANDS}\n```\n\n\
         Each of the following checkers can detect an edit:\n\n\
         * *verifier*: the MLIR verifier rejects the edited module;\n\
         * *pass*: a later pass or the launch plan rejects the module;\n\
         * *laws*: a combiner is not associative, not commutative, or has a wrong identity;\n\
         * *result*: the interpreter computes a different result;\n\
         * *fault*: the interpreter reports a fault, such as an access out of bounds;\n\
         * *race*: the interpreter reports accesses that no barrier orders;\n\
         * *executor*: the SIMT executor reports a wrong result, a fault or a race;\n\
         * *PTX*: the PTX differs from the IR after the last pass.\n\n\
         Several checkers can detect the same edit. The column *same code* counts edits that leave \
         PTX and launch plan unchanged, byte for byte. The column *harmless* counts undetected \
         edits without an observable effect; their reasons are listed below the table.\n\n",
        done.len(),
        EDITS.len(),
        match crate::PLACES {
            1 => "one place".to_owned(),
            places => format!("up to {places} places"),
        },
        crate::programs::FOLDERS
            .iter()
            .filter(|folder| is_edited(folder))
            .map(|folder| format!("`{folder}`"))
            .collect::<Vec<_>>()
            .join(", "),
    );
    let mut head = "| edit | description | edits |".to_owned();
    let mut rule = "|---|---|--:|".to_owned();
    for name in Checker::ALL
        .iter()
        .map(|c| c.name())
        .chain(["same code", "harmless", "undetected"])
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
    text.push_str(
        "\n## Harmless edits\n\n\
         Each paragraph states why the edits listed below it have no observable effect. The \
         *tolerance for reordered combination* is the difference of float results that `tx \
         validate` accepts, because another order of combination can cause it.\n",
    );
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
        text.push_str("\n## Undetected edits\n\n");
    }
    for line in open {
        let _ = writeln!(text, "* {line}");
    }
    text
}

/// Formats a count. The text for zero is empty, which makes the table readable.
fn shown(count: usize) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}
