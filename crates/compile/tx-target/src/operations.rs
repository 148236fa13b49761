//! Table of MLIR ops that synchronise threads, exchange values between lanes, or access shared
//! memory.
//!
//! Compiler passes, checks of kernels, and tests use the table of ops. The table of ops describes
//! the purpose, the memory effect and the requirements of each op, but not the values of the op
//! results. The required chips and PTX versions are from two sources: the instruction selection of
//! LLVM 22, and the sections "PTX ISA Notes" and "Target ISA Notes" of the PTX ISA.

use crate::Chip;

/// Purpose of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Barrier of a block. The threads of the block wait for each other, or arrive at the barrier
    /// without waiting.
    BlockBarrier,
    /// Barrier of a warp. The lanes of the warp wait for each other.
    WarpBarrier,
    /// Arrival of threads at the barrier of a cluster.
    ClusterArrive,
    /// Wait of a thread until all threads of the cluster have arrived at the barrier.
    ClusterWait,
    /// Memory fence that orders the accesses of one thread.
    Fence,
    /// Read of a register of another lane.
    Shuffle,
    /// Reduction of an integer or a float across the lanes of a warp.
    Redux,
    /// Reduction of a predicate across the lanes of a warp.
    Vote,
    /// Comparison of a value across the lanes of a warp.
    Match,
    /// Election of one lane of a warp.
    Elect,
    /// Atomic read-modify-write of memory.
    Atomic,
    /// Any other purpose.
    Other,
}

/// Memory effect of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// No memory effect, because the op only uses registers.
    Untouched,
    /// The op orders memory accesses of other ops, but does not access memory.
    Ordered,
    /// Atomic read-modify-write of the memory operand.
    Atomic,
    /// The op has the memory effects that it declares through MLIR's `MemoryEffectOpInterface`. If
    /// an op does not implement `MemoryEffectOpInterface`, its effects are unknown.
    Declared,
}

/// Compute capability and PTX version that an op requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Minimum compute capability, times ten.
    pub capability: u32,
    /// Whether only architecture-specific chips (`sm_90a`, `sm_100a`) support the op.
    pub specific: bool,
    /// Minimum PTX ISA version, times ten.
    pub ptx: u32,
    /// Pair of a compute capability and a PTX ISA version, both times ten. On chips with at least
    /// the compute capability of the pair, the op requires only the PTX ISA version of the pair,
    /// which is lower than the version in the field `ptx`.
    pub newer: Option<(u32, u32)>,
}

impl Needs {
    /// Returns whether `chip` and PTX version `ptx` (times ten) meet the requirements of the op.
    pub fn are_met(&self, chip: &Chip, ptx: u32) -> bool {
        let has_capability = chip.capability >= self.capability;
        has_capability && (chip.specific || !self.specific) && ptx >= self.ptx_for(chip)
    }

    /// Returns the minimum PTX ISA version for a chip, times ten.
    pub fn ptx_for(&self, chip: &Chip) -> u32 {
        match self.newer {
            Some((capability, ptx)) if chip.capability >= capability => ptx,
            _ => self.ptx,
        }
    }
}

/// Properties of one op, or of all ops whose names begin with one prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Op name. A name that ends in a dot matches every op whose name begins with `name`.
    pub name: &'static str,
    /// Purpose of the op.
    pub role: Role,
    /// Memory effect of the op.
    pub memory: Memory,
    /// Requirements of the op; `None` if every chip of `tx` supports the op.
    pub needs: Option<Needs>,
    /// Special form of the op, such as the form with float operands, and the requirements of this
    /// form.
    pub special: Option<(Form, Needs)>,
}

/// Form of an op; the attributes or types of the op determine the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Floating-point operands.
    Float,
    /// Proxy fence of kind `alias`.
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

/// Returns requirements with a minimum compute capability and a minimum PTX version, both times
/// ten.
const fn at_least(capability: u32, ptx: u32) -> Needs {
    Needs {
        capability,
        specific: false,
        ptx,
        newer: None,
    }
}

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

/// Returns the table entry of a conversion between pairs of 8-bit floats and pairs of other floats.
/// A conversion from or to 8-bit floats requires PTX 7.8 on sm_90, and PTX 8.1 on sm_89.
const fn converting(name: &'static str) -> Operation {
    Operation {
        needs: Some(Needs {
            newer: Some((90, 78)),
            ..at_least(89, 81)
        }),
        ..operation(name, Role::Other, Memory::Untouched)
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

/// Table entries. The lookup returns the first matching entry, so an entry with a full op name must
/// precede every entry with a prefix of the same op name.
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
        needing(80, 70, operation("nvvm.mbarrier.init", Other, Ordered)),
        needing(
            90,
            80,
            operation("nvvm.mbarrier.arrive.expect_tx", Other, Ordered),
        ),
        needing(90, 80, operation("nvvm.mbarrier.try_wait", Other, Ordered)),
        operation("memref.atomic_rmw", Role::Atomic, Memory::Atomic),
        operation("memref.generic_atomic_rmw", Role::Atomic, Memory::Atomic),
        operation("llvm.atomicrmw", Role::Atomic, Memory::Atomic),
        operation("llvm.cmpxchg", Role::Atomic, Memory::Atomic),
        converting("nvvm.convert.f32x2.to.f8x2"),
        converting("nvvm.convert.f8x2.to.f16x2"),
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
    /// Returns the table entry for an op name; `None` for an op that is not in the table.
    pub fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS
            .iter()
            .find(|known| match known.name.ends_with('.') {
                true => name.starts_with(known.name),
                false => name == known.name,
            })
    }

    /// Returns the purpose of the op named `name`.
    pub fn role_of(name: &str) -> Role {
        Self::named(name).map_or(Role::Other, |known| known.role)
    }

    /// Returns the memory effect of the op named `name`.
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
        let convert = needs("nvvm.convert.f8x2.to.f16x2");
        assert!(convert.are_met(&chip("sm_90"), 78) && convert.are_met(&chip("sm_89"), 81));
        assert!(!convert.are_met(&chip("sm_89"), 78) && !convert.are_met(&chip("sm_86"), 81));
        let wgmma = needs("nvvm.wgmma.fence.aligned");
        assert!(wgmma.are_met(&chip("sm_90a"), 80) && !wgmma.are_met(&chip("sm_90"), 80));
    }
}
