//! Checks of the consistency of a launch plan.

use crate::condition::{Condition, exactly_one};
use crate::expr::{Expr, Symbol};
use crate::plan::{
    Argument, Base, EntryKind, Operand, Plan, PlanError, VERSION, View, alternatives,
};
use crate::types::{ArgumentType, MemorySpace};

impl Plan {
    /// Checks the consistency of the plan. Every index and symbol must refer to an object of the
    /// plan, and each view must have as many strides as sizes. For any arguments, the conditions of
    /// exactly one alternative of each choice must be true.
    ///
    /// # Errors
    /// Returns the first inconsistency.
    pub fn validate(&self) -> Result<(), PlanError> {
        if self.version != VERSION {
            return Err(PlanError::Version {
                found: u64::from(self.version),
            });
        }
        for (i, argument) in self.arguments.iter().enumerate() {
            self.validate_argument(argument)
                .map_err(|reason| PlanError::Invalid {
                    place: format!("argument {i}"),
                    reason,
                })?;
        }
        for (i, check) in self.checks.iter().enumerate() {
            self.check_symbols([&check.left, &check.right])
                .map_err(|reason| PlanError::Invalid {
                    place: format!("check {i}"),
                    reason,
                })?;
        }
        for (i, temporary) in self.temporaries.iter().enumerate() {
            self.check_symbols(&temporary.shape)
                .map_err(|reason| PlanError::Invalid {
                    place: format!("temporary {i}"),
                    reason,
                })?;
        }
        if self.entry_kind == EntryKind::Kernel && self.steps.len() != 1 {
            return Err(PlanError::Invalid {
                place: "steps".to_owned(),
                reason: format!(
                    "found {} launches of a kernel entry, expected 1",
                    self.steps.len()
                ),
            });
        }
        self.check_choices()?;
        for (i, step) in self.steps.iter().enumerate() {
            let place = || format!("step {i} (`{}`)", step.kernel);
            for condition in &step.when {
                condition
                    .check()
                    .and_then(|()| self.check_condition(condition))
                    .map_err(|reason| PlanError::Invalid {
                        place: place(),
                        reason,
                    })?;
            }
            let sizes = step
                .grid
                .iter()
                .chain(&step.block)
                .chain(step.cluster.iter().flatten());
            self.check_symbols(sizes.chain([&step.dynamic_shared_bytes]))
                .map_err(|reason| PlanError::Invalid {
                    place: place(),
                    reason,
                })?;
            for (j, operand) in step.operands.iter().enumerate() {
                self.validate_operand(operand)
                    .map_err(|reason| PlanError::Invalid {
                        place: format!("{}, operand {j}", place()),
                        reason,
                    })?;
            }
        }
        Ok(())
    }

    /// Checks that the choices of the plan are numbered in step order. For each choice, also checks
    /// that, for any arguments, the conditions of exactly one alternative are true.
    fn check_choices(&self) -> Result<(), PlanError> {
        let mut expected = 0;
        for steps in self.steps.chunk_by(|a, b| a.choice == b.choice) {
            let Some(choice) = steps.first().and_then(|step| step.choice) else {
                continue;
            };
            let checked = if choice == expected {
                exactly_one(alternatives(steps)).map_err(|error| error.to_string())
            } else {
                Err(format!(
                    "found its steps out of order, expected choice {expected}"
                ))
            };
            checked.map_err(|reason| PlanError::Invalid {
                place: format!("choice {choice}"),
                reason,
            })?;
            expected += 1;
        }
        Ok(())
    }

    fn validate_argument(&self, argument: &Argument) -> Result<(), String> {
        let ArgumentType::Memref(memref) = &argument.ty else {
            return if argument.written {
                Err("a scalar cannot be written".to_owned())
            } else {
                Ok(())
            };
        };
        if let Some(size) = memref
            .shape
            .iter()
            .filter_map(|size| size.known())
            .find(|size| *size < 0)
        {
            return Err(format!(
                "found a dimension of {size} in `{memref}`, expected 0 or more"
            ));
        }
        if memref.strides().len() != memref.rank() {
            return Err(format!(
                "found {} strides for the {} dimensions of `{memref}`",
                memref.strides().len(),
                memref.rank()
            ));
        }
        if memref.space != MemorySpace::Global {
            return Err(format!(
                "`{memref}` is not in global memory, expected a memref in global memory"
            ));
        }
        Ok(())
    }

    fn validate_operand(&self, operand: &Operand) -> Result<(), String> {
        match operand {
            Operand::Argument(index) => self.check_argument(*index).map(|_| ()),
            Operand::Temporary(index) => self.check_base(Base::Temporary(*index)),
            Operand::View(View {
                base,
                offset,
                sizes,
                strides,
            }) => {
                self.check_base(*base)?;
                if sizes.len() != strides.len() {
                    return Err(format!(
                        "found {} strides for {} sizes",
                        strides.len(),
                        sizes.len()
                    ));
                }
                self.check_symbols(sizes.iter().chain(strides).chain([offset]))
            }
            Operand::Scalar { ty, value } => {
                if ty.is_float() {
                    return Err(format!(
                        "found a computed scalar of type {ty}, expected an integer type or index"
                    ));
                }
                self.check_symbols([value])
            }
            Operand::Constant { ty, bits } => {
                let width = 8 * ty.size() as u32;
                if bits.checked_shr(width).unwrap_or(0) != 0 {
                    return Err(format!(
                        "constant {bits:#x} does not fit the {width} bits of {ty}"
                    ));
                }
                Ok(())
            }
        }
    }

    fn check_argument(&self, index: usize) -> Result<&Argument, String> {
        self.arguments.get(index).ok_or_else(|| {
            format!(
                "found argument {index}, expected one of the {} arguments",
                self.arguments.len()
            )
        })
    }

    fn check_base(&self, base: Base) -> Result<(), String> {
        match base {
            Base::Argument(index) => match &self.check_argument(index)?.ty {
                ArgumentType::Memref(_) => Ok(()),
                ArgumentType::Scalar(ty) => {
                    Err(format!("argument {index} has type {ty}, expected a memref"))
                }
            },
            Base::Temporary(index) if index < self.temporaries.len() => Ok(()),
            Base::Temporary(index) => Err(format!(
                "found temporary {index}, expected one of the {} temporaries",
                self.temporaries.len()
            )),
        }
    }

    fn check_symbols<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<(), String> {
        first_error(exprs, |symbol| match symbol {
            Symbol::Address { .. } => Err("an address is allowed only in conditions".to_owned()),
            _ => self.check_symbol(symbol),
        })
    }

    fn check_condition(&self, condition: &Condition) -> Result<(), String> {
        first_error(condition.exprs(), |symbol| self.check_symbol(symbol))
    }

    fn check_symbol(&self, symbol: Symbol) -> Result<(), String> {
        let ty = &self.check_argument(symbol.argument())?.ty;
        let fits = match (symbol, ty) {
            (
                Symbol::Dim { dim, .. } | Symbol::Stride { dim, .. },
                ArgumentType::Memref(memref),
            ) => dim < memref.rank(),
            (Symbol::Offset { .. } | Symbol::Address { .. }, ArgumentType::Memref(_)) => true,
            (Symbol::Value { .. }, ArgumentType::Scalar(element)) => !element.is_float(),
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(format!(
                "`{symbol}` is not defined for an argument of type `{ty}`"
            ))
        }
    }
}

/// Calls `check` for every symbol of the expressions `exprs`, and returns the first error of
/// `check`.
fn first_error<'e>(
    exprs: impl IntoIterator<Item = &'e Expr>,
    check: impl Fn(Symbol) -> Result<(), String>,
) -> Result<(), String> {
    let mut result = Ok(());
    for expr in exprs {
        expr.for_each_symbol(&mut |symbol| {
            if result.is_ok() {
                result = check(symbol).map_err(|reason| format!("`{expr}`: {reason}"));
            }
        });
    }
    result
}
