//! Errors about bodies of reductions that do not combine elements correctly.

use super::partition::Partition;
use super::steps::is_conditional;
use melior::ir::TypeLike;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Report, Val, argument_of, codes, error, value_location, written_name};

impl<'c> Partition<'_, 'c> {
    pub(super) fn depends_on_order(&self) -> Failed {
        error(
            self.loops.op.location(),
            "after a NaN, the value and the index depend on the order of elements",
        )
        .code(codes::TX0207)
        .note(
            "choose both by one comparison: `ogt` or `olt` for NaN that never wins, and `uno` of the \
             element with itself for the last NaN",
        )
        .note(
            "or write `nan = #tile.nan<propagate>` on this op, for value and index of the first NaN, or \
             `<ignore>`, for NaN that never wins",
        )
        .emit()
    }

    pub(super) fn unused_accumulator(&self, i: usize) -> Failed {
        let old = self.olds[i];
        let place = argument_of(old).map_or(0, |(_, place)| place);
        let name = written_name(old);
        let called = match &name {
            Some(name) => format!("`{name}`"),
            None => format!("argument {place} of its body"),
        };
        let ty = old.r#type();
        let sum = if ty.is_integer() {
            "arith.addi"
        } else {
            "arith.addf"
        };
        let name = name.unwrap_or_else(|| "%old".to_owned());
        error(
            self.loops.op.location(),
            format!("the result does not use the accumulator, {called}"),
        )
        .code(codes::TX0207)
        .note_at(value_location(old), "this is what was combined before")
        .note(format!(
            "combine it with the element, and yield that: `%new = {sum} {name}, %element : {ty}` for a sum"
        ))
        .emit()
    }

    /// Adds a note that suggests an `arith.select` of the element if the body combines values under
    /// a condition.
    pub(super) fn note_condition<S>(&self, report: Report<'c, S>) -> Report<'c, S> {
        let depends = |v: Val<'c>| !self.independent(v);
        let mut both = self.yielded.iter().zip(&self.olds);
        if !both.any(|(new, old)| is_conditional(*new, *old, &depends)) {
            return report;
        }
        report.note(
            "select the element or what is neutral by the condition, by `arith.select`, \
                     and combine that with the old value in any case",
        )
    }

    pub(super) fn no_combiner(&self, crossing: &[Val<'c>]) -> Failed {
        let list = |values: &[Val<'c>]| {
            let types: Vec<String> = values.iter().map(|v| v.r#type().to_string()).collect();
            types.join(", ")
        };
        let arguments = |side: &str| {
            let each = self.olds.iter().enumerate();
            let texts: Vec<String> = each
                .map(|(i, v)| format!("%{side}{i}: {}", v.r#type()))
                .collect();
            texts.join(", ")
        };
        let report = error(
            self.loops.op.location(),
            "the body is no combiner of two partial results",
        )
        .code(codes::TX0401)
        .note(format!(
            "it updates old values ({}) from ({}); expected a value of the same type for each old value",
            list(&self.olds),
            list(crossing)
        ));
        self.note_condition(report)
            .note(format!(
                "write a `tile.reduce custom` whose `combiner {{^bb0({}, {}): ...}}` combines two \
                 partial results, and whose `element {{...}}` makes one of an element",
                arguments("l"),
                arguments("r")
            ))
            .note(
                "that takes partial results which give the same in any order: where the order \
                 of elements decides, as in a recurrence, these hold more than the old values",
            )
            .emit()
    }
}
