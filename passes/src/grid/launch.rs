//! Emits a kernel function and its launch.

use super::body::Body;
use super::grid_op::GridOp;
use super::group::Group;
use super::held_rows::HeldRows;
use super::last_block::LastBlock;
use super::lengths::{LENGTHS, Lengths};
use super::loops::at_least_one;
use super::nest::{MAX_BLOCKS, Nest};
use super::plan::GroupCase;
use super::steps::{Processor, Step, to_attribute};
use crate::analysis::constants::is_constant;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, TypeLike};
use melior::ir::{Attribute, Block, Region, RegionLike, Type, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::EVICT_LAST;
use tx_mlir::memref::Space;
use tx_mlir::{
    Blk, Builder, Index, MemRef, Op, Val, ancestors, argument_of, attribute, defining_op,
    enclosing, erase, first_block, has_uses, i32_array, i32_attribute, integer_attribute, is,
    is_defined_in, is_pure, key, operands, ops, replace_uses, set_attribute, set_operand,
    string_attribute, symbol_path, walk,
};

/// Last-block reduction of the partial results of all blocks.
pub(crate) struct SecondPhase<'c> {
    pub(crate) grid_op: GridOp<'c>,
    pub(crate) nest: Nest,
    /// Array of block counters, initially 0: one counter for each set of blocks that share results.
    pub(crate) counters: Val<'c>,
}

pub(crate) struct Launch<'c> {
    pub(crate) grid_op: GridOp<'c>,
    pub(crate) nest: Nest,
    pub(crate) steps: Vec<Step>,
    /// Dimension lengths for which the host launches the kernel. If `only` is empty, the host
    /// launches the kernel for all lengths.
    pub(crate) only: Vec<Lengths>,
    pub(crate) second: Option<SecondPhase<'c>>,
    pub(crate) at: Op<'c>,
    /// Temporary arrays that the kernels launched later do not use.
    pub(crate) ends: Vec<Val<'c>>,
}

pub(crate) struct Kernels<'c> {
    pub(crate) host: String,
    prefix: String,
    /// The `gpu.module`; `None` before the first kernel is emitted.
    module: Option<(Op<'c>, String)>,
    count: usize,
    /// Names of constant arrays in the `gpu.module`; the key is the name of the array in the
    /// surrounding module.
    constants: BTreeMap<String, String>,
}

impl<'c> Kernels<'c> {
    pub(crate) fn of(host: String) -> Self {
        Self {
            prefix: identifier(&host),
            host,
            module: None,
            count: 0,
            constants: BTreeMap::new(),
        }
    }

    /// Emits a kernel and its launch. If `asserts` is set, the host also asserts the operand sizes.
    /// If an op has several kernels, only one of the launches needs the asserts of the operand
    /// sizes.
    pub(crate) fn add(&mut self, launched: &Launch<'c>, asserts: bool) {
        let Launch {
            grid_op,
            nest,
            steps,
            only,
            second,
            at,
            ends,
        } = launched;
        let (module, module_name) = self.module(grid_op.op);
        let name = self.kernel_name(module);
        let (kernel, body) = kernel(grid_op, nest, steps, module, &name);
        write_lengths(kernel, only);
        let inside = Builder::at_start(tx_mlir::context(grid_op.op), body, grid_op.op.location());
        let last_block = second
            .as_ref()
            .map(|second| LastBlock::new(&second.grid_op, &second.nest, second.counters, &inside));
        let first = Body::new(grid_op, nest, &inside).with_tiles(&inside, kernel);
        match last_block {
            Some(last_block) => last_block.write(&inside, first),
            None => first.write(&inside),
        }
        inside.create("gpu.return").build();
        remove_unused(kernel);
        let arguments = isolate(grid_op.operands(), kernel, body);
        self.place_constants(kernel, module);
        let b = Builder::before(*at).located(grid_op.op.location());
        if asserts {
            grid_op.assert_sizes(&b);
        }
        let callee = format!("@{module_name}::@{name}");
        launch(&b, grid_op, nest, &callee, &arguments, second.is_some());
        for end in ends {
            b.create("memref.dealloc").operands(&[*end]).build();
        }
    }

    /// Emits the kernel of a group for a range of lengths, and its launch before `at`. A block
    /// completes each phase for all of its rows before the next phase begins.
    pub(crate) fn add_group(
        &mut self,
        group: &Group<'c>,
        case: &GroupCase<'c>,
        only: &[Lengths],
        at: Op<'c>,
    ) {
        let GroupCase {
            nests, steps, held, ..
        } = case;
        let leader = group.leader();
        let (Some(first), Some(last)) = (group.phases.get(leader), group.phases.last()) else {
            return;
        };
        let location = last.grid_op.op.location();
        let (module, module_name) = self.module(at);
        let name = self.kernel_name(module);
        let (kernel, body) = kernel(&first.grid_op, &nests[leader], steps, module, &name);
        write_lengths(kernel, only);
        let inside = Builder::at_start(tx_mlir::context(at), body, location);
        if held.is_empty() {
            for (number, (phase, nest)) in (0..).zip(group.phases.iter().zip(nests)) {
                if number > 0 {
                    inside.create("gpu.barrier").build();
                }
                let inside = inside.located(phase.grid_op.op.location());
                Body::new(&phase.grid_op, nest, &inside)
                    .phase(number)
                    .write(&inside);
            }
        } else {
            HeldRows::new(group, nests, held, &case.internal, &inside).write(&inside);
        }
        inside.create("gpu.return").build();
        for array in &case.internal {
            fold_sizes(*array, kernel);
            fold_address(*array, kernel);
        }
        remove_unused(kernel);
        let from = group
            .phases
            .iter()
            .flat_map(|phase| phase.grid_op.operands());
        let arguments = isolate(from, kernel, body);
        self.place_constants(kernel, module);
        let b = Builder::before(at).located(location);
        let callee = format!("@{module_name}::@{name}");
        launch(
            &b,
            &first.grid_op,
            &nests[leader],
            &callee,
            &arguments,
            false,
        );
    }

    fn kernel_name(&mut self, module: Op<'c>) -> String {
        let taken = symbols(module);
        loop {
            let name = format!("{}_{}", self.prefix, self.count);
            self.count += 1;
            if !taken.contains(&name) {
                return name;
            }
        }
    }

    /// Copies to the `gpu.module` each constant array that the kernel reads, unless the
    /// `gpu.module` already contains a copy of the array.
    fn place_constants(&mut self, kernel: Op<'c>, module: Op<'c>) {
        let host = ancestors(module).find(|op| is(*op, "builtin.module"));
        let hosts = host
            .and_then(|host| first_block(host, 0))
            .map(ops)
            .unwrap_or_default();
        let Some(body) = first_block(module, 0) else {
            return;
        };
        for op in walk(kernel) {
            let is_global = |value| MemRef::of(value).is_some_and(|m| m.space == Space::Global);
            if !is(op, "memref.get_global") || !tx_mlir::results(op).into_iter().any(is_global) {
                continue;
            }
            let name = attribute(op, "name")
                .and_then(symbol_path)
                .and_then(|mut path| path.pop());
            let Some(name) = name else { continue };
            let context = tx_mlir::context(kernel);
            if !self.constants.contains_key(&name) {
                let is_named = |op: &&Op<'c>| {
                    is(**op, "memref.global")
                        && string_attribute(**op, "sym_name").as_ref() == Some(&name)
                };
                let Some(global) = hosts.iter().find(is_named) else {
                    continue;
                };
                let taken = symbols(module);
                let stem = identifier(&name);
                let numbered = (1..).map(|i| format!("{stem}_{i}"));
                let mut names = std::iter::once(stem.clone()).chain(numbered);
                let new = names.find(|name| !taken.contains(name)).unwrap_or_default();
                let copy = Builder::at_start(context, body, global.location()).copy(*global);
                set_attribute(copy, "sym_name", StringAttribute::new(context, &new).into());
                set_attribute(
                    copy,
                    "sym_visibility",
                    StringAttribute::new(context, "private").into(),
                );
                self.constants.insert(name.clone(), new);
            }
            let name = FlatSymbolRefAttribute::new(context, &self.constants[&name]);
            set_attribute(op, "name", name.into());
        }
    }

    /// Returns the `gpu.module`. The first call of `module` creates the `gpu.module`.
    fn module(&mut self, op: Op<'c>) -> (Op<'c>, String) {
        if let Some(known) = &self.module {
            return known.clone();
        }
        let top = ancestors(op)
            .find(|o| is(*o, "builtin.module"))
            .unwrap_or(op);
        let context = tx_mlir::context(op);
        let taken = symbols(top);
        let name = (0..)
            .map(|i| match i {
                0 => format!("{}_kernels", self.prefix),
                i => format!("{}_kernels_{i}", self.prefix),
            })
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let host = ancestors(op).find(|o| is(*o, "func.func")).unwrap_or(op);
        let module = Builder::before(host)
            .create("gpu.module")
            .attr("sym_name", StringAttribute::new(context, &name).into())
            .region(region)
            .build();
        set_attribute(top, "gpu.container_module", Attribute::unit(context));
        self.module = Some((module, name.clone()));
        (module, name)
    }
}

/// Erases the ops of a group, whose kernel must already be emitted. The function also erases the
/// `temporaries` that no kernel uses, each with the ops that allocate and free it.
pub(crate) fn erase_group<'c>(ops: Vec<Op<'c>>, temporaries: &[(Val<'c>, Vec<Op<'c>>)]) {
    let host = ops.first().and_then(|op| enclosing(*op, "func.func"));
    ops.into_iter().for_each(erase);
    let Some(host) = host else { return };
    let launches = walk(host).into_iter();
    let launches = launches.filter(|op| is(*op, "gpu.launch_func"));
    let used: Vec<Val<'c>> = launches.flat_map(operands).collect();
    for (array, around) in temporaries {
        if !used.contains(array) {
            fold_sizes(*array, host);
            // The allocation is the last op of the list. All uses of the allocation are therefore
            // erased before the allocation.
            around.iter().copied().for_each(erase);
        }
    }
}

fn write_lengths(kernel: Op<'_>, only: &[Lengths]) {
    if !only.is_empty() {
        let lengths: Vec<String> = only.iter().map(ToString::to_string).collect();
        let lengths = StringAttribute::new(tx_mlir::context(kernel), &lengths.join(", "));
        set_attribute(kernel, LENGTHS, lengths.into());
    }
}

fn kernel<'c>(
    grid_op: &GridOp<'c>,
    nest: &Nest,
    schedule: &[Step],
    module: Op<'c>,
    name: &str,
) -> (Op<'c>, Blk<'c>) {
    let context = tx_mlir::context(grid_op.op);
    let [x, y, z] = nest.block();
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let b = Builder::at_end(context, tx_mlir::blocks(module)[0], grid_op.op.location());
    let none = FunctionType::new(context, &[], &[]);
    let kernel = b
        .create("gpu.func")
        .attr("sym_name", StringAttribute::new(context, name).into())
        .attr_type("function_type", none.into())
        .attr("gpu.kernel", Attribute::unit(context))
        .attr("known_block_size", i32_array(context, &[x, y, z]))
        .attr("schedule", to_attribute(context, schedule))
        .region(region)
        .build();
    if let Some(blocks) = nest.resident_blocks() {
        set_attribute(kernel, "nvvm.minctasm", i32_attribute(context, blocks));
    }
    if nest.evict_last {
        set_attribute(kernel, EVICT_LAST, Attribute::unit(context));
    }
    if nest.has_clusters() {
        set_attribute(
            kernel,
            "known_cluster_size",
            i32_array(context, &nest.cluster()),
        );
    }
    (kernel, tx_mlir::blocks(kernel)[0])
}

fn remove_unused(kernel: Op<'_>) {
    for op in walk(kernel).into_iter().skip(1).rev() {
        let results = tx_mlir::results(op);
        if !results.is_empty() && is_pure(op) && !results.into_iter().any(has_uses) {
            erase(op);
        }
    }
}

/// Isolates the kernel from the host function: host values become kernel arguments, or are
/// recomputed in the kernel from arguments. Returns the kernel arguments, which begin with the
/// values of `first`.
fn isolate<'c>(
    first: impl Iterator<Item = Val<'c>>,
    kernel: Op<'c>,
    body: Blk<'c>,
) -> Vec<Val<'c>> {
    let used: Vec<Val<'c>> = walk(kernel)
        .into_iter()
        .skip(1)
        .flat_map(operands)
        .filter(|v| !is_defined_in(*v, kernel))
        .collect();
    let is_used = |v: &Val<'c>| used.iter().any(|u| u == v);
    let all: Vec<Val<'c>> = first.filter(is_used).chain(used.iter().copied()).collect();
    let mut sinker = Sinker {
        builder: Builder::at_start(tx_mlir::context(kernel), body, kernel.location()),
        body,
        known: BTreeMap::new(),
        arguments: Vec::new(),
    };
    for value in all {
        sinker.sink(value);
    }
    for op in walk(kernel).into_iter().skip(1) {
        for (i, operand) in operands(op).into_iter().enumerate() {
            if let Some(inside) = sinker.known.get(&key(operand)) {
                set_operand(op, i, *inside);
            }
        }
    }
    let types: Vec<Type<'c>> = sinker.arguments.iter().map(|v| v.r#type()).collect();
    let context = tx_mlir::context(kernel);
    let function = TypeAttribute::new(FunctionType::new(context, &types, &[]).into());
    set_attribute(kernel, "function_type", function.into());
    sinker.arguments
}

/// Replaces the address of an allocation by 0 in the code inside the op `within`. The kernel no
/// longer accesses the allocation: only alignment checks use the address of the allocation.
fn fold_address<'c>(array: Val<'c>, within: Op<'c>) {
    let is_address = |op: &Op<'c>| {
        is(*op, "memref.extract_aligned_pointer_as_index") && operands(*op)[0] == array
    };
    for op in walk(within).into_iter().filter(is_address) {
        let b = Builder::before(op);
        replace_uses(tx_mlir::results(op)[0], b.value(Index::Const(0)));
        erase(op);
    }
}

/// Replaces the sizes of an array, in the code inside the op `within`, by the size operands of the
/// allocation.
fn fold_sizes<'c>(array: Val<'c>, within: Op<'c>) {
    let Some(alloc) = defining_op(array) else {
        return;
    };
    let shape = MemRef::of(array).map_or(Vec::new(), |memref| memref.shape);
    let is_size = |op: &Op<'_>| is(*op, "memref.dim") && operands(*op)[0] == array;
    for op in walk(within).into_iter().filter(is_size) {
        let place = defining_op(operands(op)[1]).and_then(|op| integer_attribute(op, "value"));
        let place = place.and_then(|place| usize::try_from(place).ok());
        let before = place.and_then(|place| shape.get(..place));
        let number = before.map(|shape| shape.iter().filter(|size| size.is_none()).count());
        if let Some(size) = number.and_then(|number| operands(alloc).get(number).copied()) {
            replace_uses(tx_mlir::results(op)[0], size);
            erase(op);
        }
    }
}

struct Sinker<'c> {
    builder: Builder<'c>,
    body: Blk<'c>,
    /// Map from the key of a host value to the kernel value that replaces it.
    known: BTreeMap<usize, Val<'c>>,
    arguments: Vec<Val<'c>>,
}

impl<'c> Sinker<'c> {
    fn sink(&mut self, value: Val<'c>) -> Val<'c> {
        if let Some(known) = self.known.get(&key(value)) {
            return *known;
        }
        let inside = match defining_op(value).filter(|op| is_recomputed(*op, value)) {
            Some(op) => {
                let inputs: Vec<Val<'c>> = operands(op).into_iter().map(|v| self.sink(v)).collect();
                let results = self.builder.copy_with(op, &inputs);
                let position = tx_mlir::results(op).iter().position(|r| *r == value);
                results[position.unwrap_or(0)]
            }
            None => {
                self.arguments.push(value);
                let (ty, location) = (value.r#type(), self.builder.location());
                self.body.add_argument(ty, location);
                tx_mlir::build::argument(self.body, self.arguments.len() - 1)
            }
        };
        self.known.insert(key(value), inside);
        inside
    }
}

/// Returns whether the kernel recomputes a host value, instead of receiving the value as a kernel
/// argument. The kernel recomputes constants, constant arrays and views of constant arrays. The
/// kernel also recomputes scalars, except for indices and for arguments of the host function.
fn is_recomputed<'c>(op: Op<'c>, value: Val<'c>) -> bool {
    let pure = is_pure(op) && tx_mlir::blocks(op).is_empty();
    if pure && is_constant(value) {
        return true;
    }
    let scalar = MemRef::of(value).is_none();
    let host_knows = value.r#type().is_index() || argument_of(value).is_some();
    pure && scalar && (is(op, "arith.constant") || !host_knows)
}

fn launch<'c>(
    b: &Builder<'c>,
    grid_op: &GridOp<'c>,
    nest: &Nest,
    kernel: &str,
    arguments: &[Val<'c>],
    has_last: bool,
) {
    let lengths: Vec<Index<'c>> = (0..grid_op.extents.len())
        .map(|d| grid_op.length(b, d))
        .collect();
    let mut sizes: Vec<Val<'c>> = Vec::new();
    for dimension in 0..MAX_BLOCKS.len() {
        let blocks = match nest.on(Processor::Block(dimension)) {
            Some(node) => nest.nodes[node].extent.value(b, &|_, d| lengths[d]),
            None => Index::Const(1),
        };
        let is_apart = |node: usize| nest.nodes[node].is_rfactor;
        let blocks = match nest.on(Processor::Block(dimension)).is_some_and(is_apart) {
            true if has_last => at_least_one(b, blocks),
            _ => blocks,
        };
        let each = nest.cluster()[dimension];
        let most = nest.most_blocks(dimension);
        let blocks = match blocks {
            Index::Const(n) => Index::Const(n.min(most)),
            Index::Val(n) => Index::Val(b.binary("arith.minui", n, b.value(Index::Const(most)))),
        };
        let blocks = b.mul(blocks, Index::Const(each));
        sizes.push(b.value(blocks));
    }
    sizes.extend(nest.block().map(|n| b.value(Index::Const(n))));
    if nest.has_clusters() {
        sizes.extend(nest.cluster().map(|n| b.value(Index::Const(n))));
    }
    let clusters = usize::from(nest.has_clusters());
    b.create("gpu.launch_func")
        .operands(&sizes)
        .operands(arguments)
        .attr_text("kernel", kernel)
        .segments(&[
            0,
            1,
            1,
            1,
            1,
            1,
            1,
            clusters,
            clusters,
            clusters,
            0,
            arguments.len(),
            0,
        ])
        .build();
    // Erase the sizes of dimensions that no grid size uses.
    for length in lengths {
        if let Index::Val(value) = length
            && !has_uses(value)
            && let Some(op) = defining_op(value)
        {
            erase(op);
        }
    }
}

fn symbols(module: Op<'_>) -> BTreeSet<String> {
    let all = first_block(module, 0)
        .map(ops)
        .unwrap_or_default()
        .into_iter();
    all.filter_map(|op| string_attribute(op, "sym_name"))
        .collect()
}

/// Returns a name that is valid in PTX: letters, digits, `_` and `$`.
fn identifier(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let kept: String = name
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    match kept.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{kept}"),
        false => kept,
    }
}
