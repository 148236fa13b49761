//! Reads a grid-level op, and checks that its operands are memory that the op may use.

use super::grid_op::{Combination, GridOp, Work};
use crate::analysis::constants::check_written;
use crate::analysis::dataflow::{Access, Accesses};
use crate::combiner::Combiner;
use crate::linalg::generic::ITERATORS;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Reduce;
use tx_mlir::memref::{Overlap, Space, overlap, root};
use tx_mlir::{
    Affine, Blk, Failed, Op, Val, attribute, codes, elements, enumerator, error, is, is_memref,
    name, region_blocks,
};

impl<'c> GridOp<'c> {
    /// Makes the [`GridOp`] of a grid-level op; `is_grid_op` must return true for the op.
    pub(crate) fn of(op: Op<'c>) -> Result<Self, Failed> {
        let grid_op = if let Some(view) = Reduce::of(op) {
            Self::reduce(view)?
        } else if is(op, "memref.copy") || is(op, "tile.copy") {
            Self::copy(op)?
        } else {
            Self::linalg(op)?
        };
        grid_op.check_memory()?;
        Ok(grid_op)
    }

    fn reduce(view: Reduce<'c>) -> Result<Self, Failed> {
        let op = view.op;
        if attribute(op, "variant").is_some() {
            return Err(error(
                op.location(),
                "`variant` is only for reductions within one CTA; at scope `grid`, use `schedule`",
            )
            .code(codes::TX0317)
            .note("remove `variant`, or reduce at scope `cta` in a kernel")
            .emit());
        }
        let internal = || error(op.location(), "the op was not verified").emit();
        let combiner = Combiner::of_reduce(&view).map_err(|e| {
            error(op.location(), format!("`tile.reduce`: {e}"))
                .code(codes::TX0006)
                .emit()
        })?;
        let (rank, maps) = view.rank().zip(view.maps()).ok_or_else(internal)?;
        let axes = view.reduced_axes(rank).ok_or_else(internal)?;
        let values = [&view.sources[..], &view.destinations, &view.extras].concat();
        let mut accesses: Vec<Access<'c>> = values
            .into_iter()
            .zip(maps)
            .map(|(value, map)| Access::new(value, map))
            .collect();
        let extras = accesses.split_off(view.sources.len() + view.destinations.len());
        let destinations = accesses.split_off(view.sources.len());
        Self::new(
            op,
            rank,
            axes,
            [accesses, destinations, extras],
            Work::Combine(Combination {
                combiner,
                element: view.element(),
                epilogue: view.epilogue(),
                accumulate: view.accumulate,
                is_partial_of_old: false,
            }),
        )
    }

    fn copy(op: Op<'c>) -> Result<Self, Failed> {
        let Some(all) = Accesses::of(op) else {
            return Err(error(op.location(), "the op was not verified").emit());
        };
        let accesses = [all.inputs, all.outputs, Vec::new()];
        Self::new(op, all.dims, Vec::new(), accesses, Work::Copy)
    }

    fn linalg(op: Op<'c>) -> Result<Self, Failed> {
        let unsupported = |what: String| {
            error(op.location(), format!("`{}` {what}", name(op)))
                .code(codes::TX0320)
                .note("run `convert-linalg-to-tile` first: it converts reductions to `tile.reduce`")
                .emit()
        };
        let blocks = region_blocks(op, 0);
        let (Some(all), [body]) = (Accesses::of(op), blocks.as_slice()) else {
            return Err(unsupported("cannot be lowered to a kernel".to_owned()));
        };
        if op.result_count() > 0 {
            return Err(error(
                op.location(),
                format!("`{}` works on tensors, expected memrefs", name(op)),
            )
            .code(codes::TX0322)
            .note(crate::linalg::read::TENSORS_FIRST)
            .emit());
        }
        let mut accesses = all.inputs.iter().chain(&all.outputs);
        if let Some(access) = accesses.find(|access| access.map.symbols > 0) {
            return Err(unsupported(format!(
                "is indexed by symbols: {}",
                access.map
            )));
        }
        let rank = all.dims;
        let iterators = attribute(op, ITERATORS)
            .and_then(elements)
            .unwrap_or_default();
        let kept = |d: &usize| {
            let mut outputs = all.outputs.iter();
            outputs.all(|output| output.map.results.contains(&Affine::Dim(*d)))
        };
        let reduces = iterators
            .iter()
            .any(|i| enumerator(*i) == Some("reduction"));
        // In named `linalg` ops, only the index maps of the outputs determine which loops are
        // reductions.
        let missing = (0..rank).find(|d| !kept(d));
        if let (false, false, Some(d)) = (reduces, iterators.is_empty(), missing) {
            let message =
                format!("d{d} is a `parallel` loop, but no index of an output is d{d} alone");
            return Err(error(op.location(), message)
                .code(codes::TX0028)
                .note("index each output by every loop exactly once")
                .emit());
        }
        if reduces || missing.is_some() {
            return Err(unsupported("is a reduction".to_owned()));
        }
        for Access { map, .. } in &all.outputs {
            let places = map.results.iter();
            let dims: Vec<&Affine> = places.filter(|r| !matches!(r, Affine::Const(_))).collect();
            let once = |r: &&Affine| dims.iter().filter(|d| d == &r).count() == 1;
            if !dims.iter().all(|r| matches!(r, Affine::Dim(_)) && once(r)) {
                return Err(error(
                    op.location(),
                    format!(
                        "`{}` indexes its output by {map}, so several results could be written to \
                         one element",
                        name(op)
                    ),
                )
                .code(codes::TX0320)
                .note("index the output by each dimension at most once, or by constants")
                .emit());
            }
        }
        check_body(*body, &all.outputs)?;
        let accesses = [all.inputs, all.outputs, Vec::new()];
        Self::new(op, rank, Vec::new(), accesses, Work::Body(*body))
    }

    /// Checks that all operands are in global memory, and that no store of a result overwrites an
    /// element that a thread has yet to read.
    fn check_memory(&self) -> Result<(), Failed> {
        let op = self.op;
        for access in self
            .sources
            .iter()
            .chain(&self.destinations)
            .chain(&self.extras)
        {
            let ty = access.value.r#type();
            match &access.memref {
                Some(memref) if memref.space == Space::Global => {}
                Some(memref) => {
                    return Err(error(
                        op.location(),
                        format!(
                            "a host function requires global memory, found `{ty}` in {}",
                            memref.space.name()
                        ),
                    )
                    .code(codes::TX0321)
                    .emit());
                }
                None if !is_memref(ty) => {}
                None => {
                    return Err(error(op.location(), format!("`{ty}` cannot be indexed"))
                        .code(codes::TX0321)
                        .note("expected a ranked memref with a strided layout")
                        .emit());
                }
            }
        }
        for (i, destination) in self.destinations.iter().enumerate() {
            let Some(memref) = &destination.memref else {
                return Err(error(op.location(), format!("output {i} is not a memref"))
                    .code(codes::TX0321)
                    .emit());
            };
            check_written(op, i, destination.value)?;
            let repeats = (0..memref.rank())
                .find(|d| memref.strides[*d] == Some(0) && memref.shape[*d].is_none_or(|n| n > 1));
            if let Some(d) = repeats {
                return Err(error(
                    op.location(),
                    format!(
                        "several results would be written to one element: dimension {d} of output \
                         {i} has stride 0"
                    ),
                )
                .code(codes::TX0110)
                .note("write to a memref in which every result has its own element")
                .emit());
            }
            let place = |a: &Access<'c>| (a.value == destination.value) && a.map == destination.map;
            let reads = self.sources.iter().chain(&self.extras);
            let meets = reads
                .filter(|a| a.memref.is_some())
                // A source and a destination may be the same array if each point reads the same
                // element that it writes.
                .filter(|a| !(self.axes.is_empty() && place(a)))
                .find_map(|a| overlaps(a.value, destination.value, false));
            if let Some(overlaps) = meets {
                return Err(
                    error(op.location(), format!("output {i} {overlaps} an input"))
                        .code(codes::TX0110)
                        .note(
                            "results are written while other elements are still read; write to a \
                             temporary from `memref.alloc`, and copy it with `memref.copy`",
                        )
                        .emit(),
                );
            }
            let mut others = self.destinations[i + 1..].iter();
            let meets = others.find_map(|o| overlaps(o.value, destination.value, true));
            if let Some(overlap) = meets {
                return Err(error(op.location(), format!("two outputs {overlap}"))
                    .code(codes::TX0110)
                    .note("write each result to separate memory")
                    .emit());
            }
        }
        Ok(())
    }
}

/// Checks that the body of an op writes no memory, and reads no memory that the op writes, because
/// iterations are executed in any order. The body may contain `cf.assert`.
fn check_body<'c>(body: Blk<'c>, destinations: &[Access<'c>]) -> Result<(), Failed> {
    let is_free = |v: Val<'c>| destinations.iter().all(|d| root(d.value) != root(v));
    for op in tx_mlir::ops(body).into_iter().flat_map(tx_mlir::walk) {
        let is_allowed = is(op, "linalg.yield") || is(op, "cf.assert");
        if !is_allowed && !tx_mlir::only_reads(op, is_free) {
            return Err(error(
                op.location(),
                format!(
                    "`{}` in the body of an element-wise op writes memory, or reads memory that \
                     the op writes",
                    name(op)
                ),
            )
            .code(codes::TX0320)
            .note(
                "iterations are executed in any order: read only operands, or memory that the op \
                 does not write",
            )
            .emit());
        }
    }
    Ok(())
}

/// Returns the verb for a diagnostic about two memrefs that overlap or may overlap.
fn overlaps<'c>(one: Val<'c>, two: Val<'c>, plural: bool) -> Option<&'static str> {
    match overlap(one, two) {
        Overlap::Never => None,
        Overlap::Maybe => Some("may overlap"),
        Overlap::Always if plural => Some("overlap"),
        Overlap::Always => Some("overlaps"),
    }
}
