//! Exchange of partial results between the blocks of a cluster: each block stores its partial
//! results in the shared memory of all blocks.

use super::scratch::Participants;
use super::{Exchange, Groups};
use crate::analysis::kernel::Kernel;
use crate::emit::{OWNED, shared, shared_global};
use melior::ir::operation::OperationLike;
use melior::ir::{Block, Region, RegionLike, Type, ValueLike};
use tx_dialect_tile::{AllReduce, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{
    AsyncStore, Builder, Code, Index, Op, Val, ancestors, blocks, byte_width, codes, i64_attribute,
    is, parent, set_attribute,
};

/// Groups of a `tile.all_reduce` at scope `cluster`: groups of threads within each block, and
/// groups of blocks.
#[derive(Clone, Copy)]
pub(crate) struct ClusterGroups {
    /// Groups of threads within a block. Each block combines the values of its groups before the
    /// blocks exchange values.
    within: Groups,
    blocks: i64,
    /// Difference of the cluster ranks (`%cluster_ctarank`) of two consecutive blocks of a group.
    step: i64,
    /// Number of values that each block stores in the shared memory of every block of its group.
    columns: i64,
}

impl ClusterGroups {
    /// Returns the groups, or an error that states why the groups do not fit the blocks of the
    /// cluster.
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
                    "groups of {width} threads with stride {stride}, in {all} blocks of {threads} \
                     threads: expected groups that are whole blocks, or equal parts of one block"
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
                "the stride of a group is {stride} threads, expected a divisor or a multiple of \
                 the {threads} threads of a block"
            ),
        ))
    }

    pub(crate) fn within(&self) -> &Groups {
        &self.within
    }
}

impl<'c> Exchange<'_, 'c> {
    /// Expands a `tile.all_reduce` of the threads of a cluster.
    ///
    /// Each block first combines the values of its own threads. Each block stores its partial
    /// result in its own slot in the shared memory of every block of the group. Each block waits
    /// until all blocks of the group have stored their partial results in its shared memory. After
    /// all blocks have stored their partial results, every thread combines the partial results in
    /// the order of the blocks.
    ///
    /// If [`is_asynchronous`](Self::is_asynchronous) returns true, blocks store partial results
    /// asynchronously, and each block waits at an mbarrier object for the bytes that it receives.
    /// If blocks store partial results synchronously, `tile-insert-sync` separates stores and loads
    /// by a cluster barrier.
    pub(super) fn cluster(&mut self, view: &AllReduce<'c>, value: Vec<Val<'c>>) -> Vec<Val<'c>> {
        // All ops are checked before the first op is replaced.
        let Ok(groups) = ClusterGroups::of(&self.kernel, view) else {
            return value;
        };
        let value = self.groups(groups.within, value);
        if groups.blocks == 1 {
            return value;
        }
        let ClusterGroups {
            blocks,
            step,
            columns,
            ..
        } = groups;
        let types = self.combiner.types().to_vec();
        let received = blocks * columns * types.iter().map(|ty| bytes_of(*ty)).sum::<i64>();
        let arrival = self.is_asynchronous(view.op).then(|| Arrival {
            barrier: self.arrival_barrier(),
            bytes: received,
        });
        self.begin(view.op, arrival.as_ref());
        let among = match arrival {
            Some(_) => Participants::BlocksOnce,
            None => Participants::Blocks,
        };
        let scratch = self.scratch_among(among, &types, blocks * columns);
        let b = self.b;
        let number = self.scratch.number(&self.kernel, among);
        let thread = self.kernel.thread(b);
        let rank = register(b, "nvvm.read.ptx.sreg.cluster.ctarank");
        let digit = b.rem(b.div(rank, Index::Const(step)), Index::Const(blocks));
        let first = b.sub(rank, b.mul(digit, Index::Const(step)));
        let own = b.mul(digit, Index::Const(columns));
        let column = b.rem(thread, Index::Const(columns));
        let push = |b: &Builder<'c>, to: Index<'c>| {
            let to = b.add(first, b.mul(to, Index::Const(step)));
            let slot = b.add(own, column);
            let signal = arrival.as_ref().map(|arrival| {
                let barrier = shared(b, &arrival.barrier, &[1], b.int_type(64));
                address_in(b, barrier, Index::Const(0), to)
            });
            for (part, memory) in value.iter().zip(&scratch) {
                let theirs = address_in(b, *memory, slot, to);
                let store = match signal {
                    Some(signal) => AsyncStore::create(b, *part, theirs, signal),
                    None => b.create("llvm.store").operands(&[*part, theirs]).build(),
                };
                // Only one thread stores to each slot of this exchange.
                set_attribute(store, OWNED, i64_attribute(b.context(), number));
            }
        };
        // Number of blocks to which the threads of this block store at the same time.
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
        if let Some(arrival) = &arrival {
            self.wait(arrival);
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

    /// Returns whether the blocks of an exchange store their values asynchronously. `st.async`
    /// stores 4 or 8 bytes, so each exchanged value must have 4 or 8 bytes. The kernel waits for a
    /// single phase of the mbarrier object, so the exchange must not be inside a loop.
    fn is_asynchronous(&self, op: Op<'c>) -> bool {
        let mut around = ancestors(op).take_while(|op| *op != self.kernel.op);
        let mut types = self.combiner.types().iter();
        types.all(|ty| AsyncStore::supports(*ty)) && around.all(|op| is(op, "scf.if"))
    }

    fn arrival_barrier(&mut self) -> String {
        let (b, word) = (self.b, self.b.int_type(64));
        self.scratch_bytes += bytes_of(word);
        shared_global(b, self.kernel.op, "arrival", &[1], word)
    }

    /// Emits code in which all threads of the block wait until every block of the group has stored
    /// its partial results in the shared memory of this block.
    fn wait(&self, arrival: &Arrival) {
        let b = self.b;
        let thread = self.kernel.thread(b);
        let address = |b: &Builder<'c>| {
            let barrier = shared(b, &arrival.barrier, &[1], b.int_type(64));
            own_address(b, barrier, Index::Const(0))
        };
        let is_first = b.equal(thread, Index::Const(0));
        b.if_then(is_first, |b| {
            let bytes = b.int(arrival.bytes, b.int_type(32));
            b.create("nvvm.mbarrier.arrive.expect_tx")
                .operands(&[address(b), bytes])
                .build();
        });
        let barrier = address(b);
        let phase = b.int(0, b.int_type(32));
        let region = || {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        };
        let wait = b
            .create("scf.while")
            .region(region())
            .region(region())
            .build();
        let [before, after] =
            [0, 1].map(|i| Builder::at_start(b.context(), tx_mlir::blocks(wait)[i], b.location()));
        let is_complete = before
            .create("nvvm.mbarrier.try_wait")
            .operands(&[barrier, phase])
            .attr_text("scope", "#nvvm.mem_scope<cluster>")
            .result(b.int_type(1))
            .value();
        let again = before.not(is_complete);
        before.create("scf.condition").operands(&[again]).build();
        after.create("scf.yield").build();
    }

    /// Emits a cluster barrier, because a block must not store to the shared memory of another
    /// block before the other block has started. All threads arrive at the cluster barrier at the
    /// start of the kernel, and wait for the barrier before the first exchange. The mbarrier
    /// objects of asynchronous exchanges are initialized before the threads arrive at the cluster
    /// barrier.
    fn begin(&mut self, op: Op<'c>, arrival: Option<&Arrival>) {
        let kernel = self.kernel.op;
        let Some(body) = blocks(kernel).first().copied() else {
            return;
        };
        if self.scratch.begun.insert(kernel.to_raw().ptr as usize) {
            let top = std::iter::once(op)
                .chain(ancestors(op))
                .find(|op| parent(*op) == Some(kernel));
            let start = Builder::at_start(self.b.context(), body, kernel.location());
            // The arrival may be relaxed, because the only earlier store that other blocks must see
            // is the initialization of the mbarrier objects. A fence follows this initialization.
            start
                .create("nvvm.cluster.arrive.relaxed")
                .unit("aligned")
                .build();
            let wait = Builder::before(top.unwrap_or(op));
            wait.create("nvvm.cluster.wait").unit("aligned").build();
        }
        let Some(arrival) = arrival else { return };
        let start = &Builder::at_start(self.b.context(), body, kernel.location());
        let is_first = start.equal(self.kernel.thread(start), Index::Const(0));
        start.if_then(is_first, |b| {
            let barrier = shared(b, &arrival.barrier, &[1], b.int_type(64));
            let one = b.int(1, b.int_type(32));
            b.create("nvvm.mbarrier.init")
                .operands(&[own_address(b, barrier, Index::Const(0)), one])
                .build();
            b.create("nvvm.fence.mbarrier.init").build();
        });
    }
}

/// An mbarrier object that counts the bytes of asynchronous stores to a block.
struct Arrival {
    /// Name of the global variable of the mbarrier object.
    barrier: String,
    bytes: i64,
}

fn bytes_of(ty: Type<'_>) -> i64 {
    byte_width(ty).unwrap_or(8).cast_signed()
}

fn register<'c>(b: &Builder<'c>, name: &str) -> Index<'c> {
    let word = b.create(name).result(b.int_type(32)).value();
    Index::Val(b.index_cast(word, b.index_type()))
}

/// Returns the address of element `slot` of the shared-memory array `memory`: `!llvm.ptr<3>`.
fn own_address<'c>(b: &Builder<'c>, memory: Val<'c>, slot: Index<'c>) -> Val<'c> {
    let element = tx_mlir::memref_element(memory.r#type()).map_or(8, bytes_of);
    let base = b
        .create("memref.extract_aligned_pointer_as_index")
        .operands(&[memory])
        .result(b.index_type())
        .value();
    let at = b.add(Index::Val(base), b.mul(slot, Index::Const(element)));
    let at = b.index_cast(b.value(at), b.int_type(64));
    let ty = melior::dialect::llvm::r#type::pointer(b.context(), 3);
    b.create("llvm.inttoptr").operands(&[at]).result(ty).value()
}

/// Returns the address of element `slot` of the array `memory` in block `to` of the cluster:
/// `!llvm.ptr<7>`.
fn address_in<'c>(b: &Builder<'c>, memory: Val<'c>, slot: Index<'c>, to: Index<'c>) -> Val<'c> {
    let own = own_address(b, memory, slot);
    let rank = b.index_cast(b.value(to), b.int_type(32));
    let ty = melior::dialect::llvm::r#type::pointer(b.context(), 7);
    b.create("nvvm.mapa")
        .operands(&[own, rank])
        .result(ty)
        .value()
}
