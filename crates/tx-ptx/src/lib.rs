//! Reads PTX, as LLVM writes it, and compares what it does with what the IR says.
//!
//! [`Module::parse`] reads the text; [`Flow`] takes a function apart into basic blocks and loops;
//! [`Operation`] is what an instruction does, for those on which IR and PTX have to agree:
//! barriers, shuffles, reductions over warps, atomics, accesses to memory. [`Facts`] counts them,
//! kernel by kernel, outside and inside of loops. [`compare()`] takes the facts of PTX and those
//! that the caller found in IR, and says where they differ. [`assemble`] asks NVIDIA's assembler
//! for its opinion.
//!
//! Nothing here knows MLIR or CUDA.
//!
//! ```
//! use tx_ptx::{BarrierKind, Fact, Facts, Module, Place, Threads, compare};
//!
//! let text = ".version 8.7
//! .target sm_90
//! .address_size 64
//! .visible .entry f() {
//!     bar.sync 0;
//!     ret;
//! }";
//! let ptx = Facts::of(&Module::parse(text)?)?;
//!
//! let barrier = Fact::Barrier { kind: BarrierKind::Sync, id: Some(0), threads: Threads::All, aligned: true };
//! let mut ir = Facts::default();
//! ir.kernel("f").add(barrier.clone(), Place::OutsideLoops);
//! assert_eq!(compare(&ir, &ptx), []);
//!
//! ir.kernel("f").add(barrier, Place::OutsideLoops);
//! assert_eq!(
//!     compare(&ir, &ptx)[0].to_string(),
//!     "kernel `f`: `bar.sync 0`: found 1 outside loops, expected 2 outside loops: 1 too few"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod display;
mod facts;
mod flow;
mod instruction;
mod lexer;
mod module;
mod operation;
mod parse;
mod position;
mod ptxas;

pub use compare::{Copied, Difference, Vanished, compare, vanished};
pub use facts::{Count, Fact, Facts, FactsError, FunctionFacts, KernelFacts, Place};
pub use flow::{Block, Flow, FlowError, Site};
pub use instruction::{Address, Guard, Inlined, Instruction, Location, Opcode, Operand, Statement};
pub use module::{
    Attribute, DataValue, Declaration, Declarator, File, Function, FunctionDirective, Initializer,
    Item, Linkage, Module, Pointer, Section, SectionLine,
};
pub use operation::{
    Access, Atomic, Barrier, BarrierKind, Combine, Direction, MalformedInstruction, MatchMode,
    Operation, Ordering, ReduxKind, ScalarType, Scope, ShuffleMode, Space, Threads, VoteMode,
};
pub use position::{ParseError, Position};
pub use ptxas::{AssembleError, KernelUsage, PtxasNotFound, Usage, assemble, find_ptxas};
