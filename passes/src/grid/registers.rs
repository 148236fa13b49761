//! Checks that the registers of the threads of a row can hold the elements of the row.

use super::nest::{LoopKind, Nest};

/// Maximum number of elements of each operand that a thread keeps in registers. With 512 resident
/// threads per SM, 64 elements of 32 bits occupy 64 of the 128 registers of a thread.
pub(crate) const MAX_HELD: i64 = 64;

/// Checks that each thread can keep its elements of a row in registers. All loops of the thread
/// must be unrolled. If `reloads` is set, registers hold only reduction results, and the outermost
/// loops over a row need no unrolling.
///
/// # Errors
/// The error message names the loop that is not unrolled, or states that a thread has too many
/// elements.
pub(crate) fn check_registers(nest: &Nest, reloads: bool) -> Result<(), String> {
    let mut elements = 1i64;
    let rolled_loops = match reloads {
        true => reload_loops(nest),
        false => Vec::new(),
    };
    for loop_ in nest.serial() {
        if rolled_loops.contains(&loop_) {
            continue;
        }
        let node = &nest.nodes[loop_];
        let is_short = matches!(node.extent.known(), Some(0 | 1));
        if !node.reduced && nest.nodes.iter().any(|n| n.reduced) && is_short {
            return Err(format!(
                "loop `{}` iterates over rows, but is bound neither to blocks nor to threads",
                node.name
            ));
        }
        // If a bounds check guards a loop of at most one iteration, the loop becomes a branch.
        let guards = nest.guards();
        let is_guarded = guards
            .iter()
            .any(|guard| nest.loops_of(*guard).contains(&loop_));
        let once = node.extent.most().filter(|most| *most <= 1 && is_guarded);
        let count = node.extent.known().or(once);
        let is_unrolled = matches!(node.kind, LoopKind::Unrolled | LoopKind::Vectorized);
        match count {
            Some(count) if is_unrolled || count <= 1 => {
                if count > 1 && !node.reduced && nest.nodes.iter().any(|n| n.reduced) {
                    return Err(format!(
                        "loop `{}` assigns several rows to one thread",
                        node.name
                    ));
                }
                elements = elements.saturating_mul(count);
            }
            _ => {
                return Err(format!(
                    "`#tile.hold` keeps values in registers, but loop `{}` is not unrolled",
                    node.name
                ));
            }
        }
    }
    match elements <= MAX_HELD {
        true => Ok(()),
        false => Err(format!(
            "a thread has {elements} elements of a row, expected at most {MAX_HELD} in registers"
        )),
    }
}

/// Returns the outermost loops of a thread over a row, up to the first unrolled loop.
pub(crate) fn reload_loops(nest: &Nest) -> Vec<usize> {
    let is_loop = |n: &usize| {
        let node = &nest.nodes[*n];
        node.reduced == nest.nodes.iter().any(|n| n.reduced)
            && !matches!(node.kind, LoopKind::Unrolled | LoopKind::Vectorized)
            && node.extent.known() != Some(1)
    };
    nest.serial().into_iter().take_while(is_loop).collect()
}
