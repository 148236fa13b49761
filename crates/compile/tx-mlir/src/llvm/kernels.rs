//! Functions that split a module into batches of independent kernels, and that join the PTX of the
//! batches.

use crate::ir::{
    Op, attribute, blocks, context, copy, discardable_attributes, is, name, ops, string_attribute,
    symbol_path, walk,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::{Block, Identifier, Region, RegionLike};
use std::collections::BTreeMap;

/// Name of the op that returns the address of a global or of a function.
const ADDRESS_OF: &str = "llvm.mlir.addressof";
/// Names of ops that can refer to a function, but cannot refer to a global.
const CALLS: [&str; 4] = [
    "llvm.blockaddress",
    "llvm.call",
    "llvm.dso_local_equivalent",
    "llvm.invoke",
];

struct SeparableKernel<'c> {
    function: Op<'c>,
    globals: Vec<Op<'c>>,
    /// Number of ops in the kernel. The compile time of the kernel increases with the number of
    /// ops.
    size: usize,
}

/// Maximum total number of ops in a batch of several adjacent kernels. The fixed compile time that
/// LLVM needs per module is half the compile time of a kernel with 100 ops.
pub(super) const MAX_BATCH_OPS: usize = 300;

/// Module whose kernels share no function and no global.
pub(super) struct Separable<'c> {
    module: Op<'c>,
    /// Batches of adjacent kernels; LLVM compiles each batch as one module.
    parts: Vec<Vec<SeparableKernel<'c>>>,
    globals: Vec<String>,
}

impl<'c> Separable<'c> {
    /// Splits a module in the LLVM dialect into batches. A batch consists of adjacent kernels with
    /// at most `most_ops` ops in total, or of one kernel with more than `most_ops` ops.
    ///
    /// Returns `None` if the module has fewer than two functions. Returns `None` if a function of
    /// the module is not a kernel, has no body, or has debug information. Returns `None` if a
    /// kernel refers to a function, if several kernels use the same global, if a global is unused,
    /// or if all kernels fit into one batch.
    pub(super) fn of(module: Op<'c>, most_ops: usize) -> Option<Self> {
        let [block] = blocks(module).try_into().ok()?;
        let (functions, globals): (Vec<_>, Vec<_>) =
            ops(block).into_iter().partition(|op| is(*op, "llvm.func"));
        // The initializer of a plain global refers to no symbol.
        let is_plain = |op: &Op<'c>| {
            let refers = walk(*op).into_iter().any(|op| is(op, ADDRESS_OF));
            is(*op, "llvm.mlir.global") && !refers
        };
        let is_written = |op: &Op<'c>| {
            let is_kernel = attribute(*op, "nvvm.kernel").is_some();
            is_kernel && !blocks(*op).is_empty() && !has_debug_information(*op)
        };
        if functions.len() < 2 || !globals.iter().all(is_plain) || !functions.iter().all(is_written)
        {
            return None;
        }
        let symbol = |op: &Op<'c>| string_attribute(*op, "sym_name");
        let names: Vec<String> = globals.iter().map(symbol).collect::<Option<_>>()?;
        let mut free: BTreeMap<&str, Op<'c>> =
            names.iter().map(String::as_str).zip(globals).collect();
        let mut parts: Vec<Vec<SeparableKernel<'c>>> = Vec::new();
        for function in functions {
            let mut kernel = SeparableKernel {
                function,
                globals: Vec::new(),
                size: 0,
            };
            let mut own: Vec<String> = Vec::new();
            for op in walk(function) {
                kernel.size += 1;
                if CALLS.contains(&name(op)) {
                    return None;
                }
                if !is(op, ADDRESS_OF) {
                    continue;
                }
                let [global] = symbol_path(attribute(op, "global_name")?)?
                    .try_into()
                    .ok()?;
                if !own.contains(&global) {
                    kernel.globals.push(free.remove(global.as_str())?);
                    own.push(global);
                }
            }
            match parts.last_mut() {
                Some(part) if size(part) + kernel.size <= most_ops => part.push(kernel),
                _ => parts.push(vec![kernel]),
            }
        }
        // The module cannot be split if a global is unused, because an unused global belongs to no
        // batch.
        (free.is_empty() && parts.len() > 1).then_some(Self {
            module,
            parts,
            globals: names,
        })
    }

    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|part| size(part))
    }

    pub(super) fn part(&self, number: usize) -> Operation<'c> {
        let part = &self.parts[number];
        let block = Block::new(&[]);
        let globals = part.iter().flat_map(|kernel| &kernel.globals);
        let functions = part.iter().map(|kernel| &kernel.function);
        for op in globals.chain(functions) {
            block.append_operation(copy(*op));
        }
        let region = Region::new();
        region.append_block(block);
        let name = attribute(self.module, "sym_name").map(|name| ("sym_name".to_owned(), name));
        let attributes: Vec<_> = discardable_attributes(self.module)
            .into_iter()
            .chain(name)
            .map(|(name, value)| (Identifier::new(context(self.module), &name), value))
            .collect();
        OperationBuilder::new(crate::name(self.module), self.module.location())
            .add_attributes(&attributes)
            .add_regions([region])
            .build()
            .expect("a module like one that there is")
    }

    /// Joins the PTX of the batches into the PTX that LLVM would print for the whole module.
    /// Returns `None` if the PTX of a batch declares anything except kernels and demoted
    /// shared-memory globals.
    pub(super) fn join(&self, ptx: &[String]) -> Option<String> {
        let (mut start, mut moved, mut kernels) = (None, Vec::new(), Vec::new());
        for ptx in ptx {
            let mut texts = ptx.split(BEGINNING);
            let preamble = texts.next()?;
            if *start.get_or_insert(preamble) != preamble {
                return None;
            }
            for (number, text) in texts.enumerate() {
                let (name, text) = text.split_once('\n')?;
                let (header, body) = text.split_once(ENTRY)?;
                for line in header.lines().filter(|line| !line.is_empty()) {
                    let global = line
                        .strip_prefix("// ")?
                        .strip_suffix(" has been demoted")?;
                    moved.push((self.globals.iter().position(|name| name == global)?, line));
                }
                // Block labels contain the index of their function in the module.
                let [old, new] = [number, kernels.len()].map(|n| format!("$L__BB{n}_"));
                kernels.push((name, body.replace(&old, &new)));
            }
        }
        moved.sort_unstable();
        let header: String = moved.iter().map(|(_, line)| format!("{line}\n")).collect();
        let mut joined = start?.to_owned();
        for (number, (name, body)) in kernels.iter().enumerate() {
            joined.extend([BEGINNING, name, "\n"]);
            if number == 0 {
                joined.extend([&header, "\n"]);
            }
            joined.extend([ENTRY, body]);
        }
        Some(joined)
    }
}

fn size(kernels: &[SeparableKernel<'_>]) -> usize {
    kernels.iter().map(|kernel| kernel.size).sum()
}

const BEGINNING: &str = "\t// .globl\t";
const ENTRY: &str = ".visible .entry";

fn has_debug_information(op: Op<'_>) -> bool {
    let location = op.location().to_raw();
    // SAFETY: the location is alive; metadata is read from fused locations only.
    unsafe {
        mlir_sys::mlirLocationIsAFused(location)
            && !mlir_sys::mlirLocationFusedGetMetadata(location)
                .ptr
                .is_null()
    }
}
