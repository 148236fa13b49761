//! Reads the attribute `schedule` of a grid-level op.

use super::grid_op::GridOp;
use super::steps::{Case, Step};
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use tx_mlir::{Code, Failed, attribute, codes, elements, error, string_value};

impl<'c> GridOp<'c> {
    pub(crate) fn written_schedule(&self) -> Result<Option<Vec<Case>>, Failed> {
        self.written_cases('d', self.extents.len())
    }

    /// Returns the cases of the attribute `schedule`, if present. A case (`#tile.case`) specifies
    /// the maximum length of one loop. The parameter `count` is the number of loops of the op. The
    /// character `loops` is the first character of each loop name, such as `d` in `d1`. Unless
    /// several ops share a kernel, the last case must be `#tile.otherwise`, which covers all
    /// remaining loop lengths.
    pub(crate) fn written_cases(
        &self,
        loops: char,
        count: usize,
    ) -> Result<Option<Vec<Case>>, Failed> {
        let Some(written) = attribute(self.op, "schedule") else {
            return Ok(None);
        };
        let list = elements(written)
            .ok_or_else(|| self.refuse(codes::TX0303, "`schedule` must be a list of steps"))?;
        if !list.iter().any(|a| Case::of(*a, loops).is_some()) {
            return Ok(Some(vec![Case::always(self.steps_of(list)?)]));
        }
        let mut cases: Vec<Case> = Vec::new();
        for (i, attribute) in list.iter().enumerate() {
            let (up_to, steps) = Case::of(*attribute, loops).ok_or_else(|| {
                self.refuse(
                    codes::TX0304,
                    format!("`{attribute}` is not a case, but the schedule is a list of cases"),
                )
            })?;
            let is_last = i + 1 == list.len();
            match up_to {
                None if is_last => {}
                None => {
                    return Err(self.refuse(
                        codes::TX0304,
                        "`#tile.otherwise` is not the last case of the schedule",
                    ));
                }
                Some(_) if is_last && loops == 'd' => {
                    return Err(self.refuse(
                        codes::TX0304,
                        "the last case of the schedule must be `#tile.otherwise`",
                    ));
                }
                Some(up_to) if up_to.dimension >= count => {
                    return Err(self.refuse(
                        codes::TX0301,
                        format!(
                            "a case of the schedule names an unknown dimension `{loops}{}`",
                            up_to.dimension
                        ),
                    ));
                }
                Some(up_to) => {
                    let refuse = |reason| {
                        let case = format!("the case of `{loops}{}` {up_to}", up_to.dimension);
                        Err(self.refuse(codes::TX0304, format!("{case} {reason}")))
                    };
                    if up_to.length < 1 {
                        return refuse(
                            "covers no length: expected a limit of 1 or more".to_owned(),
                        );
                    }
                    if up_to.multiple_of < 1 {
                        return refuse(
                            "covers no length: expected a divisor of 1 or more".to_owned(),
                        );
                    }
                    let mut earlier = cases.iter().filter_map(|case| case.up_to);
                    if let Some(before) = earlier.find(|before| before.covers(up_to)) {
                        return refuse(format!(
                            "follows the case {before}: expected a greater limit"
                        ));
                    }
                }
            }
            let steps = elements(steps).ok_or_else(|| {
                self.refuse(codes::TX0304, "a case of the schedule has no list of steps")
            })?;
            cases.push(Case {
                up_to,
                steps: self.steps_of(steps)?,
            });
        }
        Ok(Some(cases))
    }

    fn refuse(&self, code: Code, message: impl Into<String>) -> Failed {
        error(self.op.location(), message.into()).code(code).emit()
    }

    fn steps_of(&self, list: Vec<Attribute<'c>>) -> Result<Vec<Step>, Failed> {
        let step = |a| {
            Step::of(a).ok_or_else(|| {
                let found = string_value(a).unwrap_or_else(|| a.to_string());
                error(
                    self.op.location(),
                    format!("`{found}` is not a schedule step"),
                )
                .code(codes::TX0303)
                .note(
                    "known: #tile.split, #tile.align, #tile.fuse, #tile.reorder, \
                         #tile.bind, #tile.rfactor, #tile.unroll, #tile.vectorize, #tile.stream, \
                         #tile.evict_last, #tile.prefetch, #tile.resident, #tile.hold, \
                         #tile.last_block",
                )
                .emit()
            })
        };
        list.into_iter().map(step).collect()
    }
}
