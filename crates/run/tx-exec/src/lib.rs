//! SIMT executor: runs lowered kernels on the CPU, with one coroutine per GPU thread.
//!
//! A [`Program`] is loaded from device IR, in the LLVM and NVVM dialects directly before PTX is
//! generated. The device IR is compiled for the host. Calls of executor functions (hooks) replace
//! all GPU-specific operations. A hook call also precedes every memory access.
//!
//! [`Program::launch`] runs the blocks of a grid one after the other; the blocks of a cluster run
//! together. Each thread of a block is a coroutine with its own stack of 128 KiB plus the private
//! memory of the kernel. A thread runs until it reaches a barrier, a shuffle or another collective
//! operation. A waiting thread resumes when all participating threads have arrived and the
//! [`Order`] selects it. [`Order::systematic`] lists orders that together expose missing barriers.
//!
//! # Faults
//!
//! Undefined behaviour of a GPU program is a [`Fault`] with source locations. A launch without a
//! fault has no undefined behaviour for its input. Faults include data races, divergent barriers,
//! shuffles from inactive lanes, accesses that are out of bounds or misaligned, reads of
//! uninitialised memory, and divisions by zero. [`Checks::Off`] disables the expensive checks. The
//! checks that protect the memory of the host process stay enabled.
//!
//! # Memory model
//!
//! * Barriers of a cluster, a block, some warps or one warp order memory accesses. Shuffles and
//!   votes order no accesses.
//! * Accesses of two blocks are ordered by the end of a kernel, or by two fences and an atomically
//!   accessed word. A thread of the first block executes a fence of device scope and then writes
//!   the word atomically. A thread of the second block reads the word atomically and then executes
//!   a fence of device scope. Fences of system scope have the same effect; fences of block or
//!   cluster scope order no accesses.
//! * A wait at an mbarrier object orders later accesses of the waiting thread after the arrivals and
//!   the asynchronous stores of the completed phase. Accesses that precede such an arrival or store
//!   in the same thread are ordered too. In PTX, an asynchronous store (`st.async`) releases only
//!   the stored value, so the executor misses races that only this additional order hides. The
//!   initialization of an mbarrier object orders no accesses.
//! * Atomic accesses without fences do not order other accesses. The executor ignores their memory
//!   ordering, because `tx` generates PTX atomics without one. Atomic accesses do not race with
//!   each other.
//! * An access to the shared memory of another block of the cluster must be ordered after the start
//!   and before the end of that block.
//!
//! The module [`happens_before`] is public, so that other executors can use its race detection.
//!
//! # Numbers
//!
//! Results are equal to those of PTX in every bit. Sums, products and fused multiply-adds are
//! rounded once to their type, also in f16 and bf16. Subnormals are preserved, and maxima and
//! minima order −0 below +0. Exceptions are sign and payload of NaN results, the last bits of
//! approximate PTX functions, and behaviour that differs between chips.
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
mod cluster;
mod convert;
mod engine;
mod fault;
pub mod happens_before;
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

const WARP: usize = 32;
