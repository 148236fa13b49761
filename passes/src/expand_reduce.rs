use crate::analysis::kernel::Kernel;
use crate::analysis::kernel::recorded_threads;
use crate::variants::{
    Reduction, Variant, ask, refuse_params, unknown_variant, variant_named, written_params,
};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_dialect_tile::Reduce;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Builder, Failed, Op, codes, dictionary_entry, erase, error, string_attribute, walk};

pass! {
    /// Expand each `tile.reduce` with its chosen variant.
    ///
    /// ## What it does
    /// Replaces each `tile.reduce` by loops, loads, `tile.all_reduce` on scalars, and stores. An
    /// exchange between threads becomes a `tile.all_reduce`. `tile-insert-sync` inserts barriers
    /// later.
    ///
    /// ## Before
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(cta)
    ///   {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
    ///    params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64},
    ///    variant = "shared"}
    ///   : memref<4x8xf32, 3> into memref<4xf32, 3>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %x = memref.load %A[%row, %lane] : memref<4x8xf32, 3>
    /// %p = arith.addf %nothing, %x : f32
    /// %s = tile.all_reduce sum %p scope(warp) width 8 stride 1 ... : f32 -> f32
    /// scf.if %first { memref.store %s, %B[%row] ... : memref<4xf32, 3> }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a `tile.reduce` without `exec`, `variant` or `params`, and a `tile.reduce`
    /// whose `variant` is unknown.
    pub struct ExpandReduce as "tile-expand-reduce" creates [arith, gpu, memref, scf, tile, vector] {
    } counts {
        /// reductions expanded
        expanded,
    }
}

impl Pass for ExpandReduce {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work: Vec<(Op<'c>, Reduction<'c>, &'static dyn Variant)> = Vec::new();
        for op in walk(module) {
            let Some(view) = Reduce::of(op) else { continue };
            let serial = i64::try_from(work.len()).unwrap_or(0);
            let kernel = Kernel::around(op)?;
            let threads = recorded_threads(op, &kernel)?;
            let reduction = Reduction::of(view, kernel, threads, serial)?;
            let variant = chosen(op)?;
            // The pass checks the conditions of the variant again, because the attribute `variant`
            // may be written in the program.
            for predicate in variant.predicates() {
                (predicate.check)(&reduction).map_err(|reason| {
                    error(
                        op.location(),
                        format!("variant `{}` cannot lower this reduction", variant.name()),
                    )
                    .code(codes::TX0202)
                    .note(format!("{}: {reason}", predicate.name))
                    .emit()
                })?;
            }
            ask(variant, op, || {
                written_params(variant, &reduction)?;
                variant.check_params(&reduction, &|name| param(op, name))
            })?
            .map_err(|reason| refuse_params(op, &reason))?;
            work.push((op, reduction, variant));
        }
        for (op, reduction, variant) in work {
            // The pass reads the operands again, because a previous expansion may have replaced one
            // of them.
            let Some(view) = Reduce::of(op) else { continue };
            let reduction = Reduction { view, ..reduction };
            let b = Builder::before(op);
            let around: BTreeSet<usize> = beside(op).into_iter().map(key).collect();
            ask(variant, op, || {
                variant.expand(&reduction, &|name| param(op, name), &b)
            })?;
            // An error of the verifier in the pass manager would name neither the variant nor the
            // reduction.
            let mut made = beside(op)
                .into_iter()
                .filter(|made| !around.contains(&key(*made)));
            if !made.all(|made| made.verify()) {
                return Err(error(
                    op.location(),
                    format!(
                        "variant `{}` expands this reduction to an invalid op",
                        variant.name()
                    ),
                )
                .note(
                    "the previous error describes the op, which the function `expand` of the \
                     variant created",
                )
                .emit());
            }
            erase(op);
            counts.add("expanded", 1);
        }
        Ok(())
    }
}

fn chosen(op: Op<'_>) -> Result<&'static dyn Variant, Failed> {
    let name = string_attribute(op, "variant").ok_or_else(|| {
        error(op.location(), "`tile.reduce` has no `variant` attribute")
            .code(codes::TX0114)
            .note("run `tile-select-variant` first")
            .emit()
    })?;
    variant_named(&name).ok_or_else(|| {
        error(op.location(), unknown_variant(&name))
            .code(codes::TX0203)
            .emit()
    })
}

fn param(op: Op<'_>, name: &str) -> i64 {
    dictionary_entry(op, "params", name)
        .and_then(|a| IntegerAttribute::try_from(a).ok())
        .map_or(0, |a| a.value())
}

fn beside(op: Op<'_>) -> Vec<Op<'_>> {
    op.block().map(tx_mlir::ops).unwrap_or_default()
}

fn key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}
