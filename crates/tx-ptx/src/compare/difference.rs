use std::fmt;

use crate::facts::{Count, Fact};
use crate::operation::{Direction, Space};

/// Something that PTX does otherwise than the IR says. [`Display`](fmt::Display) is a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The PTX has no entry for a kernel.
    MissingKernel {
        /// The kernel.
        kernel: String,
    },
    /// The PTX has an entry that is no kernel of the IR.
    UnknownKernel {
        /// The entry.
        kernel: String,
    },
    /// Something stands in PTX too often or not often enough.
    Count {
        /// The kernel.
        kernel: String,
        /// What.
        fact: Fact,
        /// How often it, or what it may stand for, is in PTX.
        found: Count,
        /// How often it is in IR.
        expected: Count,
        /// How many of the IR are not in PTX.
        missing: u64,
        /// How many of PTX are not in the IR.
        surplus: u64,
    },
    /// Of what stands in the same blocks of loops, some is copied more often than the rest.
    Copies {
        /// The kernel.
        kernel: String,
        /// All that was compared.
        copies: Vec<Copied>,
    },
    /// Vector accesses are narrower than in the IR.
    Narrow {
        /// The kernel.
        kernel: String,
        /// Whether they are loads.
        direction: Direction,
        /// The memory; generic is all of it.
        space: Space,
        /// The least width in bytes of the accesses that were counted.
        width: u32,
        /// Bytes that such accesses move in PTX.
        found: u64,
        /// Bytes that they have to move at least.
        expected: u64,
    },
    /// There are more narrow accesses than in the IR, of which vector accesses are made when they are split.
    Split {
        /// The kernel.
        kernel: String,
        /// Whether they are loads.
        direction: Direction,
        /// The memory; generic is all of it.
        space: Space,
        /// The width in bytes that the accesses that were counted are below.
        width: u32,
        /// Bytes that such accesses move in PTX.
        found: u64,
        /// Bytes that they may move at most.
        expected: u64,
    },
}

/// How often something of loops was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// What.
    pub fact: Fact,
    /// How often it stands in PTX, without what is outside loops in the IR.
    pub found: u64,
    /// How often it stands in loops of the IR.
    pub expected: u64,
}

impl Difference {
    /// The kernel it is about.
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
                    "kernel `{kernel}`: what stands in one block of a loop is not copied alike: "
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

/// What the IR allows: "1 to 2 outside loops and at least 3 for loops".
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

/// Something that the IR says may vanish, and that is not in PTX. [`Display`](fmt::Display) is a
/// sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vanished {
    /// The kernel.
    pub kernel: String,
    /// What.
    pub fact: Fact,
    /// Whether it stood in a loop.
    pub in_loop: bool,
    /// How many of it.
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
            "kernel `{kernel}`: {fact}: {count} {place} of the IR were removed, as they may be"
        )
    }
}
