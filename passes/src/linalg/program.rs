//! Combiner regions as small programs, to run on numbers.

use super::body::{is_constant, slice};
use super::scalar::{Scalar, Sort, sort_of};
use melior::ir::ValueLike;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_mlir::{
    Blk, Op, Val, attribute, defining_op, first_block, integer_attribute, is, key, name, operands,
    ops, results,
};
use tx_scalar::{Operation, operation};

/// A computation on scalars. Places hold values; the first ones are the inputs.
#[derive(Clone, Default)]
pub(crate) struct Program {
    /// Sort of each place.
    places: Vec<Sort>,
    inputs: usize,
    /// Bits of the places that are known.
    constants: Vec<(usize, u64)>,
    steps: Vec<Step>,
    outputs: Vec<usize>,
    /// Names of the ops, each once.
    pub(crate) ops: Vec<String>,
}

#[derive(Clone)]
enum Step {
    Compute {
        operation: Rc<Operation>,
        /// As many as the operation takes; others stand for nothing.
        arguments: [usize; 3],
        to: usize,
    },
    /// One of two values.
    Select { arguments: [usize; 3], to: usize },
    If {
        condition: usize,
        branches: [Branch; 2],
        to: Vec<usize>,
    },
}

#[derive(Clone, Default)]
struct Branch {
    steps: Vec<Step>,
    yields: Vec<usize>,
}

impl Program {
    /// A program with inputs of these sorts that computes nothing yet.
    pub(crate) fn new(inputs: &[Sort]) -> Self {
        Self {
            places: inputs.to_vec(),
            inputs: inputs.len(),
            ..Self::default()
        }
    }

    /// The program of a block whose arguments are the inputs; `None` when it does what nothing
    /// here knows.
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

    /// Sorts of the inputs.
    pub(crate) fn input_sorts(&self) -> &[Sort] {
        &self.places[..self.inputs]
    }

    /// Sorts of the outputs.
    pub(crate) fn output_sorts(&self) -> Vec<Sort> {
        self.outputs.iter().map(|o| self.places[*o]).collect()
    }

    /// Whether it uses a number of its own.
    pub(crate) fn has_constants(&self) -> bool {
        self.constants
            .iter()
            .any(|(place, _)| self.places[*place] != Sort::Int(1))
    }

    /// Whether anything is divided.
    pub(crate) fn divides(&self) -> bool {
        self.ops.iter().any(|op| op.starts_with("arith.div"))
    }

    /// Adds an output: what `block` computes `root` by, with inputs in the places of the values
    /// that are known. `None` when that is not known here.
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
        steps: &mut Vec<Step>,
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
        let step = if is(op, "scf.if") {
            Step::If {
                condition: *arguments.first()?,
                branches: [self.branch(op, 0, places)?, self.branch(op, 1, places)?],
                to: to.iter().map(|(_, place)| *place).collect(),
            }
        } else {
            let [(_, to)] = to[..] else { return None };
            let from: Vec<Sort> = arguments.iter().map(|a| self.places[*a]).collect();
            let mut given = [*arguments.first()?; 3];
            given
                .get_mut(..arguments.len())?
                .copy_from_slice(&arguments);
            if is(op, "arith.select") {
                Step::Select {
                    arguments: given,
                    to,
                }
            } else {
                let predicate = integer_attribute(op, "predicate");
                Step::Compute {
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

    fn branch(
        &mut self,
        op: Op<'_>,
        region: usize,
        places: &BTreeMap<usize, usize>,
    ) -> Option<Branch> {
        let mut places = places.clone();
        let mut branch = Branch::default();
        let all = ops(first_block(op, region)?);
        let (last, rest) = all.split_last()?;
        for inner in rest {
            self.add(*inner, &mut places, &mut branch.steps)?;
        }
        for value in operands(*last) {
            branch.yields.push(self.place_of(&mut places, value)?);
        }
        Some(branch)
    }

    /// The outputs for these inputs; `None` where they are not defined.
    pub(crate) fn run(&self, inputs: &[Scalar]) -> Option<Vec<Scalar>> {
        let mut values = vec![0; self.places.len()];
        for ((place, input), sort) in values.iter_mut().zip(inputs).zip(&self.places) {
            *place = input.bits(*sort);
        }
        for (place, bits) in &self.constants {
            values[*place] = *bits;
        }
        run_steps(&self.steps, &mut values)?;
        let outputs = self.outputs.iter();
        Some(
            outputs
                .map(|o| Scalar::of_bits(values[*o], self.places[*o]))
                .collect(),
        )
    }
}

fn run_steps(steps: &[Step], values: &mut [u64]) -> Option<()> {
    for step in steps {
        match step {
            Step::Compute {
                operation,
                arguments,
                to,
            } => values[*to] = (operation.calc)(&arguments.map(|a| values[a])).ok()?,
            Step::Select {
                arguments: [condition, yes, no],
                to,
            } => values[*to] = values[if values[*condition] == 0 { *no } else { *yes }],
            Step::If {
                condition,
                branches,
                to,
            } => {
                let branch = &branches[usize::from(values[*condition] == 0)];
                run_steps(&branch.steps, values)?;
                let yielded: Vec<u64> = branch.yields.iter().map(|y| values[*y]).collect();
                for (place, value) in to.iter().zip(yielded) {
                    values[*place] = value;
                }
            }
        }
    }
    Some(())
}
