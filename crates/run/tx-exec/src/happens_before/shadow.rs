//! Shadow memory: records the previous reads and writes of every byte that threads share.
//!
//! Memory is divided into granules of four bytes. The state of a granule is one 64-bit word. The
//! word encodes one of three states: no access, one access with a mask of the accessed bytes, or
//! the index of a list of accesses. The shadow memory removes a recorded access A only if every
//! later access that conflicts with A also conflicts with a newer recorded access. Therefore, the
//! removal of recorded accesses hides no race of the observed execution.

use super::{Clocks, Relation, Segment};
use crate::{bits::pages, fault::AccessKind};

/// Bytes per granule.
const GRANULE: u64 = 4;
/// Number of granules per page.
const PAGE: usize = 1024;
/// Bit that is set in the state of a granule if the state contains the index of a list of accesses.
const LIST: u64 = 1 << 63;
/// Maximum number of instrumented operations (sites). The index of an instrumented operation (site)
/// has 24 bits.
pub const MAX_SITES: usize = 1 << 24;

/// Encoded access to a granule: segment (32 bits), site (24 bits), byte mask (4 bits), kind (2
/// bits). Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record(u64);

impl Record {
    fn new(segment: u32, site: u32, mask: u64, kind: AccessKind) -> Self {
        let kind = match kind {
            AccessKind::Read => 1,
            AccessKind::Write => 2,
            AccessKind::Atomic => 3,
        };
        Self(u64::from(segment) | u64::from(site) << 32 | mask << 56 | kind << 60)
    }

    fn segment(self) -> u32 {
        self.0 as u32
    }

    fn site(self) -> u32 {
        (self.0 >> 32) as u32 & (MAX_SITES as u32 - 1)
    }

    fn mask(self) -> u64 {
        self.0 >> 56 & 0xf
    }

    fn kind(self) -> AccessKind {
        match self.0 >> 60 & 3 {
            1 => AccessKind::Read,
            2 => AccessKind::Write,
            _ => AccessKind::Atomic,
        }
    }

    /// Returns whether two unordered accesses race: the accesses share a byte, and are neither two
    /// reads nor two atomic accesses.
    fn conflicts(self, other: Self) -> bool {
        self.mask() & other.mask() != 0
            && (self.kind() != other.kind() || self.kind() == AccessKind::Write)
    }

    /// Requires that `self` is ordered before `newer`. Returns whether every later access that
    /// conflicts with `self` also conflicts with `newer`.
    fn is_covered_by(self, newer: Self) -> bool {
        self.mask() & !newer.mask() == 0
            && (newer.kind() == AccessKind::Write || newer.kind() == self.kind())
    }

    /// Returns whether two accesses are equal, except that their segments may differ.
    fn is_alike(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }
}

/// Set of threads of one block, with one bit per thread.
type ThreadSet = [u64];

/// A recorded access of one thread, or a group of equal accesses of several threads. The accesses
/// of a group belong to one block and one phase (interval between two barriers of the whole block),
/// and have equal clocks.
#[derive(Debug)]
struct Entry {
    record: Record,
    /// Set of the threads of a group of accesses; `None` for an access of one thread.
    set: Option<Box<ThreadSet>>,
}

/// The recorded access that races with the access of an [`AccessEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Offset of the first byte that both racing accesses contain, in bytes from the start of the
    /// memory.
    pub offset: u64,
    /// Linear index, in the block, of the thread that executed the recorded access.
    pub thread: usize,
    /// Number of the block that executed the recorded access, as passed to [`Clocks::start_block`].
    pub block: u32,
    /// Index of the operation that executed the recorded access, as passed in [`AccessEvent`].
    pub site: u32,
    /// Kind of the access.
    pub kind: AccessKind,
}

/// An access to check with [`Shadow::access`].
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent {
    /// Offset of the first byte from the start of the memory, in bytes.
    pub offset: u64,
    /// Size of the access in bytes.
    pub bytes: u64,
    /// Kind of the access.
    pub kind: AccessKind,
    /// Index of the accessing operation, below [`MAX_SITES`].
    pub site: u32,
    /// Linear index of the thread in its block.
    pub thread: usize,
    /// Current segment of the thread, from [`Clocks::segment`].
    pub segment: u32,
}

/// Shadow memory: for each byte of one memory, the previous accesses that can conflict with later
/// accesses.
///
/// The shadow allocates a page when the kernel first accesses one of the bytes that the page
/// describes.
#[derive(Debug)]
pub struct Shadow {
    pages: Vec<Option<Box<[u64; PAGE]>>>,
    lists: Vec<Vec<Entry>>,
    /// Whether several blocks share the shadowed memory. If a single block accesses the memory, a
    /// barrier of the whole block orders all earlier accesses before all later accesses.
    across_blocks: bool,
}

impl Shadow {
    /// Creates the shadow of `bytes` unaccessed bytes; `None` if the allocation fails.
    ///
    /// `across_blocks` is true for memory that blocks share, such as global memory. If
    /// `across_blocks` is false, as for shared memory, accesses of different blocks never conflict.
    pub fn new(bytes: usize, across_blocks: bool) -> Option<Self> {
        Some(Self {
            pages: pages(bytes.div_ceil(PAGE * GRANULE as usize))?,
            lists: Vec::new(),
            across_blocks,
        })
    }

    /// Removes all recorded accesses. Call `clear` when all earlier accesses are ordered before all
    /// later accesses, as at the end of a kernel.
    pub fn clear(&mut self) {
        self.pages.fill(None);
        self.lists.clear();
    }

    /// Checks whether an access conflicts with a recorded access, and records the new access.
    ///
    /// # Errors
    ///
    /// Returns the first recorded access found that conflicts with the new access. Two unordered
    /// accesses that share a byte conflict unless both are reads or both are atomic. After a
    /// conflict, the shadow may contain the new access for only some of the accessed bytes.
    ///
    /// # Panics
    ///
    /// Panics if the access is out of bounds, or the segment of the access does not belong to
    /// `clocks`.
    pub fn access(&mut self, clocks: &Clocks, event: AccessEvent) -> Result<(), Conflict> {
        let end = event.offset + event.bytes;
        let mut start = event.offset;
        while start < end {
            let granule = start / GRANULE;
            let stop = end.min((granule + 1) * GRANULE);
            let mask = (1 << (stop - granule * GRANULE)) - (1 << (start - granule * GRANULE));
            let record = Record::new(event.segment, event.site, mask, event.kind);
            if let Err((old, thread)) = self.granule(clocks, granule as usize, record, event.thread)
            {
                let common = u64::from((old.mask() & mask).trailing_zeros());
                return Err(Conflict {
                    offset: granule * GRANULE + common,
                    thread,
                    block: clocks.get(old.segment()).block,
                    site: old.site(),
                    kind: old.kind(),
                });
            }
            start = stop;
        }
        Ok(())
    }

    fn granule(
        &mut self,
        clocks: &Clocks,
        granule: usize,
        new: Record,
        me: usize,
    ) -> Result<(), (Record, usize)> {
        let page = self.pages[granule / PAGE].get_or_insert_with(|| Box::new([0; PAGE]));
        let word = &mut page[granule % PAGE];
        if *word == 0 {
            *word = new.0;
            return Ok(());
        }
        if *word & LIST != 0 {
            let list = &mut self.lists[*word as u32 as usize];
            return list_access(list, clocks, self.across_blocks, new, me);
        }
        let old = Record(*word);
        if old.segment() == new.segment()
            && old.kind() == new.kind()
            && new.mask() & !old.mask() == 0
        {
            return Ok(());
        }
        let segment = clocks.get(old.segment());
        let relation = clocks.relation(me, segment);
        if is_over(relation, self.across_blocks) {
            *word = new.0;
            return Ok(());
        }
        let ordered = matches!(relation, Relation::Past | Relation::Ordered);
        if !ordered && old.conflicts(new) {
            return Err((old, segment.thread as usize));
        }
        if ordered && old.is_covered_by(new) {
            *word = new.0;
            return Ok(());
        }
        let mut list = vec![Entry {
            record: old,
            set: None,
        }];
        list_access(&mut list, clocks, self.across_blocks, new, me)?;
        *word = LIST | self.lists.len() as u64;
        self.lists.push(list);
        Ok(())
    }
}

/// Returns whether a recorded access can be removed, because no later access can conflict with the
/// recorded access. `relation` is the happens-before relation between the recorded access and the
/// new access.
fn is_over(relation: Relation, across_blocks: bool) -> bool {
    !across_blocks && matches!(relation, Relation::OtherBlock | Relation::Past)
}

fn list_access(
    list: &mut Vec<Entry>,
    clocks: &Clocks,
    across_blocks: bool,
    new: Record,
    me: usize,
) -> Result<(), (Record, usize)> {
    let now = clocks.get(new.segment());
    let mut recorded = false;
    let mut index = 0;
    while let Some(entry) = list.get_mut(index) {
        let old = entry.record;
        let segment = clocks.get(old.segment());
        let keep = if is_over(clocks.relation(me, segment), across_blocks) {
            false
        } else {
            check(entry, clocks, new, me, segment)?;
            if old.is_alike(new) && is_same_time(segment, now) {
                entry.add(clocks.threads(), segment.thread as usize, me);
                recorded = true;
                true
            } else {
                !entry.forget(clocks, new, me, segment)
            }
        };
        if keep {
            index += 1;
        } else {
            list.swap_remove(index);
        }
    }
    if !recorded && !is_redundant(list, clocks, new) {
        list.push(Entry {
            record: new,
            set: None,
        });
    }
    Ok(())
}

fn is_same_time(left: Segment, right: Segment) -> bool {
    (left.block, left.phase, left.clock) == (right.block, right.phase, right.clock)
}

/// Checks whether a new access conflicts with the recorded access of an entry. If the accesses
/// conflict, returns an error that contains the recorded access and its thread.
fn check(
    entry: &Entry,
    clocks: &Clocks,
    new: Record,
    me: usize,
    segment: Segment,
) -> Result<(), (Record, usize)> {
    let old = entry.record;
    if !old.conflicts(new) {
        return Ok(());
    }
    entry
        .threads(segment)
        .find(|&thread| !clocks.is_before(me, made_by(segment, thread)))
        .map_or(Ok(()), |thread| Err((old, thread)))
}

/// Returns a copy of `segment` with the thread index `thread`.
fn made_by(segment: Segment, thread: usize) -> Segment {
    Segment {
        thread: thread as u16,
        ..segment
    }
}

/// Returns whether the recorded accesses in `list` make a record of the access `new` redundant. The
/// record of a read or an atomic access is redundant if `list` contains accesses of two blocks that
/// both have the kind of `new` and include all bytes of `new`.
///
/// If `list` contains accesses of two blocks, a later access that conflicts with `new` is unordered
/// with the access of at least one of these blocks, and conflicts with this access. Omitting `new`
/// from `list` is valid only if no fence orders events of different blocks.
fn is_redundant(list: &[Entry], clocks: &Clocks, new: Record) -> bool {
    let mut blocks = list
        .iter()
        .filter(|entry| entry.record.kind() == new.kind() && new.mask() & !entry.record.mask() == 0)
        .map(|entry| clocks.get(entry.record.segment()).block);
    new.kind() != AccessKind::Write
        && !clocks.orders_blocks()
        && blocks
            .next()
            .is_some_and(|first| blocks.any(|block| block != first))
}

impl Entry {
    fn threads(&self, segment: Segment) -> impl Iterator<Item = usize> {
        let alone = self
            .set
            .is_none()
            .then_some(segment.thread as usize)
            .into_iter();
        let many = self.set.iter().flat_map(|set| {
            set.iter().enumerate().flat_map(|(word, &bits)| {
                (0..64)
                    .filter(move |bit| bits >> bit & 1 != 0)
                    .map(move |bit| word * 64 + bit)
            })
        });
        alone.chain(many)
    }

    fn add(&mut self, threads: usize, first: usize, thread: usize) {
        if self.set.is_none() && first == thread {
            return;
        }
        let set = self.set.get_or_insert_with(|| {
            let mut set = vec![0; threads.div_ceil(64)].into_boxed_slice();
            set[first / 64] |= 1 << (first % 64);
            set
        });
        set[thread / 64] |= 1 << (thread % 64);
    }

    /// Returns whether the new access of thread `me` supersedes the recorded accesses of all
    /// threads of the entry. If the new access supersedes only the recorded access of `me`, removes
    /// `me` from the entry.
    fn forget(&mut self, clocks: &Clocks, new: Record, me: usize, segment: Segment) -> bool {
        if !self.record.is_covered_by(new) {
            return false;
        }
        match clocks.relation(me, segment) {
            Relation::Past => true,
            Relation::OtherBlock => false,
            Relation::Ordered | Relation::Concurrent => {
                let Some(set) = &mut self.set else {
                    return clocks.is_before(me, segment);
                };
                if new.kind() == AccessKind::Write {
                    // The preceding check found that every thread of the set is ordered before the
                    // write.
                    return true;
                }
                if segment.block != clocks.block() {
                    return false;
                }
                set[me / 64] &= !(1 << (me % 64));
                set.iter().all(|&bits| bits == 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{happens_before::ReleasedClocks, warp::WARP};

    struct Checked {
        shadow: Shadow,
        clocks: Clocks,
    }

    impl Checked {
        fn new(across_blocks: bool) -> Self {
            let mut clocks = Clocks::default();
            clocks.start_block(0, 64);
            Self {
                shadow: Shadow::new(8192, across_blocks).unwrap(),
                clocks,
            }
        }

        fn access(&mut self, thread: usize, offset: u64, bytes: u64, kind: AccessKind) -> bool {
            let event = AccessEvent {
                offset,
                bytes,
                kind,
                site: 0,
                thread,
                segment: self.clocks.segment(thread).unwrap(),
            };
            self.shadow.access(&self.clocks, event).is_ok()
        }
    }

    #[test]
    fn neighbouring_bytes_of_a_granule_are_apart() {
        let mut checked = Checked::new(false);
        for thread in 0..4 {
            assert!(checked.access(thread, 4096 + thread as u64, 1, AccessKind::Write));
        }
        assert!(checked.access(2, 4098, 1, AccessKind::Read));
        assert!(!checked.access(2, 4099, 1, AccessKind::Read));
        // The access covers three granules; other threads wrote the last granule.
        assert!(!checked.access(9, 4088, 10, AccessKind::Read));
    }

    #[test]
    fn a_write_is_checked_against_every_reader() {
        let mut checked = Checked::new(false);
        for thread in 0..64 {
            assert!(checked.access(thread, 0, 4, AccessKind::Read));
        }
        // The warp of the writer is synchronised; the other warp is not.
        let warp: Vec<_> = (0..32).collect();
        checked.clocks.join_lanes(&warp);
        assert!(!checked.access(0, 0, 4, AccessKind::Write));
        checked.clocks.join_all();
        assert!(checked.access(0, 0, 4, AccessKind::Write));
    }

    #[test]
    fn any_block_that_writes_conflicts_with_the_readers_of_others() {
        for writer in 0..4 {
            let mut checked = Checked::new(true);
            for block in 0..3 {
                checked.clocks.start_block(block, 64);
                assert!(checked.access(5, 0, 4, AccessKind::Read));
                assert!(checked.access(6, 0, 2, AccessKind::Read));
            }
            checked.clocks.start_block(writer, 64);
            assert!(checked.access(5, 4, 4, AccessKind::Write));
            assert!(!checked.access(5, 0, 4, AccessKind::Write));
        }
    }

    #[test]
    fn reads_alone_take_bounded_space() {
        let mut checked = Checked::new(true);
        for block in 0..1000 {
            checked.clocks.start_block(block, 64);
            for thread in 0..64 {
                assert!(checked.access(thread, 0, 4, AccessKind::Read));
                checked.clocks.join_all();
            }
        }
        assert_eq!(checked.shadow.lists.len(), 1);
        assert!(checked.shadow.lists[0].len() <= 4);
    }

    /// Reference model: full vector clocks and a list of all accesses.
    struct Model {
        block: u32,
        clocks: Vec<Vec<u32>>,
        /// Vector clock that merges all clocks that threads have released.
        given: Vec<u32>,
        accesses: Vec<(AccessEvent, u32, u32)>,
    }

    impl Model {
        fn start_block(&mut self, block: u32, threads: usize) {
            self.block = block;
            self.clocks = vec![vec![0; threads]; threads];
            self.given = vec![0; threads];
            for thread in 0..threads {
                self.clocks[thread][thread] = 1;
            }
        }

        fn synchronize(&mut self, from: &[usize], to: &[usize]) {
            let mut known = vec![0; self.clocks.len()];
            for &thread in from {
                for (to, &from) in known.iter_mut().zip(&self.clocks[thread]) {
                    *to = from.max(*to);
                }
            }
            for &thread in to {
                for (to, &from) in self.clocks[thread].iter_mut().zip(&known) {
                    *to = from.max(*to);
                }
            }
            for &thread in from {
                self.clocks[thread][thread] += 1;
            }
        }

        fn release(&mut self, thread: usize) {
            for (to, &from) in self.given.iter_mut().zip(&self.clocks[thread]) {
                *to = from.max(*to);
            }
            self.clocks[thread][thread] += 1;
        }

        fn acquire(&mut self, thread: usize) {
            for (to, &from) in self.clocks[thread].iter_mut().zip(&self.given) {
                *to = from.max(*to);
            }
        }

        fn conflicts(
            &self,
            new: AccessEvent,
            across_blocks: bool,
        ) -> impl Iterator<Item = Conflict> {
            self.accesses
                .iter()
                .filter(move |&&(old, block, clock)| {
                    let overlap =
                        old.offset < new.offset + new.bytes && new.offset < old.offset + old.bytes;
                    let matters = old.kind != new.kind || old.kind == AccessKind::Write;
                    let ordered = if block == self.block {
                        self.clocks[new.thread][old.thread] >= clock
                    } else {
                        !across_blocks
                    };
                    overlap && matters && !ordered
                })
                .map(move |&(old, block, _)| Conflict {
                    offset: old.offset.max(new.offset),
                    thread: old.thread,
                    block,
                    site: old.site,
                    kind: old.kind,
                })
        }
    }

    /// Tests thread sets for blocks of different sizes, from 1 thread to 16,384 threads (the
    /// largest cluster).
    #[test]
    fn sets_are_as_long_as_blocks_are_large() {
        for threads in [1, 64, 65, 1024, 16 * 1024] {
            let mut checked = Checked::new(false);
            checked.clocks.start_block(1, threads);
            for thread in 0..threads {
                assert!(checked.access(thread, 0, 4, AccessKind::Read));
            }
            assert_eq!(checked.access(0, 0, 4, AccessKind::Write), threads == 1);
            checked.clocks.join_all();
            assert!(checked.access(threads - 1, 0, 4, AccessKind::Write));
        }
    }

    /// Compares the shadow memory with the reference model on random programs of accesses and
    /// synchronisations. For each access, the shadow memory must report a conflict if and only if
    /// the reference model does.
    #[test]
    fn exactly_the_races_are_found() {
        const THREADS: usize = 70;
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) % bound
        };
        let (mut races, mut clean) = (0, 0);
        for run in 0..4000 {
            let across_blocks = run % 2 == 0;
            let (writes, syncs) = (below(12), 1 + below(8));
            let mut checked = Checked::new(across_blocks);
            let mut model = Model {
                block: 0,
                clocks: Vec::new(),
                given: Vec::new(),
                accesses: Vec::new(),
            };
            let mut given = ReleasedClocks::default();
            checked.clocks.start_block(0, THREADS);
            model.start_block(0, THREADS);
            // Few threads and few bytes make conflicts frequent.
            let few: Vec<_> = (0..6).map(|_| below(THREADS as u64) as usize).collect();
            let mut raced = false;
            for _ in 0..150 {
                if below(10) >= syncs {
                    let thread = few[below(6) as usize];
                    let event = AccessEvent {
                        offset: below(12),
                        bytes: 1 + below(8),
                        kind: match below(100) {
                            kind if kind < writes / 2 => AccessKind::Write,
                            kind if kind < writes => AccessKind::Atomic,
                            _ => AccessKind::Read,
                        },
                        site: below(3) as u32,
                        thread,
                        segment: checked.clocks.segment(thread).unwrap(),
                    };
                    let found = checked.shadow.access(&checked.clocks, event);
                    let mut expected = model.conflicts(event, across_blocks);
                    if let Err(conflict) = found {
                        // If several bytes conflict, the first byte of some granule is reported.
                        let is_found = |expected: Conflict| {
                            conflict.offset >= expected.offset
                                && Conflict {
                                    offset: conflict.offset,
                                    ..expected
                                } == conflict
                        };
                        assert!(expected.any(is_found), "{event:?} {conflict:?}");
                        raced = true;
                        break;
                    }
                    assert_eq!(expected.next(), None, "{event:?}");
                    drop(expected);
                    let clock = model.clocks[thread][thread];
                    model.accesses.push((event, model.block, clock));
                    continue;
                }
                let everyone: Vec<_> = (0..THREADS).collect();
                let warp = few[below(6) as usize] / WARP;
                match below(34) {
                    24..29 => {
                        let thread = few[below(6) as usize];
                        checked.clocks.release(thread, &mut given);
                        model.release(thread);
                    }
                    29.. => {
                        let thread = few[below(6) as usize];
                        checked.clocks.acquire(thread, &given);
                        model.acquire(thread);
                    }
                    0 => {
                        let block = model.block + 1;
                        checked.clocks.start_block(block, THREADS);
                        model.start_block(block, THREADS);
                    }
                    1..4 => {
                        checked.clocks.join_all();
                        model.synchronize(&everyone, &everyone);
                    }
                    4..14 => {
                        let members: Vec<_> = (warp * WARP..THREADS.min((warp + 1) * WARP))
                            .filter(|_| below(4) != 0)
                            .collect();
                        checked.clocks.join_lanes(&members);
                        model.synchronize(&members, &members);
                    }
                    choice => {
                        // Some threads of all warps arrive, and all or some of the arriving threads
                        // wait.
                        let arrive: Vec<_> = (0..THREADS).filter(|_| below(3) == 0).collect();
                        let wait: Vec<_> = arrive
                            .iter()
                            .copied()
                            .filter(|_| choice < 20 || below(2) == 0)
                            .collect();
                        let mut known = vec![0; THREADS];
                        let mut knowledge = ReleasedClocks::default();
                        for &thread in &arrive {
                            let waits = wait.contains(&thread);
                            match choice % 2 {
                                0 if waits => checked.clocks.collect(thread, &mut known),
                                0 => {
                                    checked.clocks.collect(thread, &mut known);
                                    checked.clocks.advance(thread);
                                }
                                _ if waits => {}
                                _ => checked.clocks.release(thread, &mut knowledge),
                            }
                        }
                        match choice % 2 {
                            0 => checked.clocks.learn(&wait, &known),
                            _ => checked.clocks.synchronize(&wait, &mut knowledge),
                        }
                        model.synchronize(&arrive, &wait);
                    }
                }
            }
            races += usize::from(raced);
            clean += usize::from(!raced);
        }
        assert!(races > 500 && clean > 500, "{races} {clean}");
    }
}
