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
            "select the value and the index by one comparison: `ogt` or `olt` never selects NaN; \
             with `uno` of the element and itself in addition, the last NaN is selected",
        )
        .note(
            "or set `nan = #tile.nan<propagate>` on this op to select the first NaN, or \
             `#tile.nan<ignore>` to select no NaN",
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
        .note_at(value_location(old), "this is the accumulator")
        .note(format!(
            "combine the accumulator with the element, and yield the result: `%new = {sum} {name}, \
             %element : {ty}` for a sum"
        ))
        .emit()
    }

    /// Adds a note to `report` if the body combines values only under a condition. The note
    /// suggests to select the element or the neutral value by an `arith.select`.
    pub(super) fn note_condition<S>(&self, report: Report<'c, S>) -> Report<'c, S> {
        let depends = |v: Val<'c>| !self.independent(v);
        let mut both = self.yielded.iter().zip(&self.olds);
        if !both.any(|(new, old)| is_conditional(*new, *old, &depends)) {
            return report;
        }
        report.note(
            "select the element or the neutral value with `arith.select`, and combine the selected \
             value with the old value unconditionally",
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
            "the body does not combine two partial results",
        )
        .code(codes::TX0401)
        .note(format!(
            "the body updates old values ({}) from ({}); expected a value of the same type for \
             each old value",
            list(&self.olds),
            list(crossing)
        ));
        self.note_condition(report)
            .note(format!(
                "write a `tile.reduce custom` whose `combiner {{^bb0({}, {}): ...}}` combines two \
                 partial results, and whose `element {{...}}` computes a partial result from an \
                 element",
                arguments("l"),
                arguments("r")
            ))
            .note(
                "the combiner must give the same result in any order: for a recurrence, which \
                 depends on the order of elements, partial results must contain more than the old \
                 values",
            )
            .emit()
    }
}
