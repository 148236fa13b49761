//! How the blocks of a cluster exchange partial results: each leaves its own in the shared memory of all.

use super::{Among, Exchange, Groups};
use crate::analysis::kernel::Kernel;
use crate::emit::OWNED;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{AllReduce, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{
    Builder, Code, Index, Op, Val, ancestors, blocks, byte_width, codes, i64_attribute, parent,
};

/// The groups of a `tile.all_reduce` among blocks: groups of threads of each, and blocks of which
/// each has a part.
#[derive(Clone, Copy)]
pub(crate) struct ClusterGroups {
    /// Threads of a block that are combined first.
    within: Groups,
    /// Blocks that a group has threads of.
    blocks: i64,
    /// From one of these blocks to the next.
    step: i64,
    /// Values that are left of each block: one of every thread up to this.
    columns: i64,
}

impl ClusterGroups {
    /// Why there are none, where groups and blocks do not fit.
    pub(crate) fn of(kernel: &Kernel<'_>, view: &AllReduce<'_>) -> Result<Self, (Code, String)> {
        let all =
            (kernel.blocks).ok_or((codes::TX0108, "the kernel has no cluster size".to_owned()))?;
        let threads = kernel.threads;
        let (width, stride) = (view.width.unwrap_or(all * threads), view.stride);
        let group = width * stride;
        let within = |width, stride| Groups::new(kernel, Scope::Cta, width, stride);
        let groups = Self {
            within: within(1, 1),
            blocks: 1,
            step: 1,
            columns: stride.min(threads),
        };
        if threads % group == 0 {
            return Ok(Self {
                within: within(width, stride),
                ..groups
            });
        }
        if group % threads != 0 || group > all * threads || (all * threads) % group != 0 {
            return Err((
                codes::TX0119,
                format!(
                    "groups of {width} threads, {stride} apart, in {all} blocks of {threads} \
                     threads: expected groups of whole blocks, or equal parts of one"
                ),
            ));
        }
        if stride % threads == 0 {
            return Ok(Self {
                blocks: width,
                step: stride / threads,
                ..groups
            });
        }
        if threads % stride == 0 {
            return Ok(Self {
                within: within(threads / stride, stride),
                blocks: group / threads,
                ..groups
            });
        }
        Err((
            codes::TX0119,
            format!(
                "threads of a group are {stride} apart, expected a number that divides the \
                 {threads} threads of a block, or a multiple of it"
            ),
        ))
    }

    /// The groups of threads of a block that are combined first.
    pub(crate) fn within(&self) -> &Groups {
        &self.within
    }
}

impl<'c> Exchange<'_, 'c> {
    /// A `tile.all_reduce` of the threads of a cluster.
    ///
    /// Each block combines its own. What it has then it stores in the shared memory of every block
    /// of its group, in a slot of its own, and after a barrier of the cluster every thread combines
    /// what its own block was given, in the order of the blocks.
    pub(super) fn cluster(&mut self, view: &AllReduce<'c>, value: Vec<Val<'c>>) -> Vec<Val<'c>> {
        // Asked of every op before the first is replaced.
        let Ok(groups) = ClusterGroups::of(&self.kernel, view) else {
            return value;
        };
        let value = self.groups(groups.within, value);
        if groups.blocks == 1 {
            return value;
        }
        self.begin(view.op);
        let b = self.b;
        let ClusterGroups {
            blocks,
            step,
            columns,
            ..
        } = groups;
        let types = self.combiner.types().to_vec();
        let scratch = self.scratch_among(Among::Blocks, &types, blocks * columns);
        let number = self.scratch.number(&self.kernel, Among::Blocks);
        let thread = self.kernel.thread(b);
        let rank = register(b, "nvvm.read.ptx.sreg.cluster.ctarank");
        let digit = b.rem(b.div(rank, Index::Const(step)), Index::Const(blocks));
        let first = b.sub(rank, b.mul(digit, Index::Const(step)));
        let own = b.mul(digit, Index::Const(columns));
        let column = b.rem(thread, Index::Const(columns));
        let push = |b: &Builder<'c>, to: Index<'c>| {
            let to = b.add(first, b.mul(to, Index::Const(step)));
            let slot = b.add(own, column);
            for (part, memory) in value.iter().zip(&scratch) {
                let store = store(b, *part, *memory, slot, to);
                // Every slot of this exchange is one thread's.
                tx_mlir::set_attribute(store, OWNED, i64_attribute(b.context(), number));
            }
        };
        // As many stores side by side as there are threads for.
        let at_once = (self.kernel.threads / columns).min(blocks);
        for from in (0..blocks).step_by(usize::try_from(at_once).unwrap_or(1)) {
            let to = b.add(b.div(thread, Index::Const(columns)), Index::Const(from));
            let count = at_once.min(blocks - from);
            let has_store = match count * columns == self.kernel.threads {
                true => Cond::Const(true),
                false => b.less(thread, Index::Const(count * columns)),
            };
            b.if_then(has_store, |b| push(b, to));
        }
        let all = (0..blocks)
            .map(|i| {
                let slot = b.value(b.add(Index::Const(i * columns), column));
                let load = |(memory, ty): (&Val<'c>, &melior::ir::Type<'c>)| {
                    b.create("memref.load")
                        .operands(&[*memory, slot])
                        .result(*ty)
                        .value()
                };
                scratch.iter().zip(&types).map(load).collect()
            })
            .collect();
        self.combiner.combine_all(b, all)
    }

    /// A block must not be given anything before it runs: all arrive where the kernel begins, and
    /// wait where the first has something to give.
    fn begin(&mut self, op: Op<'c>) {
        let kernel = self.kernel.op;
        let Some(body) = blocks(kernel).first().copied() else {
            return;
        };
        if !self.scratch.begun.insert(kernel.to_raw().ptr as usize) {
            return;
        }
        let top = std::iter::once(op)
            .chain(ancestors(op))
            .find(|op| parent(*op) == Some(kernel));
        let start = Builder::at_start(self.b.context(), body, kernel.location());
        start.create("nvvm.cluster.arrive").unit("aligned").build();
        let wait = Builder::before(top.unwrap_or(op));
        wait.create("nvvm.cluster.wait").unit("aligned").build();
    }
}

/// What a special register holds.
fn register<'c>(b: &Builder<'c>, name: &str) -> Index<'c> {
    let word = b.create(name).result(b.int_type(32)).value();
    Index::Val(b.index_cast(word, b.index_type()))
}

/// Stores a value in a slot of what block number `to` of the cluster has in the place of `memory`.
fn store<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memory: Val<'c>,
    slot: Index<'c>,
    to: Index<'c>,
) -> Op<'c> {
    let ty = value.r#type();
    let bytes = byte_width(ty).unwrap_or(8).cast_signed();
    let base = b
        .create("memref.extract_aligned_pointer_as_index")
        .operands(&[memory])
        .result(b.index_type())
        .value();
    let at = b.add(Index::Val(base), b.mul(slot, Index::Const(bytes)));
    let at = b.index_cast(b.value(at), b.int_type(64));
    let pointer = |op: &str, operands: &[Val<'c>], space: u32| {
        let ty = melior::dialect::llvm::r#type::pointer(b.context(), space);
        b.create(op).operands(operands).result(ty).value()
    };
    let own = pointer("llvm.inttoptr", &[at], 3);
    let rank = b.index_cast(b.value(to), b.int_type(32));
    let theirs = pointer("nvvm.mapa", &[own, rank], 7);
    b.create("llvm.store").operands(&[value, theirs]).build()
}
