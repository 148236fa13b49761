//! Conversion of the kernels and fragments of a module to plain data.

use std::collections::{BTreeMap, BTreeSet};

use tx_dialect_tile::Fragment;
use tx_mlir::melior::ir::operation::OperationLike;
use tx_mlir::melior::ir::{BlockLike, ValueLike};
use tx_report::{Holder, Op, Region, ReportedKernel};

/// Names of op attributes that describe how threads exchange values, such as the mode of a shuffle.
const ATTRIBUTES: [&str; 5] = ["mode", "kind", "dimension", "predicate", "name"];
/// Maximum number of elements of a fragment for which the report lists threads and registers.
const MAX_FRAGMENT_ELEMENTS: u64 = 1 << 20;

/// Returns the source line of an op in `file`; `None` if the location of the op is not in `file`.
fn line(op: tx_mlir::Op<'_>, file: &str) -> Option<usize> {
    tx_mlir::source_location(op.location())
        .filter(|place| place.file == file && place.line > 0)
        .map(|place| place.line)
}

pub(super) fn kernels(
    module: tx_mlir::Op<'_>,
    file: &str,
    names: Option<&tx_mlir::Names<'_>>,
) -> Vec<ReportedKernel> {
    let is_kernel =
        |op: &tx_mlir::Op<'_>| tx_mlir::is(*op, "gpu.func") && tx_mlir::gpu::is_kernel(*op);
    tx_mlir::walk(module)
        .into_iter()
        .filter(is_kernel)
        .map(|op| {
            let sizes = tx_mlir::attribute(op, "known_block_size").and_then(tx_mlir::integers);
            let size = |i: usize| {
                let size = sizes.as_ref().and_then(|s| s.get(i)).copied().unwrap_or(1);
                usize::try_from(size).unwrap_or(1)
            };
            let mut values = Values::default();
            let body = values.region(op, 0, file);
            ReportedKernel {
                name: tx_mlir::string_attribute(op, "sym_name").unwrap_or_default(),
                lengths: tx_mlir::string_attribute(op, "lengths"),
                block: [size(0), size(1), size(2)],
                arguments: body
                    .arguments
                    .iter()
                    .copied()
                    .zip(argument_names(op, names))
                    .collect(),
                body,
            }
        })
        .collect()
}

/// Returns the names of the kernel arguments in the printed module: the names in `names`, or else
/// `%arg0`, `%arg1` and so on.
fn argument_names(kernel: tx_mlir::Op<'_>, names: Option<&tx_mlir::Names<'_>>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let mut again = 0;
    let arguments = tx_mlir::first_block(kernel, 0)
        .into_iter()
        .flat_map(|block| (0..block.argument_count()).filter_map(move |i| block.argument(i).ok()));
    arguments
        .enumerate()
        .map(|(i, argument)| {
            let name = names.and_then(|names| names.argument(argument.into()));
            let name = name.map_or_else(|| format!("%arg{i}"), |name| format!("%{name}"));
            if known.insert(name.clone()) {
                return name;
            }
            again += 1;
            format!("{name}_{}", again - 1)
        })
        .collect()
}

/// Numbers of SSA values, in the order in which the values occur.
#[derive(Default)]
struct Values(BTreeMap<usize, usize>);

impl Values {
    fn number(&mut self, value: tx_mlir::Val<'_>) -> usize {
        let next = self.0.len();
        *self.0.entry(tx_mlir::key(value)).or_insert(next)
    }

    fn region(&mut self, holder: tx_mlir::Op<'_>, region: usize, file: &str) -> Region {
        let mut found = Region::default();
        for block in tx_mlir::region_blocks(holder, region) {
            for i in 0..block.argument_count() {
                if let Ok(argument) = block.argument(i) {
                    found.arguments.push(self.number(argument.into()));
                }
            }
            for op in tx_mlir::ops(block) {
                found.ops.push(self.op(op, file));
            }
        }
        found
    }

    fn op(&mut self, op: tx_mlir::Op<'_>, file: &str) -> Op {
        let (operands, results) = (tx_mlir::operands(op), tx_mlir::results(op));
        let types =
            |values: &[tx_mlir::Val<'_>]| values.iter().map(|v| v.r#type().to_string()).collect();
        let name = tx_mlir::name(op).to_owned();
        let constant = match name.as_str() {
            "arith.constant" | "llvm.mlir.constant" => tx_mlir::integer_attribute(op, "value"),
            _ => None,
        };
        Op {
            attributes: ATTRIBUTES
                .iter()
                .filter_map(|n| {
                    let attribute = tx_mlir::attribute(op, n)?;
                    let text = match tx_mlir::enumerator(attribute) {
                        Some(keyword) => keyword.to_owned(),
                        None => attribute.to_string(),
                    };
                    Some(((*n).to_owned(), text))
                })
                .collect(),
            operand_types: types(&operands),
            result_types: types(&results),
            operands: operands.into_iter().map(|v| self.number(v)).collect(),
            results: results.into_iter().map(|v| self.number(v)).collect(),
            constant,
            regions: (0..op.region_count())
                .map(|i| self.region(op, i, file))
                .collect(),
            line: line(op, file),
            name,
        }
    }
}

/// Returns each fragment type of a module with the SSA values of the type, in order of occurrence.
pub(super) fn fragments(module: tx_mlir::Op<'_>, file: &str) -> Vec<tx_report::Fragment> {
    let mut found: Vec<tx_report::Fragment> = Vec::new();
    for op in tx_mlir::walk(module) {
        let place = line(op, file).map_or_else(String::new, |line| format!(", line {line}"));
        let mut values: Vec<(tx_mlir::Val<'_>, String)> = tx_mlir::results(op)
            .into_iter()
            .map(|value| (value, format!("{}{place}", tx_mlir::name(op))))
            .collect();
        for block in tx_mlir::blocks(op) {
            for i in 0..block.argument_count() {
                if let Ok(argument) = block.argument(i) {
                    values.push((
                        argument.into(),
                        format!("argument of {}{place}", tx_mlir::name(op)),
                    ));
                }
            }
        }
        for (value, told) in values {
            let ty = value.r#type();
            let Some(fragment) = Fragment::from_type(ty) else {
                continue;
            };
            let ty = ty.to_string();
            if let Some(known) = found.iter_mut().find(|known| known.ty == ty) {
                if !known.values.contains(&told) {
                    known.values.push(told);
                }
                continue;
            }
            found.push(tx_report::Fragment {
                ty,
                shape: fragment
                    .shape
                    .iter()
                    .map(|n| usize::try_from(*n).unwrap_or(0))
                    .collect(),
                holders: holders(&fragment),
                values: vec![told],
            });
        }
    }
    found
}

/// Returns, for each element of a fragment, the threads and registers that contain the element. The
/// returned list is empty if the fragment has more than [`MAX_FRAGMENT_ELEMENTS`] elements, copies
/// included.
fn holders(fragment: &Fragment<'_>) -> Vec<Vec<Holder>> {
    let layout = &fragment.layout;
    let places = layout
        .shard
        .iter()
        .chain(&layout.replica)
        .try_fold(1_u64, |n, entry| n.checked_mul(entry.extent.unsigned_abs()));
    if places.is_none_or(|n| n > MAX_FRAGMENT_ELEMENTS) {
        return Vec::new();
    }
    tx_interp::holders(layout)
        .iter()
        .map(|copies| {
            copies
                .iter()
                .map(|holder| Holder {
                    thread: usize::try_from(holder.relative + holder.absolute).unwrap_or(0),
                    register: holder.slot,
                })
                .collect()
        })
        .collect()
}
