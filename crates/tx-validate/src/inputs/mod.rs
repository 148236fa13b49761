//! What a program is run on: sizes that divide nothing, and numbers that show mistakes.
//!
//! * `sizes.rs` says which sizes a program is called with;
//! * `numbers.rs` says what its arrays hold;
//! * of all these, as many are taken here as can be run in a few seconds.

mod numbers;
mod sizes;

pub(crate) use numbers::scalar;
pub(crate) use sizes::{Guess, guesses};

use crate::Trouble;
use numbers::{Data, Random, Turn, fill, sorts};
use sizes::{Call, MOST_ELEMENTS, MOST_OF_NUMBERS, Values, calls, solve};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use tx_plan::{ArgumentType, ElementType, Plan};
use tx_runtime::{Arg, Array, Number};

/// One call of the program.
#[derive(Clone, Debug)]
pub struct Input {
    /// In a few words, such as `33x100, powers of two`.
    pub name: String,
    /// What it is called with.
    pub args: Vec<Arg>,
    /// Whether all numbers are -0.0.
    pub(crate) zeros: bool,
    /// Which steps of the plan launch something; empty where that is not known.
    pub(crate) launched: Vec<bool>,
    /// Which it is of all inputs: what tells where its arrays begin.
    pub(crate) number: usize,
    /// Whether it is run after every stage; the others in the end only, and then after every stage
    /// if that goes wrong.
    pub(crate) every_stage: bool,
}

/// The inputs of a program, where sizes are guessed in this way; empty when none fit.
///
/// Of them there are those with these numbers, or at least one for each set of kernels that is
/// launched; the last, if there are none of these numbers. With the name of a kernel, there are
/// those that launch it, if any do.
pub(crate) fn generate(
    plan: &Plan,
    seed: u64,
    guess: Guess,
    numbers: Option<&Range<usize>>,
    kernel: Option<&str>,
) -> Result<Vec<Input>, Trouble> {
    let sorts = sorts(plan);
    let mut inputs: Vec<Planned> = Vec::new();
    let mut too_large = None;
    // The first array, of which a sort of input may take several.
    let first = plan
        .arguments
        .iter()
        .position(|argument| matches!(argument.ty, ArgumentType::Memref(_)));
    for (number, call) in calls(plan, guess, sorts, kernel).into_iter().enumerate() {
        let Call {
            sizes,
            data,
            most: most_elements,
            of_kernel,
            ..
        } = call;
        let Some(mut values) = solve(plan, &sizes, guess) else {
            continue;
        };
        // Rows of a given length may be too long for so many.
        if let Some((_, elements)) = values.larger_than(most_elements) {
            let rows = (sizes[0] as f64 * most_elements as f64 / elements as f64) as usize;
            let fewer = [rows.max(1), sizes[1], sizes[2], sizes[3]];
            values = solve(plan, &fewer, guess).unwrap_or(values);
        }
        if let Some((i, elements)) = values.larger_than(most_elements) {
            too_large = Some(format!(
                "argument {i} has {elements} elements, expected at most {most_elements}; give \
                 smaller ones with --arg"
            ));
            continue;
        }
        // Sizes that differ only where the program has its own are one.
        let is_known = |known: &Planned| {
            let Planned {
                values: own,
                data: of,
                turn,
                ..
            } = known;
            own.shapes == values.shapes && *of == data && Some(*turn) == call.turn
        };
        if of_kernel && inputs.iter().any(is_known) {
            continue;
        }
        let shape = first.map_or(&[][..], |i| &values.shapes[i]);
        let turns: Vec<Turn> = match call.turn {
            Some(turn) => vec![turn],
            None => {
                let of = data.turns(shape, sorts);
                (0..of).map(|n| Turn::nth(n, of, sorts)).collect()
            }
        };
        let values = Rc::new(values);
        inputs.extend(turns.into_iter().map(|turn| Planned {
            values: Rc::clone(&values),
            data,
            turn,
            number,
            before: match (call.turn, most_elements) {
                (None, _) => turn.before(data),
                (Some(_), most) if of_kernel && most <= MOST_OF_NUMBERS => 0,
                (Some(turn), MOST_ELEMENTS) => turn.number + 1,
                // What takes longest comes last.
                _ => usize::MAX,
            },
            of_kernel,
            every_stage: false,
        }));
    }
    if let (Some(reason), true) = (too_large, inputs.is_empty()) {
        return Err(Trouble::Input(reason));
    }
    // One of each sort first, and then the second of each.
    inputs.sort_by_key(|planned| planned.before);
    if numbers.is_some() {
        // Most of what is wrong shows in small arrays too.
        inputs.sort_by_key(|planned| planned.values.cost() > FEW_ELEMENTS);
    }
    if let Some(kernel) = kernel {
        let steps = || plan.steps.iter().map(|step| step.kernel == kernel);
        let has = |planned: &Planned| {
            let launched = planned.values.launched();
            steps().zip(launched).any(|(own, launched)| own && launched)
        };
        if inputs.iter().any(has) {
            inputs.retain(has);
        }
    }
    let most_at_the_end = match kernel {
        Some(_) => 18 * MOST_AT_THE_END,
        None => MOST_AT_THE_END,
    };
    let mut inputs = affordable(inputs, most_at_the_end);
    let first = match numbers {
        Some(numbers) => keep_few(&mut inputs, numbers),
        None => 0,
    };
    inputs
        .iter()
        .zip(first..)
        .map(|(planned, number)| planned.fill(plan, seed, number))
        .collect()
}

/// An input that is not made yet.
struct Planned {
    values: Rc<Values>,
    data: Data,
    turn: Turn,
    /// Of the call.
    number: usize,
    /// How many there are of its sort before it.
    before: usize,
    /// Whether it is for one kernel alone: such inputs take nothing from the others.
    of_kernel: bool,
    every_stage: bool,
}

/// Threads and elements of all inputs that are run after every stage, at most, but for the first
/// [`LEAST_OF_ALL`].
const MOST_OF_ALL: u64 = 1 << 19;
/// The same of inputs that are run at all, and again of large ones; of those for one kernel 18
/// times as many.
const MOST_AT_THE_END: u64 = 5 << 20;
/// Threads and elements of inputs that come first, where there are to be few.
const FEW_ELEMENTS: u64 = 1 << 15;
/// Inputs that are run after every stage however many threads they take.
const LEAST_OF_ALL: usize = 6;

/// As many inputs as can be run in some seconds, of each set of kernels as much as of any other;
/// the first ones are run after every stage.
fn affordable(inputs: Vec<Planned>, most_at_the_end: u64) -> Vec<Planned> {
    // Of each set how many there are, and what they cost.
    let mut seen: BTreeMap<Vec<bool>, (usize, u64)> = BTreeMap::new();
    let mut ranked: Vec<(u64, usize, Planned)> = Vec::new();
    for planned in inputs {
        let (count, cost) = seen.entry(planned.values.launched()).or_default();
        let (number, before) = (*count, *cost);
        *count += 1;
        *cost = cost.saturating_add(planned.values.cost());
        ranked.push((before, number, planned));
    }
    // Sets that cost little are run whole.
    ranked.sort_by_key(|(cost, ..)| *cost);
    // Large ones leave something for the others.
    let mut ends = [0u64; 3];
    let mut number = 0;
    ranked.retain(|(.., planned)| {
        let is_large = planned.values.elements() > MOST_ELEMENTS as u64;
        let end = &mut ends[if planned.of_kernel {
            2
        } else {
            usize::from(is_large)
        }];
        let with = end.saturating_add(planned.values.cost());
        number += 1;
        // A smaller one that comes later may still fit.
        let fits = number <= LEAST_OF_ALL || with <= most_at_the_end;
        if fits {
            *end = with;
        }
        fits
    });
    // One of each set after the other.
    ranked.sort_by_key(|(_, count, _)| *count);
    let mut taken: Vec<Planned> = ranked.into_iter().map(|(.., planned)| planned).collect();
    let (mut all, mut firsts) = (0u64, 0);
    for planned in &mut taken {
        // The sign of zero is compared from stage to stage.
        if planned.before == 0 || planned.data == Data::Zeros {
            // One that is too much says nothing of those that come later.
            let with = all.saturating_add(planned.values.cost());
            planned.every_stage = firsts < LEAST_OF_ALL || with <= MOST_OF_ALL;
            if planned.every_stage {
                all = with;
            }
            firsts += 1;
        }
    }
    taken
}

/// Keeps the inputs with some numbers, or one of each set of kernels where there are more of those:
/// the first ones. The result is the number of the first of them.
fn keep_few(inputs: &mut Vec<Planned>, numbers: &Range<usize>) -> usize {
    let sets: BTreeSet<Vec<bool>> = inputs.iter().map(|i| i.values.launched()).collect();
    inputs.truncate(numbers.end.max(sets.len()));
    let first = numbers.start.min(inputs.len().saturating_sub(1));
    inputs.drain(..first);
    first
}

impl Planned {
    /// Makes the input.
    fn fill(&self, plan: &Plan, seed: u64, place: usize) -> Result<Input, Trouble> {
        let Self {
            values,
            data,
            turn,
            number,
            every_stage,
            ..
        } = self;
        let start = seed.wrapping_mul(1000).wrapping_add(*number as u64);
        let mut random = Random(start.wrapping_add(100 * turn.number as u64));
        let mut args = Vec::new();
        let mut shapes = Vec::new();
        for (i, argument) in plan.arguments.iter().enumerate() {
            match &argument.ty {
                ArgumentType::Scalar(element) => {
                    let value = match element.is_float() {
                        true => Number::from(0.75),
                        false if *element == ElementType::I1 => {
                            Number::from(number.is_multiple_of(2))
                        }
                        false => Number::from(values.scalars[i]),
                    };
                    shapes.push(format!("{value}"));
                    args.push(Arg::Scalar(value));
                }
                ArgumentType::Memref(memref) => {
                    let shape = values.shapes[i].clone();
                    shapes.push(join(&shape));
                    let data = match (*data, i) {
                        (Data::Least, 1..) => Data::Greatest,
                        (Data::Greatest, 1..) => Data::Least,
                        (Data::Zeros, 1..) if turn.number % 2 == 1 && !argument.written => {
                            Data::Ones
                        }
                        (data, _) => data,
                    };
                    let bytes = fill(memref.element, &shape, data, *turn, &mut random);
                    let array = Array::new(memref.element, shape, bytes)
                        .map_err(|error| Trouble::Input(error.to_string()))?;
                    args.push(Arg::Array(share(array, plan, i)?));
                }
            }
        }
        shapes.dedup();
        let name = format!("{} of {}", data.name(), shapes.join(", "));
        tracing::debug!(input = name, every_stage);
        Ok(Input {
            name,
            args,
            launched: values.launched(),
            zeros: *data == Data::Zeros,
            number: place,
            every_stage: *every_stage,
        })
    }
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
