//! Check that LLVM preserves the width of vector accesses.

use std::collections::BTreeSet;

use super::difference::Difference;
use crate::facts::{Count, Fact, KernelFacts};
use crate::operation::{Direction, Space};

/// Returns the widest access, in bytes, that LLVM is expected to emit for a vector of `bytes` bytes
/// on every chip: the largest power of two that divides `bytes`, at most 16.
fn width(bytes: u32) -> u32 {
    (1 << bytes.trailing_zeros().min(4)).min(bytes.max(1))
}

/// Reports vector accesses of the IR that the PTX performs with narrower accesses.
///
/// LLVM merges accesses into wider accesses, splits accesses into narrower accesses, and duplicates
/// accesses when it unrolls a loop. For each width `w`, the check therefore counts the bytes that
/// accesses of at least `w` bytes move, and compares the count of the PTX with the count of the IR.
/// Loads may move fewer bytes in the PTX than in the IR, because LLVM merges equal loads and
/// removes unreachable loads. If the loads of the PTX move fewer bytes than the loads of the IR,
/// the PTX must not have more narrow loads than the IR.
///
/// Unrolling increases the number of bytes that wide accesses move, so a comparison of wide
/// accesses alone can miss a split vector access. The check therefore also limits the bytes that
/// accesses narrower than `w` move in the PTX. The limit on narrow accesses is twice the number of
/// bytes of all IR accesses that are narrower than `w` or that LLVM may remove, because LLVM can
/// duplicate a load to avoid a branch. The limit on narrow accesses does not apply if a loop of the
/// IR contains an access that is narrower than `w`, or that LLVM may remove.
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
        // If every store of the IR is removable and the PTX contains no store, LLVM may remove all
        // loads too.
        if is_idle && direction == Direction::Load {
            continue;
        }
        // A generic access of the IR can be in any state space, and is therefore compared with all
        // state spaces.
        let within = |other: Space| space == Space::Generic || other == space;
        let expected = demanded(ir, direction, width, within);
        let found = supplied(ir, ptx, direction, width, within);
        let narrow = narrow_found(ptx, direction, width, within);
        let allowed = narrow_allowed(ir, direction, width, within);
        // LLVM merges loads from one address. If the PTX has no more narrow loads than the IR, no
        // vector was split. If narrow loads of the IR are in loops, the PTX may have any number of
        // narrow loads; a split vector then adds its bytes to the minimum.
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

/// Returns whether LLVM may remove all stores and atomic operations of the kernel.
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
    // If the PTX has more scalar accesses than the IR, the additional scalar accesses replace
    // vectors of the IR.
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

/// Returns the direction, the state space and the size in bytes of a memory access.
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

/// Returns the number of bytes that accesses narrower than `below` move in the PTX.
fn narrow_found(
    ptx: &KernelFacts,
    direction: Direction,
    below: u32,
    within: impl Fn(Space) -> bool,
) -> u64 {
    let mut sum: u64 = 0;
    for (fact, count) in ptx.iter() {
        // Local and constant memory of the PTX has no counterpart in the IR.
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

/// Limit on the bytes that accesses narrower than a given width may move in the PTX. To
/// detect split vector accesses, the function `compare` doubles this limit.
enum Allowed {
    /// Number of bytes of all IR accesses that are narrow or that LLVM may remove. The check
    /// reports PTX whose narrow accesses move more than twice this number of bytes.
    Bytes(u64),
    /// Narrow accesses of the PTX may move any number of bytes, because a loop of the IR contains
    /// narrow accesses, or accesses that LLVM may remove. `least` is the number of bytes that
    /// narrow accesses of the IR move; accesses that LLVM may remove do not count.
    Any { least: u64 },
}

/// Returns the limit on the bytes that accesses narrower than `below` bytes may move in the PTX.
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
        // LLVM may also split a removable access into narrower accesses.
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

    #[test]
    fn widths() {
        let widths = [0, 2, 4, 8, 12, 16, 24, 32, 48].map(width);
        assert_eq!(widths, [1, 2, 4, 8, 4, 16, 8, 16, 16]);
    }
}
