//! Integer range analysis, which finds branch conditions that LLVM can prove constant.

use crate::ptx::constant::integer;
use melior::ir::ValueLike;
use std::collections::BTreeMap;
use tx_mlir::{Op, Val, attribute, defining_op, integer_attribute, key, name, operands};

/// Maximum depth of expressions.
const FOLLOWED: u32 = 12;

/// Inclusive range of signed integer values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: i128,
    most: i128,
}

impl Range {
    fn new(least: i128, most: i128) -> Option<Self> {
        (least <= most).then_some(Self { least, most })
    }

    fn is_natural(self) -> bool {
        self.least >= 0
    }
}

/// Ranges of block arguments; each range is merged from the values that the incoming branches pass.
#[derive(Default)]
pub(super) struct Arguments {
    /// `None` means any value.
    ranges: BTreeMap<usize, Option<Range>>,
}

impl Arguments {
    /// Merges the range of a value into the range of a block argument, and returns whether the
    /// range of the block argument changed. The first value determines the range of the block
    /// argument. If a later value has a different range, the range of the block argument becomes
    /// unlimited. The analysis terminates, because the range of a block argument changes at most
    /// twice.
    pub(super) fn join(&mut self, argument: Val<'_>, value: Option<Val<'_>>) -> bool {
        let new = value.and_then(|value| self.range(value, FOLLOWED));
        match self.ranges.get(&key(argument)) {
            None => {
                self.ranges.insert(key(argument), new);
                true
            }
            Some(None) => false,
            Some(old) if *old == new => false,
            Some(_) => {
                self.ranges.insert(key(argument), None);
                true
            }
        }
    }

    /// Returns the constant value of the condition of a conditional branch.
    pub(super) fn always(&self, branch: Op<'_>) -> Option<bool> {
        if name(branch) != "llvm.cond_br" {
            return None;
        }
        self.truth(*operands(branch).first()?, FOLLOWED)
    }

    fn truth(&self, value: Val<'_>, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let op = defining_op(value)?;
        let inputs = operands(op);
        let input = |i: usize| self.truth(*inputs.get(i)?, depth);
        match name(op) {
            "llvm.mlir.constant" => Some(integer(value)? != 0),
            "llvm.icmp" => {
                let (left, right) = (*inputs.first()?, *inputs.get(1)?);
                let (left, right) = (self.range(left, depth)?, self.range(right, depth)?);
                compare(integer_attribute(op, "predicate")?, left, right)
            }
            "llvm.and" => match (input(0), input(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            "llvm.or" => match (input(0), input(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    fn range(&self, value: Val<'_>, depth: u32) -> Option<Range> {
        let depth = depth.checked_sub(1)?;
        let bits = tx_mlir::integer_width(value.r#type())?;
        if bits > 64 {
            return None;
        }
        let Some(op) = defining_op(value) else {
            return self.ranges.get(&key(value)).copied().flatten();
        };
        if let Some(value) = integer(value) {
            return Range::new(value.into(), value.into());
        }
        let inputs = operands(op);
        let input = |i: usize| self.range(*inputs.get(i)?, depth);
        let natural = |i: usize| input(i).filter(|range| range.is_natural());
        let single = |i: usize| {
            let range = natural(i)?;
            (range.least == range.most && range.least > 0).then_some(range.least)
        };
        let found = match name(op) {
            "llvm.sext" => input(0)?,
            "llvm.zext" | "llvm.trunc" => natural(0)?,
            "llvm.add" => {
                let (left, right) = (input(0)?, input(1)?);
                Range::new(left.least + right.least, left.most + right.most)?
            }
            "llvm.sub" => {
                let (left, right) = (input(0)?, input(1)?);
                Range::new(left.least - right.most, left.most - right.least)?
            }
            "llvm.select" => match self.truth(*inputs.first()?, depth) {
                Some(true) => input(1)?,
                Some(false) => input(2)?,
                None => {
                    let (one, other) = (input(1)?, input(2)?);
                    Range::new(one.least.min(other.least), one.most.max(other.most))?
                }
            },
            // A product with zero is zero for any other operand.
            "llvm.mul" | "llvm.and" if [0, 1].map(input).contains(&Range::new(0, 0)) => {
                Range::new(0, 0)?
            }
            "llvm.mul" => {
                let (left, right) = (natural(0)?, natural(1)?);
                Range::new(left.least * right.least, left.most * right.most)?
            }
            "llvm.udiv" | "llvm.sdiv" => {
                let (left, by) = (natural(0)?, single(1)?);
                Range::new(left.least / by, left.most / by)?
            }
            "llvm.urem" | "llvm.srem" => {
                let by = single(1)?;
                let most = natural(0).map_or(by - 1, |left| left.most.min(by - 1));
                // The remainder has the sign of the dividend.
                if name(op) == "llvm.srem" {
                    natural(0)?;
                }
                Range::new(0, most)?
            }
            "llvm.and" => Range::new(0, natural(0)?.most.min(natural(1)?.most))?,
            "llvm.lshr" => {
                let (left, by) = (natural(0)?, natural(1)?);
                let by = (by.least == by.most).then_some(by.least)?;
                let by = u32::try_from(by).ok().filter(|by| *by < bits)?;
                Range::new(left.least >> by, left.most >> by)?
            }
            register if register.starts_with("nvvm.read.ptx.sreg.") => {
                let Some(range) = attribute(op, "range") else {
                    return hardware(register);
                };
                let text = range.to_string();
                let mut bounds = text.trim_end_matches('>').rsplit(", ");
                let (end, start): (i128, i128) =
                    (bounds.next()?.parse().ok()?, bounds.next()?.parse().ok()?);
                Range::new(start, end - 1)?
            }
            _ => return None,
        };
        // A result that overflows the type wraps around, so the range of the result is unknown.
        let limit = 1i128 << (bits - 1);
        (found.least >= -limit && found.most < limit).then_some(found)
    }
}

/// Returns the range that LLVM assumes for the values of a special register.
fn hardware(register: &str) -> Option<Range> {
    let (name, dimension) = register
        .strip_prefix("nvvm.read.ptx.sreg.")?
        .split_once('.')?;
    let (block, grid) = match dimension {
        "x" => (1024, i128::from(i32::MAX)),
        "y" => (1024, 0xffff),
        "z" => (64, 0xffff),
        _ => return None,
    };
    match name {
        "tid" => Range::new(0, block - 1),
        "ntid" => Range::new(1, block),
        "ctaid" => Range::new(0, grid - 1),
        "nctaid" => Range::new(1, grid),
        _ => None,
    }
}

/// Evaluates a comparison of two ranges; `predicate` is LLVM's predicate number. The function
/// returns `None` if the ranges do not determine the result of the comparison.
fn compare(predicate: i64, left: Range, right: Range) -> Option<bool> {
    let less = || {
        if left.most < right.least {
            Some(true)
        } else if left.least >= right.most {
            Some(false)
        } else {
            None
        }
    };
    let greater = || {
        if left.least > right.most {
            Some(true)
        } else if left.most <= right.least {
            Some(false)
        } else {
            None
        }
    };
    let equal = || {
        if left.most < right.least || left.least > right.most {
            Some(false)
        } else if left == right && left.least == left.most {
            Some(true)
        } else {
            None
        }
    };
    let unsigned = predicate >= 6;
    if unsigned && !(left.is_natural() && right.is_natural()) {
        return None;
    }
    match predicate {
        0 => equal(),
        1 => equal().map(|equal| !equal),
        2 | 6 => less(),
        3 | 7 => greater().map(|greater| !greater),
        4 | 8 => greater(),
        5 | 9 => less().map(|less| !less),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Range, compare};

    /// Checks comparisons of the thread ids of a block of 64 threads (0 to 63) with constants.
    #[test]
    fn comparisons() {
        let thread = Range { least: 0, most: 63 };
        let one = |value| Range {
            least: value,
            most: value,
        };
        let (less, at_most, above, at_least) = (6, 7, 8, 9);
        assert_eq!(compare(less, thread, one(63)), None);
        assert_eq!(compare(less, thread, one(64)), Some(true));
        assert_eq!(compare(at_most, thread, one(63)), Some(true));
        assert_eq!(compare(above, thread, one(63)), Some(false));
        assert_eq!(compare(at_least, thread, one(64)), Some(false));
        assert_eq!(compare(at_least, thread, one(63)), None);
        let (equal, other) = (0, 1);
        assert_eq!(compare(equal, thread, one(64)), Some(false));
        assert_eq!(compare(other, one(3), one(3)), Some(false));
        assert_eq!(compare(less, one(-1), one(3)), None);
    }
}
