//! Loads and stores of a function, including loads and stores that LLVM may remove.

use super::flow::Reached;
use super::forward::{Loads, id};
use crate::ptx::chip::Chip;
use crate::ptx::constant::integer;
use crate::ptx::pointer::{UnderlyingObject, VIEWS, space_of, underlying_object};
use melior::ir::{TypeLike, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{
    Op, Val, attribute, byte_width, defining_op, enumerator_of, integer_attribute, integers, is,
    is_pure, key, name, operands, ops, pointer_space, results, string_attribute, vector_parts,
    walk,
};
use tx_ptx::{Direction, Fact, LoopNesting, Space};

/// Key that identifies equal accesses of a function: the direction (load or store), the value
/// number of the address, and the size in bytes.
type AccessKey = (Direction, usize, u64);

/// Global variables with internal linkage. LLVM can analyze all uses of a variable with internal
/// linkage.
pub(super) struct Variables {
    /// For each variable: whether a load reads the variable, and whether a store writes the
    /// variable. LLVM may remove a variable that no load reads, or that no store writes.
    uses: BTreeMap<String, (bool, bool)>,
}

impl Variables {
    /// Collects the internal variables of a module. A load in the set `forwarded` does not count as
    /// a read of a variable, because LLVM may replace the load by a stored value.
    pub(super) fn of(module: &[Op<'_>], forwarded: &Loads) -> Self {
        let mut uses: BTreeMap<String, (bool, bool)> = module
            .iter()
            .flat_map(|op| walk(*op))
            .filter(|op| is(*op, "llvm.mlir.global"))
            .filter(|op| {
                let linkage = enumerator_of(*op, "linkage");
                matches!(linkage, Some("internal" | "private"))
            })
            .filter_map(|op| string_attribute(op, "sym_name"))
            .map(|name| (name, (false, false)))
            .collect();
        for op in module.iter().flat_map(|op| walk(*op)) {
            for (i, operand) in operands(op).into_iter().enumerate() {
                let UnderlyingObject::Variable(variable) = underlying_object(operand) else {
                    continue;
                };
                let Some((read, written)) = uses.get_mut(&variable) else {
                    continue;
                };
                match (name(op), i) {
                    // The uses of a derived pointer count as accesses; the op that derives the
                    // pointer does not.
                    (name, 0) if VIEWS.contains(&name) => {}
                    ("llvm.load", _) => *read |= !forwarded.contains(&id(op)),
                    ("llvm.store", 1) => *written = true,
                    _ => (*read, *written) = (true, true),
                }
            }
        }
        Self { uses }
    }

    fn is_needed(&self, variable: &str) -> bool {
        self.uses
            .get(variable)
            .is_none_or(|(read, written)| *read && *written)
    }
}

/// Analysis of the accesses of one function. Callers query the accesses of the function's ops in
/// program order.
pub(super) struct Accesses<'c> {
    variables: &'c Variables,
    forwarded: &'c Loads,
    chip: Chip,
    in_kernel: bool,
    /// Value number of each SSA value; two SSA values with the same value number are equal.
    numbers: BTreeMap<usize, usize>,
    /// For each value, the ops that use the value. The map `users` omits pure ops whose results are
    /// unused.
    users: BTreeMap<usize, Vec<Op<'c>>>,
    seen: BTreeSet<AccessKey>,
}

/// Load or store of the device IR, represented by a [`Fact`] that is compared with the PTX.
pub(super) struct FoundAccess {
    pub(super) fact: Fact,
    /// Position of the access; `InLoop` if LLVM may emit any number of PTX instructions for the
    /// access.
    pub(super) place: LoopNesting,
    pub(super) removable: bool,
}

impl FoundAccess {
    /// Returns an access of the device IR that may correspond to any number of PTX accesses of any
    /// width.
    fn any(direction: Direction, space: Space) -> Self {
        let bytes = 1;
        Self {
            fact: Fact::ScalarAccess {
                direction,
                space,
                bytes,
            },
            place: LoopNesting::InLoop,
            removable: true,
        }
    }
}

/// Names of the attributes that value numbering compares: the results of two pure ops have the same
/// value number only if these attributes of the ops are equal.
const TELLING: [&str; 8] = [
    "value",
    "rawConstantIndices",
    "elem_type",
    "predicate",
    "position",
    "global_name",
    "mask",
    "intrin",
];

/// Names of ops whose result is a constant if both operands have the same value.
const CANCELLING: [&str; 3] = ["llvm.sub", "llvm.xor", "llvm.icmp"];

pub(super) fn is_kernel(function: Op<'_>) -> bool {
    ["gpu.kernel", "nvvm.kernel"]
        .iter()
        .any(|mark| attribute(function, mark).is_some())
}

impl<'c> Accesses<'c> {
    pub(super) fn of(
        function: Op<'c>,
        reached: &[Reached<'c>],
        variables: &'c Variables,
        forwarded: &'c Loads,
        chip: Chip,
    ) -> Self {
        let mut accesses = Self {
            variables,
            forwarded,
            chip,
            in_kernel: is_kernel(function),
            numbers: BTreeMap::new(),
            users: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        let mut expressions: BTreeMap<String, usize> = BTreeMap::new();
        let all: Vec<Op<'c>> = reached
            .iter()
            .flat_map(|block| ops(block.block))
            .filter(|op| *op != function)
            .collect();
        for op in &all {
            let op = *op;
            let inputs = operands(op);
            let numbers: Vec<usize> = inputs.iter().map(|v| accesses.number(*v)).collect();
            if is_pure(op) && tx_mlir::blocks(op).is_empty() {
                let mut text = format!("{} {numbers:?}", name(op));
                for telling in TELLING {
                    if let Some(attribute) = attribute(op, telling) {
                        text.push_str(&format!(" {attribute}"));
                    }
                }
                for (position, result) in results(op).into_iter().enumerate() {
                    let text = format!("{text} {position} {}", result.r#type());
                    let fresh = key(result);
                    let number = *expressions.entry(text).or_insert(fresh);
                    accesses.numbers.insert(fresh, number);
                }
            }
        }
        // The search for users starts from terminators and ops with effects, so an unused pure op
        // does not count as a user.
        let mut pending: Vec<Op<'c>> = all
            .into_iter()
            .filter(|op| !is_pure(*op) || results(*op).is_empty())
            .collect();
        let mut visited: BTreeSet<usize> = pending.iter().map(|op| id(*op)).collect();
        while let Some(op) = pending.pop() {
            if accesses.cancels(op) {
                continue;
            }
            for input in operands(op) {
                let users = accesses.users.entry(key(input)).or_default();
                if users.last() != Some(&op) {
                    users.push(op);
                }
                pending.extend(defining_op(input).filter(|op| visited.insert(id(*op))));
            }
        }
        accesses
    }

    /// Returns whether the result of an op is constant because both operands have the same value.
    fn cancels(&self, op: Op<'c>) -> bool {
        CANCELLING.contains(&name(op))
            && matches!(operands(op)[..], [left, right] if self.number(left) == self.number(right))
    }

    fn number(&self, value: Val<'c>) -> usize {
        self.numbers.get(&key(value)).copied().unwrap_or(key(value))
    }

    /// Returns the loads and stores that an op performs.
    pub(super) fn found(&mut self, op: Op<'c>) -> Vec<FoundAccess> {
        match name(op) {
            "llvm.load" | "llvm.store" => {
                let found = self.single(op);
                let pairs = found.as_ref().and_then(|found| self.pairs(found, op));
                found.into_iter().chain(pairs).collect()
            }
            // LLVM expands block copies and masked accesses to loops and branches.
            name if name.starts_with("llvm.intr.mem") || name.starts_with("llvm.intr.masked.") => {
                [Direction::Load, Direction::Store]
                    .map(|direction| FoundAccess::any(direction, Space::Generic))
                    .into()
            }
            _ => Vec::new(),
        }
    }

    fn single(&mut self, op: Op<'c>) -> Option<FoundAccess> {
        let inputs = operands(op);
        let (direction, pointer, value) = match name(op) {
            "llvm.load" => (Direction::Load, *inputs.first()?, *results(op).first()?),
            "llvm.store" => (Direction::Store, *inputs.get(1)?, *inputs.first()?),
            _ => return None,
        };
        let space = space_of(pointer);
        let base = underlying_object(pointer);
        let ty = value.r#type();
        let given = matches!(base, UnderlyingObject::Argument(_));
        let may_go = match base {
            UnderlyingObject::Private => return None,
            UnderlyingObject::Unknown => true,
            UnderlyingObject::Argument(_) => false,
            UnderlyingObject::Variable(variable) => !self.variables.is_needed(&variable),
        };
        let size = match vector_parts(ty) {
            // LLVM packs the elements of an i1 vector.
            Some((_, element)) if tx_mlir::integer_width(element) == Some(1) => None,
            Some((lanes, element)) => byte_width(element)
                .and_then(|bytes| lanes.checked_mul(bytes))
                .map(|bytes| (lanes, bytes)),
            None if pointer_space(ty).is_some() => Some((1, 8)),
            None => byte_width(ty).map(|bytes| (1, bytes)),
        };
        let Some((lanes, bytes)) = size.filter(|(_, bytes)| *bytes > 0) else {
            return Some(FoundAccess::any(direction, space));
        };
        let address = self.number(pointer);
        let again = !self.seen.insert((direction, address, bytes));
        // If the program loaded the stored value from this address, LLVM may remove the store.
        let is_back =
            direction == Direction::Store && self.seen.contains(&(Direction::Load, address, bytes));
        let forwarded = self.forwarded.contains(&id(op));
        let unused = direction == Direction::Load && !self.uses_all(value, lanes);
        let aligned = integer_attribute(op, "alignment")
            .and_then(|alignment| u64::try_from(alignment).ok())
            .unwrap_or(bytes.next_power_of_two());
        // LLVM splits unaligned vectors.
        let width = (1 << bytes.trailing_zeros().min(4)).min(bytes);
        let removable = again
            || is_back
            || forwarded
            || unused
            || self.is_taken_apart(value, lanes, bytes)
            || aligned < width
            || may_go
            || !matches!(space, Space::Generic | Space::Global | Space::Shared);
        let bytes = u32::try_from(bytes).ok()?;
        let fact = match lanes {
            0 | 1 => Fact::ScalarAccess {
                direction,
                // Pointer arguments of a kernel point to global memory. LLVM may fail to infer this
                // memory space for vector accesses.
                space: match space {
                    Space::Generic if given && self.in_kernel => Space::Global,
                    space => space,
                },
                bytes,
            },
            _ => Fact::VectorAccess {
                direction,
                space,
                bytes,
            },
        };
        Some(FoundAccess {
            fact,
            place: LoopNesting::OutsideLoops,
            removable,
        })
    }

    /// Returns the loads that LLVM may emit in addition to the access `found`, for chips with
    /// packed f32 addition (`sm_100` and later). To use packed additions, LLVM may load pairs of
    /// elements that are not adjacent.
    fn pairs(&self, found: &FoundAccess, op: Op<'c>) -> Option<FoundAccess> {
        let (_, element) = vector_parts(results(op).first()?.r#type())?;
        match found.fact {
            Fact::VectorAccess {
                direction, space, ..
            } if element.is_f32() && self.chip.sm >= 100 => {
                Some(FoundAccess::any(direction, space))
            }
            _ => None,
        }
    }

    /// Returns whether LLVM may load the elements of a vector separately. LLVM splits a load of two
    /// 8-byte elements if all users extract single elements.
    fn is_taken_apart(&self, value: Val<'c>, lanes: u64, bytes: u64) -> bool {
        let users = self.users.get(&key(value)).map_or(&[][..], Vec::as_slice);
        (lanes, bytes) == (2, 16) && users.iter().all(|user| is(*user, "llvm.extractelement"))
    }

    fn uses_all(&self, value: Val<'c>, lanes: u64) -> bool {
        let users = self.users.get(&key(value)).map_or(&[][..], Vec::as_slice);
        let mut used = BTreeSet::new();
        for user in users {
            match name(*user) {
                "llvm.extractelement" => {
                    let position = operands(*user).get(1).copied().and_then(integer);
                    match position.and_then(|p| u64::try_from(p).ok()) {
                        Some(position) => {
                            used.insert(position);
                        }
                        None => return true,
                    }
                }
                "llvm.shufflevector" => {
                    let first = operands(*user).first().copied() == Some(value);
                    let mask = attribute(*user, "mask").and_then(integers);
                    for lane in mask.unwrap_or_default() {
                        let Ok(lane) = u64::try_from(lane) else {
                            continue;
                        };
                        used.extend(if first {
                            (lane < lanes).then_some(lane)
                        } else {
                            lane.checked_sub(lanes)
                        });
                    }
                }
                _ => return true,
            }
        }
        (0..lanes).all(|lane| used.contains(&lane))
    }
}
