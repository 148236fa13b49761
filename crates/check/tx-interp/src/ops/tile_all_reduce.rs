//! Reference semantics of `tile.all_reduce`.

use crate::build::{Build, scalars_of};
use crate::code::OpClosure;
use crate::ops::convert::Convert;
use crate::ops::group::groups;
use crate::ops::reduce::{Combine, Parts};
use crate::site::Site;
use crate::trouble::Trouble;
use crate::value::{Lanes, Value};
use tx_dialect_tile::{AllReduce, Kind, Scope};
use tx_scalar::number::Scalar;

pub(crate) fn all_reduce<'c>(
    view: &AllReduce<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<OpClosure<'c>, Trouble> {
    let op = view.op;
    let parts = view
        .accumulators()
        .and_then(|types| {
            types
                .into_iter()
                .map(Scalar::of)
                .collect::<Option<Vec<_>>>()
        })
        .ok_or_else(|| Trouble::unsupported(op, "with partial results of other types"))?;
    let combine = Combine::new(op, view.kind, view.nan, parts.clone(), build)?;
    let unsigned = matches!(view.kind, Kind::UMax | Kind::UMin);
    let mut inward = Vec::new();
    let mut outward = Vec::new();
    for (part, (value, result)) in parts.iter().zip(view.values.iter().zip(&view.results)) {
        inward.push(Convert::new(scalars_of(op, *value)?.0, *part, unsigned));
        outward.push(Convert::new(*part, scalars_of(op, *result)?.0, unsigned));
    }
    let slots = build.operands(op);
    let to = build.results(op);
    let site = Site::of(op);
    let (scope, width, stride) = (view.scope, view.width, view.stride);
    Ok(Box::new(move |exec| {
        let mut out: Vec<Lanes> = to.iter().map(|_| Lanes::new(1, exec.lanes)).collect();
        for group in groups(exec, scope, &site)? {
            let mut digits: std::collections::BTreeMap<i64, Vec<u32>> =
                std::collections::BTreeMap::new();
            for &thread in &group.threads {
                let place = match (&exec.cluster, scope) {
                    (Some(cluster), Scope::Cluster) => {
                        let (rank, place) = cluster.place(thread);
                        i64::from(rank * cluster.threads() + place)
                    }
                    _ => i64::from(thread),
                };
                let t = place - group.base;
                let key = width.map_or(0, |width| t - t / stride % width * stride);
                digits.entry(key).or_default().push(thread);
            }
            for members in digits.values() {
                let mut result: Option<Parts> = None;
                for &thread in members {
                    let new: Parts = slots
                        .iter()
                        .zip(&inward)
                        .map(|(slot, convert)| {
                            let numbers = exec.numbers(*slot);
                            let (bits, bound) = convert.one(
                                numbers.get(thread as usize, 0),
                                numbers.bound(thread as usize, 0),
                            );
                            let mut one = Lanes::new(1, 1);
                            one.set(0, 0, bits, bound);
                            one
                        })
                        .collect();
                    result = Some(match result {
                        None => new,
                        Some(old) => {
                            exec.with_lanes(1, |exec| combine.combine(exec, &old, &new))?
                        }
                    });
                }
                if let Some(result) = &mut result {
                    exec.with_lanes(1, |exec| combine.settle(exec, result));
                }
                for ((out, value), convert) in
                    out.iter_mut().zip(result.iter().flatten()).zip(&outward)
                {
                    let (bits, bound) = convert.one(value.get(0, 0), value.bound(0, 0));
                    for &thread in members {
                        out.set(thread as usize, 0, bits, bound);
                    }
                }
            }
        }
        for (to, lanes) in to.iter().zip(out) {
            exec.slots[*to] = Value::Numbers(lanes);
        }
        Ok(())
    }))
}
