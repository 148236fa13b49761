//! Check of one random program: the compilation, and the execution after every pass.

use crate::description::Case;
use crate::print::Text;
use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tx_runtime::{Arg, Array};
use tx_validate::{Options, Trouble, Validation, Verdict};

/// Category of the result of a fuzz test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// The program compiles, and all passes preserve its results.
    Accepted,
    /// The compiler rejects the program with a diagnostic that has a location.
    Refused,
    /// A pass changes the results of the program.
    Wrong,
    /// A pass introduces a data race.
    Race,
    /// A pass introduces an invalid operation, such as an out-of-bounds access.
    Fault,
    /// The validation does not support an op that a pass creates.
    Unsupported,
    /// The compiler rejects the program with a diagnostic that has no location.
    Unlocated,
    /// The parser rejects the generated program, or the program fails on its generated arguments.
    Input,
    /// The compiler reports an internal error.
    Internal,
    /// Rust code panics.
    Panic,
    /// The process crashes.
    Crash,
    /// The process exceeds its time limit.
    Hang,
    /// The compiler rejects the program without a message, or exits with a status that `tx` does
    /// not define.
    Silent,
    /// Both `tx` and MLIR's own tools fail on the program.
    Upstream,
}

impl Class {
    /// Returns whether the category indicates a bug of this project (a finding).
    pub fn is_finding(self) -> bool {
        !matches!(self, Self::Accepted | Self::Refused | Self::Upstream)
    }
}

/// Result of the check of a test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Category.
    pub class: Class,
    /// Name of the failing pass; empty if unknown.
    pub stage: String,
    /// Message of the compiler.
    pub message: String,
    /// Variant that the compiler selected for each reduction of a compiled program.
    #[serde(default)]
    pub variants: Vec<String>,
}

impl Outcome {
    /// Creates an outcome with an empty list of variants.
    pub fn new(class: Class, stage: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            class,
            stage: stage.into(),
            message: message.into(),
            variants: Vec::new(),
        }
    }

    /// Returns a short title, such as `wrong in tile-insert-sync`.
    pub(crate) fn headline(&self) -> String {
        let class = format!("{:?}", self.class).to_lowercase();
        match self.stage.as_str() {
            "" => class,
            stage => format!("{class} in {stage}"),
        }
    }

    /// Returns the key by which the summary of a fuzz run groups equal failures. The key of a wrong
    /// result or of a race does not contain the message, so failures that differ only in their
    /// wrong values have equal keys.
    pub(crate) fn kind(&self) -> String {
        match self.class {
            Class::Wrong | Class::Race => self.headline(),
            _ => format!("{}: {}", self.headline(), kind_of(&self.message)),
        }
    }

    /// Returns whether two outcomes have the same category and the same failing pass. Outcomes of
    /// four categories, such as `Unsupported` and `Panic`, must also have equal messages, apart
    /// from names and numbers.
    pub fn is_like(&self, other: &Self) -> bool {
        self.class == other.class
            && self.stage == other.stage
            && match self.class {
                Class::Unsupported | Class::Unlocated | Class::Input | Class::Panic => {
                    kind_of(&self.message) == kind_of(&other.message)
                }
                _ => true,
            }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => f.write_str(&self.headline()),
            message => write!(f, "{}: {message}", self.headline()),
        }
    }
}

/// Returns a message with `…` in place of quoted names and `N` in place of numbers.
pub(crate) fn kind_of(message: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    // The first line of a message identifies its kind; the other lines contain locations and
    // values.
    for c in message.lines().next().unwrap_or_default().chars() {
        match c {
            '`' => {
                quoted = !quoted;
                text.push_str(if quoted { "`…" } else { "`" });
            }
            _ if quoted => {}
            '0'..='9' if text.ends_with('N') => {}
            '0'..='9' => text.push('N'),
            c => text.push(c),
        }
    }
    text.chars().take(120).collect()
}

/// Creates the compiler under test.
pub type MakeCompiler<'m> = dyn Fn(tx::Target) -> Result<tx::Compiler, tx::Error> + 'm;

/// Compiles the program of a test case, and executes the program after every pass.
pub fn check(case: &Case, compiler: &MakeCompiler<'_>) -> Outcome {
    match case.text() {
        Ok(text) => check_text(case, &text, compiler),
        Err(error) => Outcome::new(Class::Refused, "description", error.to_string()),
    }
}

fn check_text(case: &Case, text: &Text, compiler: &MakeCompiler<'_>) -> Outcome {
    let run = || -> Result<Validation, Trouble> {
        let compiler = compiler(tx::Target::parse(&case.chip)?)?;
        let source = tx::Source {
            name: "fuzz.mlir".to_owned(),
            text: text.mlir.clone().into_bytes(),
            entry: None,
            keep_stages: false,
        };
        let options = Options {
            seed: case.seed,
            args: (text.open || text.finite).then(|| arguments(case, text)),
            ..Options::default()
        };
        tx_validate::validate(&compiler, &source, &options)
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(validation)) => judge(&validation),
        Ok(Err(trouble)) => refusal(&trouble),
        Err(payload) => {
            let message = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic without a message".to_owned());
            Outcome::new(Class::Panic, "", message)
        }
    }
}

fn judge(validation: &Validation) -> Outcome {
    let bad = validation.guilty();
    let unknown = || {
        validation
            .stages
            .iter()
            .find(|stage| matches!(stage.verdict, Verdict::Unsupported(_)))
    };
    let outcome = match bad.or_else(unknown) {
        None => Outcome::new(Class::Accepted, "", ""),
        Some(stage) => {
            let class = match stage.verdict {
                Verdict::Wrong(_) => Class::Wrong,
                Verdict::Race(_) => Class::Race,
                Verdict::Unsupported(_) => Class::Unsupported,
                _ => Class::Fault,
            };
            Outcome::new(class, stage.name.clone(), stage.verdict.to_string())
        }
    };
    Outcome {
        variants: validation.variants.clone(),
        ..outcome
    }
}

fn refusal(trouble: &Trouble) -> Outcome {
    let message = trouble.to_string();
    let Trouble::Compile(error) = trouble else {
        return Outcome::new(Class::Input, "", message);
    };
    let stage = match &error.kind {
        tx::ErrorKind::Pass { name } => name.clone(),
        tx::ErrorKind::Parse => "parse".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    let first = error
        .diagnostics
        .first()
        .map(|diagnostic| diagnostic.message.clone())
        .unwrap_or_default();
    let class = if message.contains("internal error") || message.contains("this is a bug") {
        Class::Internal
    } else if error.diagnostics.iter().any(|d| d.location.is_none()) {
        Class::Unlocated
    } else if stage == "parse" {
        // The parser should accept all generated programs.
        Class::Input
    } else {
        return Outcome::new(Class::Refused, stage, first);
    };
    Outcome::new(class, stage, message)
}

/// Returns generated arguments whose shapes match the argument types of the program.
fn arguments(case: &Case, text: &Text) -> Vec<Arg> {
    let mut random = Random::new(case.seed, 0);
    let any = case.seed.is_multiple_of(3) && !text.finite;
    text.arguments
        .iter()
        .map(|(element, shape)| {
            let ty = element.plan();
            let count: usize = shape.iter().product();
            let mut bytes = vec![0; count * ty.size()];
            for place in bytes.chunks_mut(ty.size()) {
                let word = match any {
                    // Random bits, including NaNs.
                    true => random.next(),
                    // Small integers with duplicates.
                    false => small(*element, random.below(9) as i64 - 4),
                };
                place.copy_from_slice(&word.to_le_bytes()[..place.len()]);
                if *element == crate::Element::I1 {
                    place[0] &= 1;
                }
            }
            match Array::new(ty, shape.clone(), bytes) {
                Ok(array) => Arg::Array(array),
                Err(error) => unreachable!("{error}"),
            }
        })
        .collect()
}

/// Returns the bits that represent `number`, an integer from -4 to 4, in an element type.
fn small(element: crate::Element, number: i64) -> u64 {
    use crate::Element::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64};
    // Assemble sign, biased exponent and fraction.
    let float = |exponent_bits: u32, fraction_bits: u32| -> u64 {
        let sign = u64::from(number < 0) << (exponent_bits + fraction_bits);
        match number.unsigned_abs() {
            0 => sign,
            n => {
                let power = n.ilog2();
                let bias = (1_u64 << (exponent_bits - 1)) - 1;
                let fraction = (n << fraction_bits >> power) & ((1 << fraction_bits) - 1);
                sign | (bias + u64::from(power)) << fraction_bits | fraction
            }
        }
    };
    match element {
        F8E4M3FN => float(4, 3),
        F8E5M2 => float(5, 2),
        F16 => float(5, 10),
        BF16 => float(8, 7),
        F32 => float(8, 23),
        F64 => float(11, 52),
        _ => number.cast_unsigned(),
    }
}
