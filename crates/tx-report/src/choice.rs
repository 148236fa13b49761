//! What was chosen and what was refused: remarks of `tx explain`, taken apart.

/// Something that was said of a place in the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remark {
    /// `remark`, `error` ...
    pub severity: String,
    /// What was said.
    pub message: String,
    /// The code of the rule that was broken, such as `TX0001`.
    pub code: Option<String>,
    /// Line of the program.
    pub line: Option<usize>,
    /// Column.
    pub column: Option<usize>,
    /// What else was said of it.
    pub notes: Vec<String>,
}

/// What a note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A way to compute a reduction.
    Variant {
        name: String,
        priority: Option<String>,
        /// The cost, where it can be taken.
        cost: Option<String>,
        is_chosen: bool,
        /// Predicates that it fails, and why.
        reasons: Vec<(String, String)>,
    },
    /// For which lengths, into how many kernels, and the steps.
    Schedule {
        when: String,
        what: String,
        steps: Vec<String>,
    },
    /// What a schedule should take.
    Estimate {
        is_chosen: bool,
        time: String,
        why: String,
        steps: Vec<String>,
    },
    /// Anything else.
    Other(String),
}

/// The steps of a printed schedule.
fn steps(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts = inner
        .split(", #tile.")
        .map(|step| step.trim_start_matches("#tile.").to_owned());
    Some(parts.filter(|step| !step.is_empty()).collect())
}

pub(crate) fn read(note: &str) -> Note {
    read_estimate(note)
        .or_else(|| read_schedule(note))
        .or_else(|| read_variant(note))
        .unwrap_or_else(|| Note::Other(note.to_owned()))
}

fn read_estimate(note: &str) -> Option<Note> {
    let (is_chosen, rest) = match note.strip_prefix("chosen: ") {
        Some(rest) => (true, rest),
        None => (false, note.strip_prefix("candidate: ")?),
    };
    let (rest, steps) = match rest.split_once(": [") {
        Some((rest, schedule)) => (rest, steps(&format!("[{schedule}"))?),
        None => (rest, Vec::new()),
    };
    let (time, why) = rest.split_once(" for ")?;
    Some(Note::Estimate {
        is_chosen,
        time: time.to_owned(),
        why: why.to_owned(),
        steps,
    })
}

fn read_schedule(note: &str) -> Option<Note> {
    let (before, schedule) = note.split_once(": [")?;
    let steps = steps(&format!("[{schedule}"))?;
    let (when, what) = before.split_once(": ").unwrap_or(("", before));
    (what.contains("kernel") || what.contains("schedule")).then(|| Note::Schedule {
        when: when.to_owned(),
        what: what.to_owned(),
        steps,
    })
}

fn read_variant(note: &str) -> Option<Note> {
    let (head, rest) = note.split_once(": ")?;
    let (name, priority) = match head.split_once(" (priority ") {
        Some((name, priority)) => (name, Some(priority.strip_suffix(')')?.to_owned())),
        None => (head, None),
    };
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    if let Some(cost) = rest.strip_prefix("accepted, cost ") {
        let is_chosen = cost.ends_with(", chosen");
        return Some(Note::Variant {
            name: name.to_owned(),
            priority,
            cost: Some(cost.trim_end_matches(", chosen").to_owned()),
            is_chosen,
            reasons: Vec::new(),
        });
    }
    let reasons = rest
        .split("; ")
        .map(|reason| match reason.split_once(": ") {
            Some((predicate, why)) if !predicate.contains([' ', '`']) => {
                (predicate.to_owned(), why.to_owned())
            }
            _ => (String::new(), reason.to_owned()),
        })
        .collect();
    // Without a priority any word and a colon would do.
    let is_exchange = matches!(name, "redux" | "shuffle");
    (priority.is_some() || is_exchange).then(|| Note::Variant {
        name: name.to_owned(),
        priority,
        cost: None,
        is_chosen: false,
        reasons,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_accepted_or_refused_with_reasons() {
        assert_eq!(
            read("shared (priority 10): accepted, cost 119, chosen"),
            Note::Variant {
                name: "shared".to_owned(),
                priority: Some("10".to_owned()),
                cost: Some("119".to_owned()),
                is_chosen: true,
                reasons: vec![]
            }
        );
        let Note::Variant {
            cost: None,
            reasons,
            ..
        } = read(
            "packed_half (priority 10): type: elements are `f32`, expected `f16` or `bf16`; vector: none",
        )
        else {
            panic!()
        };
        assert_eq!(
            reasons[0],
            (
                "type".to_owned(),
                "elements are `f32`, expected `f16` or `bf16`".to_owned()
            )
        );
        assert_eq!(reasons[1].0, "vector");
        let Note::Variant {
            priority: None,
            reasons,
            ..
        } = read("redux: `redux.sync` has no `sum` of `f32`")
        else {
            panic!()
        };
        assert_eq!(
            reasons,
            [(
                String::new(),
                "`redux.sync` has no `sum` of `f32`".to_owned()
            )]
        );
    }

    #[test]
    fn schedules_and_estimates() {
        assert_eq!(
            read(
                "`d1` up to 16: one kernel, 256 threads a block: [#tile.split<\"d0\" by 128>, #tile.stream]"
            ),
            Note::Schedule {
                when: "`d1` up to 16".to_owned(),
                what: "one kernel, 256 threads a block".to_owned(),
                steps: vec!["split<\"d0\" by 128>".to_owned(), "stream".to_owned()],
            }
        );
        let Note::Schedule { when, .. } = read("one kernel, 256 threads a block: [#tile.stream]")
        else {
            panic!()
        };
        assert_eq!(when, "");
        assert_eq!(
            read(
                "candidate: 758.6 µs for 1074790400 bytes, 1.2 waves: [#tile.bind<\"d0\" to block_x>]"
            ),
            Note::Estimate {
                is_chosen: false,
                time: "758.6 µs".to_owned(),
                why: "1074790400 bytes, 1.2 waves".to_owned(),
                steps: vec!["bind<\"d0\" to block_x>".to_owned()],
            }
        );
        let Note::Estimate {
            is_chosen: true,
            steps,
            ..
        } = read("chosen: 692.7 µs for 10 bytes, 19.0 waves")
        else {
            panic!()
        };
        assert_eq!(steps, [""; 0]);
    }

    #[test]
    fn what_is_neither_is_kept() {
        for text in [
            "estimates for the A100 and 262144x1024; not by these",
            "no: what",
            "",
            ": [",
            "a (priority 1: x",
        ] {
            assert_eq!(read(text), Note::Other(text.to_owned()));
        }
    }
}
