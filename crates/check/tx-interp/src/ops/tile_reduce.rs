//! Reference semantics of `tile.reduce`.

use crate::build::Build;
use crate::code::{Code, OpClosure};
use crate::machine::Exec;
use crate::ops::convert::{Convert, converted};
use crate::ops::group::{Group, groups};
use crate::ops::reduce::{Combine, Parts, slot_numbers};
use crate::ops::tile_operand::{Operand, flatten, inside};
use crate::points::{Points, iteration_sizes};
use crate::site::Site;
use crate::trouble::Trouble;
use crate::value::{Lanes, Value, View, count};
use std::ops::Range;
use std::rc::Rc;
use tx_dialect_tile::{Kind, Reduce, Scope};
use tx_exec::happens_before::AccessKind;
use tx_mlir::{Affine, AffineMap, Val};
use tx_scalar::number::Scalar;

/// Maximum number of lanes that compute elements or results of the reduction at once.
pub(crate) const CHUNK: usize = 4096;

struct ReducePlan<'c> {
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
    /// Combiner that combines each result with the old destination value, and conversions of
    /// results to the destination types. `last` is `None` if the destination types are not wider
    /// than the types of partial results.
    last: Option<(Combine<'c>, Vec<Convert>)>,
    element: Option<Code<'c>>,
    epilogue: Option<Code<'c>>,
    accumulate: bool,
    scope: Scope,
    site: (u32, Site),
    is_arg: bool,
}

pub(crate) fn reduce<'c>(
    view: &Reduce<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<OpClosure<'c>, Trouble> {
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
        // A fragment result has the source dimensions that are not reduced. If the result also has
        // the reduced dimensions, their size is 1.
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
    let plan = ReducePlan {
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

impl<'c> ReducePlan<'c> {
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
            let space = iteration_sizes(self.rank, &maps, &sizes, &self.site.1)?;
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

    /// Computes the reduction results whose linear index over the parallel dimensions is in the
    /// range `rows`.
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
            // The function computes the elements of several reduction steps together, and combines
            // them one step after the other.
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
        // The indexing maps of outputs depend only on parallel dimensions.
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
        Ok(slot_numbers(exec, &code.yields))
    })
}
