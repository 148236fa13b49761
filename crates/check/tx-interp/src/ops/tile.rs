//! Reference semantics of the ops on tiles.
//!
//! Each thread group executes an op once. The first thread of the group reads the sources element
//! by element in row-major order, and writes the results. Elements of a fragment are read and
//! written by the threads that hold these elements.

use crate::build::{Build, scalars_of};
use crate::code::{Code, OpClosure};
use crate::layout::{Holder, holders, slots as registers};
use crate::machine::Exec;
use crate::ops::convert::{Convert, converted};
use crate::ops::memref::{copy, memref, points};
use crate::ops::reduce::{Combine, Parts, taken};
use crate::points::{Indices, Points};
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Slot, Value, View, count};
use std::ops::Range;
use std::rc::Rc;
use tx_dialect_tile::{AllReduce, Fragment, Kind, Reduce, Scope};
use tx_exec::happens_before::AccessKind;
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::{Affine, AffineMap, Op, Val, name, operands, results};
use tx_scalar::number::Scalar;

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    if let Some(view) = Reduce::of(op) {
        return reduce(&view, build).map(Some);
    }
    if let Some(view) = AllReduce::of(op) {
        return all_reduce(&view, build).map(Some);
    }
    let slots = build.operands(op);
    let to = build.results(op);
    let site = build.program.site(op);
    let scope = tx_dialect_tile::scope(op);
    Ok(Some(match (name(op), scope) {
        ("tile.copy", Some(scope)) => {
            let (_, scalar) = memref(op, operands(op)[0])?;
            Box::new(move |exec| {
                for group in groups(exec, scope, &site.1)? {
                    let lane = group.first;
                    let (from, into) = (exec.view(slots[0], lane), exec.view(slots[1], lane));
                    copy(exec, &from, &into, scalar, lane, &site)?;
                }
                Ok(())
            })
        }
        ("tile.load", Some(scope)) => {
            let tile = Tile::of(op, results(op)[0])?;
            let (_, scalar) = memref(op, operands(op)[0])?;
            Box::new(move |exec| {
                let mut out = Lanes::new(tile.width, exec.lanes);
                for group in groups(exec, scope, &site.1)? {
                    let view = exec.view(slots[0], group.first);
                    check_sizes(&view, &tile, &site.1)?;
                    for (point, holders) in tile.elements() {
                        let place = view.place(point);
                        let (bits, bound) = exec.read(&view, place, scalar, group.first, &site)?;
                        for holder in holders {
                            if let Some(thread) = group.thread(holder, exec.lanes) {
                                out.set(thread, holder.slot, bits, bound);
                            }
                        }
                    }
                }
                exec.slots[to[0]] = Value::Numbers(out);
                Ok(())
            })
        }
        ("tile.store", Some(scope)) => {
            let tile = Tile::of(op, operands(op)[0])?;
            let (_, scalar) = memref(op, operands(op)[1])?;
            Box::new(move |exec| {
                for group in groups(exec, scope, &site.1)? {
                    let view = exec.view(slots[1], group.first);
                    check_sizes(&view, &tile, &site.1)?;
                    for (point, holders) in tile.elements() {
                        let value = held(exec, slots[0], &group, holders, &site.1)?;
                        exec.write(
                            &view,
                            view.place(point),
                            scalar,
                            value,
                            AccessKind::Write,
                            group.first,
                            &site,
                        )?;
                    }
                }
                Ok(())
            })
        }
        ("tile.splat", _) => {
            let tile = Tile::of(op, results(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], tile.width, |exec, lane, _| {
                    let value = exec.numbers(slots[0]);
                    Ok((value.get(lane as usize, 0), value.bound(lane as usize, 0)))
                })
            })
        }
        _ => return Ok(None),
    }))
}

/// The threads that execute one op together.
struct Group {
    first: u32,
    /// Thread index in the block to which the thread offsets of a layout are added.
    base: i64,
    threads: Vec<u32>,
}

impl Group {
    fn thread(&self, holder: &Holder, lanes: usize) -> Option<usize> {
        let thread = self.base + holder.relative + holder.absolute;
        usize::try_from(thread)
            .ok()
            .filter(|thread| *thread < lanes)
    }
}

/// Splits the active lanes into groups. All threads of a group must be active.
fn groups(exec: &Exec<'_>, scope: Scope, site: &Site) -> Result<Vec<Group>, Trouble> {
    let lanes = exec.lanes as u32;
    // Form groups among the lanes of one block; for larger scopes, among all lanes.
    let block = match (&exec.cta, scope) {
        (Some(cta), Scope::Thread | Scope::Warp | Scope::Warpgroup | Scope::Cta) => cta.pitch(),
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
                "{} of the {expected} threads of a {scope} are here, expected all",
                group.threads.len()
            );
            return Err(Trouble::fault(FaultKind::Divergence, site, message));
        }
    }
    Ok(groups)
}

struct Tile {
    shape: Vec<i64>,
    width: usize,
    holders: Vec<Vec<Holder>>,
    element: Scalar,
}

impl Tile {
    fn of(op: Op<'_>, value: Val<'_>) -> Result<Self, Trouble> {
        let fragment = Fragment::from_type(value.r#type());
        fragment
            .and_then(|fragment| {
                Some(Self {
                    shape: fragment.shape.iter().map(|n| *n as i64).collect(),
                    width: registers(&fragment.layout).len(),
                    holders: holders(&fragment.layout),
                    element: Scalar::of(fragment.element)?,
                })
            })
            .ok_or_else(|| {
                Trouble::unsupported(op, format!("on values of type {}", value.r#type()))
            })
    }

    fn elements(&self) -> impl Iterator<Item = (Vec<i64>, &Vec<Holder>)> {
        points(&self.shape).into_iter().zip(&self.holders)
    }
}

fn check_sizes(view: &View, tile: &Tile, site: &Site) -> Result<(), Trouble> {
    if view.sizes == tile.shape {
        return Ok(());
    }
    let message = format!(
        "memory of sizes {:?}, expected {:?}",
        view.sizes, tile.shape
    );
    Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
}

/// Reads an element of a fragment from the first thread that holds a copy.
fn held(
    exec: &Exec<'_>,
    slot: Slot,
    group: &Group,
    holders: &[Holder],
    site: &Site,
) -> Result<(u64, Option<tx_scalar::Bound>), Trouble> {
    let numbers = exec.numbers(slot);
    holders
        .iter()
        .find_map(|holder| {
            let thread = group.thread(holder, exec.lanes)?;
            Some((
                numbers.get(thread, holder.slot),
                numbers.bound(thread, holder.slot),
            ))
        })
        .ok_or_else(|| {
            Trouble::fault(
                FaultKind::OutOfBounds,
                site,
                "an element that no thread of the block holds",
            )
        })
}

/// Memory or fragment from which an op reads elements, or to which it writes elements.
enum Operand {
    Memory { slot: Slot, scalar: Scalar },
    Fragment { slot: Slot, tile: Tile },
}

impl Operand {
    fn of<'c>(op: Op<'c>, value: Val<'c>, build: &mut Build<'_, 'c>) -> Result<Self, Trouble> {
        let slot = build.slot(value);
        if Fragment::from_type(value.r#type()).is_some() {
            return Ok(Self::Fragment {
                slot,
                tile: Tile::of(op, value)?,
            });
        }
        let (_, scalar) = memref(op, value)?;
        Ok(Self::Memory { slot, scalar })
    }

    fn scalar(&self) -> Scalar {
        match self {
            Self::Memory { scalar, .. } => *scalar,
            Self::Fragment { tile, .. } => tile.element,
        }
    }

    fn sizes(&self, exec: &Exec<'_>, lane: u32) -> Vec<i64> {
        match self {
            Self::Memory { slot, .. } => exec.view(*slot, lane).sizes.clone(),
            Self::Fragment { tile, .. } => tile.shape.clone(),
        }
    }

    fn gather(
        &self,
        exec: &mut Exec<'_>,
        group: &Group,
        indices: &Indices,
        site: &(u32, Site),
    ) -> Result<Lanes, Trouble> {
        let mut out = Lanes::new(1, indices.lanes);
        match self {
            Self::Memory { slot, scalar } => {
                let view = exec.view(*slot, group.first);
                for (lane, index) in indices.iter().enumerate() {
                    inside(&view.sizes, index, &site.1)?;
                    let place = view.place(index.iter().copied());
                    let (bits, bound) = exec.read(&view, place, *scalar, group.first, site)?;
                    out.set(lane, 0, bits, bound);
                }
            }
            Self::Fragment { slot, tile } => {
                for (lane, index) in indices.iter().enumerate() {
                    let flat = flatten(index, &tile.shape);
                    let (bits, bound) = held(exec, *slot, group, &tile.holders[flat], &site.1)?;
                    out.set(lane, 0, bits, bound);
                }
            }
        }
        Ok(out)
    }
}

fn flatten(index: &[i64], shape: &[i64]) -> usize {
    let flat = index.iter().zip(shape).fold(0, |flat, (i, n)| flat * n + i);
    usize::try_from(flat).unwrap_or(0)
}

fn inside(sizes: &[i64], index: &[i64], site: &Site) -> Result<(), Trouble> {
    if index.iter().zip(sizes).all(|(i, n)| (0..*n).contains(i)) {
        return Ok(());
    }
    let message = format!("index {index:?} of an array of {sizes:?}");
    Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
}

/// Returns the sizes of the iteration space. If result `i` of an indexing map is a plain dimension
/// `d`, the size of operand dimension `i` is the size of `d`.
pub(crate) fn space(
    rank: usize,
    maps: &[AffineMap],
    sizes: &[Vec<i64>],
    site: &Site,
) -> Result<Vec<i64>, Trouble> {
    let mut space = vec![None; rank];
    for (map, sizes) in maps.iter().zip(sizes) {
        for (expr, size) in map.results.iter().zip(sizes) {
            let Affine::Dim(d) = expr else { continue };
            match space[*d] {
                None => space[*d] = Some(*size),
                Some(known) if known == *size => {}
                Some(known) => {
                    let message = format!("dimension {d} has {known} and {size} iterations");
                    return Err(Trouble::fault(FaultKind::OutOfBounds, site, message));
                }
            }
        }
    }
    space
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| Trouble::Unsupported {
            site: site.clone(),
            what: "with a dimension of unknown size".to_owned(),
        })
}

/// Maximum number of lanes. Each lane computes one result.
const CHUNK: usize = 4096;

struct Plan<'c> {
    combine: Combine<'c>,
    sources: Vec<Operand>,
    /// One flag per source; set if the reduced elements depend on the source.
    reads: Vec<bool>,
    outputs: Vec<Operand>,
    inits: Vec<Operand>,
    extras: Vec<Operand>,
    source_maps: Vec<AffineMap>,
    output_maps: Vec<AffineMap>,
    extra_maps: Vec<AffineMap>,
    rank: usize,
    axes: Vec<usize>,
    /// Conversions of elements to the types of partial results.
    inward: Vec<Convert>,
    outward: Vec<Convert>,
    old: Vec<Convert>,
    /// Combiner with the types of the old destination values, and conversions of partial results to
    /// these types. The field is `None` if the old destination values are not wider than partial
    /// results.
    last: Option<(Combine<'c>, Vec<Convert>)>,
    element: Option<Code<'c>>,
    epilogue: Option<Code<'c>>,
    accumulate: bool,
    scope: Scope,
    site: (u32, Site),
    is_arg: bool,
}

fn reduce<'c>(view: &Reduce<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let op = view.op;
    let unverified = || Trouble::unsupported(op, "that was not verified");
    let rank = view.rank().ok_or_else(unverified)?;
    let axes = view.reduced_axes(rank).ok_or_else(unverified)?;
    let parts = view
        .accumulators()
        .ok_or_else(unverified)?
        .into_iter()
        .map(Scalar::of)
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Trouble::unsupported(op, "with partial results of other types"))?;
    let combine = Combine::new(op, view.kind, view.nan, parts.clone(), build)?;
    let mut list = |values: &[Val<'c>]| -> Result<Vec<Operand>, Trouble> {
        values.iter().map(|v| Operand::of(op, *v, build)).collect()
    };
    let sources = list(&view.sources)?;
    let outputs = list(&view.outputs())?;
    let inits = list(&view.inits)?;
    let extras = list(&view.extras)?;
    let maps = view.maps().ok_or_else(unverified)?;
    let (source_maps, rest) = maps.split_at(sources.len().min(maps.len()));
    let source_maps = source_maps.to_vec();
    let (output_maps, extra_maps) = if view.destinations.is_empty() {
        // A fragment result has the source dimensions without the reduced ones, or with reduced
        // dimensions of size 1.
        let kept: Vec<usize> = (0..rank).filter(|d| !axes.contains(d)).collect();
        let map = |tile: &Operand| {
            let full = matches!(tile, Operand::Fragment { tile, .. } if tile.shape.len() == rank);
            match full && !axes.is_empty() {
                false => AffineMap::select(rank, kept.iter().copied()),
                true => AffineMap {
                    dims: rank,
                    symbols: 0,
                    results: (0..rank)
                        .map(|d| {
                            if axes.contains(&d) {
                                Affine::Const(0)
                            } else {
                                Affine::Dim(d)
                            }
                        })
                        .collect(),
                },
            }
        };
        (outputs.iter().map(map).collect(), Vec::new())
    } else {
        let (outputs, extras) = rest.split_at(view.destinations.len().min(rest.len()));
        (outputs.to_vec(), extras.to_vec())
    };
    let unsigned = matches!(view.kind, Kind::UMax | Kind::UMin);
    let reads = (0..sources.len())
        .map(|i| {
            let used = |block| tx_mlir::has_uses(tx_mlir::build::argument(block, i));
            view.element().is_none_or(used)
        })
        .collect();
    let element = build.region(op, 1)?.filter(|_| view.element().is_some());
    let epilogue = build.region(op, 2)?.filter(|_| view.epilogue().is_some());
    let elements = view
        .elements()
        .ok_or_else(unverified)?
        .into_iter()
        .map(Scalar::of)
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Trouble::unsupported(op, "of elements of other types"))?;
    let inward = elements
        .iter()
        .zip(&parts)
        .map(|(from, to)| Convert::new(*from, *to, unsigned))
        .collect();
    let mut final_parts = parts.clone();
    if view.accumulate && epilogue.is_none() && view.kind != Kind::Custom {
        for (part, output) in final_parts.iter_mut().zip(&outputs) {
            if output.scalar().bytes() > part.bytes() {
                *part = output.scalar();
            }
        }
    }
    let last = match final_parts == parts {
        true => None,
        false => Some((
            Combine::new(op, view.kind, view.nan, final_parts.clone(), build)?,
            parts
                .iter()
                .zip(&final_parts)
                .map(|(from, to)| Convert::new(*from, *to, unsigned))
                .collect(),
        )),
    };
    let outward = match &epilogue {
        Some(_) => Vec::new(),
        None => final_parts
            .iter()
            .zip(&outputs)
            .map(|(from, to)| Convert::new(*from, to.scalar(), unsigned))
            .collect(),
    };
    let old = outputs
        .iter()
        .zip(&final_parts)
        .map(|(from, to)| Convert::new(from.scalar(), *to, unsigned))
        .collect();
    let plan = Plan {
        combine,
        sources,
        reads,
        outputs,
        inits,
        extras,
        source_maps,
        output_maps,
        extra_maps,
        rank,
        axes,
        inward,
        outward,
        old,
        last,
        element,
        epilogue,
        accumulate: view.accumulate,
        scope: view.scope,
        site: build.program.site(op),
        is_arg: view.kind.is_arg(),
    };
    Ok(Box::new(move |exec| plan.run(exec)))
}

impl<'c> Plan<'c> {
    fn run(&self, exec: &mut Exec<'_>) -> Result<(), Trouble> {
        let mut fragments: Vec<Option<Lanes>> = self
            .outputs
            .iter()
            .map(|output| match output {
                Operand::Fragment { tile, .. } => Some(Lanes::new(tile.width, exec.lanes)),
                Operand::Memory { .. } => None,
            })
            .collect();
        for group in groups(exec, self.scope, &self.site.1)? {
            let sizes: Vec<Vec<i64>> = self
                .sources
                .iter()
                .chain(&self.outputs)
                .chain(&self.extras)
                .map(|o| o.sizes(exec, group.first))
                .collect();
            let maps: Vec<AffineMap> = self
                .source_maps
                .iter()
                .chain(&self.output_maps)
                .chain(&self.extra_maps)
                .cloned()
                .collect();
            let space = space(self.rank, &maps, &sizes, &self.site.1)?;
            let kept: Vec<usize> = (0..self.rank).filter(|d| !self.axes.contains(d)).collect();
            let kept_sizes: Vec<i64> = kept.iter().map(|d| space[*d]).collect();
            let count = usize::try_from(count(&kept_sizes)).unwrap_or(0);
            let mut start = 0;
            while start < count {
                let lanes = CHUNK.min(count - start);
                self.rows(
                    exec,
                    &group,
                    &space,
                    &kept,
                    start..start + lanes,
                    &mut fragments,
                )?;
                start += lanes;
            }
        }
        for (output, lanes) in self.outputs.iter().zip(fragments) {
            if let (Operand::Fragment { slot, .. }, Some(lanes)) = (output, lanes) {
                exec.slots[*slot] = Value::Numbers(lanes);
            }
        }
        Ok(())
    }

    /// Computes the reduction results `rows`, a range of linear indices over the parallel
    /// dimensions.
    fn rows(
        &self,
        exec: &mut Exec<'_>,
        group: &Group,
        space: &[i64],
        kept: &[usize],
        rows: Range<usize>,
        fragments: &mut [Option<Lanes>],
    ) -> Result<(), Trouble> {
        let sizes = |dims: &[usize]| -> Vec<i64> { dims.iter().map(|d| space[*d]).collect() };
        let (kept_sizes, reduced) = (sizes(kept), sizes(&self.axes));
        let steps = count(&reduced);
        let mut result: Option<Parts> = None;
        let mut step = 0;
        while step < steps {
            // Elements of several steps are computed together, and combined one step after the
            // other.
            let together = (CHUNK / rows.len()).clamp(1, (steps - step) as usize);
            let mut points = Points::new(self.rank, rows.len() * together);
            let row = |lane: usize| (rows.start + lane % rows.len()) as i64;
            points.set(kept, &kept_sizes, row);
            let step_of = |lane: usize| step + (lane / rows.len()) as i64;
            points.set(&self.axes, &reduced, step_of);
            let new = self.elements(exec, group, &points, &step_of)?;
            let folded = exec.with_lanes(rows.len(), |exec| self.combine.fold(exec, result, &new));
            result = Some(folded?);
            step += together as i64;
        }
        let mut all = Points::new(self.rank, rows.len());
        all.set(kept, &kept_sizes, |lane| (rows.start + lane) as i64);
        // Maps of outputs depend on the parallel dimensions alone.
        if self.accumulate {
            let mut old = Vec::new();
            let from = if self.inits.is_empty() {
                &self.outputs
            } else {
                &self.inits
            };
            for ((operand, map), convert) in from.iter().zip(&self.output_maps).zip(&self.old) {
                let values = operand.gather(exec, group, &all.mapped(map), &self.site)?;
                old.push(converted(&values, convert, rows.len()));
            }
            let combine = self
                .last
                .as_ref()
                .map_or(&self.combine, |(combine, _)| combine);
            result = Some(match result {
                None => old,
                Some(mut new) => {
                    if let Some((_, widen)) = &self.last {
                        for (part, convert) in new.iter_mut().zip(widen) {
                            *part = converted(part, convert, rows.len());
                        }
                    }
                    exec.with_lanes(rows.len(), |exec| combine.combine(exec, &old, &new))?
                }
            });
        }
        if let Some(result) = &mut result {
            exec.with_lanes(rows.len(), |exec| self.combine.settle(exec, result));
        }
        let result = result.unwrap_or_else(|| {
            let identity = self.combine.identity();
            identity
                .iter()
                .map(|bits| {
                    let mut lanes = Lanes::new(1, rows.len());
                    lanes.bits.fill(*bits);
                    lanes
                })
                .collect()
        });
        let stored = match &self.epilogue {
            None => result
                .iter()
                .zip(&self.outward)
                .map(|(values, convert)| converted(values, convert, rows.len()))
                .collect(),
            Some(code) => {
                let mut arguments = result;
                for (extra, map) in self.extras.iter().zip(&self.extra_maps) {
                    arguments.push(extra.gather(exec, group, &all.mapped(map), &self.site)?);
                }
                arguments.extend(kept.iter().map(|d| all.coordinate(*d)));
                region(exec, code, arguments, rows.len())?
            }
        };
        self.store(exec, group, &all, &stored, fragments)
    }

    /// Computes the elements to combine at the given points of the iteration space, converted to
    /// the types of partial results.
    fn elements(
        &self,
        exec: &mut Exec<'_>,
        group: &Group,
        points: &Points,
        step: &impl Fn(usize) -> i64,
    ) -> Result<Parts, Trouble> {
        let mut values = Vec::new();
        let sources = self.sources.iter().zip(&self.source_maps);
        for ((source, map), is_read) in sources.zip(&self.reads) {
            values.push(match is_read {
                true => source.gather(exec, group, &points.mapped(map), &self.site)?,
                false => Lanes::new(1, points.lanes),
            });
        }
        if let Some(code) = &self.element {
            values.extend((0..self.rank).map(|d| points.coordinate(d)));
            values = region(exec, code, values, points.lanes)?;
        }
        let mut parts: Parts = values
            .iter()
            .zip(&self.inward)
            .map(|(values, convert)| converted(values, convert, points.lanes))
            .collect();
        if self.is_arg && parts.len() == 1 {
            let mut index = Lanes::new(1, points.lanes);
            for (lane, bits) in index.bits.iter_mut().enumerate() {
                *bits = match self.combine.parts[1] {
                    Scalar::Int(width) => tx_scalar::number::truncated(step(lane), width),
                    Scalar::Float(_) => 0,
                };
            }
            parts.push(index);
        }
        Ok(parts)
    }

    fn store(
        &self,
        exec: &mut Exec<'_>,
        group: &Group,
        points: &Points,
        values: &[Lanes],
        fragments: &mut [Option<Lanes>],
    ) -> Result<(), Trouble> {
        for (i, (output, map)) in self.outputs.iter().zip(&self.output_maps).enumerate() {
            let indices = points.mapped(map);
            match output {
                Operand::Memory { slot, scalar } => {
                    let view: Rc<View> = exec.view(*slot, group.first);
                    for (lane, index) in indices.iter().enumerate() {
                        inside(&view.sizes, index, &self.site.1)?;
                        let value = (values[i].get(lane, 0), values[i].bound(lane, 0));
                        let place = view.place(index.iter().copied());
                        exec.write(
                            &view,
                            place,
                            *scalar,
                            value,
                            AccessKind::Write,
                            group.first,
                            &self.site,
                        )?;
                    }
                }
                Operand::Fragment { tile, .. } => {
                    let Some(out) = &mut fragments[i] else {
                        continue;
                    };
                    for (lane, index) in indices.iter().enumerate() {
                        for holder in &tile.holders[flatten(index, &tile.shape)] {
                            if let Some(thread) = group.thread(holder, exec.lanes) {
                                out.set(
                                    thread,
                                    holder.slot,
                                    values[i].get(lane, 0),
                                    values[i].bound(lane, 0),
                                );
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Runs a region on `lanes` lanes with the given arguments, and returns the yielded values.
pub(crate) fn region<'c>(
    exec: &mut Exec<'_>,
    code: &Code<'c>,
    arguments: Vec<Lanes>,
    lanes: usize,
) -> Result<Parts, Trouble> {
    exec.with_lanes(lanes, |exec| {
        for (slot, value) in code.arguments.iter().zip(arguments) {
            exec.slots[*slot] = Value::Numbers(value);
        }
        code.run(exec)?;
        Ok(taken(exec, &code.yields))
    })
}

fn all_reduce<'c>(
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
                let place = match (&exec.cta, scope) {
                    (Some(cta), Scope::Cluster) => {
                        let (rank, place) = cta.place(thread);
                        i64::from(rank * cta.threads() + place)
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
