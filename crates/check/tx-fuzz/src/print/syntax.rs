//! Lists and attributes in the syntax of MLIR.

use crate::description::{GridOp, StepDescription};
use crate::print::memref::Memref;

pub(super) fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}

pub(super) fn axes(axes: &[usize], rank: usize, negative: bool) -> String {
    let numbers: Vec<i64> = axes
        .iter()
        .map(|axis| *axis as i64 - if negative { rank as i64 } else { 0 })
        .collect();
    list(&numbers)
}

pub(super) fn braces(attributes: &[String]) -> String {
    match attributes.is_empty() {
        true => String::new(),
        false => format!(" {{{}}}", attributes.join(", ")),
    }
}

pub(super) fn names(memrefs: &[Memref]) -> String {
    let names: Vec<&str> = memrefs.iter().map(|m| m.name.as_str()).collect();
    names.join(", ")
}

pub(super) fn types(memrefs: &[Memref]) -> String {
    let types: Vec<String> = memrefs.iter().map(Memref::ty).collect();
    types.join(", ")
}

pub(super) fn schedule(op: &GridOp) -> Option<String> {
    let steps: Vec<String> = op.schedule.as_ref()?.iter().map(step).collect();
    Some(format!("schedule = [{}]", steps.join(", ")))
}

fn step(step: &StepDescription) -> String {
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    };
    match step {
        StepDescription::Split(name, by) => format!("#tile.split<\"{name}\" by {by}>"),
        StepDescription::Fuse(names, to) => format!("#tile.fuse<[{}] to \"{to}\">", quoted(names)),
        StepDescription::Reorder(names) => format!("#tile.reorder<{}>", quoted(names)),
        StepDescription::Bind(name, processor) => format!("#tile.bind<\"{name}\" to {processor}>"),
        StepDescription::RFactor(name) => format!("#tile.rfactor<\"{name}\">"),
        StepDescription::Unroll(name) => format!("#tile.unroll<\"{name}\">"),
        StepDescription::Vectorize(name) => format!("#tile.vectorize<\"{name}\">"),
    }
}
