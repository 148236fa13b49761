use crate::grid::sizes::write_assert;
use crate::linalg::read::ONE_BLOCK;
use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{Attribute, Type, ValueLike};
use tx_mlir::build::{Predicate, argument};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Blk, Builder, Failed, Index, MemRef, Op, Val, attribute, blocks, codes, context, defining_op,
    elements, enclosing, erase, error, is, operands, ops, parent, replace_uses, set_attribute,
    set_operands, walk,
};

pass! {
    /// Convert returned memrefs of host functions to arguments.
    ///
    /// ## What it does
    /// Adds one argument for each memref that a `func.func` returns, after the existing arguments
    /// and in the order of the results. If a function returns a `memref.alloc`, the new argument
    /// replaces the allocation. A `cf.assert` compares the dynamic sizes of the new argument with
    /// the dynamic sizes of the replaced allocation. A returned memref may be a reshape of a static
    /// `memref.alloc`: a chain of `memref.collapse_shape` and `memref.expand_shape`. If a returned
    /// memref is a reshape of a static allocation, the inverse reshape of the new argument replaces
    /// the allocation. If the new argument cannot replace the returned memref, the pass copies the
    /// memref to the argument before the return; examples are an existing argument, and a memref
    /// that is returned twice.
    ///
    /// The pass replaces `buffer-results-to-out-params` of MLIR 22, which crashes on a memref that
    /// is returned twice. The pass does not change results of other types.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
    ///   %B = memref.alloc() : memref<4xf32>
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
    ///   return %B, %B : memref<4xf32>, memref<4xf32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @f(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
    ///   memref.copy %B, %C : memref<4xf32> to memref<4xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a function that returns a memref if the function has several blocks, or if
    /// another function calls it. Run `inline` first.
    pub struct PromoteResults as "memref-promote-results" creates [arith, cf, memref] {
    } counts {
        /// results that became arguments
        promoted,
        /// of them, results that are copied
        copied,
    }
}

impl Pass for PromoteResults {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut plans = Vec::new();
        let mut failed = None;
        for op in walk(module) {
            match returned_memrefs(module, op) {
                Ok(found) => plans.extend(found.map(|found| (op, found))),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (function, (body, end)) in plans {
            promote(function, body, end, counts);
        }
        Ok(())
    }
}

fn is_memref(ty: Type<'_>) -> bool {
    MemRefType::try_from(ty).is_ok()
}

/// Returns the block and the terminator of a function that returns a memref.
fn returned_memrefs<'c>(module: Op<'c>, op: Op<'c>) -> Result<Option<(Blk<'c>, Op<'c>)>, Failed> {
    let all = match is(op, "func.func") && enclosing(op, "gpu.module").is_none() {
        true => blocks(op),
        false => return Ok(None),
    };
    let ends = all.iter().filter_map(|block| ops(*block).last().copied());
    let returns: Vec<Op<'c>> = ends
        .filter(|end| {
            is(*end, "func.return") && operands(*end).iter().any(|v| is_memref(v.r#type()))
        })
        .collect();
    let Some(end) = returns.first() else {
        return Ok(None);
    };
    let [body] = all[..] else {
        return Err(error(end.location(), ONE_BLOCK)
            .code(codes::TX0318)
            .note_at(op.location(), "this function has several blocks")
            .emit());
    };
    let name = tx_mlir::string_attribute(op, "sym_name").unwrap_or_default();
    let calls = |call: &Op<'c>| {
        let callee = attribute(*call, "callee").and_then(tx_mlir::symbol_path);
        is(*call, "func.call") && callee.is_some_and(|path| path == [name.as_str()])
    };
    if let Some(call) = walk(module).into_iter().find(calls) {
        return Err(error(
            call.location(),
            format!("`{name}` returns a memref, and is called here"),
        )
        .code(codes::TX0602)
        .note("run `inline` first; a function that calls itself cannot be inlined")
        .emit());
    }
    Ok(Some((body, *end)))
}

fn promote<'c>(function: Op<'c>, body: Blk<'c>, end: Op<'c>, counts: &mut Counts<'_>) {
    let inputs = body.argument_count();
    let b = Builder::before(end);
    for number in 0..operands(end).len() {
        // The pass reads the operand again, because the promotion of an earlier result may have
        // replaced the operand.
        let value = operands(end)[number];
        if !is_memref(value.r#type()) {
            continue;
        }
        body.add_argument(value.r#type(), end.location());
        let new = argument(body, body.argument_count() - 1);
        counts.add("promoted", 1);
        match defining_op(value).filter(|op| is_temporary(*op, function)) {
            Some(alloc) => {
                assert_sizes(alloc, new, number);
                replace_uses(value, new);
                erase(alloc);
            }
            None => match reshaped(value, function) {
                Some((alloc, views)) => {
                    let b = Builder::before(alloc);
                    let memory = views
                        .into_iter()
                        .fold(new, |memory, view| undo(&b, view, memory));
                    replace_uses(tx_mlir::results(alloc)[0], memory);
                    erase(alloc);
                }
                None => {
                    b.create("memref.copy").operands(&[value, new]).build();
                    counts.add("copied", 1);
                }
            },
        }
    }
    let kept = |value: &Val<'c>| !is_memref(value.r#type());
    let is_kept: Vec<bool> = operands(end).iter().map(kept).collect();
    let returned: Vec<Val<'c>> = operands(end).into_iter().filter(kept).collect();
    set_operands(end, &returned);
    let arguments: Vec<Type<'c>> = (0..body.argument_count())
        .map(|i| argument(body, i).r#type())
        .collect();
    let results: Vec<Type<'c>> = returned.iter().map(|v| v.r#type()).collect();
    let ty = FunctionType::new(b.context(), &arguments, &results);
    set_attribute(
        function,
        "function_type",
        TypeAttribute::new(ty.into()).into(),
    );
    resize_dictionaries(
        function,
        "arg_attrs",
        &vec![true; inputs],
        body.argument_count() - inputs,
    );
    resize_dictionaries(function, "res_attrs", &is_kept, 0);
}

/// Emits an assertion for each dynamic size: the new argument must have the size of the allocation
/// that the argument replaces.
fn assert_sizes<'c>(alloc: Op<'c>, result: Val<'c>, number: usize) {
    let b = Builder::before(alloc);
    let shape = MemRef::of(result).map(|memref| memref.shape);
    let dynamic = shape.into_iter().flatten().enumerate();
    let dynamic = dynamic.filter(|(_, size)| size.is_none());
    for ((dimension, _), size) in dynamic.zip(operands(alloc)) {
        let message = format!("dimension {dimension} of result {number}");
        let given = Index::Val(b.dim(result, dimension));
        write_assert(&b, Predicate::Eq, given, Index::Val(size), &message);
    }
}

/// Returns the static allocation from which reshapes compute `value`, and the list of the reshapes,
/// last reshape first. Returns `None` if `value` is not a reshape of a static allocation.
fn reshaped<'c>(value: Val<'c>, function: Op<'c>) -> Option<(Op<'c>, Vec<Op<'c>>)> {
    let is_plain =
        |v: Val<'c>| MemRef::of(v).is_some_and(|m| m.is_contiguous() && m.elements().is_some());
    let (mut at, mut views) = (value, Vec::new());
    while is_plain(at) {
        let op = defining_op(at)?;
        if is_temporary(op, function) {
            return Some((op, views));
        }
        if !is(op, COLLAPSE) && !is(op, EXPAND) {
            return None;
        }
        views.push(op);
        at = *operands(op).first()?;
    }
    None
}

const COLLAPSE: &str = "memref.collapse_shape";
const EXPAND: &str = "memref.expand_shape";

/// Emits the inverse of the reshape op `view`, applied to `memory`.
fn undo<'c>(b: &Builder<'c>, view: Op<'c>, memory: Val<'c>) -> Val<'c> {
    let source = operands(view)[0];
    let name = if is(view, EXPAND) { COLLAPSE } else { EXPAND };
    let groups = attribute(view, "reassociation").expect("a reshape has a reassociation");
    let made = b
        .create(name)
        .operands(&[memory])
        .attr("reassociation", groups)
        .result(source.r#type());
    match name {
        EXPAND => {
            let shape = MemRef::of(source).map(|m| m.shape).unwrap_or_default();
            let sizes = shape.iter().map(|n| n.map_or(i64::MIN, u64::cast_signed));
            made.i64s("static_output_shape", &sizes.collect::<Vec<_>>())
                .value()
        }
        _ => made.value(),
    }
}

/// Returns whether a function argument can replace the `memref.alloc` op.
fn is_temporary<'c>(op: Op<'c>, function: Op<'c>) -> bool {
    is(op, "memref.alloc")
        && parent(op) == Some(function)
        && attribute(op, tx_dialect_tile::CLEARED).is_none()
}

/// Resizes the attribute array of the arguments or results of a function: removes each entry for
/// which `kept` is false, and appends `added` empty dictionaries.
fn resize_dictionaries<'c>(function: Op<'c>, name: &str, kept: &[bool], added: usize) {
    let Some(all) = attribute(function, name).and_then(elements) else {
        return;
    };
    let context = context(function);
    let empty: Attribute<'c> = tx_mlir::dictionary_of(context, &[]);
    let kept = all
        .into_iter()
        .zip(kept)
        .filter(|(_, kept)| **kept)
        .map(|(entry, _)| entry);
    let entries: Vec<Attribute<'c>> = kept.chain(std::iter::repeat_n(empty, added)).collect();
    match entries.is_empty() {
        true => tx_mlir::remove_attribute(function, name),
        false => set_attribute(
            function,
            name,
            ArrayAttribute::new(context, &entries).into(),
        ),
    }
}
