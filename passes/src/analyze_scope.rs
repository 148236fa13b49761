use crate::analysis::access::{Memory, access, root};
use crate::analysis::active::ThreadSet;
use crate::analysis::kernel::{Kernel, WARPGROUP, check_launch, is_kernel};
use crate::analysis::laws::check_laws;
use crate::analysis::placement::placement;
use crate::analysis::threads::Threads;
use crate::analysis::unused::warn_of_unused;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_dialect_tile::{AllReduce, Copy, Reduce, Scope, is_tile_op, scope};
use tx_mlir::memref::Space;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, MemRef, Op, Val, codes, context, defining_op, dictionary_of, error, i64_array,
    i64_attribute, name, operands, set_attribute, walk,
};

pass! {
    /// Check and record which threads execute each tile op.
    ///
    /// ## What it does
    /// Finds the threads of the block that reach each `tile` op through the enclosing branches and
    /// loops. The threads that reach an op must form complete groups of the op's scope. The pass
    /// evaluates each branch condition on thread ids separately for every thread of the block; the
    /// condition may contain any `arith` computation. The attribute `exec` records the result:
    /// `active` lists the threads as half-open ranges, `threads` is the number of threads per
    /// group, and `block` is the number of threads per block.
    ///
    /// ## Before
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(warp) : memref<4x8xf32, 3> into memref<4xf32, 3>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(warp)
    ///   {exec = {active = array<i64: 160, 192>, block = 256 : i64, threads = 32 : i64}}
    ///   : memref<4x8xf32, 3> into memref<4xf32, 3>
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an op outside a kernel, or in a kernel without a block size. The pass
    /// rejects an op that only some threads of a group reach, because a branch condition or a trip
    /// count depends on the thread. The pass rejects an op of scope `warpgroup` in an incomplete
    /// warpgroup. The pass also rejects an op if several thread groups write the same destination.
    pub struct AnalyzeScope as "tile-analyze-scope" creates [] {
    } counts {
        /// tile ops analysed
        ops,
    }
}

impl Pass for AnalyzeScope {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut kernels: BTreeMap<usize, Threads<'c>> = BTreeMap::new();
        let mut facts = Vec::new();
        let mut failed = None;
        // All ops are checked before the pass fails, so that one run reports all errors.
        for op in walk(module) {
            if !is_tile_op(op) {
                continue;
            }
            // `tile.splat` has no scope and needs no check.
            let Some(scope) = scope(op) else { continue };
            match analyze(op, scope, &mut kernels) {
                Ok(exec) => facts.push((op, exec)),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        walk(module)
            .into_iter()
            .filter(|op| is_kernel(*op))
            .try_for_each(check_launch)?;
        for (op, exec) in facts {
            set_attribute(op, "exec", exec);
            counts.add("ops", 1);
        }
        Ok(())
    }
}

fn analyze<'c>(
    op: Op<'c>,
    scope: Scope,
    kernels: &mut BTreeMap<usize, Threads<'c>>,
) -> Result<Attribute<'c>, Failed> {
    if scope == Scope::Grid {
        return Err(error(
            op.location(),
            format!(
                "`{}` at scope `grid` cannot be lowered within a kernel",
                name(op)
            ),
        )
        .code(codes::TX0112)
        .note("run `tile-schedule` first: it converts ops at scope `grid` to kernels")
        .emit());
    }
    let kernel = Kernel::around(op)?;
    check_laws(op)?;
    warn_of_unused(op);
    let is_exchange = AllReduce::of(op).is_some();
    if scope == Scope::Cluster && !is_exchange {
        return Err(error(
            op.location(),
            format!("`{}` at scope `cluster` is not implemented", name(op)),
        )
        .code(codes::TX0113)
        .note(
            "implemented: scopes `thread`, `warp`, `warpgroup` and `cta`, and `tile.all_reduce` at \
             scope `cluster`",
        )
        .emit());
    }
    let threads = kernels
        .entry(kernel.op.to_raw().ptr as usize)
        .or_insert_with(|| Threads::new(kernel));
    let active = threads.active(op);
    if let Some(branch) = active.splits(scope) {
        return Err(split(op, scope, branch));
    }
    // If each unknown condition is equal in all threads of the block, either all threads of the set
    // reach the op, or none of them does.
    let together = active.splits(Scope::Cta).is_none();
    let set = active.threads;
    check_groups(op, scope, &kernel, &set)?;
    check_operands(op, scope, threads)?;
    check_fragments(op, scope, &kernel, &set)?;
    check_overlap(op, threads)?;
    if together {
        check_single_writer(op, scope, threads, &set)?;
    }
    let active: Vec<i64> = set.ranges().into_iter().flat_map(|(a, b)| [a, b]).collect();
    let threads = narrowest(&kernel, scope, &set);
    let context = context(op);
    Ok(dictionary_of(
        context,
        &[
            ("active", i64_array(context, &active)),
            ("block", i64_attribute(context, kernel.threads)),
            ("threads", i64_attribute(context, threads)),
        ],
    ))
}

/// Returns the number of threads in the smallest thread group that executes an op.
fn narrowest(kernel: &Kernel<'_>, scope: Scope, set: &ThreadSet) -> i64 {
    let size = kernel.threads_of(scope);
    set.groups(size)
        .into_iter()
        .map(|(g, _)| size.min(kernel.threads - g * size))
        .min()
        .unwrap_or(size.min(kernel.threads))
}

/// Checks that each fragment fits the threads of its scope, and that all ops that use one fragment
/// have the same scope.
fn check_fragments<'c>(
    op: Op<'c>,
    scope: Scope,
    kernel: &Kernel<'c>,
    set: &ThreadSet,
) -> Result<(), Failed> {
    let is_fragment = |v: &Val<'c>| {
        tx_dialect_tile::Fragment::from_type(melior::ir::ValueLike::r#type(v)).is_some()
    };
    // The variants of `tile.reduce` check the fragments of a reduction, and emit more precise
    // messages.
    if matches!(name(op), "tile.load" | "tile.store") {
        let fragment = operands(op)
            .into_iter()
            .chain(tx_mlir::results(op))
            .find(is_fragment);
        if let Some(fragment) = fragment {
            placement(op, fragment, scope, narrowest(kernel, scope, set))?;
        }
    }
    for operand in operands(op).into_iter().filter(is_fragment) {
        let Some(maker) = defining_op(operand) else {
            continue;
        };
        if let Some(made) = tx_dialect_tile::scope(maker).filter(|made| *made != scope) {
            return Err(error(
                op.location(),
                format!(
                    "this fragment was created at scope `{made}`, but the scope of the op is \
                     `{scope}`"
                ),
            )
            .code(codes::TX0111)
            .note_at(maker.location(), "the fragment is created here")
            .note("use the same scope for both ops, or pass the tile through memory")
            .emit());
        }
    }
    Ok(())
}

/// Checks that no destination overlaps a source or another destination.
fn check_overlap<'c>(op: Op<'c>, threads: &Threads<'c>) -> Result<(), Failed> {
    let Some(reduce) = Reduce::of(op) else {
        return check_copy(op, threads);
    };
    let read = |value: &Val<'c>| (*value, access(threads, op, *value, false));
    let sources: Vec<_> = reduce
        .sources
        .iter()
        .filter(|v| MemRef::of(**v).is_some())
        .map(read)
        .collect();
    let overlap = reduce.destinations.iter().any(|destination| {
        let write = access(threads, op, *destination, true);
        is_known(threads, *destination)
            && sources.iter().any(|(source, read)| {
                read.of_op.memory != Memory::Any
                    && is_known(threads, *source)
                    && read.overlaps(&write)
            })
    });
    let twice = reduce.destinations.iter().enumerate().any(|(i, one)| {
        let write = access(threads, op, *one, true);
        reduce.destinations[i + 1..].iter().any(|other| {
            let again = access(threads, op, *other, true);
            let known = is_known(threads, *one) && is_known(threads, *other);
            known && write.of_op.memory != Memory::Any && write.overlaps(&again)
        })
    });
    if twice {
        return Err(error(op.location(), "two destinations overlap")
            .code(codes::TX0110)
            .note("write each result to separate memory")
            .emit());
    }
    // In a reduction without axes, the thread that writes a destination element is the only thread
    // that reads the corresponding source element.
    if overlap && !reduce.axes.is_empty() {
        return Err(error(op.location(), "the destination overlaps the source")
            .code(codes::TX0110)
            .note(
                "results are written while other elements are still read; reduce into separate \
                 memory, and copy the result",
            )
            .emit());
    }
    Ok(())
}

fn check_copy<'c>(op: Op<'c>, threads: &Threads<'c>) -> Result<(), Failed> {
    let [source, destination] = operands(op)[..] else {
        return Ok(());
    };
    let is_copy = name(op) == "tile.copy" && source != destination;
    if !is_copy
        || [source, destination]
            .iter()
            .any(|v| MemRef::of(*v).is_none() || !is_known(threads, *v))
    {
        return Ok(());
    }
    let (read, write) = (
        access(threads, op, source, false),
        access(threads, op, destination, true),
    );
    let known = read.of_op.memory != Memory::Any && read.overlaps(&write);
    // A transposed view has the same elements as its source, but the analysis does not know the
    // address of each element.
    let [(from, turned), (to, turned_too)] = [source, destination].map(turned);
    if known || from == to && (turned || turned_too) {
        return Err(error(op.location(), "the destination overlaps the source")
            .code(codes::TX0110)
            .note("elements are written while others are still read; copy through separate memory")
            .emit());
    }
    Ok(())
}

/// Returns the source of a chain of `memref.cast` and `memref.transpose` ops, and whether the chain
/// contains a `memref.transpose`.
fn turned(view: Val<'_>) -> (Val<'_>, bool) {
    let (mut at, mut turned) = (view, false);
    while let Some(op) = defining_op(at)
        && matches!(name(op), "memref.transpose" | "memref.cast")
    {
        turned |= name(op) == "memref.transpose";
        at = operands(op)[0];
    }
    (at, turned)
}

/// Returns whether the analysis knows, for each thread, the offsets of all views between `value`
/// and its root memref.
fn is_known<'c>(threads: &Threads<'c>, value: Val<'c>) -> bool {
    let base = root(value);
    let mut at = value;
    while at != base {
        let Some(op) = defining_op(at) else {
            return false;
        };
        let all = operands(op);
        if all
            .iter()
            .skip(1)
            .any(|v| threads.fact(*v).exact().is_none())
        {
            return false;
        }
        // The memory between the elements of a strided memref may belong to another tile.
        let strides = tx_mlir::attribute(op, "static_strides").and_then(tx_mlir::integers);
        if strides.is_some_and(|strides| strides.iter().any(|s| *s != 1)) {
            return false;
        }
        let Some(source) = all.first() else {
            return false;
        };
        at = *source;
    }
    true
}

/// Reports a collective op inside a branch or loop whose condition or trip count is unknown.
fn split<'c>(op: Op<'c>, scope: Scope, branch: Op<'c>) -> Failed {
    let what = match name(branch) {
        "scf.for" | "scf.while" | "scf.parallel" | "affine.for" => {
            "this loop runs a different number of times in different threads"
        }
        "gpu.func" => "this kernel has unstructured control flow",
        "scf.execute_region" => "this region has unstructured control flow",
        "scf.if" | "scf.index_switch" => {
            "the values of this condition in different threads are not known"
        }
        _ => "the control flow of this op is not known",
    };
    error(
        op.location(),
        format!(
            "all threads of the `{scope}` must reach `{}` together",
            name(op)
        ),
    )
    .code(codes::TX0101)
    .note_at(branch.location(), what)
    .note(format!(
        "move the op out of the `{}`, or compute the condition from thread ids and constants only",
        name(branch)
    ))
    .emit()
}

/// Returns the innermost `scf.if` around `op`.
fn narrowing<'c>(op: Op<'c>) -> Option<Op<'c>> {
    tx_mlir::ancestors(op).find(|o| tx_mlir::is(*o, "scf.if"))
}

fn check_groups<'c>(
    op: Op<'c>,
    scope: Scope,
    kernel: &Kernel<'c>,
    set: &ThreadSet,
) -> Result<(), Failed> {
    let size = kernel.threads_of(scope);
    let groups = set.groups(size);
    let partial = groups.iter().find(|(g, complete)| {
        let exists = (kernel.threads - g * size).min(size);
        !complete || (scope == Scope::Warpgroup && exists < WARPGROUP)
    });
    let Some((group, complete)) = partial else {
        return Ok(());
    };
    let report = if *complete {
        let exists = kernel.threads - group * size;
        error(
            op.location(),
            format!("a warpgroup has {WARPGROUP} threads, but warpgroup {group} of this block has {exists}"),
        )
        .code(codes::TX0102)
        .note_at(kernel.op.location(), format!("the block size is {}", kernel.threads))
        .note("make the block size a multiple of 128, or guard the op by the warpgroup id")
    } else {
        let members: Vec<String> = set
            .ranges()
            .into_iter()
            .map(|(a, b)| {
                if b == a + 1 {
                    a.to_string()
                } else {
                    format!("{a} to {}", b - 1)
                }
            })
            .collect();
        let mut report = error(
            op.location(),
            format!(
                "all threads of the `{scope}` must reach `{}` together",
                name(op)
            ),
        )
        .code(codes::TX0101);
        if let Some(branch) = narrowing(op) {
            report = report.note_at(
                branch.location(),
                match (&members[..], set.ranges().as_slice()) {
                    ([one], [(first, last)]) if *last == first + 1 => {
                        format!(
                            "only thread {one} of {} executes this branch",
                            kernel.threads
                        )
                    }
                    _ => format!(
                        "only threads {} of {} execute this branch",
                        members.join(", "),
                        kernel.threads
                    ),
                },
            );
        }
        report.note(match scope {
            Scope::Cta => "use a narrower scope, or move it out of the branch",
            _ => {
                "make the condition uniform within each group of the scope, or use a narrower scope"
            }
        })
    };
    Err(report.emit())
}

fn destinations<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    if let Some(reduce) = Reduce::of(op) {
        return reduce.destinations;
    }
    if let Some(copy) = Copy::of(op) {
        return vec![copy.destination];
    }
    match name(op) {
        "tile.store" => operands(op).get(1).copied().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Checks that, in all threads of a group, each operand of an op refers to the same memory.
fn check_operands<'c>(op: Op<'c>, scope: Scope, threads: &Threads<'c>) -> Result<(), Failed> {
    for (i, operand) in operands(op).into_iter().enumerate() {
        let memory = MemRef::of(operand).is_some_and(|m| m.space != Space::Private);
        if memory && threads.fact(operand).same < scope.min(Scope::Cta) {
            return Err(error(
                op.location(),
                format!(
                    "operand {i} of `{}` is not the same for all threads of the `{scope}`",
                    name(op)
                ),
            )
            .code(codes::TX0109)
            .note(
                "an offset of the view depends on the thread; use a narrower scope, or an offset \
                 that is uniform across the scope",
            )
            .emit());
        }
    }
    Ok(())
}

fn check_single_writer<'c>(
    op: Op<'c>,
    scope: Scope,
    threads: &Threads<'c>,
    set: &ThreadSet,
) -> Result<(), Failed> {
    let size = threads.kernel().threads_of(scope);
    let groups: Vec<i64> = set.groups(size).into_iter().map(|(g, _)| g).collect();
    for destination in destinations(op) {
        if MemRef::of(destination).is_none_or(|m| m.space == Space::Private) {
            continue;
        }
        // Integers that determine the address of the destination, for each thread.
        let Some(places) = places(threads, destination) else {
            continue;
        };
        let place = |g: i64| -> Vec<i64> {
            let t = usize::try_from(g * size).unwrap_or(0);
            places.iter().map(|values| values[t]).collect()
        };
        let mut writers: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        for g in &groups {
            writers.entry(place(*g)).or_default().push(*g);
        }
        let Some(clash) = writers.values().find(|w| w.len() > 1) else {
            continue;
        };
        let who = if clash.len() == groups.len() {
            format!(
                "{} {scope}s reach this op, and all write the same destination",
                clash.len()
            )
        } else {
            format!(
                "{scope}s {} and {} write the same destination",
                clash[0], clash[1]
            )
        };
        return Err(error(op.location(), who)
            .code(codes::TX0103)
            .note(format!(
                "guard the op so that one {scope} executes it, or make the destination depend on \
                 the {scope}'s id (`memref.subview`)"
            ))
            .emit());
    }
    Ok(())
}

/// Returns, for every thread, the integers that determine the address of `value`; `None` if one of
/// these integers is unknown.
fn places<'c>(threads: &Threads<'c>, value: Val<'c>) -> Option<Vec<Vec<i64>>> {
    let base = root(value);
    let mut places = Vec::new();
    let mut at = value;
    while at != base {
        let op = defining_op(at)?;
        for operand in operands(op).into_iter().skip(1) {
            let fact = threads.fact(operand);
            match fact.exact() {
                Some(values) => places.push(values),
                None if fact.same >= Scope::Cta => {}
                None => return None,
            }
        }
        at = *operands(op).first()?;
    }
    (threads.fact(base).same >= Scope::Cta).then_some(places)
}
