//! Kernel launches whose grid sizes, block sizes and kernel parameters are numbers instead of plan
//! expressions.

use tx_plan::{Base, Condition, Expr, Operand, Plan, Step, View};

use super::arguments::{BoundArgument, BoundArguments};
use super::buffer::Buffer;
use crate::error::Error;
use crate::number::Number;
use crate::placement::reach;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Largest grid that a device can launch, in CTAs along x, y and z.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// Kernel launch with a grid of at least one CTA.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: String,
    /// Conditions on buffer addresses. The kernel is launched only if all conditions in `when` are
    /// true.
    pub(crate) when: Vec<Condition>,
    pub(crate) place: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) dynamic_shared: u32,
    pub(crate) params: Vec<Param>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    /// Address of the buffer with the given index.
    Address(usize),
    /// Value of 1 to 8 bytes, zero-extended.
    Value { bits: u64, size: usize },
}

/// Builder of launches: evaluates the sizes and the kernel parameters for bound arguments.
pub(super) struct LaunchBuilder<'p> {
    pub(super) plan: &'p Plan,
    pub(super) arguments: &'p BoundArguments,
    pub(super) buffers: &'p [Buffer],
}

impl LaunchBuilder<'_> {
    /// Returns the launch of a plan step; `None` for an empty grid. If `grid` is present, `grid`
    /// replaces the grid of the plan step.
    pub(super) fn launch(
        &self,
        step: &Step,
        when: Vec<Condition>,
        grid: Option<[u32; 3]>,
        place: &str,
    ) -> Result<Option<Launch>, Error> {
        let dims =
            |what: &str, exprs: &[Expr; 3], low: i64, high: [u32; 3]| -> Result<[u32; 3], Error> {
                let mut dims = [0; 3];
                for (axis, expr) in exprs.iter().enumerate() {
                    let place = || format!("{place}, {what} along {}", AXES[axis]);
                    let value = self.arguments.evaluate(expr, &place())?;
                    dims[axis] = u32::try_from(value)
                        .ok()
                        .filter(|value| i64::from(*value) >= low && *value <= high[axis])
                        .ok_or_else(|| Error::LaunchSize {
                            place: place(),
                            found: self.arguments.explain(value, expr),
                            expected: format!("{low} to {}", high[axis]),
                        })?;
                }
                Ok(dims)
            };
        let grid = match grid {
            Some(grid) => dims(
                "grid",
                &grid.map(|size| Expr::Const(size.into())),
                1,
                MAX_GRID,
            )?,
            // A grid with size 0 along one axis is empty, whatever its other sizes are.
            None if self.is_empty(&step.grid, place)? => return Ok(None),
            None => dims("grid", &step.grid, 0, MAX_GRID)?,
        };
        let block = dims("block", &step.block, 1, [1024, 1024, 64])?;
        let threads: u32 = block.iter().product();
        if threads > 1024 {
            return Err(Error::LaunchSize {
                place: format!("{place}, block"),
                found: format!("{threads} threads"),
                expected: "at most 1024".to_owned(),
            });
        }
        let cluster = step
            .cluster
            .as_ref()
            .map(|cluster| dims("cluster", cluster, 1, [16; 3]))
            .transpose()?;
        if let Some(cluster) = cluster {
            let ctas: u32 = cluster.iter().product();
            if ctas > 16 {
                return Err(Error::LaunchSize {
                    place: format!("{place}, cluster"),
                    found: format!("{ctas} CTAs"),
                    expected: "at most 16".to_owned(),
                });
            }
            if let Some(axis) = (0..3).find(|axis| grid[*axis] % cluster[*axis] != 0) {
                return Err(Error::LaunchSize {
                    place: format!("{place}, grid along {}", AXES[axis]),
                    found: grid[axis].to_string(),
                    expected: format!("a multiple of the {} CTAs of a cluster", cluster[axis]),
                });
            }
        }
        let shared_place = format!("{place}, dynamic shared bytes");
        let dynamic_shared = self
            .arguments
            .size(&step.dynamic_shared_bytes, &shared_place)?;
        let dynamic_shared = u32::try_from(dynamic_shared).map_err(|_| Error::LaunchSize {
            place: shared_place,
            found: self
                .arguments
                .explain(dynamic_shared as i64, &step.dynamic_shared_bytes),
            expected: format!("at most {}", u32::MAX),
        })?;
        let mut params = Vec::new();
        for (i, operand) in step.operands.iter().enumerate() {
            self.operand(operand, &format!("{place}, operand {i}"), &mut params)?;
        }
        Ok(Some(Launch {
            kernel: step.kernel.clone(),
            when,
            place: place.to_owned(),
            grid,
            block,
            cluster,
            dynamic_shared,
            params,
        }))
    }

    fn operand(
        &self,
        operand: &Operand,
        place: &str,
        params: &mut Vec<Param>,
    ) -> Result<(), Error> {
        let argument = |base: Base| &self.arguments.0[self.plan.buffer(base)];
        let mut whole = |base: Base| match argument(base) {
            BoundArgument::Scalar { element, bits } => params.push(Param::Value {
                bits: *bits,
                size: element.size(),
            }),
            BoundArgument::Memref {
                shape,
                placement,
                buffer,
                ..
            } => {
                let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
                descriptor(
                    params,
                    *buffer,
                    placement.offset,
                    &sizes,
                    &placement.strides,
                );
            }
        };
        match operand {
            Operand::Argument(index) => whole(Base::Argument(*index)),
            Operand::Temporary(index) => whole(Base::Temporary(*index)),
            Operand::View(View {
                base,
                offset,
                sizes,
                strides,
            }) => {
                let BoundArgument::Memref {
                    placement, buffer, ..
                } = argument(*base)
                else {
                    // `Plan::validate` has rejected a view of a scalar.
                    return Ok(());
                };
                let offset = self.arguments.evaluate(offset, place)?;
                let sizes = sizes
                    .iter()
                    .map(|size| self.arguments.size(size, place).map(|size| size as i64))
                    .collect::<Result<Vec<_>, _>>()?;
                let strides = strides
                    .iter()
                    .map(|stride| self.arguments.evaluate(stride, place))
                    .collect::<Result<Vec<_>, _>>()?;
                match reach(offset, &sizes, &strides) {
                    Some(None) => {}
                    Some(Some((first, last))) if first >= 0 && last < placement.extent as i128 => {}
                    reach => {
                        return Err(Error::LaunchSize {
                            place: place.to_owned(),
                            found: match reach.flatten() {
                                Some((first, last)) => {
                                    format!("a view of elements {first} to {last}")
                                }
                                None => "a view beyond the address space".to_owned(),
                            },
                            expected: format!(
                                "elements 0 to {} of {}",
                                placement.extent as i128 - 1,
                                self.buffers[*buffer].label
                            ),
                        });
                    }
                }
                descriptor(params, *buffer, offset, &sizes, &strides);
            }
            Operand::Scalar { ty, value } => {
                let number = self.arguments.evaluate(value, place)?;
                let bits = Number::from(number)
                    .to_bits(*ty)
                    .ok_or_else(|| Error::LaunchSize {
                        place: place.to_owned(),
                        found: self.arguments.explain(number, value),
                        expected: format!("a value of {ty}"),
                    })?;
                params.push(Param::Value {
                    bits,
                    size: ty.size(),
                });
            }
            Operand::Constant { ty, bits } => params.push(Param::Value {
                bits: *bits,
                size: ty.size(),
            }),
        }
        Ok(())
    }

    fn is_empty(&self, grid: &[Expr; 3], place: &str) -> Result<bool, Error> {
        let sizes = grid
            .iter()
            .zip(AXES)
            .map(|(size, axis)| {
                self.arguments
                    .evaluate(size, &format!("{place}, grid along {axis}"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(sizes.contains(&0) && sizes.iter().all(|size| *size >= 0))
    }
}

/// Appends MLIR's expanded memref descriptor: allocated pointer, aligned pointer, offset, sizes,
/// strides.
fn descriptor(params: &mut Vec<Param>, buffer: usize, offset: i64, sizes: &[i64], strides: &[i64]) {
    params.extend([Param::Address(buffer), Param::Address(buffer)]);
    let words = [offset];
    params.extend(
        words
            .iter()
            .chain(sizes)
            .chain(strides)
            .map(|word| Param::Value {
                bits: *word as u64,
                size: 8,
            }),
    );
}
