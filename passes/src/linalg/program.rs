//! Interpreter of combiner regions on sample values.

use super::body::{is_constant, slice};
use super::scalar::{Scalar, Sort, sort_of};
use melior::ir::ValueLike;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_mlir::build::argument;
use tx_mlir::{
    Blk, Op, Val, attribute, defining_op, integer_attribute, integers, is, key, name, operands,
    ops, region_blocks, results,
};
use tx_scalar::{Operation, operation, signed, truncated};

/// A computation on scalars. Numbered slots contain the values of the computation; the first slots
/// contain the inputs.
#[derive(Clone, Default)]
pub(crate) struct Program {
    places: Vec<Sort>,
    inputs: usize,
    /// Slot number and bit pattern of each constant.
    constants: Vec<(usize, u64)>,
    steps: Vec<ScalarOp>,
    outputs: Vec<usize>,
    pub(crate) ops: Vec<String>,
}

#[derive(Clone)]
enum ScalarOp {
    Compute {
        operation: Rc<Operation>,
        /// Slot numbers of the operands. If the op has fewer than three operands, the last entries
        /// of the array are unused.
        arguments: [usize; 3],
        to: usize,
    },
    /// Selection of one of two values.
    Select { arguments: [usize; 3], to: usize },
    If {
        condition: usize,
        branches: [Branch; 2],
        to: Vec<usize>,
    },
    /// An `scf.index_switch`, whose first branch is the default case.
    Switch {
        value: usize,
        cases: Vec<i64>,
        branches: Vec<Branch>,
        to: Vec<usize>,
    },
    /// An `scf.execute_region`.
    Region { body: Branch, to: Vec<usize> },
    /// An `scf.for`; the slots `bounds` contain the lower bound, the upper bound and the step.
    For {
        bounds: [usize; 3],
        width: u32,
        is_unsigned: bool,
        inits: Vec<usize>,
        body: Branch,
        to: Vec<usize>,
    },
    /// An `scf.while`; the first value that `before` yields is the condition.
    While {
        inits: Vec<usize>,
        before: Branch,
        after: Branch,
        to: Vec<usize>,
    },
}

#[derive(Clone, Default)]
struct Branch {
    arguments: Vec<usize>,
    steps: Vec<ScalarOp>,
    yields: Vec<usize>,
}

/// Maximum number of loop iterations in one run of the interpreter; a run with more iterations has
/// no result.
const MAX_ITERATIONS: usize = 10_000;

impl Program {
    /// Creates a program with inputs of the given types and without ops.
    pub(crate) fn new(inputs: &[Sort]) -> Self {
        Self {
            places: inputs.to_vec(),
            inputs: inputs.len(),
            ..Self::default()
        }
    }

    /// Creates the program of a block whose arguments are the inputs; `None` if an op is not
    /// supported.
    pub(crate) fn of_block(block: Blk<'_>) -> Option<Self> {
        use melior::ir::block::BlockLike as _;
        let arguments: Vec<Val<'_>> = (0..block.argument_count())
            .map(|i| tx_mlir::build::argument(block, i))
            .collect();
        let sorts: Vec<Sort> = arguments
            .iter()
            .map(|v| sort_of(v.r#type()))
            .collect::<Option<_>>()?;
        let mut program = Self::new(&sorts);
        let known: Vec<(Val<'_>, usize)> = (0..).zip(arguments).map(|(i, v)| (v, i)).collect();
        for root in operands(*ops(block).last()?) {
            program.compute(block, &known, root)?;
        }
        Some(program)
    }

    pub(crate) fn input_sorts(&self) -> &[Sort] {
        &self.places[..self.inputs]
    }

    pub(crate) fn output_sorts(&self) -> Vec<Sort> {
        self.outputs.iter().map(|o| self.places[*o]).collect()
    }

    pub(crate) fn has_constants(&self) -> bool {
        self.constants
            .iter()
            .any(|(place, _)| self.places[*place] != Sort::Int(1))
    }

    pub(crate) fn divides(&self) -> bool {
        self.ops.iter().any(|op| op.starts_with("arith.div"))
    }

    /// Appends the ops of `block` that compute `root` to the program, and makes `root` an output of
    /// the program; `known` maps values to inputs of the program. Returns `None` if an op is not
    /// supported.
    pub(crate) fn compute<'c>(
        &mut self,
        block: Blk<'c>,
        known: &[(Val<'c>, usize)],
        root: Val<'c>,
    ) -> Option<()> {
        let mut places: BTreeMap<usize, usize> =
            known.iter().map(|(v, place)| (key(*v), *place)).collect();
        let mut steps = Vec::new();
        for op in slice(block, &[root], |k| places.contains_key(&k)) {
            self.add(op, &mut places, &mut steps)?;
        }
        self.steps.extend(steps);
        let output = self.place_of(&mut places, root)?;
        self.outputs.push(output);
        Some(())
    }

    fn place_of(&mut self, places: &mut BTreeMap<usize, usize>, value: Val<'_>) -> Option<usize> {
        if let Some(place) = places.get(&key(value)) {
            return Some(*place);
        }
        let op = defining_op(value).filter(|_| is_constant(value))?;
        let sort = sort_of(value.r#type())?;
        let number = Scalar::of(attribute(op, "value")?, sort)?.bits(sort);
        let place = self.new_place(sort);
        self.constants.push((place, number));
        places.insert(key(value), place);
        Some(place)
    }

    fn new_place(&mut self, sort: Sort) -> usize {
        self.places.push(sort);
        self.places.len() - 1
    }

    fn add<'c>(
        &mut self,
        op: Op<'c>,
        places: &mut BTreeMap<usize, usize>,
        steps: &mut Vec<ScalarOp>,
    ) -> Option<()> {
        if is(op, "arith.constant") {
            return self.place_of(places, *results(op).first()?).map(|_| ());
        }
        if !self.ops.iter().any(|n| n == name(op)) {
            self.ops.push(name(op).to_owned());
        }
        let arguments = operands(op)
            .into_iter()
            .map(|v| self.place_of(places, v))
            .collect::<Option<Vec<_>>>()?;
        let to = results(op)
            .into_iter()
            .map(|v| Some((v, self.new_place(sort_of(v.r#type())?))))
            .collect::<Option<Vec<_>>>()?;
        let places_of = |to: &[(Val<'c>, usize)]| to.iter().map(|(_, place)| *place).collect();
        let step = if name(op).starts_with("scf.") {
            self.control(op, arguments, places_of(&to), places)?
        } else {
            let [(_, to)] = to[..] else { return None };
            let from: Vec<Sort> = arguments.iter().map(|a| self.places[*a]).collect();
            let mut given = [*arguments.first()?; 3];
            given
                .get_mut(..arguments.len())?
                .copy_from_slice(&arguments);
            if is(op, "arith.select") {
                ScalarOp::Select {
                    arguments: given,
                    to,
                }
            } else {
                let predicate = integer_attribute(op, "predicate");
                ScalarOp::Compute {
                    operation: Rc::new(operation(name(op), predicate, &from, self.places[to])?),
                    arguments: given,
                    to,
                }
            }
        };
        steps.push(step);
        places.extend(to.into_iter().map(|(v, place)| (key(v), place)));
        Some(())
    }

    fn control(
        &mut self,
        op: Op<'_>,
        arguments: Vec<usize>,
        to: Vec<usize>,
        places: &BTreeMap<usize, usize>,
    ) -> Option<ScalarOp> {
        Some(match name(op) {
            "scf.if" => ScalarOp::If {
                condition: *arguments.first()?,
                branches: [self.branch(op, 0, places)?, self.branch(op, 1, places)?],
                to,
            },
            "scf.index_switch" => {
                let cases = integers(attribute(op, "cases")?)?;
                let branches = 0..=cases.len();
                ScalarOp::Switch {
                    value: *arguments.first()?,
                    branches: branches
                        .map(|region| self.branch(op, region, places))
                        .collect::<Option<_>>()?,
                    cases,
                    to,
                }
            }
            "scf.execute_region" => ScalarOp::Region {
                body: self.branch(op, 0, places)?,
                to,
            },
            "scf.for" => {
                let (bounds, inits) = arguments.split_first_chunk::<3>()?;
                let Sort::Int(width) = self.places[bounds[0]] else {
                    return None;
                };
                ScalarOp::For {
                    bounds: *bounds,
                    width,
                    is_unsigned: attribute(op, "unsignedCmp").is_some(),
                    inits: inits.to_vec(),
                    body: self.branch(op, 0, places)?,
                    to,
                }
            }
            "scf.while" => ScalarOp::While {
                inits: arguments,
                before: self.branch(op, 0, places)?,
                after: self.branch(op, 1, places)?,
                to,
            },
            _ => return None,
        })
    }

    fn branch(
        &mut self,
        op: Op<'_>,
        region: usize,
        places: &BTreeMap<usize, usize>,
    ) -> Option<Branch> {
        use melior::ir::block::BlockLike as _;
        let mut places = places.clone();
        let mut branch = Branch::default();
        let [block] = region_blocks(op, region)[..] else {
            return None;
        };
        for i in 0..block.argument_count() {
            let value = argument(block, i);
            let place = self.new_place(sort_of(value.r#type())?);
            places.insert(key(value), place);
            branch.arguments.push(place);
        }
        let all = ops(block);
        let (last, rest) = all.split_last()?;
        for inner in rest {
            self.add(*inner, &mut places, &mut branch.steps)?;
        }
        for value in operands(*last) {
            branch.yields.push(self.place_of(&mut places, value)?);
        }
        Some(branch)
    }

    /// Runs the program; returns `None` if the outputs are undefined.
    pub(crate) fn run(&self, inputs: &[Scalar]) -> Option<Vec<Scalar>> {
        let mut values = vec![0; self.places.len()];
        for ((place, input), sort) in values.iter_mut().zip(inputs).zip(&self.places) {
            *place = input.bits(*sort);
        }
        for (place, bits) in &self.constants {
            values[*place] = *bits;
        }
        run_steps(&self.steps, &mut values, &mut 0)?;
        let outputs = self.outputs.iter();
        Some(
            outputs
                .map(|o| Scalar::of_bits(values[*o], self.places[*o]))
                .collect(),
        )
    }
}

/// Runs a branch and returns its yielded values. Stores the arguments and results of the branch in
/// `values`.
fn run_branch(
    branch: &Branch,
    arguments: &[u64],
    values: &mut [u64],
    iterations: &mut usize,
) -> Option<Vec<u64>> {
    put(&branch.arguments, arguments, values);
    run_steps(&branch.steps, values, iterations)?;
    Some(branch.yields.iter().map(|y| values[*y]).collect())
}

fn put(places: &[usize], numbers: &[u64], values: &mut [u64]) {
    for (place, number) in places.iter().zip(numbers) {
        values[*place] = *number;
    }
}

/// Counts one more iteration. Returns `None` if the number of iterations exceeds
/// [`MAX_ITERATIONS`].
fn count(iterations: &mut usize) -> Option<()> {
    *iterations += 1;
    (*iterations <= MAX_ITERATIONS).then_some(())
}

fn run_steps(steps: &[ScalarOp], values: &mut [u64], iterations: &mut usize) -> Option<()> {
    let all = |places: &[usize], values: &[u64]| -> Vec<u64> {
        places.iter().map(|place| values[*place]).collect()
    };
    for step in steps {
        match step {
            ScalarOp::Compute {
                operation,
                arguments,
                to,
            } => values[*to] = (operation.calc)(&arguments.map(|a| values[a])).ok()?,
            ScalarOp::Select {
                arguments: [condition, yes, no],
                to,
            } => values[*to] = values[if values[*condition] == 0 { *no } else { *yes }],
            ScalarOp::If {
                condition,
                branches,
                to,
            } => {
                let branch = &branches[usize::from(values[*condition] == 0)];
                let yielded = run_branch(branch, &[], values, iterations)?;
                put(to, &yielded, values);
            }
            ScalarOp::Switch {
                value,
                cases,
                branches,
                to,
            } => {
                let value = values[*value].cast_signed();
                let case = cases.iter().position(|case| *case == value);
                let branch = branches.get(case.map_or(0, |case| case + 1))?;
                let yielded = run_branch(branch, &[], values, iterations)?;
                put(to, &yielded, values);
            }
            ScalarOp::Region { body, to } => {
                let yielded = run_branch(body, &[], values, iterations)?;
                put(to, &yielded, values);
            }
            ScalarOp::For {
                bounds,
                width,
                is_unsigned,
                inits,
                body,
                to,
            } => {
                // The type `i128` can represent the sum of the step and a bound, for signed and for
                // unsigned 64-bit integers.
                let number = |place: usize| match is_unsigned {
                    true => i128::from(values[place]),
                    false => i128::from(signed(values[place], *width)),
                };
                let [mut at, high, step] = bounds.map(number);
                if step <= 0 {
                    return None;
                }
                let mut carried = all(inits, values);
                while at < high {
                    count(iterations)?;
                    let index = truncated(i64::try_from(at).unwrap_or(at as i64), *width);
                    carried.insert(0, index);
                    carried = run_branch(body, &carried, values, iterations)?;
                    at += step;
                }
                put(to, &carried, values);
            }
            ScalarOp::While {
                inits,
                before,
                after,
                to,
            } => {
                let mut carried = all(inits, values);
                loop {
                    count(iterations)?;
                    let passed = run_branch(before, &carried, values, iterations)?;
                    let (condition, passed) = passed.split_first()?;
                    if condition & 1 == 0 {
                        put(to, passed, values);
                        break;
                    }
                    carried = run_branch(after, passed, values, iterations)?;
                }
            }
        }
    }
    Some(())
}
