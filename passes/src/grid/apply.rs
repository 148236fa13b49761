//! Applies the steps of a schedule to a loop nest.

use super::extent::Extent;
use super::nest::{Illegal, LoopKind, LoopRelation, MAX_UNROLL, Nest, Node};
use super::steps::{Processor, Step};
use tx_mlir::codes;
use tx_target::{MAX_CLUSTER, MAX_RESIDENT, MAX_THREADS};

/// Maximum number of threads of a block along z.
const MAX_Z: i64 = 64;

/// Maximum number of steps in a schedule; the limit bounds the depth of the loop nest.
const MAX_STEPS: usize = 128;

impl Nest {
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
        // Loops that appear in rejected steps. Later steps with such a loop are not checked,
        // because an error about these steps may be only a consequence of the first error.
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
                        format!("`{name}` has two `#tile.rfactor` steps"),
                    ));
                }
                self.rfactors.push(node);
                Ok(())
            }
            Step::Unroll(name) => self.unroll(name, LoopKind::Unrolled),
            Step::Vectorize(name) => self.unroll(name, LoopKind::Vectorized),
            Step::Stream => {
                self.evict_first = true;
                Ok(())
            }
            Step::EvictLast => {
                self.evict_last = true;
                Ok(())
            }
            Step::Prefetch => {
                self.prefetches = true;
                Ok(())
            }
            Step::Resident(threads) => {
                let most = i64::from(MAX_RESIDENT);
                if !(1..=most).contains(threads) {
                    return Err(Illegal::new(
                        codes::TX0325,
                        format!("`#tile.resident<{threads}>`: expected 1 to {most} threads per SM"),
                    ));
                }
                self.resident = Some(*threads);
                Ok(())
            }
            Step::Hold(name, residency) => {
                if self.holds.iter().any(|(known, _)| known == name) {
                    return Err(Illegal::new(
                        codes::TX0327,
                        format!("`{name}` has two `#tile.hold` steps"),
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

    pub(crate) fn find(&self, name: &str) -> Result<usize, Illegal> {
        if let Some(node) = self.order.iter().find(|n| self.nodes[**n].name == name) {
            return Ok(*node);
        }
        let gone = self
            .nodes
            .iter()
            .find(|n| n.name == name)
            .map(|n| match &n.relation {
                LoopRelation::Split { outer, inner, .. } => format!(
                    "it was split into `{}` and `{}`",
                    self.nodes[*outer].name, self.nodes[*inner].name
                ),
                LoopRelation::Fused { into, .. } => {
                    format!("it was fused into `{}`", self.nodes[*into].name)
                }
                LoopRelation::Loop => String::new(),
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

    /// Returns the loop with name `name`, or an error if a step has already split, fused, bound,
    /// unrolled or vectorized the loop.
    fn find_uncut(&self, name: &str) -> Result<usize, Illegal> {
        let node = self.find(name)?;
        match self.nodes[node].kind {
            LoopKind::Serial => Ok(node),
            LoopKind::Bound(processor) => Err(Illegal::new(
                codes::TX0306,
                format!("`{name}` is bound to {processor} already"),
            )
            .note("split and fuse loops before they are bound")),
            _ => Err(Illegal::new(
                codes::TX0306,
                format!("`{name}` is already unrolled or vectorized"),
            )
            .note("split and fuse loops before they are unrolled or vectorized")),
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
            .note("use `#tile.align` for one dimension only"));
        }
        if node >= self.dims {
            return Err(Illegal::new(
                codes::TX0314,
                format!("`{name}` is not a dimension of the iteration space"),
            )
            .note("align a dimension before it is split or fused"));
        }
        if !self.nodes[node].combines() {
            return Err(
                Illegal::new(codes::TX0314, format!("`{name}` is not reduced")).note(
                    "`#tile.align` requires a reduced dimension; vectors along other dimensions \
                     begin at the start of a row",
                ),
            );
        }
        self.split(name, factor, true)
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
            .note("split the loop first, and use `#tile.rfactor` on one of the two new loops"));
        }
        let Node {
            extent,
            reduced,
            is_rfactor,
            ..
        } = self.nodes[node].clone();
        let part = |suffix: &str, extent: Extent| Node {
            name: format!("{name}.{suffix}"),
            extent,
            relation: LoopRelation::Loop,
            kind: LoopKind::Serial,
            reduced,
            is_rfactor,
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
        self.nodes[node].relation = LoopRelation::Split {
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
                "`#tile.fuse` requires the names of the loops and the name of the fused loop",
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
                format!("`{one}` and `{two}` cannot be fused"),
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
                    "the length of `{}` differs between rows, so the loop cannot be fused",
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
            relation: LoopRelation::Loop,
            kind: LoopKind::Serial,
            reduced,
            is_rfactor: false,
            members: members.clone(),
        })?;
        for (member, node) in members.iter().enumerate() {
            self.nodes[*node].relation = LoopRelation::Fused {
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
                format!("`{}` occurs twice in one `#tile.reorder`", names[i]),
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
                format!("the length of `{name}` differs between rows"),
            )
            .note(format!("split the loop, and use `{name}.o` or `{name}.i`"))),
            _ => Ok(node),
        }
    }

    fn bind(&mut self, name: &str, processor: Processor) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        self.find_even(name)?;
        let taken = self
            .order
            .iter()
            .find(|n| self.nodes[**n].kind == LoopKind::Bound(processor));
        if let Some(other) = taken {
            return Err(Illegal::new(
                codes::TX0306,
                format!(
                    "`{}` and `{name}` are both bound to {processor}",
                    self.nodes[*other].name
                ),
            )
            .note(
                "only one loop can be bound to each block, cluster or thread dimension; fuse the \
                 loops, or use another dimension",
            ));
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
                        "`{name}` has a dynamic number of iterations, so it cannot be bound to \
                         {processor}"
                    ),
                )
                .note(format!("split the loop, and bind `{name}.i`")));
            };
            if iterations > most {
                return Err(Illegal::new(
                    codes::TX0307,
                    format!(
                        "`{name}` has {iterations} iterations, but {processor} takes at most {most}"
                    ),
                )
                .note("split the loop, and bind only one of the two loops"));
            }
        }
        self.nodes[node].kind = LoopKind::Bound(processor);
        Ok(())
    }

    fn unroll(&mut self, name: &str, kind: LoopKind) -> Result<(), Illegal> {
        let node = self.find_uncut(name)?;
        let how = if kind == LoopKind::Vectorized {
            "vectorized"
        } else {
            "unrolled"
        };
        match self.nodes[node].extent.known() {
            Some(n) if n <= MAX_UNROLL => {}
            Some(n) => {
                return Err(Illegal::new(
                    codes::TX0307,
                    format!(
                        "`{name}` has {n} iterations, too many to be {how}, expected at most \
                         {MAX_UNROLL}"
                    ),
                )
                .note("split the loop, and unroll or vectorize only one of the two loops"));
            }
            None => {
                return Err(Illegal::new(
                    codes::TX0308,
                    format!("`{name}` has a dynamic number of iterations, so it cannot be {how}"),
                )
                .note(format!("split the loop, and use `{name}.i`")));
            }
        }
        self.nodes[node].kind = kind;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the index of loop `node`; `at` contains the iteration number of each loop that no
    /// step has split or fused.
    fn index(nest: &Nest, node: usize, at: &BTreeMap<usize, i64>) -> i64 {
        match nest.nodes[node].relation {
            LoopRelation::Loop => at[&node],
            LoopRelation::Split {
                outer,
                inner,
                factor,
                ..
            } => index(nest, outer, at) * factor + index(nest, inner, at),
            LoopRelation::Fused { into, member } => {
                let length = |m: usize| nest.nodes[m].extent.known().unwrap_or(1);
                let members = &nest.nodes[into].members;
                let later: i64 = members[member + 1..].iter().map(|m| length(*m)).product();
                index(nest, into, at) / later % length(node)
            }
        }
    }

    /// Returns the points of the iteration space that the loops visit, except for points at which a
    /// bounds check fails.
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
                // The test ignores illegal steps.
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

    /// A split replaces a loop by an outer and an inner loop. The index of the split loop has no
    /// bounds check if the factor of the split divides the length of the loop.
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

    /// If a loop with a bounds check is split, the outer loop of the split needs no bounds check.
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

    /// For each loop of a split, `step_of` returns the increase of the dimension index per
    /// iteration; for a fused loop, `step_of` returns `None`.
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
