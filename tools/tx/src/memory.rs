//! Memory check for arguments. Operating systems overcommit memory, and later kill the process that
//! uses too much.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use tx_runtime::Spec;

use crate::failure::Failure;

/// Number of bytes below which memory is not checked.
const FEW: u64 = 1 << 28;

/// Rejects arguments that exceed the available memory. A run on the CPU copies the arguments
/// (`copied`), so twice their size is required.
pub(crate) fn check(specs: &[Spec], copied: bool) -> Result<(), Failure> {
    let sizes = specs.iter().map(|spec| spec.bytes().unwrap_or(0));
    let bytes = sizes.fold(0, u64::saturating_add);
    let needed = bytes.saturating_mul(if copied { 2 } else { 1 });
    if needed <= FEW {
        return Ok(());
    }
    let memory = MemoryRefreshKind::nothing().with_ram();
    let asked = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    // If the available memory is unknown, rely on allocation errors.
    let Ok(system) = asked else { return Ok(()) };
    // Respect the cgroup limit. Its usage includes reclaimable page cache, so only the total is
    // compared.
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
