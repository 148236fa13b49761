//! Computation of array sizes that satisfy the checks of a launch plan.

use tx_plan::{ArgumentType, EntryKind, Expr, Extent, Extent3, Plan, Relation, Symbol};

/// Assumption that certain dynamic dimensions have equal sizes; the program does not check this
/// assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// Dimension `i` has the same size in all arrays, where `i` counts from the first dimension.
    FromFirst,
    /// Dimension `i` has the same size in all arrays, where `i` counts from the last dimension.
    FromLast,
    /// All dynamic dimensions have equal sizes.
    Same,
}

pub(super) struct Values {
    pub(super) shapes: Vec<Vec<usize>>,
    pub(super) scalars: Vec<i64>,
    /// Launch sizes (grid, block and dynamic shared memory) of each step of the launch plan; `None`
    /// if the step launches no kernel. All sizes of a launch are 0 if the sizes are unknown before
    /// execution.
    pub(super) launches: Vec<Option<Extent3>>,
}

/// Returns argument shapes that satisfy the size checks of the launch plan.
pub(super) fn solve(plan: &Plan, sizes: &[usize; 4], guess: Guess) -> Option<Values> {
    let most = most_dimensions(plan);
    // In a call of a program on vectors, a vector has as many elements as a matrix of the given
    // sizes.
    let sizes = match most {
        1 => [sizes[0] * sizes[1]; 4],
        _ => *sizes,
    };
    let mut values = Values {
        shapes: Vec::new(),
        scalars: vec![3; plan.arguments.len()],
        launches: Vec::new(),
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
    // Assign sizes until all checks hold. Each iteration propagates values by one check.
    for _ in 0..plan.checks.len() + 1 {
        let mut changed = false;
        for check in &plan.checks {
            let found = [&check.left, &check.right].map(|side| values.value(side));
            let [Some(left), Some(right)] = found else {
                continue;
            };
            // Values that satisfy the relation: a value for its right side, and a value for its
            // left side.
            let (more, less) = match check.relation {
                _ if check.relation.holds(left, right) => continue,
                Relation::Equal => (left, right),
                Relation::Less => (left + 1, right - 1),
                Relation::Greater => (left - 1, right + 1),
                Relation::LessOrEqual | Relation::GreaterOrEqual => (left, right),
                Relation::NotEqual => continue,
            };
            changed |=
                values.assign(plan, &check.right, more) || values.assign(plan, &check.left, less);
        }
        if !changed {
            break;
        }
    }
    let holds = plan
        .checks
        .iter()
        .all(|check| check.evaluate(|symbol| values.lookup(symbol)).is_ok());
    let value = |expr: &Expr| expr.evaluate(|symbol| values.lookup(symbol));
    let unknown = Extent3 {
        grid: [0; 3],
        block: [0; 3],
        dynamic_shared_bytes: 0,
    };
    let launches = plan.steps.iter().map(|step| step.extent(value));
    values.launches = launches
        .map(|extent| extent.unwrap_or(Some(unknown)))
        .collect();
    (holds || plan.entry_kind == EntryKind::Kernel).then_some(values)
}

pub(super) fn most_dimensions(plan: &Plan) -> usize {
    let ranks = plan.arguments.iter().map(|a| match &a.ty {
        ArgumentType::Memref(memref) => memref.shape.len(),
        ArgumentType::Scalar(_) => 0,
    });
    ranks.max().unwrap_or(0)
}

impl Values {
    /// Returns, for each step of the launch plan, whether the step launches a kernel.
    pub(super) fn launched(&self) -> Vec<bool> {
        self.launches.iter().map(Option::is_some).collect()
    }

    fn threads(&self) -> u64 {
        let launches = self.launches.iter().flatten();
        launches.fold(0, |all, launch| all.saturating_add(threads(*launch)))
    }

    fn counts(&self) -> impl Iterator<Item = usize> {
        let product =
            |shape: &Vec<usize>| shape.iter().fold(1usize, |n, size| n.saturating_mul(*size));
        self.shapes.iter().map(product)
    }

    pub(super) fn elements(&self) -> u64 {
        self.counts()
            .fold(0, |all, count| all.saturating_add(count as u64))
    }

    /// Returns the estimated cost of an input: threads of all launches plus elements of all
    /// arguments.
    pub(super) fn cost(&self) -> u64 {
        self.threads().saturating_add(self.elements())
    }

    pub(super) fn largest(&self) -> usize {
        self.counts().max().unwrap_or(0)
    }

    /// Returns the first argument with more than `most` elements, and its element count.
    pub(super) fn larger_than(&self, most: usize) -> Option<(usize, usize)> {
        self.counts().enumerate().find(|(_, count)| *count > most)
    }

    fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match symbol {
            Symbol::Dim { argument, dim } => Some(*self.shapes.get(argument)?.get(dim)? as i64),
            Symbol::Value { argument } => self.scalars.get(argument).copied(),
            // The executor aligns arguments to 256 bytes, like temporaries.
            Symbol::Address { .. } => Some(256),
            // Strides and offsets depend on sizes, never the reverse.
            _ => None,
        }
    }

    fn value(&self, expr: &Expr) -> Option<i64> {
        expr.evaluate(|symbol| self.lookup(symbol)).ok()
    }

    /// Assigns `value` to `expr` if `expr` is a dynamic size. Returns whether `expr` is a dynamic
    /// size.
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

pub(super) fn threads(launch: Extent3) -> u64 {
    let sizes = launch.grid.into_iter().chain(launch.block);
    sizes.map(u64::from).fold(1, u64::saturating_mul)
}
