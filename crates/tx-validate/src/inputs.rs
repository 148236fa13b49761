//! What a program is run on: sizes that divide nothing, and numbers that show mistakes.

use crate::Trouble;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_interp::{Float, Scalar, truncated};
use tx_plan::{ArgumentType, ElementType, EntryKind, Expr, Extent, Plan, Relation, Symbol};
use tx_runtime::{Arg, Array, Number};

/// One call of the program.
#[derive(Clone, Debug)]
pub struct Input {
    /// In a few words, such as `33x100, powers of two`.
    pub name: String,
    /// What it is called with.
    pub args: Vec<Arg>,
    /// Whether all numbers are -0.0.
    pub(crate) zeros: bool,
    /// Whether it is run after every stage; the others in the end only, and then after every stage if that goes wrong.
    pub(crate) every_stage: bool,
}

/// What the numbers of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// Halves, ones and twos with a sign: sums and products are exact in any order.
    Powers,
    /// Small whole numbers, many of them equal.
    Whole,
    /// NaN, infinities, zeros of both signs, subnormal and extreme numbers among others.
    Special,
    /// Anything in [-1, 1), and all integers.
    Random,
    /// Whole numbers with as many digits as leave sums of some thousands exact, so that no digit may be lost; all bits of
    /// integers, the identity of `and` and of an unsigned minimum.
    Long,
    /// -0.0 everywhere, or in the first argument with ones in the others: any other identity of a sum, also of products, shows.
    /// Any integers, which are indices of what is equal.
    Zeros,
    /// Ones, and any integers.
    Ones,
    /// The least number everywhere in the first argument, the greatest in the others: an extreme that starts from anything
    /// but the identity, such as an old value, shows.
    Least,
    /// The other way round.
    Greatest,
    /// Numbers near one, of which products of hundreds are in range and rounded; no bit of integers, the identity of `or`
    /// and of an unsigned maximum.
    Near,
    /// All alike but one great and one small number a row, on diagonals: one of several [`Turn`]s, which together reach
    /// every place or the same distances from each other. Each of them decides an extreme, and a bit of `and` and `or`.
    Peaks,
    /// The same with NaN in the place of the small number, and nothing great.
    Nans,
    /// NaN but for the first and last column and one great number a row, on diagonals: the number wins where NaN never does.
    Numbers,
    /// All alike but one great and one small number a row, each in another warp's worth of columns: together, [`Turn`]s have
    /// one of each in every such part of a row.
    Parts,
    /// The same with NaN in the place of both.
    NanParts,
    /// The same of one great number among NaN, but for the first and last column.
    NumberParts,
    /// All alike but one great or small number a column, in other rows of each; in the last of several turns a NaN.
    Columns,
    /// All of one sign but one number a row, which are in other parts of rows next to each other, and of another sign there.
    Signs,
    /// All alike but one number, in turns of each sort and at several places, which decides about the whole array.
    Alone,
    /// Every other row rises from its first number to its last, the others fall: their ends decide an extreme.
    Slopes,
}

/// Which of several inputs of one sort, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    number: usize,
    of: usize,
    /// What one number among others is, in turns.
    sorts: &'static [Role],
    /// Where it is, if that is not told by the number.
    at: Option<usize>,
}

impl Turn {
    /// What one number among so many is.
    fn sort(self, count: usize) -> Role {
        let number = match count <= MOST_ALONE || self.number < TURNS_FAR {
            true => self.number,
            false => 0,
        };
        self.sorts[number % self.sorts.len()]
    }

    /// The place of one number among so many: the last, the first, and then others, in the second half and the first by
    /// turns, in another eighth for each of two sorts, and in another warp of a block of 256 threads: loops reach some late,
    /// and each warp may do something of its own.
    fn place_alone(self, count: usize, columns: usize) -> usize {
        let step = self.number / self.sorts.len();
        let last = count.saturating_sub(1);
        let place = match (step, self.at) {
            (_, Some(at)) => at.min(last),
            _ if count <= MOST_ALONE => step.min(last),
            // Where a thread of a block takes several: the first of some.
            _ if self.number >= TURNS_FAR => match self.number - TURNS_FAR {
                slot @ 0..SLOTS => (slot + 1) * LEAST_BLOCK,
                more => ((SLOTS + 1) * LEAST_BLOCK) << (more - SLOTS).min(MOST_SHIFT),
            }
            .min(last),
            (0, _) => last,
            (1, _) => 0,
            _ => {
                let half = usize::from(step.is_multiple_of(2));
                let sort = self.number % self.sorts.len();
                let eighth = (step - 2 + 4 * sort + sort / 2) % 8;
                let far = last * (16 * half + 2 * eighth + 1) / 32;
                let warp = 3 * self.number % 8;
                (far / 256 * 256 + 32 * warp + far % 32).min(last)
            }
        };
        // No row begins with a NaN.
        let begins = place == 0 || columns > 1 && place.is_multiple_of(columns);
        match begins && self.sort(count) == Role::Nan {
            true => (place + 1).min(last),
            false => place,
        }
    }

    /// What the number at a place is, where one is other than the rest.
    fn role_alone(self, place: usize, count: usize, columns: usize) -> Role {
        let own = self.place_alone(count, columns);
        // In turns among positive and negative numbers.
        let negative = (self.number / self.sorts.len()).is_multiple_of(2);
        match self.sort(count) {
            Role::Next if place == own && negative => Role::NextBelow,
            sort if place == own => sort,
            Role::Zero if place > own && (place - own).is_multiple_of(33) => Role::ZeroBehind,
            Role::Great => Role::Low,
            Role::Zero | Role::Next if negative => Role::Low,
            _ => Role::Plain,
        }
    }
}

/// What one number among others may be in a program.
fn sorts(plan: &Plan) -> &'static [Role] {
    let element = |ty: &ArgumentType| match ty {
        ArgumentType::Memref(memref) => memref.element,
        ArgumentType::Scalar(element) => *element,
    };
    let arguments = || plan.arguments.iter();
    let asks = arguments().any(|a| a.written && element(&a.ty) == ElementType::I1)
        && arguments().any(|a| element(&a.ty).is_float());
    if asks { &SORTS_ASKED_FOR } else { &SORTS }
}

impl Data {
    /// How many inputs show what one shows of a large array, where the first argument has this shape.
    fn turns(self, shape: &[usize], sorts: &[Role]) -> usize {
        let (columns, rows) = columns_and_rows(shape, |size| *size);
        let count = (columns * rows).max(1);
        match self {
            // As many as reach every column, with a peak for each row.
            Self::Peaks | Self::Nans | Self::Numbers => {
                let most = (MOST_PEAKS_ELEMENTS / count).max(LEAST_PEAKS);
                columns.div_ceil(rows.max(1)).clamp(1, most)
            }
            Self::Parts => columns.div_ceil(WARP).div_ceil(rows.max(1)).min(MOST_PARTS),
            Self::Columns => COLUMN_TURNS,
            Self::Alone if count <= MOST_ALONE => sorts.len() * count,
            Self::Alone => TURNS_ALONE,
            Self::Zeros => 2 * (FEW / count).clamp(1, 4),
            Self::Special => (FEW / count).clamp(1, LEAST_PEAKS),
            _ => 1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Powers => "powers of two",
            Self::Whole => "whole numbers",
            Self::Special => "special values",
            Self::Random => "random numbers",
            Self::Long => "long numbers",
            Self::Zeros => "negative zeros",
            Self::Ones => "ones",
            Self::Least => "least numbers",
            Self::Greatest => "greatest numbers",
            Self::Near => "numbers near one",
            Self::Peaks => "peaks",
            Self::Nans => "single NaNs",
            Self::Numbers => "single numbers",
            Self::Parts => "numbers in each part",
            Self::NanParts => "a NaN in each part",
            Self::NumberParts => "a number in each part",
            Self::Columns => "a number in each column",
            Self::Signs => "one other sign",
            Self::Alone => "one other number",
            Self::Slopes => "slopes",
        }
    }
}

/// Sizes of the dimensions that are given at run time, the first of an array, the second …, and what they hold.
///
/// They leave little or much over when they are divided by 32; in one call they leave nothing. There are more rows than
/// 256, and so many columns that 32 of them make more than 256 parts; one more than
/// 256 blocks of 256 threads fold in two rounds.
const CALLS: [([usize; 4], Data); 26] = [
    ([33, 100, 3, 2], Data::Whole),
    ([13, 75, 5, 3], Data::Special),
    ([1, 257, 2, 4], Data::Random),
    ([513, 3, 3, 1], Data::Powers),
    ([1, 131073, 1, 2], Data::Powers),
    ([0, 5, 2, 1], Data::Whole),
    ([5, 0, 3, 2], Data::Whole),
    ([6, 29, 3, 2], Data::Random),
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
    PARTS,
];

/// Inputs with a number in each column.
const COLUMN_TURNS: usize = 5;
/// Rows from that in which one column has its number to that of the next, and parts from one row to the next: no factor of
/// how many there are.
const STEP: usize = 277;
/// More parts of 32 columns than a block of 256 threads has threads, for programs whose partial results are combined by such
/// a block, more than three rounds of 128, and as many over as can be.
const PARTS: ([usize; 4], Data) = ([17, 511 * WARP - 3, 1, 2], Data::Parts);
/// Columns of a part; of rows of less than so many columns a quarter of that.
const WARP: usize = 32;
const FEW_PARTS: usize = 1024;

/// The longest rows and vectors where a program has kernels for different lengths, and the longest of rows that all go to one
/// kernel from a shorter length on.
const LONGEST: usize = 270_001;
const LONGEST_ROW: usize = 33001;
/// What they hold. No infinities: what some combiners make of one in a short row depends on the order.
const LENGTH_DATA: [Data; 11] = [
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
];
/// Rows up to so long, and how many there are: of the short ones more than a block takes, of which one has a block of its own.
const LENGTH_ROWS: [(usize, usize); 3] = [(64, 257), (4096, 33), (usize::MAX, 8)];
/// Elements of a vector beyond which it holds the first few of these only, and one other number of each sort.
const FEW_TURNS: usize = 1 << 16;
const FEW_OF_THESE: usize = 4;
/// Parts from that in which one row has a number to that of the next: no factor of what kernels divide rows by.
const LENGTH_TURNS: usize = 7;

/// What programs of given sizes hold.
const FILLS: [Data; 14] = [
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
];

/// Inputs with peaks of a program, at most, if their arrays are large.
const LEAST_PEAKS: usize = 8;
/// Inputs with numbers in each part, at most.
const MOST_PARTS: usize = 32;
/// Elements of all arrays with peaks, at most, if there are more of them.
const MOST_PEAKS_ELEMENTS: usize = 1 << 14;
/// Elements of an array in which each has an input of its own, at most.
const MOST_ALONE: usize = 32;
/// Inputs with one other number in a larger array; at first it is anywhere, then where the first thread of a block has its
/// second element and so on, and then at some powers of two.
const TURNS_ALONE: usize = TURNS_FAR + SLOTS + 5;
const SLOTS: usize = 7;
const TURNS_FAR: usize = 18;
const LEAST_BLOCK: usize = 256;
/// Beyond any array: a small one may have had more turns before.
const MOST_SHIFT: usize = 32;
/// What one number among others that are alike may be.
const SORTS: [Role; 6] = [
    Role::Nan,
    Role::Great,
    Role::Small,
    Role::Huge,
    Role::Next,
    Role::Zero,
];
/// The same where it is asked whether floats are such. What is computed of an infinity may depend on the order.
const SORTS_ASKED_FOR: [Role; 3] = [Role::Nan, Role::Infinite, Role::Huge];
/// Elements below which one array does not hold every special value.
const FEW: usize = 256;

/// Elements of which the long numbers have a sum that is exact in f32 if all have one sign.
const MOST_LONG: usize = 5200;
/// Elements of one argument beyond which a program is not run.
const MOST_ELEMENTS: usize = 1 << 19;

/// The same of inputs for kernels whose grid does not depend on sizes.
const MOST_OF_LARGE: usize = 5 << 20;
/// Elements for which there are no more blocks than for twice as many, where there is a limit.
const MOST_THREADS: usize = 1 << 26;
/// Elements that a thread of such a kernel is given: it takes up to 32 at once, and up to 8 of an array of three dimensions.
const ROUNDS: [usize; 2] = [36, 10];
/// Where one number is another: the first and last of the fifth element of the threads of a block, the eighth, and the first of
/// the second 256 blocks.
const LARGE_PLACES: [usize; 4] = [1 << 10, 1279, 1792, 1 << 19];
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

/// A generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}

/// The inputs of a program, where sizes are guessed in this way; empty when none fit.
///
/// Of those that launch the same kernels there are so many at most. With the name of a kernel, there are those that launch
/// it, if any do.
pub(crate) fn generate(
    plan: &Plan,
    seed: u64,
    guess: Guess,
    most: usize,
    kernel: Option<&str>,
) -> Result<Vec<Input>, Trouble> {
    let dynamic = plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => memref.shape.contains(&Extent::Dynamic),
        ArgumentType::Scalar(_) => true,
    });
    let calls: Vec<([usize; 4], Data)> = match dynamic {
        true => CALLS.to_vec(),
        false => FILLS.into_iter().map(|data| ([1; 4], data)).collect(),
    };
    let sorts = sorts(plan);
    let mut inputs: Vec<Planned> = Vec::new();
    let mut too_large = None;
    // The first array, of which a sort of input may take several.
    let first = plan
        .arguments
        .iter()
        .enumerate()
        .find_map(|(i, a)| match &a.ty {
            ArgumentType::Memref(memref) => Some((i, memref)),
            ArgumentType::Scalar(_) => None,
        });
    // Where there are partial results in memory, of several rows.
    let in_parts = !plan.temporaries.is_empty()
        && plan.steps.len() > 1
        && first.is_some_and(|(_, memref)| memref.shape.len() > 1);
    let calls = calls.into_iter().map(|(sizes, data)| (sizes, data, None));
    let large = large_calls(plan, guess, sorts);
    let large_ones = CALLS.len()..CALLS.len() + large.len();
    let calls = calls.chain(large).chain(length_calls(plan, guess, sorts));
    for (number, (sizes, data, only)) in calls.enumerate() {
        if data == Data::Parts && only.is_none() && !in_parts {
            continue;
        }
        let most = match dynamic && large_ones.contains(&number) {
            true => MOST_OF_LARGE,
            false => MOST_ELEMENTS,
        };
        let Some(mut values) = solve(plan, &sizes, guess) else {
            continue;
        };
        // Rows of a given length may be too long for so many.
        if let Some((_, elements)) = values.larger_than(most) {
            let rows = (sizes[0] as f64 * most as f64 / elements as f64) as usize;
            let fewer = [rows.max(1), sizes[1], sizes[2], sizes[3]];
            values = solve(plan, &fewer, guess).unwrap_or(values);
        }
        if let Some((i, elements)) = values.larger_than(most) {
            too_large = Some(format!(
                "argument {i} has {elements} elements, expected at most {most}; give smaller ones with --arg"
            ));
            continue;
        }
        let of = data.turns(first.map_or(&[], |(i, _)| &values.shapes[i]), sorts);
        let turns = match only {
            Some(turn) => vec![turn],
            None => {
                let at = None;
                (0..of)
                    .map(|number| Turn {
                        number,
                        of,
                        sorts,
                        at,
                    })
                    .collect()
            }
        };
        let values = Rc::new(values);
        for turn in turns {
            inputs.push(Planned {
                values: Rc::clone(&values),
                data,
                turn,
                number,
                before: turn.number + usize::from(only.is_some()),
                every_stage: false,
            });
        }
    }
    if let (Some(reason), true) = (too_large, inputs.is_empty()) {
        return Err(Trouble::Input(reason));
    }
    // One of each sort first, and then the second of each.
    inputs.sort_by_key(|planned| planned.before);
    if let Some(kernel) = kernel {
        let steps = || plan.steps.iter().map(|step| step.kernel == kernel);
        let has = |planned: &Planned| {
            let launched = launched(plan, &planned.values);
            steps().zip(launched).any(|(own, launched)| own && launched)
        };
        if inputs.iter().any(has) {
            inputs.retain(has);
        }
    }
    let most_at_the_end = match kernel {
        Some(_) => 8 * MOST_AT_THE_END,
        None => MOST_AT_THE_END,
    };
    let mut inputs = affordable(plan, inputs, most_at_the_end);
    keep_few(plan, &mut inputs, most);
    inputs
        .iter()
        .map(|planned| planned.fill(plan, seed))
        .collect()
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

/// Lengths of rows, or of a vector, where a program launches other kernels for some than for others: the least and the
/// greatest that go to the same ones, and others between them.
fn lengths(plan: &Plan, guess: Guess) -> Vec<usize> {
    let rank = most_dimensions(plan);
    let launched = |length| {
        let values = solve(plan, &sizes_of(rank, length), guess)?;
        Some(launched(plan, &values))
    };
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
    let mut lengths = Vec::new();
    for (least, greatest) in classes {
        let part = |thirds: f64| {
            let (least, greatest) = (least as f64, greatest as f64);
            (least * (greatest / least).powf(thirds / 3.0)) as usize
        };
        // One that loses something where it is divided by too much, and one that leaves as much over as can be.
        let more = part(1.0).next_power_of_two() + 1;
        let less = part(2.0).next_power_of_two() - 1;
        let mut own = vec![least, more, less, greatest];
        own.retain(|length| (least..=greatest).contains(length));
        own.sort_unstable();
        lengths.append(&mut own);
    }
    lengths.dedup();
    lengths
}

/// Calls with each of the [`lengths`], which take a turn each.
fn length_calls(
    plan: &Plan,
    guess: Guess,
    sorts: &'static [Role],
) -> Vec<([usize; 4], Data, Option<Turn>)> {
    let rank = most_dimensions(plan);
    let at = None;
    let turn = |number, of| {
        Some(Turn {
            number,
            of,
            sorts,
            at,
        })
    };
    let mut calls = Vec::new();
    for length in lengths(plan, guess) {
        let sizes = sizes_of(rank, length);
        let few = rank < 2 && length > FEW_TURNS;
        let all = if few {
            &LENGTH_DATA[..FEW_OF_THESE]
        } else {
            &LENGTH_DATA[..]
        };
        calls.extend(all.iter().map(|data| (sizes, *data, turn(0, LENGTH_TURNS))));
        if rank < 2 {
            calls.push((sizes, Data::Signs, turn(1, LENGTH_TURNS)));
            let turns = if few { sorts.len() } else { TURNS_ALONE };
            let all = (0..turns).map(|number| (sizes, Data::Alone, turn(number, TURNS_ALONE)));
            calls.extend(all);
        }
    }
    calls
}

/// Calls with so many elements that each thread of a kernel makes some rounds, where there are no more blocks for more.
fn large_calls(
    plan: &Plan,
    guess: Guess,
    sorts: &'static [Role],
) -> Vec<([usize; 4], Data, Option<Turn>)> {
    let rank = most_dimensions(plan);
    let sizes = |elements: usize| match rank {
        0 | 1 => [elements, 1, 1, 1],
        2 => [1, elements, 1, 1],
        _ => [elements / LARGE_ROW / 7, 7, LARGE_ROW, 1],
    };
    let threads = |elements| {
        let values = solve(plan, &sizes(elements), guess)?;
        let value = |expr: &Expr| expr.evaluate(|symbol| values.lookup(symbol));
        let launches = plan.steps.iter().filter_map(|step| {
            let extent = step.extent(value).ok()??;
            let sizes = extent.grid.iter().chain(&extent.block);
            let is_one = extent.grid == [1; 3];
            (!is_one).then(|| sizes.map(|size| *size as usize).product::<usize>())
        });
        launches.max()
    };
    let Some(most) = threads(MOST_THREADS).filter(|most| threads(2 * MOST_THREADS) == Some(*most))
    else {
        return Vec::new();
    };
    let rounds = ROUNDS[usize::from(rank > 2)];
    let elements = most * rounds + most / 3;
    if elements > MOST_OF_LARGE {
        return Vec::new();
    }
    let turn = |at| Turn {
        number: 0,
        of: 1,
        sorts,
        at,
    };
    // Where a thread takes several: the first of the second round, of the one and the other; others in the first round.
    let rounds = [8, 32].map(|at_once| most * at_once);
    let places = rounds.into_iter().chain(LARGE_PLACES);
    let alone = places
        .filter(|place| *place < elements)
        .map(|place| (sizes(elements), Data::Alone, Some(turn(Some(place)))));
    let powers = (sizes(elements), Data::Powers, Some(turn(None)));
    std::iter::once(powers).chain(alone).collect()
}

/// Which steps of a plan launch something.
fn launched(plan: &Plan, values: &Values) -> Vec<bool> {
    let value = |expr: &Expr| expr.evaluate(|symbol| values.lookup(symbol));
    plan.steps
        .iter()
        .map(|step| !matches!(step.extent(value), Ok(None)))
        .collect()
}

/// The ways to guess sizes, those first with which the most steps of a plan launch something.
pub(crate) fn guesses(plan: &Plan) -> Vec<Guess> {
    let reached = |guess: &Guess| {
        let rank = most_dimensions(plan);
        let of_lengths = lengths(plan, *guess);
        let sizes = of_lengths.iter().map(|length| sizes_of(rank, *length));
        let mut steps = vec![false; plan.steps.len()];
        for sizes in CALLS.iter().map(|(sizes, _)| *sizes).chain(sizes) {
            let values = solve(plan, &sizes, *guess);
            let launched = values.map_or(Vec::new(), |values| launched(plan, &values));
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

/// Keeps so many inputs, at most, of those that launch the same kernels: the first ones.
fn keep_few(plan: &Plan, inputs: &mut Vec<Planned>, most: usize) {
    let mut seen: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    inputs.retain(|input| {
        let count = seen.entry(launched(plan, &input.values)).or_default();
        *count += 1;
        *count <= most
    });
}

/// An input that is not made yet.
struct Planned {
    values: Rc<Values>,
    data: Data,
    turn: Turn,
    /// Of the call.
    number: usize,
    /// How many there are of its sort before it.
    before: usize,
    every_stage: bool,
}

/// Threads and elements of all inputs that are run after every stage, at most, but for the first [`LEAST_OF_ALL`].
const MOST_OF_ALL: u64 = 1 << 19;
/// The same of inputs that are run at all, and again of large ones; of those for one kernel eight times as many.
const MOST_AT_THE_END: u64 = 5 << 20;
/// Inputs that are run after every stage however many threads they take.
const LEAST_OF_ALL: usize = 6;

/// As many inputs as can be run in some seconds, of each set of kernels as many as of any other; the first ones are run
/// after every stage.
fn affordable(plan: &Plan, mut inputs: Vec<Planned>, most_at_the_end: u64) -> Vec<Planned> {
    let mut seen: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    inputs.sort_by_cached_key(|planned| {
        let count = seen.entry(launched(plan, &planned.values)).or_default();
        *count += 1;
        *count
    });
    let mut all = 0u64;
    // Large ones leave something for the others.
    let mut ends = [0u64; 2];
    let (mut firsts, mut taken) = (0, Vec::new());
    for (i, mut planned) in inputs.into_iter().enumerate() {
        let elements = planned.values.elements();
        let threads = threads(plan, &planned.values);
        let end = &mut ends[usize::from(elements > MOST_ELEMENTS as u64)];
        let with = end.saturating_add(threads).saturating_add(elements);
        // A smaller one that comes later may still fit.
        if i >= LEAST_OF_ALL && with > most_at_the_end {
            continue;
        }
        *end = with;
        // The sign of zero is compared from stage to stage.
        if planned.before == 0 || planned.data == Data::Zeros {
            all = all.saturating_add(threads).saturating_add(elements);
            planned.every_stage = firsts < LEAST_OF_ALL || all <= MOST_OF_ALL;
            firsts += 1;
        }
        taken.push(planned);
    }
    taken
}

/// Threads of all launches of a program; of those whose sizes are not known before it runs, none.
fn threads(plan: &Plan, values: &Values) -> u64 {
    let launches = plan.steps.iter().filter_map(|step| {
        let value = |expr: &Expr| expr.evaluate(|symbol| values.lookup(symbol));
        let extent = step.extent(value).ok()??;
        let sizes = extent.grid.iter().chain(&extent.block);
        Some(
            sizes
                .map(|size| u64::from(*size))
                .fold(1, u64::saturating_mul),
        )
    });
    launches.fold(0, u64::saturating_add)
}

impl Planned {
    /// Makes the input.
    fn fill(&self, plan: &Plan, seed: u64) -> Result<Input, Trouble> {
        let Self {
            values,
            data,
            turn,
            number,
            every_stage,
            ..
        } = self;
        let start = seed.wrapping_mul(1000).wrapping_add(*number as u64);
        let mut random = Random(start.wrapping_add(100 * turn.number as u64));
        let mut args = Vec::new();
        let mut shapes = Vec::new();
        for (i, argument) in plan.arguments.iter().enumerate() {
            match &argument.ty {
                ArgumentType::Scalar(element) => {
                    let value = match element.is_float() {
                        true => Number::from(0.75),
                        false if *element == ElementType::I1 => {
                            Number::from(number.is_multiple_of(2))
                        }
                        false => Number::from(values.scalars[i]),
                    };
                    shapes.push(format!("{value}"));
                    args.push(Arg::Scalar(value));
                }
                ArgumentType::Memref(memref) => {
                    let shape = values.shapes[i].clone();
                    shapes.push(join(&shape));
                    let data = match (*data, i) {
                        (Data::Least, 1..) => Data::Greatest,
                        (Data::Greatest, 1..) => Data::Least,
                        (Data::Zeros, 1..) if turn.number % 2 == 1 => Data::Ones,
                        (data, _) => data,
                    };
                    let bytes = fill(memref.element, &shape, data, *turn, &mut random);
                    let array = Array::new(memref.element, shape, bytes)
                        .map_err(|error| Trouble::Input(error.to_string()))?;
                    args.push(Arg::Array(share(array, plan, i)?));
                }
            }
        }
        shapes.dedup();
        let name = format!("{} of {}", data.name(), shapes.join(", "));
        tracing::debug!(input = name, every_stage);
        Ok(Input {
            name,
            args,
            zeros: *data == Data::Zeros,
            every_stage: *every_stage,
        })
    }
}

fn join(shape: &[usize]) -> String {
    match shape {
        [] => "one number".to_owned(),
        shape => shape
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("x"),
    }
}

/// Elements that a type puts in one place are given one value.
fn share(array: Array, plan: &Plan, argument: usize) -> Result<Array, Trouble> {
    let ArgumentType::Memref(memref) = &plan.arguments[argument].ty else {
        return Ok(array);
    };
    let wrong = |error: String| Trouble::Input(format!("argument {argument}: {error}"));
    let placement = tx_runtime::Placement::new(memref, array.shape()).map_err(wrong)?;
    let size = memref.element.size();
    let mut memory = vec![0; placement.extent * size];
    let shape = array.shape().to_vec();
    placement.for_each(&shape, size, |dense, placed| {
        memory[placed.clone()].copy_from_slice(&array.bytes()[dense.clone()]);
    });
    let mut bytes = array.bytes().to_vec();
    placement.for_each(&shape, size, |dense, placed| {
        bytes[dense.clone()].copy_from_slice(&memory[placed.clone()]);
    });
    Array::new(memref.element, shape, bytes).map_err(|error| Trouble::Input(error.to_string()))
}

struct Values {
    shapes: Vec<Vec<usize>>,
    scalars: Vec<i64>,
}

/// Sizes of all arguments that agree with what the plan checks.
fn solve(plan: &Plan, sizes: &[usize; 4], guess: Guess) -> Option<Values> {
    let most = most_dimensions(plan);
    // Vectors are as long as matrices are large.
    let sizes = match most {
        1 => [sizes[0] * sizes[1]; 4],
        _ => *sizes,
    };
    let mut values = Values {
        shapes: Vec::new(),
        scalars: vec![3; plan.arguments.len()],
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
                Relation::LessOrEqual => (left, right),
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
    /// Of all arguments.
    fn elements(&self) -> u64 {
        let counts = self
            .shapes
            .iter()
            .map(|shape| shape.iter().product::<usize>() as u64);
        counts.fold(0, u64::saturating_add)
    }

    /// The first argument with more elements, and how many.
    fn larger_than(&self, most: usize) -> Option<(usize, usize)> {
        let count =
            |shape: &Vec<usize>| shape.iter().fold(1usize, |n, size| n.saturating_mul(*size));
        let counts = self.shapes.iter().map(count);
        counts.enumerate().find(|(_, count)| *count > most)
    }

    fn lookup(&self, symbol: Symbol) -> Option<i64> {
        match symbol {
            Symbol::Dim { argument, dim } => Some(*self.shapes.get(argument)?.get(dim)? as i64),
            Symbol::Value { argument } => self.scalars.get(argument).copied(),
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

fn scalar_of(element: ElementType) -> Scalar {
    match element {
        ElementType::F16 => Scalar::Float(Float::F16),
        ElementType::BF16 => Scalar::Float(Float::BF16),
        ElementType::F32 => Scalar::Float(Float::F32),
        ElementType::F64 => Scalar::Float(Float::F64),
        ElementType::F8E4M3FN => Scalar::Float(Float::F8E4M3FN),
        ElementType::F8E5M2 => Scalar::Float(Float::F8E5M2),
        ElementType::I1 => Scalar::Int(1),
        ElementType::I8 => Scalar::Int(8),
        ElementType::I16 => Scalar::Int(16),
        ElementType::I32 => Scalar::Int(32),
        ElementType::I64 | ElementType::Index => Scalar::Int(64),
    }
}

/// The scalar type of an element type.
pub(crate) fn scalar(element: ElementType) -> Scalar {
    scalar_of(element)
}

/// The size of the last dimension, and the product of the others.
fn columns_and_rows<T>(shape: &[T], size: impl Fn(&T) -> usize) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [rows @ .., columns] => (size(columns), rows.iter().map(size).product()),
    }
}

fn fill(
    element: ElementType,
    shape: &[usize],
    data: Data,
    turn: Turn,
    random: &mut Random,
) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let (columns, rows) = columns_and_rows(shape, |size| *size);
    let mut bytes = Vec::with_capacity(count * element.size());
    for place in 0..count {
        let (row, column) = (place / columns, place % columns);
        let role = match data {
            Data::Peaks | Data::Nans | Data::Numbers => {
                // The last of several ends in the last column.
                let Turn { number, of, .. } = turn;
                let shift = number * columns.saturating_sub(rows) / (of - 1).max(1);
                match (column + 2 * columns - row % columns - shift) % columns {
                    0 if data == Data::Peaks => Role::Great,
                    1 => match data {
                        Data::Peaks => Role::Small,
                        Data::Nans => Role::Nan,
                        _ => Role::Great,
                    },
                    _ if data == Data::Numbers && (1..columns - 1).contains(&column) => Role::Nan,
                    _ => Role::Plain,
                }
            }
            Data::Parts | Data::NanParts | Data::NumberParts | Data::Signs => {
                let width = if columns < FEW_PARTS { WARP / 4 } else { WARP };
                let parts = columns.div_ceil(width);
                let part = (row * turn.of + turn.number) * STEP % parts;
                // In another column of each part.
                let is_own = |part: usize| {
                    column == (part * width + (5 * part + row) % width).min(columns - 1)
                };
                let is_other = is_own((part + parts / 2) % parts);
                let is_inside = (1..columns - 1).contains(&column);
                match data {
                    Data::Parts if is_own(part) => Role::Great,
                    Data::Parts if is_other => Role::Small,
                    Data::NanParts if is_own(part) || is_other => Role::Nan,
                    Data::NumberParts if is_own(part) => Role::Great,
                    Data::NumberParts if is_inside => Role::Nan,
                    Data::Signs if is_own(part) == (row + turn.number).is_multiple_of(2) => {
                        Role::Small
                    }
                    _ => Role::Plain,
                }
            }
            Data::Columns if rows < 2 => Role::Plain,
            Data::Columns => {
                let own = (column + turn.number * columns) * STEP % rows;
                match column % 2 {
                    _ if row != own => Role::Plain,
                    _ if turn.number + 1 == turn.of => Role::Nan,
                    0 => Role::Great,
                    _ => Role::Small,
                }
            }
            Data::Alone => turn.role_alone(place, count, columns),
            Data::Slopes if row % 2 == 0 => Role::Step(column, columns),
            Data::Slopes => Role::Step(columns - column, columns),
            _ => Role::Plain,
        };
        // What a combiner that is one only among numbers makes of a NaN at the start depends on the order.
        let role = match role {
            Role::Nan if column == 0 && columns > 1 => Role::Plain,
            role => role,
        };
        let bits = match scalar_of(element) {
            Scalar::Float(float) => {
                float_bits(float, data, role, count < FEW, count > MOST_LONG, random)
            }
            Scalar::Int(width) => match element {
                ElementType::Index => random.below(16) as u64,
                _ => int_bits(width, data, role, random),
            },
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..element.size()]);
    }
    bytes
}

/// What a number is among those of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plain,
    /// The same where something great is looked for, so that it has no bit that is looked for.
    Low,
    Great,
    Small,
    Nan,
    /// The largest number there is.
    Huge,
    /// The number after the positive one that the others are.
    Next,
    /// The number before the negative one that the others are.
    NextBelow,
    /// -0.0, with +0.0 behind it.
    Zero,
    /// +0.0 behind -0.0.
    ZeroBehind,
    /// An infinity; of integers the greatest but one.
    Infinite,
    /// So far up, of so many steps.
    Step(usize, usize),
}

fn float_bits(
    float: Float,
    data: Data,
    role: Role,
    few: bool,
    many: bool,
    random: &mut Random,
) -> u64 {
    let tiny = 2_f64.powi(float.least_exponent() - float.digits() + 2);
    let value = match data {
        // Mostly ones, so that no product overflows in any order.
        Data::Powers => match random.below(32) {
            0 => random.pick(&[-2.0, 2.0, -0.5, 0.5]),
            n if n % 2 == 0 => 1.0,
            _ => -1.0,
        },
        // Squares of so many are exact in any order too.
        Data::Whole if float.digits() >= 24 => random.below(127) as f64 - 63.0,
        Data::Whole => random.below(17) as f64 - 8.0,
        Data::Random => (random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0,
        Data::Special => match random.below(if few { 64 } else { 256 }) {
            0..3 => return nan(float, random),
            3..6 => f64::INFINITY,
            6..9 => f64::NEG_INFINITY,
            9 => float.largest(),
            10 => -float.largest(),
            11..24 => 0.0,
            24..37 => -0.0,
            37..40 => tiny,
            40..43 => -tiny,
            43..46 => 2_f64.powi(float.least_exponent()),
            _ => random.below(17) as f64 - 8.0,
        },
        Data::Long => {
            if float.digits() >= 24 {
                // No sum of up to 64 of these is an f16: of n numbers it is n modulo 128, and f16 has larger steps there.
                let number = (2049 + 128 * random.below(16)) as f64;
                match many && random.below(2) == 0 {
                    true => -number,
                    false => number,
                }
            } else {
                // Of small types, which are summed in f32.
                let most = 1 << (float.digits() - 1);
                random.below(2 * most) as f64 - most as f64 + 1.0
            }
        }
        Data::Zeros => -0.0,
        Data::Ones => 1.0,
        Data::Least => f64::NEG_INFINITY,
        Data::Greatest => f64::INFINITY,
        Data::Near => 1.0 + ((random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0) / 64.0,
        Data::Peaks
        | Data::Nans
        | Data::Numbers
        | Data::Parts
        | Data::NanParts
        | Data::NumberParts
        | Data::Columns
        | Data::Signs
        | Data::Alone
        | Data::Slopes => {
            match role {
                Role::Plain => 1.0,
                Role::Low => -1.0,
                Role::Nan => return nan(float, random),
                Role::Next => 1.0 + 2_f64.powi(1 - float.digits()),
                Role::NextBelow => -1.0 - 2_f64.powi(1 - float.digits()),
                Role::Zero => -0.0,
                Role::ZeroBehind => 0.0,
                Role::Huge => float.largest(),
                Role::Infinite => f64::INFINITY,
                // Far apart: the exponential of the distance is infinite. All bits of a wide number count.
                Role::Great if float.digits() > 4 => 200.0 + 1.0 / 3.0,
                Role::Small if float.digits() > 4 => -200.0 - 1.0 / 3.0,
                Role::Great => 8.0,
                Role::Small => -8.0,
                Role::Step(up, of) if float.digits() < 11 => (up * 15 / of) as f64,
                Role::Step(up, _) => up as f64,
            }
        }
    };
    float.to_bits(value)
}

/// A NaN: whole or with the lowest bit of the fraction alone, of either sign.
fn nan(float: Float, random: &mut Random) -> u64 {
    let quiet = float.to_bits(f64::NAN);
    let lowest = float.to_bits(f64::INFINITY) | 1;
    let sign = 1 << (float.bits() - 1);
    match random.below(4) {
        // Without infinities there is one NaN of each sign.
        1 if float.value(lowest).is_nan() => lowest,
        2 if float.value(lowest).is_nan() => lowest | sign,
        3 => quiet | sign,
        _ => quiet,
    }
}

fn int_bits(width: u32, data: Data, role: Role, random: &mut Random) -> u64 {
    let number = match data {
        Data::Powers => random.pick(&[-1, 1, 2, 3]),
        Data::Whole => random.below(17) as i64 - 8,
        Data::Random | Data::Zeros | Data::Ones => random.next().cast_signed(),
        Data::Long => -1,
        Data::Near => 0,
        Data::Signs if role == Role::Small => (i64::MIN >> (64 - width)) | 0b0101,
        Data::Signs => 0b0101,
        // A bit more and a bit less.
        Data::Peaks
        | Data::Nans
        | Data::Numbers
        | Data::Parts
        | Data::NanParts
        | Data::NumberParts
        | Data::Columns
        | Data::Alone
        | Data::Slopes => {
            match role {
                Role::Plain => 0b0101,
                Role::Low => 0b0100,
                // The index of a NaN is beyond those of numbers.
                Role::Nan => 0b0110,
                Role::Great => 0b0100_0101,
                Role::Huge => i64::MAX >> (64 - width),
                Role::Infinite | Role::Next => (i64::MAX >> (64 - width)) - 1,
                Role::NextBelow => i64::MIN >> (64 - width),
                Role::Zero => 0,
                Role::ZeroBehind => 0b0100,
                Role::Small => 0b0100,
                Role::Step(up, of) if width < 16 => (up * 100 / of) as i64,
                Role::Step(up, _) => up as i64,
            }
        }
        Data::Least => i64::MIN >> (64 - width),
        Data::Greatest => i64::MAX >> (64 - width),
        Data::Special => match random.below(8) {
            0 => i64::MAX >> (64 - width),
            1 => i64::MIN >> (64 - width),
            2 => -1,
            3 => 0,
            _ => random.next().cast_signed(),
        },
    };
    let wide = width == 64
        && matches!(
            data,
            Data::Peaks
                | Data::Nans
                | Data::Parts
                | Data::NanParts
                | Data::NumberParts
                | Data::Columns
                | Data::Alone
        );
    // Either half of a number that takes two registers.
    let halves = if wide { 1 << 32 | 1 } else { 1 };
    truncated(number.wrapping_mul(halves), width)
}
