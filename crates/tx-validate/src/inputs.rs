//! What a program is run on: sizes that divide nothing, and numbers that show mistakes.

use crate::Trouble;
use tx_interp::{Float, Scalar, truncated};
use tx_plan::{ArgumentType, ElementType, EntryKind, Expr, Extent, Plan, Relation, Symbol};
use tx_runtime::{Arg, Array, Number};

/// One call of the program.
#[derive(Clone, Debug)]
pub struct Input {
    /// In a few words, such as `33x100, powers of two`.
    pub name: String,
    /// What it is called with.
    pub args: Vec<Arg>,
}

/// What the numbers of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// Halves, ones and twos with a sign: sums and products are exact in any order.
    Powers,
    /// Small whole numbers, many of them equal.
    Whole,
    /// NaN, infinities, zeros of both signs, subnormal and extreme numbers among others.
    Special,
    /// Anything in [-1, 1), and all integers.
    Random,
}

impl Data {
    fn name(self) -> &'static str {
        match self {
            Self::Powers => "powers of two",
            Self::Whole => "whole numbers",
            Self::Special => "special values",
            Self::Random => "random numbers",
        }
    }
}

/// Sizes of the dimensions that are given at run time, the first of an array, the second …, and what they hold.
const CALLS: [([usize; 4], Data); 7] = [
    ([33, 100, 3, 2], Data::Whole),
    ([7, 20, 5, 3], Data::Special),
    ([1, 257, 2, 4], Data::Random),
    ([65, 1, 3, 1], Data::Powers),
    ([3, 1003, 2, 2], Data::Powers),
    ([0, 5, 2, 1], Data::Whole),
    ([5, 0, 3, 2], Data::Whole),
];

/// What programs of given sizes hold.
const FILLS: [Data; 4] = [Data::Whole, Data::Special, Data::Random, Data::Powers];

/// Elements of one argument beyond which a program is not run.
const MOST_ELEMENTS: usize = 1 << 22;

/// How sizes that must be the same are guessed where the program does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// Dimensions of one number, counted from the first.
    FromFirst,
    /// Dimensions of one number, counted from the last.
    FromLast,
    /// All.
    Same,
}

pub(crate) const GUESSES: [Guess; 3] = [Guess::FromFirst, Guess::FromLast, Guess::Same];

/// A generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}

/// The inputs of a program, where sizes are guessed in this way; empty when none fit.
pub(crate) fn generate(plan: &Plan, seed: u64, guess: Guess) -> Result<Vec<Input>, Trouble> {
    let dynamic = plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => memref.shape.contains(&Extent::Dynamic),
        ArgumentType::Scalar(_) => true,
    });
    let calls: Vec<([usize; 4], Data)> = match dynamic {
        true => CALLS.to_vec(),
        false => FILLS.iter().map(|data| ([1; 4], *data)).collect(),
    };
    let mut inputs = Vec::new();
    for (number, (sizes, data)) in calls.into_iter().enumerate() {
        let Some(values) = solve(plan, &sizes, guess) else {
            continue;
        };
        let mut random = Random(seed.wrapping_mul(1000).wrapping_add(number as u64));
        let mut args = Vec::new();
        let mut shapes = Vec::new();
        for (i, argument) in plan.arguments.iter().enumerate() {
            match &argument.ty {
                ArgumentType::Scalar(element) => {
                    let value = match element.is_float() {
                        true => Number::from(0.75),
                        false => Number::from(values.scalars[i]),
                    };
                    shapes.push(format!("{value}"));
                    args.push(Arg::Scalar(value));
                }
                ArgumentType::Memref(_) => {
                    let shape = values.shapes[i].clone();
                    let element = match &argument.ty {
                        ArgumentType::Memref(memref) => memref.element,
                        ArgumentType::Scalar(element) => *element,
                    };
                    shapes.push(join(&shape));
                    let count: usize = shape.iter().product();
                    if count > MOST_ELEMENTS {
                        return Err(Trouble::Input(format!(
                            "argument {i} has {count} elements, expected at most {MOST_ELEMENTS}; give smaller ones with --arg"
                        )));
                    }
                    let bytes = fill(element, count, data, &mut random);
                    let array = Array::new(element, shape, bytes)
                        .map_err(|error| Trouble::Input(error.to_string()))?;
                    args.push(Arg::Array(share(array, plan, i)?));
                }
            }
        }
        shapes.dedup();
        inputs.push(Input {
            name: format!("{} of {}", data.name(), shapes.join(", ")),
            args,
        });
    }
    Ok(inputs)
}

fn join(shape: &[usize]) -> String {
    match shape {
        [] => "one number".to_owned(),
        shape => shape
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("x"),
    }
}

/// Elements that a type puts in one place are given one value.
fn share(array: Array, plan: &Plan, argument: usize) -> Result<Array, Trouble> {
    let ArgumentType::Memref(memref) = &plan.arguments[argument].ty else {
        return Ok(array);
    };
    let wrong = |error: String| Trouble::Input(format!("argument {argument}: {error}"));
    let placement = tx_runtime::Placement::new(memref, array.shape()).map_err(wrong)?;
    let size = memref.element.size();
    let mut memory = vec![0; placement.extent * size];
    let shape = array.shape().to_vec();
    placement.for_each(&shape, size, |dense, placed| {
        memory[placed.clone()].copy_from_slice(&array.bytes()[dense.clone()]);
    });
    let mut bytes = array.bytes().to_vec();
    placement.for_each(&shape, size, |dense, placed| {
        bytes[dense.clone()].copy_from_slice(&memory[placed.clone()]);
    });
    Array::new(memref.element, shape, bytes).map_err(|error| Trouble::Input(error.to_string()))
}

struct Values {
    shapes: Vec<Vec<usize>>,
    scalars: Vec<i64>,
}

/// Sizes of all arguments that agree with what the plan checks.
fn solve(plan: &Plan, sizes: &[usize; 4], guess: Guess) -> Option<Values> {
    let ranks = plan.arguments.iter().map(|a| match &a.ty {
        ArgumentType::Memref(memref) => memref.shape.len(),
        ArgumentType::Scalar(_) => 0,
    });
    let most = ranks.max().unwrap_or(0);
    let mut values = Values {
        shapes: Vec::new(),
        scalars: vec![3; plan.arguments.len()],
    };
    for argument in &plan.arguments {
        values.shapes.push(match &argument.ty {
            ArgumentType::Scalar(_) => Vec::new(),
            ArgumentType::Memref(memref) => memref
                .shape
                .iter()
                .enumerate()
                .map(|(d, extent)| {
                    let from_last = most - memref.shape.len() + d;
                    match (extent.known(), guess) {
                        (Some(size), _) => usize::try_from(size).unwrap_or(0),
                        (None, Guess::FromFirst) => sizes[d % 4],
                        (None, Guess::FromLast) => sizes[from_last % 4],
                        (None, Guess::Same) => sizes[0],
                    }
                })
                .collect(),
        });
    }
    // What must be equal is made equal, from the left to the right; a few rounds carry it through.
    for _ in 0..plan.checks.len() + 1 {
        let mut changed = false;
        for check in plan.checks.iter().filter(|c| c.relation == Relation::Equal) {
            let found = [&check.left, &check.right].map(|side| values.value(side));
            let ([Some(left), Some(right)], false) = (found, found[0] == found[1]) else {
                continue;
            };
            changed |=
                values.assign(plan, &check.right, left) || values.assign(plan, &check.left, right);
        }
        if !changed {
            break;
        }
    }
    let holds = plan
        .checks
        .iter()
        .all(|check| check.evaluate(|symbol| values.lookup(symbol)).is_ok());
    (holds || plan.entry_kind == EntryKind::Kernel).then_some(values)
}

impl Values {
    fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match symbol {
            Symbol::Dim { argument, dim } => Some(*self.shapes.get(argument)?.get(dim)? as i64),
            Symbol::Value { argument } => self.scalars.get(argument).copied(),
            // Strides and offsets follow from the sizes, and no size follows from them.
            _ => None,
        }
    }

    fn value(&self, expr: &Expr) -> Option<i64> {
        expr.evaluate(|symbol| self.lookup(symbol)).ok()
    }

    /// Gives a size that is free another value.
    fn assign(&mut self, plan: &Plan, expr: &Expr, value: i64) -> bool {
        let Expr::Symbol(Symbol::Dim { argument, dim }) = expr else {
            return false;
        };
        let ArgumentType::Memref(memref) = &plan.arguments[*argument].ty else {
            return false;
        };
        let (Some(Extent::Dynamic), Ok(size)) = (memref.shape.get(*dim), usize::try_from(value))
        else {
            return false;
        };
        self.shapes[*argument][*dim] = size;
        true
    }
}

fn scalar_of(element: ElementType) -> Scalar {
    match element {
        ElementType::F16 => Scalar::Float(Float::F16),
        ElementType::BF16 => Scalar::Float(Float::BF16),
        ElementType::F32 => Scalar::Float(Float::F32),
        ElementType::F64 => Scalar::Float(Float::F64),
        ElementType::F8E4M3FN => Scalar::Float(Float::F8E4M3FN),
        ElementType::F8E5M2 => Scalar::Float(Float::F8E5M2),
        ElementType::I1 => Scalar::Int(1),
        ElementType::I8 => Scalar::Int(8),
        ElementType::I16 => Scalar::Int(16),
        ElementType::I32 => Scalar::Int(32),
        ElementType::I64 | ElementType::Index => Scalar::Int(64),
    }
}

/// The scalar type of an element type.
pub(crate) fn scalar(element: ElementType) -> Scalar {
    scalar_of(element)
}

fn fill(element: ElementType, count: usize, data: Data, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * element.size());
    for _ in 0..count {
        let bits = match scalar_of(element) {
            Scalar::Float(float) => float_bits(float, data, random),
            Scalar::Int(width) => match element {
                ElementType::Index => random.below(16) as u64,
                _ => int_bits(width, data, random),
            },
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..element.size()]);
    }
    bytes
}

fn float_bits(float: Float, data: Data, random: &mut Random) -> u64 {
    let tiny = 2_f64.powi(float.least_exponent() - float.digits() + 2);
    let value = match data {
        Data::Powers => random.pick(&[-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]),
        Data::Whole => random.below(17) as f64 - 8.0,
        Data::Random => (random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0,
        Data::Special => match random.below(64) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => float.largest(),
            4 => -float.largest(),
            5..8 => 0.0,
            8..11 => -0.0,
            11 => tiny,
            12 => -tiny,
            13 => 2_f64.powi(float.least_exponent()),
            _ => random.below(17) as f64 - 8.0,
        },
    };
    float.to_bits(value)
}

fn int_bits(width: u32, data: Data, random: &mut Random) -> u64 {
    let number = match data {
        Data::Powers => random.pick(&[-1, 1, 2, 3]),
        Data::Whole => random.below(17) as i64 - 8,
        Data::Random => random.next().cast_signed(),
        Data::Special => match random.below(8) {
            0 => i64::MAX >> (64 - width),
            1 => i64::MIN >> (64 - width),
            2 => -1,
            3 => 0,
            _ => random.next().cast_signed(),
        },
    };
    truncated(number, width)
}
