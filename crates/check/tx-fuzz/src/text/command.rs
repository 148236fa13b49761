//! Commands that run on a malformed program, and classification of their outcomes.

use super::config::Config;
use super::process::{ProcessResult, place_of_crash};
use crate::check::{Class, Outcome};
use crate::random::Random;
use std::ffi::OsString;
use std::io;
use std::path::Path;

#[derive(Clone, Debug)]
pub(super) struct Command {
    /// Set if the command is `tx-opt`; not set if the command is `tx`.
    opt: bool,
    program: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// Values of the option `--arg`. Most values of `--arg` do not match the argument types of a
/// program.
const SPECS: &[&str] = &[
    "zeros:4x8xf32",
    "zeros:f32",
    "rand:4x8xf32",
    "rand:16x16xf16:7",
    "full:nan:0xf32",
    "full:1e400:4xf64",
    "full:-1:7xi8",
    "zeros:99999999999x99999999999xf32",
    "zeros:9223372036854775807xi1",
    "zeros:-1xf32",
    "zeros:4x",
    "1e400",
    "-9223372036854775808",
    "nan",
    "",
    "no-such-file.npy",
    "1.5",
];

impl Command {
    pub(super) fn random(
        random: &mut Random,
        config: &Config,
        passes: &[String],
        flags: &[String],
    ) -> Self {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let chip = random.pick(&["sm_80", "sm_90", "sm_100"]);
        if config.opt.is_some() && random.percent(70) {
            let after = match random.below(100) {
                0..40 => vec![format!("--lower-reduction=chip={chip}")],
                40..65 if !passes.is_empty() => vec![format!("--{}", random.pick(passes))],
                65..80 if !flags.is_empty() => flags.to_vec(),
                80..95 => words(&["--lower-reduction", "--gpu-to-ptx"]),
                _ => Vec::new(),
            };
            return Self {
                opt: true,
                program: "tx-opt".to_owned(),
                before: Vec::new(),
                after,
            };
        }
        let (before, mut after) = match random.below(100) {
            0..45 => ("compile", words(&["--chip", chip, "-o", "/dev/null"])),
            45..70 => ("run", words(&["--device", "cpu"])),
            _ => ("validate", words(&["--chip", chip])),
        };
        if before == "run" || random.percent(5) {
            for _ in 0..random.below(4) {
                after.push("--arg".to_owned());
                after.push(random.pick(SPECS).to_owned());
            }
            if random.percent(10) {
                after.push("--grid".to_owned());
                after.push(
                    random
                        .pick(&["0", "1,2,3", "4294967295,65535,65535", "x", "-1"])
                        .to_owned(),
                );
            }
            if random.percent(10) {
                after.push("--entry".to_owned());
                after.push(
                    random
                        .pick(&["", "nobody", "kernel", "\u{1f980}"])
                        .to_owned(),
                );
            }
        }
        Self {
            opt: false,
            program: config.program.clone(),
            before: vec![before.to_owned()],
            after,
        }
    }

    pub(super) fn line(&self, config: &Config, file: &Path) -> Vec<OsString> {
        let program = match (&config.opt, self.opt) {
            (Some(opt), true) => opt,
            _ => &config.tx,
        };
        let mut line = vec![program.clone().into_os_string()];
        line.extend(self.before.iter().map(OsString::from));
        line.push(file.as_os_str().to_owned());
        line.extend(self.after.iter().map(OsString::from));
        line
    }

    /// Returns the command as text, with `FILE` as the file name.
    fn words(&self) -> String {
        let mut words = vec![self.program.clone()];
        words.extend(self.before.iter().cloned());
        words.push("FILE".to_owned());
        words.extend(self.after.iter().map(|word| match word.is_empty() {
            true => "''".to_owned(),
            false => word.clone(),
        }));
        words.join(" ")
    }

    pub(super) fn is_opt(&self) -> bool {
        self.opt
    }

    /// Returns the outcome of a finished process.
    pub(super) fn judge(&self, ended: &ProcessResult, text: bool) -> Outcome {
        let short = match self.before.first().or(self.after.first()) {
            Some(word) => format!(
                "{} {}",
                self.program,
                word.split('=').next().unwrap_or(word)
            ),
            None => self.program.clone(),
        };
        // The executed program may contain an infinite loop.
        let runs = self
            .before
            .iter()
            .any(|word| word == "run" || word == "validate");
        let finding = |class: Class, stage: String| {
            let said: Vec<&str> = ended.said.lines().take(60).collect();
            let what = match class {
                Class::Crash => place_of_crash(&ended.said),
                _ => first_error(&ended.said).to_owned(),
            };
            Outcome::new(
                class,
                stage,
                format!(
                    "{what}\n{}: status {:?}, signal {:?}\n{}",
                    self.words(),
                    ended.code,
                    ended.signal,
                    said.join("\n")
                ),
            )
        };
        let bugs = [
            "internal error",
            "LLVM ERROR",
            "this is a bug",
            "panicked at",
        ];
        match ended.code {
            _ if ended.died() => finding(Class::Crash, short),
            None if runs => Outcome::new(Class::Refused, short, "it took too long"),
            None => finding(Class::Hang, short),
            _ if bugs.iter().any(|words| ended.said.contains(words)) => {
                finding(Class::Internal, short)
            }
            Some(0) => Outcome::new(Class::Accepted, short, ""),
            Some(3) if runs => Outcome::new(Class::Refused, short, "it ran and failed"),
            Some(1 | 2) if ended.said.trim().is_empty() => finding(Class::Silent, short),
            Some(2) if !self.opt => Outcome::new(Class::Refused, short, "wrong usage"),
            Some(1) => {
                let error = first_error(&ended.said);
                // A mutated location attribute may be unknown.
                let nowhere = ["<unknown>:0:", "loc(unknown)", "error: unknown location"];
                let names = text && ended.said.contains("-:0:0");
                // An error in an option has no location in the file.
                let option = self
                    .after
                    .iter()
                    .any(|word| word.contains('=') && !word.contains("=chip=sm_"))
                    || error.contains("unknown chip");
                if names
                    || text
                        && self.opt
                        && !option
                        && nowhere.iter().any(|words| error.contains(words))
                {
                    finding(Class::Unlocated, short)
                } else {
                    Outcome::new(Class::Refused, short, error)
                }
            }
            Some(_) => finding(Class::Silent, short),
        }
    }
}

fn first_error(said: &str) -> &str {
    said.lines()
        .find(|line| line.contains("error"))
        .or(said.lines().next())
        .unwrap_or_default()
}

/// Returns the command-line arguments of all passes and pipelines.
pub(super) fn passes(opt: &Path) -> io::Result<Vec<String>> {
    let output = std::process::Command::new(opt)
        .arg("--tx-dump-registry")
        .output()?;
    let registry: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(registry
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| entry["argument"].as_str().map(str::to_owned))
        .collect())
}
