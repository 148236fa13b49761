//! Evaluation of integers that depend on the thread id only, for every thread of a block.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{LANES, Op, Threads};

/// Value of an integer: unknown, equal for all threads, or one value per thread.
#[derive(Clone)]
pub(super) enum IntegerValue {
    Nothing,
    All(i64),
    Each(Rc<Vec<Option<i64>>>),
}

impl IntegerValue {
    pub(super) fn of(&self, thread: usize) -> Option<i64> {
        match self {
            Self::Nothing => None,
            Self::All(n) => Some(*n),
            Self::Each(each) => each.get(thread).copied().flatten(),
        }
    }
}

pub(super) struct Integers {
    block: [usize; 3],
    threads: usize,
    known: BTreeMap<usize, IntegerValue>,
}

impl Integers {
    pub(super) const fn new(block: [usize; 3], threads: usize) -> Self {
        Self {
            block,
            threads,
            known: BTreeMap::new(),
        }
    }

    pub(super) fn set(&mut self, value: usize, known: IntegerValue) {
        if !matches!(known, IntegerValue::Nothing) {
            self.known.insert(value, known);
        }
    }

    pub(super) fn get(&self, value: Option<&usize>) -> IntegerValue {
        value
            .and_then(|v| self.known.get(v))
            .cloned()
            .unwrap_or(IntegerValue::Nothing)
    }

    /// Evaluates a function of integers once per thread, or only once if each operand has the same
    /// value in all threads.
    pub(super) fn compute(
        &self,
        operands: &[IntegerValue],
        f: impl Fn(&[i64]) -> Option<i64>,
    ) -> IntegerValue {
        if operands.iter().all(|k| matches!(k, IntegerValue::All(_))) {
            let numbers: Vec<i64> = operands.iter().filter_map(|k| k.of(0)).collect();
            return f(&numbers).map_or(IntegerValue::Nothing, IntegerValue::All);
        }
        let each: Vec<Option<i64>> = (0..self.threads)
            .map(|t| {
                let numbers: Option<Vec<i64>> = operands.iter().map(|k| k.of(t)).collect();
                f(&numbers?)
            })
            .collect();
        if each.iter().all(Option::is_none) {
            IntegerValue::Nothing
        } else {
            IntegerValue::Each(Rc::new(each))
        }
    }

    fn place(&self, f: impl Fn(usize) -> usize) -> IntegerValue {
        IntegerValue::Each(Rc::new(
            (0..self.threads).map(|t| Some(f(t) as i64)).collect(),
        ))
    }

    pub(super) fn value(&self, op: &Op) -> IntegerValue {
        if let Some(constant) = op.constant {
            return IntegerValue::All(constant);
        }
        let [x, y, _] = self.block.map(|n| n.max(1));
        let dimension = || match op.attribute("dimension") {
            Some("y") => 1,
            Some("z") => 2,
            _ => 0,
        };
        let operands: Vec<IntegerValue> = op.operands.iter().map(|v| self.get(Some(v))).collect();
        type Binary = fn(i64, i64) -> Option<i64>;
        let binary: Option<Binary> = match op.name.as_str() {
            "arith.addi" | "index.add" => Some(i64::checked_add),
            "arith.subi" | "index.sub" => Some(i64::checked_sub),
            "arith.muli" | "index.mul" => Some(i64::checked_mul),
            "arith.divui" | "arith.divsi" | "arith.floordivsi" => {
                Some(|a, b| (a >= 0 && b > 0).then(|| a / b))
            }
            "arith.ceildivui" | "arith.ceildivsi" => {
                Some(|a, b| (a >= 0 && b > 0).then(|| (a + b - 1) / b))
            }
            "arith.remui" | "arith.remsi" => Some(|a, b| (a >= 0 && b > 0).then(|| a % b)),
            "arith.ori" => Some(|a, b| Some(a | b)),
            "arith.xori" => Some(|a, b| Some(a ^ b)),
            "arith.shli" => Some(|a, b| u32::try_from(b).ok().and_then(|b| a.checked_shl(b))),
            "arith.shrui" | "arith.shrsi" => Some(|a, b| {
                u32::try_from(b)
                    .ok()
                    .filter(|_| a >= 0)
                    .and_then(|b| a.checked_shr(b))
            }),
            "arith.minui" | "arith.minsi" => Some(|a, b| Some(a.min(b))),
            "arith.maxui" | "arith.maxsi" => Some(|a, b| Some(a.max(b))),
            _ => None,
        };
        if let Some(f) = binary {
            return self.compute(&operands, |n| match n {
                [a, b] => f(*a, *b),
                _ => None,
            });
        }
        if op.name == "arith.andi"
            && let [a, b] = operands.as_slice()
        {
            // A zero operand makes the result zero, even if the other operand is unknown.
            let both = |t| match (a.of(t), b.of(t)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (a, b) => Some(a? & b?),
            };
            let each: Vec<Option<i64>> = (0..self.threads).map(both).collect();
            return match each.iter().all(Option::is_none) {
                true => IntegerValue::Nothing,
                false => IntegerValue::Each(Rc::new(each)),
            };
        }
        match op.name.as_str() {
            "gpu.thread_id" => match dimension() {
                0 => self.place(|t| t % x),
                1 => self.place(|t| t / x % y),
                _ => self.place(|t| t / x / y),
            },
            "gpu.lane_id" => self.place(|t| t % LANES),
            "gpu.subgroup_id" => self.place(|t| t / LANES),
            "gpu.block_dim" => IntegerValue::All(self.block[dimension()] as i64),
            "arith.index_cast" | "arith.index_castui" | "arith.extui" | "arith.extsi"
            | "arith.trunci" => {
                // Thread ids fit every integer type.
                self.compute(&operands, |n| n.first().copied())
            }
            "arith.select" => match operands.as_slice() {
                [condition, yes, no] => {
                    let each: Vec<Option<i64>> = (0..self.threads)
                        .map(|t| match condition.of(t)? {
                            0 => no.of(t),
                            _ => yes.of(t),
                        })
                        .collect();
                    if each.iter().all(Option::is_none) {
                        IntegerValue::Nothing
                    } else {
                        IntegerValue::Each(Rc::new(each))
                    }
                }
                _ => IntegerValue::Nothing,
            },
            "arith.cmpi" => {
                let predicate = op.attribute("predicate").unwrap_or_default();
                let predicate = predicate
                    .split([' ', ':'])
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.compute(&operands, move |n| {
                    let [a, b] = n else { return None };
                    // Predicate numbers of `arith.cmpi`. Unsigned predicates are evaluated for
                    // non-negative operands only.
                    let unsigned = *a >= 0 && *b >= 0;
                    let holds = match predicate.as_str() {
                        "0" => a == b,
                        "1" => a != b,
                        "2" => a < b,
                        "3" => a <= b,
                        "4" => a > b,
                        "5" => a >= b,
                        "6" if unsigned => a < b,
                        "7" if unsigned => a <= b,
                        "8" if unsigned => a > b,
                        "9" if unsigned => a >= b,
                        _ => return None,
                    };
                    Some(i64::from(holds))
                })
            }
            _ => IntegerValue::Nothing,
        }
    }

    pub(super) fn narrowed(
        &self,
        threads: &Threads,
        condition: &IntegerValue,
        wanted: bool,
    ) -> Threads {
        let mut depends = threads.depends;
        let mask = (0..self.threads)
            .map(|t| {
                threads.mask[t]
                    && match condition.of(t) {
                        Some(n) => (n != 0) == wanted,
                        None => {
                            depends = true;
                            true
                        }
                    }
            })
            .collect();
        Threads {
            mask: Rc::new(mask),
            depends,
        }
    }
}
