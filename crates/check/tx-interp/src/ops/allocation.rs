//! Allocation of private memory, of shared memory, and of buffers that all threads of a kernel
//! share.

use crate::cluster::Cluster;
use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::Trouble;
use crate::value::View;
use std::rc::Rc;
use tx_mlir::memref::Space;
use tx_scalar::Scalar;

/// Allocates one array per lane in private memory if `private` is set, and one array for all lanes
/// otherwise.
pub(crate) fn private_or_common(
    exec: &mut Exec<'_>,
    label: String,
    space: Space,
    private: bool,
    sizes: Vec<i64>,
    scalar: Scalar,
    site: &Site,
) -> Result<Vec<Rc<View>>, Trouble> {
    let (count, space) = match private {
        true => (exec.lanes as i64, Space::Private),
        false => (1, space),
    };
    copies(exec, label, space, count, &sizes, scalar, site)
}

/// Allocates one buffer with several consecutive arrays, and returns a view of each array.
fn copies(
    exec: &mut Exec<'_>,
    label: String,
    space: Space,
    copies: i64,
    sizes: &[i64],
    scalar: Scalar,
    site: &Site,
) -> Result<Vec<Rc<View>>, Trouble> {
    let each = sizes
        .iter()
        .try_fold(scalar.bytes() as i64, |bytes, size| {
            bytes.checked_mul(*size)
        })
        .unwrap_or(i64::MAX);
    let bytes = each.checked_mul(copies).unwrap_or(i64::MAX);
    let buffer = exec.world.memory.allocate(label, space, bytes, site)?;
    Ok((0..copies)
        .map(|lane| {
            let own = (lane * each, (lane + 1) * each);
            Rc::new(View::row_major(buffer, own, sizes.to_vec()))
        })
        .collect())
}

/// Allocates one buffer for the shared memory of a cluster, with one part per block.
pub(crate) fn shared(
    exec: &mut Exec<'_>,
    label: String,
    sizes: &[i64],
    scalar: Scalar,
    site: &Site,
) -> Result<Vec<Rc<View>>, Trouble> {
    let blocks = exec.cluster.as_ref().map_or(1, Cluster::blocks);
    let all = copies(
        exec,
        label,
        Space::Shared,
        blocks.into(),
        sizes,
        scalar,
        site,
    )?;
    let Some(cluster) = &mut exec.cluster else {
        return Ok(all);
    };
    let (from, to) = all[0].own;
    cluster.shares.insert(all[0].buffer, to - from);
    if blocks == 1 {
        return Ok(all);
    }
    let of_lane = |lane: u32| all[cluster.place(lane).0 as usize].clone();
    Ok((0..exec.lanes as u32).map(of_lane).collect())
}
