//! Text of pass pipelines.

use crate::error::{Error, ErrorKind};
use tx_target::Chip;

pub(crate) const LOWER_REDUCTION: &str = "lower-reduction";

/// Pass that converts linalg ops to `tile` ops. The compiler always verifies the module after the
/// pass that converts linalg ops, because the verifiers of `tile` ops detect errors in the input
/// program.
pub(crate) const CONVERT_LINALG_TO_TILE: &str = "convert-linalg-to-tile";

pub(crate) const TILE_SCHEDULE: &str = "tile-schedule";

pub(crate) const TILE_ATTACH_TARGET: &str = "tile-attach-target";

/// Pass that creates LLVM debug information from the locations of ops. The debug information
/// contains only line tables.
pub(crate) const ADD_LINE_TABLES: &str =
    "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}";

/// Returns the passes of the pipeline `name` for a chip.
pub(crate) fn expand(name: &str, chip: Chip) -> Result<Vec<String>, Error> {
    let expanded = tx_passes::PIPELINES
        .iter()
        .find(|p| p.argument == name)
        .ok_or_else(|| format!("no pipeline named `{name}`"))
        .and_then(|p| (p.expand)(&[chip.name]))
        .map_err(|e| Error::plain(ErrorKind::Codegen, e))?;
    let passes = split_passes(&expanded).into_iter().map(str::to_owned);
    Ok(passes.collect())
}

/// Returns the stage name of a pass: the name of the pass without options and nested passes.
pub(crate) fn stage_name(pass: &str) -> &str {
    pass.split(['{', '(']).next().unwrap_or(pass)
}

/// Splits the text of a pipeline at the commas outside of options and nested pipelines.
pub(crate) fn split_passes(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    text.split(|c| {
        depth += i32::from(c == '(' || c == '{') - i32::from(c == ')' || c == '}');
        c == ',' && depth == 0
    })
    .collect()
}
