//! What is remembered about every byte of memory that threads share: who read it, who wrote it, and when.
//!
//! Memory is divided into granules of four bytes. A granule's state is one word: nothing, one access (with a mask of
//! the bytes it touched), or the index of a list of accesses. An access leaves the state when a later one makes it
//! irrelevant: whatever would conflict with the older one then conflicts with the newer one too. Nothing else is
//! forgotten, so the race check misses no race of the execution that it watches.

use crate::{
    bits::pages,
    clocks::{Clocks, Relation, Segment},
    fault::AccessKind,
};

/// Bytes to a granule.
const GRANULE: u64 = 4;
/// Granules to a page. Pages come into being when they are first touched.
const PAGE: usize = 1024;
/// Marks the word of a granule that has a list.
const LIST: u64 = 1 << 63;
/// Sites are numbered in 24 bits of a word.
pub(crate) const MAX_SITES: usize = 1 << 24;

/// One access to a granule: segment (32 bits), site (24), mask of bytes (4), kind (2). Never 0.
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

    /// Whether the two access a common byte and their order matters.
    fn conflicts(self, other: Self) -> bool {
        self.mask() & other.mask() != 0
            && (self.kind() != other.kind() || self.kind() == AccessKind::Write)
    }

    /// Whether everything that conflicts with `self` conflicts with `newer`, if `self` is ordered before `newer`.
    fn is_covered_by(self, newer: Self) -> bool {
        self.mask() & !newer.mask() == 0
            && (newer.kind() == AccessKind::Write || newer.kind() == self.kind())
    }

    /// Whether the two differ in nothing but who made them.
    fn is_alike(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }
}

/// Threads of one block.
type Set = [u64; 16];

/// An access, or the same access made by many threads in the same phase and at the same clock.
#[derive(Debug)]
struct Entry {
    record: Record,
    /// The threads, when there are several.
    set: Option<Box<Set>>,
}

/// The earlier half of a race.
#[derive(Debug)]
pub(crate) struct Conflict {
    /// Offset in bytes of the first byte that both access.
    pub(crate) offset: u64,
    /// Linear index of the thread in its block.
    pub(crate) thread: usize,
    /// Number of the block in the order of execution.
    pub(crate) block: u32,
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
}

/// One access, as [`Shadow::access`] checks it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Offset of the first byte.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: AccessKind,
    pub(crate) site: u32,
    /// Linear index of the thread in its block, and its segment.
    pub(crate) thread: usize,
    pub(crate) segment: u32,
}

/// The accesses to one piece of memory.
#[derive(Debug)]
pub(crate) struct Shadow {
    pages: Vec<Option<Box<[u64; PAGE]>>>,
    lists: Vec<Vec<Entry>>,
    /// Whether several blocks see the memory. Where they do not, a barrier of the block ends every conflict.
    across_blocks: bool,
}

impl Shadow {
    /// For `bytes` bytes that nobody has accessed; `None` when there is not enough memory.
    pub(crate) fn new(bytes: usize, across_blocks: bool) -> Option<Self> {
        Some(Self {
            pages: pages(bytes.div_ceil(PAGE * GRANULE as usize))?,
            lists: Vec::new(),
            across_blocks,
        })
    }

    /// Forgets every access.
    pub(crate) fn clear(&mut self) {
        self.pages.fill(None);
        self.lists.clear();
    }

    /// Checks an access against those before it and remembers it.
    pub(crate) fn access(&mut self, clocks: &Clocks, touch: Touch) -> Result<(), Conflict> {
        let end = touch.offset + touch.bytes;
        let mut start = touch.offset;
        while start < end {
            let granule = start / GRANULE;
            let stop = end.min((granule + 1) * GRANULE);
            let mask = (1 << (stop - granule * GRANULE)) - (1 << (start - granule * GRANULE));
            let record = Record::new(touch.segment, touch.site, mask, touch.kind);
            if let Err((old, thread)) = self.granule(clocks, granule as usize, record, touch.thread)
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

/// Whether nothing that can still happen conflicts with an access that stands in this relation to the present.
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
                entry.add(segment.thread as usize, me);
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

/// Checks a new access against an entry; the error is the old access and its thread.
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
    match clocks.relation(me, segment) {
        Relation::Past => Ok(()),
        Relation::OtherBlock => Err((old, segment.thread as usize)),
        Relation::Ordered | Relation::Concurrent => entry
            .threads(segment)
            .find(|&thread| !clocks.knows(me, thread, segment.clock))
            .map_or(Ok(()), |thread| Err((old, thread))),
    }
}

/// Two blocks that made the same kind of access are enough: a third block's access conflicts with one of them
/// whenever it conflicts with any access of this kind.
fn is_redundant(list: &[Entry], clocks: &Clocks, new: Record) -> bool {
    let mut blocks = list
        .iter()
        .filter(|entry| entry.record.kind() == new.kind() && new.mask() & !entry.record.mask() == 0)
        .map(|entry| clocks.get(entry.record.segment()).block);
    new.kind() != AccessKind::Write
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

    fn add(&mut self, first: usize, thread: usize) {
        if self.set.is_none() && first == thread {
            return;
        }
        let set = self.set.get_or_insert_with(|| {
            let mut set = Box::new([0; 16]);
            set[first / 64] |= 1 << (first % 64);
            set
        });
        set[thread / 64] |= 1 << (thread % 64);
    }

    /// Drops what the new access makes irrelevant. True if that is all of it.
    fn forget(&mut self, clocks: &Clocks, new: Record, me: usize, segment: Segment) -> bool {
        if !self.record.is_covered_by(new) {
            return false;
        }
        match clocks.relation(me, segment) {
            Relation::Past => true,
            Relation::OtherBlock => false,
            Relation::Ordered | Relation::Concurrent => {
                let Some(set) = &mut self.set else {
                    return clocks.knows(me, segment.thread as usize, segment.clock);
                };
                if new.kind() == AccessKind::Write {
                    // The check found every thread of the set ordered before the write.
                    return true;
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
            let touch = Touch {
                offset,
                bytes,
                kind,
                site: 0,
                thread,
                segment: self.clocks.segment(thread).unwrap(),
            };
            self.shadow.access(&self.clocks, touch).is_ok()
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
        // Three granules, of which the last was written by others.
        assert!(!checked.access(9, 4088, 10, AccessKind::Read));
    }

    #[test]
    fn a_write_is_checked_against_every_reader() {
        let mut checked = Checked::new(false);
        for thread in 0..64 {
            assert!(checked.access(thread, 0, 4, AccessKind::Read));
        }
        // The warp of the writer has met it, the other has not.
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
}
