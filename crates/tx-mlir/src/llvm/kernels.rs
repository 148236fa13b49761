//! Kernels of one module, compiled each by itself: what makes modules of one kernel, and one assembly of theirs.

use crate::ir::{
    Op, attribute, blocks, context, copy, discardable_attributes, is, name, ops, string_attribute,
    symbol_path, walk,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::{Block, Identifier, Region, RegionLike};
use std::collections::BTreeMap;

/// What refers to a global, or to a function.
const ADDRESS_OF: &str = "llvm.mlir.addressof";
/// What else refers to functions.
const CALLS: [&str; 4] = [
    "llvm.blockaddress",
    "llvm.call",
    "llvm.dso_local_equivalent",
    "llvm.invoke",
];

/// A function, with what of the module it needs.
struct Kernel<'c> {
    function: Op<'c>,
    globals: Vec<Op<'c>>,
    /// How many ops it has.
    size: usize,
}

/// A module of functions that have nothing in common.
pub(super) struct Separable<'c> {
    module: Op<'c>,
    kernels: Vec<Kernel<'c>>,
    /// Of all functions, in the order of the module.
    globals: Vec<String>,
}

impl<'c> Separable<'c> {
    /// The functions of a module in LLVM's dialect, if there are several, all of them kernels, none refers to another, and each global
    /// is referred to by one. Functions with debug information have that in common.
    pub(super) fn of(module: Op<'c>) -> Option<Self> {
        let [block] = blocks(module).try_into().ok()?;
        let (functions, globals): (Vec<_>, Vec<_>) =
            ops(block).into_iter().partition(|op| is(*op, "llvm.func"));
        // Its initial value refers to no other.
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
        let mut kernels = Vec::new();
        for function in functions {
            let mut kernel = Kernel {
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
            kernels.push(kernel);
        }
        // What nobody refers to is of the module alone.
        free.is_empty().then_some(Self {
            module,
            kernels,
            globals: names,
        })
    }

    /// The sizes of the kernels, in their order.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.kernels.iter().map(|kernel| kernel.size)
    }

    /// A module with one of the kernels.
    pub(super) fn alone(&self, number: usize) -> Operation<'c> {
        let kernel = &self.kernels[number];
        let block = Block::new(&[]);
        for op in kernel.globals.iter().chain([&kernel.function]) {
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

    /// The PTX of the module, of that of its kernels, as LLVM would write it of all of them; nothing where it has more than
    /// kernels, and shared memory that LLVM moves into them.
    pub(super) fn join(&self, ptx: &[String]) -> Option<String> {
        let (mut joined, mut moved, mut bodies) = (None, Vec::new(), String::new());
        for (number, ptx) in ptx.iter().enumerate() {
            let (preamble, rest) = ptx.split_once(BEGINNING)?;
            let (name, rest) = rest.split_once('\n')?;
            let (header, body) = rest.split_once("\n.visible .entry")?;
            for line in header.lines() {
                let global = line
                    .strip_prefix("// ")?
                    .strip_suffix(" has been demoted")?;
                moved.push((self.globals.iter().position(|name| name == global)?, line));
            }
            if *joined.get_or_insert(preamble) != preamble {
                return None;
            }
            match number {
                0 => bodies.push_str("\n.visible .entry"),
                _ => {
                    bodies.push_str(BEGINNING);
                    bodies.push_str(name);
                    bodies.push_str("\n.visible .entry");
                }
            }
            // Labels have the number of their function.
            bodies.push_str(&body.replace("$L__BB0_", &format!("$L__BB{number}_")));
        }
        moved.sort_unstable();
        let (first, _) = ptx.first()?.split_once(BEGINNING)?.1.split_once('\n')?;
        let mut joined = format!("{}{BEGINNING}{first}\n", joined?);
        for (_, line) in moved {
            joined.push_str(line);
            joined.push('\n');
        }
        Some(joined + &bodies)
    }
}

/// What LLVM writes before a function.
const BEGINNING: &str = "\t// .globl\t";

/// Whether the location of an op holds more than places in a source.
fn has_debug_information(op: Op<'_>) -> bool {
    let location = op.location().to_raw();
    // SAFETY: plain queries; only fused locations are asked for what they hold.
    unsafe {
        mlir_sys::mlirLocationIsAFused(location)
            && !mlir_sys::mlirLocationFusedGetMetadata(location)
                .ptr
                .is_null()
    }
}
