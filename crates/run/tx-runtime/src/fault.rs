//! Faults that the executor found in programs.

use std::borrow::Cow;

/// Fault that the executor found in a program. `Display` prints the fault as a diagnostic at its
/// source location. If a race or divergence involves operations at two locations, a note contains
/// the location `other_location`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: error: {} (kernel `{kernel}`){}",
    location.as_deref().unwrap_or("<unknown>"),
    self.without_place(),
    self.elsewhere().map(|at| format!("\n{at}: note: the other operation is here")).unwrap_or_default()
)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Code of the violated rule, such as `TX0801`.
    pub code: Option<&'static str>,
    /// Name of the running kernel.
    pub kernel: String,
    /// Location of the faulty operation as `file:line:column`; for a race, location of the later
    /// operation.
    pub location: Option<String>,
    /// For a race, location of the earlier operation; for a divergence, location of the second
    /// operation that contributes to the fault, if any. The format is `file:line:column`.
    pub other_location: Option<String>,
    /// Description of the fault, with threads and source locations.
    pub message: String,
    /// Output of `gpu.printf` before the fault.
    pub printed: String,
}

impl Fault {
    /// Returns the message of the fault without the source location of the fault, because the
    /// caller prints the location before the message. For a race, the message contains the
    /// locations of the first and the second access.
    pub fn without_place(&self) -> Cow<'_, str> {
        let by = match self.kind {
            FaultKind::Race => return Cow::Borrowed(&self.message),
            FaultKind::Endless => " of thread",
            _ => " by thread",
        };
        match &self.location {
            Some(place) => Cow::Owned(self.message.replacen(
                &format!(" at {place} by thread"),
                by,
                1,
            )),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// Returns `other_location` if it differs from `location`. Returns `None` if both locations are
    /// equal, as for a race between two threads that execute one operation.
    pub fn elsewhere(&self) -> Option<&str> {
        self.other_location
            .as_deref()
            .filter(|_| self.other_location != self.location)
    }
}

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two unordered accesses to one address; at least one access is a write.
    Race,
    /// Some participating threads do not reach a barrier, shuffle or vote; a shuffle reads an
    /// inactive lane; or an access to the shared memory of another block is outside the lifetime of
    /// that block.
    Synchronization,
    /// An access is out of bounds or misaligned, reads uninitialized memory, or writes constant
    /// memory.
    Memory,
    /// Access to dynamic shared memory in a launch without dynamic shared memory.
    NoDynamicShared,
    /// Stack overflow of a thread on the executor; threads of a GPU may have a larger stack.
    Stack,
    /// Launch that needs more steps than `RunOptions::steps` allows.
    Endless,
    /// False assertion, trap, integer division by zero, value outside its declared range, or a
    /// launch without progress.
    Other,
}
