//! Walks the ops of a kernel and collects its steps.

use std::collections::BTreeMap;
use std::rc::Rc;
use tx_target::{Operation, Role};

use super::integers::{IntegerValue, Integers};
use super::{Access, BarrierScope, KernelStep, LANES, Op, Region, ReportedKernel, Space, Threads};

/// Maximum number of threads of a block.
const MAX_THREADS: usize = 1024;

/// Returns the steps of a kernel, in program order.
pub fn steps(kernel: &ReportedKernel) -> Vec<KernelStep> {
    let threads = kernel.block.iter().product::<usize>().clamp(1, MAX_THREADS);
    let all = Threads {
        mask: Rc::new(vec![true; threads]),
        depends: false,
    };
    let mut steps = Vec::new();
    Reader::new(kernel, threads).region(&kernel.body, &all, &mut steps);
    steps
}

struct Reader<'k> {
    integers: Integers,
    threads: usize,
    /// Map from a memref or pointer value to the name of its memory.
    memory: BTreeMap<usize, String>,
    users: BTreeMap<usize, &'k str>,
    readers: BTreeMap<usize, Vec<&'k Op>>,
    /// Map from a shuffle to the names of the ops that combine the shuffled values. The source line
    /// of the shuffle, and the name of the first op that uses the shuffled value, identify the
    /// shuffle.
    combiners: BTreeMap<(Option<usize>, &'k str), Vec<&'k str>>,
}

/// Returns true if the op `name` only moves or converts a value, and false if the op combines
/// values.
fn only_moves(name: &str) -> bool {
    matches!(
        name,
        "arith.bitcast"
            | "arith.trunci"
            | "arith.extui"
            | "arith.shli"
            | "arith.ori"
            | "arith.shrui"
            | "arith.select"
            | "arith.cmpi"
            | "arith.cmpf"
            | "vector.insert"
            | "vector.extract"
            | "vector.bitcast"
            | "builtin.unrealized_conversion_cast"
            | "arith.index_cast"
    )
}

impl<'k> Reader<'k> {
    pub(super) fn new(kernel: &'k ReportedKernel, threads: usize) -> Self {
        let mut reader = Self {
            integers: Integers::new(kernel.block, threads),
            threads,
            memory: kernel.arguments.iter().cloned().collect(),
            users: BTreeMap::new(),
            readers: BTreeMap::new(),
            combiners: BTreeMap::new(),
        };
        reader.find_users(&kernel.body);
        reader.find_combiners(&kernel.body);
        reader
    }

    fn find_users(&mut self, region: &'k Region) {
        for op in &region.ops {
            for operand in &op.operands {
                self.users
                    .entry(*operand)
                    .and_modify(|name| {
                        if only_moves(name) {
                            *name = &op.name;
                        }
                    })
                    .or_insert(&op.name);
                self.readers.entry(*operand).or_default().push(op);
            }
            op.regions.iter().for_each(|inner| self.find_users(inner));
        }
    }

    fn find_combiners(&mut self, region: &'k Region) {
        for op in &region.ops {
            let names = match op.name.as_str() {
                "gpu.shuffle" => self.combining(op),
                _ => Vec::new(),
            };
            if let Some(first) = names.first() {
                let known = self.combiners.entry((op.line, first)).or_default();
                // The shortest chain is kept, because a longer chain also contains ops that process
                // the result of the last shuffle.
                if known.is_empty() || names.len() < known.len() {
                    *known = names;
                }
            }
            op.regions
                .iter()
                .for_each(|inner| self.find_combiners(inner));
        }
    }

    /// Returns the names of the ops that process a shuffled value, up to the next exchange, store
    /// or yield.
    fn combining(&self, shuffle: &'k Op) -> Vec<&'k str> {
        let computes = |op: &Op| op.name.starts_with("arith.") || op.name.starts_with("math.");
        let readers = |value: &usize| self.readers.get(value).map_or(&[][..], Vec::as_slice);
        let mut found: BTreeMap<usize, &'k Op> = BTreeMap::new();
        let mut values: Vec<usize> = shuffle.results.first().copied().into_iter().collect();
        while let Some(value) = values.pop() {
            for op in readers(&value) {
                let Some(result) = op.results.first().filter(|_| computes(op)) else {
                    continue;
                };
                let is_new = found.insert(*result, op).is_none();
                if is_new && readers(result).iter().all(|reader| computes(reader)) {
                    values.push(*result);
                }
            }
        }
        let mut names = Vec::new();
        // Value numbers follow the order of ops.
        for name in found.values().map(|op| op.name.as_str()) {
            if !only_moves(name) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(super) fn region(
        &mut self,
        region: &'k Region,
        threads: &Threads,
        steps: &mut Vec<KernelStep>,
    ) {
        for op in &region.ops {
            self.op(op, threads, steps);
        }
    }

    fn op(&mut self, op: &'k Op, threads: &Threads, steps: &mut Vec<KernelStep>) {
        match op.name.as_str() {
            "scf.if" => {
                let condition = self.integers.get(op.operands.first());
                for (region, wanted) in op.regions.iter().zip([true, false]) {
                    let taken = self.integers.narrowed(threads, &condition, wanted);
                    if taken.mask.contains(&true) {
                        self.region(region, &taken, steps);
                    }
                }
                return;
            }
            "scf.for" => {
                let bounds: Vec<IntegerValue> = op
                    .operands
                    .iter()
                    .take(3)
                    .map(|v| self.integers.get(Some(v)))
                    .collect();
                let Some(body) = op.regions.first() else {
                    return;
                };
                // The first iteration represents all iterations.
                for (argument, initial) in body.arguments.iter().zip(
                    op.operands
                        .first()
                        .into_iter()
                        .chain(op.operands.iter().skip(3)),
                ) {
                    let initial = self.integers.get(Some(initial));
                    self.integers.set(*argument, initial);
                }
                let trips = match self.integers.compute(&bounds, |n| match n {
                    [from, to, by] if *by > 0 => Some(
                        (to - from).max(0).div_euclid(*by)
                            + i64::from((to - from).max(0) % by != 0),
                    ),
                    _ => None,
                }) {
                    IntegerValue::All(n) => Some(n),
                    IntegerValue::Each(each) => {
                        let first = each.first().copied().flatten();
                        first.filter(|n| each.iter().all(|m| *m == Some(*n)))
                    }
                    IntegerValue::Nothing => None,
                };
                let mut inner = Vec::new();
                self.region(body, threads, &mut inner);
                match trips {
                    Some(0) => {}
                    // The steps of a loop with one iteration replace the loop.
                    Some(1) => inner.into_iter().for_each(|step| push(steps, step)),
                    _ if !inner.is_empty() => steps.push(KernelStep::Loop {
                        trips,
                        steps: inner,
                    }),
                    _ => {}
                }
                return;
            }
            "scf.while" | "scf.forall" | "scf.parallel" => {
                let mut inner = Vec::new();
                for region in &op.regions {
                    self.region(region, threads, &mut inner);
                }
                if !inner.is_empty() {
                    steps.push(KernelStep::Loop {
                        trips: None,
                        steps: inner,
                    });
                }
                return;
            }
            _ => {}
        }
        if let Some(step) = self.step(op, threads) {
            push(steps, step);
        }
        self.follow_memory(op);
        if let [result] = op.results.as_slice() {
            let known = self.integers.value(op);
            self.integers.set(*result, known);
        }
        for region in &op.regions {
            self.region(region, threads, steps);
        }
    }

    fn follow_memory(&mut self, op: &Op) {
        if op.name == "memref.get_global" {
            if let (Some(result), Some(name)) = (op.results.first(), op.attribute("name")) {
                self.memory.insert(*result, name.to_owned());
            }
        } else if op.name == "memref.alloca" {
            if let Some(result) = op.results.first() {
                self.memory.insert(*result, "a local array".to_owned());
            }
        } else if let (Some(source), true) = (
            op.operands.first(),
            op.result_types
                .iter()
                .any(|t| t.starts_with("memref<") || t.starts_with("!llvm.ptr")),
        ) && let Some(name) = self.memory.get(source).cloned()
        {
            for result in &op.results {
                self.memory.insert(*result, name.clone());
            }
        }
    }

    fn step(&self, op: &Op, threads: &Threads) -> Option<KernelStep> {
        let line = op.line;
        let barrier = |scope| {
            Some(KernelStep::Barrier {
                scope,
                op: op.name.clone(),
                threads: threads.clone(),
            })
        };
        match op.name.as_str() {
            "gpu.shuffle" => Some(self.shuffle(op, line)),
            "nvvm.redux.sync" => {
                let mask = self.integers.get(op.operands.get(1)).of(0);
                let members = (0..self.threads)
                    .map(|t| mask.is_none_or(|m| m >> (t % LANES) & 1 == 1))
                    .collect();
                Some(KernelStep::Redux {
                    kind: op.attribute("kind").unwrap_or_default().to_owned(),
                    threads: Threads {
                        mask: Rc::new(members),
                        depends: threads.depends,
                    },
                    count: 1,
                    line,
                })
            }
            name => match Operation::role_of(name) {
                Role::WarpBarrier => barrier(BarrierScope::Warp),
                Role::BlockBarrier if op.operands.is_empty() => barrier(BarrierScope::Block),
                Role::BlockBarrier => barrier(BarrierScope::Group),
                Role::ClusterArrive | Role::ClusterWait => barrier(BarrierScope::Cluster),
                Role::Fence => barrier(BarrierScope::Fence),
                _ => self.access(op, threads, line),
            },
        }
    }

    fn shuffle(&self, op: &Op, line: Option<usize>) -> KernelStep {
        let mode = op.attribute("mode").unwrap_or_default();
        let (offset, width) = (
            self.integers.get(op.operands.get(1)),
            self.integers.get(op.operands.get(2)),
        );
        let sources: Vec<Option<usize>> = (0..self.threads)
            .map(|t| {
                let (lane, offset, width) = (t as i64 % LANES as i64, offset.of(t)?, width.of(t)?);
                let start = lane - lane.rem_euclid(width.max(1));
                let source = match mode {
                    "xor" => lane ^ offset,
                    "up" => lane - offset,
                    "down" => lane + offset,
                    "idx" => start + offset.rem_euclid(width.max(1)),
                    _ => return None,
                };
                // A lane keeps its own value if its source lane is outside of its shuffle segment.
                let inside = (start..start + width).contains(&source);
                usize::try_from(if inside { source } else { lane }).ok()
            })
            .collect();
        let warps: Vec<&[Option<usize>]> = sources.chunks(LANES).collect();
        let first = warps.first().copied().unwrap_or_default();
        // The last warp may be partial.
        let alike = warps.iter().all(|warp| first.starts_with(warp));
        let distance = match offset {
            IntegerValue::All(n) => Some(n),
            _ => None,
        };
        let combine = op
            .results
            .first()
            .and_then(|r| self.users.get(r))
            .filter(|name| {
                (name.starts_with("arith.") || name.starts_with("math.")) && !only_moves(name)
            })
            .map(
                |name| match self.combiners.get(&(op.line, *name)).map(Vec::as_slice) {
                    Some([others @ .., last]) if !others.is_empty() => {
                        format!("{} and {last}", others.join(", "))
                    }
                    _ => (*name).to_owned(),
                },
            );
        KernelStep::Shuffle {
            mode: mode.to_owned(),
            distance,
            sources: first.to_vec(),
            alike,
            combine,
            count: 1,
            line,
        }
    }

    fn access(&self, op: &Op, threads: &Threads, line: Option<usize>) -> Option<KernelStep> {
        // Operand index of the memory.
        let (access, at) = match op.name.as_str() {
            "memref.load" | "vector.load" | "vector.transfer_read" | "llvm.load" => {
                (Access::Load, 0)
            }
            "memref.store" | "vector.store" | "vector.transfer_write" | "llvm.store" => {
                (Access::Store, 1)
            }
            "memref.atomic_rmw" => (Access::Atomic, 1),
            "memref.generic_atomic_rmw" | "llvm.atomicrmw" | "llvm.cmpxchg" => (Access::Atomic, 0),
            _ => return None,
        };
        let ty = op.operand_types.get(at)?;
        let space = if ty.contains("#gpu.address_space<private>") || ty.ends_with("ptr<5>") {
            return None;
        } else if ty.contains("#gpu.address_space<workgroup>")
            || ty.ends_with(", 3>")
            || ty.ends_with("ptr<3>")
        {
            Space::Shared
        } else if ty.ends_with(", 7>") || ty.ends_with("ptr<7>") {
            Space::Cluster
        } else {
            Space::Global
        };
        let memory = op
            .operands
            .get(at)
            .and_then(|v| self.memory.get(v))
            .cloned();
        let memory = memory.unwrap_or_else(|| "memory".to_owned());
        if memory == "a local array" {
            return None;
        }
        let element = match access {
            Access::Store => op.operand_types.first(),
            _ => op.result_types.first(),
        };
        Some(KernelStep::Memory {
            access,
            space,
            memory,
            element: element.cloned().unwrap_or_default(),
            threads: threads.clone(),
            count: 1,
            line,
        })
    }
}

/// Appends a step; if the preceding step is equal, increments the count of the preceding step
/// instead. If `step` is a load, the function increments the count of an equal earlier load,
/// provided that all steps between the two loads are also loads.
fn push(steps: &mut Vec<KernelStep>, step: KernelStep) {
    let is_load = |step: &KernelStep| {
        matches!(
            step,
            KernelStep::Memory {
                access: Access::Load,
                ..
            }
        )
    };
    let loads = steps.iter().rev().take_while(|s| is_load(s)).count();
    let first = match is_load(&step) {
        true => steps.len() - loads,
        false => steps.len().saturating_sub(1),
    };
    if !steps[first..].iter_mut().any(|known| counted(known, &step)) {
        steps.push(step);
    }
}

/// Returns whether the steps `known` and `step` are equal. If the steps `known` and `step` are
/// equal, increments the count of `known`.
fn counted(known: &mut KernelStep, step: &KernelStep) -> bool {
    match (known, step) {
        (
            KernelStep::Shuffle {
                mode,
                sources,
                count,
                alike,
                combine,
                ..
            },
            KernelStep::Shuffle {
                mode: m,
                sources: s,
                alike: a,
                combine: c,
                ..
            },
        ) if mode == m && sources == s && alike == a && combine == c => {
            *count += 1;
            true
        }
        (
            KernelStep::Redux {
                kind,
                threads,
                count,
                ..
            },
            KernelStep::Redux {
                kind: k,
                threads: t,
                ..
            },
        ) if kind == k && threads == t => {
            *count += 1;
            true
        }
        (
            KernelStep::Memory {
                access,
                space,
                memory,
                element,
                threads,
                count,
                ..
            },
            KernelStep::Memory {
                access: a,
                space: s,
                memory: m,
                element: e,
                threads: t,
                ..
            },
        ) if access == a && space == s && memory == m && element == e && threads == t => {
            *count += 1;
            true
        }
        _ => false,
    }
}
