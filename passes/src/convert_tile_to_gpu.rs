use crate::analysis::kernel::Kernel;
use crate::analysis::kernel::recorded_threads;
use crate::analysis::placement::{Placement, placement};
use crate::emit::{
    delinearize, extents, fragment, load, nest, product, registers, registers_type, scalars,
    vector_of, zero,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::{Copy, Fragment, Scope, is_tile_op, scope};
use tx_mlir::build::Cond;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Index, MemRef, Op, Val, attribute, blocks, codes, erase, error, is, name,
    operands, replace_uses, results, set_type, type_value, walk,
};

pass! {
    /// Lower the remaining tile ops.
    ///
    /// ## What it does
    /// `tile.copy` becomes loads and stores. At scope `thread`, loops copy all elements. At scopes
    /// wider than `thread`, consecutive threads copy consecutive elements. `tile.load` and
    /// `tile.store` become loads and stores of the elements that the layout assigns to each thread.
    /// If several threads hold copies of one element, each of these threads loads the element, and
    /// only the first of these threads stores the element. In each thread, a fragment becomes a
    /// vector of registers. Fragments that loops carry or branches yield also become such vectors.
    ///
    /// ## Before
    /// ```mlir
    /// tile.copy %A to %S scope(cta)
    ///   {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
    ///   : memref<4x8xf32> to memref<4x8xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %column = arith.remui %t, %c8 : index
    /// %row = arith.divui %t, %c8 : index
    /// %x = memref.load %A[%row, %column] : memref<4x8xf32>
    /// memref.store %x, %S[%row, %column] : memref<4x8xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a tile op that an earlier pass must lower, an op without `exec`, and a
    /// layout that does not fit the scope. The pass rejects a fragment that is an argument or a
    /// result of a function. The pass also rejects a fragment that is an operand or a result of an
    /// op whose fragments no pass lowers.
    pub struct ConvertTileToGpu as "convert-tile-to-gpu" creates [arith, gpu, memref, scf, vector] {
    } counts {
        /// copies lowered
        copies,
        /// loads of fragments lowered
        loads,
        /// stores of fragments lowered
        stores,
    }
}

/// Checked op that the pass lowers. The pass checks all ops before it changes the first op.
enum Work<'c> {
    Copy(Copy<'c>, Kernel<'c>, i64),
    Transfer(Transfer<'c>),
    Splat(Op<'c>),
}

impl Pass for ConvertTileToGpu {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        for op in walk(module) {
            check_uses_of_fragments(op)?;
            if !is_tile_op(op) {
                continue;
            }
            work.push(match name(op) {
                "tile.load" | "tile.store" => Work::Transfer(Transfer::of(op)?),
                "tile.splat" => Work::Splat(op),
                _ => {
                    let Some(copy) = Copy::of(op) else {
                        return Err(unsupported(op));
                    };
                    let kernel = Kernel::around(op)?;
                    Work::Copy(copy, kernel, recorded_threads(op, &kernel)?)
                }
            });
        }
        for work in work {
            match work {
                Work::Copy(copy, kernel, threads) => {
                    expand_copy(&Builder::before(copy.op), &copy, &kernel, threads);
                    erase(copy.op);
                    counts.add("copies", 1);
                }
                Work::Transfer(transfer) => {
                    transfer.expand();
                    counts.add(
                        if is(transfer.op, "tile.load") {
                            "loads"
                        } else {
                            "stores"
                        },
                        1,
                    );
                    erase(transfer.op);
                }
                Work::Splat(op) => {
                    let b = Builder::before(op);
                    let result = results(op)[0];
                    if let Some(ty) = registers_type(result.r#type()) {
                        let vector = b
                            .create("vector.broadcast")
                            .operands(&operands(op))
                            .result(ty);
                        replace_uses(result, fragment(&b, vector.value(), result.r#type()));
                    }
                    erase(op);
                }
            }
        }
        as_registers(module);
        Ok(())
    }
}

/// Returns whether a function type has a fragment among its arguments or results.
fn takes_fragments(ty: Type<'_>) -> bool {
    let Ok(function) = FunctionType::try_from(ty) else {
        return false;
    };
    let arguments = (0..function.input_count()).map(|i| function.input(i));
    let results = (0..function.result_count()).map(|i| function.result(i));
    arguments
        .chain(results)
        .flatten()
        .any(|ty| Fragment::from_type(ty).is_some())
}

/// Checks that only tile ops, structured control flow, `arith.select` and casts use fragments.
fn check_uses_of_fragments(op: Op<'_>) -> Result<(), Failed> {
    let is_fragment = |v: &Val<'_>| Fragment::from_type(v.r#type()).is_some();
    let known = is_tile_op(op)
        || [
            "scf.for",
            "scf.if",
            "scf.while",
            "scf.yield",
            "scf.condition",
            "scf.execute_region",
        ]
        .contains(&name(op))
        || ["arith.select", "builtin.unrealized_conversion_cast"].contains(&name(op));
    let has = operands(op).iter().any(is_fragment)
        || results(op).iter().any(is_fragment)
        || attribute(op, "function_type")
            .and_then(type_value)
            .is_some_and(takes_fragments);
    if known || !has {
        return Ok(());
    }
    Err(error(
        op.location(),
        format!("`{}` does not support fragments", name(op)),
    )
    .code(codes::TX0204)
    .note(
        "a fragment is in the registers of one kernel: store it to memory, or pass it through \
         `scf` ops",
    )
    .emit())
}

/// Changes the type of every fragment to its register vector, and erases the casts between
/// fragments and register vectors.
fn as_registers(module: Op<'_>) {
    let retype = |value: Val<'_>| {
        if let Some(ty) = registers_type(value.r#type()) {
            set_type(value, ty);
        }
    };
    let all = walk(module);
    for op in &all {
        results(*op).into_iter().for_each(retype);
        for block in blocks(*op) {
            use melior::ir::block::BlockLike as _;
            (0..block.argument_count())
                .map(|i| tx_mlir::build::argument(block, i))
                .for_each(retype);
        }
    }
    for op in all {
        let cast = is(op, "builtin.unrealized_conversion_cast");
        if let (true, [from], [to]) = (cast, operands(op).as_slice(), results(op).as_slice())
            && from.r#type() == to.r#type()
        {
            replace_uses(*to, *from);
            erase(op);
        }
    }
}

fn unsupported(op: Op<'_>) -> Failed {
    let report = error(op.location(), format!("`{}` is not lowered", name(op))).code(codes::TX0114);
    match name(op) {
        "tile.all_reduce" => report.note("run `tile-expand-shuffle-tree` first"),
        _ => report.note("run `tile-select-variant` and `tile-expand-reduce` first"),
    }
    .emit()
}

struct Transfer<'c> {
    op: Op<'c>,
    kernel: Kernel<'c>,
    scope: Scope,
    placement: Placement,
    memory: Val<'c>,
    fragment: Val<'c>,
}

impl<'c> Transfer<'c> {
    fn of(op: Op<'c>) -> Result<Self, Failed> {
        let kernel = Kernel::around(op)?;
        let threads = recorded_threads(op, &kernel)?;
        let scope = scope(op).unwrap_or(Scope::Thread);
        let (memory, fragment) = if is(op, "tile.load") {
            (operands(op)[0], results(op)[0])
        } else {
            (operands(op)[1], operands(op)[0])
        };
        let placement = placement(op, fragment, scope, threads)?;
        Ok(Self {
            op,
            kernel,
            scope,
            placement,
            memory,
            fragment,
        })
    }

    fn expand(&self) {
        let Some(memref) = MemRef::of(self.memory) else {
            return;
        };
        let b = &Builder::before(self.op);
        let thread = self.kernel.thread(b);
        let position = self.kernel.position(b, thread, self.scope);
        let span = self.kernel.threads_of(self.scope).min(self.kernel.threads);
        let located = self.placement.locate(b, position, span);
        let of_thread = self.placement.index(b, &located);
        let place = |b: &Builder<'c>, slot: &[i64]| -> Vec<Val<'c>> {
            of_thread
                .iter()
                .zip(slot)
                .map(|(index, own)| b.value(b.add(*index, Index::Const(*own))))
                .collect()
        };
        let slots = &self.placement.slots;
        if is(self.op, "tile.load") {
            let types = vec![memref.element; slots.len()];
            let loaded = b.if_else(
                located.holds,
                &types,
                |b| {
                    let each = slots
                        .iter()
                        .map(|slot| load(b, self.memory, memref.element, &place(b, &slot.index)));
                    each.collect()
                },
                |b| vec![zero(b, memref.element); slots.len()],
            );
            let value = fragment(b, vector_of(b, &loaded), self.fragment.r#type());
            replace_uses(self.fragment, value);
            return;
        }
        // The pass reads the operand again, because an earlier lowering may have replaced the
        // operand.
        let Some(vector) = registers(b, operands(self.op)[0]) else {
            return;
        };
        let values = scalars(b, vector);
        let writes = self.placement.is_first_copy(b, &located);
        b.if_then(writes, |b| {
            for (slot, value) in slots.iter().zip(values).filter(|(slot, _)| !slot.copy) {
                let all = [vec![value, self.memory], place(b, &slot.index)].concat();
                b.create("memref.store").operands(&all).build();
            }
        });
    }
}

fn expand_copy<'c>(b: &Builder<'c>, copy: &Copy<'c>, kernel: &Kernel<'c>, threads: i64) {
    let (Some(from), Some(_)) = (MemRef::of(copy.source), MemRef::of(copy.destination)) else {
        return;
    };
    let dimensions: Vec<usize> = (0..from.rank()).collect();
    let sizes = extents(b, copy.source, &from, &dimensions);
    let element = |b: &Builder<'c>, index: &[Index<'c>]| {
        let index: Vec<_> = index.iter().map(|i| b.value(*i)).collect();
        let value = load(b, copy.source, from.element, &index);
        let mut all = vec![value, copy.destination];
        all.extend(index);
        b.create("memref.store").operands(&all).build();
    };
    if copy.scope == Scope::Thread {
        nest(b, &sizes, &mut Vec::new(), &[], &mut |b, index, _| {
            element(b, index);
            Vec::new()
        });
        return;
    }
    let count = product(b, &sizes);
    let t = kernel.position(b, kernel.thread(b), copy.scope);
    // If some thread groups have fewer threads than others, the surplus positions do not
    // participate.
    let span = kernel.threads_of(copy.scope).min(kernel.threads);
    let takes_part = if span > threads {
        b.less(t, Index::Const(threads))
    } else {
        Cond::Const(true)
    };
    let rounds = b.ceildiv(count, Index::Const(threads));
    b.for_loop(
        Index::Const(0),
        rounds,
        Index::Const(1),
        &[],
        |b, round, _| {
            let at = b.add(b.mul(round, Index::Const(threads)), t);
            let exact = count.known().is_some_and(|n| n % threads == 0);
            let inside = if exact {
                Cond::Const(true)
            } else {
                b.less(at, count)
            };
            b.if_then(b.and(takes_part, inside), |b| {
                let index = delinearize(b, at, &sizes);
                element(b, &index);
            });
            Vec::new()
        },
    );
}
