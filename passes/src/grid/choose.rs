//! The schedule of a job that brings none.
//!
//! Neighbouring threads take neighbouring elements. Where those are elements of one result, a group
//! of threads reduces it; where they belong to neighbouring results, each thread has a result of its
//! own. A reduction with few results and many elements is cut over blocks, which leave partial
//! results that the last of them or another kernel combines: always equally many, so that the same
//! elements are combined in the same order however long it is.

use super::job::{Access, Job, Work};
use super::nest::{Extent, MAX_UNROLL};
use super::steps::{Case, Processor, Step};
use crate::variants::parts::is_packed;
use tx_mlir::{attribute, byte_width};
use tx_target::PORTABLE_CLUSTER;

/// Threads of a block.
const THREADS: i64 = 256;
/// Lanes of a warp.
const LANES: i64 = 32;
/// Bytes of a vector.
const VECTOR: i64 = 16;
/// Vectors that a thread loads before it uses the first: with 64 bytes a thread, the threads of a multiprocessor have enough
/// under way to hide the latency of memory.
const UNDER_WAY: i64 = 4;
/// Elements of a column that a thread loads at once, where it has several columns and where it has one.
const DOWN: [i64; 2] = [8, 16];
/// Most partial results of a thread.
const MOST_PARTS: i64 = 32;
/// Ops that are written out, at most: elements of a thread times what each takes.
const MOST_WRITTEN: i64 = 1024;
/// So few elements are loaded one by one: where a thread has a vector alone, LLVM joins its load with those of the way
/// for arrays that are not aligned, and nothing is left of it.
const FEW: i64 = 4096;
/// A result with at most so many elements is one thread's, where vectors cannot be loaded.
const SHORT: i64 = 16;
/// Rows of fewer bytes leave part of a cache line to the next request, which should find it in the cache.
const STREAMED: i64 = 256;
/// A reduction with at least so many elements is cut over blocks, when there are few results.
const VERY_LONG: i64 = 1 << 16;
/// A row with at least so many elements is cut over blocks, however many rows there are.
const ENDLESS: i64 = 1 << 18;
/// Elements from which on the last of the blocks that share a row is faster than another kernel. Where blocks have little to do,
/// a fence and an atomic access take each of them as long.
const LARGE: i64 = 1 << 26;
/// Blocks of a cluster that [`candidates`] has.
const CLUSTERS: [i64; 3] = [2, 4, PORTABLE_CLUSTER as i64];
/// As many blocks as keep a device busy, two for each multiprocessor.
const BUSY: i64 = 256;
/// Blocks among which one result is cut: four for each multiprocessor of an H200.
const CUTS: i64 = 528;
/// Where it is one of several, no fewer: what is left over for the last of them costs little then.
const LEAST_CUTS: i64 = 16;
/// Blocks among which each of many very long rows is cut.
const SHARES: i64 = 64;

/// Rows of up to so many elements, shortest first: how many threads reduce one, and what each has under way. Elements one
/// by one take less code, which takes time to compile, and a warp's loads of 4 bytes each are as fast as vectors.
const ROWS: [(i64, Group); 6] = [
    (8, Group::new([1, 8, 1, THREADS])),
    (16, Group::new([2, 8, 1, THREADS])),
    (32, Group::new([4, 8, 1, THREADS / 2])),
    (64, Group::new([8, 8, 1, THREADS / 2])),
    (256, Group::new([LANES / 2, 8, 1, THREADS / 2])),
    (4096, Group::new([LANES, 8, 1, THREADS])),
];
/// The same where an element takes many ops.
const HEAVY_ROWS: [(i64, Group); 1] = [(2048, Group::new([LANES, 4, 1, THREADS]))];
/// Rows of up to so many elements where combining takes at least [`COSTLY_OPS`], and how many threads reduce one: the fewer
/// there are, the fewer exchanges.
const COSTLY: [(i64, i64); 3] = [(128, 4), (512, 8), (2048, 16)];
/// Vectors of a longer row for each of its threads, the fewest where combining takes one op, more where several numbers are exchanged by
/// [`HEAVY`] ops or more, and by [`COSTLY_OPS`] or more: with few, many threads have loads under way; with many, few exchange.
const EACH: [i64; 3] = [2, 4, 8];
/// The longest rows, where their length is known at run time: each is a block's. As vectors, and one by one where an element takes many ops.
const LONGEST: [Group; 2] = [
    Group::new([THREADS, 2, 1, THREADS]),
    Group::new([THREADS, 2 * UNDER_WAY, 1, THREADS]),
];
/// Up to so many of them, where their number is known at run time too, have so many times the threads and are cut over so many blocks each:
/// with more blocks, a row alone would be faster, and several that are not so long slower.
const FEW_ROWS: [(i64, i64, i64); 2] = [(4, 2, SHARES), (LANES, 1, LEAST_CUTS)];
/// Columns of up to so many rows are no block's to share, where their number is known at run time only.
const SHORT_COLUMNS: i64 = 1 << 10;
/// Up to so many columns, each row of which has so many threads, are cut over so many blocks.
const FEW_COLUMNS: [(i64, i64, i64); 2] = [(64, LANES / 2, CUTS / 2), (1 << 10, LANES, SHARES)];
/// Ops of an element that are many.
const HEAVY: i64 = 8;
/// Ops of an element that are so many that they take as long as the memory: a function is among them.
const COSTLY_OPS: i64 = 24;
/// Elements of one result that one block reduces, without partial results that wait for other blocks; the second where
/// their number is known.
const SMALL: [(i64, Group); 2] = [
    (1 << 12, Group::new([THREADS, 16, 1, THREADS])),
    (1 << 14, Group::new([4 * THREADS, 16, 1, 4 * THREADS])),
];
/// Elements of one result that fewer blocks reduce than [`CUTS`], and their number: the fewer count, the sooner the last knows.
/// The first is for numbers that are known.
const MEDIUM: [(i64, Group, i64); 3] = [
    (1 << 16, Group::new([THREADS, 16, 1, THREADS]), 16),
    (1 << 18, Group::new([THREADS, 8, 1, THREADS]), 64),
    (1 << 20, Group::new([THREADS, 16, 1, THREADS]), 128),
];

/// What blocks of a cluster share, as sums, maxima and argmax on an H200 had it: a barrier of the cluster takes less time than a fence, an
/// atomic access and a look at what others left, and there is no other kernel. But a cluster has few blocks.
struct Clusters {
    /// One result of up to so many elements, and by whom.
    alone: (i64, Group, i64),
    /// Of up to so many results: blocks of each, and the least bytes that are worth it.
    rows: [(i64, i64, i64); 4],
    /// Blocks that keep the device busy whatever each has to do; fewer are enough for rows of so many elements.
    busy: (i64, i64),
    /// The threads for rows of up to so many elements, which are loaded one by one, and for longer ones.
    groups: [(i64, Group); 2],
    /// Most elements that a thread reduces of columns, bytes of a column's neighbours that a row of threads loads, and loads
    /// of a thread.
    columns: (i64, i64, i64),
}

const SHARED: Clusters = Clusters {
    alone: (
        1 << 17,
        Group::new([2 * THREADS, 8, 1, 2 * THREADS]),
        PORTABLE_CLUSTER as i64,
    ),
    rows: [
        (32, 8, 1 << 16),
        (64, 4, 1 << 16),
        (128, 2, 1 << 16),
        (256, 2, 1 << 18),
    ],
    busy: (128, 1 << 16),
    groups: [
        (1 << 15, Group::new([THREADS, 8, 1, THREADS])),
        (i64::MAX, Group::new([2 * THREADS, 4, 1, 2 * THREADS])),
    ],
    columns: (64, 128, 8),
};

/// Bytes that memory gives at least.
const SECTOR: i64 = 32;
/// Threads of a row and loads of each that [`candidates`] has, those first that are good most often.
const LANES_TRIED: [i64; 10] = [32, 256, 8, 16, 512, 64, 4, 2, 1, 1024];
const LOADS_TRIED: [i64; 5] = [4, 8, 16, 2, 1];

/// The schedule for each length; with `clusters`, blocks of one share what is in [`SHARED`].
pub(crate) fn choose(job: &Job<'_>, clusters: bool) -> Vec<Case> {
    let classes = Chooser::of(job, clusters).by_length();
    classes.unwrap_or_else(|| choose_one(job, clusters))
}

/// The schedule for all lengths: for what combines partial results, which are few whatever the lengths of the whole are.
pub(crate) fn choose_one(job: &Job<'_>, clusters: bool) -> Vec<Case> {
    let mut chooser = Chooser::of(job, clusters);
    chooser.run();
    vec![Case::always(chooser.steps)]
}

/// Other schedules that may be as good, or better where what [`choose`] knows does not hold; those for `clusters` too, where
/// there are such.
pub(crate) fn candidates(job: &Job<'_>, clusters: bool) -> Vec<Vec<Case>> {
    Chooser::of(job, clusters).candidates()
}

struct Chooser<'a, 'c> {
    job: &'a Job<'c>,
    /// Whether the order of partial results must not follow from how many results there are.
    fixed: bool,
    /// Whether there are clusters.
    clusters: bool,
    /// The dimension along which elements are neighbours.
    nearest: Option<usize>,
    steps: Vec<Step>,
}

/// How the elements of a row are loaded.
#[derive(Clone, Copy)]
enum Vectors {
    /// One by one.
    None,
    /// So many at once, from where the row begins.
    Plain(i64),
    /// So many at once, from the first aligned address.
    Aligned(i64),
}

impl Vectors {
    fn width(self) -> i64 {
        match self {
            Self::None => 1,
            Self::Plain(n) | Self::Aligned(n) => n,
        }
    }
}

/// How many threads reduce a row, and what each has under way.
#[derive(Clone, Copy)]
struct Group {
    lanes: i64,
    /// Loads of one row.
    under_way: i64,
    /// Rows.
    rows: i64,
    threads: i64,
}

impl Group {
    const fn new([lanes, under_way, rows, threads]: [i64; 4]) -> Self {
        Self {
            lanes,
            under_way,
            rows,
            threads,
        }
    }

    /// With so many times the threads.
    const fn wider(self, times: i64) -> Self {
        Self {
            lanes: self.lanes * times,
            threads: self.threads * times,
            ..self
        }
    }
}

/// Which blocks a result is made by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// One, of which there are as many as it takes.
    One,
    /// One of so many that take turns at results.
    InTurns(i64),
    /// So many, whose partial results another kernel combines.
    ThenAnother(i64),
    /// So many, of which the last combines what all have left.
    ThenLast(i64),
    /// Those of a cluster of so many.
    Cluster(i64),
}

impl Blocks {
    /// How many share a result.
    fn sharing(self) -> i64 {
        match self {
            Self::One | Self::InTurns(_) => 1,
            Self::ThenAnother(n) | Self::ThenLast(n) | Self::Cluster(n) => n,
        }
    }
}

/// How rows are reduced: by these threads, as these vectors, by these blocks.
#[derive(Clone, Copy)]
struct Rows {
    group: Group,
    vectors: Vectors,
    blocks: Blocks,
    /// The most elements that one has, where that is known.
    most: Option<i64>,
}

impl Rows {
    /// With a block for each row or for several.
    const fn new(group: Group, vectors: Vectors, most: Option<i64>) -> Self {
        Self {
            group,
            vectors,
            blocks: Blocks::One,
            most,
        }
    }
}

/// Threads across and rows that each has under way, and the blocks that share columns.
struct Columns {
    across: i64,
    under_way: i64,
    threads: i64,
    blocks: Blocks,
}

impl<'a, 'c> Chooser<'a, 'c> {
    fn of(job: &'a Job<'c>, clusters: bool) -> Self {
        let fixed = attribute(job.op, "determinism")
            .is_some_and(|a| a.to_string().contains("batch_invariant"));
        Self {
            job,
            fixed,
            clusters,
            nearest: if fixed { last(job) } else { nearest(job) },
            steps: Vec::new(),
        }
    }

    fn candidates(&mut self) -> Vec<Vec<Case>> {
        let clusters = if self.clusters {
            CLUSTERS.as_slice()
        } else {
            &[]
        };
        let job = self.job;
        let kept: Vec<usize> = (0..job.extents.len())
            .filter(|d| !job.axes.contains(d))
            .collect();
        let length = self.total(&job.axes);
        let is_plain = matches!(job.work, Work::Combine(..)) && job.partials.is_empty();
        if !is_plain || job.axes.is_empty() || self.fixed || length.is_some_and(|n| n <= 1) {
            return Vec::new();
        }
        if let Some(nearest) = self.nearest
            && kept.contains(&nearest)
        {
            self.column_candidates(&kept, nearest, length, clusters)
        } else {
            let inner = self.nearest.filter(|d| job.axes.contains(d));
            self.row_candidates(
                &kept,
                inner.unwrap_or(job.axes[job.axes.len() - 1]),
                clusters,
            )
        }
    }

    fn row_candidates(&mut self, kept: &[usize], inner: usize, clusters: &[i64]) -> Vec<Vec<Case>> {
        let job = self.job;
        let together = job.axes.len() > 1;
        if together && self.total(&job.axes).is_none() {
            return Vec::new();
        }
        let most = self.total(&job.axes);
        let mut all: Vec<Vec<Case>> = Vec::new();
        let loads = match self.vectors(inner) {
            Vectors::Aligned(_) if together => vec![Vectors::None],
            Vectors::None => vec![Vectors::None],
            vectors => vec![Vectors::None, vectors],
        };
        let few = self.total(kept).is_some_and(|n| n <= BUSY);
        let cuts = match few {
            true => [LEAST_CUTS, CUTS / 4, CUTS, 4 * CUTS].as_slice(),
            false => &[],
        };
        let turns = match kept.is_empty() {
            true => [].as_slice(),
            false => &[CUTS, 2 * CUTS],
        };
        let shared = |n: &i64| [Blocks::ThenAnother(*n), Blocks::ThenLast(*n)];
        let blocks: Vec<Blocks> = std::iter::once(Blocks::One)
            .chain(cuts.iter().flat_map(shared))
            .chain(turns.iter().map(|n| Blocks::InTurns(*n)))
            .chain(clusters.iter().map(|n| Blocks::Cluster(*n)))
            .collect();
        let pairs = LANES_TRIED
            .into_iter()
            .flat_map(|lanes| LOADS_TRIED.map(|under_way| (lanes, under_way)));
        let groups: Vec<Group> = pairs
            .flat_map(|(lanes, under_way)| [1, 2, 4].map(|rows| [lanes, under_way, rows]))
            .map(|[lanes, under_way, rows]| {
                Group::new([lanes, under_way, rows, lanes.max(THREADS)])
            })
            .collect();
        for vectors in loads {
            for (group, blocks) in groups
                .iter()
                .flat_map(|g| blocks.iter().map(move |c| (*g, *c)))
            {
                let rows = Rows {
                    blocks,
                    ..Rows::new(group, vectors, most)
                };
                if self.is_worth_a_try(kept, &rows) {
                    self.write_rows(kept, inner, together, rows);
                    all.push(vec![Case::always(std::mem::take(&mut self.steps))]);
                }
            }
        }
        all
    }

    /// Whether rows of this length may be reduced well like that.
    fn is_worth_a_try(&self, kept: &[usize], rows: &Rows) -> bool {
        let Rows {
            group,
            vectors,
            blocks,
            most,
        } = rows;
        let across = group.lanes * vectors.width();
        let tile = across * group.under_way;
        let fits = most.is_none_or(|n| tile / 2 < n && n <= 256 * tile * blocks.sharing());
        // Blocks that wait for each other should each have something to do, and one row.
        let is_shared = !matches!(blocks, Blocks::Cluster(_))
            || group.rows == 1
                && group.lanes >= THREADS
                && most.is_none_or(|n| n >= tile * blocks.sharing());
        // Rows are loaded together, and by few loads each, where a thread has all of its part at once.
        let is_whole = most.is_some_and(|n| n <= tile);
        let has_enough = is_whole || group.under_way >= UNDER_WAY && group.rows == 1;
        let is_block = !kept.is_empty() || group.rows == 1 && group.lanes >= THREADS / 2;
        let width = self.width().unwrap_or(VECTOR);
        let fills_sectors =
            across * width >= SECTOR || most.is_some_and(|n| n <= 2 * SECTOR / width);
        let written = group.rows * group.under_way * vectors.width();
        let is_short = written <= MAX_UNROLL && !self.is_too_much(written);
        fits && has_enough && is_block && is_shared && fills_sectors && is_short
    }

    fn column_candidates(
        &mut self,
        kept: &[usize],
        nearest: usize,
        length: Option<i64>,
        clusters: &[i64],
    ) -> Vec<Vec<Case>> {
        let mut all = Vec::new();
        let blocks: Vec<Blocks> = [CUTS, 8 * CUTS]
            .into_iter()
            .flat_map(|cuts| [Blocks::ThenAnother(cuts), Blocks::ThenLast(cuts)])
            .chain([Blocks::One])
            .chain(clusters.iter().map(|n| Blocks::Cluster(*n)))
            .collect();
        for across in [8, 16, 32, 64, 128, 256] {
            for under_way in [4, 8, 16] {
                for share in &blocks {
                    let (vector, groups) = self.column_vectors(kept, nearest);
                    let down = THREADS / across;
                    let blocks = groups.map_or(CUTS, |n| ceildiv(n, across));
                    let most = length.map_or(i64::MAX, |n| n / (2 * down * under_way));
                    // Among all columns.
                    let parts = |cuts: i64| ceildiv(cuts, blocks.max(1)).min(most);
                    let share = match *share {
                        Blocks::ThenAnother(cuts) => Blocks::ThenAnother(parts(cuts)),
                        Blocks::ThenLast(cuts) => Blocks::ThenLast(parts(cuts)),
                        other => other,
                    };
                    let fits = length.is_none_or(|n| n >= under_way * down * share.sharing())
                        && groups.is_none_or(|n| across / 2 < n);
                    let is_alone = share != Blocks::One && share.sharing() < 2;
                    if !fits || is_alone || self.is_too_much(under_way * vector) {
                        continue;
                    }
                    self.write_columns(
                        kept,
                        nearest,
                        vector,
                        &Columns {
                            across,
                            under_way,
                            threads: THREADS,
                            blocks: share,
                        },
                    );
                    all.push(vec![Case::always(std::mem::take(&mut self.steps))]);
                }
            }
        }
        all
    }

    /// A schedule for each of some lengths, where these are known at run time only.
    fn by_length(&mut self) -> Option<Vec<Case>> {
        let job = self.job;
        let nearest = self.nearest?;
        if !job.partials.is_empty() || !matches!(job.work, Work::Combine(..)) {
            return None;
        }
        let kept: Vec<usize> = (0..job.extents.len())
            .filter(|d| !job.axes.contains(d))
            .collect();
        match kept == [nearest] {
            true => self.columns_by_length(nearest),
            false => self.rows_by_length(&kept, nearest),
        }
    }

    /// Rows of a length, or a number, that is known at run time only.
    fn rows_by_length(&mut self, kept: &[usize], inner: usize) -> Option<Vec<Case>> {
        let job = self.job;
        let vectors = self.vectors(inner);
        if job.axes != [inner] || job.extents[inner].known().is_some() || vectors.width() == 1 {
            return None;
        }
        let one_by_one = |(most, group): (i64, Group), blocks: Blocks| Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(most))
        };
        let mut classes: Vec<((usize, i64), Rows)> = Vec::new();
        let mut up_to = |class: Rows| classes.extend(class.most.map(|n| ((inner, n), class)));
        if kept.is_empty() {
            up_to(one_by_one(SMALL[0], Blocks::One));
            let (most, group, blocks) = SHARED.alone;
            // As many kernels with clusters as without.
            let medium = MEDIUM[1..].iter().skip(usize::from(self.clusters));
            if self.clusters {
                up_to(one_by_one((most, group), Blocks::Cluster(blocks)));
            }
            medium.for_each(|(most, group, cuts)| {
                up_to(one_by_one((*most, *group), Blocks::ThenLast(*cuts)));
            });
        } else {
            let short = match self.is_heavy() {
                true => HEAVY_ROWS.as_slice(),
                false => &ROWS,
            };
            short
                .iter()
                .for_each(|class| up_to(one_by_one(*class, Blocks::One)));
        }
        // The longest get a block each, or several where they are few, unless how a row is reduced must not follow from that.
        let [by_vectors, one_by_one] = LONGEST;
        let mut longest = match self.is_heavy() {
            true => Rows::new(one_by_one, Vectors::None, None),
            false => Rows::new(by_vectors, vectors, None),
        };
        if let [number] = kept
            && !self.fixed
        {
            let cut = |times: i64, blocks| Rows {
                blocks: Blocks::ThenLast(blocks),
                group: longest.group.wider(times),
                ..longest
            };
            match job.extents[*number].known() {
                None => classes.extend(
                    FEW_ROWS.map(|(most, times, blocks)| ((*number, most), cut(times, blocks))),
                ),
                Some(results) => {
                    let few = FEW_ROWS.iter().find(|(most, _, _)| results <= *most);
                    longest = few.map_or(longest, |(_, times, blocks)| cut(*times, *blocks));
                }
            }
        }
        let mut cases = Vec::new();
        for (most, class) in classes {
            self.rows_as(kept, inner, false, class);
            let steps = std::mem::take(&mut self.steps);
            let most = Some(most);
            cases.push(Case { most, steps });
        }
        match kept.is_empty() {
            true => self.rows(kept, inner, vectors),
            false => self.rows_as(kept, inner, false, longest),
        }
        cases.push(Case::always(std::mem::take(&mut self.steps)));
        Some(cases)
    }

    /// Columns of a number that is known at run time only: blocks share few of them, which leaves many as they are.
    fn columns_by_length(&mut self, nearest: usize) -> Option<Vec<Case>> {
        let [reduced] = *self.job.axes.as_slice() else {
            return None;
        };
        let extents = &self.job.extents;
        let length = extents[reduced].known();
        let is_short = length.is_some_and(|n| n <= SHORT_COLUMNS);
        if self.fixed || is_short || extents[nearest].known().is_some() {
            return None;
        }
        let kept = [nearest];
        let mut cases = Vec::new();
        if length.is_none() {
            self.columns(&kept, length);
            let most = Some((reduced, SHORT_COLUMNS));
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case { most, steps });
        }
        let under_way = self.affordable(DOWN[0]);
        for (most, across, blocks) in FEW_COLUMNS {
            let columns = Columns {
                across,
                under_way,
                threads: THREADS,
                blocks: Blocks::ThenLast(blocks),
            };
            self.write_columns(&kept, nearest, 1, &columns);
            let most = Some((nearest, most));
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case { most, steps });
        }
        let columns = Columns {
            across: LANES,
            under_way,
            threads: 4 * THREADS,
            blocks: Blocks::One,
        };
        self.write_columns(&kept, nearest, 1, &columns);
        cases.push(Case::always(std::mem::take(&mut self.steps)));
        Some(cases)
    }

    /// Whether an element takes many ops, or several numbers are exchanged.
    fn is_heavy(&self) -> bool {
        self.job.weight() > HEAVY || self.exchanges_parts()
    }

    /// Whether several numbers are combined by so many ops that these take as long as the memory.
    fn is_costly(&self) -> bool {
        self.job.weight() >= COSTLY_OPS && self.exchanges_parts()
    }

    /// One result of so many elements, where it is neither a few nor many.
    fn alone(&self, kept: &[usize], length: i64) -> Option<Rows> {
        let is_alone = kept.is_empty() && self.job.partials.is_empty() && length > FEW;
        let small = SMALL.iter().find(|(most, _)| length <= *most);
        let medium = MEDIUM.iter().find(|(most, _, _)| length <= *most);
        let (group, blocks) = match (small, medium) {
            _ if !is_alone => return None,
            (Some((_, group)), _) => (*group, Blocks::One),
            _ if self.clusters && length <= SHARED.alone.0 => {
                let (_, group, blocks) = SHARED.alone;
                (group, Blocks::Cluster(blocks))
            }
            (None, Some((_, group, cuts))) => (*group, Blocks::ThenLast(*cuts)),
            (None, None) => return None,
        };
        Some(Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(length))
        })
    }

    /// Rows of so many elements where a cluster each is worth it.
    fn in_clusters(&self, kept: &[usize], length: Option<i64>, vectors: Vectors) -> Option<Rows> {
        let is_possible = self.clusters && !self.fixed && self.job.partials.is_empty();
        let (results, length) = (self.total(kept)?, length?);
        if !is_possible || kept.is_empty() {
            return None;
        }
        let (_, blocks, least) = SHARED.rows.iter().find(|(most, _, _)| results <= *most)?;
        let (busy, few) = SHARED.busy;
        let bytes = length.saturating_mul(self.width()?);
        if bytes < *least || results * blocks < busy && length > few {
            return None;
        }
        let number = SHARED.groups.iter().position(|(most, _)| length <= *most)?;
        let vectors = if number == 0 { Vectors::None } else { vectors };
        Some(Rows {
            blocks: Blocks::Cluster(*blocks),
            ..Rows::new(SHARED.groups[number].1, vectors, Some(length))
        })
    }

    /// Columns of so many elements where a cluster each is worth it, of those that blocks would have to share.
    fn columns_in_clusters(&self, kept: &[usize], length: Option<i64>) -> Option<Columns> {
        let (most, bytes, loads) = SHARED.columns;
        let (results, length) = (self.total(kept)?, length?);
        let across = power_of_two(results).min((bytes / self.width()?).clamp(1, THREADS));
        let under_way = self.affordable(loads);
        let tile = THREADS / across * under_way;
        let blocks = CLUSTERS.into_iter().rev().find(|n| n * tile <= length)?;
        let each = length.saturating_mul(across) / (THREADS * blocks);
        (self.clusters && each <= most).then_some(Columns {
            across,
            under_way,
            threads: THREADS,
            blocks: Blocks::Cluster(blocks),
        })
    }

    /// The steps of [`Self::rows`], where it was said how.
    fn rows_as(&mut self, kept: &[usize], inner: usize, together: bool, mut rows: Rows) {
        let Rows { group, vectors, .. } = &mut rows;
        while group.rows > 1 && self.is_too_much(group.rows * group.under_way) {
            group.rows /= 2;
        }
        while group.under_way > 1 && self.is_too_much(group.under_way * vectors.width()) {
            group.under_way /= 2;
        }
        self.write_rows(kept, inner, together, rows);
    }

    fn run(&mut self) {
        let job = self.job;
        let kept: Vec<usize> = (0..job.extents.len())
            .filter(|d| !job.axes.contains(d))
            .collect();
        let nearest = self.nearest;
        let length = self.total(&job.axes);
        if job.axes.is_empty() || length.is_some_and(|n| n <= 1) {
            return self.one_thread_each(&kept, nearest, THREADS);
        }
        if !kept.is_empty() && nearest.is_some_and(|d| kept.contains(&d)) {
            return match length {
                Some(n) if n <= SHORT => self.one_thread_each(&kept, nearest, THREADS),
                _ if self.fixed => self.fixed_columns(&kept),
                _ => self.columns(&kept, length),
            };
        }
        let inner = nearest
            .filter(|d| job.axes.contains(d))
            .unwrap_or(job.axes[job.axes.len() - 1]);
        let vectors = self.vectors(inner);
        if matches!(vectors, Vectors::None) && length.is_some_and(|n| n <= SHORT) {
            return self.one_thread_each(&kept, nearest, THREADS);
        }
        self.rows(&kept, inner, vectors);
    }

    /// Columns whose elements are combined in an order that no number of columns changes.
    fn fixed_columns(&mut self, kept: &[usize]) {
        let job = self.job;
        self.one_thread_each(kept, self.nearest, LANES);
        let reduced = self.fused(&job.axes, None, "r");
        self.split(&reduced, THREADS / LANES, None, Some(1));
    }

    /// Columns that one load takes, and how many such there are.
    fn column_vectors(&self, kept: &[usize], nearest: usize) -> (i64, Option<i64>) {
        let vector = match self.vectors(nearest) {
            Vectors::Plain(n) => n,
            // The columns that are left over would be loaded one by one.
            _ => 1,
        };
        (vector, self.total(kept).map(|n| n / vector))
    }

    /// Each thread has neighbouring columns of its own, threads on top of each other share them, and so do blocks where
    /// there are few.
    fn columns(&mut self, kept: &[usize], length: Option<i64>) {
        let job = self.job;
        let Some(nearest) = self.nearest else { return };
        let (vector, groups) = self.column_vectors(kept, nearest);
        // Where neighbouring blocks share cache lines, wide blocks share fewer.
        let widest = if vector == 1 && groups.is_some() {
            4 * LANES
        } else {
            LANES
        };
        let across = groups.map_or(LANES, |n| power_of_two(n).min(widest));
        let down = THREADS / across;
        let mut under_way = (MAX_UNROLL / vector).min(DOWN[usize::from(vector == 1)]);
        while under_way > 1 && self.is_too_much(under_way * vector) {
            under_way /= 2;
        }
        while under_way > 1 && length.is_some_and(|n| n < under_way * down) {
            under_way /= 2;
        }
        let blocks = groups.map_or(CUTS, |n| ceildiv(n, across));
        let is_shared = job.partials.is_empty() && blocks < CUTS;
        if let Some(columns) = self.columns_in_clusters(kept, length).filter(|_| is_shared) {
            return self.write_columns(kept, nearest, 1, &columns);
        }
        let most = length.map_or(i64::MAX, |n| n / (2 * down * under_way));
        // Many blocks side by side come in waves, which are the more even the more there are.
        let cuts = if blocks < LEAST_CUTS { CUTS } else { 8 * CUTS };
        let parts = match is_shared {
            true => ceildiv(cuts, blocks.max(1)).min(most),
            false => 1,
        };
        let columns = Columns {
            across,
            under_way,
            threads: THREADS,
            blocks: match parts > 1 {
                true => Blocks::ThenLast(parts),
                false => Blocks::One,
            },
        };
        self.write_columns(kept, nearest, vector, &columns);
    }

    /// The steps for columns.
    fn write_columns(&mut self, kept: &[usize], nearest: usize, vector: i64, columns: &Columns) {
        let job = self.job;
        let Columns {
            across,
            under_way,
            threads,
            blocks,
        } = *columns;
        let down = threads / across;
        let tile = down * under_way;
        let results = self.cut(kept, nearest, vector, "p");
        self.split(&results, across, Some(0), Some(0));
        let reduced = self.fused(&job.axes, None, "r");
        let mut inner = self.share(&reduced, tile, blocks, 1);
        if blocks.sharing() == 1 {
            self.steps.push(Step::Split(inner.clone(), tile));
            inner += ".i";
        }
        self.split(&inner, down, None, Some(1));
        self.steps.push(Step::Unroll(format!("{inner}.o")));
        if vector > 1 {
            let vectorized = format!("d{nearest}.i");
            self.steps.push(Step::Reorder(vec![
                format!("{reduced}.o"),
                format!("{inner}.o"),
                vectorized.clone(),
            ]));
            self.steps.push(Step::Vectorize(vectorized));
            self.stream();
        }
    }

    /// Cuts what is reduced, in tiles, over the blocks that share it, along dimension `along`; what is left for each of
    /// them, which is `reduced` itself where there is one.
    fn share(&mut self, reduced: &str, tile: i64, blocks: Blocks, along: usize) -> String {
        if blocks.sharing() == 1 {
            return reduced.to_owned();
        }
        let sharing = blocks.sharing();
        self.steps
            .push(Step::Split(reduced.to_owned(), sharing * tile));
        let inner = format!("{reduced}.i");
        self.steps.push(Step::Split(inner.clone(), tile));
        let part = format!("{inner}.o");
        match blocks {
            Blocks::Cluster(_) => self.bind(&part, Processor::Cluster(along)),
            _ => {
                self.steps.push(Step::RFactor(part.clone()));
                self.bind(&part, Processor::Block(along));
            }
        }
        if matches!(blocks, Blocks::ThenLast(_)) {
            self.steps.push(Step::LastBlock);
        }
        format!("{inner}.i")
    }

    /// A group of threads reduces each result, and blocks share those that are long and few.
    fn rows(&mut self, kept: &[usize], inner: usize, vectors: Vectors) {
        let job = self.job;
        let row = job.extents[inner].known();
        // All dimensions together make rows, where it takes no division to tell them apart, or there is no other way to
        // keep the device busy.
        let few = !self.fixed && self.total(kept).is_some_and(|n| n <= BUSY);
        let together = job.axes.len() > 1 && (row.is_some() || few);
        let whole = together || job.axes.len() == 1;
        let vectors = match vectors {
            Vectors::Aligned(_) if together => Vectors::None,
            _ if together && row.is_none() => Vectors::None,
            // Few elements beside few vectors cost more than no vectors.
            Vectors::Aligned(n) if row.is_some_and(|row| row <= LANES * n) => Vectors::None,
            other => other,
        };
        let vector = vectors.width();
        let most = if whole { self.total(&job.axes) } else { row };
        if let Some(rows) = most.and_then(|n| self.alone(kept, n)) {
            return self.rows_as(kept, inner, together, rows);
        }
        let shared = self.in_clusters(kept, most, vectors).filter(|_| whole);
        if let Some(rows) = shared {
            return self.rows_as(kept, inner, together, rows);
        }
        let pieces = most.map(|n| ceildiv(n, vector));
        let cuts = self.cuts(kept, most, vector).filter(|_| whole);
        let group = self.group(kept, pieces, vectors, cuts.is_some());
        let all: Vec<usize> = (0..job.extents.len()).collect();
        let is_large = self.total(&all).is_some_and(|n| n >= LARGE);
        let rows = Rows {
            blocks: match cuts {
                None => Blocks::One,
                Some(n) if is_large => Blocks::ThenLast(n),
                Some(n) => Blocks::ThenAnother(n),
            },
            ..Rows::new(group, vectors, most)
        };
        self.write_rows(kept, inner, together, rows);
    }

    /// The steps for rows along `inner`, or along all that is reduced.
    fn write_rows(&mut self, kept: &[usize], inner: usize, together: bool, rows: Rows) {
        let job = self.job;
        let Rows {
            group,
            vectors,
            blocks,
            most,
        } = rows;
        let vector = vectors.width();
        let length = match together {
            true => self.total(&job.axes),
            false => job.extents[inner].known(),
        };
        // Blocks that share a row are neighbours.
        let block = match blocks {
            Blocks::ThenAnother(_) | Blocks::ThenLast(_) => 1,
            Blocks::One | Blocks::InTurns(_) | Blocks::Cluster(_) => 0,
        };
        let turns = match blocks {
            Blocks::InTurns(turns) => Some(turns),
            _ => None,
        };
        if !kept.is_empty() {
            let results = self.fused(kept, None, "p");
            let side_by_side = group.threads / group.lanes;
            if side_by_side * group.rows == 1 {
                self.bind_in_turns(&results, block, turns);
            } else {
                self.steps
                    .push(Step::Split(results.clone(), side_by_side * group.rows));
                self.bind_in_turns(&format!("{results}.o"), block, turns);
                let rows = format!("{results}.i");
                match group.rows {
                    1 => self.bind(&rows, Processor::Thread(1)),
                    _ => self.split(&rows, side_by_side, None, Some(1)),
                }
            }
        }
        let others: Vec<usize> = job.axes.iter().copied().filter(|d| *d != inner).collect();
        let mut reduced = match vectors {
            Vectors::None => format!("d{inner}"),
            Vectors::Plain(n) => {
                self.steps.push(Step::Split(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
            Vectors::Aligned(n) => {
                self.steps.push(Step::Align(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
        };
        if together {
            let names = others
                .iter()
                .map(|d| format!("d{d}"))
                .chain([reduced])
                .collect();
            reduced = "r".to_owned();
            self.steps.push(Step::Fuse(names, reduced.clone()));
        }
        let tile = group.lanes * group.under_way;
        if blocks.sharing() > 1 {
            reduced = self.share(&reduced, tile, blocks, 0);
        } else if length.is_none_or(|n| ceildiv(n, vector) > tile)
            || matches!(vectors, Vectors::Aligned(_))
        {
            self.steps.push(Step::Split(reduced.clone(), tile));
            reduced += ".i";
        }
        self.split(&reduced, group.lanes, None, Some(0));
        let written = format!("{reduced}.o");
        if group.under_way > 1 || group.rows > 1 {
            self.steps.push(Step::Unroll(written.clone()));
        }
        if group.rows > 1 {
            let results = match kept {
                [one] => format!("d{one}.i.o"),
                _ => "p.i.o".to_owned(),
            };
            // The loop over tiles of a row, where there are several.
            let tiles = written.strip_suffix(".i.o").filter(|_| length.is_none());
            let mut order: Vec<String> = tiles.map(|row| format!("{row}.o")).into_iter().collect();
            order.extend([written, results.clone()]);
            if vector > 1 {
                order.push(format!("d{inner}.i"));
            }
            self.steps.push(Step::Reorder(order));
            self.steps.push(Step::Unroll(results));
        }
        if vector > 1 {
            self.steps.push(Step::Vectorize(format!("d{inner}.i")));
        }
        let row_bytes = |n: i64| n.saturating_mul(self.width().unwrap_or(VECTOR));
        let lines = most.is_none_or(|n| row_bytes(n) >= STREAMED);
        let is_small = kept.is_empty() && blocks.sharing() == 1 && most.is_some();
        // The registers that several numbers take make some loads wait for others, and by then the rest of a cache line that
        // was to leave first has left.
        let shares_lines = row_bytes(group.lanes * vector) < STREAMED
            || matches!(vectors, Vectors::Aligned(_)) && self.is_costly();
        let is_late = vector > 1 && self.exchanges_parts() && shares_lines;
        if lines && !is_small && !is_late && (group.rows == 1 || group.under_way > 1) {
            self.stream();
        }
    }

    /// Among how many blocks a row is cut, where it is.
    fn cuts(&self, kept: &[usize], length: Option<i64>, vector: i64) -> Option<i64> {
        if !self.job.partials.is_empty() {
            return None;
        }
        let (most, cuts) = match (self.total(kept), length) {
            _ if kept.is_empty() => (length.is_none_or(|n| n >= VERY_LONG), CUTS),
            _ if self.fixed => (false, 1),
            (Some(results), length)
                if length.map_or(self.job.axes.len() > 1, |n| n >= VERY_LONG) =>
            {
                (
                    results <= BUSY,
                    ceildiv(2 * CUTS, results.max(1)).max(LEAST_CUTS),
                )
            }
            (None, Some(n)) => (n >= ENDLESS, SHARES),
            _ => (false, 1),
        };
        let whole = length.map_or(i64::MAX, |n| n / (vector * THREADS * UNDER_WAY));
        (most && cuts.min(whole) > 1).then(|| cuts.min(whole))
    }

    /// The threads for rows of so many vectors.
    fn group(&self, kept: &[usize], pieces: Option<i64>, vectors: Vectors, is_cut: bool) -> Group {
        let alone = kept.is_empty();
        // Threads that exchange pairs take long over it: fewer have more under way.
        let most = match (vectors, self.exchanges_parts() && pieces.is_some()) {
            (Vectors::None, false) => 2 * UNDER_WAY,
            (_, false) => UNDER_WAY,
            (_, true) => 2 * UNDER_WAY,
        };
        // Seen, and not explained: two loads of a short row at once are worth their while for narrow elements only.
        let is_wide = self.width().is_none_or(|width| width > 4);
        let results = self.total(kept).filter(|_| !self.fixed);
        let few = results.is_some_and(|n| n <= FEW);
        let costly = pieces
            .filter(|n| *n > LANES / 2 && !alone && !few && self.is_costly())
            .map(|n| n * vectors.width())
            .and_then(|n| COSTLY.iter().find(|(most, _)| n <= *most));
        // Loads of a thread of a short row: with fewer, more threads share the row, which is better unless combining takes long.
        let apart = match self.job.weight() > HEAVY {
            true => UNDER_WAY,
            false => UNDER_WAY / 2,
        };
        let (lanes, rows) = match (pieces, vectors) {
            _ if is_cut => (THREADS, 1),
            (None, _) if alone => (THREADS, 1),
            (None, _) => (LANES, 1),
            _ if costly.is_some() => (costly.map_or(LANES, |(_, lanes)| *lanes), 1),
            (Some(n), _) if alone => (power_of_two(ceildiv(n, 2)).clamp(1, THREADS), 1),
            (Some(n), Vectors::None) if n <= 2 * LANES => (power_of_two(n).min(8), 4),
            (Some(n), Vectors::None) if n <= 4 * LANES => (LANES / 2, 1),
            (Some(n), Vectors::None) if n <= 16 * LANES => (LANES, 1),
            (Some(n), Vectors::None) if n <= LANES * THREADS => (THREADS, 1),
            (Some(n), _) if n <= LANES / 2 && self.exchanges_parts() => {
                (power_of_two(ceildiv(n, apart)), 1)
            }
            (Some(n), _) if n <= LANES / 2 && is_wide => (power_of_two(n), 4),
            (Some(n), _) if n <= LANES / 2 => (power_of_two(n).min(8), 4),
            (Some(n), _) if n <= 2 * LANES && self.exchanges_parts() => (8, 1),
            (Some(n), _) if n <= 2 * LANES => (LANES / 2, 1),
            (Some(n), _) if n < 4 * LANES => (LANES, 1),
            (Some(n), _) => (self.lanes_of(n), 1),
        };
        let mut under_way = pieces.map_or(most, |n| ceildiv(n, lanes).clamp(1, most));
        let mut rows = rows;
        while rows > 1 && self.is_too_much(rows * under_way * vectors.width()) {
            rows /= 2;
        }
        while under_way > 1 && self.is_too_much(under_way * vectors.width()) {
            under_way /= 2;
        }
        // Rows are loaded together where there are many, and a thread has all of its part of each at once.
        let is_written_out = pieces.is_some_and(|n| n <= lanes * under_way);
        let is_aligned = matches!(vectors, Vectors::Aligned(_));
        let is_fixed = self.fixed && vectors.width() > 1;
        if !is_written_out || few || is_aligned || is_fixed {
            rows = 1;
        }
        let most = match rows {
            // What several warps of a row leave to each other is waited for by the block.
            1 if lanes > LANES => lanes,
            1 => THREADS,
            _ => THREADS / 2,
        };
        let side_by_side = results.map_or(most, power_of_two);
        Group {
            lanes,
            under_way,
            rows,
            threads: lanes.max(most.min(lanes * side_by_side)),
        }
    }

    /// Threads for a row of so many vectors, which are more than a warp's. A few vectors more than a power of two take no more threads.
    fn lanes_of(&self, pieces: i64) -> i64 {
        let each = match self.exchanges_parts() {
            true if self.is_costly() => EACH[2],
            true if self.job.weight() > HEAVY => EACH[1],
            _ => EACH[0],
        };
        let most = (pieces + pieces / LANES) / each;
        (power_of_two(most + 1) / 2).clamp(LANES, 4 * THREADS)
    }

    /// So many elements, or as many fewer as can be written out.
    fn affordable(&self, mut elements: i64) -> i64 {
        while elements > 1 && self.is_too_much(elements) {
            elements /= 2;
        }
        elements
    }

    /// Whether so many elements are too much to be written out.
    fn is_too_much(&self, elements: i64) -> bool {
        elements.saturating_mul(self.job.weight()) > MOST_WRITTEN
    }

    /// Whether partial results take long to exchange: they are several numbers, or combined by many ops.
    fn exchanges_parts(&self) -> bool {
        match &self.job.work {
            Work::Combine(_, combiner) => {
                let is_one = combiner.types().len() == 1 && self.job.weight() <= HEAVY;
                combiner.op().is_none() && !is_one
            }
            _ => false,
        }
    }

    /// Bytes of an element of the main operand.
    fn width(&self) -> Option<i64> {
        let memref = main_operand(self.job)?.memref.as_ref()?;
        i64::try_from(byte_width(memref.element)?).ok()
    }

    /// How elements along `dim` are loaded.
    fn vectors(&self, dim: usize) -> Vectors {
        let Some(vector) = self.vector(dim).filter(|n| *n > 1) else {
            return Vectors::None;
        };
        let all: Vec<usize> = (0..self.job.extents.len()).collect();
        match self.job.extents[dim].known() {
            _ if !self.fixed && self.total(&all).is_some_and(|n| n <= FEW) => Vectors::None,
            // LLVM joins a vector alone with what is loaded one by one where it is not aligned.
            Some(n) if n < 2 * vector => Vectors::None,
            Some(n) if self.fixed && n * self.width().unwrap_or(1) < STREAMED => Vectors::None,
            Some(n) if n % vector == 0 => Vectors::Plain(vector),
            // Where a row begins must not matter.
            _ if self.fixed => Vectors::None,
            _ => Vectors::Aligned(vector),
        }
    }

    /// Neighbours along `dim` that one load takes.
    fn vector(&self, dim: usize) -> Option<i64> {
        let access = main_operand(self.job)?;
        let memref = access.memref.as_ref()?;
        let (last, others) = access.map.results.split_last()?;
        let neighbours = memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0));
        // Strides may follow from how many rows there are: without neighbours, elements are loaded one by one.
        let neighbours = neighbours || self.fixed;
        let written = self
            .job
            .destinations
            .iter()
            .any(|d| d.value == access.value);
        if !neighbours || written || is_packed(memref.element) {
            return None;
        }
        let parts = match &self.job.work {
            Work::Combine(_, combiner) => i64::try_from(combiner.types().len()).ok()?,
            _ => return None,
        };
        let mut vector = VECTOR / self.width()?;
        while vector > 1 && (vector * parts > MOST_PARTS || self.is_too_much(vector)) {
            vector /= 2;
        }
        Some(vector)
    }

    /// What is read once leaves the cache first.
    fn stream(&mut self) {
        self.steps.push(Step::Stream);
    }

    /// One loop over dimensions of which `last` is cut by `vector`, without the inner part of that; its name.
    fn cut(&mut self, dims: &[usize], last: usize, vector: i64, name: &str) -> String {
        if vector == 1 {
            return self.fused(dims, Some(last), name);
        }
        self.steps.push(Step::Split(format!("d{last}"), vector));
        let outer = format!("d{last}.o");
        if dims == [last] {
            return outer;
        }
        let others = dims.iter().filter(|d| **d != last).map(|d| format!("d{d}"));
        self.steps
            .push(Step::Fuse(others.chain([outer]).collect(), name.to_owned()));
        name.to_owned()
    }

    /// Each thread computes results of its own, neighbours side by side.
    fn one_thread_each(&mut self, kept: &[usize], nearest: Option<usize>, threads: i64) {
        if kept.is_empty() {
            return;
        }
        let threads = match self.total(kept) {
            // Fewer threads side by side would exchange values in another order.
            Some(n) if n < threads && !self.fixed => power_of_two(n),
            _ => threads,
        };
        let results = self.fused(kept, nearest, "p");
        self.split(&results, threads, Some(0), Some(0));
    }

    /// Cuts a loop into `.o` and `.i`, and binds these to dimensions of the grid and of the block.
    fn split(&mut self, name: &str, by: i64, block: Option<usize>, thread: Option<usize>) {
        self.steps.push(Step::Split(name.to_owned(), by));
        if let Some(d) = block {
            self.bind(&format!("{name}.o"), Processor::Block(d));
        }
        if let Some(d) = thread {
            self.bind(&format!("{name}.i"), Processor::Thread(d));
        }
    }

    /// Runs a loop on blocks; where there are so many only, each takes the next when it is done with one.
    fn bind_in_turns(&mut self, name: &str, block: usize, turns: Option<i64>) {
        let Some(blocks) = turns else {
            return self.bind(name, Processor::Block(block));
        };
        self.split(name, blocks, None, None);
        self.bind(&format!("{name}.i"), Processor::Block(block));
    }

    fn bind(&mut self, name: &str, processor: Processor) {
        self.steps.push(Step::Bind(name.to_owned(), processor));
    }

    /// One loop over some dimensions, `last` innermost; its name.
    fn fused(&mut self, dims: &[usize], last: Option<usize>, name: &str) -> String {
        if let [one] = dims {
            return format!("d{one}");
        }
        let mut order: Vec<usize> = dims.to_vec();
        if let Some(last) = last.filter(|d| dims.contains(d)) {
            order.retain(|d| *d != last);
            order.push(last);
        }
        let names = order.iter().map(|d| format!("d{d}")).collect();
        self.steps.push(Step::Fuse(names, name.to_owned()));
        name.to_owned()
    }

    /// Points of some dimensions, when that is static.
    fn total(&self, dims: &[usize]) -> Option<i64> {
        dims.iter()
            .try_fold(1i64, |n, d| n.checked_mul(self.job.extents[*d].known()?))
    }
}

/// The least power of two that is no less; 1 for what is not positive.
fn power_of_two(n: i64) -> i64 {
    n.max(1).cast_unsigned().next_power_of_two().cast_signed()
}

/// `n / by`, rounded up.
fn ceildiv(n: i64, by: i64) -> i64 {
    (n + by - 1) / by
}

/// The operand that matters most: the source of a reduction with most dimensions, what an
/// element-wise op writes.
fn main_operand<'a, 'c>(job: &'a Job<'c>) -> Option<&'a Access<'c>> {
    let widest = job.sources.iter().rev().max_by_key(|a| a.map.results.len());
    match &job.work {
        Work::Combine(..) => widest.or(job.destinations.first()),
        _ => job.destinations.first(),
    }
}

/// The last dimension of the main operand, whatever the strides and sizes are.
fn last(job: &Job<'_>) -> Option<usize> {
    let index = main_operand(job)?.map.results.last()?;
    (0..job.extents.len()).rev().find(|d| index.uses(*d))
}

/// The dimension along which the elements of the main operand are neighbours.
fn nearest(job: &Job<'_>) -> Option<usize> {
    let access = main_operand(job)?;
    (0..job.extents.len())
        .filter(|d| job.extents[*d] != Extent::Static(1))
        .filter_map(|d| Some((distance(access, d)?, d)))
        .filter(|(distance, _)| *distance > 0)
        .min()
        .map(|(_, d)| d)
}

/// Elements between those of two neighbouring points along `dim`; a stride that is known at run time
/// only counts as larger than any that is known, and the more so the further out it is.
fn distance(access: &Access<'_>, dim: usize) -> Option<i64> {
    let memref = access.memref.as_ref()?;
    let rank = memref.rank();
    let mut sum = 0i64;
    for (i, result) in access.map.results.iter().enumerate() {
        if !result.uses(dim) {
            continue;
        }
        let stride =
            memref.strides[i].unwrap_or_else(|| (1 << 40) + i64::try_from(rank - i).unwrap_or(0));
        sum = sum.saturating_add(result.step(dim).unwrap_or(1).saturating_mul(stride));
    }
    Some(sum.saturating_abs())
}
