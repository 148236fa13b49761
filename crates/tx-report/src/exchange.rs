//! How the threads of a kernel exchange values: read off its ops, in program order.
//!
//! Integers that depend on nothing but the thread are computed for every thread of the block: from which lane a shuffle
//! takes its value, which threads get past a condition, is not guessed.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Threads of a block, at most.
const MOST_THREADS: usize = 1024;

/// A kernel, as plain data.
#[derive(Debug, Clone, Default)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// For which lengths it is launched, where there are others for others.
    pub lengths: Option<String>,
    /// Threads of a block along x, y and z.
    pub block: [usize; 3],
    /// Its arguments: the value, and what it is called.
    pub arguments: Vec<(usize, String)>,
    /// Its ops.
    pub body: Region,
}

/// A region: the arguments of its blocks, and their ops, one block after the other.
#[derive(Debug, Clone, Default)]
pub struct Region {
    /// Values.
    pub arguments: Vec<usize>,
    /// Ops.
    pub ops: Vec<Op>,
}

/// An op. Values are numbers.
#[derive(Debug, Clone, Default)]
pub struct Op {
    /// Such as `arith.addi`.
    pub name: String,
    /// Attributes, as they are printed.
    pub attributes: Vec<(String, String)>,
    /// Operands.
    pub operands: Vec<usize>,
    /// Their types.
    pub operand_types: Vec<String>,
    /// Results.
    pub results: Vec<usize>,
    /// Their types.
    pub result_types: Vec<String>,
    /// The integer that it is, if it is a constant.
    pub constant: Option<i64>,
    /// Regions.
    pub regions: Vec<Region>,
    /// The line of the program that it comes from.
    pub line: Option<usize>,
}

impl Op {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, text)| text.as_str())
    }
}

/// Threads of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threads {
    /// For each thread, whether it takes part.
    pub mask: Rc<Vec<bool>>,
    /// Whether a condition that depends on more than the thread decides as well.
    pub depends: bool,
}

impl Threads {
    /// Whether a lane of the first warp takes part.
    pub fn lane(&self, lane: usize) -> bool {
        self.mask.get(lane).copied().unwrap_or(false)
    }

    /// Who they are, in words.
    pub fn describe(&self) -> String {
        let count = self.mask.iter().filter(|m| **m).count();
        let total = self.mask.len();
        let warps: Vec<&[bool]> = self.mask.chunks(LANES).collect();
        let who = if count == total {
            match total {
                1 => "the thread".to_owned(),
                n => format!("all {n} threads"),
            }
        } else if count == 0 {
            "no thread".to_owned()
        } else {
            let taking: Vec<usize> = (0..warps.len())
                .filter(|w| warps[*w].contains(&true))
                .collect();
            let first = warps[taking[0]];
            if taking.len() > 1 && taking.iter().all(|w| warps[*w] == first) {
                let lanes = ranges(first);
                let of = if taking.len() == warps.len() {
                    format!("each of {} warps", warps.len())
                } else {
                    format!("{} of {} warps", taking.len(), warps.len())
                };
                if first.iter().all(|m| *m) {
                    format!("all lanes of {of}")
                } else {
                    format!("{lanes} of {of}")
                }
            } else if total <= LANES {
                ranges(&self.mask)
            } else {
                ranges(&self.mask).replace("lane", "thread")
            }
        };
        if self.depends {
            format!("{who}, where a condition holds")
        } else {
            who
        }
    }
}

/// Lanes as ranges: `lanes 0–3, 8`.
fn ranges(mask: &[bool]) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < mask.len() {
        let run = mask[at..].iter().take_while(|m| **m).count();
        match run {
            0 => at += 1,
            1 => parts.push(at.to_string()),
            _ => parts.push(format!("{at}–{}", at + run - 1)),
        }
        at += run;
    }
    let many = parts.len() > 6;
    parts.truncate(6);
    let plural = if parts.len() == 1 && !parts[0].contains('–') {
        ""
    } else {
        "s"
    };
    format!(
        "lane{plural} {}{}",
        parts.join(", "),
        if many { " …" } else { "" }
    )
}

/// A kind of memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Of all threads.
    Global,
    /// Of a block.
    Shared,
    /// Of the blocks of a cluster.
    Cluster,
}

/// What is done with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Load,
    /// Written.
    Store,
    /// Both, at once.
    Atomic,
}

/// Who waits for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The lanes of a warp.
    Warp,
    /// Some warps: a named barrier.
    Group,
    /// The block.
    Block,
    /// The blocks of a cluster.
    Cluster,
    /// Nobody: later accesses come after earlier ones.
    Fence,
}

/// A step of a kernel, in program order.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Lanes take each other's values.
    Shuffle {
        /// `xor`, `up`, `down` or `idx`.
        mode: String,
        /// The distance, where it is the same for all lanes.
        distance: Option<i64>,
        /// For each lane of the first warp, the lane whose value it takes, where that is known.
        sources: Vec<Option<usize>>,
        /// Whether every other warp does the same.
        alike: bool,
        /// The ops that combine what was taken, in order.
        combine: Option<String>,
        /// How many values: shuffles of the same pattern one after the other.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// One instruction gives every member what all of them have together.
    Redux {
        /// Such as `add`.
        kind: String,
        /// Members.
        threads: Threads,
        /// How many values.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// Threads wait.
    Barrier {
        /// Who waits for whom.
        wait: Wait,
        /// The op.
        op: String,
        /// Who gets here.
        threads: Threads,
    },
    /// Threads access memory.
    Memory {
        /// Read or written.
        access: Access,
        /// Which kind.
        space: Space,
        /// What the memory is called.
        memory: String,
        /// What each access moves, such as `vector<4xf32>`.
        element: String,
        /// Who.
        threads: Threads,
        /// How many accesses of a thread.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// Steps that are repeated.
    Loop {
        /// How often, where that is known and the same for all threads.
        trips: Option<i64>,
        /// What is repeated.
        steps: Vec<Step>,
    },
}

/// What is known of an integer: for every thread, one for all, or nothing.
#[derive(Clone)]
enum Known {
    Nothing,
    All(i64),
    Each(Rc<Vec<Option<i64>>>),
}

impl Known {
    fn of(&self, thread: usize) -> Option<i64> {
        match self {
            Self::Nothing => None,
            Self::All(n) => Some(*n),
            Self::Each(each) => each.get(thread).copied().flatten(),
        }
    }
}

struct Reader<'k> {
    kernel: &'k Kernel,
    threads: usize,
    known: BTreeMap<usize, Known>,
    /// What memory a value is in.
    memory: BTreeMap<usize, String>,
    /// The op that first uses a value.
    users: BTreeMap<usize, &'k str>,
    /// All ops that use a value.
    readers: BTreeMap<usize, Vec<&'k Op>>,
    /// Names of the ops that combine what shuffles of a line take, by the first.
    combiners: BTreeMap<(Option<usize>, &'k str), Vec<&'k str>>,
}

/// The steps of a kernel, in program order.
pub fn steps(kernel: &Kernel) -> Vec<Step> {
    let threads = kernel
        .block
        .iter()
        .product::<usize>()
        .clamp(1, MOST_THREADS);
    let mut reader = Reader {
        kernel,
        threads,
        known: BTreeMap::new(),
        memory: kernel.arguments.iter().cloned().collect(),
        users: BTreeMap::new(),
        readers: BTreeMap::new(),
        combiners: BTreeMap::new(),
    };
    reader.find_users(&kernel.body);
    reader.find_combiners(&kernel.body);
    let all = Threads {
        mask: Rc::new(vec![true; threads]),
        depends: false,
    };
    let mut steps = Vec::new();
    reader.region(&kernel.body, &all, &mut steps);
    steps
}

/// Moves of data that do not combine anything.
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
                // What is computed of the last result alone does not combine.
                if known.is_empty() || names.len() < known.len() {
                    *known = names;
                }
            }
            op.regions
                .iter()
                .for_each(|inner| self.find_combiners(inner));
        }
    }

    /// Names of the ops that compute something of what a shuffle took, up to what is exchanged, stored or handed on.
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
        // Values have numbers in the order of ops.
        for name in found.values().map(|op| op.name.as_str()) {
            if !only_moves(name) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn get(&self, value: Option<&usize>) -> Known {
        value
            .and_then(|v| self.known.get(v))
            .cloned()
            .unwrap_or(Known::Nothing)
    }

    /// Computes something of integers, thread by thread where they differ.
    fn compute(&self, operands: &[Known], f: impl Fn(&[i64]) -> Option<i64>) -> Known {
        if operands.iter().all(|k| matches!(k, Known::All(_))) {
            let numbers: Vec<i64> = operands.iter().filter_map(|k| k.of(0)).collect();
            return f(&numbers).map_or(Known::Nothing, Known::All);
        }
        let each: Vec<Option<i64>> = (0..self.threads)
            .map(|t| {
                let numbers: Option<Vec<i64>> = operands.iter().map(|k| k.of(t)).collect();
                f(&numbers?)
            })
            .collect();
        if each.iter().all(Option::is_none) {
            Known::Nothing
        } else {
            Known::Each(Rc::new(each))
        }
    }

    fn place(&self, f: impl Fn(usize) -> usize) -> Known {
        Known::Each(Rc::new(
            (0..self.threads).map(|t| Some(f(t) as i64)).collect(),
        ))
    }

    /// What an op computes of integers.
    fn value(&self, op: &Op) -> Known {
        if let Some(constant) = op.constant {
            return Known::All(constant);
        }
        let [x, y, _] = self.kernel.block.map(|n| n.max(1));
        let dimension = || {
            op.attribute("dimension").map_or(0, |d| {
                if d.contains('y') {
                    1
                } else {
                    usize::from(d.contains('z')) * 2
                }
            })
        };
        let operands: Vec<Known> = op.operands.iter().map(|v| self.get(Some(v))).collect();
        type Binary = fn(i64, i64) -> Option<i64>;
        let binary: Option<Binary> = match op.name.as_str() {
            "arith.addi" | "index.add" => Some(i64::checked_add),
            "arith.subi" | "index.sub" => Some(i64::checked_sub),
            "arith.muli" | "index.mul" => Some(i64::checked_mul),
            "arith.divui" | "arith.divsi" | "arith.floordivsi" => {
                Some(|a, b| (a >= 0 && b > 0).then(|| a / b))
            }
            "arith.ceildivui" | "arith.ceildivsi" => {
                Some(|a, b| (a >= 0 && b > 0).then(|| (a + b - 1) / b))
            }
            "arith.remui" | "arith.remsi" => Some(|a, b| (a >= 0 && b > 0).then(|| a % b)),
            "arith.ori" => Some(|a, b| Some(a | b)),
            "arith.xori" => Some(|a, b| Some(a ^ b)),
            "arith.shli" => Some(|a, b| u32::try_from(b).ok().and_then(|b| a.checked_shl(b))),
            "arith.shrui" | "arith.shrsi" => Some(|a, b| {
                u32::try_from(b)
                    .ok()
                    .filter(|_| a >= 0)
                    .and_then(|b| a.checked_shr(b))
            }),
            "arith.minui" | "arith.minsi" => Some(|a, b| Some(a.min(b))),
            "arith.maxui" | "arith.maxsi" => Some(|a, b| Some(a.max(b))),
            _ => None,
        };
        if let Some(f) = binary {
            return self.compute(&operands, |n| match n {
                [a, b] => f(*a, *b),
                _ => None,
            });
        }
        if op.name == "arith.andi"
            && let [a, b] = operands.as_slice()
        {
            // Nothing and anything is nothing.
            let both = |t| match (a.of(t), b.of(t)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (a, b) => Some(a? & b?),
            };
            let each: Vec<Option<i64>> = (0..self.threads).map(both).collect();
            return match each.iter().all(Option::is_none) {
                true => Known::Nothing,
                false => Known::Each(Rc::new(each)),
            };
        }
        match op.name.as_str() {
            "gpu.thread_id" => match dimension() {
                0 => self.place(|t| t % x),
                1 => self.place(|t| t / x % y),
                _ => self.place(|t| t / x / y),
            },
            "gpu.lane_id" => self.place(|t| t % LANES),
            "gpu.subgroup_id" => self.place(|t| t / LANES),
            "gpu.block_dim" => Known::All(self.kernel.block[dimension()] as i64),
            "arith.index_cast" | "arith.index_castui" | "arith.extui" | "arith.extsi"
            | "arith.trunci" => {
                // Numbers of threads fit every type.
                self.compute(&operands, |n| n.first().copied())
            }
            "arith.select" => match operands.as_slice() {
                [condition, yes, no] => {
                    let each: Vec<Option<i64>> = (0..self.threads)
                        .map(|t| match condition.of(t)? {
                            0 => no.of(t),
                            _ => yes.of(t),
                        })
                        .collect();
                    if each.iter().all(Option::is_none) {
                        Known::Nothing
                    } else {
                        Known::Each(Rc::new(each))
                    }
                }
                _ => Known::Nothing,
            },
            "arith.cmpi" => {
                let predicate = op.attribute("predicate").unwrap_or_default();
                let predicate = predicate
                    .split([' ', ':'])
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.compute(&operands, move |n| {
                    let [a, b] = n else { return None };
                    // Numbers of predicates as in `arith`; unsigned ones of what is not negative only.
                    let unsigned = *a >= 0 && *b >= 0;
                    let holds = match predicate.as_str() {
                        "0" => a == b,
                        "1" => a != b,
                        "2" => a < b,
                        "3" => a <= b,
                        "4" => a > b,
                        "5" => a >= b,
                        "6" if unsigned => a < b,
                        "7" if unsigned => a <= b,
                        "8" if unsigned => a > b,
                        "9" if unsigned => a >= b,
                        _ => return None,
                    };
                    Some(i64::from(holds))
                })
            }
            _ => Known::Nothing,
        }
    }

    /// The threads that get past a condition.
    fn narrowed(&self, threads: &Threads, condition: &Known, wanted: bool) -> Threads {
        let mut depends = threads.depends;
        let mask = (0..self.threads)
            .map(|t| {
                threads.mask[t]
                    && match condition.of(t) {
                        Some(n) => (n != 0) == wanted,
                        None => {
                            depends = true;
                            true
                        }
                    }
            })
            .collect();
        Threads {
            mask: Rc::new(mask),
            depends,
        }
    }

    fn region(&mut self, region: &'k Region, threads: &Threads, steps: &mut Vec<Step>) {
        for op in &region.ops {
            self.op(op, threads, steps);
        }
    }

    fn op(&mut self, op: &'k Op, threads: &Threads, steps: &mut Vec<Step>) {
        match op.name.as_str() {
            "scf.if" => {
                let condition = self.get(op.operands.first());
                for (region, wanted) in op.regions.iter().zip([true, false]) {
                    let taken = self.narrowed(threads, &condition, wanted);
                    if taken.mask.contains(&true) {
                        self.region(region, &taken, steps);
                    }
                }
                return;
            }
            "scf.for" => {
                let bounds: Vec<Known> = op
                    .operands
                    .iter()
                    .take(3)
                    .map(|v| self.get(Some(v)))
                    .collect();
                let Some(body) = op.regions.first() else {
                    return;
                };
                // The first iteration stands for all.
                for (argument, initial) in body.arguments.iter().zip(
                    op.operands
                        .first()
                        .into_iter()
                        .chain(op.operands.iter().skip(3)),
                ) {
                    let initial = self.get(Some(initial));
                    self.known.insert(*argument, initial);
                }
                let trips = match self.compute(&bounds, |n| match n {
                    [from, to, by] if *by > 0 => Some(
                        (to - from).max(0).div_euclid(*by)
                            + i64::from((to - from).max(0) % by != 0),
                    ),
                    _ => None,
                }) {
                    Known::All(n) => Some(n),
                    Known::Each(each) => {
                        let first = each.first().copied().flatten();
                        first.filter(|n| each.iter().all(|m| *m == Some(*n)))
                    }
                    Known::Nothing => None,
                };
                let mut inner = Vec::new();
                self.region(body, threads, &mut inner);
                match trips {
                    Some(0) => {}
                    // A loop of one iteration is none.
                    Some(1) => inner.into_iter().for_each(|step| push(steps, step)),
                    _ if !inner.is_empty() => steps.push(Step::Loop {
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
                    steps.push(Step::Loop {
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
            let known = self.value(op);
            if !matches!(known, Known::Nothing) {
                self.known.insert(*result, known);
            }
        }
        for region in &op.regions {
            self.region(region, threads, steps);
        }
    }

    /// What a view is a view of.
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

    fn step(&self, op: &Op, threads: &Threads) -> Option<Step> {
        let line = op.line;
        let barrier = |wait| {
            Some(Step::Barrier {
                wait,
                op: op.name.clone(),
                threads: threads.clone(),
            })
        };
        match op.name.as_str() {
            "gpu.shuffle" => Some(self.shuffle(op, line)),
            "nvvm.redux.sync" => {
                let mask = self.get(op.operands.get(1)).of(0);
                let members = (0..self.threads)
                    .map(|t| mask.is_none_or(|m| m >> (t % LANES) & 1 == 1))
                    .collect();
                Some(Step::Redux {
                    kind: word(op.attribute("kind").unwrap_or_default()),
                    threads: Threads {
                        mask: Rc::new(members),
                        depends: threads.depends,
                    },
                    count: 1,
                    line,
                })
            }
            "nvvm.bar.warp.sync" => barrier(Wait::Warp),
            "gpu.barrier" | "nvvm.barrier0" => barrier(Wait::Block),
            "nvvm.barrier" | "nvvm.barrier.arrive" if op.operands.is_empty() => {
                barrier(Wait::Block)
            }
            "nvvm.barrier" | "nvvm.barrier.arrive" => barrier(Wait::Group),
            "nvvm.cluster.arrive" | "nvvm.cluster.arrive.relaxed" | "nvvm.cluster.wait" => {
                barrier(Wait::Cluster)
            }
            name if name.starts_with("nvvm.memory.barrier")
                || name.starts_with("nvvm.fence")
                || name == "llvm.fence" =>
            {
                barrier(Wait::Fence)
            }
            _ => self.access(op, threads, line),
        }
    }

    fn shuffle(&self, op: &Op, line: Option<usize>) -> Step {
        let mode = word(op.attribute("mode").unwrap_or_default());
        let (offset, width) = (self.get(op.operands.get(1)), self.get(op.operands.get(2)));
        let sources: Vec<Option<usize>> = (0..self.threads)
            .map(|t| {
                let (lane, offset, width) = (t as i64 % LANES as i64, offset.of(t)?, width.of(t)?);
                let start = lane - lane.rem_euclid(width.max(1));
                let source = match mode.as_str() {
                    "xor" => lane ^ offset,
                    "up" => lane - offset,
                    "down" => lane + offset,
                    "idx" => start + offset.rem_euclid(width.max(1)),
                    _ => return None,
                };
                // Out of the segment, a lane keeps its own value.
                let inside = (start..start + width).contains(&source);
                usize::try_from(if inside { source } else { lane }).ok()
            })
            .collect();
        let warps: Vec<&[Option<usize>]> = sources.chunks(LANES).collect();
        let first = warps.first().copied().unwrap_or_default();
        // The last warp may have fewer threads.
        let alike = warps.iter().all(|warp| first.starts_with(warp));
        let distance = match offset {
            Known::All(n) => Some(n),
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
        Step::Shuffle {
            mode,
            distance,
            sources: first.to_vec(),
            alike,
            combine,
            count: 1,
            line,
        }
    }

    fn access(&self, op: &Op, threads: &Threads, line: Option<usize>) -> Option<Step> {
        // Where the memory stands among the operands.
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
        Some(Step::Memory {
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

/// The last word of an attribute such as `#gpu<shuffle_mode xor>`.
fn word(attribute: &str) -> String {
    attribute
        .trim_end_matches('>')
        .rsplit([' ', '<'])
        .next()
        .unwrap_or(attribute)
        .to_owned()
}

/// Appends a step, or counts it with the one before where that is the same: of loads, which have no order, with any since
/// something else was done.
fn push(steps: &mut Vec<Step>, step: Step) {
    let is_load = |step: &Step| {
        matches!(
            step,
            Step::Memory {
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

/// Whether a step is as one that is known already, which then counts it.
fn counted(known: &mut Step, step: &Step) -> bool {
    match (known, step) {
        (
            Step::Shuffle {
                mode,
                sources,
                count,
                alike,
                combine,
                ..
            },
            Step::Shuffle {
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
            Step::Redux {
                kind,
                threads,
                count,
                ..
            },
            Step::Redux {
                kind: k,
                threads: t,
                ..
            },
        ) if kind == k && threads == t => {
            *count += 1;
            true
        }
        (
            Step::Memory {
                access,
                space,
                memory,
                element,
                threads,
                count,
                ..
            },
            Step::Memory {
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

/// A step and what is in it, in words.
pub fn describe(step: &Step) -> String {
    let times = |count: &usize, what: &str| match count {
        1 => String::new(),
        n => format!(", {n} {what}"),
    };
    match step {
        Step::Shuffle {
            mode,
            distance,
            sources,
            alike,
            combine,
            count,
            ..
        } => {
            let reach = match (mode.as_str(), distance) {
                ("xor", Some(n)) => format!("each lane with the one at distance {n} (xor)"),
                ("up" | "down", Some(n)) => format!("from {n} lanes {mode}"),
                ("idx", Some(n)) => format!("from lane {n}"),
                _ if sources.iter().all(Option::is_some) => "from the lanes drawn (idx)".to_owned(),
                (mode, _) => format!("from lanes that are known at run time ({mode})"),
            };
            let combine = combine
                .as_ref()
                .map_or_else(String::new, |op| format!(", then {op}"));
            let other = if *alike {
                ""
            } else {
                "; other warps take from other lanes"
            };
            format!("Shuffle: {reach}{combine}{}{other}", times(count, "values"))
        }
        Step::Redux {
            kind,
            threads,
            count,
            ..
        } => format!(
            "redux.sync {kind}: {} at once{}",
            threads.describe(),
            times(count, "values")
        ),
        Step::Barrier { wait, op, threads } => {
            let what = match wait {
                Wait::Warp => "Barrier of each warp",
                Wait::Group => "Named barrier of some warps",
                Wait::Block => "Barrier of the block",
                Wait::Cluster => "Barrier of the cluster",
                Wait::Fence => "Fence",
            };
            let all = threads.mask.iter().all(|m| *m) && !threads.depends;
            let who = if all {
                String::new()
            } else {
                format!(": {}", threads.describe())
            };
            format!("{what} ({op}){who}")
        }
        Step::Memory {
            access,
            space,
            memory,
            element,
            threads,
            count,
            ..
        } => {
            let what = match (access, space) {
                (Access::Load, Space::Shared) => "Load from shared",
                (Access::Load, Space::Cluster) => "Load from the cluster's",
                (Access::Load, Space::Global) => "Load from global",
                (Access::Store, Space::Shared) => "Store to shared",
                (Access::Store, Space::Cluster) => "Store to the cluster's",
                (Access::Store, Space::Global) => "Store to global",
                (Access::Atomic, Space::Shared) => "Atomic on shared",
                (Access::Atomic, _) => "Atomic on global",
            };
            format!(
                "{what} {memory}: {} ({element}{})",
                threads.describe(),
                times(count, "accesses of each")
            )
        }
        Step::Loop { trips, .. } => match trips {
            Some(n) => format!("Loop, {n} times"),
            None => "Loop".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes ops with numbers for values.
    #[derive(Default)]
    struct Maker(usize);

    impl Maker {
        fn op(&mut self, name: &str, operands: &[usize], attributes: &[(&str, &str)]) -> Op {
            self.0 += 1;
            Op {
                name: name.to_owned(),
                attributes: attributes
                    .iter()
                    .map(|(n, a)| ((*n).to_owned(), (*a).to_owned()))
                    .collect(),
                operands: operands.to_vec(),
                operand_types: vec!["f32".to_owned(); operands.len()],
                results: vec![self.0],
                result_types: vec!["f32".to_owned()],
                ..Op::default()
            }
        }

        fn constant(&mut self, n: i64) -> Op {
            Op {
                constant: Some(n),
                ..self.op("arith.constant", &[], &[])
            }
        }
    }

    fn kernel(block: [usize; 3], ops: Vec<Op>) -> Kernel {
        Kernel {
            lengths: None,
            name: "k".to_owned(),
            block,
            arguments: vec![(1000, "%arg0".to_owned())],
            body: Region {
                arguments: vec![],
                ops,
            },
        }
    }

    const XOR: (&str, &str) = ("mode", "#gpu<shuffle_mode xor>");
    const IDX: (&str, &str) = ("mode", "#gpu<shuffle_mode idx>");

    #[test]
    fn a_butterfly_of_three_steps() {
        let mut m = Maker::default();
        let width = m.constant(32);
        let mut ops = vec![width.clone()];
        for distance in [1, 2, 4] {
            let offset = m.constant(distance);
            let shuffle = m.op(
                "gpu.shuffle",
                &[1000, offset.results[0], width.results[0]],
                &[XOR],
            );
            let add = m.op("arith.addf", &[1000, shuffle.results[0]], &[]);
            ops.extend([offset, shuffle, add]);
        }
        let found = steps(&kernel([32, 1, 1], ops));
        assert_eq!(found.len(), 3);
        for (step, by) in found.iter().zip([1, 2, 4]) {
            let Step::Shuffle {
                distance,
                sources,
                alike,
                combine,
                ..
            } = step
            else {
                panic!("{step:?}")
            };
            assert_eq!(*distance, Some(by as i64));
            assert!(*alike);
            assert_eq!(combine.as_deref(), Some("arith.addf"));
            assert!((0..32).all(|lane| sources[lane] == Some(lane ^ by)));
        }
    }

    /// Of a product of complex numbers all ops are named, and what is made of the result is not.
    #[test]
    fn all_ops_of_a_combiner_are_named() {
        let mut m = Maker::default();
        let width = m.constant(32);
        let mut ops = vec![width.clone()];
        let mut parts = [1000, 1001];
        for distance in [1, 2] {
            let offset = m.constant(distance);
            let [re, im] = parts.map(|part| {
                m.op(
                    "gpu.shuffle",
                    &[part, offset.results[0], width.results[0]],
                    &[XOR],
                )
            });
            let [(a, b), (c, d)] = [(parts[0], parts[1]), (re.results[0], im.results[0])];
            ops.extend([offset, re, im]);
            let mut op = |name: &str, x: usize, y: usize| {
                ops.push(m.op(name, &[x, y], &[]));
                ops[ops.len() - 1].results[0]
            };
            let (rr, ii) = (op("arith.mulf", a, c), op("arith.mulf", b, d));
            let re = op("arith.subf", rr, ii);
            let (ri, ir) = (op("arith.mulf", a, d), op("arith.mulf", b, c));
            parts = [re, op("arith.addf", ri, ir)];
        }
        let mean = m.op("arith.divf", &parts, &[]);
        ops.push(mean);
        let found = steps(&kernel([32, 1, 1], ops));
        let told: Vec<String> = found.iter().map(describe).collect();
        let wanted = |n| {
            format!(
                "Shuffle: each lane with the one at distance {n} (xor), then arith.mulf, arith.subf and arith.addf, 2 values"
            )
        };
        assert_eq!(told, [wanted(1), wanted(2)]);
    }

    /// A step whose source lane is computed: the next lane, but for the last of each group of 12.
    #[test]
    fn computed_source_lanes_are_followed() {
        let mut m = Maker::default();
        let (thread, one, twelve, width) = (
            m.op("gpu.thread_id", &[], &[("dimension", "#gpu<dim x>")]),
            m.constant(1),
            m.constant(12),
            m.constant(32),
        );
        let within = m.op("arith.remui", &[thread.results[0], twelve.results[0]], &[]);
        let next = m.op("arith.addi", &[within.results[0], one.results[0]], &[]);
        let inside = m.op(
            "arith.cmpi",
            &[next.results[0], twelve.results[0]],
            &[("predicate", "6 : i64")],
        );
        let after = m.op("arith.addi", &[thread.results[0], one.results[0]], &[]);
        let source = m.op(
            "arith.select",
            &[inside.results[0], after.results[0], thread.results[0]],
            &[],
        );
        let cast = m.op("arith.index_cast", &source.results, &[]);
        let shuffle = m.op(
            "gpu.shuffle",
            &[1000, cast.results[0], width.results[0]],
            &[IDX],
        );
        let ops = vec![
            thread, one, twelve, width, within, next, inside, after, source, cast, shuffle,
        ];
        let found = steps(&kernel([24, 1, 1], ops));
        let [
            Step::Shuffle {
                sources,
                distance: None,
                ..
            },
        ] = found.as_slice()
        else {
            panic!("{found:?}")
        };
        assert_eq!(sources.len(), 24);
        assert_eq!(
            (sources[0], sources[10], sources[11], sources[12]),
            (Some(1), Some(11), Some(11), Some(13))
        );
    }

    #[test]
    fn guards_narrow_and_unknown_conditions_are_said() {
        let mut m = Maker::default();
        let (thread, lanes, zero) = (
            m.op("gpu.thread_id", &[], &[("dimension", "#gpu<dim x>")]),
            m.constant(32),
            m.constant(0),
        );
        let lane = m.op("arith.remui", &[thread.results[0], lanes.results[0]], &[]);
        let first = m.op(
            "arith.cmpi",
            &[lane.results[0], zero.results[0]],
            &[("predicate", "0 : i64")],
        );
        let shared = "memref<6xf32, #gpu.address_space<workgroup>>";
        let memory = Op {
            result_types: vec![shared.to_owned()],
            ..m.op("memref.get_global", &[], &[("name", "@scratch")])
        };
        let mut store = m.op("memref.store", &[1000, memory.results[0]], &[]);
        store.operand_types[1] = shared.to_owned();
        store.results.clear();
        let barrier = m.op("gpu.barrier", &[], &[]);
        let guard = Op {
            regions: vec![Region {
                arguments: vec![],
                ops: vec![store.clone()],
            }],
            ..m.op("scf.if", &first.results, &[])
        };
        let unknown = Op {
            regions: vec![Region {
                arguments: vec![],
                ops: vec![store],
            }],
            ..m.op("scf.if", &[999], &[])
        };
        let ops = vec![
            thread, lanes, zero, lane, first, memory, guard, barrier, unknown,
        ];
        let said: Vec<String> = steps(&kernel([192, 1, 1], ops))
            .iter()
            .map(describe)
            .collect();
        assert_eq!(
            said,
            [
                "Store to shared @scratch: lane 0 of each of 6 warps (f32)",
                "Barrier of the block (gpu.barrier)",
                "Store to shared @scratch: all 192 threads, where a condition holds (f32)",
            ]
        );
    }

    /// A condition of which only a part is known narrows by that part.
    #[test]
    fn a_part_of_a_condition_narrows() {
        let mut m = Maker::default();
        let (thread, four) = (
            m.op("gpu.thread_id", &[], &[("dimension", "#gpu<dim x>")]),
            m.constant(4),
        );
        let few = m.op(
            "arith.cmpi",
            &[thread.results[0], four.results[0]],
            &[("predicate", "6 : i64")],
        );
        let both = m.op("arith.andi", &[999, few.results[0]], &[]);
        let barrier = m.op("nvvm.bar.warp.sync", &[], &[]);
        let guard = Op {
            regions: vec![Region {
                arguments: vec![],
                ops: vec![barrier],
            }],
            ..m.op("scf.if", &both.results, &[])
        };
        let found = steps(&kernel([32, 1, 1], vec![thread, four, few, both, guard]));
        assert_eq!(
            found.iter().map(describe).collect::<Vec<_>>(),
            ["Barrier of each warp (nvvm.bar.warp.sync): lanes 0–3, where a condition holds"]
        );
    }

    #[test]
    fn loops_hold_their_steps_and_those_of_one_turn_are_none() {
        let mut m = Maker::default();
        let (zero, one, eight) = (m.constant(0), m.constant(1), m.constant(8));
        let barrier = m.op("nvvm.bar.warp.sync", &[], &[]);
        let body = || {
            vec![Region {
                arguments: vec![500],
                ops: vec![barrier.clone()],
            }]
        };
        let bounds = [zero.results[0], eight.results[0], one.results[0]];
        let long = Op {
            regions: body(),
            ..m.op("scf.for", &bounds, &[])
        };
        let bounds = [zero.results[0], one.results[0], one.results[0]];
        let once = Op {
            regions: body(),
            ..m.op("scf.for", &bounds, &[])
        };
        let found = steps(&kernel([32, 1, 1], vec![zero, one, eight, long, once]));
        let [
            Step::Loop {
                trips: Some(8),
                steps,
            },
            Step::Barrier {
                wait: Wait::Warp, ..
            },
        ] = found.as_slice()
        else {
            panic!("{found:?}")
        };
        assert_eq!(steps.len(), 1);
    }

    /// Loads of two arrays in turns, as of a loop that is written out, are two steps; what comes after a store is another.
    #[test]
    fn loads_in_turns_are_counted() {
        let mut m = Maker::default();
        let load = |m: &mut Maker, memory: usize| Op {
            operand_types: vec!["memref<f32>".to_owned()],
            ..m.op("memref.load", &[memory], &[])
        };
        let mut ops: Vec<Op> = (0..6).map(|i| load(&mut m, 1000 + i % 2)).collect();
        ops.push(Op {
            operand_types: vec!["f32".to_owned(), "memref<f32>".to_owned()],
            ..m.op("memref.store", &[999, 1000], &[])
        });
        ops.push(load(&mut m, 1000));
        let found = steps(&kernel([32, 1, 1], ops));
        let counts: Vec<usize> = found
            .iter()
            .filter_map(|step| match step {
                Step::Memory { count, .. } => Some(*count),
                _ => None,
            })
            .collect();
        assert_eq!(counts, [3, 3, 1, 1], "{found:?}");
    }

    #[test]
    fn what_is_not_known_is_not_made_up() {
        let mut m = Maker::default();
        let width = m.constant(32);
        let shuffle = m.op("gpu.shuffle", &[1000, 999, width.results[0]], &[XOR]);
        let found = steps(&kernel([32, 1, 1], vec![width, shuffle]));
        let [step @ Step::Shuffle { sources, .. }] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(sources.iter().all(Option::is_none));
        assert_eq!(
            describe(step),
            "Shuffle: from lanes that are known at run time (xor)"
        );
    }
}
