//! Which kernels become of the cases of a schedule.

use melior::ir::operation::OperationLike;
use tx_mlir::gpu::is_kernel;
use tx_mlir::{Diagnostic, Op, SourceLocation, source_location, string_attribute, walk};

/// How a note begins its account of a case, behind for which lengths it is.
const CASES: [(&str, &str); 2] = [("one kernel, ", "kernel"), ("several kernels, ", "kernels")];

/// A kernel, the place of the op that it does, and for which lengths that is.
#[derive(Debug)]
pub(crate) struct Kernel {
    name: String,
    place: Option<SourceLocation>,
    lengths: Option<String>,
}

/// The kernels of a program whose reductions have just become kernels.
pub(crate) fn kernels(top: Op<'_>) -> Vec<Kernel> {
    let all = walk(top).into_iter().filter(|op| is_kernel(*op));
    all.map(|op| Kernel {
        name: string_attribute(op, "sym_name").unwrap_or_default(),
        place: source_location(op.location()),
        lengths: string_attribute(op, "lengths"),
    })
    .collect()
}

/// Names in each note about a case the kernels that were made of it, which stand in the order of the cases. Where cases and
/// kernels do not agree nothing is named.
pub(crate) fn name_kernels(said: &mut [Diagnostic], kernels: &[Kernel]) {
    let places: Vec<Option<SourceLocation>> = said.iter().map(|one| one.location.clone()).collect();
    for (at, place) in places.iter().enumerate() {
        // Ops of one place are told together.
        if places[..at].contains(place) {
            continue;
        }
        let notes = said
            .iter_mut()
            .filter(|one| one.location == *place)
            .flat_map(|one| &mut one.notes);
        let cases: Vec<&mut String> = notes
            .map(|note| &mut note.message)
            .filter(|note| case(note).is_some())
            .collect();
        let own: Vec<&Kernel> = kernels.iter().filter(|one| one.place == *place).collect();
        // A case has as many kernels as follow one another for the same lengths.
        let groups: Vec<&[&Kernel]> = own.chunk_by(|a, b| a.lengths == b.lengths).collect();
        if groups.len() != cases.len() {
            continue;
        }
        for (note, group) in cases.into_iter().zip(groups) {
            let names: Vec<String> = group.iter().map(|one| format!("`{}`", one.name)).collect();
            if let Some((start, found, what)) = case(note) {
                let named = format!("{what} {}, ", names.join(" and "));
                note.replace_range(start..start + found.len(), &named);
            }
        }
    }
}

/// Where a note speaks of the kernels of a case, and how.
fn case(note: &str) -> Option<(usize, &'static str, &'static str)> {
    let (head, _) = note.split_once(": [")?;
    CASES
        .iter()
        .find_map(|(found, what)| Some((head.find(found)?, *found, *what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tx_mlir::Severity;

    fn place(line: usize) -> Option<SourceLocation> {
        Some(SourceLocation {
            file: "a.mlir".to_owned(),
            line,
            column: 1,
        })
    }

    fn said(line: usize, message: &str, notes: &[&str]) -> Diagnostic {
        Diagnostic {
            severity: Severity::Remark,
            code: None,
            location: place(line),
            message: message.to_owned(),
            notes: notes.iter().map(|note| said(line, note, &[])).collect(),
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
        let one = "one kernel, 32 threads a block: []";
        let mut all = vec![
            said(
                1,
                "x",
                &[
                    "first",
                    "`d0` up to 8: one kernel, 1 thread a block: []",
                    "all other lengths: several kernels, 2 threads a block: []",
                    "candidate: 1 µs for 2: []",
                ],
            ),
            said(2, "x", &[one]),
            // One kernel does both.
            said(3, "x", &[one, one]),
        ];
        name_kernels(&mut all, &kernels);
        let notes: Vec<Vec<&str>> = all
            .iter()
            .map(|one| one.notes.iter().map(|note| &*note.message).collect())
            .collect();
        assert_eq!(
            notes,
            [
                vec![
                    "first",
                    "`d0` up to 8: kernel `a_0`, 1 thread a block: []",
                    "all other lengths: kernels `a_1` and `a_2`, 2 threads a block: []",
                    "candidate: 1 µs for 2: []"
                ],
                vec!["kernel `a_3`, 32 threads a block: []"],
                vec![one, one],
            ]
        );
    }
}
