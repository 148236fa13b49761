//! A variant is an algorithm for a reduction inside a kernel. This module registers variants, and
//! chooses a variant for each reduction.
//!
//! Each built-in variant consists of one file in the folder `variants` and one line in [`BUILTIN`].
//! Each variant defines a cost estimate, an expansion, and named predicates. Each predicate accepts
//! a reduction, or returns the reason why the variant cannot expand the reduction. A
//! [`Combiner`](crate::combiner::Combiner) emits the operation that combines two values. The
//! algorithm of a variant does not depend on the combiner.

pub(crate) mod batched;
pub mod checks;
pub(crate) mod fragment_plan;
pub(crate) mod local;
pub(crate) mod packed_f32;
pub(crate) mod packed_half;
pub(crate) mod packed_key;
pub(crate) mod parts;
mod reduction;
pub(crate) mod redux;
pub(crate) mod registers;
pub(crate) mod shape;
pub(crate) mod shared;
mod variant;

pub use reduction::Reduction;
pub use variant::{Params, Predicate, Variant};

use melior::ir::Attribute;
use melior::ir::attribute::{AttributeLike as _, IntegerAttribute};
use melior::ir::operation::OperationLike;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};
use tx_mlir::{Failed, Op, attribute, codes, dictionary, error, integer_width, nearest};
use tx_plan::Reason;

/// Variants of this crate.
pub(crate) const BUILTIN: &[&dyn Variant] = &[
    &batched::Batched,
    &local::Local,
    &packed_f32::PackedAddSum,
    &packed_f32::ThreeInputMaxMin,
    &packed_half::PackedHalf,
    &packed_key::PackedKey,
    &redux::Redux,
    &shared::Shared,
];

static REGISTERED: RwLock<Vec<&'static dyn Variant>> = RwLock::new(Vec::new());

/// Registers a variant for the lifetime of the process.
///
/// # Errors
/// Fails if a registered or built-in variant has the name of `variant`.
pub fn register_variant(variant: &'static dyn Variant) -> Result<(), String> {
    if variant_named(variant.name()).is_some() {
        return Err(format!(
            "a variant named `{}` is already registered: return another name from `Variant::name`",
            variant.name()
        ));
    }
    REGISTERED
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .push(variant);
    Ok(())
}

/// Returns all variants, sorted by name.
pub fn variants() -> Vec<&'static dyn Variant> {
    let mut all: Vec<&'static dyn Variant> = BUILTIN.to_vec();
    all.extend(
        REGISTERED
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter(),
    );
    all.sort_by_key(|v| v.name());
    all
}

/// Returns whether variants of other crates are registered.
pub fn has_variants_of_others() -> bool {
    !REGISTERED
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .is_empty()
}

pub(crate) fn variant_named(name: &str) -> Option<&'static dyn Variant> {
    variants().into_iter().find(|v| v.name() == name)
}

/// Returns the error message for an unknown variant name.
pub fn unknown_variant(name: &str) -> String {
    let known: Vec<&str> = variants().iter().map(|v| v.name()).collect();
    let near = match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    format!(
        "no variant named `{name}`; known variants: {}{near}",
        known.join(", ")
    )
}

/// Reads the parameters that the input program or an earlier pass has set on an op. Each parameter
/// must be an `i64` with a name that the variant uses.
///
/// # Errors
/// Returns a message with the invalid parameter and the expected form of the parameter.
pub(crate) fn written_params(
    variant: &dyn Variant,
    reduction: &Reduction<'_>,
) -> Result<BTreeMap<String, i64>, String> {
    let Some(written) = attribute(reduction.view.op, "params").map(dictionary) else {
        return Ok(BTreeMap::new());
    };
    let known = known_params(variant, reduction);
    let number = |(name, value): (String, Attribute<'_>)| {
        if !known.contains(name.as_str()) {
            return Err(unknown_param(variant, &name, &known));
        }
        let is_i64 = |a: &IntegerAttribute<'_>| integer_width(a.r#type()) == Some(64);
        match IntegerAttribute::try_from(value).ok().filter(is_i64) {
            Some(number) => Ok((name, number.value())),
            None => Err(format!(
                "`{name}` must be a number, as in `{name} = 8 : i64`, found `{value}`"
            )),
        }
    };
    written.into_iter().map(number).collect()
}

/// Returns the names of the parameters of `variant` for `reduction`: the computed parameters, and
/// the optional parameters that [`Variant::check_params`] reads.
fn known_params(variant: &dyn Variant, reduction: &Reduction<'_>) -> BTreeSet<String> {
    let computed = variant.params(reduction);
    let asked = RefCell::new(BTreeSet::new());
    // The check receives computed values, so the check succeeds and reads all parameters.
    let _ = variant.check_params(reduction, &|name| {
        asked.borrow_mut().insert(name.to_owned());
        computed.get(name).copied().unwrap_or(0)
    });
    let mut known = asked.into_inner();
    known.extend(computed.keys().map(|name| (*name).to_owned()));
    known
}

fn unknown_param(variant: &dyn Variant, name: &str, known: &BTreeSet<String>) -> String {
    let list: Vec<&str> = known.iter().map(String::as_str).collect();
    let known = match list.is_empty() {
        true => "the variant has no parameters for this reduction".to_owned(),
        false => format!("known: {}", list.join(", ")),
    };
    let near = match nearest(name, list) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    format!(
        "variant `{}` has no parameter `{name}`; {known}{near}",
        variant.name()
    )
}

pub(crate) fn refuse_params(op: Op<'_>, reason: &str) -> Failed {
    error(
        op.location(),
        format!("`params` are invalid for this reduction: {reason}"),
    )
    .code(codes::TX0115)
    .note("remove `params`: `tile-select-variant` computes them")
    .emit()
}

/// Result of the check whether a variant can expand a reduction.
pub(crate) struct Candidate {
    pub(crate) variant: &'static dyn Variant,
    /// Cost of the variant, or every reason why the variant cannot expand the reduction.
    pub(crate) verdict: Result<u64, Vec<Reason>>,
}

impl Candidate {
    pub(crate) fn described(&self) -> tx_plan::Variant {
        tx_plan::Variant {
            name: self.variant.name().to_owned(),
            priority: Some(self.variant.priority().into()),
            cost: self.verdict.as_ref().ok().copied(),
            reasons: self.verdict.as_ref().err().cloned().unwrap_or_default(),
        }
    }
}

/// Checks for every variant, in the order of names, whether the variant can expand a reduction.
///
/// # Errors
/// Fails if a variant panics.
pub(crate) fn candidates(reduction: &Reduction<'_>) -> Result<Vec<Candidate>, Failed> {
    let ask_one = |variant: &'static dyn Variant| {
        let reasons: Vec<Reason> = variant
            .predicates()
            .iter()
            .filter_map(|p| {
                (p.check)(reduction).err().map(|text| Reason {
                    predicate: Some(p.name.to_string()),
                    text,
                })
            })
            .collect();
        let verdict = if reasons.is_empty() {
            Ok(variant.cost(reduction))
        } else {
            Err(reasons)
        };
        Candidate { variant, verdict }
    };
    let op = reduction.view.op;
    let all = variants().into_iter();
    all.map(|variant| ask(variant, op, || ask_one(variant)))
        .collect()
}

/// Calls a method of a variant that this crate or another crate defines. If the variant panics, the
/// function emits an error at the op; the error contains the name of the variant.
///
/// # Errors
/// Fails if the variant panics.
pub(crate) fn ask<T>(
    variant: &dyn Variant,
    op: Op<'_>,
    question: impl FnOnce() -> T,
) -> Result<T, Failed> {
    catch_unwind(AssertUnwindSafe(question)).map_err(|payload| {
        let (name, reason) = (variant.name(), tx_mlir::panic_message(payload.as_ref()));
        error(
            op.location(),
            format!("variant `{name}` panicked: {reason}"),
        )
        .note("this is a bug in the variant, not in the program")
        .emit()
    })
}

/// Returns the accepted variant with the highest priority. Among variants of equal priority, the
/// function chooses the variant with the lowest cost; among variants of equal cost, the function
/// chooses the variant whose name is alphabetically first.
pub(crate) fn best(candidates: &[Candidate]) -> Option<&Candidate> {
    candidates
        .iter()
        .filter_map(|c| c.verdict.as_ref().ok().map(|cost| (c, *cost)))
        .min_by_key(|(c, cost)| {
            (
                std::cmp::Reverse(c.variant.priority()),
                *cost,
                c.variant.name(),
            )
        })
        .map(|(c, _)| c)
}
