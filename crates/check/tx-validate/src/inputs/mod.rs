//! Generation of inputs. The array sizes are chosen such that split loops have remainders, and the
//! element values are chosen such that errors change the results.
//!
//! Module `candidates` chooses sizes and data patterns, module `sizes` adapts the sizes to the
//! checks of the program, and module `numbers` fills the arrays. Module `inputs` limits the number
//! of inputs such that the validation takes a few seconds.

mod candidates;
mod length_classes;
mod numbers;
mod sizes;

pub(crate) use candidates::guesses;
pub(crate) use numbers::scalar;
pub(crate) use sizes::Guess;

use crate::trouble::Trouble;
use candidates::{Candidate, MOST_ELEMENTS, MOST_OF_NUMBERS, candidates};
use numbers::{DataPattern, Random, Variation, fill, outliers};
use sizes::{Values, solve};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use tx_plan::{ArgumentType, ElementType, Plan};
use tx_runtime::{Arg, Array, Number};

/// Arguments of one call of the program.
#[derive(Clone, Debug)]
pub struct Input {
    /// Short description of the input, such as `33x100, powers of two`.
    pub name: String,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Set if the data pattern fills arrays with -0.0.
    pub(crate) zeros: bool,
    /// For each step of the launch plan, whether the step launches a kernel for the input; empty if
    /// unknown.
    pub(crate) launched: Vec<bool>,
    /// Index of the input in the list of all inputs; the index determines the misalignment of the
    /// arrays.
    pub(crate) number: usize,
    /// Set if the validation executes the output of every stage on the input; otherwise, the
    /// validation uses the input only in the stage `launch`. If the stage `launch` fails for an
    /// input, the validation executes the output of every stage on this input.
    pub(crate) every_stage: bool,
}

/// Returns the inputs of a program. The result is empty if no sizes satisfy the checks of the
/// program. The parameter `guess` determines which dynamic dimensions have equal sizes.
///
/// The parameter `numbers` limits the result to a range of input indices. If `numbers` starts at 0,
/// the function extends the range until the result contains at least one input for each set of
/// kernels that the program launches for some input. If the program launches the kernel `kernel`
/// for at least one input, the result contains only inputs for which the program launches this
/// kernel.
pub(crate) fn generate(
    plan: &Plan,
    seed: u64,
    guess: Guess,
    numbers: Option<&Range<usize>>,
    kernel: Option<&str>,
) -> Result<Vec<Input>, Trouble> {
    let outliers = outliers(plan);
    let mut inputs: Vec<Planned> = Vec::new();
    let mut too_large = None;
    // The shape of the first array determines the number of variations of a data pattern.
    let first = plan
        .arguments
        .iter()
        .position(|argument| matches!(argument.ty, ArgumentType::Memref(_)));
    for (number, candidate) in candidates(plan, guess, outliers, kernel)
        .into_iter()
        .enumerate()
    {
        let Candidate {
            sizes,
            data,
            most: most_elements,
            of_kernel,
            ..
        } = candidate;
        let Some(mut values) = solve(plan, &sizes, guess) else {
            continue;
        };
        // Use fewer rows if a row of the requested length exceeds the element limit.
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
        // Static dimensions override requested sizes, so two requests can give equal shapes.
        let is_known = |known: &Planned| {
            let Planned {
                values: own,
                data: of,
                variation,
                ..
            } = known;
            own.shapes == values.shapes && *of == data && Some(*variation) == candidate.variation
        };
        if of_kernel && inputs.iter().any(is_known) {
            continue;
        }
        let shape = first.map_or(&[][..], |i| &values.shapes[i]);
        let variations: Vec<Variation> = match candidate.variation {
            Some(variation) => vec![variation],
            None => {
                let of = data.variations(shape, outliers);
                (0..of).map(|n| Variation::nth(n, of, outliers)).collect()
            }
        };
        let values = Rc::new(values);
        inputs.extend(variations.into_iter().map(|variation| Planned {
            values: Rc::clone(&values),
            data,
            variation,
            number,
            before: match (candidate.variation, most_elements) {
                (None, _) => variation.before(data),
                (Some(_), most) if of_kernel && most <= MOST_OF_NUMBERS => 0,
                (Some(variation), MOST_ELEMENTS) => variation.number + 1,
                // The slowest inputs run last.
                _ => usize::MAX,
            },
            of_kernel,
            every_stage: false,
        }));
    }
    if let (Some(reason), true) = (too_large, inputs.is_empty()) {
        return Err(Trouble::Input(reason));
    }
    // Run one input of each data pattern first, then a second input of each pattern.
    inputs.sort_by_key(|planned| planned.before);
    if numbers.is_some() {
        // Small arrays expose most errors, so they run first.
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

/// Candidate input: the sizes of its arrays are known, but the arrays have no contents.
struct Planned {
    values: Rc<Values>,
    data: DataPattern,
    variation: Variation,
    /// Index in the list of candidate inputs.
    number: usize,
    /// Sort key of the candidate input, usually derived from the index of `variation`. The
    /// validation prefers candidates with low keys.
    before: usize,
    /// Set if the input was generated to test one kernel.
    of_kernel: bool,
    every_stage: bool,
}

/// Limit on the total cost (threads + elements) of the inputs on which the validation executes the
/// output of every stage.
const MOST_OF_ALL: u64 = 1 << 19;
/// Limit on the total cost (threads + elements) of all inputs in a group. The three groups are the
/// inputs that test one kernel, the other inputs of at most [`MOST_ELEMENTS`] elements, and the
/// other inputs of more than [`MOST_ELEMENTS`] elements. If the option `kernel` selects one kernel,
/// the limit on the total cost of each group of inputs is 18 times [`MOST_AT_THE_END`].
const MOST_AT_THE_END: u64 = 5 << 20;
/// Maximum cost (threads + elements) of a small input; inputs with a higher cost are large.
const FEW_ELEMENTS: u64 = 1 << 15;
/// Number of inputs to which the cost limits [`MOST_OF_ALL`] and [`MOST_AT_THE_END`] do not apply.
const LEAST_OF_ALL: usize = 6;

/// Selects inputs for a validation of a few seconds. The function groups the inputs by the set of
/// launched kernels, and repeatedly selects one input of each group. The function sets
/// `every_stage` for each input on which the validation executes the output of every stage.
fn affordable(inputs: Vec<Planned>, most_at_the_end: u64) -> Vec<Planned> {
    // For each set of launched kernels, the number of selected inputs and their summed cost.
    let mut seen: BTreeMap<Vec<bool>, (usize, u64)> = BTreeMap::new();
    let mut ranked: Vec<(u64, usize, Planned)> = Vec::new();
    for planned in inputs {
        let (count, cost) = seen.entry(planned.values.launched()).or_default();
        let (number, before) = (*count, *cost);
        *count += 1;
        *cost = cost.saturating_add(planned.values.cost());
        ranked.push((before, number, planned));
    }
    // The cheapest inputs of each set are first.
    ranked.sort_by_key(|(cost, ..)| *cost);
    // Large inputs have a separate limit, so that they do not displace small ones.
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
        // A later input may have a lower cost and fit.
        let fits = number <= LEAST_OF_ALL || with <= most_at_the_end;
        if fits {
            *end = with;
        }
        fits
    });
    // Alternate between the sets of launched kernels.
    ranked.sort_by_key(|(_, count, _)| *count);
    let mut taken: Vec<Planned> = ranked.into_iter().map(|(.., planned)| planned).collect();
    let (mut all, mut firsts) = (0u64, 0);
    for planned in &mut taken {
        // The sign of zero is compared after every stage.
        if planned.before == 0 || planned.data == DataPattern::Zeros {
            // An input over the limit is skipped; a later input may have a lower cost and fit.
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

/// Removes the inputs whose indices are not in `numbers`. If `numbers` starts at 0, the function
/// keeps at least one input for each set of launched kernels. Returns the index that the first
/// remaining input had before the removal.
fn keep_few(inputs: &mut Vec<Planned>, numbers: &Range<usize>) -> usize {
    let sets: BTreeSet<Vec<bool>> = inputs.iter().map(|i| i.values.launched()).collect();
    inputs.truncate(numbers.end.max(sets.len()));
    let first = numbers.start.min(inputs.len().saturating_sub(1));
    inputs.drain(..first);
    first
}

impl Planned {
    fn fill(&self, plan: &Plan, seed: u64, place: usize) -> Result<Input, Trouble> {
        let Self {
            values,
            data,
            variation,
            number,
            every_stage,
            ..
        } = self;
        let start = seed.wrapping_mul(1000).wrapping_add(*number as u64);
        let mut random = Random(start.wrapping_add(100 * variation.number as u64));
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
                        (DataPattern::Least, 1..) => DataPattern::Greatest,
                        (DataPattern::Greatest, 1..) => DataPattern::Least,
                        (DataPattern::Zeros, 1..)
                            if variation.number % 2 == 1 && !argument.written =>
                        {
                            DataPattern::Ones
                        }
                        (data, _) => data,
                    };
                    let bytes = fill(memref.element, &shape, data, *variation, &mut random);
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
            zeros: *data == DataPattern::Zeros,
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

/// Copies one value to all elements of `array` that have the same address in the memref layout of
/// the argument.
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
