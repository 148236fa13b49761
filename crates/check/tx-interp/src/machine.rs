//! State of a running interpreter.

use crate::cluster::Cluster;
use crate::memory::{Accessor, Memory};
use crate::options::Options;
use crate::site::{Site, SiteTable};
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Slot, Value, View};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_exec::StepLimit;
use tx_exec::happens_before::{AccessKind, Clocks};
use tx_scalar::{Bound, Scalar};

/// State shared by all kernels and functions of an interpreter run.
pub(crate) struct World {
    pub(crate) sites: Rc<SiteTable>,
    pub(crate) memory: Memory,
    /// Module-level variables that are not in shared memory. The map key of a variable is the
    /// address of its op `memref.global`.
    pub(crate) variables: BTreeMap<usize, Rc<View>>,
    pub(crate) clocks: Clocks,
    /// Set to check that barriers order conflicting accesses.
    pub(crate) races: bool,
    /// Whether [`Bound`]s are computed.
    pub(crate) bounds: bool,
    /// Number of clusters that have started, summed over all launches.
    pub(crate) blocks: u32,
    /// Number of remaining steps before the run exceeds its step limit. A step is the execution of
    /// one op or of one MLIR block by one lane, or one access to an element.
    pub(crate) steps: u64,
    pub(crate) most_steps: u64,
    limit: StepLimit,
}

impl World {
    pub(crate) fn new(sites: Rc<SiteTable>, options: &Options) -> Self {
        Self {
            sites,
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

    /// Returns the number of executed steps, summed over all lanes.
    pub(crate) fn work(&self) -> u64 {
        self.most_steps - self.steps
    }

    /// Adds the step limit of a launch to the number of remaining steps of the run.
    pub(crate) fn allow(&mut self, grid: [u32; 3], block: [u32; 3]) {
        let more = self.limit.of_launch(grid, block);
        let more = more.min(u64::MAX - self.most_steps);
        self.steps += more;
        self.most_steps += more;
    }

    /// Subtracts `count` from the number of remaining steps of the run. Returns an error if the
    /// interpreter run exceeds its step limit.
    fn charge(&mut self, count: usize) -> Result<(), Trouble> {
        let left = self.steps.checked_sub(count as u64);
        self.steps = left.ok_or(Trouble::TooLong {
            steps: self.most_steps,
            site: None,
        })?;
        Ok(())
    }
}

/// Frame of a running function: the values of its slots. All active lanes execute an op before any
/// lane executes the next op.
///
/// A lane represents a thread in a kernel, the only thread in a host function, or an element in the
/// body of an op on arrays.
pub(crate) struct Exec<'w> {
    pub(crate) world: &'w mut World,
    pub(crate) slots: Vec<Value>,
    pub(crate) lanes: usize,
    /// Indices of the active lanes, in ascending order.
    pub(crate) active: Rc<[u32]>,
    pub(crate) cluster: Option<Cluster>,
    /// Whether the lanes are threads of a kernel.
    pub(crate) threads: bool,
    /// Set while a reduction may combine its elements in any order: an argmax or argmin can then
    /// return the index of any of several equal elements.
    pub(crate) unordered: bool,
}

static NO_NUMBERS: Lanes = Lanes {
    width: 0,
    uniform: true,
    bits: Vec::new(),
    bounds: None,
};

impl Exec<'_> {
    pub(crate) fn numbers(&self, slot: Slot) -> &Lanes {
        match &self.slots[slot] {
            Value::Numbers(lanes) => lanes,
            _ => &NO_NUMBERS,
        }
    }

    /// Returns the value of a slot in one lane, as a signed 64-bit integer.
    pub(crate) fn int(&self, slot: Slot, lane: u32) -> i64 {
        self.numbers(slot).get(lane as usize, 0).cast_signed()
    }

    pub(crate) fn view(&self, slot: Slot, lane: u32) -> Rc<View> {
        match &self.slots[slot] {
            Value::Views(views) if views.len() == 1 => views[0].clone(),
            Value::Views(views) => views[lane as usize].clone(),
            _ => Rc::new(View::row_major(0, (0, 0), Vec::new())),
        }
    }

    /// Returns whether a lane exists. In a kernel, the lanes that belong to threads exist; padding
    /// lanes between two blocks do not exist.
    pub(crate) fn has_lane(&self, lane: u32) -> bool {
        match &self.cluster {
            Some(cluster) if self.threads => cluster.has(lane),
            _ => (lane as usize) < self.lanes,
        }
    }

    /// Returns whether a slot holds one value for all lanes.
    pub(crate) fn is_uniform(&self, slot: Slot) -> bool {
        match &self.slots[slot] {
            Value::Numbers(lanes) => lanes.uniform,
            Value::Views(views) => views.len() == 1,
            Value::Nothing => true,
        }
    }

    /// Returns the lane that computes the common result of all lanes, or `None` if the results of
    /// the lanes may differ.
    pub(crate) fn lane_for_all(&self, operands: &[Slot]) -> Option<u32> {
        (self.lanes == 1 || operands.iter().all(|slot| self.is_uniform(*slot)))
            .then(|| self.active.first().copied().unwrap_or(0))
    }

    /// Returns a flag that is set if all lanes share one result, and the list of the lanes that
    /// must compute a result.
    pub(crate) fn lanes_for(&self, operands: &[Slot]) -> (bool, Rc<[u32]>) {
        match self.lane_for_all(operands) {
            Some(lane) => (true, Rc::from([lane])),
            None => (false, Rc::clone(&self.active)),
        }
    }

    /// Computes a numeric result for the active lanes, and stores the result in slot `to`.
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

    /// Computes a numeric result without error bounds from up to three operands, and stores the
    /// result in slot `to`.
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

    /// Computes a memref result for the active lanes, and stores the result in slot `to`.
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

    /// Counts one step for each active lane.
    pub(crate) fn charge(&mut self) -> Result<(), Trouble> {
        self.world.charge(self.active.len())
    }

    /// Calls `f` with `lanes` active lanes, none of which is a thread.
    pub(crate) fn with_lanes<R>(&mut self, lanes: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        self.with_all(&(0..lanes as u32).collect(), f)
    }

    /// Calls `f` with the active lanes `all`, which are not threads.
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
            sites,
            ..
        } = &mut *self.world;
        let checked = *races && self.threads && self.cluster.is_some();
        let accessor = checked.then_some(Accessor {
            clocks,
            thread: lane as usize,
            site: site.0,
        });
        let read = memory.read(view, place, scalar, &site.1, accessor, &sites.sites());
        read.map_err(|e| self.with_thread(e, lane))
    }

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
            sites,
            ..
        } = &mut *self.world;
        let checked = *races && self.threads && self.cluster.is_some();
        let accessor = checked.then_some(Accessor {
            clocks,
            thread: lane as usize,
            site: site.0,
        });
        let sites = sites.sites();
        let written = memory.write(
            view, place, scalar, bits, bound, kind, &site.1, accessor, &sites,
        );
        drop(sites);
        written.map_err(|e| self.with_thread(e, lane))
    }

    /// Adds the thread coordinates to the message of a fault.
    pub(crate) fn with_thread(&self, trouble: Trouble, lane: u32) -> Trouble {
        match (trouble, &self.cluster) {
            (
                Trouble::Fault {
                    kind,
                    site,
                    message,
                },
                Some(cluster),
                // The message of a race already names both threads.
            ) if self.threads && kind != FaultKind::Race => {
                let thread = cluster.name(lane);
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
