use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use std::collections::BTreeSet;
use tx_dialect_tile::ISOLATED;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, attribute, context, erase, error, first_block, move_before, ops,
    rename_symbol_uses, set_attribute, string_attribute,
};

pass! {
    /// Move the functions of the nested module back to the outer module.
    ///
    /// ## What it does
    /// Reverts `tensor-isolate-functions`. A symbol that another pass created in the nested module,
    /// such as the `memref.global` of a constant, is renamed if its name is already in use outside
    /// of the nested module.
    ///
    /// ## Before
    /// ```mlir
    /// module attributes {tile.isolated} {
    ///   func.func @f(%A: memref<4xf32>) {
    ///     return
    ///   }
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @f(%A: memref<4xf32>) {
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass fails if the name of a symbol is already in use, and MLIR cannot rename the
    /// references to the symbol.
    pub struct RestoreFunctions as "tensor-restore-functions" creates [] {
    } counts {
        /// ops moved
        moved,
    }
}

impl Pass for RestoreFunctions {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let all: Vec<Op<'c>> = first_block(module, 0).map(ops).unwrap_or_default();
        let (nested, rest): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|op| attribute(*op, ISOLATED).is_some());
        let mut taken: BTreeSet<String> = rest
            .into_iter()
            .filter_map(|op| string_attribute(op, "sym_name"))
            .collect();
        for nested in nested {
            for op in first_block(nested, 0).map(ops).unwrap_or_default() {
                if let Some(name) = string_attribute(op, "sym_name") {
                    taken.insert(rename(op, name, nested, &taken)?);
                }
            }
            for op in first_block(nested, 0).map(ops).unwrap_or_default() {
                move_before(op, nested);
                counts.add("moved", 1);
            }
            erase(nested);
        }
        Ok(())
    }
}

/// Renames a symbol if its name is already in use. Returns the final name.
fn rename(
    op: Op<'_>,
    name: String,
    nested: Op<'_>,
    taken: &BTreeSet<String>,
) -> Result<String, Failed> {
    let names = std::iter::once(name.clone()).chain((0..).map(|i| format!("{name}_{i}")));
    let new = names
        .into_iter()
        .find(|new| !taken.contains(new))
        .unwrap_or_default();
    if new != name {
        if !rename_symbol_uses(&name, &new, nested) {
            return Err(error(
                op.location(),
                format!("symbol `{name}` is defined twice, and cannot be renamed"),
            )
            .emit());
        }
        set_attribute(
            op,
            "sym_name",
            StringAttribute::new(context(op), &new).into(),
        );
    }
    Ok(new)
}
