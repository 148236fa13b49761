//! LLVM target machines, and a cache of idle target machines.

use super::capi::{
    LLVMCreateTargetMachine, LLVMDisposeTargetMachine, LLVMGetTargetFromTriple, OwnedRef,
    take_message, terminated,
};
use std::ffi::{CString, c_int};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Target of code generation.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Target triple, such as `nvptx64-nvidia-cuda`.
    pub triple: &'a str,
    /// Chip, such as `sm_90`.
    pub chip: &'a str,
    /// Target features, such as `+ptx78`.
    pub features: &'a str,
    /// Optimization level of the code generator, 0 to 3.
    pub level: u8,
}

/// Target machine, together with the parameters with which it was created.
pub(super) struct CachedMachine {
    pub(super) triple: CString,
    chip: String,
    features: String,
    level: u8,
    pub(super) machine: OwnedRef,
}

// SAFETY: a target machine has no thread-local state, and one thread at a time owns this value.
unsafe impl Send for CachedMachine {}

impl CachedMachine {
    /// Creates a target machine.
    pub(super) fn new(machine: Machine<'_>) -> Result<Self, String> {
        let (triple, chip) = (terminated(machine.triple)?, terminated(machine.chip)?);
        let features = terminated(machine.features)?;
        let (mut target, mut error) = (null_mut(), null_mut());
        // SAFETY: LLVM reads the texts and writes the two pointers only during the calls.
        let made = unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut error) != 0 {
                return Err(take_message(error));
            }
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                chip.as_ptr(),
                features.as_ptr(),
                c_int::from(machine.level),
                0,
                0,
            )
        };
        if made.is_null() {
            return Err(format!("LLVM has no target machine for `{}`", machine.chip));
        }
        Ok(Self {
            triple,
            chip: machine.chip.to_owned(),
            features: machine.features.to_owned(),
            level: machine.level,
            machine: OwnedRef(made, LLVMDisposeTargetMachine),
        })
    }

    /// Returns whether the target machine was created with the parameters `machine`.
    pub(super) fn is(&self, machine: &Machine<'_>) -> bool {
        self.triple.as_bytes() == machine.triple.as_bytes()
            && self.chip == machine.chip
            && self.features == machine.features
            && self.level == machine.level
    }
}

/// Maximum number of idle target machines in the cache.
pub(super) const MAX_MACHINES: usize = 64;

/// Cache of idle target machines, most recently used first. The cache saves time, because the
/// creation of a target machine takes as long as several LLVM passes over a kernel.
static MACHINES: Mutex<Vec<CachedMachine>> = Mutex::new(Vec::new());

/// Locks the cache of target machines.
pub(super) fn machines() -> MutexGuard<'static, Vec<CachedMachine>> {
    MACHINES.lock().unwrap_or_else(PoisonError::into_inner)
}
