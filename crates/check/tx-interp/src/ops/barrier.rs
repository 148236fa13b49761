//! Barriers of a block and of a cluster.

use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use std::rc::Rc;
use tx_exec::happens_before::ReleasedClocks;

/// Records that all active lanes arrive at the barrier of their block.
pub(crate) fn arrive_all(exec: &mut Exec<'_>, site: &Site) -> Result<(), Trouble> {
    let active = exec.active.clone();
    for threads in blocks(exec, &active) {
        arrive(exec, 0, None, &threads, site)?;
    }
    Ok(())
}

/// Splits a list of ascending lanes into one list per block.
pub(crate) fn blocks(exec: &Exec<'_>, lanes: &[u32]) -> Vec<Vec<u32>> {
    let rank = |lane: u32| {
        exec.cluster
            .as_ref()
            .map_or(0, |cluster| cluster.place(lane).0)
    };
    let runs = lanes.chunk_by(|a, b| rank(*a) == rank(*b));
    runs.map(<[u32]>::to_vec).collect()
}

/// Records that some threads of one block arrive at a barrier. `count` is the number of threads
/// that the barrier expects; `None` stands for all threads of the block.
pub(crate) fn arrive(
    exec: &mut Exec<'_>,
    id: u64,
    count: Option<u64>,
    threads: &[u32],
    site: &Site,
) -> Result<(), Trouble> {
    let (Some(cluster), Some(&first)) = (&mut exec.cluster, threads.first()) else {
        return Err(Trouble::fault(
            FaultKind::Divergence,
            site,
            "a barrier outside a kernel",
        ));
    };
    let everyone = u64::from(cluster.threads());
    let needed = count.unwrap_or(everyone);
    let key = (cluster.place(first).0, id);
    let arrivals = cluster.arrivals.entry(key).or_insert((count, Vec::new()));
    let earlier = arrivals.1.len();
    arrivals.1.extend(threads);
    if (arrivals.1.len() as u64) < needed.min(everyone) {
        return Ok(());
    }
    let (_, members) = cluster.arrivals.remove(&key).unwrap_or_default();
    if earlier > 0 || members.len() as u64 > needed.max(everyone) {
        // In lockstep execution, the threads that arrived earlier have already passed the barrier.
        return Err(Trouble::Unsupported {
            site: site.clone(),
            what: "reached by threads of one barrier in several places".to_owned(),
        });
    }
    let is_alone = cluster.blocks() == 1;
    let clocks = &mut exec.world.clocks;
    if members.len() as u64 == everyone && is_alone {
        clocks.join_all();
    } else {
        let members: Vec<usize> = members.iter().map(|m| *m as usize).collect();
        clocks.synchronize(&members, &mut ReleasedClocks::default());
    }
    Ok(())
}

/// Returns an error if not all threads of the cluster are active.
fn check_whole_cluster(exec: &Exec<'_>, site: &Site) -> Result<(), Trouble> {
    let Some(cluster) = &exec.cluster else {
        let message = "a barrier outside a kernel";
        return Err(Trouble::fault(FaultKind::Divergence, site, message));
    };
    let (found, expected) = (exec.active.len() as u64, cluster.all().len() as u64);
    if found == expected {
        return Ok(());
    }
    let message = format!("{found} threads reach the cluster barrier, expected {expected}");
    Err(Trouble::fault(FaultKind::Divergence, site, message))
}

/// Records that all threads of the cluster arrive at the cluster barrier. Unless `relaxed` is set,
/// the arrival has release semantics.
pub(crate) fn arrive_in_cluster(
    exec: &mut Exec<'_>,
    relaxed: bool,
    site: &Site,
) -> Result<(), Trouble> {
    check_whole_cluster(exec, site)?;
    let mut known = ReleasedClocks::default();
    if !relaxed {
        for &lane in exec.active.iter() {
            exec.world.clocks.release(lane as usize, &mut known);
        }
    }
    let arrival = exec
        .cluster
        .as_mut()
        .map(|cluster| &mut cluster.cluster_arrival);
    match arrival {
        Some(arrival @ None) => *arrival = Some(Rc::new(known)),
        _ => {
            let message = "threads arrive twice at the cluster barrier without a wait in between";
            return Err(Trouble::fault(FaultKind::Divergence, site, message));
        }
    }
    Ok(())
}

/// Completes the wait of all threads of the cluster at the cluster barrier. `at_once` is set if the
/// wait directly follows a cluster arrival with release semantics.
pub(crate) fn wait_in_cluster(
    exec: &mut Exec<'_>,
    at_once: bool,
    site: &Site,
) -> Result<(), Trouble> {
    check_whole_cluster(exec, site)?;
    let arrival = exec
        .cluster
        .as_mut()
        .and_then(|cluster| cluster.cluster_arrival.take());
    let Some(arrival) = arrival else {
        let message = "threads wait at the cluster barrier without an arrival before the wait";
        return Err(Trouble::fault(FaultKind::Divergence, site, message));
    };
    let clocks = &mut exec.world.clocks;
    if at_once {
        clocks.join_all();
        return Ok(());
    }
    for &lane in exec.active.iter() {
        clocks.acquire(lane as usize, &arrival);
    }
    Ok(())
}
