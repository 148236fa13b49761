//! Facts about operations of MLIR by which threads synchronise, exchange values or share memory:
//! one table, which passes, checks and tests read. What an operation computes is not among them.
//!
//! Chips and versions of PTX are those with which LLVM 22 selects the instructions, which is as the
//! PTX ISA says, section by section under "PTX ISA Notes" and "Target ISA Notes".

use crate::Chip;

/// What an operation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Threads of a block wait for each other, or arrive for others that wait.
    BlockBarrier,
    /// Lanes of a warp wait for each other.
    WarpBarrier,
    /// Threads of a cluster arrive.
    ClusterArrive,
    /// Threads of a cluster wait for those that arrived.
    ClusterWait,
    /// Orders accesses of one thread for others.
    Fence,
    /// Takes a value from another lane.
    Shuffle,
    /// Combines an integer or a float of all lanes.
    Redux,
    /// Combines a bit of all lanes.
    Vote,
    /// Compares values of all lanes.
    Match,
    /// Chooses a lane.
    Elect,
    /// Reads and writes memory at once.
    Atomic,
    /// Anything else.
    Other,
}

/// What an operation does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: it works on registers.
    Untouched,
    /// It orders accesses, and makes none.
    Ordered,
    /// It reads and writes its operand at once.
    Atomic,
    /// What its interfaces say; nothing is known where they say nothing.
    Declared,
}

/// A chip and a version of PTX, at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// The compute capability, times ten.
    pub capability: u32,
    /// Whether only chips with an `a` have it.
    pub specific: bool,
    /// The version of PTX, times ten.
    pub ptx: u32,
}

impl Needs {
    /// Whether a chip with this version of PTX, times ten, has what is needed.
    pub fn are_met(&self, chip: &Chip, ptx: u32) -> bool {
        chip.capability >= self.capability && (chip.specific || !self.specific) && ptx >= self.ptx
    }
}

/// Facts about one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The name; what it begins with where it ends in a dot.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// What it does to memory.
    pub memory: Memory,
    /// What it needs; `None` for every chip that `tx` knows.
    pub needs: Option<Needs>,
    /// What another form of it needs, if not the same.
    pub special: Option<(Form, Needs)>,
}

/// A form of an operation, which its attributes or types tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Of floating-point numbers.
    Float,
    /// Of kind `alias`.
    Alias,
}

const fn operation(name: &'static str, role: Role, memory: Memory) -> Operation {
    Operation {
        name,
        role,
        memory,
        needs: None,
        special: None,
    }
}

/// A chip of this capability and a version of PTX, both times ten.
const fn at_least(capability: u32, ptx: u32) -> Needs {
    Needs {
        capability,
        specific: false,
        ptx,
    }
}

/// A chip of this capability with an `a`.
const fn only(capability: u32, ptx: u32) -> Needs {
    Needs {
        specific: true,
        ..at_least(capability, ptx)
    }
}

const fn needing(capability: u32, ptx: u32, operation: Operation) -> Operation {
    Operation {
        needs: Some(at_least(capability, ptx)),
        ..operation
    }
}

const fn specific(capability: u32, ptx: u32, operation: Operation) -> Operation {
    Operation {
        needs: Some(only(capability, ptx)),
        ..operation
    }
}

const fn special(form: Form, needs: Needs, operation: Operation) -> Operation {
    Operation {
        special: Some((form, needs)),
        ..operation
    }
}

/// Every operation, a name before those that it begins.
const OPERATIONS: &[Operation] = &{
    use Memory::{Declared, Ordered, Untouched};
    use Role::{
        BlockBarrier, ClusterArrive, ClusterWait, Elect, Fence, Match, Other, Redux, Shuffle, Vote,
        WarpBarrier,
    };
    const ALIAS: Needs = at_least(70, 75);
    const FLOAT: Needs = only(100, 86);
    [
        operation("gpu.barrier", BlockBarrier, Ordered),
        operation("nvvm.barrier", BlockBarrier, Ordered),
        operation("nvvm.barrier0", BlockBarrier, Ordered),
        operation("nvvm.barrier.arrive", BlockBarrier, Ordered),
        operation("nvvm.bar.warp.sync", WarpBarrier, Ordered),
        needing(
            90,
            80,
            operation("nvvm.cluster.arrive.relaxed", ClusterArrive, Ordered),
        ),
        needing(
            90,
            78,
            operation("nvvm.cluster.arrive", ClusterArrive, Ordered),
        ),
        needing(90, 78, operation("nvvm.cluster.wait", ClusterWait, Ordered)),
        needing(90, 78, operation("nvvm.cluster.", Other, Declared)),
        operation("llvm.fence", Fence, Ordered),
        operation("nvvm.memory.barrier", Fence, Ordered),
        needing(
            90,
            83,
            operation("nvvm.fence.proxy.acquire", Fence, Ordered),
        ),
        needing(
            90,
            83,
            operation("nvvm.fence.proxy.release", Fence, Ordered),
        ),
        needing(
            90,
            86,
            operation("nvvm.fence.proxy.sync_restrict", Fence, Ordered),
        ),
        special(
            Form::Alias,
            ALIAS,
            needing(90, 80, operation("nvvm.fence.proxy", Fence, Ordered)),
        ),
        needing(
            90,
            86,
            operation("nvvm.fence.sync_restrict", Fence, Ordered),
        ),
        needing(
            90,
            80,
            operation("nvvm.fence.mbarrier.init", Fence, Ordered),
        ),
        needing(90, 78, operation("nvvm.fence.sc.cluster", Fence, Ordered)),
        operation("nvvm.fence.", Fence, Ordered),
        operation("gpu.shuffle", Shuffle, Untouched),
        operation("nvvm.shfl.sync", Shuffle, Untouched),
        special(
            Form::Float,
            FLOAT,
            needing(80, 70, operation("nvvm.redux.sync", Redux, Untouched)),
        ),
        operation("nvvm.vote.sync", Vote, Untouched),
        needing(70, 60, operation("nvvm.match.sync", Match, Untouched)),
        needing(90, 80, operation("nvvm.elect.sync", Elect, Untouched)),
        operation("nvvm.mapa", Other, Untouched),
        operation("memref.atomic_rmw", Role::Atomic, Memory::Atomic),
        operation("memref.generic_atomic_rmw", Role::Atomic, Memory::Atomic),
        operation("llvm.atomicrmw", Role::Atomic, Memory::Atomic),
        operation("llvm.cmpxchg", Role::Atomic, Memory::Atomic),
        needing(70, 63, operation("nvvm.nanosleep", Other, Declared)),
        needing(90, 80, operation("nvvm.cp.async.bulk.", Other, Declared)),
        needing(80, 70, operation("nvvm.cp.async.", Other, Declared)),
        needing(80, 70, operation("nvvm.mbarrier.", Other, Declared)),
        needing(90, 78, operation("nvvm.griddepcontrol", Other, Declared)),
        needing(75, 65, operation("nvvm.ldmatrix", Other, Declared)),
        needing(90, 78, operation("nvvm.stmatrix", Other, Declared)),
        specific(90, 80, operation("nvvm.setmaxregister", Other, Declared)),
        specific(90, 80, operation("nvvm.wgmma.", Other, Declared)),
        specific(100, 86, operation("nvvm.tcgen05.", Other, Declared)),
    ]
};

impl Operation {
    /// The facts about an operation of this name; `None` where there are none.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS
            .iter()
            .find(|known| match known.name.ends_with('.') {
                true => name.starts_with(known.name),
                false => name == known.name,
            })
    }

    /// The role of an operation of this name.
    pub fn role_of(name: &str) -> Role {
        Self::named(name).map_or(Role::Other, |known| known.role)
    }

    /// What an operation of this name does to memory.
    pub fn memory_of(name: &str) -> Memory {
        Self::named(name).map_or(Memory::Declared, |known| known.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_before_what_they_begin_with() {
        for known in OPERATIONS {
            assert_eq!(Operation::named(known.name), Some(known), "{}", known.name);
        }
        let named = |name: &str| Operation::named(name).map(|known| known.name);
        assert_eq!(
            named("nvvm.cp.async.bulk.wait_group"),
            Some("nvvm.cp.async.bulk.")
        );
        assert_eq!(named("nvvm.cp.async.commit.group"), Some("nvvm.cp.async."));
        assert_eq!(named("nvvm.fence.acq_rel"), Some("nvvm.fence."));
        assert_eq!(named("nvvm.shfl.syncs"), None);
        assert_eq!(named("arith.addf"), None);
    }

    #[test]
    fn needs_are_met_by_chip_and_version() {
        let chip = |name| Chip::parse(name).expect("a known chip");
        let needs = |name| {
            Operation::named(name)
                .and_then(|known| known.needs)
                .expect("needs")
        };
        let wait = needs("nvvm.cluster.wait");
        assert!(wait.are_met(&chip("sm_90"), 78) && !wait.are_met(&chip("sm_90"), 77));
        assert!(!wait.are_met(&chip("sm_80"), 78));
        let wgmma = needs("nvvm.wgmma.fence.aligned");
        assert!(wgmma.are_met(&chip("sm_90a"), 80) && !wgmma.are_met(&chip("sm_90"), 80));
    }
}
