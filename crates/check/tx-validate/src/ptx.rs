//! Comparison of PTX with the last device IR.
//!
//! [`device`] extracts synchronization operations and memory accesses from the IR, and
//! [`tx_ptx::compare`] reports differences between these operations and the PTX. [`device`] marks
//! operations that LLVM may remove as removable:
//!
//! * An operation is removable in a block that ends in `llvm.unreachable`, or behind a guard that
//!   no thread passes.
//! * A memory access is removable if its memory may be private, if it repeats an earlier access, or
//!   if its variable is only read or only written.
//! * A load is removable if the loading thread may have stored the value after its last
//!   synchronization, if the program does not use all loaded elements, or if the program extracts
//!   two 8-byte elements separately.
//! * Inline assembly without side effects is removable if its results are unused.
//!
//! Unreachable blocks are ignored. If `ptxas` is found, [`check_ptx`] also assembles the PTX.

mod access;
mod assembly;
mod chip;
mod constant;
mod device;
mod flow;
mod forward;
mod operation;
mod pointer;
pub(crate) mod ranges;

use crate::verdict::Verdict;
use std::path::Path;
use tx::Artifact;
use tx_ptx::{AssembleError, Fact, Facts, FactsError, Module, PtxasNotFound, Usage};

const NAMED: usize = 1;

/// Compares the PTX of an artifact with its device IR, and assembles the PTX with `ptxas`. If
/// `ptxas` is `None`, the function searches `PATH`. If `ptxas` is not found, the function returns
/// no error; the verdict mentions the missing `ptxas`.
pub fn check_ptx(artifact: &Artifact, ptxas: Option<&Path>) -> Verdict {
    let module = match Module::parse(&artifact.ptx) {
        Ok(module) => module,
        Err(error) => return Verdict::Ptx(format!("the PTX cannot be read: {error}")),
    };
    let ptx = match Facts::of(&module) {
        Ok(facts) => facts,
        // A recursive call is legal PTX.
        Err(error @ FactsError::Recursive { .. }) => {
            return Verdict::Unsupported(error.to_string());
        }
        Err(error) => return Verdict::Ptx(error.to_string()),
    };
    let chip = chip::Chip::new(&artifact.plan.chip, module.version);
    let ir = match device::facts(&artifact.device_ir, chip) {
        Ok(facts) => facts,
        Err(error) => return Verdict::Unsupported(error),
    };
    let differences = tx_ptx::compare(&ir, &ptx);
    if let Some(first) = differences.first() {
        let more = match differences.len() - NAMED {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        return Verdict::Ptx(format!("{first}{more}"));
    }
    let mut summary = describe(&ir);
    let removed: u64 = tx_ptx::vanished(&ir, &ptx)
        .iter()
        .filter(|vanished| !is_fence(&vanished.fact))
        .map(|vanished| vanished.count)
        .sum();
    if removed > 0 {
        summary.push_str(&format!("; {removed} of them removed, which is allowed"));
    }
    match assembled(artifact, ptxas) {
        Ok(said) => Verdict::AsInIr(format!("{summary}; {said}")),
        Err(refused) => Verdict::Ptx(refused),
    }
}

/// Returns the resource usage that `ptxas` reports, or an error if `ptxas` rejects the PTX.
fn assembled(artifact: &Artifact, ptxas: Option<&Path>) -> Result<String, String> {
    let ptxas = match tx_ptx::find_ptxas(ptxas) {
        Ok(ptxas) => ptxas,
        // `tx doctor` explains how to install `ptxas`; do not repeat that for each program.
        Err(PtxasNotFound::OnPath) => return Ok("not assembled".to_owned()),
        Err(error) => return Ok(format!("not assembled: {error}")),
    };
    match tx_ptx::assemble(&artifact.ptx, &ptxas, &artifact.plan.chip) {
        Ok(usage) => Ok(format!("ptxas: {}", used(&usage))),
        Err(error @ AssembleError::Refused { .. }) => Err(error.to_string()),
        Err(error) => Ok(format!("not assembled: {error}")),
    }
}

/// Formats the maximum resource usage of all kernels, such as `32 registers, no spills`.
fn used(usage: &Usage) -> String {
    let most = |of: fn(&tx_ptx::KernelUsage) -> u64| usage.kernels.values().map(of).max();
    let registers = most(|kernel| kernel.registers).unwrap_or(0);
    let spilled = most(|kernel| kernel.spill_store_bytes.max(kernel.spill_load_bytes)).unwrap_or(0);
    let mut text = match usage.kernels.len() {
        0 | 1 => counted(registers, "register", "registers"),
        _ => format!("at most {}", counted(registers, "register", "registers")),
    };
    text.push_str(&match spilled {
        0 => ", no spills".to_owned(),
        bytes => format!(", {} spilled", counted(bytes, "byte", "bytes")),
    });
    if let Some(warning) = usage.warnings.first() {
        text.push_str(&format!(", {warning}"));
    }
    text
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Returns the position of an operation in the verdict text, and the singular and the plural of the
/// name of the operation. The function returns `None` for scalar accesses, because the verdict text
/// does not count scalar accesses.
fn noun(fact: &Fact) -> Option<(usize, &'static str, &'static str)> {
    Some(match fact {
        Fact::Barrier { .. } => (0, "barrier", "barriers"),
        Fact::WarpBarrier { .. } => (1, "warp barrier", "warp barriers"),
        Fact::ClusterBarrier { .. } => (2, "cluster barrier", "cluster barriers"),
        Fact::Shuffle { .. } => (3, "shuffle", "shuffles"),
        Fact::Redux { .. } => (4, "redux", "redux"),
        Fact::Vote { .. } => (5, "vote", "votes"),
        Fact::Match { .. } => (6, "match", "matches"),
        Fact::Elect { .. } => (7, "election", "elections"),
        Fact::Atomic { .. } => (8, "atomic", "atomics"),
        Fact::Fence { .. } | Fact::ProxyFence { .. } => (9, "fence", "fences"),
        Fact::VectorAccess {
            direction: tx_ptx::Direction::Load,
            ..
        } => (10, "vector load", "vector loads"),
        Fact::VectorAccess { .. } => (11, "vector store", "vector stores"),
        Fact::Call { .. } => (12, "call", "calls"),
        Fact::ScalarAccess { .. } => return None,
    })
}

/// Returns whether an operation is a fence. A removable fence is a fence that LLVM may emit around
/// an atomic operation although the IR contains no op for the fence.
fn is_fence(fact: &Fact) -> bool {
    matches!(fact, Fact::Fence { .. })
}

/// Formats the operation counts of all kernels, such as `2 barriers, 5 shuffles`.
fn describe(ir: &Facts) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for kernel in ir.kernels.values() {
        for (fact, count) in kernel.iter() {
            let count = match is_fence(fact) {
                true => count.required(),
                false => count.total(),
            };
            if let Some(noun) = noun(fact).filter(|_| count > 0) {
                *counts.entry(noun).or_insert(0u64) += count;
            }
        }
    }
    if counts.is_empty() {
        return "no barriers, exchanges, atomics or vector accesses".to_owned();
    }
    let all: Vec<String> = counts
        .into_iter()
        .map(|((_, one, several), count)| counted(count, one, several))
        .collect();
    all.join(", ")
}
