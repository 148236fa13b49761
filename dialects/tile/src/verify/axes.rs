//! Axes of a reduction, and the shapes of its results.

use super::tile::shape_text;
use crate::diagnostic::complain;
use crate::ops::normalize_axis;
use melior_upstream::ir::Type;
use tx_mlir::{Failed, Op, codes};

/// Returns the reduced dimensions of a source of rank `rank`, in the order of the axes in the
/// program.
pub(super) fn check_axes(op: Op<'_>, written: &[i64], rank: usize) -> Result<Vec<usize>, Failed> {
    let mut axes = Vec::new();
    for &axis in written {
        let Some(dimension) = normalize_axis(axis, rank) else {
            let report = complain(op, format!("axis {axis} is out of range for rank {rank}"))
                .code(codes::TX0001);
            return Err(report.note(axes_of(rank)).emit());
        };
        if axes.contains(&dimension) {
            return Err(
                complain(op, format!("axis {axis} repeats dimension {dimension}"))
                    .code(codes::TX0002)
                    .note("each dimension may be reduced once")
                    .emit(),
            );
        }
        axes.push(dimension);
    }
    Ok(axes)
}

/// Returns a note that lists the valid axes of a source of the given rank.
fn axes_of(rank: usize) -> String {
    match rank {
        0 => "a tile of rank 0 has no axes: `axes []`".to_owned(),
        1 => "a tile of rank 1 has the axis 0, which is also -1".to_owned(),
        _ => format!("axes are 0 to {}, or from the end -{rank} to -1", rank - 1),
    }
}

/// Checks that `target` is equal to the shape of the source, except that the reduced dimensions
/// either are absent or have extent 1.
pub(super) fn check_result_shape(
    op: Op<'_>,
    source: &[Option<u64>],
    axes: &[usize],
    target: &[Option<u64>],
    what: &str,
    ty: Type<'_>,
) -> Result<(), Failed> {
    let kept = || {
        source
            .iter()
            .enumerate()
            .filter(|(i, _)| !axes.contains(i))
            .map(|(_, d)| *d)
    };
    let squeezed: Vec<_> = kept().collect();
    let ones: Vec<_> = source
        .iter()
        .enumerate()
        .map(|(i, d)| if axes.contains(&i) { Some(1) } else { *d })
        .collect();
    // A dynamic size is compatible with any other size. The program must ensure that the two sizes
    // are equal at run time.
    let agrees = |wanted: &[Option<u64>]| {
        wanted.len() == target.len()
            && wanted
                .iter()
                .zip(target)
                .all(|(w, t)| w.is_none() || t.is_none() || w == t)
    };
    if agrees(&squeezed) || agrees(&ones) {
        return Ok(());
    }
    Err(complain(
        op,
        format!(
            "reducing {} over axes {axes:?} gives {} or {}, but the {what} `{ty}` has {}",
            shape_text(source),
            shape_text(&squeezed),
            shape_text(&ones),
            shape_text(target)
        ),
    )
    .code(codes::TX0003)
    .emit())
}
