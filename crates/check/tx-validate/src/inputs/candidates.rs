//! Sizes and data patterns of generated inputs. The sizes and patterns are chosen such that the
//! inputs together launch every kernel, and execute all paths of every kernel.

use super::length_classes::{LONGEST, LengthClass, length_classes, sizes_of};
use super::numbers::{DataPattern, LEAST_BLOCK, Role, SINGLE_OUTLIER_VARIATIONS, Variation, WARP};
use super::sizes::{Guess, most_dimensions, solve, threads};
use std::cmp::Reverse;
use tx_plan::{ArgumentType, Extent, Plan};

/// Sizes and contents of a candidate input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Sizes of dynamic dimensions 0 to 3.
    pub(super) sizes: [usize; 4],
    pub(super) data: DataPattern,
    /// Variation of the data pattern: the place and the kind of the outliers. If `variation` is
    /// `None`, the validation generates one input for each variation of the data pattern.
    pub(super) variation: Option<Variation>,
    /// Maximum number of elements of one argument.
    pub(super) most: usize,
    /// Set if the candidate input was generated to test one kernel.
    pub(super) of_kernel: bool,
}

impl Candidate {
    fn new(sizes: [usize; 4], data: DataPattern) -> Self {
        Self {
            sizes,
            data,
            variation: None,
            most: MOST_ELEMENTS,
            of_kernel: false,
        }
    }
}

/// Sizes of dynamic dimensions 0 to 3 of the arrays, and the data pattern of the arrays.
///
/// Most sizes are not multiples of the warp size 32. A 64x128 array of 2-byte elements is exactly
/// one tile of the kernels that transpose tiles of 64 rows by 256 bytes. Some arrays have more than
/// 256 rows, and some arrays have rows of more than 256 parts (groups of 32 columns). The size
/// 131073 is one more than the number of elements that 256 blocks of 256 threads reduce in two loop
/// iterations.
const CANDIDATES: [([usize; 4], DataPattern); 29] = [
    ([33, 100, 3, 2], DataPattern::SmallIntegers),
    ([13, 75, 5, 3], DataPattern::Special),
    ([1, 257, 2, 4], DataPattern::Random),
    ([513, 3, 3, 1], DataPattern::Powers),
    ([1, 131073, 1, 2], DataPattern::Powers),
    ([0, 5, 2, 1], DataPattern::SmallIntegers),
    ([5, 0, 3, 2], DataPattern::SmallIntegers),
    ([6, 29, 3, 2], DataPattern::Random),
    ([320, 272, 1, 2], DataPattern::Random),
    ([1, 1, 1, 1], DataPattern::SmallIntegers),
    ([40, 130, 2, 3], DataPattern::ManyDigits),
    ([2, 33, 3, 2], DataPattern::Zeros),
    ([3, 34, 2, 2], DataPattern::Least),
    ([2, 35, 2, 3], DataPattern::Greatest),
    ([4, 95, 2, 3], DataPattern::Near),
    ([65, 65, 3, 2], DataPattern::Peaks),
    ([66, 66, 2, 3], DataPattern::Nans),
    ([31, 40, 3, 2], DataPattern::Numbers),
    ([2, 1019, 2, 2], DataPattern::Slopes),
    ([639, 2, 2, 2], DataPattern::SingleOutlier),
    ([1, 639, 2, 2], DataPattern::SingleOutlier),
    ([3, 2051, 2, 2], DataPattern::ManyDigits),
    ([1, 131073, 1, 2], DataPattern::ManyDigits),
    ([1, 131073, 1, 2], DataPattern::SingleOutlier),
    ([64, 128, 4, 2], DataPattern::SmallIntegers),
    ([639, 97, 1, 2], DataPattern::Columns),
    ([9, 301, 2, 2], DataPattern::FarBelowZero),
    ([9, 2053, 2, 2], DataPattern::NearRowEnd),
    ([1, 270_001, 1, 2], DataPattern::NearRowEnd),
];

/// Sizes of an array whose rows have more than 256 parts (groups of 32 columns). The array tests
/// kernels that compute one partial result per part, and combine the partial results of a row in
/// one block of at most 256 threads. If 128 threads combine 511 partial results, the fourth loop
/// iteration combines only 127 partial results.
const PARTS: ([usize; 4], DataPattern) = ([17, 511 * WARP - 3, 1, 2], DataPattern::Parts);

/// Array sizes of an input with the data pattern `ExpOutlier`. A row of 2053 elements is long
/// enough for several warps, and so short that the combination order hardly changes the result.
const EXP_OUTLIER_SIZES: [usize; 4] = [2, 2053, 1, 1];

/// Data patterns for [`length_candidates`]. [`LENGTH_DATA`] omits the pattern `Special`, because
/// infinities in a short row make the results of some combiners depend on the combination order.
const LENGTH_DATA: [DataPattern; 13] = [
    DataPattern::Signs,
    DataPattern::Random,
    DataPattern::NanParts,
    DataPattern::ManyDigits,
    DataPattern::Parts,
    DataPattern::NumberParts,
    DataPattern::Near,
    DataPattern::Zeros,
    DataPattern::Least,
    DataPattern::Greatest,
    DataPattern::SmallIntegers,
    DataPattern::NearRowEnd,
    DataPattern::FarBelowZero,
];
/// Number of rows in the sizes that [`few_rows`] returns.
const TAIL_ROWS: usize = 3;
/// Maximum length of a vector for which inputs of all data patterns are generated. For vectors of
/// more than [`FEW_PATTERNS_LENGTH`] elements, only the first [`FEW_PATTERNS`] data patterns of
/// [`LENGTH_DATA`] are used.
const FEW_PATTERNS_LENGTH: usize = 1 << 16;
const FEW_PATTERNS: usize = 4;
/// Number of variations per data pattern in the inputs of [`length_candidates`] and
/// [`kernel_candidates`]. The number is 7, because no kernel splits a row into a multiple of 7
/// parts: for such a number of parts, at most a seventh of the parts would contain large outliers.
const LENGTH_VARIATIONS: usize = 7;

/// Array sizes with many long rows or with long columns. Some programs launch certain kernels only
/// for inputs with many long rows or with long columns.
const NUMBERS: [[usize; 4]; 7] = [
    [39, 4103, 1, 2],
    [1031, 37, 1, 2],
    [33_801, 3, 1, 2],
    [1033, 263, 1, 2],
    [1031, 1031, 1, 2],
    [8293, 67, 1, 2],
    [4103, 1031, 1, 2],
];
/// Sizes of the inputs that test one kernel with the data patterns of [`KERNEL_DATA`]. The numbers
/// of rows and columns are chosen such that many elements remain after one or two full loop
/// iterations of a kernel. Some sizes have few rows: in a reduction over both dimensions, the
/// correct results of many rows could mask an error in one row.
const KERNEL_SIZES: [[usize; 4]; 20] = [
    [65, 5, 1, 2],
    [127, 9, 1, 2],
    [127, 97, 1, 2],
    [320, 272, 1, 2],
    [33, 1003, 1, 2],
    [3, 2051, 1, 2],
    [3, 5003, 1, 2],
    [3, 8207, 1, 2],
    [39, 8207, 1, 2],
    [9, 32_774, 1, 2],
    [5, 65_541, 1, 2],
    [2, 262_144, 1, 1],
    [3, 524_309, 1, 1],
    [1104, 37, 1, 2],
    [33_801, 17, 1, 2],
    [1, LONGEST, 1, 1],
    [1031, 1103, 1, 2],
    [1, 600_001, 1, 1],
    [1, 1 << 20, 1, 1],
    [1, 1_100_003, 1, 1],
];
const SPREAD_DATA: [DataPattern; 2] = [DataPattern::FarBelowZero, DataPattern::LastQuarter];
/// Number of rows of the input for the last length class (the longest rows). A kernel that
/// processes each row in one thread needs several blocks for 1031 rows.
const MANY_ROWS: usize = 1031;
const MOST_OF_ROWS: usize = 34 << 20;
/// Length of the vector in the inputs with an outlier at the index 2^`e`, and range of `e`. One
/// input is generated for each `e`. A thread block or a loop iteration often starts at an element
/// whose index is a power of two.
const FIRSTS: (usize, std::ops::RangeInclusive<u32>) = ((1 << 20) + 7, 14..=20);
/// Row counts and column count of inputs for kernels whose threads read several rows per loop
/// iteration. Each row count leaves a different number of rows for the last loop iteration.
const TAILS: ([usize; 9], usize) = ([1032, 1048, 1064, 1080, 1096, 1112, 1128, 1144, 1160], 37);
/// Number of data patterns at the start of [`KERNEL_DATA`] that are used with all sizes of
/// [`KERNEL_SIZES`]. Each further pattern of [`KERNEL_DATA`] is used only with sizes of at most
/// [`MOST_ELEMENTS`] elements.
const DATA_OF_LARGE: usize = 7;
const KERNEL_DATA: [DataPattern; 14] = [
    DataPattern::Powers,
    DataPattern::LastQuarter,
    DataPattern::Random,
    DataPattern::NearRowEnd,
    DataPattern::FewLarge,
    DataPattern::Zeros,
    DataPattern::Parts,
    DataPattern::Columns,
    DataPattern::ManyDigits,
    DataPattern::Least,
    DataPattern::NanParts,
    DataPattern::Slopes,
    DataPattern::Greatest,
    DataPattern::FarBelowZero,
];
const NUMBER_DATA: [DataPattern; 5] = [
    DataPattern::Random,
    DataPattern::ManyDigits,
    DataPattern::Parts,
    DataPattern::NearRowEnd,
    DataPattern::Columns,
];
/// Maximum number of elements of one argument of an input with the sizes of [`NUMBERS`] or
/// [`KERNEL_SIZES`].
pub(super) const MOST_OF_NUMBERS: usize = MOST_OF_LARGE;

/// Data patterns for programs with static sizes.
const FILLS: [DataPattern; 18] = [
    DataPattern::SmallIntegers,
    DataPattern::Special,
    DataPattern::Random,
    DataPattern::Powers,
    DataPattern::ManyDigits,
    DataPattern::Zeros,
    DataPattern::Least,
    DataPattern::Greatest,
    DataPattern::Near,
    DataPattern::Slopes,
    DataPattern::Peaks,
    DataPattern::Nans,
    DataPattern::Numbers,
    DataPattern::SingleOutlier,
    DataPattern::NearRowEnd,
    DataPattern::FarBelowZero,
    DataPattern::ExpOutlier,
    DataPattern::FewLarge,
];

/// Default of `Candidate::most`: maximum number of elements of one argument.
pub(super) const MOST_ELEMENTS: usize = 1 << 19;

/// Maximum number of elements of one argument of an input for a kernel with a fixed-size grid.
const MOST_OF_LARGE: usize = 5 << 20;
/// Number of array elements. A grid counts as fixed-size if the program launches an equal grid for
/// [`MOST_THREADS`] elements and for twice as many elements.
const MOST_THREADS: usize = 1 << 26;
/// Number of elements per thread in inputs for kernels with a fixed-size grid. The first entry of
/// [`ROUNDS`] applies to arrays of rank at most 2, and the second entry applies to arrays of higher
/// rank. Each entry of [`ROUNDS`] exceeds the number of elements that a thread reads per loop
/// iteration, so each thread executes several loop iterations. A thread reads at most 32 elements
/// per loop iteration if the array has at most rank 2, and otherwise at most 8.
const ROUNDS: [usize; 2] = [36, 18];
/// Numbers of elements that a thread may read per loop iteration.
const AT_ONCE: [usize; 2] = [8, 32];
/// Number of contiguous elements that a block reads per loop iteration if each thread reads 8
/// elements.
const TILE: usize = 8 * LEAST_BLOCK;
/// Distance, in threads, between the outlier that tests element `k` of a thread and the outlier
/// that tests element `k + 1` of a thread. The outlier that tests element `k` is in thread
/// `LARGE_STEP * k % LEAST_BLOCK` of its block. [`LARGE_STEP`] exceeds the warp size, so the
/// outliers that test the elements `k` and `k + 1` are in different warps.
const LARGE_STEP: usize = 37;
/// Size of the last dimension of rank-3 arrays.
const LARGE_ROW: usize = 1001;

/// Returns all candidate inputs. If `kernel` is given, the result also contains the inputs of
/// [`kernel_candidates`] and [`spread_candidates`].
pub(super) fn candidates(
    plan: &Plan,
    guess: Guess,
    outliers: &'static [Role],
    kernel: Option<&str>,
) -> Vec<Candidate> {
    let dynamic = plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => memref.shape.contains(&Extent::Dynamic),
        ArgumentType::Scalar(_) => true,
    });
    if !dynamic {
        return FILLS.map(|data| Candidate::new([1; 4], data)).into();
    }
    let dimensions = plan
        .arguments
        .iter()
        .find_map(|argument| match &argument.ty {
            ArgumentType::Memref(memref) => Some(memref.shape.len()),
            ArgumentType::Scalar(_) => None,
        });
    // A program with temporaries and several steps stores partial results of several rows in global
    // memory.
    let in_parts = !plan.temporaries.is_empty() && plan.steps.len() > 1 && dimensions > Some(1);
    let candidates = CANDIDATES.into_iter().chain(in_parts.then_some(PARTS));
    let candidates = candidates.map(|(sizes, data)| Candidate::new(sizes, data));
    let mut of_kernel = Vec::new();
    if kernel.is_some() {
        of_kernel = kernel_candidates(outliers);
        of_kernel.extend(spread_candidates(plan, guess, outliers));
    }
    let mut candidates: Vec<Candidate> = candidates
        .chain(of_kernel)
        .chain(large_candidates(plan, guess, outliers))
        .chain(length_candidates(plan, guess, outliers))
        .collect();
    candidates.extend(number_candidates(plan, guess, &candidates));
    candidates.push(Candidate::new(EXP_OUTLIER_SIZES, DataPattern::ExpOutlier));
    candidates.extend(exp_outlier_candidates(plan, guess, outliers));
    candidates
}

/// Returns candidate inputs that test one kernel. The inputs combine the patterns of
/// [`KERNEL_DATA`] with the sizes of [`KERNEL_SIZES`]. The function also returns inputs with a
/// single outlier at an index that is a power of two, and inputs with the row counts of [`TAILS`].
fn kernel_candidates(outliers: &'static [Role]) -> Vec<Candidate> {
    let fits = |(i, [rows, columns, ..]): (usize, [usize; 4])| {
        i < DATA_OF_LARGE || rows * columns <= MOST_ELEMENTS
    };
    let all = KERNEL_DATA.into_iter().enumerate();
    let pairs = all.flat_map(|(i, data)| KERNEL_SIZES.map(|sizes| (i, sizes, data)));
    let (length, powers) = FIRSTS;
    let firsts = powers.map(|power| Candidate {
        most: MOST_OF_NUMBERS,
        variation: Some(Variation::at(1 << power, 0, outliers)),
        of_kernel: true,
        ..Candidate::new([1, length, 1, 1], DataPattern::SingleOutlier)
    });
    let (rows, columns) = TAILS;
    let tails = rows.map(|rows| Candidate {
        variation: Some(Variation::nth(1, LENGTH_VARIATIONS, outliers)),
        of_kernel: true,
        ..Candidate::new([rows, columns, 1, 2], DataPattern::Random)
    });
    pairs
        .filter(|(i, sizes, _)| fits((*i, *sizes)))
        .map(|(_, sizes, data)| Candidate {
            most: MOST_OF_NUMBERS,
            // In odd variations of `Zeros`, the inputs after the first argument are ones.
            variation: Some(Variation::nth(1, LENGTH_VARIATIONS, outliers)),
            of_kernel: true,
            ..Candidate::new(sizes, data)
        })
        .chain(firsts)
        .chain(tails)
        .collect()
}

/// Returns candidate inputs that test one kernel: the row lengths that [`LengthClass::spread`]
/// selects from each length class, and one input with [`MANY_ROWS`] rows.
fn spread_candidates(plan: &Plan, guess: Guess, outliers: &'static [Role]) -> Vec<Candidate> {
    let rank = most_dimensions(plan);
    if rank < 2 {
        return Vec::new();
    }
    let classes = length_classes(plan, guess);
    let candidate = |sizes, data| Candidate {
        variation: Some(Variation::nth(1, LENGTH_VARIATIONS, outliers)),
        of_kernel: true,
        ..Candidate::new(sizes, data)
    };
    let many = classes.last().map(|class| {
        let mut sizes = few_rows(rank, class.least);
        sizes[0] = MANY_ROWS;
        Candidate {
            most: MOST_OF_ROWS,
            ..candidate(sizes, DataPattern::Random)
        }
    });
    let lengths = classes.iter().flat_map(LengthClass::spread);
    let candidates = lengths.flat_map(|length| {
        let mut sizes = few_rows(rank, length);
        sizes[0] = 1;
        SPREAD_DATA.map(|data| candidate(sizes, data))
    });
    candidates.chain(many).collect()
}

/// Selects the sizes of [`NUMBERS`] for which the program launches a kernel that is launched for no
/// input in `candidates`, and returns candidate inputs with these sizes.
fn number_candidates(plan: &Plan, guess: Guess, candidates: &[Candidate]) -> Vec<Candidate> {
    let launched =
        |sizes: &[usize; 4]| solve(plan, sizes, guess).map_or(Vec::new(), |v| v.launched());
    let mut reached = vec![false; plan.steps.len()];
    for candidate in candidates {
        for (step, launched) in reached.iter_mut().zip(launched(&candidate.sizes)) {
            *step |= launched;
        }
    }
    let is_new = |sizes: &&[usize; 4]| {
        let launched = launched(sizes);
        launched.iter().zip(&reached).any(|(new, old)| *new && !old)
    };
    let sizes = NUMBERS.iter().filter(is_new);
    sizes
        .flat_map(|sizes| {
            NUMBER_DATA.map(|data| Candidate {
                most: MOST_OF_NUMBERS,
                ..Candidate::new(*sizes, data)
            })
        })
        .collect()
}

/// Returns candidate inputs with one outlier per row, for the row lengths that
/// [`LengthClass::lengths`] selects from each length class.
fn exp_outlier_candidates(
    plan: &Plan,
    guess: Guess,
    outliers: &'static [Role],
) -> impl Iterator<Item = Candidate> {
    let rank = most_dimensions(plan);
    let classes = length_classes(plan, guess);
    let lengths: Vec<usize> = classes.iter().flat_map(LengthClass::lengths).collect();
    lengths.into_iter().map(move |length| Candidate {
        variation: Some(Variation::nth(
            SINGLE_OUTLIER_VARIATIONS,
            SINGLE_OUTLIER_VARIATIONS + 1,
            outliers,
        )),
        ..Candidate::new(few_rows(rank, length), DataPattern::ExpOutlier)
    })
}

/// Returns the sizes that [`sizes_of`] returns, but with [`TAIL_ROWS`] rows if `rank` exceeds 1.
fn few_rows(rank: usize, length: usize) -> [usize; 4] {
    let mut sizes = sizes_of(rank, length);
    if rank > 1 {
        sizes[0] = TAIL_ROWS;
    }
    sizes
}

/// Returns candidate inputs for the row lengths that [`LengthClass::lengths`] and
/// [`LengthClass::tails`] select from each length class.
fn length_candidates(plan: &Plan, guess: Guess, outliers: &'static [Role]) -> Vec<Candidate> {
    let rank = most_dimensions(plan);
    let mut candidates = Vec::new();
    let classes = length_classes(plan, guess);
    let candidate = |sizes, data, number, of| Candidate {
        variation: Some(Variation::nth(number, of, outliers)),
        ..Candidate::new(sizes, data)
    };
    for length in classes.iter().flat_map(LengthClass::lengths) {
        let sizes = sizes_of(rank, length);
        let candidate = |data, number, of| candidate(sizes, data, number, of);
        let few = rank < 2 && length > FEW_PATTERNS_LENGTH;
        let all = if few {
            &LENGTH_DATA[..FEW_PATTERNS]
        } else {
            &LENGTH_DATA[..]
        };
        candidates.extend(
            all.iter()
                .map(|data| candidate(*data, 0, LENGTH_VARIATIONS)),
        );
        if rank < 2 {
            candidates.push(candidate(DataPattern::Signs, 1, LENGTH_VARIATIONS));
            let variations = if few {
                outliers.len()
            } else {
                SINGLE_OUTLIER_VARIATIONS
            };
            candidates.extend((0..variations).map(|number| {
                candidate(
                    DataPattern::SingleOutlier,
                    number,
                    SINGLE_OUTLIER_VARIATIONS,
                )
            }));
        }
    }
    for length in classes.iter().flat_map(LengthClass::tails) {
        candidates.push(candidate(few_rows(rank, length), DataPattern::Random, 0, 1));
    }
    candidates
}

/// Returns candidate inputs for which each thread of a fixed-size grid executes several loop
/// iterations.
fn large_candidates(plan: &Plan, guess: Guess, outliers: &'static [Role]) -> Vec<Candidate> {
    let rank = most_dimensions(plan);
    let sizes = |elements: usize| {
        let mut sizes = match rank {
            0 | 1 => [elements, 1, 1, 1],
            2 => [1, elements, 1, 1],
            _ => [elements / LARGE_ROW / 7, 7, LARGE_ROW, 1],
        };
        // If a dimension is static, enlarge the first dimension to reach the element count.
        let largest = solve(plan, &sizes, guess).map_or(0, |values| values.largest());
        sizes[0] *= elements.checked_div(largest).unwrap_or(1).max(1);
        sizes
    };
    // Launches of at least two blocks that do not depend on the number of elements.
    let launches = |elements| solve(plan, &sizes(elements), guess).map(|values| values.launches);
    let (Some(some), Some(more)) = (launches(MOST_THREADS), launches(2 * MOST_THREADS)) else {
        return Vec::new();
    };
    let pairs = some.into_iter().zip(more);
    let fixed = pairs.filter_map(|(some, more)| some.filter(|_| some == more));
    let fixed = fixed.filter(|launch| launch.grid != [1; 3]);
    let most = fixed.map(|launch| threads(launch) as usize).max();
    // Launch sizes that are unknown before execution are 0.
    let Some(most) = most.filter(|most| *most > 0) else {
        return Vec::new();
    };
    let rounds = ROUNDS[usize::from(rank > 2)];
    // An odd number of elements is not a multiple of any vector width.
    let elements = most.saturating_mul(rounds).saturating_add(most / 3) | 3;
    if elements > MOST_OF_LARGE {
        return Vec::new();
    }
    let candidate = |data, variation| Candidate {
        variation: Some(variation),
        most: MOST_OF_LARGE,
        ..Candidate::new(sizes(elements), data)
    };
    // Indices of the outlier: the start of the second loop iteration, the start of the remainder,
    // and each element that a thread reads in the first iteration. The outliers of the first
    // iteration are in blocks at the start, in the middle and at the end of the grid.
    let rounds = AT_ONCE.map(|at_once| most * at_once);
    let left = rounds.map(|round| elements / round * round);
    let left = left.into_iter().filter(|place| !rounds.contains(place));
    let last = (most / LEAST_BLOCK).max(1) - 1;
    let blocks = [
        256,
        last,
        512,
        128,
        last / 8,
        last / 8 * 3,
        last / 8 * 5,
        last / 8 * 7,
    ];
    let slots = blocks.into_iter().enumerate().map(|(slot, block)| {
        block.min(last) * TILE + slot * LEAST_BLOCK + LARGE_STEP * slot % LEAST_BLOCK
    });
    let places: Vec<usize> = rounds.into_iter().chain(slots).chain(left).collect();
    // At each index, the inputs use each kind of outlier in turn.
    let alone = (0..outliers.len()).flat_map(|variation| {
        let numbered = places.iter().enumerate();
        let inside = numbered.filter(|(_, place)| **place < elements);
        inside.map(move |(i, place)| {
            candidate(
                DataPattern::SingleOutlier,
                Variation::at(*place, i + variation, outliers),
            )
        })
    });
    let whole = [DataPattern::Powers, DataPattern::ManyDigits]
        .map(|data| candidate(data, Variation::nth(0, 1, outliers)));
    whole.into_iter().chain(alone).collect()
}

/// Returns all variants of [`Guess`], an assumption that certain dynamic dimensions have equal
/// sizes. The function sorts the variants by the number of launch steps that launch a kernel for at
/// least one of the tested sizes, highest number first.
pub(crate) fn guesses(plan: &Plan) -> Vec<Guess> {
    let reached = |guess: &Guess| {
        let rank = most_dimensions(plan);
        let classes = length_classes(plan, *guess);
        let of_lengths = classes.iter().flat_map(LengthClass::lengths);
        let sizes = of_lengths.map(|length| sizes_of(rank, length));
        let mut steps = vec![false; plan.steps.len()];
        let given = CANDIDATES.iter().map(|(sizes, _)| *sizes);
        for sizes in given.chain(NUMBERS).chain(sizes) {
            let values = solve(plan, &sizes, *guess);
            let launched = values.map_or(Vec::new(), |values| values.launched());
            for (step, launched) in steps.iter_mut().zip(launched) {
                *step |= launched;
            }
        }
        steps.iter().filter(|launched| **launched).count()
    };
    let mut guesses = vec![Guess::FromFirst, Guess::FromLast, Guess::Same];
    guesses.sort_by_cached_key(|guess| Reverse(reached(guess)));
    guesses
}
