//! Order between blocks, established by fences of device scope and atomic accesses.

use super::segment::Segment;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Effect of a fence of device scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Whether the fence has acquire semantics: atomic reads that precede the fence are ordered
    /// before accesses that follow the fence.
    pub acquires: bool,
    /// Whether the fence has release semantics: accesses that precede the fence are ordered before
    /// atomic writes that follow the fence.
    pub releases: bool,
}

impl Fence {
    /// Fence with acquire and release semantics: `fence.acq_rel` or `fence.sc`.
    pub const BOTH: Self = Self {
        acquires: true,
        releases: true,
    };

    /// Returns the fence that an `llvm.fence` with the given `ordering` and `syncscope` executes.
    /// Returns `None` for a scope narrower than the device, and for an ordering that neither
    /// acquires nor releases.
    pub fn of_llvm(ordering: i64, scope: &str) -> Option<Self> {
        let [acquires, releases] = match ordering {
            4 => [true, false],
            5 => [false, true],
            6 | 7 => [true, true],
            _ => return None,
        };
        ["", "device"]
            .contains(&scope)
            .then_some(Self { acquires, releases })
    }
}

/// Events of one block that happen before the next event of a thread. An `EventSet` contains all
/// events of the block before phase `phase` (each barrier of the whole block starts a new phase).
/// In phase `phase`, an `EventSet` contains the events of each thread up to the clock of the thread
/// in `clocks`.
#[derive(Debug)]
pub(super) struct EventSet {
    pub(super) phase: u32,
    pub(super) clocks: Rc<[u32]>,
}

impl EventSet {
    /// Returns whether the event set contains the events of `segment`.
    fn covers(&self, segment: Segment) -> bool {
        let clock = self.clocks.get(usize::from(segment.thread));
        segment.phase < self.phase
            || segment.phase == self.phase && clock.is_some_and(|clock| *clock >= segment.clock)
    }

    /// Returns the union of the event sets `self` and `other`.
    fn or(self: &Rc<Self>, other: &Rc<Self>) -> Rc<Self> {
        match self.phase.cmp(&other.phase) {
            _ if Rc::ptr_eq(self, other) => self.clone(),
            std::cmp::Ordering::Greater => self.clone(),
            std::cmp::Ordering::Less => other.clone(),
            std::cmp::Ordering::Equal => {
                let both = self.clocks.iter().zip(other.clocks.iter());
                Rc::new(Self {
                    phase: self.phase,
                    clocks: both.map(|(&left, &right)| left.max(right)).collect(),
                })
            }
        }
    }
}

/// Map from a block number to the events of the block that happen before the next event of a
/// thread.
pub(super) type BlockEvents = Rc<BTreeMap<u32, Rc<EventSet>>>;

/// Adds the events in `more` to the events in `into`.
fn merge(into: &mut Option<BlockEvents>, more: &Option<BlockEvents>) {
    let Some(more) = more else { return };
    let Some(all) = into else {
        *into = Some(more.clone());
        return;
    };
    if Rc::ptr_eq(all, more) {
        return;
    }
    let all = Rc::make_mut(all);
    for (block, known) in more.iter() {
        let both = all
            .get(block)
            .map_or_else(|| known.clone(), |own| own.or(known));
        all.insert(*block, both);
    }
}

/// Events of other blocks that fences and atomic accesses order before the next event of one
/// thread.
#[derive(Clone, Debug, Default)]
struct ThreadFences {
    known: Option<BlockEvents>,
    /// Events that happen before the last release fence of the thread. Each atomic write of the
    /// thread releases the events in `offered`.
    offered: Option<BlockEvents>,
    /// Events that other threads released through words that the thread has read atomically. The
    /// next acquire fence of the thread acquires the events in `found`.
    found: Option<BlockEvents>,
}

/// For each thread of the running block, the events that fences and atomic accesses order before
/// the next event of the thread.
#[derive(Debug, Default)]
pub(super) struct FenceOrder {
    threads: Vec<ThreadFences>,
    /// Map from the address of a word to the events that atomic writes of the word released.
    words: BTreeMap<u64, Option<BlockEvents>>,
    is_used: bool,
}

impl FenceOrder {
    pub(super) fn start_block(&mut self, threads: usize) {
        self.threads.clear();
        self.threads.resize(threads, ThreadFences::default());
    }

    /// Returns whether any release fence has been executed. If no thread has executed a release
    /// fence, events of different blocks are unordered.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// Synchronises the threads `members`: an event of an earlier block that happens before the
    /// next event of one member now happens before the next events of all members.
    pub(super) fn join(&mut self, members: impl Iterator<Item = usize> + Clone) {
        if !self.is_used {
            return;
        }
        let mut known = None;
        for member in members.clone() {
            merge(&mut known, &self.threads[member].known);
        }
        for member in members {
            self.threads[member].known.clone_from(&known);
        }
    }

    /// Acquires the events that other threads released through words that `thread` has read
    /// atomically. Returns the acquired events; `None` if no events are acquired.
    pub(super) fn acquire(&mut self, thread: usize) -> Option<BlockEvents> {
        let fences = &mut self.threads[thread];
        let found = fences.found.take();
        merge(&mut fences.known, &found);
        found
    }

    /// Executes a release fence of `thread`. Each later atomic write of `thread` releases all
    /// events that are ordered before the fence. `own` contains the events of the running block
    /// that are ordered before the fence.
    pub(super) fn release(&mut self, thread: usize, block: u32, own: EventSet) {
        self.is_used = true;
        let fences = &mut self.threads[thread];
        let mut offered = fences.known.clone().unwrap_or_default();
        Rc::make_mut(&mut offered).insert(block, Rc::new(own));
        fences.offered = Some(offered);
    }

    /// Records an atomic access of `thread` to the word at `address`.
    pub(super) fn atomic(&mut self, thread: usize, address: u64, reads: bool, writes: bool) {
        if !self.is_used {
            return;
        }
        let fences = &mut self.threads[thread];
        let passed = self.words.entry(address).or_default();
        if reads {
            merge(&mut fences.found, passed);
        } else {
            *passed = None;
        }
        if writes {
            merge(passed, &fences.offered);
        }
    }

    /// Returns whether the events of a segment of another block happen before the next event of
    /// thread `me`.
    pub(super) fn knows(&self, me: usize, segment: Segment) -> bool {
        let known = self
            .threads
            .get(me)
            .and_then(|fences| fences.known.as_ref());
        let known = known.and_then(|blocks| blocks.get(&segment.block));
        known.is_some_and(|known| known.covers(segment))
    }

    /// Adds to `events` the events of other blocks that happen before the next event of `thread`.
    pub(super) fn add_to(&self, thread: usize, events: &mut Option<BlockEvents>) {
        if self.is_used {
            merge(events, &self.threads[thread].known);
        }
    }

    /// Orders `thread` after `events`.
    pub(super) fn order_after(&mut self, thread: usize, events: &Option<BlockEvents>) {
        if self.is_used {
            merge(&mut self.threads[thread].known, events);
        }
    }

    /// Orders the next event of `thread` after the events in `events`. The set `events` must
    /// contain all events that already happen before the next event of `thread`.
    pub(super) fn replace(&mut self, thread: usize, events: &Option<BlockEvents>) {
        if self.is_used {
            self.threads[thread].known.clone_from(events);
        }
    }
}
