//! Explanations of the compiler's choices, and assignment of kernels to schedule cases. A schedule
//! case is a schedule for one range of row lengths.

use crate::pipeline::TILE_SCHEDULE;
use melior::ir::Module;
use tx_mlir::gpu::is_kernel;
use tx_mlir::{Diagnostic, Op, Session, string_attribute, top, walk};
use tx_plan::{Choice, Explanation, ScheduleCase, SourcePlace};

/// Result of [`Compiler::explain`](crate::Compiler::explain).
#[derive(Debug, Clone, Default)]
pub struct Explained {
    /// Choices of the compiler, such as schedules and variants. Each entry of `choices` contains
    /// one choice and the reasons for the choice.
    pub choices: Vec<Explanation>,
    /// Warnings: constructs of the program that are legal but probably mistakes.
    pub warnings: Vec<Diagnostic>,
}

impl Explained {
    /// Appends the choices of the pass `next` for a module to `choices`, and the warnings of the
    /// pass to `warnings`. If the pass does not explain its choices, the function adds no entries.
    pub(crate) fn add_choices(
        &mut self,
        session: &Session,
        module: &Module<'_>,
        next: &str,
        chip: &str,
    ) {
        let pass = match next {
            TILE_SCHEDULE => &format!("tile-choose-schedule{{explain chip={chip}}}"),
            "tile-form-kernels" => &format!("tile-form-kernels{{explain chip={chip}}}"),
            "tile-select-variant" => "tile-select-variant{explain}",
            _ => return,
        };
        // The pass runs on a copy of the module, which is discarded. If the pass fails, the next
        // pass reports the reason.
        if let Some(mut copy) = Module::from_operation(tx_mlir::copy(top(module))) {
            let (done, choices) = tx_passes::explain::collect(|| session.run(&mut copy, pass));
            if done {
                self.choices.extend(choices);
                self.warnings.extend(session.take_diagnostics());
            }
        }
    }
}

/// Name of a kernel, source position of the op that the kernel computes, and range of row lengths
/// that the kernel handles.
#[derive(Debug)]
pub(crate) struct Kernel {
    name: String,
    place: Option<SourcePlace>,
    lengths: Option<String>,
}

pub(crate) fn kernels(top: Op<'_>) -> Vec<Kernel> {
    let all = walk(top).into_iter().filter(|op| is_kernel(*op));
    all.map(|op| Kernel {
        name: string_attribute(op, "sym_name").unwrap_or_default(),
        place: tx_passes::explain::place(op),
        lengths: string_attribute(op, "lengths"),
    })
    .collect()
}

/// Sets the kernel names of each schedule case. The function assigns each kernel to the op that has
/// the same source position as the kernel. Consecutive kernels with equal ranges of row lengths
/// form a group, and group `i` implements schedule case `i` of the op. If the number of groups of
/// kernels differs from the number of schedule cases, the function sets no kernel names for the
/// source position of the op.
pub(crate) fn name_kernels(all: &mut [Explanation], kernels: &[Kernel]) {
    let mut grouped = Vec::new();
    for one in all.iter_mut() {
        if let Choice::Group(group) = &mut one.choice {
            let is_own =
                |kernel: &&Kernel| kernel.place == one.place && kernel.lengths == group.lengths;
            group.kernel = kernels
                .iter()
                .find(is_own)
                .map(|kernel| kernel.name.clone());
            grouped.extend(group.kernel.clone());
        }
    }
    let kernels: Vec<&Kernel> = kernels
        .iter()
        .filter(|one| !grouped.contains(&one.name))
        .collect();
    let places: Vec<Option<SourcePlace>> = all.iter().map(|one| one.place.clone()).collect();
    for (at, place) in places.iter().enumerate() {
        // The first op with a source position handles all ops with the same source position.
        if places[..at].contains(place) {
            continue;
        }
        let cases: Vec<&mut ScheduleCase> = all
            .iter_mut()
            .filter(|one| one.place == *place)
            .filter_map(|one| match &mut one.choice {
                Choice::Schedule(choice) => Some(&mut choice.cases),
                _ => None,
            })
            .flatten()
            .collect();
        let own = kernels.iter().copied().filter(|one| one.place == *place);
        let own: Vec<&Kernel> = own.collect();
        // Consecutive kernels with the same range of row lengths belong to one case.
        let groups: Vec<&[&Kernel]> = own.chunk_by(|a, b| a.lengths == b.lengths).collect();
        if groups.len() != cases.len() {
            continue;
        }
        for (case, group) in cases.into_iter().zip(groups) {
            case.kernels = group.iter().map(|one| one.name.clone()).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tx_plan::{ScheduleChoice, UpTo};

    fn place(line: usize) -> Option<SourcePlace> {
        Some(SourcePlace {
            file: "a.mlir".to_owned(),
            line,
            column: 1,
        })
    }

    fn explanation(line: usize, cases: &[Option<i64>]) -> Explanation {
        let case = |most: &Option<i64>| ScheduleCase {
            up_to: most.map(|length| UpTo::new(0, length)),
            is_one_kernel: true,
            kernels: Vec::new(),
            threads: 32,
            estimate: None,
            steps: Vec::new(),
        };
        Explanation {
            op: "tile.reduce".to_owned(),
            place: place(line),
            choice: Choice::Schedule(ScheduleChoice {
                mapping: Some("rows".to_owned()),
                cases: cases.iter().map(case).collect(),
                estimates: None,
            }),
        }
    }

    fn kernel(line: usize, name: &str, lengths: Option<&str>) -> Kernel {
        Kernel {
            name: name.to_owned(),
            place: place(line),
            lengths: lengths.map(str::to_owned),
        }
    }

    #[test]
    fn cases_are_named_by_their_kernels() {
        let kernels = [
            kernel(1, "a_0", Some("`d0` up to 8")),
            kernel(1, "a_1", Some("`d0` from 9")),
            kernel(1, "a_2", Some("`d0` from 9")),
            kernel(2, "a_3", None),
            kernel(3, "a_4", None),
        ];
        let mut all = vec![
            explanation(1, &[Some(8), None]),
            explanation(2, &[None]),
            // One kernel implements both ops.
            explanation(3, &[None, None]),
        ];
        name_kernels(&mut all, &kernels);
        let named: Vec<Vec<Vec<String>>> = all
            .iter()
            .map(|one| match &one.choice {
                Choice::Schedule(choice) => {
                    choice.cases.iter().map(|c| c.kernels.clone()).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        assert_eq!(
            named,
            [
                vec![
                    vec!["a_0".to_owned()],
                    vec!["a_1".to_owned(), "a_2".to_owned()]
                ],
                vec![vec!["a_3".to_owned()]],
                vec![vec![], vec![]],
            ]
        );
    }
}
