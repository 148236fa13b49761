//! Memory check for arguments. If the operating system overcommits memory, an allocation of too
//! much memory succeeds, but the operating system kills the process at a later write to the memory.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use tx_runtime::Spec;

use crate::failure::Failure;

/// Size of the required memory, in bytes, up to which `tx` does not check the available memory.
const MAX_UNCHECKED_BYTES: u64 = 1 << 28;

/// Rejects arguments that exceed the available memory. If `copied` is set, the run copies the
/// arguments, as on the CPU, so the memory must suffice for the arguments and their copies.
pub(crate) fn check(specs: &[Spec], copied: bool) -> Result<(), Failure> {
    let sizes = specs.iter().map(|spec| spec.bytes().unwrap_or(0));
    let bytes = sizes.fold(0, u64::saturating_add);
    let needed = bytes.saturating_mul(if copied { 2 } else { 1 });
    if needed <= MAX_UNCHECKED_BYTES {
        return Ok(());
    }
    let memory = MemoryRefreshKind::nothing().with_ram();
    let asked = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    // If the available memory is unknown, the check passes; a later allocation that fails reports
    // an error.
    let Ok(system) = asked else { return Ok(()) };
    // The limit of the cgroup also applies. The memory usage of a cgroup includes reclaimable page
    // cache, so the check uses only the total limit.
    let most = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory);
    let available = system.available_memory().min(most);
    if available == 0 || needed <= available {
        return Ok(());
    }
    let copies = match copied {
        true => ", twice that in a run on the CPU",
        false => "",
    };
    Err(Failure::Refused(format!(
        "not enough memory: the arguments take {}{copies}, and {} are available",
        in_gib(bytes),
        in_gib(available)
    )))
}

fn in_gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}
