//! Groups of threads, such as warps or blocks, that execute an op together.

use crate::layout::Holder;
use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use tx_dialect_tile::Scope;

/// The threads that execute one op together.
pub(crate) struct Group {
    /// Lane that reads memory for all threads of the thread group.
    pub(crate) first: u32,
    /// Thread index that corresponds to the thread offset 0 of a layout.
    pub(crate) base: i64,
    pub(crate) threads: Vec<u32>,
}

impl Group {
    pub(crate) fn thread(&self, holder: &Holder, lanes: usize) -> Option<usize> {
        let thread = self.base + holder.relative + holder.absolute;
        usize::try_from(thread)
            .ok()
            .filter(|thread| *thread < lanes)
    }
}

/// Splits the active lanes into the thread groups of a scope. Returns an error if a thread of a
/// thread group is inactive.
pub(crate) fn groups(exec: &Exec<'_>, scope: Scope, site: &Site) -> Result<Vec<Group>, Trouble> {
    let lanes = exec.lanes as u32;
    // A group of a scope up to `Cta` contains lanes of one block; a group of a larger scope
    // contains lanes of all blocks.
    let block = match (&exec.cluster, scope) {
        (Some(cluster), Scope::Thread | Scope::Warp | Scope::Warpgroup | Scope::Cta) => {
            cluster.pitch()
        }
        _ => lanes,
    };
    let size = match scope {
        Scope::Thread => 1,
        Scope::Warp => 32,
        Scope::Warpgroup => 128,
        Scope::Cta | Scope::Cluster | Scope::Grid => block,
    };
    let base_of = |lane: u32| lane / block * block + lane % block / size * size;
    let mut groups: Vec<Group> = Vec::new();
    for &lane in exec.active.iter() {
        let base = base_of(lane);
        match groups.last_mut() {
            Some(group) if group.base == i64::from(base) => group.threads.push(lane),
            _ => groups.push(Group {
                first: lane,
                base: i64::from(base),
                threads: vec![lane],
            }),
        }
    }
    for group in &groups {
        let base = group.base as u32;
        let all = base..base.saturating_add(size).min((base / block + 1) * block);
        let expected = all.filter(|lane| exec.has_lane(*lane)).count();
        if group.threads.len() != expected {
            let message = format!(
                "{} of the {expected} threads of a {scope} reach this op, expected all",
                group.threads.len()
            );
            return Err(Trouble::fault(FaultKind::Divergence, site, message));
        }
    }
    Ok(groups)
}
