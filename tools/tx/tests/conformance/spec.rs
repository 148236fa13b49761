//! Descriptions of programs: types, computation, and place of the operands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::custom::Custom;
use crate::element::Element::{self, I1};
use crate::program::{Scope, Storage};
use crate::reference::{Kind, Nan};

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

/// Computation of a program.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Every named kind with one result.
    Values(Types, Nan),
    /// `argmax` and `argmin`.
    Indices(Types, Nan, Element),
    Custom(Custom),
}

impl Work {
    pub(crate) fn policy(self) -> &'static str {
        match self {
            Self::Values(types, nan) | Self::Indices(types, nan, _) if types.source.is_float() => {
                match nan {
                    Nan::Propagate => "propagate",
                    Nan::Ignore => "ignore",
                }
            }
            _ => "exact",
        }
    }

    pub(crate) fn types(self) -> String {
        match self {
            Self::Values(types, _) => types.name(),
            Self::Indices(types, _, index) => format!("{}-at-{}", types.name(), index.mlir()),
            Self::Custom(custom) => format!("custom::{}", custom.name),
        }
    }

    pub(crate) fn kinds(self) -> Vec<Kind> {
        use Kind::{And, ArgMax, ArgMin, Max, Min, Or, Prod, Sum, UMax, UMin, Xor};
        match self {
            Self::Values(types, nan) => match (types.source, nan) {
                (I1, _) => vec![And, Or, Xor],
                (element, _) if !element.is_float() => {
                    vec![Sum, Prod, Max, Min, UMax, UMin, And, Or, Xor]
                }
                (_, Nan::Propagate) => vec![Sum, Prod, Max, Min],
                // The NaN policy has no effect on sums and products.
                (_, Nan::Ignore) => vec![Max, Min],
            },
            Self::Indices(..) => vec![ArgMax, ArgMin],
            Self::Custom(_) => Vec::new(),
        }
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
    pub(crate) fn group(&self, thread: usize) -> (usize, usize, usize) {
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

/// Program.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    pub(crate) work: Work,
    pub(crate) place: OperandKind,
    /// Forced variant.
    pub(crate) variant: Option<&'static str>,
    /// Set if the program is only compiled, to test which variants apply to which reduction kinds.
    /// The program contains one op per kind and forced variant.
    pub(crate) verdicts: bool,
}

impl Spec {
    pub(crate) fn name(&self) -> String {
        let place = match &self.place {
            OperandKind::Memory(m) => format!(
                "{}::{}::{}{}{}{}-by-{}",
                m.scope.name(),
                m.storage.name(),
                if m.flat {
                    String::new()
                } else {
                    format!("{}x", m.rows)
                },
                m.length,
                if m.outer { "-outermost" } else { "" },
                if m.dynamic { "-dynamic" } else { "" },
                m.block
            ),
            OperandKind::Fragments(f) => {
                format!("{}::fragment::{}-by-{}", f.scope.name(), f.name, f.block)
            }
            OperandKind::Lanes(l) => format!(
                "{}::all_reduce::{}by-{}",
                l.scope.name(),
                l.groups.map_or(String::new(), |(width, stride)| format!(
                    "width-{width}-stride-{stride}-"
                )),
                l.block
            ),
        };
        format!(
            "conformance::{}::{place}::{}::{}",
            self.work.types(),
            self.work.policy(),
            if self.verdicts {
                "verdicts"
            } else {
                self.variant.unwrap_or("chosen")
            }
        )
    }

    /// Returns the attributes of an op, or an empty text.
    pub(crate) fn attributes(&self, kind: Kind, variant: Option<&str>) -> String {
        let mut attributes = Vec::new();
        let (Work::Values(types, nan) | Work::Indices(types, nan, _)) = self.work else {
            return variant.map_or(String::new(), |v| format!(" {{variant = \"{v}\"}}"));
        };
        if let Some(acc) = types.acc {
            attributes.push(format!("acc = {}", acc.mlir()));
        }
        // The program contains the attribute only if the attribute differs from the default and has
        // an effect.
        if nan == Nan::Ignore && !matches!(kind, Kind::Sum | Kind::Prod) {
            attributes.push("nan = #tile.nan<ignore>".to_owned());
        }
        if let Some(variant) = variant {
            attributes.push(format!("variant = \"{variant}\""));
        }
        if attributes.is_empty() {
            String::new()
        } else {
            format!(" {{{}}}", attributes.join(", "))
        }
    }

    pub(crate) fn all_kinds(&self) -> Vec<Option<Kind>> {
        match self.work {
            Work::Custom(_) => vec![None],
            work => work.kinds().into_iter().map(Some).collect(),
        }
    }
}
