//! Parsing of the directives of a test file.

use std::collections::BTreeSet;

use crate::pipeline::Pipeline;
use crate::registry::Registry;
use crate::text::{self, Line};

#[derive(Debug, Default)]
pub(crate) struct Test {
    pub(crate) runs: Vec<Run>,
    pub(crate) uses: Vec<Use>,
    pub(crate) snapshot: bool,
    /// Line number and prefix of each directive `SNAPSHOT(PREFIX): none`.
    pub(crate) no_snapshot: Vec<(usize, String)>,
    pub(crate) round_trip: bool,
    pub(crate) prefixes: BTreeSet<String>,
    /// Set if the file contains `expected-error`, `expected-warning`, `expected-remark` or
    /// `expected-note`.
    pub(crate) expects_diagnostics: bool,
    /// Line number and name of each directive that tools other than the harness read.
    pub(crate) read_elsewhere: Vec<(usize, String)>,
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) line: usize,
    pub(crate) prefixes: Vec<String>,
    pub(crate) pipeline: Pipeline,
    pub(crate) exit: Exit,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Exit {
    Success,
    /// The command after `not` must end with an exit status from 1 to 127. If a signal ends the
    /// command, for example after an abort, the test fails.
    Failure,
    Status(i32),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Use {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) value: String,
    /// Indices of the RUN lines whose output the directive checks.
    pub(crate) runs: Vec<usize>,
}

impl Run {
    pub(crate) fn verifies_diagnostics(&self) -> bool {
        self.pipeline
            .commands
            .iter()
            .flatten()
            .any(|word| word.starts_with("--verify-diagnostics"))
    }
}

/// Directives that are built into the parser.
pub(crate) const OWN: &[&str] = &["RUN", "EXIT", "SNAPSHOT", "ROUNDTRIP"];

const CHECKS: &[&str] = &["", "-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY"];

impl Test {
    pub(crate) fn has_snapshot(&self, run: &Run) -> bool {
        let is_excluded = |(_, prefix): &(usize, String)| run.prefixes.contains(prefix);
        self.snapshot && !run.verifies_diagnostics() && !self.no_snapshot.iter().any(is_excluded)
    }

    /// Parses the directives of a test file. An unknown directive is an error, because a misspelt
    /// CHECK line must not count as a comment. The error message contains one line per invalid
    /// directive.
    pub(crate) fn parse(text: &str, tools: &[&str], registry: &Registry) -> Result<Self, String> {
        let mut test = Self {
            snapshot: true,
            round_trip: true,
            ..Self::default()
        };
        let mut checks: Vec<Line<'_>> = Vec::new();
        let mut errors: Vec<(usize, String)> = Vec::new();
        let mut is_unknown = false;
        let mut uses: Vec<Line<'_>> = Vec::new();
        let mut prose = String::new();
        test.expects_diagnostics = ["error", "warning", "remark", "note"]
            .iter()
            .any(|kind| text.contains(&format!("expected-{kind}")));
        for (number, comment) in text::comments(text) {
            let Some(line) = text::directive(comment) else {
                if !comment.starts_with("expected-") {
                    prose.push_str(comment);
                    prose.push(' ');
                }
                continue;
            };
            let line = Line { number, ..line };
            if registry.directives.contains_key(line.name) {
                uses.push(line);
            } else if registry.read_elsewhere.contains_key(line.name) {
                test.read_elsewhere.push((number, line.name.to_owned()));
            } else if OWN.contains(&line.name) {
                let own = test.own(line, tools);
                if let Err(error) = own.and_then(|()| test.names(line, registry)) {
                    if line.name == "RUN" {
                        // The valid prefixes of CHECK lines depend on the RUN line.
                        return Err(format!("line {number}: {error}"));
                    }
                    errors.push((number, error));
                }
            } else {
                checks.push(line);
            }
        }
        for run in &mut test.runs {
            if run.pipeline.negated && run.exit == Exit::Success {
                run.exit = Exit::Failure;
            }
        }
        for line in checks {
            let is_plain = line.colon && line.argument.is_none();
            let declared = test.declared();
            let prefix = declared
                .into_iter()
                .find(|prefix| is_plain && is_check(line.name, prefix));
            match prefix.map(str::to_owned) {
                Some(prefix) => {
                    test.prefixes.insert(prefix);
                }
                None => {
                    errors.push((line.number, test.unknown(line, registry)));
                    is_unknown = true;
                }
            }
        }
        if !errors.is_empty() {
            errors.sort();
            let lines = errors
                .iter()
                .map(|(number, error)| format!("line {number}: {error}"));
            let known = is_unknown.then(|| test.known(registry));
            return Err(lines.chain(known).collect::<Vec<_>>().join("\n"));
        }
        for (number, prefix) in &test.no_snapshot {
            if !test.declared().contains(prefix.as_str()) {
                return Err(format!(
                    "line {number}: SNAPSHOT: no RUN line has the prefix `{prefix}`"
                ));
            }
        }
        for line in uses {
            let number = line.number;
            test.add_use(line, registry)
                .map_err(|error| format!("line {number}: {error}"))?;
        }
        test.complete(&prose)?;
        Ok(test)
    }

    fn declared(&self) -> BTreeSet<&str> {
        self.runs
            .iter()
            .flat_map(|run| &run.prefixes)
            .map(String::as_str)
            .collect()
    }

    fn unknown(&self, line: Line<'_>, registry: &Registry) -> String {
        let argument = line.argument.map(|argument| format!("({argument})"));
        let argument = argument.unwrap_or_default();
        let colon = if line.colon { ":" } else { "" };
        let mut text = format!("unknown directive `{}{argument}{colon}`", line.name);
        if let Some(meant) = self.meant(line.name, registry)
            && meant != line.name
        {
            text.push_str(&format!(": did you mean `{meant}`?"));
        }
        if !line.colon {
            text.push_str(" (if it is no directive, put it into a sentence)");
        }
        text
    }

    /// Returns the known directive with the smallest edit distance to `found`. Returns `None` if
    /// the edit distance exceeds a third of the length of the known directive.
    fn meant(&self, found: &str, registry: &Registry) -> Option<String> {
        let mut declared = self.declared();
        if declared.is_empty() {
            declared.insert("CHECK");
        }
        let checks = declared
            .iter()
            .flat_map(|prefix| CHECKS.iter().map(move |suffix| format!("{prefix}{suffix}")));
        let found = found.replace('_', "-");
        names(registry)
            .into_iter()
            .map(str::to_owned)
            .chain(checks)
            .map(|name| (strsim::osa_distance(&found, &name), name))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, name)| 3 * distance <= name.len())
            .map(|(_, name)| name)
    }

    fn known(&self, registry: &Registry) -> String {
        let names = names(registry);
        let mut text = format!("known are {}", names.join(", "));
        let declared: Vec<&str> = self.declared().into_iter().collect();
        if !declared.is_empty() {
            text.push_str(&format!(
                ", and {} with their suffixes -NEXT, -SAME, -NOT, -DAG, -LABEL, -EMPTY, -COUNT-N",
                declared.join(", ")
            ));
        }
        text
    }

    /// Checks that no check prefix of a RUN line, such as `PTX` in `RUN(PTX)`, is also the name of
    /// a directive. If a check prefix were also the name of a directive, a CHECK line and the
    /// directive would have the same syntax.
    fn names(&self, line: Line<'_>, registry: &Registry) -> Result<(), String> {
        let prefixes = line.argument.unwrap_or_default().split(',').map(str::trim);
        for prefix in prefixes {
            if OWN.contains(&prefix)
                || registry.directives.contains_key(prefix)
                || registry.read_elsewhere.contains_key(prefix)
            {
                return Err(format!(
                    "`{prefix}` is a directive: give the RUN line another name"
                ));
            }
        }
        Ok(())
    }

    fn own(&mut self, line: Line<'_>, tools: &[&str]) -> Result<(), String> {
        let Line {
            number,
            name,
            argument,
            value,
            colon,
        } = line;
        if !colon {
            return Err(format!("`{name}` requires a colon: `{name}: …`"));
        }
        if argument.is_some() && !["RUN", "SNAPSHOT"].contains(&name) {
            return Err(format!("`{name}` accepts no argument in parentheses"));
        }
        match name {
            "RUN" => self.runs.push(Run {
                line: number,
                prefixes: argument
                    .unwrap_or("CHECK")
                    .split(',')
                    .map(|prefix| prefix.trim().to_owned())
                    .collect(),
                pipeline: Pipeline::parse(value, tools)?,
                exit: Exit::Success,
            }),
            "EXIT" => {
                let run = self
                    .runs
                    .last_mut()
                    .ok_or("EXIT belongs after its RUN line")?;
                run.exit = Exit::Status(
                    value
                        .parse()
                        .map_err(|_| format!("expected an exit status, found `{value}`"))?,
                );
            }
            _ => {
                let reason = value
                    .strip_prefix("none")
                    .map(|reason| reason.trim_start_matches([' ', '-', '—', '–', ':']));
                if reason.is_none_or(str::is_empty) {
                    return Err(format!("write `{name}: none — ` and the reason"));
                }
                match (name, argument) {
                    ("SNAPSHOT", None) => self.snapshot = false,
                    ("SNAPSHOT", Some(prefixes)) => {
                        let each = prefixes.split(',').map(|prefix| prefix.trim().to_owned());
                        self.no_snapshot.extend(each.map(|prefix| (number, prefix)));
                    }
                    _ => self.round_trip = false,
                }
            }
        }
        Ok(())
    }

    fn add_use(&mut self, line: Line<'_>, registry: &Registry) -> Result<(), String> {
        let Some(directive) = registry.directives.get(line.name) else {
            return Ok(());
        };
        let name = line.name;
        let mut runs = Vec::new();
        if directive.reads_output() {
            runs = self.runs_for(name, line.argument)?;
        } else if line.argument.is_some() {
            return Err(format!("`{name}` accepts no argument in parentheses"));
        }
        directive
            .check(line.value)
            .map_err(|error| format!("{name}: {error}"))?;
        self.uses.push(Use {
            line: line.number,
            name: name.to_owned(),
            value: line.value.to_owned(),
            runs,
        });
        Ok(())
    }

    /// Returns the indices of the RUN lines with the given prefix. If `prefix` is `None`, the
    /// function returns the index of the only RUN line, or the indices of the RUN lines with the
    /// default prefix `CHECK`.
    fn runs_for(&self, name: &str, prefix: Option<&str>) -> Result<Vec<usize>, String> {
        let with = |prefix: &str| -> Vec<usize> {
            let has = |run: &Run| run.prefixes.iter().any(|each| each == prefix);
            (0..self.runs.len())
                .filter(|&i| has(&self.runs[i]))
                .collect()
        };
        let runs = match prefix {
            None if self.runs.len() == 1 => vec![0],
            None => with("CHECK"),
            Some(prefix) => with(prefix),
        };
        if !runs.is_empty() {
            return Ok(runs);
        }
        let declared: Vec<String> = self
            .declared()
            .into_iter()
            .map(|prefix| format!("`{name}({prefix}):`"))
            .collect();
        Err(match (prefix, declared.is_empty()) {
            (_, true) => {
                format!("`{name}` checks the output of a RUN line, but the file has no RUN line")
            }
            (None, false) => format!(
                "`{name}` checks the output of a RUN line: name the RUN line, {}",
                declared.join(" or ")
            ),
            (Some(prefix), false) => format!(
                "no RUN line has the prefix `{prefix}`; expected {}",
                declared.join(" or ")
            ),
        })
    }

    /// Checks that the test contains a description and a directive that runs a program, such as a
    /// RUN line, and that each RUN line has a check.
    fn complete(&self, prose: &str) -> Result<(), String> {
        if self.runs.is_empty() && self.uses.is_empty() {
            return Err("no RUN line, and no other directive that runs anything".to_owned());
        }
        let sentence = prose.split_whitespace().count() >= 4 && prose.contains('.');
        if !sentence {
            let reason = "no comment describes what the test checks, expected a sentence of four \
                          words or more, with a full stop";
            return Err(reason.to_owned());
        }
        for (number, run) in self.runs.iter().enumerate() {
            let checked = run
                .prefixes
                .iter()
                .any(|prefix| self.prefixes.contains(prefix))
                || self.uses.iter().any(|each| each.runs.contains(&number));
            if run.verifies_diagnostics() {
                if !self.expects_diagnostics {
                    return Err(format!(
                        "line {}: --verify-diagnostics, and no expected-error",
                        run.line
                    ));
                }
            } else if !checked {
                return Err(format!(
                    "line {}: nothing is checked: no {} line for a RUN line",
                    run.line,
                    run.prefixes.join(" or ")
                ));
            }
        }
        let mut seen = BTreeSet::new();
        if let Some(run) = self.runs.iter().find(|run| !seen.insert(&run.prefixes)) {
            return Err(format!(
                "line {}: several RUN lines with the same prefix: name them, `RUN(NAME):` with \
                 `NAME:` lines",
                run.line
            ));
        }
        Ok(())
    }
}

fn names(registry: &Registry) -> Vec<&str> {
    OWN.iter()
        .copied()
        .chain(registry.directives.keys().map(String::as_str))
        .chain(registry.read_elsewhere.keys().map(String::as_str))
        .collect()
}

fn is_check(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|suffix| {
        CHECKS.contains(&suffix)
            || suffix
                .strip_prefix("-COUNT-")
                .is_some_and(|count| count.parse::<u32>().is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "// RUN: tx-opt %s\n\n// A sum over one warp. It needs no barrier.\n// CHECK: x\n";

    fn parse(text: &str) -> Result<Test, String> {
        let mut registry = Registry::builtin();
        registry
            .read_elsewhere
            .insert("COMPARE".to_owned(), vec!["programs".to_owned()]);
        Test::parse(text, &["tx-opt", "tx"], &registry)
    }

    #[track_caller]
    fn refuses(text: &str, reason: &str) {
        let error = parse(text).unwrap_err();
        assert!(error.contains(reason), "expected `{reason}`, got `{error}`");
    }

    #[test]
    fn complete_tests_are_read() {
        let test = parse(GOOD).unwrap();
        assert!(test.runs.len() == 1 && test.snapshot && test.round_trip);
    }

    #[test]
    fn prefixes_statuses_and_chips_are_read() {
        let test = parse(
            "// A program that fails, and one that does not.\n\
             // RUN(A): tx run %s 2>&1\n// EXIT: 3\n// RUN(B,C): not tx-opt '-x y' | tx \"\"\n\
             // A: x\n// C-COUNT-3: y\n// PTXAS: sm_80 sm_90\n// COMPARE: @f(A: 2xf32) A = A\n",
        )
        .unwrap();
        assert_eq!(test.runs[0].exit, Exit::Status(3));
        assert!(test.runs[0].pipeline.both_streams);
        assert_eq!(test.runs[1].exit, Exit::Success);
        assert_eq!(test.runs[1].prefixes, ["B", "C"]);
        assert_eq!(test.uses[0].name, "PTXAS");
        assert_eq!(test.uses[0].value, "sm_80 sm_90");
        assert_eq!(test.read_elsewhere, [(8, "COMPARE".to_owned())]);
    }

    #[test]
    fn one_of_several_runs_may_have_no_snapshot() {
        let text = GOOD.replace("RUN:", "RUN(A): tx %s\n// RUN:") + "// A: x\n";
        let has = |directive: &str| {
            let test = parse(&(text.clone() + directive)).unwrap();
            [0, 1].map(|run| test.has_snapshot(&test.runs[run]))
        };
        assert_eq!(has(""), [true, true]);
        assert_eq!(has("// SNAPSHOT(A): none — x\n"), [false, true]);
        assert_eq!(has("// SNAPSHOT(CHECK): none — x\n"), [true, false]);
        assert_eq!(has("// SNAPSHOT(A, CHECK): none — x\n"), [false, false]);
        assert_eq!(has("// SNAPSHOT: none — x\n"), [false, false]);
    }

    #[test]
    fn misspelt_checks_are_refused() {
        refuses(
            &GOOD.replace("CHECK", "CHEK"),
            "line 4: unknown directive `CHEK:`: did you mean `CHECK`?\nknown are RUN, EXIT, \
             SNAPSHOT, ROUNDTRIP, COUNT, PTXAS, \
             RACE-FREE, VALIDATE, COMPARE, and CHECK with their suffixes",
        );
        refuses(&GOOD.replace("CHECK", "CHECK-NEST"), "unknown directive");
        let several = GOOD.to_owned()
            + "// CHECK_NEXT: a\n// SNAPSHO: none\n// CHECK-NEX: b\n// EXIT: x\n// VALIDTAE\n// SM90: c\n";
        let told = parse(&several).unwrap_err();
        let told: Vec<&str> = told.lines().collect();
        assert_eq!(
            told[..told.len() - 1],
            [
                "line 5: unknown directive `CHECK_NEXT:`: did you mean `CHECK-NEXT`?",
                "line 6: unknown directive `SNAPSHO:`: did you mean `SNAPSHOT`?",
                "line 7: unknown directive `CHECK-NEX:`: did you mean `CHECK-NEXT`?",
                "line 8: expected an exit status, found `x`",
                "line 9: unknown directive `VALIDTAE`: did you mean `VALIDATE`? (if it is no \
                 directive, put it into a sentence)",
                "line 10: unknown directive `SM90:`",
            ]
        );
        assert!(told[told.len() - 1].starts_with("known are RUN, "));
        refuses(&(GOOD.to_owned() + "// SM90: y\n"), "`SM90:`");
        refuses(&(GOOD.to_owned() + "// CHECK(SM90): y\n"), "`CHECK(SM90):`");
        refuses(
            &(GOOD.to_owned() + "// CHECK\n"),
            "unknown directive `CHECK`",
        );
        refuses(
            &(GOOD.to_owned() + "// VALIDAT\n"),
            "unknown directive `VALIDAT`",
        );
    }

    #[test]
    fn tests_that_check_nothing_are_refused() {
        refuses(
            &GOOD.replace("// CHECK: x\n", ""),
            "line 1: nothing is checked",
        );
        refuses(
            &GOOD.replace("// A sum over one warp. It needs no barrier.\n", ""),
            "no comment describes",
        );
        refuses("// Nothing is run here at all.\n", "no RUN line");
        refuses(
            &GOOD.replace("%s", "%s --verify-diagnostics"),
            "no expected-error",
        );
        refuses(
            &(GOOD.to_owned() + "// RUN: tx-opt %s --x\n"),
            "line 5: several RUN lines with the same prefix",
        );
    }

    #[test]
    fn malformed_directives_are_refused() {
        refuses(&(GOOD.to_owned() + "// SNAPSHOT: none\n"), "the reason");
        refuses(&(GOOD.to_owned() + "// ROUNDTRIP: all\n"), "the reason");
        refuses(
            &(GOOD.to_owned() + "// ROUNDTRIP(A): none — x\n"),
            "in parentheses",
        );
        refuses(
            &(GOOD.to_owned() + "// SNAPSHOT(A): none — x\n"),
            "line 5: SNAPSHOT: no RUN line has the prefix `A`",
        );
        refuses(&(GOOD.to_owned() + "// SNAPSHOT\n"), "requires a colon");
        refuses(&GOOD.replace("tx-opt", "rm"), "`rm` cannot be run here");
        for name in ["COUNT", "EXIT", "COMPARE"] {
            refuses(
                &GOOD.replace("RUN", &format!("RUN(CHECK,{name})")),
                &format!("line 1: `{name}` is a directive: give the RUN line another name"),
            );
        }
        refuses(&("// EXIT: 3\n".to_owned() + GOOD), "after its RUN line");
        refuses(&(GOOD.to_owned() + "// EXIT: x\n"), "found `x`");
        refuses(&(GOOD.to_owned() + "// EXIT(A): 3\n"), "in parentheses");
        refuses(
            &(GOOD.to_owned() + "// VALIDATE(A)\n// VALIDATE(A): x\n"),
            "in parentheses",
        );
        refuses(
            &(GOOD.to_owned() + "// RACE-FREE: 'x\n"),
            "line 5: RACE-FREE: a quote",
        );
        refuses(
            &(GOOD.to_owned() + "// PTXAS:\n"),
            "line 5: PTXAS: expected chips",
        );
        refuses(&(GOOD.to_owned() + "// COUNT: @f\n"), "line 5: COUNT: ");
    }

    #[test]
    fn directives_say_which_output_they_look_at() {
        let two = GOOD
            .replace("RUN:", "RUN(A): tx %s\n// RUN(B):")
            .replace("CHECK", "A");
        let count = two.clone() + "// COUNT(B): @f barriers = 0\n";
        assert_eq!(parse(&count).unwrap().uses[0].runs, [1]);
        refuses(
            &(two.clone() + "// COUNT: @f barriers = 0\n"),
            "name the RUN line, `COUNT(A):` or `COUNT(B):`",
        );
        refuses(
            &(two + "// COUNT(C): @f barriers = 0\n"),
            "no RUN line has the prefix `C`; expected `COUNT(A):` or `COUNT(B):`",
        );
        refuses(
            "// A test of one kernel. It runs nothing.\n// COUNT: @f barriers = 0\n",
            "but the file has no RUN line",
        );
        let alone = "// A test of one kernel. It is valid.\n// VALIDATE\n";
        assert_eq!(parse(alone).unwrap().uses[0].name, "VALIDATE");
    }
}
