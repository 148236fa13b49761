//! The SIMT executor: runs lowered kernels on the CPU, thread by thread.
//!
//! A [`Program`] is made from device IR, the LLVM and NVVM dialects just before PTX is made of
//! them. It is compiled for the host, with a call of a hook in place of everything that only a GPU
//! has and in front of every access to memory. [`Program::launch`] runs the blocks of a grid one
//! after the other, those of a cluster together. Each thread of a block is a coroutine with a stack
//! of its own, of 128 KiB beside the private memory of the kernel. A thread runs until it meets a
//! barrier, a shuffle or another operation of several threads, and goes on when all that take part
//! have arrived and its [`Order`] says so. There are orders for all the ways in which a missing
//! barrier shows, also such that preempt threads at every access.
//!
//! What a GPU leaves undefined is a [`Fault`] with source locations here: data races, divergent
//! barriers, shuffles from lanes that do not take part, accesses out of bounds or misaligned, reads
//! of shared memory and of temporaries that nobody wrote, divisions by zero. A launch that ends
//! without one has none of them for its input. Accesses are ordered by barriers (of the cluster, of
//! the block, of some of its warps, of a warp): shuffles and votes order no memory access. Two
//! blocks are ordered by the end of a kernel, and where a thread of one fences for the device, then
//! writes a word atomically that a thread of the other reads atomically and fences after. Atomic
//! accesses alone order nothing, whatever ordering they have: PTX is made without. They do not race
//! with each other. An access to the shared memory of another block of the cluster must come after
//! that block's begin, and before its end. [`Checks::Off`] leaves out what costs time, and keeps
//! what the safety of the process needs. Other executors can use the [`happens_before`] order that
//! all this rests on.
//!
//! Numbers are those of PTX, bit for bit: sums, products and fused multiply-adds are rounded once
//! to their type, also in f16 and bf16, subnormals are kept, and maxima and minima order −0 below
//! +0. Not so: which NaN arithmetic returns (sign and payload are the host's), the last bits of
//! functions that PTX approximates, and what differs from chip to chip.
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
mod libm;
mod machine;
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
    Access, AccessKind, Diagnostic, Divergence, Error, Fault, Lifetime, Location, OtherBlock,
    OutOfRange, Place, Race, Site, Space,
};
pub use memory::{BufferId, Memory, MemoryError};
pub use order::Order;
pub use program::{
    Checks, KernelInfo, Launch, MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_SHARED_BYTES, Param,
    ParamKind, Program, StepLimit,
};
pub use report::{Accesses, Report};

/// Lanes of a warp.
const WARP: usize = 32;
