//! The loop nest that results from an iteration space and a schedule.

use super::steps::{Processor, Step};
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, Builder, Code, Index, codes};
use tx_target::{MAX_CLUSTER, MAX_RESIDENT, MAX_RESIDENT_BLOCKS, MAX_THREADS};

/// Maximum number of threads of a block along z.
const MAX_Z: i64 = 64;
/// Maximum trip count of an unrolled loop, and maximum number of accumulators of one thread.
pub(crate) const MAX_UNROLL: i64 = 64;
/// Maximum number of steps in a schedule; the limit bounds the depth of the loop nest.
const MAX_STEPS: usize = 128;
/// Maximum number of blocks of a grid along x, y and z, on every GPU.
pub(crate) const MAX_BLOCKS: [i64; 3] = [(1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    Static(i64),
    /// Dynamic length of a dimension; the field is the dimension number.
    Dim(usize),
    /// Dynamic length of dimension `dim`, greater than `above` and at most `most`. For other
    /// lengths of the dimension, other kernels are launched.
    Between {
        dim: usize,
        above: i64,
        most: Option<i64>,
    },
    CeilDiv(Box<Self>, i64),
    Product(Vec<Self>),
    /// Length that depends on the address of the first element of a row; the field is an upper
    /// bound of the length.
    AtMost(Box<Self>),
}

/// Returns `n / by`, rounded up, without overflow for any `n`.
pub(super) fn ceildiv(n: i64, by: i64) -> i64 {
    n / by + i64::from(n % by != 0)
}

impl Extent {
    pub(crate) fn known(&self) -> Option<i64> {
        match self {
            Self::Static(n) => Some(*n),
            _ => None,
        }
    }

    /// Returns the maximum length, or `None` if there is no static bound.
    pub(crate) fn most(&self) -> Option<i64> {
        match self {
            Self::Static(n) => Some(*n),
            Self::Between { most, .. } => *most,
            Self::AtMost(most) => most.most(),
            Self::CeilDiv(of, factor) => Some(ceildiv(of.most()?, *factor)),
            Self::Dim(_) | Self::Product(_) => None,
        }
    }

    pub(crate) fn least(&self) -> i64 {
        match self {
            Self::Static(n) => *n,
            Self::Between { above, .. } => above.saturating_add(1),
            Self::CeilDiv(of, factor) => ceildiv(of.least(), *factor),
            Self::Dim(_) | Self::Product(_) | Self::AtMost(_) => 0,
        }
    }

    fn ceildiv(&self, factor: i64) -> Self {
        match self {
            Self::Static(n) => Self::Static(ceildiv(*n, factor)),
            other if factor == 1 => other.clone(),
            other => Self::CeilDiv(Box::new(other.clone()), factor),
        }
    }

    /// Returns whether the length is a multiple of `factor` for all sizes.
    fn is_multiple_of(&self, factor: i64) -> bool {
        match self {
            Self::Static(n) => n % factor == 0,
            Self::Product(all) => all.iter().any(|e| e.is_multiple_of(factor)),
            _ => factor == 1,
        }
    }

    /// Emits the number of iterations in a row of `count` aligned vectors.
    pub(crate) fn of_vectors<'c>(&self, b: &Builder<'c>, count: Index<'c>) -> Index<'c> {
        match self {
            Self::AtMost(_) => count,
            Self::CeilDiv(of, factor) => b.ceildiv(of.of_vectors(b, count), Index::Const(*factor)),
            // Loops whose length differs between rows are never fused.
            other => other.value(b, &|_, _| Index::Const(0)),
        }
    }

    /// Emits the number of iterations of a loop, or its upper bound. The callback `dim` returns the
    /// length of a dimension.
    pub(crate) fn value<'c>(
        &self,
        b: &Builder<'c>,
        dim: &dyn Fn(&Builder<'c>, usize) -> Index<'c>,
    ) -> Index<'c> {
        match self {
            Self::Static(n) => Index::Const(*n),
            Self::Dim(d) | Self::Between { dim: d, .. } => dim(b, *d),
            Self::CeilDiv(of, factor) => b.ceildiv(of.value(b, dim), Index::Const(*factor)),
            Self::Product(all) => all
                .iter()
                .fold(Index::Const(1), |n, e| b.mul(n, e.value(b, dim))),
            Self::AtMost(most) => most.value(b, dim),
        }
    }
}

/// Effect of the steps of a schedule on a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The loop remains: it is emitted as a loop, or bound to threads or blocks.
    Loop,
    /// The loop was split into the loops `outer` and `inner`; `inner` has `factor` iterations. If
    /// `aligned` is set, the first vector begins at the first aligned address of a row, and the two
    /// loops skip head and tail elements.
    Split {
        outer: usize,
        inner: usize,
        factor: i64,
        aligned: bool,
    },
    /// The loop is member number `member` of the fused loop `into`.
    Fused { into: usize, member: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Serial,
    Unrolled,
    Vectorized,
    On(Processor),
}

/// A loop of the nest, or a former loop that a step has split or fused.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) extent: Extent,
    pub(crate) fate: Fate,
    pub(crate) run: Run,
    pub(crate) reduced: bool,
    /// Whether each iteration stores a separate partial result (`rfactor`).
    pub(crate) apart: bool,
    /// Loops that were fused into this loop, outermost first.
    pub(crate) members: Vec<usize>,
}

impl Node {
    /// Returns whether all iterations of the loop combine their elements into one partial result.
    pub(crate) fn combines(&self) -> bool {
        self.reduced && !self.apart
    }
}

/// A loop nest: an iteration space, transformed by the steps of a schedule.
#[derive(Debug, Clone)]
pub(crate) struct Nest {
    /// All loops: the dimensions of the iteration space, then the loops that steps created.
    pub(crate) nodes: Vec<Node>,
    dims: usize,
    /// Loops that no step has split or fused, outermost first.
    pub(crate) order: Vec<usize>,
    /// Loops whose iterations store separate partial results (`rfactor`).
    pub(crate) rfactors: Vec<usize>,
    /// Whether the kernel uses evict-first loads (`#tile.stream`).
    pub(crate) streams: bool,
    /// Minimum number of resident threads per SM (`#tile.resident`).
    resident: Option<i64>,
    /// Arrays of a group that stay in registers or shared memory (`#tile.hold`), by name.
    pub(crate) holds: Vec<(String, Residency)>,
    /// Whether the last block combines the partial results in global memory (`#tile.last_block`).
    pub(crate) last_block: bool,
}

#[derive(Debug)]
pub(crate) struct Illegal {
    pub(crate) code: Code,
    pub(crate) reason: String,
    pub(crate) note: Option<String>,
    /// Further errors of the schedule, independent of the first error.
    pub(crate) others: Vec<Illegal>,
}

impl Illegal {
    pub(crate) fn new(code: Code, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            note: None,
            others: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl Nest {
    /// Makes one loop for each extent, with the names `d0`, `d1`, …. `reduced` lists the reduced
    /// dimensions.
    pub(crate) fn new(extents: &[Extent], reduced: &[usize]) -> Self {
        let node = |(d, extent): (usize, &Extent)| Node {
            name: format!("d{d}"),
            extent: extent.clone(),
            fate: Fate::Loop,
            run: Run::Serial,
            reduced: reduced.contains(&d),
            apart: false,
            members: Vec::new(),
        };
        // The parallel dimensions are outermost: one result after another.
        let (kept, combined): (Vec<usize>, Vec<usize>) =
            (0..extents.len()).partition(|d| !reduced.contains(d));
        Self {
            nodes: extents.iter().enumerate().map(node).collect(),
            dims: extents.len(),
            order: kept.into_iter().chain(combined).collect(),
            rfactors: Vec::new(),
            streams: false,
            resident: None,
            holds: Vec::new(),
            last_block: false,
        }
    }

    pub(crate) fn apply(mut self, steps: &[Step]) -> Result<Self, Illegal> {
        if steps.len() > MAX_STEPS {
            return Err(Illegal::new(
                codes::TX0316,
                format!(
                    "the schedule has {} steps, expected at most {MAX_STEPS}",
                    steps.len()
                ),
            ));
        }
        let mut wrong: Vec<Illegal> = Vec::new();
        // Loops that appear in rejected steps. A second error about such a loop may be only a
        // consequence of the first error.
        let mut doubtful: Vec<&str> = Vec::new();
        let is_of = |name: &str, loops: &[&str]| {
            loops.iter().any(|other| {
                let part = name.strip_prefix(other);
                part.is_some_and(|part| part.is_empty() || part.starts_with('.'))
            })
        };
        for step in steps {
            let loops = step.loops();
            if loops.iter().any(|name| is_of(name, &doubtful)) {
                doubtful.extend(loops);
            } else if let Err(illegal) = self.step(step) {
                wrong.push(illegal);
                doubtful.extend(loops);
            }
        }
        let mut wrong = wrong.into_iter();
        match wrong.next() {
            None => Ok(self),
            Some(first) => Err(Illegal {
                others: wrong.collect(),
                ..first
            }),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Illegal> {
        match step {
            Step::Split(name, factor) => self.split(name, *factor, false),
            Step::Align(name, factor) => self.align(name, *factor),
            Step::Fuse(names, to) => self.fuse(names, to),
            Step::Reorder(names) => self.reorder(names),
            Step::Bind(name, processor) => self.bind(name, *processor),
            Step::RFactor(name) => {
                let node = self.find_even(name)?;
                if !self.nodes[node].reduced {
                    return Err(Illegal::new(
                        codes::TX0311,
                        format!("`{name}` is not reduced, so it has no partial results"),
                    )
                    .note("`rfactor` takes a loop over a reduced dimension"));
                }
                if self.rfactors.contains(&node) {
                    return Err(Illegal::new(
                        codes::TX0311,
                        format!("partial results of `{name}` are materialised twice"),
                    ));
                }
                self.rfactors.push(node);
                Ok(())
            }
            Step::Unroll(name) => self.write_out(name, Run::Unrolled),
            Step::Vectorize(name) => self.write_out(name, Run::Vectorized),
            Step::Stream => {
                self.streams = true;
                Ok(())
            }
            Step::Resident(threads) => {
                let most = i64::from(MAX_RESIDENT);
                if !(1..=most).contains(threads) {
                    return Err(Illegal::new(
                        codes::TX0325,
                        format!(
                            "registers are to do for {threads} threads of a multiprocessor, \
                             expected 1 to {most}"
                        ),
                    ));
                }
                self.resident = Some(*threads);
                Ok(())
            }
            Step::Hold(name, residency) => {
                if self.holds.iter().any(|(known, _)| known == name) {
                    return Err(Illegal::new(
                        codes::TX0327,
                        format!("`{name}` is held twice"),
                    ));
                }
                self.holds.push((name.clone(), *residency));
                Ok(())
            }
            Step::LastBlock => {
                self.last_block = true;
                Ok(())
            }
        }
    }

    /// Returns the minimum number of resident blocks per SM, if the schedule sets one.
    pub(crate) fn resident_blocks(&self) -> Option<i64> {
        let threads = self.block().iter().product::<i64>();
        let most = i64::from(MAX_RESIDENT_BLOCKS);
        self.resident.map(|n| (n / threads.max(1)).clamp(1, most))
    }

    pub(crate) fn find(&self, name: &str) -> Result<usize, Illegal> {
        if let Some(node) = self.order.iter().find(|n| self.nodes[**n].name == name) {
            return Ok(*node);
        }
        let gone = self
            .nodes
            .iter()
            .find(|n| n.name == name)
            .map(|n| match &n.fate {
                Fate::Split { outer, inner, .. } => format!(
                    "it was split into `{}` and `{}`",
                    self.nodes[*outer].name, self.nodes[*inner].name
                ),
                Fate::Fused { into, .. } => {
                    format!("it was fused into `{}`", self.nodes[*into].name)
                }
                Fate::Loop => String::new(),
            });
        let loops: Vec<String> = self
            .order
            .iter()
            .map(|n| format!("`{}`", self.nodes[*n].name))
            .collect();
        let known = match loops.is_empty() {
            true => "there are no loops".to_owned(),
            false => format!("loops here: {}", loops.join(", ")),
        };
        Err(Illegal::new(
            codes::TX0301,
            format!("the schedule names an unknown loop `{name}`"),
        )
        .note(gone.map_or(known.clone(), |gone| format!("{gone}; {known}"))))
    }

    fn add(&mut self, node: Node) -> Result<usize, Illegal> {
        if self.nodes.iter().any(|n| n.name == node.name) {
            return Err(Illegal::new(
                codes::TX0302,
                format!("there is a loop `{}` already", node.name),
            ));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    /// Returns a loop that a step may still split, fuse or bind.
    fn find_uncut(&self, name: &str) -> Result<usize, Illegal> {
        let node = self.find(name)?;
        match self.nodes[node].run {
            Run::Serial => Ok(node),
            Run::On(processor) => Err(Illegal::new(
                codes::TX0306,
                format!("`{name}` is bound to {processor} already"),
            )
            .note("split and fuse loops before they are bound")),
            _ => Err(
                Illegal::new(codes::TX0306, format!("`{name}` is written out already"))
                    .note("split and fuse loops before they are unrolled or vectorized"),
            ),
        }
    }

    fn align(&mut self, name: &str, factor: i64) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        if !(2..=MAX_UNROLL).contains(&factor) || factor.count_ones() != 1 {
            return Err(Illegal::new(
                codes::TX0314,
                format!(
                    "`{name}` is aligned to {factor} elements, expected a power of two from 2 to {MAX_UNROLL}"
                ),
            ));
        }
        if let Some((other, _)) = self.aligned() {
            return Err(Illegal::new(
                codes::TX0314,
                format!("`{}` and `{name}` are both aligned", self.nodes[other].name),
            )
            .note("one vector cannot begin at aligned addresses of two loops"));
        }
        if node >= self.dims {
            return Err(Illegal::new(
                codes::TX0314,
                format!("`{name}` is no dimension of the iteration space"),
            )
            .note("align a dimension before it is split or fused"));
        }
        if !self.nodes[node].combines() {
            return Err(
                Illegal::new(codes::TX0314, format!("`{name}` is not reduced")).note(
                    "`align` takes a reduced dimension; vectors of others begin where a row does",
                ),
            );
        }
        self.split(name, factor, true)
    }

    /// Returns the dimension of the `align` step, and the number of elements of its vectors.
    pub(crate) fn aligned(&self) -> Option<(usize, i64)> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter_map(|(n, node)| match node.fate {
                Fate::Split {
                    aligned: true,
                    factor,
                    ..
                } => Some((n, factor)),
                _ => None,
            })
            .next()
    }

    fn split(&mut self, name: &str, factor: i64, aligned: bool) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        if !(1..=1 << 31).contains(&factor) {
            return Err(Illegal::new(
                codes::TX0312,
                format!(
                    "`{name}` is split by {factor}, expected a factor from 1 to {}",
                    1i64 << 31
                ),
            ));
        }
        if self.rfactors.contains(&node) {
            return Err(Illegal::new(
                codes::TX0311,
                format!("`{name}` is split after its `rfactor`"),
            )
            .note("split it first, and name the part whose partial results are kept"));
        }
        let Node {
            extent,
            reduced,
            apart,
            ..
        } = self.nodes[node].clone();
        let part = |suffix: &str, extent: Extent| Node {
            name: format!("{name}.{suffix}"),
            extent,
            fate: Fate::Loop,
            run: Run::Serial,
            reduced,
            apart,
            members: Vec::new(),
        };
        let tiles = match aligned {
            // The number of tiles is rounded up, so a row that is shorter than a vector still has
            // one tile.
            true => Extent::AtMost(Box::new(extent.ceildiv(factor))),
            false => extent.ceildiv(factor),
        };
        let outer = self.add(part("o", tiles))?;
        let inner = self.add(part("i", Extent::Static(factor)))?;
        self.nodes[node].fate = Fate::Split {
            outer,
            inner,
            factor,
            aligned,
        };
        let at = self.order.iter().position(|n| *n == node).unwrap_or(0);
        self.order.splice(at..=at, [outer, inner]);
        Ok(())
    }

    fn fuse(&mut self, names: &[String], to: &str) -> Result<(), Illegal> {
        if names.is_empty() || to.is_empty() {
            return Err(Illegal::new(
                codes::TX0313,
                "`fuse` takes the names of loops and that of the new one",
            ));
        }
        let members = names
            .iter()
            .map(|n| self.find_uncut(n))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(i) = (1..members.len()).find(|i| members[..*i].contains(&members[*i])) {
            return Err(Illegal::new(
                codes::TX0313,
                format!("`{}` is fused with itself", names[i]),
            ));
        }
        let reduced = self.nodes[members[0]].reduced;
        if let Some(other) = members.iter().find(|m| self.nodes[**m].reduced != reduced) {
            let (one, two) = (&names[0], &self.nodes[*other].name);
            return Err(Illegal::new(
                codes::TX0313,
                format!("`{one}` and `{two}` cannot be one loop"),
            )
            .note("one is reduced and the other is not"));
        }
        if let Some(m) = members.iter().find(|m| self.rfactors.contains(m)) {
            return Err(Illegal::new(
                codes::TX0311,
                format!("`{}` is fused after its `rfactor`", self.nodes[*m].name),
            ));
        }
        if let Some(m) = members.iter().find(|m| self.is_of_vectors(**m)) {
            return Err(Illegal::new(
                codes::TX0313,
                format!(
                    "`{}` has another length in each row, so it cannot be fused",
                    self.nodes[*m].name
                ),
            )
            .note("fuse loops of other dimensions, or split instead of `align`"));
        }
        let extents: Vec<Extent> = members
            .iter()
            .map(|m| self.nodes[*m].extent.clone())
            .collect();
        let extent = match extents
            .iter()
            .map(Extent::known)
            .collect::<Option<Vec<i64>>>()
        {
            Some(sizes) => Extent::Static(
                sizes
                    .into_iter()
                    .try_fold(1i64, i64::checked_mul)
                    .ok_or_else(|| {
                        Illegal::new(
                            codes::TX0319,
                            format!("`{to}` has more iterations than 64 bits can count"),
                        )
                    })?,
            ),
            None => Extent::Product(extents),
        };
        let fused = self.add(Node {
            name: to.to_owned(),
            extent,
            fate: Fate::Loop,
            run: Run::Serial,
            reduced,
            apart: false,
            members: members.clone(),
        })?;
        for (member, node) in members.iter().enumerate() {
            self.nodes[*node].fate = Fate::Fused {
                into: fused,
                member,
            };
        }
        let at = self
            .order
            .iter()
            .position(|n| members.contains(n))
            .unwrap_or(0);
        self.order[at] = fused;
        self.order.retain(|n| !members.contains(n));
        Ok(())
    }

    fn reorder(&mut self, names: &[String]) -> Result<(), Illegal> {
        let loops = names
            .iter()
            .map(|n| self.find(n))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(i) = (1..loops.len()).find(|i| loops[..*i].contains(&loops[*i])) {
            return Err(Illegal::new(
                codes::TX0310,
                format!("`{}` has two places in one order", names[i]),
            ));
        }
        let mut next = loops.iter();
        for place in &mut self.order {
            if loops.contains(place)
                && let Some(node) = next.next()
            {
                *place = *node;
            }
        }
        Ok(())
    }

    /// Returns loop `name`; the loop must have the same number of iterations in all rows.
    fn find_even(&self, name: &str) -> Result<usize, Illegal> {
        let node = self.find(name)?;
        match self.nodes[node].extent {
            Extent::AtMost(_) => Err(Illegal::new(
                codes::TX0314,
                format!("`{name}` has another length in each row"),
            )
            .note(format!("split it, and take `{name}.o` or `{name}.i`"))),
            _ => Ok(node),
        }
    }

    fn bind(&mut self, name: &str, processor: Processor) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        self.find_even(name)?;
        let taken = self
            .order
            .iter()
            .find(|n| self.nodes[**n].run == Run::On(processor));
        if let Some(other) = taken {
            return Err(Illegal::new(
                codes::TX0306,
                format!(
                    "`{}` and `{name}` are both bound to {processor}",
                    self.nodes[*other].name
                ),
            )
            .note("one loop runs on one processor; fuse the loops, or use another dimension"));
        }
        let most = match processor {
            Processor::Block(_) => None,
            Processor::Cluster(_) => Some(MAX_CLUSTER.into()),
            Processor::Thread(2) => Some(MAX_Z),
            Processor::Thread(_) => Some(MAX_THREADS.into()),
        };
        if let Some(most) = most {
            let Some(iterations) = self.nodes[node].extent.known() else {
                return Err(Illegal::new(
                    codes::TX0308,
                    format!(
                        "`{name}` has a number of iterations that is known at run time only, so it \
                     cannot be bound to {processor}"
                    ),
                )
                .note(format!("split it, and bind `{name}.i`")));
            };
            if iterations > most {
                return Err(Illegal::new(
                    codes::TX0307,
                    format!(
                        "`{name}` has {iterations} iterations, but {processor} takes at most {most}"
                    ),
                )
                .note("split it by less"));
            }
        }
        self.nodes[node].run = Run::On(processor);
        Ok(())
    }

    fn write_out(&mut self, name: &str, run: Run) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        let how = if run == Run::Vectorized {
            "vectorized"
        } else {
            "unrolled"
        };
        match self.nodes[node].extent.known() {
            Some(n) if n <= MAX_UNROLL => {}
            Some(n) => {
                return Err(Illegal::new(codes::TX0307, format!(
                    "`{name}` has {n} iterations, too many to be {how}; at most {MAX_UNROLL} can be"
                ))
                .note("split it by less"));
            }
            None => {
                return Err(Illegal::new(
                    codes::TX0308,
                    format!(
                        "`{name}` has a number of iterations that is known at run time only, so it \
                     cannot be {how}"
                    ),
                )
                .note(format!("split it, and take `{name}.i`")));
            }
        }
        self.nodes[node].run = run;
        Ok(())
    }

    pub(crate) fn on(&self, processor: Processor) -> Option<usize> {
        self.order
            .iter()
            .copied()
            .find(|n| self.nodes[*n].run == Run::On(processor))
    }

    /// Returns the loops bound to blocks, in the order x, y, z.
    pub(crate) fn on_blocks(&self) -> Vec<usize> {
        (0..3)
            .filter_map(|d| self.on(Processor::Block(d)))
            .collect()
    }

    /// Returns whether the iterations of dimension `dim` are distributed over blocks of different
    /// clusters.
    pub(crate) fn is_on_grid(&self, dim: usize) -> bool {
        let on_grid = |node: &usize| matches!(self.nodes[*node].run, Run::On(Processor::Block(_)));
        self.loops_of(dim).iter().any(on_grid)
    }

    /// Returns whether a thread other than the first of its block stores results.
    pub(crate) fn stores_from_several_threads(&self) -> bool {
        let block = self.block();
        (0..3).any(|d| {
            let on = self.on(Processor::Thread(d));
            block[d] > 1 && on.is_some_and(|n| !self.nodes[n].combines())
        })
    }

    pub(crate) fn block(&self) -> [i64; 3] {
        std::array::from_fn(|d| self.count_on(Processor::Thread(d)))
    }

    pub(crate) fn cluster(&self) -> [i64; 3] {
        std::array::from_fn(|d| self.count_on(Processor::Cluster(d)))
    }

    pub(crate) fn has_clusters(&self) -> bool {
        (0..3).any(|d| self.on(Processor::Cluster(d)).is_some())
    }

    /// Returns the number of threads, blocks or cluster blocks along one dimension: at least 1,
    /// also for a loop of 0 iterations.
    fn count_on(&self, processor: Processor) -> i64 {
        self.on(processor)
            .and_then(|n| self.nodes[n].extent.known())
            .map_or(1, |n| n.max(1))
    }

    /// Returns the loops that are not bound to threads or blocks, outermost first.
    pub(crate) fn serial(&self) -> Vec<usize> {
        let bound = |n: &usize| matches!(self.nodes[*n].run, Run::On(_));
        self.order.iter().copied().filter(|n| !bound(n)).collect()
    }

    /// Marks the reduced loops `names` as loops with separate partial results (`rfactor`).
    pub(crate) fn keep_apart(&mut self, names: &[String]) {
        for node in &mut self.nodes {
            node.apart |= names.contains(&node.name);
        }
        // Move these loops outside the first loop that combines.
        let first = self.order.iter().position(|n| self.nodes[*n].combines());
        let (before, within) = self.order.split_at(first.unwrap_or(self.order.len()));
        let (apart, others): (Vec<usize>, Vec<usize>) =
            within.iter().partition(|n| self.nodes[**n].apart);
        self.order = [before.to_vec(), apart, others].concat();
    }

    /// Returns the `rfactor` loops that are bound neither to threads nor to blocks of a cluster.
    /// The partial results of the returned loops are exchanged through global memory.
    pub(crate) fn global_rfactors(&self) -> Vec<usize> {
        let on_threads = |n: &usize| {
            let run = self.nodes[*n].run;
            matches!(run, Run::On(Processor::Thread(_) | Processor::Cluster(_)))
        };
        self.rfactors
            .iter()
            .copied()
            .filter(|n| !on_threads(n))
            .collect()
    }

    /// Checks the rules that apply to the schedule as a whole. If atomics cannot combine the
    /// results of several blocks, `atomics` contains the reason.
    pub(crate) fn check(&self, atomics: Option<&str>) -> Result<(), Illegal> {
        let block = self.block();
        let threads = block.iter().product::<i64>();
        if threads > i64::from(MAX_THREADS) {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "{}x{}x{} threads are {threads}, but a block has at most {MAX_THREADS}",
                    block[0], block[1], block[2]
                ),
            ));
        }
        let cluster = self.cluster();
        let blocks = cluster.iter().product::<i64>();
        if blocks > i64::from(MAX_CLUSTER) {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "{}x{}x{} blocks are {blocks}, but a cluster has at most {MAX_CLUSTER}",
                    cluster[0], cluster[1], cluster[2]
                ),
            ));
        }
        if self.last_block && self.has_clusters() {
            return Err(
                Illegal::new(codes::TX0315, "`last_block` counts blocks, not clusters")
                    .note("leave `last_block` away, or bind to blocks alone"),
            );
        }
        for node in &self.order {
            let Node { name, run, .. } = &self.nodes[*node];
            if let (true, Run::On(processor @ Processor::Block(_)), Some(reason)) =
                (self.nodes[*node].combines(), run, atomics)
            {
                return Err(Illegal::new(codes::TX0305, format!(
                    "`{name}` is reduced and bound to {processor}: several blocks would write one result"
                ))
                .note(format!("keep partial results with `#tile.rfactor<\"{name}\">`, or permit \
                               atomics: {reason}")));
            }
        }
        self.check_order()
    }

    /// Checks the loop order of one thread. A parallel loop inside a reduced loop must be unrolled
    /// or vectorized, so that each result has its own accumulator.
    fn check_order(&self) -> Result<(), Illegal> {
        let serial = self.serial();
        let vectors = serial.iter().position(|n| self.is_of_vectors(*n));
        let inside = vectors.map_or(&[][..], |first| &serial[first..]);
        if let (Some(outer), Some(other)) = (
            inside.first(),
            inside.iter().find(|n| !self.is_of_vectors(**n)),
        ) {
            return Err(Illegal::new(
                codes::TX0310,
                format!(
                    "`{}` lies within `{}`, whose length depends on it",
                    self.nodes[*other].name, self.nodes[*outer].name
                ),
            )
            .note("reorder it to the outside"));
        }
        let first = serial.iter().position(|n| self.nodes[*n].combines());
        let inner = first.map_or(&[][..], |i| &serial[i..]);
        let mut lanes = 1i64;
        for node in inner {
            let Node {
                name, extent, run, ..
            } = &self.nodes[*node];
            let written_out = matches!(run, Run::Unrolled | Run::Vectorized);
            if !self.nodes[*node].combines() && !written_out {
                return Err(Illegal::new(codes::TX0310, format!(
                    "`{name}` lies within the reduced loop `{}`: its partial results would need memory",
                    self.nodes[inner[0]].name
                ))
                .note("reorder it to the outside, unroll it, or vectorize it"));
            }
            if !self.nodes[*node].combines() || *run == Run::Vectorized {
                lanes = lanes.saturating_mul(extent.known().unwrap_or(1));
            }
        }
        let written: i64 = serial
            .iter()
            .filter(|n| matches!(self.nodes[**n].run, Run::Unrolled | Run::Vectorized))
            .fold(1, |n, l| {
                n.saturating_mul(self.nodes[*l].extent.known().unwrap_or(1))
            });
        if written > MAX_UNROLL * 4 || lanes > MAX_UNROLL {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "{written} iterations are written out with {lanes} partial results a thread, \
                     expected at most {} and {MAX_UNROLL}",
                    MAX_UNROLL * 4
                ),
            ));
        }
        let vectorized: Vec<usize> = serial
            .iter()
            .copied()
            .filter(|n| self.nodes[*n].run == Run::Vectorized)
            .collect();
        match vectorized.as_slice() {
            [] => Ok(()),
            [one] if serial.last() == Some(one) => Ok(()),
            [one] => Err(Illegal::new(
                codes::TX0309,
                format!(
                    "`{}` is vectorized, but not the innermost loop of a thread",
                    self.nodes[*one].name
                ),
            )
            .note("reorder it to the inside")),
            [one, two, ..] => Err(Illegal::new(
                codes::TX0309,
                format!(
                    "`{}` and `{}` are both vectorized",
                    self.nodes[*one].name, self.nodes[*two].name
                ),
            )
            .note("vectorize the innermost loop, and unroll others")),
        }
    }

    /// Returns whether the nest has a vectorized loop, so that threads load vectors, or scalars
    /// where vectors are unaligned.
    pub(crate) fn has_vectors(&self) -> bool {
        self.nodes.iter().any(|node| node.run == Run::Vectorized)
    }

    /// Returns the split loops that need a bounds check, because the last tile may be partial. A
    /// bounds check that the check of another loop implies is omitted.
    pub(crate) fn guards(&self) -> Vec<usize> {
        let mut guards = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            let Fate::Split {
                factor, aligned, ..
            } = node.fate
            else {
                continue;
            };
            if aligned || node.extent.is_multiple_of(factor) {
                continue;
            }
            // The bounds check of a split loop implies the check of its outer part.
            let implied = guards.iter().any(
                |g: &usize| matches!(self.nodes[*g].fate, Fate::Split { outer, .. } if outer == n),
            );
            if !implied {
                guards.push(n);
            }
        }
        guards
    }

    /// Returns whether loop `node` results from splits of the dimension of an `align` step.
    pub(crate) fn is_of_vectors(&self, node: usize) -> bool {
        self.aligned()
            .is_some_and(|(a, _)| a != node && self.descends(node, a))
    }

    fn descends(&self, node: usize, from: usize) -> bool {
        match self.nodes[from].fate {
            _ if node == from => true,
            Fate::Split { outer, inner, .. } => {
                self.descends(node, outer) || self.descends(node, inner)
            }
            Fate::Fused { into, .. } => self.descends(node, into),
            Fate::Loop => false,
        }
    }

    /// Returns the loops from which the index of `node` is computed.
    pub(crate) fn loops_of(&self, node: usize) -> Vec<usize> {
        match self.nodes[node].fate {
            Fate::Loop => vec![node],
            Fate::Split { outer, inner, .. } => {
                [self.loops_of(outer), self.loops_of(inner)].concat()
            }
            Fate::Fused { into, .. } => self.loops_of(into),
        }
    }

    /// Returns by how much `index` increases from one iteration of loop `node` to the next, or
    /// `None` if the increase varies.
    pub(crate) fn index_step(&self, index: &Affine, node: usize) -> Option<i64> {
        (0..self.dims)
            .filter(|d| index.uses(*d))
            .try_fold(0i64, |sum, d| {
                let along = index.step(d)?.checked_mul(self.step_of(d, node)?)?;
                sum.checked_add(along)
            })
    }

    /// Returns whether `index` at iteration 0 of loop `node` is always a multiple of `factor`.
    pub(crate) fn begins_at_multiples(&self, index: &Affine, node: usize, factor: i64) -> bool {
        (0..self.dims).filter(|d| index.uses(*d)).all(|d| {
            index
                .step(d)
                .is_some_and(|step| step % factor == 0 || self.is_multiple(d, node, factor))
        })
    }

    /// Returns whether the index of loop `of` at iteration 0 of loop `node` is always a multiple of
    /// `factor`.
    fn is_multiple(&self, of: usize, node: usize, factor: i64) -> bool {
        if of == node || self.nodes[of].extent.known().is_some_and(|n| n <= 1) {
            return true;
        }
        match self.nodes[of].fate {
            // Aligned vectors begin at an aligned address, and the element at an aligned address
            // can have any index.
            Fate::Split { aligned: true, .. } => false,
            Fate::Split {
                outer,
                inner,
                factor: by,
                ..
            } => {
                (by % factor == 0 || self.is_multiple(outer, node, factor))
                    && self.is_multiple(inner, node, factor)
            }
            Fate::Loop | Fate::Fused { .. } => false,
        }
    }

    /// Returns whether each accumulator of a thread combines elements in ascending order along
    /// `dim`, the only reduced dimension. If `shared` is set, all elements of a vector use one
    /// accumulator; otherwise each vector element has its own accumulator.
    pub(crate) fn ascends_along(&self, dim: usize, shared: bool) -> bool {
        let loops: Vec<usize> = self
            .serial()
            .into_iter()
            .filter(|n| {
                let is_own = !shared && self.nodes[*n].run == Run::Vectorized;
                self.nodes[*n].combines() && !is_own
            })
            .collect();
        loops.windows(2).all(|pair| {
            let span = self.nodes[pair[1]]
                .extent
                .known()
                .and_then(|n| self.step_of(dim, pair[1])?.checked_mul(n));
            let step = self.step_of(dim, pair[0]);
            matches!((step, span), (Some(step), Some(span)) if step >= span && span > 0)
        })
    }

    /// Returns by how much the index of dimension `dim` increases from one iteration of loop `node`
    /// to the next, or `None` if the increase varies.
    pub(crate) fn step_of(&self, dim: usize, node: usize) -> Option<i64> {
        if dim == node {
            return Some(1);
        }
        match self.nodes[dim].fate {
            Fate::Loop => Some(0),
            Fate::Split {
                outer,
                inner,
                factor,
                ..
            } => self
                .step_of(outer, node)?
                .checked_mul(factor)?
                .checked_add(self.step_of(inner, node)?),
            Fate::Fused { into, .. } => (!self.loops_of(into).contains(&node)).then_some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the index of loop `node` in the given iterations of the remaining loops.
    fn index(nest: &Nest, node: usize, at: &BTreeMap<usize, i64>) -> i64 {
        match nest.nodes[node].fate {
            Fate::Loop => at[&node],
            Fate::Split {
                outer,
                inner,
                factor,
                ..
            } => index(nest, outer, at) * factor + index(nest, inner, at),
            Fate::Fused { into, member } => {
                let length = |m: usize| nest.nodes[m].extent.known().unwrap_or(1);
                let members = &nest.nodes[into].members;
                let later: i64 = members[member + 1..].iter().map(|m| length(*m)).product();
                index(nest, into, at) / later % length(node)
            }
        }
    }

    /// Returns the points of the iteration space that the loops visit and whose bounds checks
    /// succeed.
    fn visited(nest: &Nest, dims: usize) -> Vec<Vec<i64>> {
        let length = |node: usize| nest.nodes[node].extent.known().unwrap_or(1);
        let count: i64 = nest.order.iter().map(|node| length(*node)).product();
        let guards = nest.guards();
        let mut points = Vec::new();
        for i in 0..count {
            let mut rest = i;
            let mut at = BTreeMap::new();
            for node in &nest.order {
                at.insert(*node, rest % length(*node));
                rest /= length(*node);
            }
            let holds = |guard: &usize| index(nest, *guard, &at) < length(*guard);
            if guards.iter().all(holds) {
                points.push((0..dims).map(|dim| index(nest, dim, &at)).collect());
            }
        }
        points
    }

    proptest! {
        /// Every legal schedule visits each point of the iteration space once, and no other point.
        #[test]
        fn every_point_is_visited_once(
            extents in prop::collection::vec(1_i64..8, 1..4),
            reduced in any::<bool>(),
            steps in prop::collection::vec((0_usize..3, any::<usize>(), 1_i64..6), 0..6),
        ) {
            let dims = extents.len();
            let lengths: Vec<Extent> = extents.iter().map(|n| Extent::Static(*n)).collect();
            let last = [dims - 1];
            let mut nest = Nest::new(&lengths, if reduced { &last } else { &[] });
            for (number, (what, which, factor)) in steps.into_iter().enumerate() {
                let name = |i: usize| nest.nodes[nest.order[i % nest.order.len()]].name.clone();
                let step = match what {
                    0 => split(&name(which), factor),
                    1 => Step::Fuse(vec![name(which), name(which + 1)], format!("p{number}")),
                    _ => Step::Reorder(vec![name(which), name(which + 1)]),
                };
                // An illegal step is ignored.
                if let Ok(next) = nest.clone().apply(&[step]) {
                    nest = next;
                }
            }
            let points = visited(&nest, dims);
            let distinct: BTreeSet<&Vec<i64>> = points.iter().collect();
            prop_assert_eq!(points.len(), distinct.len(), "{:?}", names(&nest));
            prop_assert_eq!(points.len() as i64, extents.iter().product::<i64>());
            let within = |p: &&Vec<i64>| p.iter().zip(&extents).all(|(i, n)| (0..*n).contains(i));
            prop_assert!(distinct.iter().all(within));
        }

        #[test]
        fn quotients_are_rounded_up(n in 0..=i64::MAX, by in 1..=i64::MAX) {
            let quotient = i128::from(ceildiv(n, by));
            let (n, by) = (i128::from(n), i128::from(by));
            prop_assert!(quotient * by >= n && (quotient - 1) * by < n);
        }
    }

    fn matrix() -> Nest {
        Nest::new(&[Extent::Dim(0), Extent::Static(100)], &[1])
    }

    fn names(nest: &Nest) -> Vec<&str> {
        nest.order
            .iter()
            .map(|n| nest.nodes[*n].name.as_str())
            .collect()
    }

    fn split(name: &str, factor: i64) -> Step {
        Step::Split(name.to_owned(), factor)
    }

    /// A split replaces a loop by an outer and an inner loop. The index of the original loop has a
    /// bounds check only if the last tile may be partial.
    #[test]
    fn splits_are_guarded_where_they_may_be_uneven() {
        let nest = matrix()
            .apply(&[split("d0", 32), split("d1", 25), split("d1.i", 10)])
            .unwrap();
        assert_eq!(names(&nest), ["d0.o", "d0.i", "d1.o", "d1.i.o", "d1.i.i"]);
        let guarded: Vec<&str> = nest
            .guards()
            .into_iter()
            .map(|n| nest.nodes[n].name.as_str())
            .collect();
        assert_eq!(guarded, ["d0", "d1.i"]);
    }

    /// The outer loop of a split needs no bounds check if the split loop has a bounds check.
    #[test]
    fn the_guard_of_the_whole_implies_that_of_its_outer_part() {
        let nest = matrix()
            .apply(&[split("d1", 16), split("d1.o", 4)])
            .unwrap();
        assert_eq!(nest.guards(), [1]);
        let even = matrix()
            .apply(&[split("d1", 10), split("d1.o", 4)])
            .unwrap();
        let outer = even.nodes.iter().position(|n| n.name == "d1.o").unwrap();
        assert_eq!(even.guards(), [outer]);
    }

    /// `step_of` follows splits and returns `None` for fused loops.
    #[test]
    fn steps_follow_splits_and_stop_at_fused_loops() {
        let nest = matrix()
            .apply(&[split("d1", 16), split("d1.i", 4)])
            .unwrap();
        let step = |name: &str| nest.step_of(1, nest.find(name).unwrap());
        assert_eq!(
            (step("d1.o"), step("d1.i.o"), step("d1.i.i")),
            (Some(16), Some(4), Some(1))
        );
        assert_eq!(step("d0"), Some(0));
        let both = Nest::new(&[Extent::Dim(0), Extent::Dim(1)], &[])
            .apply(&[Step::Fuse(vec!["d0".into(), "d1".into()], "p".into())])
            .unwrap();
        assert_eq!(both.step_of(1, both.find("p").unwrap()), None);
    }

    #[test]
    fn reordering_leaves_other_loops_in_place() {
        let three = [Extent::Static(2), Extent::Static(3), Extent::Static(4)];
        let nest = Nest::new(&three, &[]).apply(&[Step::Reorder(vec!["d2".into(), "d0".into()])]);
        assert_eq!(names(&nest.unwrap()), ["d2", "d1", "d0"]);
    }
}
