//! The state of a run.

use crate::Options;
use crate::bound::Bound;
use crate::build::{Code, Program, Slot};
use crate::memory::{Memory, Who};
use crate::number::Scalar;
use crate::ops::gpu::WARP;
use crate::trouble::{FaultKind, Site, Trouble};
use crate::value::{Lanes, Value, View};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_exec::StepLimit;
use tx_exec::happens_before::{AccessKind, Clocks, Knowledge};

/// What the whole run shares.
pub(crate) struct World<'c> {
    pub(crate) program: Rc<Program<'c>>,
    pub(crate) memory: Memory,
    /// Variables of the module, by their ops.
    pub(crate) variables: BTreeMap<usize, Rc<View>>,
    pub(crate) clocks: Clocks,
    /// Whether threads of a kernel must be ordered by barriers.
    pub(crate) races: bool,
    /// Whether [`Bound`]s are computed.
    pub(crate) bounds: bool,
    /// Blocks that ran.
    pub(crate) blocks: u32,
    /// Ops and accesses of one lane that may still be executed, and how many there were.
    pub(crate) steps: u64,
    pub(crate) most_steps: u64,
    limit: StepLimit,
}

impl<'c> World<'c> {
    /// With nothing in memory.
    pub(crate) fn new(program: Rc<Program<'c>>, options: &Options) -> Self {
        Self {
            program,
            memory: Memory::default(),
            variables: BTreeMap::new(),
            clocks: Clocks::default(),
            races: options.races,
            bounds: options.bounds,
            blocks: 0,
            steps: options.steps.base,
            most_steps: options.steps.base,
            limit: options.steps,
        }
    }

    /// Ops that were executed and elements that were accessed, of each lane.
    pub(crate) fn work(&self) -> u64 {
        self.most_steps - self.steps
    }

    /// Allows what threads of a launch may take.
    pub(crate) fn allow(&mut self, grid: [u32; 3], block: [u32; 3]) {
        let more = self.limit.of_launch(grid, block);
        let more = more.min(u64::MAX - self.most_steps);
        self.steps += more;
        self.most_steps += more;
    }

    /// Counts ops or accesses.
    fn charge(&mut self, count: usize) -> Result<(), Trouble> {
        let left = self.steps.checked_sub(count as u64);
        self.steps = left.ok_or(Trouble::TooLong {
            steps: self.most_steps,
            site: None,
        })?;
        Ok(())
    }
}

/// The blocks that run together: those of a cluster, which is one block unless a launch says otherwise.
///
/// Lanes are their threads, one block after the other. Of several each begins at a multiple of a
/// warp, so that there may be lanes without a thread between two, which are never active.
#[derive(Clone)]
pub(crate) struct Cta {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// The first block.
    pub(crate) index: [u32; 3],
    /// Blocks along each dimension.
    pub(crate) cluster: [u32; 3],
    /// Bytes of dynamic shared memory of each block.
    pub(crate) dynamic_shared: i64,
    /// Shared variables, by name, that of dynamic shared memory without one: one for all, or one for each lane.
    pub(crate) variables: BTreeMap<String, Vec<Rc<View>>>,
    /// Bytes that each block has of the buffers of shared memory.
    pub(crate) shares: BTreeMap<usize, i64>,
    /// Arrivals at barriers that are not complete, by block and number.
    pub(crate) arrivals: BTreeMap<(u32, u64), (Option<u64>, Vec<u32>)>,
    /// What the threads told that arrived at a barrier of the cluster for which nobody has waited.
    pub(crate) cluster_arrival: Option<Rc<Knowledge>>,
}

impl Cta {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Lanes from one block to the next.
    pub(crate) fn pitch(&self) -> u32 {
        match self.blocks() {
            1 => self.threads(),
            _ => self.threads().next_multiple_of(WARP),
        }
    }

    /// The rank of a lane's block, and its number there.
    pub(crate) fn place(&self, lane: u32) -> (u32, u32) {
        (lane / self.pitch(), lane % self.pitch())
    }

    /// Whether a lane is a thread.
    pub(crate) fn has(&self, lane: u32) -> bool {
        let (rank, thread) = self.place(lane);
        rank < self.blocks() && thread < self.threads()
    }

    /// Coordinates of the block of a rank.
    pub(crate) fn block_of(&self, rank: u32) -> [u32; 3] {
        let [x, y, _] = self.cluster;
        let position = [rank % x, rank / x % y, rank / (x * y)];
        std::array::from_fn(|d| self.index[d] + position[d])
    }

    /// The cluster of this number, where there are so many along each dimension.
    pub(crate) fn nth(&self, number: u64, clusters: [u64; 3]) -> Self {
        let [x, y, _] = clusters;
        let first = [number % x, number / x % y, number / (x * y)];
        Self {
            index: std::array::from_fn(|d| first[d] as u32 * self.cluster[d]),
            ..self.clone()
        }
    }

    /// A lane as messages name it, by its coordinates.
    pub(crate) fn name(&self, lane: u32) -> String {
        let (rank, thread) = self.place(lane);
        let [x, y, _] = self.block;
        let [bx, by, bz] = self.block_of(rank);
        let (tx, ty, tz) = (thread % x, thread / x % y, thread / (x * y));
        format!("thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})")
    }

    /// All threads, as lanes.
    pub(crate) fn all(&self) -> Vec<u32> {
        let (pitch, threads) = (self.pitch(), self.threads());
        let of = |rank: u32| rank * pitch..rank * pitch + threads;
        (0..self.blocks()).flat_map(of).collect()
    }
}

/// A function while it runs: all lanes execute each op before any executes the next.
///
/// The lanes are the threads of a block in a kernel, one in a host function, and elements in the
/// body of an op over arrays.
pub(crate) struct Exec<'w, 'c> {
    pub(crate) world: &'w mut World<'c>,
    pub(crate) slots: Vec<Value>,
    pub(crate) lanes: usize,
    /// The lanes that execute, ascending.
    pub(crate) active: Rc<[u32]>,
    pub(crate) cta: Option<Cta>,
    /// Whether lanes are threads.
    pub(crate) threads: bool,
    /// Whether elements may come in any order: of equal ones another may come first.
    pub(crate) unordered: bool,
}

static NO_NUMBERS: Lanes = Lanes {
    width: 0,
    uniform: true,
    bits: Vec::new(),
    bounds: None,
};

impl<'c> Exec<'_, 'c> {
    /// The numbers in a slot.
    pub(crate) fn numbers(&self, slot: Slot) -> &Lanes {
        match &self.slots[slot] {
            Value::Numbers(lanes) => lanes,
            _ => &NO_NUMBERS,
        }
    }

    /// The number of a lane, as a signed 64-bit one.
    pub(crate) fn int(&self, slot: Slot, lane: u32) -> i64 {
        self.numbers(slot).get(lane as usize, 0).cast_signed()
    }

    /// The memref of a lane.
    pub(crate) fn view(&self, slot: Slot, lane: u32) -> Rc<View> {
        match &self.slots[slot] {
            Value::Views(views) if views.len() == 1 => views[0].clone(),
            Value::Views(views) => views[lane as usize].clone(),
            _ => Rc::new(View::row_major(0, (0, 0), Vec::new())),
        }
    }

    /// Whether a lane is there: a thread, where lanes are threads.
    pub(crate) fn has_lane(&self, lane: u32) -> bool {
        match &self.cta {
            Some(cta) if self.threads => cta.has(lane),
            _ => (lane as usize) < self.lanes,
        }
    }

    /// Whether all lanes have the same in a slot, and it is held once.
    pub(crate) fn is_uniform(&self, slot: Slot) -> bool {
        match &self.slots[slot] {
            Value::Numbers(lanes) => lanes.uniform,
            Value::Views(views) => views.len() == 1,
            Value::Nothing => true,
        }
    }

    /// The lane for which alone a result must be computed, when all operands are the same for all.
    pub(crate) fn lane_for_all(&self, operands: &[Slot]) -> Option<u32> {
        (self.lanes == 1 || operands.iter().all(|slot| self.is_uniform(*slot)))
            .then(|| self.active.first().copied().unwrap_or(0))
    }

    /// The lanes for which a result must be computed, and whether that is one for all.
    pub(crate) fn lanes_for(&self, operands: &[Slot]) -> (bool, Rc<[u32]>) {
        match self.lane_for_all(operands) {
            Some(lane) => (true, Rc::from([lane])),
            None => (false, Rc::clone(&self.active)),
        }
    }

    /// Computes numbers for the lanes that need it, and stores them.
    pub(crate) fn compute(
        &mut self,
        operands: &[Slot],
        to: Slot,
        width: usize,
        mut f: impl FnMut(&Self, u32, usize) -> Result<(u64, Option<Bound>), Trouble>,
    ) -> Result<(), Trouble> {
        let mut out;
        if let Some(lane) = self.lane_for_all(operands) {
            out = Lanes::same(vec![0; width]);
            for i in 0..width {
                let (bits, bound) = f(self, lane, i)?;
                out.set(0, i, bits, bound);
            }
        } else {
            out = Lanes::new(width, self.lanes);
            for &lane in self.active.iter() {
                for i in 0..width {
                    let (bits, bound) = f(self, lane, i)?;
                    out.set(lane as usize, i, bits, bound);
                }
            }
        }
        self.slots[to] = Value::Numbers(out);
        Ok(())
    }

    /// Computes numbers of up to three others for the lanes that need it, and stores them, with no bounds.
    pub(crate) fn compute_bits(
        &mut self,
        operands: &[Slot],
        to: Slot,
        width: usize,
        f: impl Fn(&Self, u32, [u64; 3]) -> Result<u64, Trouble>,
    ) -> Result<(), Trouble> {
        let numbers: Vec<&Lanes> = operands.iter().map(|slot| self.numbers(*slot)).collect();
        let one = |lane: u32, i: usize| {
            let mut bits = [0; 3];
            for (word, numbers) in bits.iter_mut().zip(&numbers) {
                *word = numbers.get(lane as usize, i);
            }
            f(self, lane, bits)
        };
        let mut out;
        if let Some(lane) = self.lane_for_all(operands) {
            out = Lanes::same(vec![0; width]);
            for (i, bits) in out.bits.iter_mut().enumerate() {
                *bits = one(lane, i)?;
            }
        } else {
            out = Lanes::new(width, self.lanes);
            for &lane in self.active.iter() {
                for i in 0..width {
                    out.bits[lane as usize * width + i] = one(lane, i)?;
                }
            }
        }
        self.slots[to] = Value::Numbers(out);
        Ok(())
    }

    /// Computes views for the lanes that need it, and stores them.
    pub(crate) fn compute_views(
        &mut self,
        operands: &[Slot],
        to: Slot,
        mut f: impl FnMut(&Self, u32) -> Result<View, Trouble>,
    ) -> Result<(), Trouble> {
        let mut views: Vec<Rc<View>> = Vec::new();
        if let Some(lane) = self.lane_for_all(operands) {
            views.push(Rc::new(f(self, lane)?));
        } else {
            for &lane in self.active.iter() {
                let view = Rc::new(f(self, lane)?);
                if views.is_empty() {
                    views = vec![view.clone(); self.lanes];
                }
                views[lane as usize] = view;
            }
        }
        self.slots[to] = Value::Views(views);
        Ok(())
    }

    /// Runs a block for the lanes that execute.
    pub(crate) fn run(&mut self, code: &Code<'c>) -> Result<(), Trouble> {
        if self.active.is_empty() {
            return Ok(());
        }
        // A block without ops counts as well: a loop of nothing may be endless.
        self.charge()?;
        for step in &code.steps {
            self.charge()?;
            step(self)?;
        }
        Ok(())
    }

    /// Counts an op of each lane that executes.
    fn charge(&mut self) -> Result<(), Trouble> {
        self.world.charge(self.active.len())
    }

    /// Runs a block for some of the lanes.
    pub(crate) fn run_for(&mut self, active: Rc<[u32]>, code: &Code<'c>) -> Result<(), Trouble> {
        let before = std::mem::replace(&mut self.active, active);
        let result = self.run(code);
        self.active = before;
        result
    }

    /// Does something with as many lanes, none of them a thread.
    pub(crate) fn with_lanes<R>(&mut self, lanes: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        self.with_all(&(0..lanes as u32).collect(), f)
    }

    /// The same with a list of all of these lanes.
    pub(crate) fn with_all<R>(&mut self, all: &Rc<[u32]>, f: impl FnOnce(&mut Self) -> R) -> R {
        let lanes = all.len();
        let before = (
            std::mem::replace(&mut self.active, Rc::clone(all)),
            std::mem::replace(&mut self.lanes, lanes),
            std::mem::replace(&mut self.threads, false),
        );
        let result = f(self);
        (self.active, self.lanes, self.threads) = before;
        result
    }

    /// Reads an element for a lane.
    pub(crate) fn read(
        &mut self,
        view: &View,
        place: i64,
        scalar: Scalar,
        lane: u32,
        site: &(u32, Site),
    ) -> Result<(u64, Option<Bound>), Trouble> {
        self.world.charge(1)?;
        let World {
            memory,
            clocks,
            races,
            program,
            ..
        } = &mut *self.world;
        let checked = *races && self.threads && self.cta.is_some();
        let who = checked.then_some(Who {
            clocks,
            thread: lane as usize,
            site: site.0,
        });
        let read = memory.read(view, place, scalar, &site.1, who, &program.sites.borrow());
        read.map_err(|e| self.with_thread(e, lane))
    }

    /// Writes an element for a lane.
    #[expect(clippy::too_many_arguments, reason = "an access is all of these")]
    pub(crate) fn write(
        &mut self,
        view: &View,
        place: i64,
        scalar: Scalar,
        (bits, bound): (u64, Option<Bound>),
        kind: AccessKind,
        lane: u32,
        site: &(u32, Site),
    ) -> Result<(), Trouble> {
        self.world.charge(1)?;
        let World {
            memory,
            clocks,
            races,
            program,
            ..
        } = &mut *self.world;
        let checked = *races && self.threads && self.cta.is_some();
        let who = checked.then_some(Who {
            clocks,
            thread: lane as usize,
            site: site.0,
        });
        let sites = program.sites.borrow();
        let written = memory.write(view, place, scalar, bits, bound, kind, &site.1, who, &sites);
        drop(sites);
        written.map_err(|e| self.with_thread(e, lane))
    }

    /// Says which thread had the trouble.
    pub(crate) fn with_thread(&self, trouble: Trouble, lane: u32) -> Trouble {
        match (trouble, &self.cta) {
            (
                Trouble::Fault {
                    kind,
                    site,
                    message,
                },
                Some(cta),
                // A race names both threads itself.
            ) if self.threads && kind != FaultKind::Race => {
                let thread = cta.name(lane);
                Trouble::Fault {
                    kind,
                    site,
                    message: format!("{message}, by {thread}"),
                }
            }
            (other, _) => other,
        }
    }
}
