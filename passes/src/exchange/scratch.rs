//! Shared memory for exchanges.

use crate::analysis::kernel::Kernel;
use crate::emit::{shared, shared_global};
use melior::ir::Type;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{Builder, Op, Val, byte_width};

/// Maximum size of a memory access of one thread, in bytes.
pub(super) const WIDEST: u64 = 16;

/// Shared memory for exchanges.
///
/// Consecutive exchanges alternate between two buffers, so each exchange needs only one barrier.
#[derive(Default)]
pub(crate) struct Pool {
    /// Number of emitted exchanges in each kernel, counted separately for exchanges between threads
    /// and exchanges between blocks.
    exchanges: BTreeMap<(usize, Participants), usize>,
    names: BTreeMap<BufferKey, String>,
    /// Kernels whose initial cluster barrier is already emitted.
    pub(super) begun: BTreeSet<usize>,
}

impl Pool {
    pub(super) fn number(&self, kernel: &Kernel<'_>, among: Participants) -> i64 {
        let key = (kernel.op.to_raw().ptr as usize, among);
        let count = self.exchanges.get(&key).copied().unwrap_or(0);
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// Returns shared memory for one exchange of `slots` values of each type, and the number of
    /// newly declared bytes. Global variables in the module of the kernel represent the shared
    /// memory.
    pub(super) fn buffers<'c>(
        &mut self,
        b: &Builder<'c>,
        kernel: Op<'c>,
        among: Participants,
        types: &[Type<'c>],
        slots: i64,
    ) -> (Vec<Val<'c>>, i64) {
        let id = kernel.to_raw().ptr as usize;
        let number = self.exchanges.entry((id, among)).or_insert(0);
        let number = std::mem::replace(number, *number + 1);
        let copy = match among {
            Participants::Threads | Participants::Blocks => number % 2,
            Participants::BlocksOnce => number,
        };
        let mut bytes = 0;
        let buffers = types
            .iter()
            .enumerate()
            .map(|(part, element)| {
                let key = (id, among, copy, part, element.to_string(), slots);
                self.buffer(b, kernel, key, *element, &mut bytes)
            })
            .collect();
        (buffers, bytes)
    }

    fn buffer<'c>(
        &mut self,
        b: &Builder<'c>,
        kernel: Op<'c>,
        key: BufferKey,
        element: Type<'c>,
        bytes: &mut i64,
    ) -> Val<'c> {
        // The array size is rounded up to a multiple of 16 bytes, because LLVM widens loads up to
        // the alignment of the array.
        let each = (WIDEST / byte_width(element).unwrap_or(8))
            .max(1)
            .cast_signed();
        let slots = (key.5 + each - 1) / each * each;
        if let Some(known) = self.names.get(&key) {
            return shared(b, known, &[slots], element);
        }
        let name = shared_global(b, kernel, "scratch", &[slots], element);
        *bytes += slots * byte_width(element).unwrap_or(8).cast_signed();
        let value = shared(b, &name, &[slots], element);
        self.names.insert(key, name);
        value
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Participants {
    Threads,
    Blocks,
    /// Blocks of a cluster, for an exchange with shared memory that no other exchange uses.
    BlocksOnce,
}

/// Key of a global variable in shared memory. The key consists of the kernel, the participants of
/// the exchange (threads or blocks), the buffer number, the number of the accumulator component,
/// the element type, and the number of slots.
type BufferKey = (usize, Participants, usize, usize, String, i64);
