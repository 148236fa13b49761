//! Records that have no meaning here. `docs/records-not-taken.md` lists them.

use crate::Record;

/// Suite, the case in the record's words, and the reason.
pub(crate) const NOT_TAKEN: [(&str, &str, &str); 11] = [
    (
        "classic.cross_thread",
        "tensorize (no rewrite)",
        "the reduction is an intrinsic already: an op has no body to leave alone",
    ),
    (
        "classic.cross_thread",
        "nested_inner_match_buffers (no rewrite)",
        "views are ops of the host function, never parts of a reduction's body",
    ),
    (
        "classic.rfactor",
        "with_annotation",
        "annotations of blocks: nothing here reads any",
    ),
    (
        "classic.rfactor",
        "loop_multiple_children",
        "every op has loops of its own, so no loop has a second child",
    ),
    (
        "classic.rfactor",
        "outermost_loop_multiple_children_fail",
        "every op has loops of its own, so no loop has a second child",
    ),
    (
        "classic.rfactor",
        "not_stage_pipeline",
        "no op runs between the iterations of another",
    ),
    (
        "classic.rfactor",
        "init_not_bufferstore",
        "an identity is an attribute, not a statement",
    ),
    (
        "classic.rfactor",
        "argmax init not a store",
        "an identity is an attribute, not a statement",
    ),
    (
        "classic.rfactor",
        "argmax let body neither seq nor store",
        "a combiner yields all its values at once: there are no statements",
    ),
    (
        "classic.rfactor",
        "argmax body seq not store",
        "a combiner yields all its values at once: there are no statements",
    ),
    (
        "classic.rfactor",
        "argmax one let var used twice",
        "a combiner may yield one value twice: which tuples occur is the program's to know, and \
         laws are checked of combiners of single values only",
    ),
];

/// Why a record is no test; none when it is one.
pub(crate) fn reason(record: &Record) -> Option<&'static str> {
    let what = record.what.as_str()?;
    let known = NOT_TAKEN.iter();
    let mut found = known.filter(|(suite, case, _)| *suite == record.suite && *case == what);
    found.next().map(|(_, _, reason)| *reason)
}
