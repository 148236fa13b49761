use std::fmt;

use crate::facts::{Count, Fact};
use crate::operation::{Direction, Space};

/// A difference between the operations of the PTX and of the IR. [`Display`](fmt::Display) formats
/// a complete sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The PTX does not contain a kernel that the IR contains.
    MissingKernel {
        /// The kernel.
        kernel: String,
    },
    /// The PTX contains a kernel (`.entry`) that the IR does not contain.
    UnknownKernel {
        /// The entry.
        kernel: String,
    },
    /// The PTX contains too many or too few instances of an operation.
    Count {
        /// The kernel.
        kernel: String,
        /// The operation.
        fact: Fact,
        /// Number of PTX instructions that match `fact`.
        found: Count,
        /// Number of IR operations that match `fact`.
        expected: Count,
        /// Number of IR operations without a matching instruction in the PTX.
        missing: u64,
        /// Number of PTX instructions without a matching operation in the IR.
        surplus: u64,
    },
    /// The operations of one basic block in a loop have different numbers of copies in the PTX.
    Copies {
        /// The kernel.
        kernel: String,
        /// All compared operations.
        copies: Vec<Copied>,
    },
    /// Vector accesses are narrower in the PTX than in the IR.
    Narrow {
        /// The kernel.
        kernel: String,
        /// Whether the accesses are loads or stores.
        direction: Direction,
        /// State space; `Generic` stands for all state spaces.
        space: Space,
        /// Minimum width of the counted accesses, in bytes.
        width: u32,
        /// Number of bytes that accesses of at least `width` bytes move in the PTX.
        found: u64,
        /// Minimum number of bytes that accesses of at least `width` bytes must move.
        expected: u64,
    },
    /// The PTX has more narrow accesses than the IR, probably because LLVM split vector accesses.
    Split {
        /// The kernel.
        kernel: String,
        /// Whether the accesses are loads or stores.
        direction: Direction,
        /// State space; `Generic` stands for all state spaces.
        space: Space,
        /// Width in bytes; all counted accesses are narrower than `width` bytes.
        width: u32,
        /// Number of bytes that accesses narrower than `width` move in the PTX.
        found: u64,
        /// Number of bytes of all IR accesses that are narrower than `width` or that LLVM may
        /// remove. The check reports a difference if `found` is more than twice this number.
        expected: u64,
    },
}

/// The number of copies of one loop operation in the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The operation.
    pub fact: Fact,
    /// Number of PTX instructions that match the operation, minus the number of occurrences of the
    /// operation outside loops in the IR.
    pub found: u64,
    /// Number of occurrences of the operation in loops of the IR.
    pub expected: u64,
}

impl Difference {
    /// Returns the name of the kernel with the difference.
    pub fn kernel(&self) -> &str {
        match self {
            Difference::MissingKernel { kernel }
            | Difference::UnknownKernel { kernel }
            | Difference::Count { kernel, .. }
            | Difference::Copies { kernel, .. }
            | Difference::Narrow { kernel, .. }
            | Difference::Split { kernel, .. } => kernel,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::MissingKernel { kernel } => {
                write!(
                    f,
                    "kernel `{kernel}`: found no such entry in the PTX, expected one"
                )
            }
            Difference::UnknownKernel { kernel } => write!(
                f,
                "kernel `{kernel}`: found an entry in the PTX, expected none, since the IR has no such kernel"
            ),
            Difference::Count {
                kernel,
                fact,
                found,
                expected,
                missing,
                surplus,
            } => {
                write!(f, "kernel `{kernel}`: {fact}: found {found}, expected ")?;
                write_expected(f, expected)?;
                let mut between = ": ";
                if *missing > 0 {
                    write!(f, "{between}{missing} too few")?;
                    between = " and ";
                }
                if *surplus > 0 {
                    write!(f, "{between}{surplus} too many")?;
                }
                Ok(())
            }
            Difference::Copies { kernel, copies } => {
                write!(
                    f,
                    "kernel `{kernel}`: the operations of one block of a loop are not duplicated \
                     equally: "
                )?;
                for (i, copied) in copies.iter().enumerate() {
                    let between = if i > 0 { ", " } else { "" };
                    let Copied {
                        fact,
                        found,
                        expected,
                    } = copied;
                    write!(f, "{between}{fact}: found {found} from {expected} in loops")?;
                }
                Ok(())
            }
            Difference::Narrow {
                kernel,
                direction,
                space,
                width,
                found,
                expected,
            } => {
                let (what, memory) = (plural(*direction), memory(*space));
                write!(
                    f,
                    "kernel `{kernel}`: {what} of {width} bytes or more in {memory}: found \
                     {found} bytes moved by them, \
                     expected at least {expected}: vector accesses are narrower than in the IR"
                )
            }
            Difference::Split {
                kernel,
                direction,
                space,
                width,
                found,
                expected,
            } => {
                let (what, memory) = (plural(*direction), memory(*space));
                write!(
                    f,
                    "kernel `{kernel}`: {what} of less than {width} bytes in {memory}: found \
                     {found} bytes moved by \
                     them, expected at most {expected}: vector accesses are narrower than in the IR"
                )
            }
        }
    }
}

fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Load => "loads",
        Direction::Store => "stores",
    }
}

fn memory(space: Space) -> String {
    match space {
        Space::Generic => "all memory".to_owned(),
        space => format!("`.{space}` memory"),
    }
}

/// Writes how many PTX instructions the IR allows, such as "1 to 2 outside loops and at least 3 for
/// loops".
fn write_expected(f: &mut fmt::Formatter<'_>, expected: &Count) -> fmt::Result {
    if expected.total() == 0 {
        return f.write_str("none");
    }
    if expected.outside > 0 {
        if expected.outside_may_vanish > 0 {
            write!(f, "{} to ", expected.required_outside())?;
        }
        write!(f, "{} outside loops", expected.outside)?;
    }
    if expected.inside > 0 {
        if expected.outside > 0 {
            f.write_str(" and ")?;
        }
        write!(f, "at least {} from loops", expected.required_inside())?;
    }
    Ok(())
}

/// An operation of the IR that LLVM may remove, and that is missing from the PTX.
/// [`Display`](fmt::Display) formats a complete sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vanished {
    /// The kernel.
    pub kernel: String,
    /// The removed operation.
    pub fact: Fact,
    /// Whether the operation is in a loop of the IR.
    pub in_loop: bool,
    /// Number of removed operations.
    pub count: u64,
}

impl fmt::Display for Vanished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vanished {
            kernel,
            fact,
            in_loop,
            count,
        } = self;
        let place = if *in_loop {
            "in loops"
        } else {
            "outside loops"
        };
        write!(
            f,
            "kernel `{kernel}`: {fact}: {count} {place} of the IR were removed, which is allowed"
        )
    }
}
