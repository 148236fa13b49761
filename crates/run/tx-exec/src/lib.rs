//! SIMT executor: runs lowered kernels on the CPU, with one coroutine per GPU thread.
//!
//! A [`Program`] is loaded from device IR, the last IR before the translation to PTX. Device IR
//! contains the kernels in the LLVM and NVVM dialects. The device IR is compiled for the host.
//! Calls of executor functions (hooks) replace all GPU-specific operations. A hook call also
//! precedes every memory access.
//!
//! [`Program::launch`] runs the blocks of a grid one after the other; the blocks of a cluster run
//! together. Each thread of a block is a coroutine. The stack of each coroutine has a size of 128
//! KiB plus the size of the kernel's private memory. A thread runs until it reaches a barrier, a
//! shuffle or another collective operation. A thread that waits in a collective operation resumes
//! when all participating threads have arrived and the [`Order`] selects the thread.
//! [`Order::systematic`] lists orders that together expose missing barriers.
//!
//! # Faults
//!
//! [`Program::launch`] reports undefined behaviour of a GPU program as a [`Fault`] with source
//! locations. A launch without a fault has no undefined behaviour for the given input. Faults
//! include data races, divergent barriers, shuffles from inactive lanes, accesses that are out of
//! bounds or misaligned, reads of uninitialised memory, and divisions by zero. [`Checks::Off`]
//! disables the expensive checks. [`Checks::Off`] keeps the checks that protect the memory of the
//! host process.
//!
//! # Memory model
//!
//! * Barriers of a cluster, a block, some warps or one warp order the memory accesses of their
//!   threads. Shuffles and votes do not order memory accesses.
//! * Accesses of two blocks are ordered by the end of a kernel, or by a release and acquire
//!   pattern: a thread of the first block executes a fence of device scope and then writes a word
//!   atomically; a thread of the second block reads this word atomically and then executes a fence
//!   of device scope.
//! * Atomic accesses without fences do not order other accesses. The executor ignores the memory
//!   ordering of an atomic access, because `tx` generates PTX atomics without a memory ordering.
//!   Atomic accesses do not race with each other.
//! * An access to the shared memory of another block of the cluster must be ordered after the start
//!   and before the end of that block.
//!
//! * An arrival at an mbarrier object and a store by `st.async` are ordered before the end of a wait
//!   for the completed phase.
//!
//! [`happens_before`] lists the operations that order accesses. The file `shadow.rs` detects
//! conflicting accesses, `clocks.rs` stores the happens-before order, and `barrier.rs` stores the
//! state of a barrier.
//!
//! The module [`happens_before`] is public, so that other executors can use the race detection of
//! the module.
//!
//! # Numbers
//!
//! The executor computes bitwise the same results as PTX. Sums, products and fused multiply-adds
//! are rounded once to the result type, also for f16 and bf16. Operations preserve subnormals. The
//! maximum and minimum operations treat −0 as less than +0. The executor and PTX may differ in the
//! sign and payload of NaN results, in the last bits of approximate functions, and in behaviour
//! that depends on the chip.
//!
//! ```no_run
//! use tx_exec::{Launch, Memory, Param, Program};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = Program::load(&std::fs::read_to_string("kernel.mlir")?)?;
//! let mut memory = Memory::new();
//! let buffer = memory.alloc("argument 0", 4096, 16)?;
//! let launch = Launch { block: [256, 1, 1], ..Launch::default() };
//! let address = memory.address(buffer)?;
//! program.launch("kernel", &launch, &[Param::Pointer(address)], &mut memory)?;
//! # Ok(())
//! # }
//! ```

mod barrier;
mod bits;
mod cluster_barrier;
mod convert;
mod engine;
mod fault;
pub mod happens_before;
mod hook_interface;
mod hooks;
mod launch;
mod libm;
mod location;
mod machine;
mod mbarrier;
mod memory;
mod order;
mod print;
mod program;
mod report;
mod schedule;
mod shared;
mod stacks;
mod warp;

pub use fault::{
    Access, AccessKind, BufferOffset, Diagnostic, Divergence, Error, Fault, Lifetime, OtherBlock,
    OutOfRange, Race, Site, Space,
};
pub use launch::{
    Checks, KernelInfo, Launch, MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_SHARED_BYTES, Param,
    ParamKind, StepLimit,
};
pub use location::Location;
pub use mbarrier::MBarrier;
pub use memory::{BufferId, Memory, MemoryError};
pub use order::Order;
pub use program::Program;
pub use report::{Accesses, Report};
