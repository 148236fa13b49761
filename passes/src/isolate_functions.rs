use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Block, Region, RegionLike, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::ISOLATED;
use tx_mlir::build::argument;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Blk, Builder, Failed, Op, attribute, attributes, blocks, codes, discardable_attributes, error,
    first_block, has_encoding, is, is_tensor, is_unregistered, move_to_end, name, operands, ops,
    results, set_attribute, string_attribute, symbol_path, walk,
};

pass! {
    /// Move functions with tensors into a nested module.
    ///
    /// ## What it does
    /// Moves each function with tensors into a nested `builtin.module`. Together with a function,
    /// the pass moves all symbols that the function references, and all symbols that reference the
    /// function. The later passes of the pipeline run only on the nested module. Functions and
    /// kernels that the pass does not move stay outside of the nested module, so the later passes
    /// do not change them. The pass moves a function with unregistered ops only if the function
    /// references a moved function, or a moved function references the function.
    /// `tensor-restore-functions` moves the functions back. The pass does not change a module
    /// without tensors.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
    ///   %B = math.exp %A : tensor<4xf32>
    ///   return %B : tensor<4xf32>
    /// }
    /// func.func @g(%A: memref<4xf32>) {
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%A : memref<4xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// module attributes {tile.isolated} {
    ///   func.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
    ///     %B = math.exp %A : tensor<4xf32>
    ///     return %B : tensor<4xf32>
    ///   }
    /// }
    /// func.func @g(%A: memref<4xf32>) {
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%A : memref<4xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects functions with tensors in a nested module, and a nested module that already
    /// has the attribute `tile.isolated`. The pass rejects tensors with an encoding.
    pub struct IsolateFunctions as "tensor-isolate-functions" creates [] {
    } counts {
        /// ops moved
        moved,
    }
}

impl Pass for IsolateFunctions {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let Some(body) = first_block(module, 0) else {
            return Ok(());
        };
        let all = ops(body);
        check(&all)?;
        let moved = component(&all);
        let Some(first) = moved.first() else {
            return Ok(());
        };
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let b = Builder::before(*first);
        let nested = b
            .create("builtin.module")
            .attr(ISOLATED, Attribute::unit(b.context()))
            .region(region)
            .build();
        // The contents of a module may require an attribute of the module, such as
        // `gpu.container_module`.
        for (found, value) in discardable_attributes(module) {
            set_attribute(nested, &found, value);
        }
        let Some(into) = first_block(nested, 0) else {
            return Ok(());
        };
        for op in moved {
            move_to_end(op, into);
            counts.add("moved", 1);
        }
        Ok(())
    }
}

/// Rejects nested modules with tensors, and tensors with an encoding.
fn check(all: &[Op<'_>]) -> Result<(), Failed> {
    for module in all.iter().copied().filter(|op| is(*op, "builtin.module")) {
        if attribute(module, ISOLATED).is_some() {
            return Err(error(
                module.location(),
                format!("this module already has the attribute `{ISOLATED}`"),
            )
            .code(codes::TX0318)
            .note("only this pass may set the attribute: remove it")
            .emit());
        }
        if has_tensors(module) {
            return Err(error(
                module.location(),
                "functions on tensors must not be in a nested module",
            )
            .code(codes::TX0318)
            .note("move the functions into the enclosing module")
            .emit());
        }
    }
    for op in all.iter().flat_map(|op| walk(*op)) {
        let of_block = |block: Blk<'_>| {
            (0..block.argument_count()).any(|i| has_encoding(argument(block, i).r#type()))
        };
        if results(op).iter().any(|value| has_encoding(value.r#type()))
            || blocks(op).into_iter().any(of_block)
        {
            return Err(error(
                op.location(),
                format!("`{}` has a tensor with an encoding", name(op)),
            )
            .code(codes::TX0035)
            .note(
                "tensors are dense, in row-major order: drop the encoding, or convert the \
                       tensor before",
            )
            .emit());
        }
    }
    Ok(())
}

/// Returns the ops with tensors, and all ops that are connected to these ops by symbols, directly
/// or through other ops. Two ops are connected if both ops define or reference the same symbol.
fn component<'c>(all: &[Op<'c>]) -> Vec<Op<'c>> {
    // Indices of the ops that define or use each symbol.
    let mut around: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, op) in all.iter().enumerate() {
        for symbol in string_attribute(*op, "sym_name")
            .into_iter()
            .chain(used_symbols(*op))
        {
            around.entry(symbol).or_default().push(i);
        }
    }
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let is_known = |op: Op<'_>| !walk(op).into_iter().any(is_unregistered);
    let mut next: Vec<usize> = (0..all.len())
        .filter(|i| has_tensors(all[*i]) && is_known(all[*i]))
        .collect();
    while let Some(i) = next.pop() {
        if found.insert(i) {
            next.extend(
                around
                    .values()
                    .filter(|ops| ops.contains(&i))
                    .flatten()
                    .copied(),
            );
        }
    }
    found.into_iter().map(|i| all[i]).collect()
}

fn used_symbols(op: Op<'_>) -> BTreeSet<String> {
    let paths = walk(op)
        .into_iter()
        .flat_map(attributes)
        .filter_map(|(_, value)| symbol_path(value));
    paths.filter_map(|path| path.into_iter().next()).collect()
}

/// Returns whether an op or a nested op has a tensor as operand, result or block argument.
pub fn has_tensors(op: Op<'_>) -> bool {
    walk(op).into_iter().any(|op| {
        let of_block = |block: Blk<'_>| {
            (0..block.argument_count()).any(|i| is_tensor(argument(block, i).r#type()))
        };
        let mut own = operands(op).into_iter().chain(results(op));
        own.any(|value| is_tensor(value.r#type())) || blocks(op).into_iter().any(of_block)
    })
}
