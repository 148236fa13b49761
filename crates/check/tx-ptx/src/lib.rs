//! Parser for the PTX that LLVM emits, and comparison of PTX with the IR.
//!
//! * [`Module::parse`] parses the text.
//! * [`Flow`] splits a function into basic blocks and finds its loops.
//! * [`Operation`] describes an instruction that the comparison of PTX with the IR covers: a
//!   barrier, a shuffle, a warp reduction, an atomic or a memory access.
//! * [`Facts`] counts the operations of each kernel, outside and inside loops.
//! * [`compare()`] compares the facts of PTX with facts that the caller collects from the IR.
//! * [`assemble`] runs ptxas, NVIDIA's assembler.
//!
//! This crate depends on neither MLIR nor CUDA.
//!
//! ```
//! use tx_ptx::{BarrierKind, Fact, Facts, Module, LoopNesting, Threads, compare};
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
//! ir.kernel("f").add(barrier.clone(), LoopNesting::OutsideLoops);
//! assert_eq!(compare(&ir, &ptx), []);
//!
//! ir.kernel("f").add(barrier, LoopNesting::OutsideLoops);
//! assert_eq!(
//!     compare(&ir, &ptx)[0].to_string(),
//!     "kernel `f`: `bar.sync 0`: found 1 outside loops, expected 2 outside loops: 1 too few"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod debug;
mod declaration;
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
pub use debug::{DataValue, File, Inlined, Location, Section, SectionLine};
pub use declaration::{Attribute, Declaration, Declarator, Initializer, Linkage, Pointer};
pub use facts::{Count, Fact, Facts, FactsError, FunctionFacts, KernelFacts, LoopNesting};
pub use flow::{Block, Flow, FlowError, Site};
pub use instruction::{Address, Guard, Instruction, Opcode, Operand, Statement};
pub use module::{Function, FunctionDirective, Item, Module};
pub use operation::{
    Access, Atomic, Barrier, BarrierKind, Combine, Direction, MalformedInstruction, MatchMode,
    Operation, Ordering, ReduxKind, ScalarType, Scope, ShuffleMode, Space, Threads, VoteMode,
};
pub use position::{ParseError, Position};
pub use ptxas::{AssembleError, KernelUsage, PtxasNotFound, Usage, assemble, find_ptxas};
