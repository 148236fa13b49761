//! What MLIR's parser says of names that mean nothing, in words that help: with the name that may be meant.
//!
//! Every context made from a registry of [`crate::registration::register_upstream_dialects`] says it so, whoever shows it.

use crate::codes;
use crate::diagnostic::Code;
use crate::ffi::{self, TxSink, TxStr};
use crate::source::Place;
use crate::syntax::{self, Said};
use crate::undeclared;
use crate::upstream;
use melior::dialect::DialectRegistry;
use melior::ir::Location;
use mlir_sys::{MlirContext, MlirLocation};
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};
use strsim::osa_distance;

/// More ops than these are no help to who looks for one.
const MOST_LISTED: usize = 16;

/// The name that may have been meant: the first of those with the fewest letters that were left out, put in, changed or swapped,
/// if most of it is right.
pub fn nearest<'n>(found: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|name| (osa_distance(found, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| 3 * distance <= name.len().max(3))
        .map(|(_, name)| name)
}

/// Ops that nothing here lowers, and what to write instead.
const INSTEAD: &[(&str, &str)] = &[
    ("gpu.all_reduce", ALL_REDUCE),
    ("gpu.subgroup_reduce", ALL_REDUCE),
    (
        "gpu.rotate",
        "`gpu.shuffle idx` takes the value of any lane",
    ),
    (
        "math.ipowi",
        "multiply, in a loop where the exponent is no constant",
    ),
    ("vector.load", ONE_DIMENSION),
    ("vector.store", ONE_DIMENSION),
    (
        "vector.print",
        "`gpu.printf` prints numbers; `vector.extract` takes one of a vector",
    ),
];
const ALL_REDUCE: &str =
    "`tile.all_reduce` combines a value of each thread, of any type, at scope `warp` or `cta`";
const ONE_DIMENSION: &str = "take one row after the other, as vectors of one dimension";

/// What to write in place of an op that nothing lowers.
pub fn instead_of(op: &str) -> Option<&'static str> {
    let found = INSTEAD.iter().find(|(name, _)| *name == op);
    found.map(|(_, instead)| *instead)
}

/// Words in place of a message of MLIR, and the code of the rule that they report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reworded {
    /// The message.
    pub text: String,
    /// Its code; without one, the diagnostic keeps the code that it has.
    pub code: Option<Code>,
}

impl Reworded {
    /// Returns the function that gives a message this code.
    pub fn coded(code: Code) -> impl Fn(String) -> Self {
        move |text| Self {
            text,
            code: Some(code),
        }
    }
}

impl From<String> for Reworded {
    fn from(text: String) -> Self {
        Self { text, code: None }
    }
}

/// What knows better words for a message, without its notes: those of a dialect, which stand in its place.
pub type Reword = fn(&Said<'_>) -> Option<Reworded>;

static OTHERS: Mutex<Vec<Reword>> = Mutex::new(Vec::new());

/// Asks `reword` as well, for the rest of the process.
pub fn reword_also(reword: Reword) {
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.push(reword);
}

static EXPLAINS: OnceLock<fn(Code) -> String> = OnceLock::new();

/// Adds what `explain` says of the code of an error to it as its last note, for the rest of the process. The first call counts.
pub fn explain_errors(explain: fn(Code) -> String) {
    EXPLAINS.get_or_init(|| explain);
}

/// The better words for `said`, a message with its notes in lines below; they stand in place of both. `ops` are the registered
/// ones.
fn reword(
    said: &str,
    location: Location<'_>,
    ops: impl FnOnce() -> Vec<String>,
) -> Option<Reworded> {
    // Each dialect asks, and one answer is enough.
    if said.ends_with("`?") {
        return None;
    }
    let (message, notes) = said.split_once('\n').unwrap_or((said, ""));
    let others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    let parsed = Said::new(message, Some(location));
    if let Some(better) = others.iter().find_map(|reword| reword(&parsed)) {
        return Some(better);
    }
    drop(others);
    let not_mlir = || other_text(&parsed).map(Reworded::from);
    let unknown = Reworded::coded(codes::TX0034);
    if !message.starts_with(UNKNOWN_OP)
        && let Some(better) = not_mlir()
    {
        return Some(better);
    }
    if let Some(better) = syntax::reword(&parsed)
        .or_else(|| upstream::unknown(message).map(&unknown))
        .or_else(|| upstream::other_type(message, parsed.place()).map(Reworded::from))
    {
        return Some(better);
    }
    // A parser's message: one with notes says more than a list.
    if notes.is_empty()
        && let Some((before, known)) = message.split_once("`; known: ")
    {
        let (_, found) = before.rsplit_once("unknown ")?.1.split_once('`')?;
        let near = nearest(found, known.split(", "))?;
        return Some(unknown(format!("{message}; did you mean `{near}`?")));
    }
    if let Some(rest) = message.strip_prefix(UNKNOWN_OP) {
        let (found, rest) = rest.split_once('\'')?;
        // In a region whose ops are of one dialect as a rule, that is tried as well.
        let tried = match rest.strip_prefix(" is unknown")? {
            "" => found,
            rest => rest.strip_prefix(" (tried '")?.strip_suffix("' as well)")?,
        };
        let ops = ops();
        // What was tried is of another dialect than the one that is written, if one is.
        let better = match found.contains('.') {
            true => meant(found, &ops),
            false => of_other_dialects(found, &ops).or_else(|| near(tried, &ops)),
        };
        let better = better.map(|better| format!("{message}; {better}"));
        return better.map(unknown).or_else(not_mlir);
    }
    if let Some(rest) = message.strip_prefix("unregistered operation '") {
        let (found, rest) = rest.split_once('\'')?;
        rest.ends_with("that does not allow unknown operations")
            .then_some(())?;
        let better = meant(found, &ops()).map(|meant| format!("{message}; {meant}"));
        return better.map(unknown);
    }
    if let Some(rest) = message.strip_prefix("Dialect `") {
        let (dialect, rest) = rest.split_once("' not found for custom op '")?;
        let (op, _) = rest.split_once('\'')?;
        if dialect.is_empty()
            && let Some(ending) = parsed.place().and_then(|place| upstream::ending(op, place))
        {
            return Some(unknown(ending));
        }
        if dialect.is_empty() {
            return Some(unknown(format!(
                "`{op}` is unknown: ops of this region are written with their dialect, as in `func.return`; \
                 is a `}}` missing above?"
            )));
        }
        let known = notes.strip_prefix("Available dialects: ")?;
        let (known, _) = known.split_once(" ;")?;
        let name = op.strip_prefix(dialect).unwrap_or("");
        return Some(unknown(match nearest(dialect, known.split(", ")) {
            Some(meant) => {
                format!("unknown dialect `{dialect}`; did you mean `{meant}{name}`?")
            }
            None => format!("unknown dialect `{dialect}`; known: {known}"),
        }));
    }
    if let Some(better) = rank_of_output(message) {
        return Some(better.into());
    }
    if let Some((before, rest)) = message.split_once(" attribute '")
        && let Some((name, rest)) = rest.split_once("' failed to satisfy constraint: ")
        && rest.starts_with("i32 dense array attribute with 3 elements")
    {
        let better =
            format!("{before} attribute `{name}` must have three numbers: `array<i32: X, Y, Z>`");
        return Some(Reworded::coded(codes::TX0036)(better));
    }
    let op = message
        .strip_prefix("failed to legalize operation '")
        .and_then(|rest| rest.strip_suffix("' that was explicitly marked illegal"));
    if let Some(op) = op {
        let instead = instead_of(op).map(|other| format!(": {other}"));
        let better = format!("`{op}` cannot be lowered{}", instead.unwrap_or_default());
        return Some(Reworded::coded(codes::TX0510)(better));
    }
    let better = match message {
        "expected operation name in quotes" => {
            "expected an op, such as `func.return`; is a `}` missing above, or one too many here?"
        }
        _ if message.starts_with("block with no terminator") => {
            "a block ends without a terminator: add `func.return`, `gpu.return`, or what its op is ended by, such as `tile.yield`"
        }
        _ => return None,
    };
    Some(better.to_owned().into())
}

const UNKNOWN_OP: &str = "custom op '";

/// What the parser says of the beginning of a text that is no program, other than that an op is unknown.
const OF_OTHER_TEXT: &[&str] = &[
    "expected operation name in quotes",
    "invalid attribute name",
    "expected '=' in attribute alias definition",
];

/// That a text is none of MLIR: what it begins with means nothing, and no line of it begins as an op does.
fn other_text(said: &Said<'_>) -> Option<String> {
    let told = said.message.starts_with(UNKNOWN_OP) || OF_OTHER_TEXT.contains(&said.message);
    let place = said.place().filter(|_| told)?;
    let first = place.first_line()?;
    (!crate::foreign::holds_ops(place.text())).then(|| {
        format!(
            "this is no program in MLIR: no line begins with an op, the first is `{first}`; \
             expected one that begins with `func.func`, `gpu.module` or `module`"
        )
    })
}

/// `'linalg.reduce' op number of dimensions after reduction 0 doesn't match the init rank 1`.
fn rank_of_output(message: &str) -> Option<String> {
    let (op, rest) = message.split_once("number of dimensions after reduction ")?;
    let (left, rank) = rest.split_once(" doesn't match the init rank ")?;
    let (left, rank): (usize, usize) = (left.parse().ok()?, rank.parse().ok()?);
    let (several, instead) = match rank.checked_sub(left) {
        Some(more) => (more, "take %n out of `dimensions`"),
        None => (left - rank, "add %n to `dimensions`"),
    };
    let instead = instead.replace("%n", &several.to_string());
    let sizes = "?x".repeat(left);
    Some(format!(
        "{op}the output has rank {rank}, expected {left}: the rank of the input less one for each of `dimensions`; \
         {instead}, or give it an output of rank {left}, as `memref<{sizes}f32>`"
    ))
}

/// The op that may be meant by `found`, or those that its dialect has.
fn meant(found: &str, ops: &[String]) -> Option<String> {
    let renamed = || {
        let quoted = upstream::renamed(found)?.iter().map(|op| format!("`{op}`"));
        Some(format!(
            "did you mean {}?",
            quoted.collect::<Vec<_>>().join(" or ")
        ))
    };
    let of_others = || of_other_dialects(found.split_once('.')?.1, ops);
    let few = || {
        let names = of_dialect(found.split_once('.')?.0, ops);
        let few = (1..=MOST_LISTED).contains(&names.len());
        few.then(|| format!("known: {}", names.join(", ")))
    };
    renamed()
        .or_else(|| near(found, ops))
        .or_else(few)
        .or_else(of_others)
}

/// The op of the same dialect that may be meant: the dialect is right, and says nothing of how near a name is.
fn near(found: &str, ops: &[String]) -> Option<String> {
    let (dialect, name) = found.split_once('.')?;
    let near = nearest(name, of_dialect(dialect, ops))?;
    Some(format!("did you mean `{dialect}.{near}`?"))
}

/// The ops of this name, which was written without a dialect.
fn of_other_dialects(found: &str, ops: &[String]) -> Option<String> {
    let is = |op: &&String| op.split_once('.').is_some_and(|(_, name)| name == found);
    let all: Vec<String> = ops.iter().filter(is).map(|op| format!("`{op}`")).collect();
    (!all.is_empty()).then(|| format!("did you mean {}?", all.join(" or ")))
}

/// The names of a dialect's ops.
fn of_dialect<'o>(dialect: &str, ops: &'o [String]) -> Vec<&'o str> {
    let ops = ops.iter().filter_map(|op| op.split_once('.'));
    ops.filter(|(of, _)| *of == dialect)
        .map(|(_, name)| name)
        .collect()
}

/// Has contexts made from `registry` say it so.
pub(crate) fn register(registry: &DialectRegistry) {
    // SAFETY: `registry` is alive, and the function as long as the process.
    unsafe { ffi::txReword(registry.to_raw(), reword_for) }
}

/// An error, as MLIR counts severities.
const ERROR: c_int = 2;
/// What is said in place of a message and its notes, and what in a note below them.
const INSTEAD_OF_IT: c_int = 1;
const BELOW_IT: c_int = 2;
/// The error before it said all.
const NOT_SHOWN: c_int = 3;

thread_local! {
    /// Whether the last error of this thread was about a word that is none of a list.
    static AFTER_CHOICE: Cell<bool> = const { Cell::new(false) };
}

/// Whether an error repeats the one before it, and says less: what holds a word of a list cannot be read where the word is none.
fn is_echo(said: &str) -> bool {
    let is_choice = said.contains(" to be one of: ") || said.contains("expected one of: ");
    AFTER_CHOICE.replace(is_choice)
        && said.contains("failed to parse ")
        && said.contains(" parameter '")
}

unsafe extern "C" fn reword_for(
    at: MlirLocation,
    severity: c_int,
    said: TxStr,
    code: *mut c_uint,
    emit: TxSink,
    sink: *mut c_void,
) -> c_int {
    // SAFETY: the text is alive.
    let said = unsafe { said.as_str() };
    // SAFETY: locations are alive as long as their context, which calls.
    let (location, context) =
        unsafe { (Location::from_raw(at), mlir_sys::mlirLocationGetContext(at)) };
    if severity == ERROR && is_echo(&said) {
        return NOT_SHOWN;
    }
    // SAFETY: the caller's, for this call.
    let code = unsafe { &mut *code };
    let explain = EXPLAINS.get().filter(|_| severity == ERROR);
    let note = explain.and_then(|explain| Code::carried(*code).map(explain));
    // Each dialect asks, and all is said once.
    if note
        .as_deref()
        .is_some_and(|note| said.lines().any(|line| line == note))
    {
        return 0;
    }
    let better = match &*said {
        undeclared::SAID => {
            let better = Place::of(location).as_ref().and_then(undeclared::reword);
            better.map(Reworded::from)
        }
        said => reword(said, location, || registered(context)),
    };
    let how = if better.is_some() {
        INSTEAD_OF_IT
    } else {
        BELOW_IT
    };
    if let Some(better) = better.as_ref().and_then(|better| better.code) {
        *code = better.number().into();
    }
    let Some(text) = better.map(|better| better.text).or(note) else {
        return 0;
    };
    // SAFETY: `emit` copies the text, and belongs to `sink`.
    unsafe { emit(sink, TxStr::new(&text)) }
    how
}

/// The ops of the dialects that are loaded, by name.
fn registered(context: MlirContext) -> Vec<String> {
    unsafe extern "C" fn push(data: *mut c_void, name: TxStr) {
        // SAFETY: `data` is the vector below, and the text is alive.
        unsafe { (*data.cast::<Vec<String>>()).push(name.as_str().into_owned()) }
    }
    let mut names = Vec::new();
    // SAFETY: `push` gets the vector that it expects.
    unsafe { ffi::txRegisteredOps(context, push, std::ptr::from_mut(&mut names).cast()) };
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_found() {
        let known = ["determinism", "schedule", "variant", "nan"];
        for (found, meant) in [
            ("determinsm", Some("determinism")),
            ("scedule", Some("schedule")),
            ("varaint", Some("variant")),
            ("Nan", Some("nan")),
            ("threads", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, known), meant, "{found}");
        }
    }
}
