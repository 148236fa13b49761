//! Comparison of the results of two stages.

use crate::inputs::scalar;
use crate::verdict::{Difference, Verdict};
use tx_interp::{Bound, Scalar};
use tx_plan::{ArgumentType, ElementType, Plan};
use tx_runtime::{Arg, Array};

/// Contents of each argument after a run of the program; `None` for a scalar argument.
pub(crate) type Results = Vec<Option<Array>>;

/// Error bound of each element of each argument; `None` if the element must equal the reference
/// result.
pub(crate) type Bounds = Vec<Option<Vec<Option<Bound>>>>;

/// Returns whether two elements have equal bits; all NaNs count as equal.
fn same(element: ElementType, left: u64, right: u64) -> bool {
    left == right
        || match scalar(element) {
            Scalar::Float(float) => float.value(left).is_nan() && float.value(right).is_nan(),
            Scalar::Int(_) => false,
        }
}

fn bits(array: &Array, position: usize) -> u64 {
    let size = array.element().size();
    let mut word = [0; 8];
    word[..size].copy_from_slice(&array.bytes()[position * size..][..size]);
    u64::from_le_bytes(word)
}

/// Returns whether the results of two stages have equal bits; all NaNs count as equal.
pub(crate) fn equal(left: &Results, right: &Results) -> bool {
    left.iter()
        .zip(right)
        .all(|(left, right)| match (left, right) {
            (Some(left), Some(right)) => {
                left.bytes() == right.bytes()
                    || (0..left.len()).all(|i| same(left.element(), bits(left, i), bits(right, i)))
            }
            (None, None) => true,
            _ => false,
        })
}

/// Returns the verdict on the results `found` of a stage. `own` contains the error bounds of the
/// results `found`. The function accepts an infinity instead of a NaN in `reference` if `own`
/// contains an infinite error bound for the element. A reference result may be NaN because the
/// reference program combined an infinity with the identity of a combiner.
pub(crate) fn judge(
    input: &str,
    reference: &Results,
    bounds: &Bounds,
    found: &Results,
    own: Option<&Bounds>,
) -> Verdict {
    let mut verdict = Verdict::Equal;
    for (argument, (expected, found)) in reference.iter().zip(found).enumerate() {
        let (Some(expected), Some(found)) = (expected, found) else {
            continue;
        };
        let element = expected.element();
        let mut first = None;
        let mut wrong = 0;
        for i in 0..expected.len() {
            let (want, have) = (bits(expected, i), bits(found, i));
            if same(element, want, have) {
                continue;
            }
            verdict = verdict.worse(Verdict::EqualWithinOrder);
            let bound = bounds[argument].as_ref().and_then(|bounds| bounds[i]);
            let allowed = match scalar(element) {
                Scalar::Float(float) => bound
                    .unwrap_or_else(|| Bound::exact(float.value(want)))
                    .allows(float.value(want), float.value(have)),
                Scalar::Int(_) => bound.is_some_and(|b| !b.is_exact()),
            };
            let open = || {
                let Scalar::Float(float) = scalar(element) else {
                    return false;
                };
                let bound = own.and_then(|own| own[argument].as_ref()?[i]);
                float.value(want).is_nan()
                    && float.value(have).is_infinite()
                    && bound.is_some_and(|bound| bound.error.is_infinite())
            };
            if !allowed && !open() {
                wrong += 1;
                first.get_or_insert((i, want, have, bound.map_or(0.0, |b| 2.0 * b.error)));
            }
        }
        if let Some((i, want, have, allowed)) = first {
            let kind = scalar(element);
            verdict = verdict.worse(Verdict::Wrong(Box::new(Difference {
                input: input.to_owned(),
                argument,
                index: unflatten(i, expected.shape()),
                found: kind.show(have),
                expected: kind.show(want),
                allowed,
                wrong,
                elements: expected.len(),
            })));
        }
    }
    verdict
}

/// Returns `Wrong` if an element is a zero in both `found` and `before` (the results of the
/// previous stage), but the signs of the two zeros differ. The comparison skips elements with a
/// nonzero error bound.
pub(crate) fn signs(input: &str, before: &Results, bounds: &Bounds, found: &Results) -> Verdict {
    let is_zero = |element: ElementType, bits: u64| match scalar(element) {
        Scalar::Float(float) => float.value(bits) == 0.0,
        Scalar::Int(_) => false,
    };
    for (argument, (before, found)) in before.iter().zip(found).enumerate() {
        let (Some(before), Some(found)) = (before, found) else {
            continue;
        };
        let element = before.element();
        let turned: Vec<usize> = (0..before.len())
            .filter(|i| bits(before, *i) != bits(found, *i))
            .filter(|i| is_zero(element, bits(before, *i)) && is_zero(element, bits(found, *i)))
            .filter(|i| {
                let bound = bounds[argument].as_ref().and_then(|bounds| bounds[*i]);
                bound.is_none_or(Bound::is_exact)
            })
            .collect();
        if let Some(&first) = turned.first() {
            return Verdict::Wrong(Box::new(Difference {
                input: input.to_owned(),
                argument,
                index: unflatten(first, before.shape()),
                found: scalar(element).show(bits(found, first)),
                expected: scalar(element).show(bits(before, first)),
                allowed: 0.0,
                wrong: turned.len(),
                elements: before.len(),
            }));
        }
    }
    Verdict::Equal
}

fn unflatten(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, size) in index.iter_mut().zip(shape).rev() {
        *i = flat % size;
        flat /= size;
    }
    index
}

/// Arguments in the memory layout of the interpreter.
pub(crate) struct PlacedArguments {
    pub(crate) arguments: Vec<tx_interp::Argument>,
    placements: Vec<Option<(tx_runtime::Placement, Vec<usize>, ElementType)>>,
}

impl PlacedArguments {
    pub(crate) fn new(plan: &Plan, args: &[Arg]) -> Result<Self, String> {
        let mut placed = Self {
            arguments: Vec::new(),
            placements: Vec::new(),
        };
        for (i, (arg, argument)) in args.iter().zip(&plan.arguments).enumerate() {
            match (arg, &argument.ty) {
                (Arg::Scalar(value), ArgumentType::Scalar(element)) => {
                    let bits = value.to_bits(*element).ok_or_else(|| {
                        format!("argument {i}: {value} is not a value of {element}")
                    })?;
                    placed.arguments.push(tx_interp::Argument::Number(bits));
                    placed.placements.push(None);
                }
                (Arg::Array(array), ArgumentType::Memref(memref)) => {
                    let placement = tx_runtime::Placement::new(memref, array.shape())?;
                    let size = memref.element.size();
                    let mut bytes = vec![0xa5; placement.extent * size];
                    placement.for_each(array.shape(), size, |dense, place| {
                        bytes[place.clone()].copy_from_slice(&array.bytes()[dense.clone()]);
                    });
                    let shape: Vec<usize> = array.shape().to_vec();
                    placed.arguments.push(tx_interp::Argument::Array {
                        sizes: shape.iter().map(|n| *n as i64).collect(),
                        strides: placement.strides.clone(),
                        offset: placement.offset,
                        bytes,
                    });
                    placed
                        .placements
                        .push(Some((placement, shape, memref.element)));
                }
                _ => {
                    return Err(format!(
                        "argument {i} does not match the type {}",
                        argument.ty
                    ));
                }
            }
        }
        Ok(placed)
    }

    /// Returns the elements of each argument in row-major order, and the error bounds of the
    /// elements.
    pub(crate) fn results(&self, outcome: tx_interp::Outcome) -> Result<(Results, Bounds), String> {
        let mut results = Vec::new();
        let mut all = Vec::new();
        for (array, placement) in outcome.arrays.into_iter().zip(&self.placements) {
            let Some((placement, shape, element)) = placement else {
                results.push(None);
                all.push(None);
                continue;
            };
            let size = element.size();
            let mut bytes = vec![0; shape.iter().product::<usize>() * size];
            let mut bounds = Vec::new();
            placement.for_each(shape, size, |dense, place| {
                bytes[dense.clone()].copy_from_slice(&array.bytes[place.clone()]);
                if let Some(known) = &array.bounds {
                    bounds.push(known[place.start / size]);
                }
            });
            all.push(array.bounds.is_some().then_some(bounds));
            let array = Array::new(*element, shape.clone(), bytes).map_err(|e| e.to_string())?;
            results.push(Some(array));
        }
        Ok((results, all))
    }
}
