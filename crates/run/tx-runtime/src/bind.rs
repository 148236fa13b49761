//! Binds arguments to a launch plan. The result of the binding is a list of buffers, and a list of
//! launches with numeric sizes.
//!
//! An invalid argument is reported before a device is accessed.

use tx_plan::{
    Argument, ArgumentType, Base, Condition, ElementType, EntryKind, Expr, ExprError, MemrefType,
    Operand, Plan, Step, Symbol, View,
};

use crate::array::{Array, byte_count, zeroed};
use crate::device_array::{DeviceArg, check_address};
use crate::error::Error;
use crate::number::Number;
use crate::placement::{Placement, reach};
use crate::spec::Arg;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Largest grid that a device can launch, in CTAs along x, y and z.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

#[derive(Debug)]
pub(crate) struct Job {
    /// Buffers of the memref arguments, in order, followed by the buffers of the temporaries.
    pub(crate) buffers: Vec<Buffer>,
    /// Launches whose conditions on sizes are true. The conditions of these launches on addresses
    /// are evaluated later, for each run.
    launches: Vec<Launch>,
    arguments: Vec<Bound>,
}

#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) label: String,
    pub(crate) bytes: usize,
    /// Initial contents of the buffer, which are `bytes` bytes long; `None` for a temporary, and
    /// for device memory of the caller.
    pub(crate) contents: Option<Vec<u8>>,
    /// Device address, if the caller owns the memory.
    pub(crate) address: Option<u64>,
    /// Whether a buffer without initial contents is filled with zeros before the first run.
    pub(crate) cleared: bool,
    #[cfg_attr(
        not(feature = "simt"),
        expect(dead_code, reason = "only the executor places arrays anywhere")
    )]
    pub(crate) element: ElementType,
    /// Whether the final contents of the buffer are copied back and replace `contents`.
    pub(crate) read_back: bool,
}

/// Kernel launch with a grid of at least one CTA.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: String,
    /// Conditions on addresses under which the kernel is launched.
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
    /// Address of the buffer with this index.
    Address(usize),
    /// Value of 1 to 8 bytes, zero-extended.
    Value { bits: u64, size: usize },
}

#[derive(Debug)]
enum Bound {
    Memref {
        element: ElementType,
        shape: Vec<usize>,
        placement: Placement,
        buffer: usize,
        written: bool,
        unsigned: bool,
    },
    Scalar {
        element: ElementType,
        bits: u64,
    },
}

/// Checks that the number of arguments, and their element types, ranks and static sizes match a
/// plan.
///
/// # Errors
/// Returns [`Error::ArgumentCount`], or [`Error::Argument`] for the first invalid argument.
pub fn check_arguments(plan: &Plan, args: &[Arg]) -> Result<(), Error> {
    check_count(plan, args.len())?;
    for (index, (arg, argument)) in args.iter().zip(&plan.arguments).enumerate() {
        check(index, arg, argument)?;
    }
    Ok(())
}

/// Checks whether a program can be launched with these arguments. Nothing is launched.
///
/// # Errors
/// Returns every error that a run reports before its first launch.
pub fn check_launch(plan: &Plan, args: &[Arg], grid: Option<[u32; 3]>) -> Result<(), Error> {
    Job::new(plan, args.to_vec(), grid).map(drop)
}

fn check_count(plan: &Plan, found: usize) -> Result<(), Error> {
    match plan.arguments.len() {
        expected if expected == found => Ok(()),
        expected => Err(Error::ArgumentCount {
            found,
            expected,
            signature: signature(plan),
        }),
    }
}

fn check_grid(plan: &Plan, grid: Option<[u32; 3]>) -> Result<(), Error> {
    if grid.is_some() && plan.entry_kind != EntryKind::Kernel {
        return Err(Error::GridOfFunction {
            entry: plan.entry.clone(),
        });
    }
    Ok(())
}

impl Job {
    pub(crate) fn new(plan: &Plan, args: Vec<Arg>, grid: Option<[u32; 3]>) -> Result<Self, Error> {
        // All arguments are checked before any is copied into another layout.
        check_arguments(plan, &args)?;
        check_grid(plan, grid)?;
        let mut job = Self::empty();
        for (index, (arg, argument)) in args.into_iter().zip(&plan.arguments).enumerate() {
            job.bind(index, arg, argument)?;
        }
        job.complete(plan, grid)
    }

    pub(crate) fn in_place(
        plan: &Plan,
        args: Vec<DeviceArg>,
        grid: Option<[u32; 3]>,
    ) -> Result<Self, Error> {
        check_count(plan, args.len())?;
        check_grid(plan, grid)?;
        let mut job = Self::empty();
        for (index, (arg, argument)) in args.into_iter().zip(&plan.arguments).enumerate() {
            job.bind_in_place(index, arg, argument)?;
        }
        job.complete(plan, grid)
    }

    fn empty() -> Self {
        Self {
            buffers: Vec::new(),
            launches: Vec::new(),
            arguments: Vec::new(),
        }
    }

    fn complete(mut self, plan: &Plan, grid: Option<[u32; 3]>) -> Result<Self, Error> {
        let job = &mut self;
        for check in &plan.checks {
            check.evaluate(|symbol| job.lookup(symbol))?;
        }
        let places: Vec<String> = (plan.steps.iter().enumerate())
            .map(|(i, step)| format!("step {i} (`{}`)", step.kernel))
            .collect();
        let mut selected = Vec::new();
        for (step, place) in plan.steps.iter().zip(&places) {
            match job.select(step, place)? {
                Some(when) => selected.push((step, place, when)),
                None => tracing::debug!("{place} is for other arguments and is skipped"),
            }
        }
        let first_temporary = job.buffers.len();
        for (i, temporary) in plan.temporaries.iter().enumerate() {
            let place = format!("temporary {i}");
            // If all steps that use a temporary are skipped, its size may be invalid, and is not
            // evaluated.
            let uses = |step: &Step| step.uses(Base::Temporary(i));
            let is_used = selected.iter().any(|(step, ..)| uses(step));
            let shape = match is_used || !plan.steps.iter().any(uses) {
                true => (temporary.shape.iter())
                    .map(|size| job.size(size, &place))
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
            job.buffers.push(Buffer {
                label: place,
                bytes,
                element: temporary.element,
                contents: None,
                address: None,
                cleared: temporary.cleared,
                read_back: false,
            });
            job.arguments.push(Bound::Memref {
                element: temporary.element,
                placement: Placement::contiguous(&shape),
                shape,
                buffer: first_temporary + i,
                written: false,
                unsigned: false,
            });
        }
        for (step, place, when) in selected {
            match job.launch(plan, step, when, grid, place)? {
                Some(launch) => job.launches.push(launch),
                None => tracing::debug!("{place} has an empty grid and is skipped"),
            }
        }
        job.arguments.truncate(plan.arguments.len());
        Ok(self)
    }

    /// Returns the conditions of a step that depend on addresses. Returns `None` if a condition
    /// without addresses is false.
    fn select(&self, step: &Step, place: &str) -> Result<Option<Vec<Condition>>, Error> {
        let mut open = Vec::new();
        for condition in &step.when {
            if condition.needs_address() {
                open.push(condition.clone());
            } else if !self.holds(condition, place, |_| None)? {
                return Ok(None);
            }
        }
        Ok(Some(open))
    }

    fn holds(
        &self,
        condition: &Condition,
        place: &str,
        address: impl Fn(usize) -> Option<u64>,
    ) -> Result<bool, Error> {
        let lookup = |symbol| match symbol {
            Symbol::Address { argument } => match self.arguments.get(argument)? {
                Bound::Memref { buffer, .. } => i64::try_from(address(*buffer)?).ok(),
                Bound::Scalar { .. } => None,
            },
            symbol => self.lookup(symbol),
        };
        condition
            .holds(|expr| expr.evaluate(lookup))
            .map_err(|error| Error::Launch {
                place: format!("{place}, `{condition}`"),
                error,
            })
    }

    /// Returns the launches whose conditions are true for at least one choice of buffer addresses.
    pub(crate) fn possible(&self) -> &[Launch] {
        &self.launches
    }

    /// Returns the launches of a run whose buffers have the given addresses. Each launch is
    /// returned with its index in [`Job::possible`].
    pub(crate) fn launches<'j>(
        &'j self,
        address: impl Fn(usize) -> Option<u64> + Copy + 'j,
    ) -> impl Iterator<Item = Result<(usize, &'j Launch), Error>> + 'j {
        self.launches
            .iter()
            .enumerate()
            .filter_map(move |(i, launch)| {
                for condition in &launch.when {
                    match self.holds(condition, &launch.place, address) {
                        Ok(true) => {}
                        Ok(false) => return None,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Some(Ok((i, launch)))
            })
    }

    /// Returns the buffer index of an argument in the caller's device memory. Fails if the argument
    /// is not in the caller's device memory, or if `address` is invalid for this argument.
    pub(crate) fn at(&self, index: usize, address: u64) -> Result<usize, Error> {
        let refuse = |expected: String, hint: Option<String>| Error::Argument {
            index,
            found: format!("the address {address:#x}"),
            expected,
            hint,
        };
        let Some(Bound::Memref {
            element,
            shape,
            buffer,
            ..
        }) = self.arguments.get(index)
        else {
            let count = self.arguments.len();
            return Err(refuse(
                "a memref argument".to_owned(),
                Some(format!("there are {count} arguments, counted from 0")),
            ));
        };
        if self.buffers[*buffer].address.is_none() {
            return Err(refuse(
                "an argument on memory of the caller's".to_owned(),
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
        self.arguments.push(Bound::Memref {
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
    /// may have written the argument. The entry of a scalar argument, and of an array in the
    /// caller's device memory, is `None`.
    pub(crate) fn into_arrays(mut self) -> Result<Vec<Option<(Array, bool)>>, Error> {
        self.arguments
            .into_iter()
            .map(|bound| match bound {
                Bound::Scalar { .. } => Ok(None),
                Bound::Memref {
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
        let bound = match (arg, &argument.ty) {
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
                Bound::Memref {
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
                Bound::Scalar {
                    element: *element,
                    bits,
                }
            }
            // `check` has rejected these combinations of argument and type.
            (arg, ty) => return Err(mismatch(index, &arg, ty, None)),
        };
        self.arguments.push(bound);
        Ok(())
    }

    fn launch(
        &self,
        plan: &Plan,
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
                    let value = self.evaluate(expr, &place())?;
                    dims[axis] = u32::try_from(value)
                        .ok()
                        .filter(|value| i64::from(*value) >= low && *value <= high[axis])
                        .ok_or_else(|| Error::LaunchSize {
                            place: place(),
                            found: self.explain(value, expr),
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
        let dynamic_shared = self.size(&step.dynamic_shared_bytes, &shared_place)?;
        let dynamic_shared = u32::try_from(dynamic_shared).map_err(|_| Error::LaunchSize {
            place: shared_place,
            found: self.explain(dynamic_shared as i64, &step.dynamic_shared_bytes),
            expected: format!("at most {}", u32::MAX),
        })?;
        let mut params = Vec::new();
        for (i, operand) in step.operands.iter().enumerate() {
            self.operand(plan, operand, &format!("{place}, operand {i}"), &mut params)?;
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
        plan: &Plan,
        operand: &Operand,
        place: &str,
        params: &mut Vec<Param>,
    ) -> Result<(), Error> {
        // While the plan is processed, `arguments` also holds the temporaries, after the arguments.
        let bound = |base: Base| &self.arguments[plan.buffer(base)];
        let mut whole = |base: Base| match bound(base) {
            Bound::Scalar { element, bits } => params.push(Param::Value {
                bits: *bits,
                size: element.size(),
            }),
            Bound::Memref {
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
                let Bound::Memref {
                    placement, buffer, ..
                } = bound(*base)
                else {
                    // `Plan::validate` has rejected a view of a scalar.
                    return Ok(());
                };
                let offset = self.evaluate(offset, place)?;
                let sizes = sizes
                    .iter()
                    .map(|size| self.size(size, place).map(|size| size as i64))
                    .collect::<Result<Vec<_>, _>>()?;
                let strides = strides
                    .iter()
                    .map(|stride| self.evaluate(stride, place))
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
                let number = self.evaluate(value, place)?;
                let bits = Number::from(number)
                    .to_bits(*ty)
                    .ok_or_else(|| Error::LaunchSize {
                        place: place.to_owned(),
                        found: self.explain(number, value),
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

    fn evaluate(&self, expr: &Expr, place: &str) -> Result<i64, Error> {
        expr.evaluate(|symbol| self.lookup(symbol))
            .map_err(|error: ExprError| Error::Launch {
                place: place.to_owned(),
                error,
            })
    }

    fn size(&self, expr: &Expr, place: &str) -> Result<usize, Error> {
        let value = self.evaluate(expr, place)?;
        usize::try_from(value).map_err(|_| Error::LaunchSize {
            place: place.to_owned(),
            found: self.explain(value, expr),
            expected: "0 or more".to_owned(),
        })
    }

    fn is_empty(&self, grid: &[Expr; 3], place: &str) -> Result<bool, Error> {
        let sizes = grid
            .iter()
            .zip(AXES)
            .map(|(size, axis)| self.evaluate(size, &format!("{place}, grid along {axis}")))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(sizes.contains(&0) && sizes.iter().all(|size| *size >= 0))
    }

    /// Returns the text of a value, its expression, and the values of its symbols, such as ``8 for
    /// `arg0.dim0 * 2`, where arg0.dim0 is 4``.
    fn explain(&self, value: i64, expr: &Expr) -> String {
        let mut symbols = Vec::new();
        expr.for_each_symbol(&mut |symbol| {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        });
        let mut text = match expr {
            Expr::Const(_) => value.to_string(),
            _ => format!("{value} for `{expr}`"),
        };
        // The value of a single symbol is already in the text.
        if !matches!(expr, Expr::Symbol(_)) {
            for (i, symbol) in symbols.into_iter().enumerate() {
                if let Some(value) = self.lookup(symbol) {
                    let joint = if i == 0 { ", where" } else { " and" };
                    text.push_str(&format!("{joint} {symbol} is {value}"));
                }
            }
        }
        text
    }

    fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match (symbol, self.arguments.get(symbol.argument())?) {
            (Symbol::Dim { dim, .. }, Bound::Memref { shape, .. }) => {
                i64::try_from(*shape.get(dim)?).ok()
            }
            (Symbol::Stride { dim, .. }, Bound::Memref { placement, .. }) => {
                placement.strides.get(dim).copied()
            }
            (Symbol::Offset { .. }, Bound::Memref { placement, .. }) => Some(placement.offset),
            (Symbol::Value { .. }, Bound::Scalar { element, bits }) => {
                match Number::from_bits(*bits, *element) {
                    Number::Int(value) => i64::try_from(value).ok(),
                    Number::Float(_) => None,
                }
            }
            _ => None,
        }
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

/// Returns the name of the entry with its argument types, such as `@row_sums(memref<?x?xf32>,
/// i32)`.
fn signature(plan: &Plan) -> String {
    let types: Vec<String> = plan
        .arguments
        .iter()
        .map(|argument| argument.ty.to_string())
        .collect();
    format!("@{}({})", plan.entry, types.join(", "))
}

fn mismatch(index: usize, arg: &Arg, ty: &ArgumentType, hint: Option<String>) -> Error {
    let found = match arg {
        Arg::Array(array) => format!("an array {}", array.describe()),
        Arg::Scalar(value) => format!("the number {value}"),
    };
    Error::Argument {
        index,
        found,
        expected: ty.to_string(),
        hint,
    }
}

fn check(index: usize, arg: &Arg, argument: &Argument) -> Result<(), Error> {
    let refuse = |hint: Option<String>| Err(mismatch(index, arg, &argument.ty, hint));
    match (arg, &argument.ty) {
        (Arg::Scalar(value), ArgumentType::Memref(memref)) if memref.rank() == 0 => {
            refuse(Some(format!(
                "an array of rank 0 is written `full:{value}:{}`",
                memref.element
            )))
        }
        (Arg::Scalar(_), ArgumentType::Memref(_)) => refuse(None),
        (Arg::Array(_), ArgumentType::Scalar(_)) => {
            refuse(Some("a scalar is written as a number".to_owned()))
        }
        (Arg::Scalar(value), ArgumentType::Scalar(element)) => match value.to_bits(*element) {
            Some(_) => Ok(()),
            None => {
                let (low, high) = crate::number::integer_range(*element);
                refuse(Some(format!(
                    "{element} holds whole numbers from {low} to {high}"
                )))
            }
        },
        (Arg::Array(array), ArgumentType::Memref(memref)) => {
            if !holds(array.element(), memref.element) {
                return refuse(reinterpretation(array.element(), memref.element));
            }
            check_shape(array.shape(), memref).or_else(|hint| refuse(Some(hint)))
        }
    }
}

/// Checks whether a memref of this type can have this shape; if not, returns the reason as the
/// error.
fn check_shape(shape: &[usize], memref: &MemrefType) -> Result<(), String> {
    if shape.len() != memref.rank() {
        return Err(format!(
            "the rank is {}, not {}",
            shape.len(),
            memref.rank()
        ));
    }
    for (dim, (size, extent)) in shape.iter().zip(&memref.shape).enumerate() {
        if !i64::try_from(*size).is_ok_and(|size| extent.accepts(size)) {
            return Err(format!("dimension {dim} is {size}, not {extent}"));
        }
    }
    Ok(())
}

/// Returns whether an array of type `found` can be passed as a memref of type `expected`. npy files
/// have no `index` type, so an `i64` array is accepted as a memref of `index`.
fn holds(found: ElementType, expected: ElementType) -> bool {
    found == expected || (found == ElementType::I64 && expected == ElementType::Index)
}

/// Returns a hint if an integer array is passed for a memref of bf16 or 8-bit floats, because npy
/// files store these types as integers.
fn reinterpretation(found: ElementType, expected: ElementType) -> Option<String> {
    let words = matches!(
        (found, expected),
        (ElementType::I16, ElementType::BF16 | ElementType::F16)
            | (ElementType::I8, ElementType::F8E4M3FN | ElementType::F8E5M2)
    );
    words.then(|| format!("to read the words of a file as {expected}, write `FILE.npy:{expected}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_array::DeviceArray;

    fn plan(arguments: &[&str], step: Step) -> Plan {
        Plan {
            version: tx_plan::VERSION,
            chip: "sm_80".to_owned(),
            entry: "main".to_owned(),
            entry_kind: EntryKind::Function,
            arguments: arguments
                .iter()
                .map(|ty| Argument {
                    ty: ty.parse().expect("a type"),
                    written: ty.contains("memref"),
                })
                .collect(),
            checks: Vec::new(),
            temporaries: vec![tx_plan::Temporary {
                element: ElementType::F16,
                shape: vec![Expr::dim(0, 0)],
                cleared: false,
            }],
            steps: vec![step],
        }
    }

    /// Returns a plan with one choice between alternatives. Each alternative is one step with the
    /// given conditions.
    fn choice(arguments: &[&str], alternatives: &[&[&str]]) -> Plan {
        let mut plan = plan(arguments, step());
        plan.steps = (alternatives.iter().enumerate())
            .map(|(i, when)| Step {
                kernel: format!("k{i}"),
                choice: Some(0),
                when: when.iter().map(|text| text.parse().expect(text)).collect(),
                ..step()
            })
            .collect();
        plan.validate().expect("a plan");
        plan
    }

    fn kernels(job: &Job, address: u64) -> Vec<&str> {
        let launches = job.launches(move |_| Some(address));
        launches
            .map(|launch| launch.expect("a value").1.kernel.as_str())
            .collect()
    }

    #[test]
    fn selects_one_alternative() -> Result<(), Error> {
        let types = &["memref<?xf32>", "i32"];
        let sizes = choice(types, &[&["arg0.dim0 <= 8"], &["arg0.dim0 > 8"]]);
        for (size, expected) in [(7, "k0"), (8, "k0"), (9, "k1")] {
            let job = Job::new(&sizes, vec![array(&[size]), 0.into()], None)?;
            assert_eq!(kernels(&job, 0), [expected]);
            assert_eq!(job.possible().len(), 1);
        }
        // An empty array needs no launch in any alternative.
        let job = Job::new(&sizes, vec![array(&[0]), 0.into()], None)?;
        assert!(job.possible().is_empty());
        let plan = choice(
            types,
            &[
                &["arg0.address % 16 == 0", "arg1 == 2"],
                &["arg0.address % 16 == 0", "arg1 < 2"],
                &["arg0.address % 16 == 0", "arg1 > 2"],
                &["mod(arg0.address, 16) > 0"],
            ],
        );
        for (scalar, aligned) in [(1, "k1"), (2, "k0"), (3, "k2")] {
            let job = Job::new(&plan, vec![array(&[4]), scalar.into()], None)?;
            assert_eq!(job.possible().len(), 2);
            assert_eq!(kernels(&job, 32), [aligned]);
            assert_eq!(kernels(&job, 36), ["k3"]);
        }
        Ok(())
    }

    #[test]
    fn other_alternatives_are_not_evaluated() -> Result<(), Error> {
        let mut plan = choice(
            &["memref<?xf32>"],
            &[&["arg0.dim0 <= 8"], &["arg0.dim0 > 8"]],
        );
        let above: Expr = "nonnegative(arg0.dim0 - 8)".parse().expect("an expression");
        plan.temporaries[0].shape = vec![above.clone()];
        plan.steps[1].operands = vec![Operand::Temporary(0)];
        plan.steps[1].grid[1] = above;
        let job = Job::new(&plan, vec![array(&[4])], None)?;
        assert_eq!(job.buffers[1].bytes, 0);
        let job = Job::new(&plan, vec![array(&[10])], None)?;
        assert_eq!((job.buffers[1].bytes, job.launches[0].grid[1]), (4, 2));
        Ok(())
    }

    #[test]
    fn conditions_need_values() {
        let plan = choice(
            &["memref<?xf32>"],
            &[
                &["floordiv(8, arg0.dim0) < 2"],
                &["floordiv(8, arg0.dim0) >= 2"],
            ],
        );
        let error = Job::new(&plan, vec![array(&[0])], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "step 0 (`k0`), `floordiv(8, arg0.dim0) < 2`: `floordiv(8, arg0.dim0)` divides 8 by zero"
        );
    }

    fn step() -> Step {
        Step {
            kernel: "k".to_owned(),
            module: "k".to_owned(),
            choice: None,
            when: Vec::new(),
            grid: [
                Expr::dim(0, 0).ceil_div(Expr::Const(3)),
                Expr::Const(1),
                Expr::Const(1),
            ],
            block: [Expr::Const(32), Expr::Const(1), Expr::Const(1)],
            cluster: None,
            dynamic_shared_bytes: Expr::Const(16),
            operands: vec![Operand::Argument(0)],
        }
    }

    fn array(shape: &[usize]) -> Arg {
        let values: Vec<f32> = (0..shape.iter().product::<usize>())
            .map(|i| i as f32)
            .collect();
        Array::from_slice(shape, &values).expect("an array").into()
    }

    /// Checks the kernel parameters of a memref: allocated pointer, aligned pointer, offset, sizes
    /// and strides. A scalar becomes one kernel parameter.
    #[test]
    fn flattens_operands() -> Result<(), Error> {
        let mut step = step();
        step.operands = vec![
            Operand::Argument(0),
            Operand::Argument(1),
            Operand::Temporary(0),
            Operand::View(View {
                base: Base::Argument(0),
                offset: Expr::Const(7),
                sizes: vec![Expr::dim(0, 0)],
                strides: vec![Expr::Const(8)],
            }),
            Operand::Scalar {
                ty: ElementType::I16,
                value: Expr::Const(-1),
            },
            Operand::Constant {
                ty: ElementType::F32,
                bits: 0xff80_0000,
            },
        ];
        let plan = plan(&["memref<?x8xf32>", "i32"], step);
        let job = Job::new(&plan, vec![array(&[4, 8]), 5_i32.into()], None)?;
        let word = |bits| Param::Value { bits, size: 8 };
        let launch = &job.launches[0];
        assert_eq!(
            launch.params,
            [
                Param::Address(0),
                Param::Address(0),
                word(0),
                word(4),
                word(8),
                word(8),
                word(1),
                Param::Value { bits: 5, size: 4 },
                Param::Address(1),
                Param::Address(1),
                word(0),
                word(4),
                word(1),
                Param::Address(0),
                Param::Address(0),
                word(7),
                word(4),
                word(8),
                Param::Value {
                    bits: 0xffff,
                    size: 2
                },
                Param::Value {
                    bits: 0xff80_0000,
                    size: 4
                },
            ]
        );
        assert_eq!(
            (launch.grid, launch.block, launch.dynamic_shared),
            ([2, 1, 1], [32, 1, 1], 16)
        );
        assert_eq!(job.buffers[1].bytes, 8);
        Ok(())
    }

    #[test]
    fn strided_arrays_round_trip() -> Result<(), Error> {
        let plan = plan(&["memref<3x4xf32, strided<[16, 2], offset: 5>>"], step());
        let job = Job::new(&plan, vec![array(&[3, 4])], None)?;
        assert_eq!(job.buffers[0].bytes, 4 * (5 + 32 + 6 + 1));
        assert_eq!(
            job.buffers[0]
                .contents
                .as_deref()
                .map(|bytes| &bytes[4 * (5 + 16)..][..4]),
            Some(&4_f32.to_le_bytes()[..])
        );
        let arrays = job.into_arrays()?;
        let (result, written) = arrays[0].as_ref().expect("a memref");
        assert!(*written);
        assert_eq!(Arg::Array(result.clone()), array(&[3, 4]));
        Ok(())
    }

    /// Checks that an array is accepted if elements at the same memory position have equal values,
    /// and is rejected otherwise.
    #[test]
    fn elements_may_share_a_place() -> Result<(), Error> {
        let plan = plan(&["memref<3x4xf32, strided<[0, 1]>>"], step());
        let rows = |rows: [[f32; 4]; 3]| Array::from_slice(&[3, 4], rows.as_flattened());
        let same = rows([[1., 2., 3., 4.]; 3])?;
        let job = Job::new(&plan, vec![same.clone().into()], None)?;
        assert_eq!(job.buffers[0].bytes, 16);
        assert_eq!(
            job.into_arrays()?[0].as_ref().map(|(array, _)| array),
            Some(&same)
        );
        let different = rows([[1., 2., 3., 4.], [1., 2., 0., 4.], [1., 2., 3., 4.]])?;
        let error = Job::new(&plan, vec![different.into()], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "argument 0: found an array 3x4xf32, expected memref<3x4xf32, strided<[0, 1]>>; \
             strides [0, 1] put several \
             elements at place 2, and [1, 2] differs from another of them"
        );
        Ok(())
    }

    fn on_device(shape: &[usize]) -> DeviceArray {
        DeviceArray::new(0x1000, ElementType::F32, shape)
    }

    #[test]
    fn binds_memory_of_the_caller() -> Result<(), Error> {
        let mut step = step();
        step.operands = vec![
            Operand::Argument(0),
            Operand::Argument(1),
            Operand::Argument(2),
        ];
        let types = [
            "memref<?x8xf32>",
            "memref<?xf32, strided<[?], offset: ?>>",
            "i32",
        ];
        let plan = plan(&types, step);
        let args = vec![
            on_device(&[4, 8]).into(),
            on_device(&[3]).with_strides(6, &[-2]).into(),
            5.into(),
        ];
        let job = Job::in_place(&plan, args, None)?;
        let word = |bits| Param::Value { bits, size: 8 };
        assert_eq!(
            job.launches[0].params,
            [
                Param::Address(0),
                Param::Address(0),
                word(0),
                word(4),
                word(8),
                word(8),
                word(1),
                Param::Address(1),
                Param::Address(1),
                word(6),
                word(3),
                word(-2_i64 as u64),
                Param::Value { bits: 5, size: 4 },
            ]
        );
        let about = |i: usize| (job.buffers[i].address, job.buffers[i].bytes);
        assert_eq!(about(0), (Some(0x1000), 128));
        assert_eq!(about(1), (Some(0x1000), 28));
        // The runtime allocates the temporary.
        assert_eq!(about(2), (None, 8));
        assert_eq!(job.at(1, 0x2004)?, 1);
        let fails = |index, address| job.at(index, address).unwrap_err().to_string();
        assert_eq!(
            fails(0, 0x2002),
            "argument 0: found the address 0x2002, expected an array of f32 on the device; its \
             address 0x2002 is no \
             multiple of the 4 bytes of an element"
        );
        assert_eq!(
            fails(2, 0x2000),
            "argument 2: found the address 0x2000, expected a memref argument; there are 3 \
             arguments, counted from 0"
        );
        assert!(job.into_arrays()?.iter().all(Option::is_none));
        Ok(())
    }

    #[test]
    fn refuses_memory_that_does_not_fit() {
        let fails = |ty: &str, arg: DeviceArg| {
            let plan = plan(&["memref<?xf32>", ty], step());
            let error = Job::in_place(&plan, vec![on_device(&[4]).into(), arg], None);
            error.unwrap_err().to_string()
        };
        let half = DeviceArray::new(0x1000, ElementType::F16, &[4, 8]);
        let null = DeviceArray::new(0, ElementType::F32, &[4, 8]);
        let odd = DeviceArray::new(0x1002, ElementType::F32, &[4, 8]);
        for (ty, arg, message) in [
            (
                "memref<4x8xf32>",
                half.into(),
                "an array 4x8xf16 on the device, expected memref<4x8xf32>",
            ),
            (
                "memref<4x8xf32>",
                on_device(&[4, 7]).into(),
                "an array 4x7xf32 on the device, expected memref<4x8xf32>; dimension 1 is 7, not 8",
            ),
            (
                "memref<?x?xf32>",
                on_device(&[4]).into(),
                "an array 4xf32 on the device, expected memref<?x?xf32>; the rank is 1, not 2",
            ),
            (
                "memref<?x?xf32>",
                on_device(&[4, 8]).with_strides(0, &[16, 1]).into(),
                "an array 4x8xf32 on the device, expected memref<?x?xf32>; its strides are [16, \
                 1] and its offset is 0",
            ),
            (
                "memref<?x?xf32, strided<[16, 1]>>",
                on_device(&[4, 8]).into(),
                "an array 4x8xf32 on the device, expected memref<?x?xf32, strided<[16, 1]>>; its \
                 strides are [8, 1] and \
                 its offset is 0",
            ),
            (
                "memref<?x?xf32, strided<[?, ?], offset: ?>>",
                on_device(&[4, 8]).with_strides(2, &[-8, 1]).into(),
                "an array 4x8xf32 on the device, expected memref<?x?xf32, strided<[?, ?], offset: \
                 ?>>; offset 2 leaves no \
                 room for elements down to -24",
            ),
            (
                "memref<?x?xf32>",
                null.into(),
                "an array 4x8xf32 on the device, expected memref<?x?xf32>; its address is null",
            ),
            (
                "memref<?x?xf32>",
                odd.into(),
                "an array 4x8xf32 on the device, expected memref<?x?xf32>; its address 0x1002 is \
                 no multiple of the 4 bytes \
                 of an element",
            ),
            (
                "f32",
                on_device(&[]).into(),
                "an array f32 on the device, expected f32; a scalar is passed as a number",
            ),
            (
                "memref<4xf32>",
                1.into(),
                "the number 1, expected memref<4xf32>",
            ),
        ] {
            assert_eq!(fails(ty, arg), format!("argument 1: found {message}"));
        }
        let plan = plan(&["memref<?xf32>"], step());
        let error = Job::in_place(&plan, vec![], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found 0 arguments, expected 1: @main(memref<?xf32>)"
        );
    }

    #[test]
    fn checks_launch_sizes() {
        let types = &["memref<?xf32>"];
        let job = Job::new(&plan(types, step()), vec![array(&[0])], None).expect("nothing to do");
        assert!(job.launches.is_empty());
        let mut huge = step();
        huge.grid = [0, 1 << 40, 1].map(Expr::Const);
        let job = Job::new(&plan(types, huge), vec![array(&[4])], None).expect("nothing to do");
        assert!(job.launches.is_empty());
        let fails = |change: fn(&mut Step)| {
            let mut step = step();
            change(&mut step);
            Job::new(&plan(types, step), vec![array(&[4])], None)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            fails(|step| step.grid[1] = Expr::Const(65536)),
            "step 0 (`k`), grid along y: found 65536, expected 0 to 65535"
        );
        assert_eq!(
            fails(|step| step.grid[2] = Expr::dim(0, 0).times(Expr::Const(1 << 20))),
            "step 0 (`k`), grid along z: found 4194304 for `arg0.dim0 * 1048576`, where arg0.dim0 \
             is 4, expected 0 to 65535"
        );
        assert_eq!(
            fails(|step| step.grid[1] = Expr::dim(0, 0).times(Expr::Const(1 << 62))),
            "step 0 (`k`), grid along y: `arg0.dim0 * 4611686018427387904` overflows 64 bits: 4 \
             and 4611686018427387904"
        );
        assert_eq!(
            fails(|step| step.grid = [-1, 0, 1].map(Expr::Const)),
            "step 0 (`k`), grid along x: found -1, expected 0 to 2147483647"
        );
        assert_eq!(
            fails(|step| step.cluster = Some([1, 1, 2].map(Expr::Const))),
            "step 0 (`k`), grid along z: found 1, expected a multiple of the 2 CTAs of a cluster"
        );
        assert_eq!(
            fails(|step| step.block = [32, 64, 1].map(Expr::Const)),
            "step 0 (`k`), block: found 2048 threads, expected at most 1024"
        );
        assert_eq!(
            fails(|step| step.grid[0] = Expr::Const(1).floor_div(Expr::Const(0))),
            "step 0 (`k`), grid along x: `floordiv(1, 0)` divides 1 by zero"
        );
        assert_eq!(
            fails(|step| step.operands = vec![Operand::View(View {
                base: Base::Argument(0),
                offset: Expr::Const(1),
                sizes: vec![Expr::Const(4)],
                strides: vec![Expr::Const(1)],
            })]),
            "step 0 (`k`), operand 0: found a view of elements 1 to 4, expected elements 0 to 3 of argument 0"
        );
    }

    #[test]
    fn overrides_the_grid_of_a_kernel() {
        let mut plan = plan(&["memref<?xf32>"], step());
        let error = Job::new(&plan, vec![array(&[4])], Some([5, 1, 1])).unwrap_err();
        assert!(matches!(error, Error::GridOfFunction { .. }));
        plan.entry_kind = EntryKind::Kernel;
        let job = Job::new(&plan, vec![array(&[4])], Some([5, 2, 1])).expect("a grid");
        assert_eq!(job.launches[0].grid, [5, 2, 1]);
    }

    #[test]
    fn checks_arguments() {
        let fails = |ty: &str, arg: Arg| {
            Job::new(
                &plan(&["memref<?xf32>", ty], step()),
                vec![array(&[4]), arg],
                None,
            )
            .unwrap_err()
            .to_string()
        };
        for (ty, arg, message) in [
            (
                "memref<4x8xf32>",
                array(&[4, 7]),
                "an array 4x7xf32, expected memref<4x8xf32>; dimension 1 is 7, not 8",
            ),
            (
                "memref<4x8xf32>",
                array(&[32]),
                "an array 32xf32, expected memref<4x8xf32>; the rank is 1, not 2",
            ),
            (
                "memref<4xf64>",
                array(&[4]),
                "an array 4xf32, expected memref<4xf64>",
            ),
            (
                "memref<?xbf16>",
                Array::zeros(ElementType::I16, vec![4])
                    .expect("an array")
                    .into(),
                "an array 4xi16, expected memref<?xbf16>; to read the words of a file as bf16, \
                 write `FILE.npy:bf16`",
            ),
            (
                "memref<f32>",
                1.5_f32.into(),
                "the number 1.5, expected memref<f32>; an array of rank 0 is written `full:1.5:f32`",
            ),
            (
                "memref<4xf32>",
                1.into(),
                "the number 1, expected memref<4xf32>",
            ),
            (
                "f32",
                array(&[]),
                "an array f32, expected f32; a scalar is written as a number",
            ),
            (
                "i8",
                300.into(),
                "the number 300, expected i8; i8 holds whole numbers from -128 to 255",
            ),
            (
                "i1",
                0.5.into(),
                "the number 0.5, expected i1; i1 holds whole numbers from 0 to 1",
            ),
        ] {
            assert_eq!(fails(ty, arg), format!("argument 1: found {message}"));
        }
        let error = Job::new(&plan(&["memref<?xf32>", "i8"], step()), vec![], None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found 0 arguments, expected 2: @main(memref<?xf32>, i8)"
        );
        let index = Array::zeros(ElementType::I64, vec![4]).expect("an array");
        assert!(
            Job::new(
                &plan(&["memref<?xindex>"], step()),
                vec![index.into()],
                None
            )
            .is_ok()
        );
    }
}
