//! Element types and storage of the operands of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::element::Element;
use crate::program::{Scope, Storage};

/// Types of one reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types {
    pub(crate) source: Element,
    /// Attribute `acc`, if specified.
    pub(crate) acc: Option<Element>,
    pub(crate) destination: Element,
}

impl Types {
    pub(crate) fn of(element: Element) -> Self {
        Self {
            source: element,
            acc: None,
            destination: element,
        }
    }

    pub(crate) fn into(source: Element, destination: Element) -> Self {
        Self {
            source,
            acc: None,
            destination,
        }
    }

    pub(crate) fn with(element: Element, acc: Element) -> Self {
        Self {
            source: element,
            acc: Some(acc),
            destination: element,
        }
    }

    pub(crate) fn accumulator(self) -> Element {
        self.acc.unwrap_or(self.source.accumulator())
    }

    pub(crate) fn name(self) -> String {
        let mut name = self.source.mlir().to_owned();
        if self.destination != self.source {
            let _ = write!(name, "-to-{}", self.destination.mlir());
        }
        if let Some(acc) = self.acc {
            let _ = write!(name, "-in-{}", acc.mlir());
        }
        name
    }
}

/// Tiles in memory.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Memory {
    pub(crate) scope: Scope,
    pub(crate) storage: Storage,
    pub(crate) rows: usize,
    pub(crate) length: usize,
    /// Set if the reduced dimension is the outermost.
    pub(crate) outer: bool,
    pub(crate) block: usize,
    pub(crate) dynamic: bool,
    /// Set if the tile has a single row and no dimension for rows.
    pub(crate) flat: bool,
}

/// Tiles in registers.
#[derive(Clone, Copy)]
pub(crate) struct Fragments {
    pub(crate) name: &'static str,
    pub(crate) scope: Scope,
    pub(crate) block: usize,
    pub(crate) shape: [usize; 2],
    pub(crate) layout: &'static str,
    pub(crate) axes: &'static [usize],
    pub(crate) result: &'static str,
    /// Set if lanes of a warp hold parts of one result.
    pub(crate) crosses_lanes: bool,
}

/// One value per thread.
#[derive(Clone, Copy)]
pub(crate) struct Lanes {
    pub(crate) scope: Scope,
    pub(crate) block: usize,
    /// Width and stride, if the scope contains several groups.
    pub(crate) groups: Option<(usize, usize)>,
}

impl Lanes {
    pub(crate) const fn new(scope: Scope, block: usize, groups: Option<(usize, usize)>) -> Self {
        Self {
            scope,
            block,
            groups,
        }
    }

    /// Returns the group of a thread. The three indices are the instance of the scope, the range of
    /// `width * stride` threads within the scope, and the offset modulo `stride`.
    fn group(&self, thread: usize) -> (usize, usize, usize) {
        let size = self.scope.threads(self.block);
        let (width, stride) = self.groups.unwrap_or((size, 1));
        let place = thread % size;
        (thread / size, place / (width * stride), place % stride)
    }

    /// Returns the threads of each group.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = BTreeMap::<_, Vec<usize>>::new();
        for thread in 0..self.block {
            members.entry(self.group(thread)).or_default().push(thread);
        }
        members.into_values().collect()
    }
}

#[derive(Clone, Copy)]
pub(crate) enum OperandKind {
    Memory(Memory),
    Fragments(Fragments),
    Lanes(Lanes),
}
