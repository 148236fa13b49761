//! Which sizes a program is called with, so that each of its kernels is launched and takes each of its ways.

use super::numbers::{Data, LEAST_BLOCK, Role, TURNS_ALONE, Turn, WARP};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use tx_plan::{ArgumentType, EntryKind, Expr, Extent, Extent3, Plan, Relation, Symbol};

/// A call that is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// Sizes of the dimensions that are given at run time.
    pub(super) sizes: [usize; 4],
    pub(super) data: Data,
    /// Without, as many turns as the numbers take.
    pub(super) turn: Option<Turn>,
    /// Elements of one argument, at most.
    pub(super) most: usize,
    /// Whether it is for one kernel alone: such calls come first.
    pub(super) of_kernel: bool,
}

impl Call {
    fn new(sizes: [usize; 4], data: Data) -> Self {
        Self {
            sizes,
            data,
            turn: None,
            most: MOST_ELEMENTS,
            of_kernel: false,
        }
    }
}

/// Sizes of the dimensions that are given at run time, the first of an array, the second …, and
/// what they hold.
///
/// They leave little or much over when they are divided by 32; in one call they leave nothing.
/// Of two dimensions that vectors divide, a transposed tile of 64 by 256 bytes is full.
/// There are more rows than 256, and so many columns that 32 of them make more than 256 parts; one
/// more than 256 blocks of 256 threads fold in two rounds; and more than four threads of 256 can
/// count in f16.
const CALLS: [([usize; 4], Data); 29] = [
    ([33, 100, 3, 2], Data::Whole),
    ([13, 75, 5, 3], Data::Special),
    ([1, 257, 2, 4], Data::Random),
    ([513, 3, 3, 1], Data::Powers),
    ([1, 131073, 1, 2], Data::Powers),
    ([0, 5, 2, 1], Data::Whole),
    ([5, 0, 3, 2], Data::Whole),
    ([6, 29, 3, 2], Data::Random),
    ([320, 272, 1, 2], Data::Random),
    ([1, 1, 1, 1], Data::Whole),
    ([40, 130, 2, 3], Data::Long),
    ([2, 33, 3, 2], Data::Zeros),
    ([3, 34, 2, 2], Data::Least),
    ([2, 35, 2, 3], Data::Greatest),
    ([4, 95, 2, 3], Data::Near),
    ([65, 65, 3, 2], Data::Peaks),
    ([66, 66, 2, 3], Data::Nans),
    ([31, 40, 3, 2], Data::Numbers),
    ([2, 1019, 2, 2], Data::Slopes),
    ([639, 2, 2, 2], Data::Alone),
    ([1, 639, 2, 2], Data::Alone),
    ([3, 2051, 2, 2], Data::Long),
    ([1, 131073, 1, 2], Data::Long),
    ([1, 131073, 1, 2], Data::Alone),
    ([64, 128, 4, 2], Data::Whole),
    ([639, 97, 1, 2], Data::Columns),
    ([9, 301, 2, 2], Data::Deep),
    ([9, 2053, 2, 2], Data::Last),
    ([1, 270_001, 1, 2], Data::Last),
];

/// More parts of 32 columns than a block of 256 threads has threads, for programs whose partial
/// results are combined by such a block, more than three rounds of 128, and as many over as can be.
const PARTS: ([usize; 4], Data) = ([17, 511 * WARP - 3, 1, 2], Data::Parts);

/// Rows so long that several warps have a part of each, and so short that every order of their
/// numbers is near to any other.
const ABOVE: [usize; 4] = [2, 2053, 1, 1];

/// The longest rows and vectors where a program has kernels for different lengths, and the longest
/// of rows that all go to one kernel from a shorter length on.
const LONGEST: usize = 270_001;
const LONGEST_ROW: usize = 33001;
/// What they hold. No infinities: what some combiners make of one in a short row depends on the order.
const LENGTH_DATA: [Data; 13] = [
    Data::Signs,
    Data::Random,
    Data::NanParts,
    Data::Long,
    Data::Parts,
    Data::NumberParts,
    Data::Near,
    Data::Zeros,
    Data::Least,
    Data::Greatest,
    Data::Whole,
    Data::Last,
    Data::Deep,
];
/// Rows up to so long, and how many there are: of the short ones more than a block takes, of which
/// one has a block of its own.
const LENGTH_ROWS: [(usize, usize); 3] = [(64, 257), (4096, 33), (usize::MAX, 8)];
/// Rows of lengths that end a round after each element.
const TAIL_ROWS: usize = 3;
/// Elements of a vector beyond which it holds the first few of these only, and one other number of each sort.
const FEW_TURNS: usize = 1 << 16;
const FEW_OF_THESE: usize = 4;
/// Parts from that in which one row has a number to that of the next: no factor of what kernels
/// divide rows by.
const LENGTH_TURNS: usize = 7;

/// More rows than are few, of a length that is long; and columns that are long and few, of which
/// one has more rows than its blocks take at once, more of them, and many; and the last two of so
/// many rows that a block of the most that a kernel divides them among takes more than one round:
/// for kernels that none of the other calls launches.
const NUMBERS: [[usize; 4]; 7] = [
    [39, 4103, 1, 2],
    [1031, 37, 1, 2],
    [33_801, 3, 1, 2],
    [1033, 263, 1, 2],
    [1031, 1031, 1, 2],
    [8293, 67, 1, 2],
    [4103, 1031, 1, 2],
];
/// Sizes that are tried of one kernel alone, with all of [`KERNEL_DATA`]: rows and columns that
/// leave much over in a round or two, and so few rows of each length that numbers of one do not
/// make up for those of another.
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
/// Lengths of rows that are tried of a kernel for some lengths, between the least and the greatest: a thread
/// takes up to 32 elements of a row one after the other, and a row that ends in each of them is
/// among these.
const SPREAD: usize = 32;
const SPREAD_DATA: [Data; 2] = [Data::Deep, Data::Tail];
/// Rows of the shortest of the longest rows: more than one block of a kernel that does something
/// for each row afterwards. Elements that they have at most.
const MANY_ROWS: usize = 1031;
const MOST_OF_ROWS: usize = 34 << 20;
/// A vector in which one other number stands at some powers of two: the first that a block has,
/// of which those that are powers of two as well are the first of a round of partial results.
const FIRSTS: (usize, std::ops::RangeInclusive<u32>) = ((1 << 20) + 7, 14..=20);
/// Columns whose last round ends at each of the rows that a thread takes at once.
const TAILS: ([usize; 9], usize) = ([1032, 1048, 1064, 1080, 1096, 1112, 1128, 1144, 1160], 37);
/// How many of [`KERNEL_DATA`] are tried with more than [`MOST_ELEMENTS`].
const DATA_OF_LARGE: usize = 7;
const KERNEL_DATA: [Data; 14] = [
    Data::Powers,
    Data::Tail,
    Data::Random,
    Data::Last,
    Data::Few,
    Data::Zeros,
    Data::Parts,
    Data::Columns,
    Data::Long,
    Data::Least,
    Data::NanParts,
    Data::Slopes,
    Data::Greatest,
    Data::Deep,
];
const NUMBER_DATA: [Data; 5] = [
    Data::Random,
    Data::Long,
    Data::Parts,
    Data::Last,
    Data::Columns,
];
/// Elements of one argument that those have at most.
pub(super) const MOST_OF_NUMBERS: usize = MOST_OF_LARGE;

/// What programs of given sizes hold.
const FILLS: [Data; 18] = [
    Data::Whole,
    Data::Special,
    Data::Random,
    Data::Powers,
    Data::Long,
    Data::Zeros,
    Data::Least,
    Data::Greatest,
    Data::Near,
    Data::Slopes,
    Data::Peaks,
    Data::Nans,
    Data::Numbers,
    Data::Alone,
    Data::Last,
    Data::Deep,
    Data::Above,
    Data::Few,
];

/// Elements of one argument beyond which a program is not run.
pub(super) const MOST_ELEMENTS: usize = 1 << 19;

/// The same of inputs for kernels whose grid does not depend on sizes.
const MOST_OF_LARGE: usize = 5 << 20;
/// Elements for which there are no more blocks than for twice as many, where there is a limit.
const MOST_THREADS: usize = 1 << 26;
/// Elements that a thread of such a kernel is given: it takes up to 32 at once, and of an array of
/// three dimensions up to 8, which makes two rounds and some.
const ROUNDS: [usize; 2] = [36, 18];
/// Elements that a thread takes at once, where it takes the most.
const AT_ONCE: [usize; 2] = [8, 32];
/// Elements of a block that are in one place, where a thread takes so many at once.
const TILE: usize = 8 * LEAST_BLOCK;
/// Threads from that whose element is another in one slot to that in the next: each is of another warp.
const LARGE_STEP: usize = 37;
/// The last dimension of arrays of three.
const LARGE_ROW: usize = 1001;

/// How sizes that must be the same are guessed where the program does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// Dimensions of one number, counted from the first.
    FromFirst,
    /// Dimensions of one number, counted from the last.
    FromLast,
    /// All.
    Same,
}

/// Sizes of an array whose last dimension is so long.
fn sizes_of(rank: usize, length: usize) -> [usize; 4] {
    let rows = LENGTH_ROWS.iter().find(|(most, _)| length <= *most);
    let (rows, more) = match (rank, rows) {
        (0 | 1, _) | (_, None) => (1, 1),
        (2, Some((_, rows))) => (*rows, 1),
        _ => (5, 3),
    };
    let mut sizes = [more; 4];
    sizes[0] = rows;
    sizes[rank.clamp(2, 4) - 1] = length;
    sizes
}

/// Lengths of rows, or of a vector, where a program launches other kernels for some than for
/// others: the least and the greatest that go to the same ones.
fn length_classes(plan: &Plan, guess: Guess) -> Vec<(usize, usize)> {
    let rank = most_dimensions(plan);
    let launched = |length| Some(solve(plan, &sizes_of(rank, length), guess)?.launched());
    // Lengths of one kernel follow on each other.
    let mut classes: Vec<(usize, usize)> = Vec::new();
    // What some combiners make of one element that is no number depends on whether anything is combined.
    let (mut first, mut length) = (2, 2);
    while length < LONGEST {
        let next = (length + (length / 8).max(1)).min(LONGEST);
        let own = launched(length);
        if launched(next) != own {
            let (mut inside, mut outside) = (length, next);
            while outside - inside > 1 {
                let middle = usize::midpoint(inside, outside);
                match launched(middle) == own {
                    true => inside = middle,
                    false => outside = middle,
                }
            }
            classes.push((first, inside));
            first = outside;
        }
        length = next;
    }
    if classes.is_empty() {
        return Vec::new();
    }
    let is_row = rank > 1 && first < LONGEST_ROW;
    classes.push((first, if is_row { LONGEST_ROW } else { LONGEST }));
    classes
}

/// The least and the greatest of some lengths, and others between them.
fn lengths((least, greatest): (usize, usize)) -> Vec<usize> {
    let part = |thirds: f64| {
        let (least, greatest) = (least as f64, greatest as f64);
        (least * (greatest / least).powf(thirds / 3.0)) as usize
    };
    // One that loses something where it is divided by too much, and one that leaves as much over as can be.
    let more = part(1.0).next_power_of_two() + 1;
    let less = part(2.0).next_power_of_two() - 1;
    let mut lengths = vec![least, more, less, greatest];
    lengths.retain(|length| (least..=greatest).contains(length));
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Some lengths between others of which any three bits that follow on each other are each of their
/// eight values in one or another: a round of which a thread takes eight, four or two elements ends
/// after each of them.
fn tails((least, greatest): (usize, usize)) -> Vec<usize> {
    // Powers of a generator of GF(8): any three that follow on each other are independent.
    const CODE: [usize; 7] = [0b001, 0b010, 0b100, 0b011, 0b110, 0b111, 0b101];
    let Some(bits) = ((greatest - least) / 2).checked_ilog2() else {
        return Vec::new();
    };
    let base = least.next_multiple_of(1 << bits);
    let length = |number: usize| {
        let code = CODE.iter().cycle().take(bits as usize).enumerate();
        code.fold(base, |length, (bit, code)| {
            length | ((code & number).count_ones() as usize % 2) << bit
        })
    };
    (0..8).map(length).collect()
}

/// All calls to try, in this order.
///
/// For a `kernel` there are more.
pub(super) fn calls(
    plan: &Plan,
    guess: Guess,
    sorts: &'static [Role],
    kernel: Option<&str>,
) -> Vec<Call> {
    let dynamic = plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => memref.shape.contains(&Extent::Dynamic),
        ArgumentType::Scalar(_) => true,
    });
    if !dynamic {
        return FILLS.map(|data| Call::new([1; 4], data)).into();
    }
    let dimensions = plan
        .arguments
        .iter()
        .find_map(|argument| match &argument.ty {
            ArgumentType::Memref(memref) => Some(memref.shape.len()),
            ArgumentType::Scalar(_) => None,
        });
    // Where there are partial results in memory, of several rows.
    let in_parts = !plan.temporaries.is_empty() && plan.steps.len() > 1 && dimensions > Some(1);
    let calls = CALLS.into_iter().chain(in_parts.then_some(PARTS));
    let calls = calls.map(|(sizes, data)| Call::new(sizes, data));
    let mut of_kernel = Vec::new();
    if kernel.is_some() {
        of_kernel = kernel_calls(sorts);
        of_kernel.extend(spread_calls(plan, guess, sorts));
    }
    let mut calls: Vec<Call> = calls
        .chain(of_kernel)
        .chain(large_calls(plan, guess, sorts))
        .chain(length_calls(plan, guess, sorts))
        .collect();
    calls.extend(number_calls(plan, guess, &calls));
    calls.push(Call::new(ABOVE, Data::Above));
    calls.extend(above_calls(plan, guess, sorts));
    calls
}

/// The calls for one kernel alone: all data with each of the sizes, the first few with large ones.
fn kernel_calls(sorts: &'static [Role]) -> Vec<Call> {
    let fits = |(i, [rows, columns, ..]): (usize, [usize; 4])| {
        i < DATA_OF_LARGE || rows * columns <= MOST_ELEMENTS
    };
    let all = KERNEL_DATA.into_iter().enumerate();
    let pairs = all.flat_map(|(i, data)| KERNEL_SIZES.map(|sizes| (i, sizes, data)));
    let (length, powers) = FIRSTS;
    let firsts = powers.map(|power| Call {
        most: MOST_OF_NUMBERS,
        turn: Some(Turn::at(1 << power, 0, sorts)),
        of_kernel: true,
        ..Call::new([1, length, 1, 1], Data::Alone)
    });
    let (rows, columns) = TAILS;
    let tails = rows.map(|rows| Call {
        turn: Some(Turn::nth(1, LENGTH_TURNS, sorts)),
        of_kernel: true,
        ..Call::new([rows, columns, 1, 2], Data::Random)
    });
    pairs
        .filter(|(i, sizes, _)| fits((*i, *sizes)))
        .map(|(_, sizes, data)| Call {
            most: MOST_OF_NUMBERS,
            // An odd turn: what is written is as it was, and factors are ones.
            turn: Some(Turn::nth(1, LENGTH_TURNS, sorts)),
            of_kernel: true,
            ..Call::new(sizes, data)
        })
        .chain(firsts)
        .chain(tails)
        .collect()
}

/// Calls for one kernel alone with rows of [`SPREAD`] lengths of each class, and with [`MANY_ROWS`]
/// of the last class.
fn spread_calls(plan: &Plan, guess: Guess, sorts: &'static [Role]) -> Vec<Call> {
    let rank = most_dimensions(plan);
    if rank < 2 {
        return Vec::new();
    }
    let classes = length_classes(plan, guess);
    let call = |sizes, data| Call {
        turn: Some(Turn::nth(1, LENGTH_TURNS, sorts)),
        of_kernel: true,
        ..Call::new(sizes, data)
    };
    let many = classes.last().map(|(least, _)| {
        let mut sizes = few_rows(rank, *least);
        sizes[0] = MANY_ROWS;
        Call {
            most: MOST_OF_ROWS,
            ..call(sizes, Data::Random)
        }
    });
    let lengths = classes.into_iter().flat_map(|(least, greatest)| {
        let middle = move |part| least + (2 * part + 1) * (greatest - least) / (2 * SPREAD);
        (0..SPREAD).map(middle).collect::<BTreeSet<usize>>()
    });
    let calls = lengths.flat_map(|length| {
        let mut sizes = few_rows(rank, length);
        sizes[0] = 1;
        SPREAD_DATA.map(|data| call(sizes, data))
    });
    calls.chain(many).collect()
}

/// Calls with [`NUMBERS`] of rows and columns, where they launch what no call so far does.
fn number_calls(plan: &Plan, guess: Guess, calls: &[Call]) -> Vec<Call> {
    let launched =
        |sizes: &[usize; 4]| solve(plan, sizes, guess).map_or(Vec::new(), |v| v.launched());
    let mut reached = vec![false; plan.steps.len()];
    for call in calls {
        for (step, launched) in reached.iter_mut().zip(launched(&call.sizes)) {
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
            NUMBER_DATA.map(|data| Call {
                most: MOST_OF_NUMBERS,
                ..Call::new(*sizes, data)
            })
        })
        .collect()
}

/// Calls with one number above others for each of the [`lengths`] of the classes, after all others.
fn above_calls(plan: &Plan, guess: Guess, sorts: &'static [Role]) -> impl Iterator<Item = Call> {
    let rank = most_dimensions(plan);
    let lengths = length_classes(plan, guess).into_iter().flat_map(lengths);
    lengths.map(move |length| Call {
        turn: Some(Turn::nth(TURNS_ALONE, TURNS_ALONE + 1, sorts)),
        ..Call::new(few_rows(rank, length), Data::Above)
    })
}

/// As [`sizes_of`], with [`TAIL_ROWS`].
fn few_rows(rank: usize, length: usize) -> [usize; 4] {
    let mut sizes = sizes_of(rank, length);
    if rank > 1 {
        sizes[0] = TAIL_ROWS;
    }
    sizes
}

/// Calls with each of the [`lengths`] and [`tails`] of the classes, which take a turn each.
fn length_calls(plan: &Plan, guess: Guess, sorts: &'static [Role]) -> Vec<Call> {
    let rank = most_dimensions(plan);
    let mut calls = Vec::new();
    let classes = length_classes(plan, guess);
    let call = |sizes, data, number, of| Call {
        turn: Some(Turn::nth(number, of, sorts)),
        ..Call::new(sizes, data)
    };
    for length in classes.iter().copied().flat_map(lengths) {
        let sizes = sizes_of(rank, length);
        let call = |data, number, of| call(sizes, data, number, of);
        let few = rank < 2 && length > FEW_TURNS;
        let all = if few {
            &LENGTH_DATA[..FEW_OF_THESE]
        } else {
            &LENGTH_DATA[..]
        };
        calls.extend(all.iter().map(|data| call(*data, 0, LENGTH_TURNS)));
        if rank < 2 {
            calls.push(call(Data::Signs, 1, LENGTH_TURNS));
            let turns = if few { sorts.len() } else { TURNS_ALONE };
            calls.extend((0..turns).map(|number| call(Data::Alone, number, TURNS_ALONE)));
        }
    }
    for length in classes.iter().copied().flat_map(tails) {
        calls.push(call(few_rows(rank, length), Data::Random, 0, 1));
    }
    calls
}

/// Calls with so many elements that each thread of a kernel makes some rounds, where there are no
/// more blocks for more.
fn large_calls(plan: &Plan, guess: Guess, sorts: &'static [Role]) -> Vec<Call> {
    let rank = most_dimensions(plan);
    let sizes = |elements: usize| {
        let mut sizes = match rank {
            0 | 1 => [elements, 1, 1, 1],
            2 => [1, elements, 1, 1],
            _ => [elements / LARGE_ROW / 7, 7, LARGE_ROW, 1],
        };
        // Of a dimension that is given the first makes up for the rest.
        let largest = solve(plan, &sizes, guess).map_or(0, |values| values.largest());
        sizes[0] *= elements.checked_div(largest).unwrap_or(1).max(1);
        sizes
    };
    // Of the largest launch.
    let threads = |elements| {
        let values = solve(plan, &sizes(elements), guess)?;
        let several = values.launches.iter().flatten();
        let several = several.filter(|launch| launch.grid != [1; 3]);
        several.map(|launch| threads(*launch) as usize).max()
    };
    let limit = threads(MOST_THREADS).filter(|most| *most > 0);
    let Some(most) = limit.filter(|most| threads(2 * MOST_THREADS) == Some(*most)) else {
        return Vec::new();
    };
    let rounds = ROUNDS[usize::from(rank > 2)];
    // What no vector divides.
    let elements = most.saturating_mul(rounds).saturating_add(most / 3) | 3;
    if elements > MOST_OF_LARGE {
        return Vec::new();
    }
    let call = |data, turn| Call {
        turn: Some(turn),
        most: MOST_OF_LARGE,
        ..Call::new(sizes(elements), data)
    };
    // The first element of the second round, where a thread takes so many at once, and of what is
    // left over in the end; and in the first round elements that a thread takes first, second and
    // so on, in blocks whose partial results another kernel takes first, in the middle or last.
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
    // Each is something else in each of several turns.
    let alone = (0..sorts.len()).flat_map(|turn| {
        let numbered = places.iter().enumerate();
        let inside = numbered.filter(|(_, place)| **place < elements);
        inside.map(move |(i, place)| call(Data::Alone, Turn::at(*place, i + turn, sorts)))
    });
    let whole = [Data::Powers, Data::Long].map(|data| call(data, Turn::nth(0, 1, sorts)));
    whole.into_iter().chain(alone).collect()
}

/// Threads of a launch.
fn threads(launch: Extent3) -> u64 {
    let sizes = launch.grid.into_iter().chain(launch.block);
    sizes.map(u64::from).fold(1, u64::saturating_mul)
}

/// The ways to guess sizes, those first with which the most steps of a plan launch something.
pub(crate) fn guesses(plan: &Plan) -> Vec<Guess> {
    let reached = |guess: &Guess| {
        let rank = most_dimensions(plan);
        let of_lengths = length_classes(plan, *guess).into_iter().flat_map(lengths);
        let sizes = of_lengths.map(|length| sizes_of(rank, length));
        let mut steps = vec![false; plan.steps.len()];
        let given = CALLS.iter().map(|(sizes, _)| *sizes);
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

/// Sizes of all arguments, and what is launched with them.
pub(super) struct Values {
    pub(super) shapes: Vec<Vec<usize>>,
    pub(super) scalars: Vec<i64>,
    /// Of each step, where something is launched; without threads where that is not known before
    /// the program runs.
    launches: Vec<Option<Extent3>>,
}

/// Sizes of all arguments that agree with what the plan checks.
pub(super) fn solve(plan: &Plan, sizes: &[usize; 4], guess: Guess) -> Option<Values> {
    let most = most_dimensions(plan);
    // Vectors are as long as matrices are large.
    let sizes = match most {
        1 => [sizes[0] * sizes[1]; 4],
        _ => *sizes,
    };
    let mut values = Values {
        shapes: Vec::new(),
        scalars: vec![3; plan.arguments.len()],
        launches: Vec::new(),
    };
    for argument in &plan.arguments {
        values.shapes.push(match &argument.ty {
            ArgumentType::Scalar(_) => Vec::new(),
            ArgumentType::Memref(memref) => memref
                .shape
                .iter()
                .enumerate()
                .map(|(d, extent)| {
                    let from_last = most - memref.shape.len() + d;
                    match (extent.known(), guess) {
                        (Some(size), _) => usize::try_from(size).unwrap_or(0),
                        (None, Guess::FromFirst) => sizes[d % 4],
                        (None, Guess::FromLast) => sizes[from_last % 4],
                        (None, Guess::Same) => sizes[0],
                    }
                })
                .collect(),
        });
    }
    // What must be equal is made equal, from the left to the right; a few rounds carry it through.
    for _ in 0..plan.checks.len() + 1 {
        let mut changed = false;
        for check in &plan.checks {
            let found = [&check.left, &check.right].map(|side| values.value(side));
            let [Some(left), Some(right)] = found else {
                continue;
            };
            // What the right side must be for this left side, and the other way round.
            let (more, less) = match check.relation {
                _ if check.relation.holds(left, right) => continue,
                Relation::Equal => (left, right),
                Relation::Less => (left + 1, right - 1),
                Relation::Greater => (left - 1, right + 1),
                Relation::LessOrEqual | Relation::GreaterOrEqual => (left, right),
                Relation::NotEqual => continue,
            };
            changed |=
                values.assign(plan, &check.right, more) || values.assign(plan, &check.left, less);
        }
        if !changed {
            break;
        }
    }
    let holds = plan
        .checks
        .iter()
        .all(|check| check.evaluate(|symbol| values.lookup(symbol)).is_ok());
    let value = |expr: &Expr| expr.evaluate(|symbol| values.lookup(symbol));
    let unknown = Extent3 {
        grid: [0; 3],
        block: [0; 3],
        dynamic_shared_bytes: 0,
    };
    let launches = plan.steps.iter().map(|step| step.extent(value));
    values.launches = launches
        .map(|extent| extent.unwrap_or(Some(unknown)))
        .collect();
    (holds || plan.entry_kind == EntryKind::Kernel).then_some(values)
}

/// Dimensions of the array that has most of them.
fn most_dimensions(plan: &Plan) -> usize {
    let ranks = plan.arguments.iter().map(|a| match &a.ty {
        ArgumentType::Memref(memref) => memref.shape.len(),
        ArgumentType::Scalar(_) => 0,
    });
    ranks.max().unwrap_or(0)
}

impl Values {
    /// Which steps launch something.
    pub(super) fn launched(&self) -> Vec<bool> {
        self.launches.iter().map(Option::is_some).collect()
    }

    /// Threads of all launches.
    fn threads(&self) -> u64 {
        let launches = self.launches.iter().flatten();
        launches.fold(0, |all, launch| all.saturating_add(threads(*launch)))
    }

    /// Elements of each argument.
    fn counts(&self) -> impl Iterator<Item = usize> {
        let product =
            |shape: &Vec<usize>| shape.iter().fold(1usize, |n, size| n.saturating_mul(*size));
        self.shapes.iter().map(product)
    }

    /// Of all arguments.
    pub(super) fn elements(&self) -> u64 {
        self.counts()
            .fold(0, |all, count| all.saturating_add(count as u64))
    }

    /// Threads of all launches and elements of all arguments, which tell how long a call takes.
    pub(super) fn cost(&self) -> u64 {
        self.threads().saturating_add(self.elements())
    }

    /// Elements of the largest argument.
    fn largest(&self) -> usize {
        self.counts().max().unwrap_or(0)
    }

    /// The first argument with more elements, and how many.
    pub(super) fn larger_than(&self, most: usize) -> Option<(usize, usize)> {
        self.counts().enumerate().find(|(_, count)| *count > most)
    }

    fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match symbol {
            Symbol::Dim { argument, dim } => Some(*self.shapes.get(argument)?.get(dim)? as i64),
            Symbol::Value { argument } => self.scalars.get(argument).copied(),
            // As aligned as temporaries.
            Symbol::Address { .. } => Some(256),
            // Strides and offsets follow from the sizes, and no size follows from them.
            _ => None,
        }
    }

    fn value(&self, expr: &Expr) -> Option<i64> {
        expr.evaluate(|symbol| self.lookup(symbol)).ok()
    }

    /// Gives a size that is free another value.
    fn assign(&mut self, plan: &Plan, expr: &Expr, value: i64) -> bool {
        let Expr::Symbol(Symbol::Dim { argument, dim }) = expr else {
            return false;
        };
        let ArgumentType::Memref(memref) = &plan.arguments[*argument].ty else {
            return false;
        };
        let (Some(Extent::Dynamic), Ok(size)) = (memref.shape.get(*dim), usize::try_from(value))
        else {
            return false;
        };
        self.shapes[*argument][*dim] = size;
        true
    }
}
