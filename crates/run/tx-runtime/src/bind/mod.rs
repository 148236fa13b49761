//! Binds arguments to a launch plan. The result of the binding is a list of buffers, and a list of
//! launches with numeric sizes.
//!
//! An invalid argument is reported before a device is accessed.

mod arguments;
mod buffer;
mod check;
mod launch;
#[cfg(test)]
mod tests;

pub use check::check_arguments;
pub use launch::MAX_GRID;
pub(crate) use launch::{Launch, Param};

use tx_plan::{Argument, ArgumentType, Base, Condition, Plan, Step};

use crate::array::{Array, byte_count, zeroed};
use crate::device_array::{DeviceArg, check_address};
use crate::error::Error;
use crate::placement::Placement;
use crate::spec::Arg;
use arguments::{BoundArgument, BoundArguments};
use buffer::Buffer;
use check::{check, check_count, check_grid, check_shape, mismatch};
use launch::LaunchBuilder;

/// Plan whose arguments are bound: the buffers and the launches of a run.
#[derive(Debug)]
pub(crate) struct BoundPlan {
    /// Buffers of the memref arguments, in order, followed by the buffers of the temporaries.
    pub(crate) buffers: Vec<Buffer>,
    /// Launches whose conditions on argument sizes are true for the bound arguments. Each run
    /// evaluates the remaining launch conditions, which depend on buffer addresses.
    launches: Vec<Launch>,
    arguments: BoundArguments,
}

/// Checks whether the program can be launched with the given arguments.
///
/// # Errors
/// Returns the same errors that a run returns before its first launch.
pub fn check_launch(plan: &Plan, args: &[Arg], grid: Option<[u32; 3]>) -> Result<(), Error> {
    BoundPlan::new(plan, args.to_vec(), grid).map(drop)
}

impl BoundPlan {
    pub(crate) fn new(plan: &Plan, args: Vec<Arg>, grid: Option<[u32; 3]>) -> Result<Self, Error> {
        // The function checks all arguments before it copies any argument into another layout.
        check_arguments(plan, &args)?;
        check_grid(plan, grid)?;
        let mut bound = Self::empty();
        for (index, (arg, argument)) in args.into_iter().zip(&plan.arguments).enumerate() {
            bound.bind(index, arg, argument)?;
        }
        bound.complete(plan, grid)
    }

    pub(crate) fn in_place(
        plan: &Plan,
        args: Vec<DeviceArg>,
        grid: Option<[u32; 3]>,
    ) -> Result<Self, Error> {
        check_count(plan, args.len())?;
        check_grid(plan, grid)?;
        let mut bound = Self::empty();
        for (index, (arg, argument)) in args.into_iter().zip(&plan.arguments).enumerate() {
            bound.bind_in_place(index, arg, argument)?;
        }
        bound.complete(plan, grid)
    }

    fn empty() -> Self {
        Self {
            buffers: Vec::new(),
            launches: Vec::new(),
            arguments: BoundArguments::default(),
        }
    }

    fn complete(mut self, plan: &Plan, grid: Option<[u32; 3]>) -> Result<Self, Error> {
        let bound = &mut self;
        for check in &plan.checks {
            check.evaluate(|symbol| bound.arguments.lookup(symbol))?;
        }
        let places: Vec<String> = (plan.steps.iter().enumerate())
            .map(|(i, step)| format!("step {i} (`{}`)", step.kernel))
            .collect();
        let mut selected = Vec::new();
        for (step, place) in plan.steps.iter().zip(&places) {
            match bound.select(step, place)? {
                Some(when) => selected.push((step, place, when)),
                None => tracing::debug!("{place} is for other arguments and is skipped"),
            }
        }
        let first_temporary = bound.buffers.len();
        for (i, temporary) in plan.temporaries.iter().enumerate() {
            let place = format!("temporary {i}");
            // If all steps that use a temporary are skipped, the size of the temporary may be
            // invalid, and is not evaluated.
            let uses = |step: &Step| step.uses(Base::Temporary(i));
            let is_used = selected.iter().any(|(step, ..)| uses(step));
            let shape = match is_used || !plan.steps.iter().any(uses) {
                true => (temporary.shape.iter())
                    .map(|size| bound.arguments.size(size, &place))
                    .collect::<Result<Vec<usize>, _>>()?,
                false => vec![0],
            };
            let too_large = |error: Error| match error {
                Error::OutOfMemory { what, bytes } => Error::OutOfMemory {
                    what: format!("{place}, {what}"),
                    bytes,
                },
                error => error,
            };
            let bytes = byte_count(temporary.element, &shape).map_err(too_large)?;
            bound.buffers.push(Buffer {
                label: place,
                bytes,
                element: temporary.element,
                contents: None,
                address: None,
                cleared: temporary.cleared,
                read_back: false,
            });
            bound.arguments.0.push(BoundArgument::Memref {
                element: temporary.element,
                placement: Placement::contiguous(&shape),
                shape,
                buffer: first_temporary + i,
                written: false,
                unsigned: false,
            });
        }
        let builder = LaunchBuilder {
            plan,
            arguments: &bound.arguments,
            buffers: &bound.buffers,
        };
        for (step, place, when) in selected {
            match builder.launch(step, when, grid, place)? {
                Some(launch) => bound.launches.push(launch),
                None => tracing::debug!("{place} has an empty grid and is skipped"),
            }
        }
        bound.arguments.0.truncate(plan.arguments.len());
        Ok(self)
    }

    /// Returns the address-dependent conditions of a launch step. Returns `None` if a condition
    /// that does not depend on buffer addresses is false.
    fn select(&self, step: &Step, place: &str) -> Result<Option<Vec<Condition>>, Error> {
        let mut open = Vec::new();
        for condition in &step.when {
            if condition.needs_address() {
                open.push(condition.clone());
            } else if !self.arguments.holds(condition, place, |_| None)? {
                return Ok(None);
            }
        }
        Ok(Some(open))
    }

    /// Returns the launches whose conditions are true for at least one choice of buffer addresses.
    pub(crate) fn possible(&self) -> &[Launch] {
        &self.launches
    }

    /// Returns the launches of a run whose buffers have the given addresses. The function returns
    /// each launch together with the index of the launch in [`BoundPlan::possible`].
    pub(crate) fn launches<'j>(
        &'j self,
        address: impl Fn(usize) -> Option<u64> + Copy + 'j,
    ) -> impl Iterator<Item = Result<(usize, &'j Launch), Error>> + 'j {
        self.launches
            .iter()
            .enumerate()
            .filter_map(move |(i, launch)| {
                for condition in &launch.when {
                    match self.arguments.holds(condition, &launch.place, address) {
                        Ok(true) => {}
                        Ok(false) => return None,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Some(Ok((i, launch)))
            })
    }

    /// Returns the index of the buffer of an argument whose array is in the caller's device memory.
    /// Fails if the argument is not in the caller's device memory, or if `address` is invalid for
    /// this argument.
    pub(crate) fn at(&self, index: usize, address: u64) -> Result<usize, Error> {
        let refuse = |expected: String, hint: Option<String>| Error::Argument {
            index,
            found: format!("the address {address:#x}"),
            expected,
            hint,
        };
        let Some(BoundArgument::Memref {
            element,
            shape,
            buffer,
            ..
        }) = self.arguments.0.get(index)
        else {
            let count = self.arguments.0.len();
            return Err(refuse(
                "a memref argument".to_owned(),
                Some(format!("there are {count} arguments, counted from 0")),
            ));
        };
        if self.buffers[*buffer].address.is_none() {
            return Err(refuse(
                "an argument in device memory of the caller".to_owned(),
                None,
            ));
        }
        check_address(address, *element, shape.contains(&0))
            .map_err(|hint| refuse(format!("an array of {element} on the device"), Some(hint)))?;
        Ok(*buffer)
    }

    fn bind_in_place(
        &mut self,
        index: usize,
        arg: DeviceArg,
        argument: &Argument,
    ) -> Result<(), Error> {
        let array = match arg {
            DeviceArg::Scalar(value) => {
                let arg = Arg::Scalar(value);
                check(index, &arg, argument)?;
                return self.bind(index, arg, argument);
            }
            DeviceArg::Array(array) => array,
        };
        let refuse = |hint: Option<String>| Error::Argument {
            index,
            found: array.describe(),
            expected: argument.ty.to_string(),
            hint,
        };
        let ArgumentType::Memref(memref) = &argument.ty else {
            return Err(refuse(Some("a scalar is passed as a number".to_owned())));
        };
        if array.element() != memref.element {
            return Err(refuse(None));
        }
        check_shape(array.shape(), memref).map_err(|hint| refuse(Some(hint)))?;
        let placement = array.placement(memref).map_err(|hint| refuse(Some(hint)))?;
        let buffer = self.buffers.len();
        self.buffers.push(Buffer {
            label: format!("argument {index}"),
            bytes: byte_count(memref.element, &[placement.extent])?,
            element: memref.element,
            contents: None,
            address: Some(array.address()),
            cleared: false,
            read_back: false,
        });
        self.arguments.0.push(BoundArgument::Memref {
            element: memref.element,
            shape: array.shape().to_vec(),
            placement,
            buffer,
            written: argument.written,
            unsigned: false,
        });
        Ok(())
    }

    /// Returns the contents of each argument after the run, with a flag that is set if the program
    /// may have written the argument. The returned list contains `None` for a scalar argument, and
    /// for an array in the caller's device memory.
    pub(crate) fn into_arrays(mut self) -> Result<Vec<Option<(Array, bool)>>, Error> {
        self.arguments
            .0
            .into_iter()
            .map(|argument| match argument {
                BoundArgument::Scalar { .. } => Ok(None),
                BoundArgument::Memref {
                    element,
                    shape,
                    placement,
                    buffer,
                    written,
                    unsigned,
                } => {
                    let buffer = &mut self.buffers[buffer];
                    if buffer.address.is_some() {
                        return Ok(None);
                    }
                    let contents = buffer.contents.take().unwrap_or_default();
                    let bytes = if placement.contiguous {
                        contents
                    } else {
                        let mut bytes =
                            zeroed(byte_count(element, &shape)?, || buffer.label.clone())?;
                        placement.for_each(&shape, element.size(), |dense, placed| {
                            bytes[dense.clone()].copy_from_slice(&contents[placed.clone()]);
                        });
                        bytes
                    };
                    let array = Array::new(element, shape, bytes)?.with_unsigned(unsigned);
                    Ok(Some((array, written)))
                }
            })
            .collect()
    }

    fn bind(&mut self, index: usize, arg: Arg, argument: &Argument) -> Result<(), Error> {
        let argument = match (arg, &argument.ty) {
            (Arg::Array(array), ArgumentType::Memref(memref)) => {
                let label = format!("argument {index}");
                let (shape, unsigned) = (array.shape().to_vec(), array.is_unsigned());
                let placement = Placement::new(memref, &shape).map_err(|hint| Error::Argument {
                    index,
                    found: format!("an array {}", array.describe()),
                    expected: memref.to_string(),
                    hint: Some(hint),
                })?;
                let bytes = byte_count(memref.element, &[placement.extent])?;
                let contents = if placement.contiguous {
                    array.into_bytes()
                } else {
                    let mut contents = zeroed(bytes, || label.clone())?;
                    placement.for_each(&shape, memref.element.size(), |dense, placed| {
                        contents[placed.clone()].copy_from_slice(&array.bytes()[dense.clone()]);
                    });
                    if !placement.injective {
                        placement
                            .check_shared(memref, &array, &contents)
                            .map_err(|hint| Error::Argument {
                                index,
                                found: format!("an array {}", array.describe()),
                                expected: memref.to_string(),
                                hint: Some(hint),
                            })?;
                    }
                    contents
                };
                let buffer = self.buffers.len();
                self.buffers.push(Buffer {
                    label,
                    bytes,
                    element: memref.element,
                    contents: Some(contents),
                    address: None,
                    cleared: false,
                    read_back: argument.written,
                });
                BoundArgument::Memref {
                    element: memref.element,
                    shape,
                    placement,
                    buffer,
                    written: argument.written,
                    unsigned,
                }
            }
            (Arg::Scalar(value), ArgumentType::Scalar(element)) => {
                let bits = value.to_bits(*element).ok_or(Error::Value {
                    value,
                    element: *element,
                })?;
                BoundArgument::Scalar {
                    element: *element,
                    bits,
                }
            }
            // `check` has rejected these combinations of argument and type.
            (arg, ty) => return Err(mismatch(index, &arg, ty, None)),
        };
        self.arguments.0.push(argument);
        Ok(())
    }
}
