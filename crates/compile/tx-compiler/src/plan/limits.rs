//! Limits of the expressions of a launch plan.

use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, codes, error, name};
use tx_plan::{Expr, Symbol};

/// Reports an error if an expression contains the address of an argument. Only the conditions of a
/// launch plan may use the addresses of arguments.
pub(super) fn check_no_address<'e>(
    op: Op<'_>,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> Result<(), Failed> {
    let mut found = None;
    for expr in exprs {
        expr.for_each_symbol(&mut |symbol| {
            if matches!(symbol, Symbol::Address { .. }) {
                found = Some(symbol);
            }
        });
    }
    let Some(symbol) = found else {
        return Ok(());
    };
    let message = format!(
        "`{}` uses `{symbol}`, but an address is allowed only in conditions of `scf.if`",
        name(op)
    );
    Err(error(op.location(), message).code(codes::TX0602).emit())
}

/// Reports an error if an expression has more than [`Expr::MAX_TERMS`] terms. The parser of launch
/// plans rejects an expression with more than [`Expr::MAX_TERMS`] terms.
pub(super) fn check_size<'e>(
    op: Op<'_>,
    exprs: impl IntoIterator<Item = &'e Expr>,
) -> Result<(), Failed> {
    match exprs.into_iter().map(Expr::terms).max() {
        Some(terms) if terms > Expr::MAX_TERMS => Err(error(
            op.location(),
            format!(
                "`{}` creates an expression of {terms} terms over the arguments, expected at most \
                 {}",
                name(op),
                Expr::MAX_TERMS
            ),
        )
        .code(codes::TX0608)
        .note("compute the value in the caller, and pass it as an argument")
        .emit()),
        _ => Ok(()),
    }
}
