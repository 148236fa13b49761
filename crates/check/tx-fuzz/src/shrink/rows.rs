//! Simpler programs on the rows of matrices, which the shrinker tries in place of a failing
//! program.

use crate::description::{Mapping, Operand, Rows};
use crate::element::Element;

/// Returns programs with fewer ops or operands, smaller sizes, or a simpler mapping of rows to
/// threads.
pub(super) fn smaller_rows(rows: &Rows) -> Vec<Rows> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Rows)| {
        let mut smaller = rows.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    for at in 0..rows.ops.len() {
        with(&|rows| {
            rows.ops.remove(at);
            let later = rows.ops.iter_mut().skip(at);
            for (operand, _) in later.flat_map(|op| &mut op.of) {
                match operand {
                    Operand::Result(of) if *of == at => *operand = Operand::Matrix(0),
                    Operand::Result(of) if *of > at => *of -= 1,
                    _ => {}
                }
            }
        });
        let op = &rows.ops[at];
        for place in 0..op.of.len() {
            with(&|rows| {
                rows.ops[at].of.remove(place);
            });
            with(&|rows| rows.ops[at].of[place].0 = Operand::Matrix(0));
        }
        with(&|rows| rows.ops[at].unary = None);
        with(&|rows| rows.ops[at].temporary = false);
        with(&|rows| rows.ops[at].in_place = false);
    }
    with(&|rows| rows.approximate = false);
    for size in [1, 2, 3, 7, 33, rows.rows / 2, rows.rows.saturating_sub(1)] {
        with(&|rows| rows.rows = rows.rows.min(size));
    }
    for size in [
        1,
        2,
        7,
        33,
        rows.columns / 2,
        rows.columns.saturating_sub(1),
    ] {
        with(&|rows| rows.columns = rows.columns.min(size));
    }
    with(&|rows| rows.open = false);
    with(&|rows| rows.element = Element::F32);
    with(&|rows| rows.mapping = None);
    if let Some(mapping) = rows.mapping {
        let one = |change: &dyn Fn(&mut Mapping)| {
            let mut mapping = mapping;
            change(&mut mapping);
            mapping
        };
        for smaller in [
            one(&|mapping| mapping.rows = 1),
            one(&|mapping| mapping.blocks = 1),
            one(&|mapping| mapping.loads = 1),
            one(&|mapping| mapping.vector = 1),
            one(&|mapping| mapping.threads = 32),
            one(&|mapping| mapping.threads = 1),
            one(&|mapping| mapping.holds = false),
            one(&|mapping| mapping.holds_totals = false),
        ] {
            with(&|rows| rows.mapping = Some(smaller));
        }
    }
    all
}
