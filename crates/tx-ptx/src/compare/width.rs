//! Whether vector accesses kept their width.

use std::collections::BTreeSet;

use super::Difference;
use crate::facts::{Count, Fact, KernelFacts};
use crate::operation::{Direction, Space};

/// The widest access that LLVM is expected to make of a vector of so many bytes, the same on all
/// chips: at most 16, and a power of two.
fn width(bytes: u32) -> u32 {
    (1 << bytes.trailing_zeros().min(4)).min(bytes.max(1))
}

/// Adds where fewer bytes than the IR says are moved by accesses that are as wide.
///
/// Merging makes accesses wider and keeps the bytes, unrolling makes more of them, and splitting
/// makes them narrower: so of each width it is the bytes moved by accesses of that width or more
/// that are compared; but equal loads may become one, and unrolled ones go that no thread gets to,
/// as long as no narrower ones appear: none that the IR does not have, or at least fewer bytes of
/// them than are missing. Where vectors are in loops and were unrolled, there may be bytes enough
/// though one of them was split. So narrower accesses may not move more than twice what those of
/// the IR do that may be narrower, unless these are in loops themselves: twice, because LLVM
/// repeats a load where that spares a branch.
pub(super) fn compare(
    kernel: &str,
    ir: &KernelFacts,
    ptx: &KernelFacts,
    differences: &mut Vec<Difference>,
) {
    let mut demands: BTreeSet<(Direction, Space, u32)> = BTreeSet::new();
    for (fact, count) in ir.iter() {
        if let &Fact::VectorAccess {
            direction,
            space,
            bytes,
        } = fact
            && count.required() > 0
        {
            demands.insert((direction, space, width(bytes)));
        }
    }
    let stores = |(fact, _): (&Fact, Count)| matches!(access(fact), Some((Direction::Store, ..)));
    let is_idle = ir.iter().any(stores) && writes_nothing(ir) && writes_nothing(ptx);
    for (direction, space, width) in demands {
        // Where all that the IR writes may go, and is gone, nothing has to be loaded either.
        if is_idle && direction == Direction::Load {
            continue;
        }
        // Generic accesses of the IR may be in any memory, and so compete with all.
        let within = |other: Space| space == Space::Generic || other == space;
        let expected = demanded(ir, direction, width, within);
        let found = supplied(ir, ptx, direction, width, within);
        let narrow = narrow_found(ptx, direction, width, within);
        let allowed = narrow_allowed(ir, direction, width, within);
        // Loads of one address are made once: where none is narrower than in the IR, nothing was
        // split. In loops the IR may have any number of narrower ones, but all of what was split is
        // among those of PTX, and these besides.
        let gone = expected.saturating_sub(found);
        let merged = direction == Direction::Load
            && (found > 0 || narrow > 0)
            && match allowed {
                Allowed::Bytes(bytes) => narrow <= bytes,
                Allowed::Any { least } => narrow < gone.saturating_add(least),
            };
        if found < expected && !merged {
            differences.push(Difference::Narrow {
                kernel: kernel.to_owned(),
                direction,
                space,
                width,
                found,
                expected,
            });
            continue;
        }
        if let Allowed::Bytes(allowed) = allowed
            && narrow > allowed.saturating_mul(2)
        {
            differences.push(Difference::Split {
                kernel: kernel.to_owned(),
                direction,
                space,
                width,
                found: narrow,
                expected: allowed,
            });
        }
    }
}

/// Whether nothing that a kernel does has to be seen by others.
fn writes_nothing(kernel: &KernelFacts) -> bool {
    kernel
        .iter()
        .filter(|(_, count)| count.required() > 0)
        .all(|(fact, _)| match access(fact) {
            Some((direction, ..)) => direction == Direction::Load,
            None => !matches!(fact, Fact::Atomic { .. }),
        })
}

fn demanded(
    ir: &KernelFacts,
    direction: Direction,
    least: u32,
    within: impl Fn(Space) -> bool,
) -> u64 {
    let mut sum: u64 = 0;
    for (fact, count) in ir.iter() {
        if let &Fact::VectorAccess {
            direction: own,
            space,
            bytes,
        } = fact
            && own == direction
            && within(space)
            && width(bytes) >= least
        {
            sum = sum.saturating_add(count.required().saturating_mul(u64::from(bytes)));
        }
    }
    sum
}

fn supplied(
    ir: &KernelFacts,
    ptx: &KernelFacts,
    direction: Direction,
    least: u32,
    within: impl Fn(Space) -> bool,
) -> u64 {
    let mut sum: u64 = 0;
    let mut scalars = BTreeSet::new();
    for (fact, count) in ptx.iter() {
        match *fact {
            Fact::VectorAccess {
                direction: own,
                space,
                bytes,
            } if own == direction && within(space) && bytes >= least => {
                sum = sum.saturating_add(count.total().saturating_mul(u64::from(bytes)));
            }
            Fact::ScalarAccess {
                direction: own,
                bytes,
                ..
            } if own == direction && bytes >= least => {
                scalars.insert(bytes);
            }
            _ => {}
        }
    }
    // Scalars that are not the IR's own scalars were vectors there.
    for bytes in scalars {
        let count = |facts: &KernelFacts, required: bool| {
            let mut sum: u64 = 0;
            for (fact, count) in facts.iter() {
                if let &Fact::ScalarAccess {
                    direction: own,
                    space,
                    bytes: size,
                } = fact
                    && own == direction
                    && within(space)
                    && size == bytes
                {
                    sum = sum.saturating_add(if required {
                        count.required()
                    } else {
                        count.total()
                    });
                }
            }
            sum
        };
        let once_vectors = count(ptx, false).saturating_sub(count(ir, true));
        sum = sum.saturating_add(once_vectors.saturating_mul(u64::from(bytes)));
    }
    sum
}

/// The direction, space and bytes of an access.
fn access(fact: &Fact) -> Option<(Direction, Space, u32)> {
    match *fact {
        Fact::VectorAccess {
            direction,
            space,
            bytes,
        }
        | Fact::ScalarAccess {
            direction,
            space,
            bytes,
        } => Some((direction, space, bytes)),
        _ => None,
    }
}

/// Bytes that accesses below a width move in PTX.
fn narrow_found(
    ptx: &KernelFacts,
    direction: Direction,
    below: u32,
    within: impl Fn(Space) -> bool,
) -> u64 {
    let mut sum: u64 = 0;
    for (fact, count) in ptx.iter() {
        // What a thread has for itself is no memory of the IR.
        if let Some((own, space, bytes)) = access(fact)
            && own == direction
            && within(space)
            && !matches!(space, Space::Local | Space::Const)
            && bytes < below
        {
            sum = sum.saturating_add(count.total().saturating_mul(u64::from(bytes)));
        }
    }
    sum
}

/// Bytes that accesses below a width may move in PTX.
enum Allowed {
    /// So many.
    Bytes(u64),
    /// Any number, since some are in loops, but so many at least.
    Any { least: u64 },
}

/// Bytes that accesses of the IR move that may be below a width in PTX.
fn narrow_allowed(
    ir: &KernelFacts,
    direction: Direction,
    below: u32,
    within: impl Fn(Space) -> bool,
) -> Allowed {
    let mut sum: u64 = 0;
    let mut least: u64 = 0;
    let mut any = false;
    for (fact, count) in ir.iter() {
        let Some((own, space, bytes)) = access(fact) else {
            continue;
        };
        if own != direction || !(within(space) || space == Space::Generic) {
            continue;
        }
        // Those that may go may also be made smaller.
        let narrow = if width(bytes) < below {
            least = least.saturating_add(count.required().saturating_mul(u64::from(bytes)));
            count
        } else {
            Count {
                outside: count.outside_may_vanish,
                inside: count.inside_may_vanish,
                ..Count::default()
            }
        };
        any |= narrow.inside > 0;
        sum = sum.saturating_add(narrow.outside.saturating_mul(u64::from(bytes)));
    }
    match any {
        true => Allowed::Any { least },
        false => Allowed::Bytes(sum),
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    /// Vectors are as wide as they are, at most 16 bytes, and a power of two.
    #[test]
    fn widths() {
        let widths = [0, 2, 4, 8, 12, 16, 24, 32, 48].map(width);
        assert_eq!(widths, [1, 2, 4, 8, 4, 16, 8, 16, 16]);
    }
}
