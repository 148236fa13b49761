//! What arrays hold: numbers among which each mistake shows in one or another.

use tx_interp::{Float, Scalar, truncated};
use tx_plan::{ArgumentType, ElementType, Plan};

/// What the numbers of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// Halves, ones and twos with a sign, without halves where there are many: sums, also of
    /// squares, and products are exact in any order.
    Powers,
    /// Small whole numbers, many of them equal.
    Whole,
    /// NaN, infinities, zeros of both signs, subnormal and extreme numbers among others.
    Special,
    /// Anything in [-1, 1), and all integers.
    Random,
    /// Whole numbers with as many digits as leave sums of some thousands exact, so that no digit
    /// may be lost; all bits of integers, the identity of `and` and of an unsigned minimum.
    Long,
    /// -0.0 everywhere, or ones in all but the first argument and what is written: any other
    /// identity of a sum, also of products, shows.
    /// Any integers, which are indices of what is equal.
    Zeros,
    /// Ones, and any integers.
    Ones,
    /// The least number everywhere in the first argument, the greatest in the others: an extreme
    /// that starts from anything but the identity, such as an old value, shows.
    Least,
    /// The other way round.
    Greatest,
    /// Numbers near one, of which products of hundreds are in range and rounded; no bit of
    /// integers, the identity of `or` and of an unsigned maximum.
    Near,
    /// All alike but one great and one small number a row, on diagonals: one of several [`Turn`]s,
    /// which together reach every place or the same distances from each other. Each of them decides
    /// an extreme, and a bit of `and` and `or`.
    Peaks,
    /// The same with NaN in the place of the small number, and nothing great.
    Nans,
    /// NaN but for the first and last column and one great number a row, on diagonals: the number
    /// wins where NaN never does.
    Numbers,
    /// All alike but one great and one small number a row, each in another warp's worth of columns:
    /// together, [`Turn`]s have one of each in every such part of a row.
    Parts,
    /// The same with NaN in the place of both.
    NanParts,
    /// The same of one great number among NaN, but for the first and last column.
    NumberParts,
    /// All alike but one great or small number a column, in other rows of each; in the last of
    /// several turns a NaN.
    Columns,
    /// All of one sign but one number a row, which are in other parts of rows next to each other,
    /// and of another sign there.
    Signs,
    /// All alike but one number, in turns of each sort and at several places, which decides about
    /// the whole array.
    Alone,
    /// Every other row rises from its first number to its last, the others fall: their ends decide
    /// an extreme.
    Slopes,
    /// Zeros but for one number in each row, which is near its end, in another warp's part than in
    /// the next row: whatever is computed in a row from left to right is exact up to there. In one
    /// of four long rows it is behind a power of two of columns, where loops begin anew.
    Last,
    /// All alike but one great number in each row: from row to row they lie further from the end, up to
    /// the last quarter of the row, and in another element of a vector. The last round of a row is in
    /// there, where each group of elements has a guard of its own.
    Tail,
    /// All alike but one number in each row, which is more by as much as powers are the least like
    /// a polynomial at.
    Above,
    /// Numbers far below zero: zeros among them show, also where something is taken from all before
    /// their exponentials.
    Deep,
    /// 0 at the beginning of each row, numbers near it in a warp's worth of columns anywhere, and all
    /// others far below: of their exponentials these few are the sum, which has digits to lose.
    Few,
}

/// Which of several inputs of one sort, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) number: usize,
    of: usize,
    /// What one number among others is, in turns.
    sorts: &'static [Role],
    /// Where it is, if that is not told by the number.
    at: Option<usize>,
}

impl Turn {
    /// One of so many.
    pub(super) fn nth(number: usize, of: usize, sorts: &'static [Role]) -> Self {
        Self {
            number,
            of,
            sorts,
            at: None,
        }
    }

    /// One in which one number is another at this place.
    pub(super) fn at(place: usize, number: usize, sorts: &'static [Role]) -> Self {
        Self {
            at: Some(place),
            ..Self::nth(number, sorts.len(), sorts)
        }
    }

    /// After how many others of such numbers it comes. Those with one other number at the places of
    /// a thread's elements take turns with those that have it anywhere.
    pub(super) fn before(self, data: Data) -> usize {
        match (data, self.number.checked_sub(TURNS_FAR)) {
            (Data::Alone, Some(more)) => more + 1,
            _ => self.number,
        }
    }

    /// What one number among so many is.
    fn sort(self, count: usize) -> Role {
        let number = match count <= MOST_ALONE || self.number < TURNS_FAR {
            true => self.number,
            false => 0,
        };
        self.sorts[number % self.sorts.len()]
    }

    /// The place of one number among so many: the last, the first, and then others, in the second
    /// half and the first by turns, in another eighth for each of two sorts, and in another warp of
    /// a block of 256 threads: loops reach some late, and each warp may do something of its own.
    fn place_alone(self, count: usize, columns: usize) -> usize {
        let step = self.number / self.sorts.len();
        let last = count.saturating_sub(1);
        let place = match (step, self.at) {
            (_, Some(at)) => at.min(last),
            _ if count <= MOST_ALONE => step.min(last),
            // Where a thread of a block takes several: the first of some.
            _ if self.number >= TURNS_FAR => match self.number - TURNS_FAR {
                slot @ 0..SLOTS => (slot + 1) * LEAST_BLOCK,
                // The last of the last round of a row that all threads take part in.
                SLOTS => (columns / ROUND * ROUND).saturating_sub(1),
                more => ROUND << (more - SLOTS - 1).min(MOST_SHIFT),
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

/// What one number among others that are alike may be in a program.
pub(super) fn sorts(plan: &Plan) -> &'static [Role] {
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
    pub(super) fn turns(self, shape: &[usize], sorts: &[Role]) -> usize {
        let (columns, rows) = columns_and_rows(shape, |size| *size);
        let count = (columns * rows).max(1);
        match self {
            // As many as reach every column, with a peak for each row.
            Self::Peaks | Self::Nans | Self::Numbers => {
                let most = (MOST_PEAKS_ELEMENTS / count).max(LEAST_PEAKS);
                columns.div_ceil(rows.max(1)).clamp(1, most)
            }
            Self::Parts => columns.div_ceil(WARP).div_ceil(rows.max(1)).min(MOST_PARTS),
            Self::Columns | Self::Few => COLUMN_TURNS,
            Self::Alone if count <= MOST_ALONE => sorts.len() * count,
            Self::Alone => TURNS_ALONE,
            Self::Zeros => 2 * (FEW / count).clamp(1, 4),
            Self::Special => (FEW / count).clamp(1, LEAST_PEAKS),
            _ => 1,
        }
    }

    /// Whether all numbers are alike but for those of some [`Role`].
    fn is_of_roles(self) -> bool {
        !matches!(
            self,
            Self::Powers
                | Self::Whole
                | Self::Special
                | Self::Random
                | Self::Long
                | Self::Zeros
                | Self::Ones
                | Self::Least
                | Self::Greatest
                | Self::Near
                | Self::Deep
        )
    }

    pub(super) fn name(self) -> &'static str {
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
            Self::Last => "one number at the end",
            Self::Tail => "a number in the last quarter",
            Self::Above => "one number above others",
            Self::Deep => "numbers far below zero",
            Self::Few => "few numbers above others",
        }
    }
}

/// Inputs with a number in each column, or with few above others.
const COLUMN_TURNS: usize = 7;
/// Rows from that in which one column has its number to that of the next, and parts from one row to
/// the next: no factor of how many there are.
const STEP: usize = 277;
/// Columns of a row that loops need several turns for.
const LONG: usize = 1024;
/// Columns of a part; of rows of less than so many columns a quarter of that.
pub(super) const WARP: usize = 32;
const FEW_PARTS: usize = 1024;
/// Inputs with peaks of a program, at most, if their arrays are large.
const LEAST_PEAKS: usize = 8;
/// Inputs with numbers in each part, at most.
const MOST_PARTS: usize = 32;
/// Elements of all arrays with peaks, at most, if there are more of them.
const MOST_PEAKS_ELEMENTS: usize = 1 << 14;
/// Elements of an array in which each has an input of its own, at most.
const MOST_ALONE: usize = 32;
/// Inputs with one other number in a larger array; at first it is anywhere, then where the first
/// thread of a block has its second element and so on, at the end of the last round, and then at
/// some powers of two.
pub(super) const TURNS_ALONE: usize = TURNS_FAR + SLOTS + 6;
const SLOTS: usize = 7;
/// Elements that the least block takes in a round.
const ROUND: usize = (SLOTS + 1) * LEAST_BLOCK;
const TURNS_FAR: usize = 18;
pub(super) const LEAST_BLOCK: usize = 256;
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
/// The same where it is asked whether floats are such. What is computed of an infinity may depend
/// on the order.
const SORTS_ASKED_FOR: [Role; 3] = [Role::Nan, Role::Infinite, Role::Huge];
/// Elements below which one array does not hold every special value.
const FEW: usize = 256;

/// Elements of which the squares of halves have a sum that is exact in f32, at most.
const MOST_POWERS: usize = 1 << 20;
/// Elements of which the long numbers have a sum that is exact in f32 if all have one sign.
const MOST_LONG: usize = 5200;

/// A generator of random numbers (SplitMix64).
pub(super) struct Random(pub(super) u64);

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

/// The scalar type of an element type.
pub(crate) fn scalar(element: ElementType) -> Scalar {
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

/// The size of the last dimension, and the product of the others.
fn columns_and_rows<T>(shape: &[T], size: impl Fn(&T) -> usize) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [rows @ .., columns] => (size(columns), rows.iter().map(size).product()),
    }
}

pub(super) fn fill(
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
            Data::Last => {
                let end = columns - 1;
                let own = match row % 4 {
                    3 if columns > LONG => {
                        let power = 1 << columns.ilog2() >> ((row / 4 + 1) % 4);
                        end.min(power + 3)
                    }
                    _ => end.saturating_sub(row % 8 * WARP + 5 * (row / 8) % WARP),
                };
                match column == own {
                    true => Role::Great,
                    false => Role::ZeroBehind,
                }
            }
            Data::Tail => {
                let far = columns / 4 * row / rows;
                match column == columns - 1 - (far / 4 * 4 + row % 4).min(columns - 1) {
                    true => Role::Great,
                    false => Role::Plain,
                }
            }
            Data::Above if column == STEP * row % columns => Role::Above,
            Data::Few if column == 0 => Role::Zero,
            Data::Few
                if column / WARP == STEP * (row + turn.number * rows) % columns.div_ceil(WARP) =>
            {
                Role::Near
            }
            Data::Few => Role::Small,
            Data::Slopes if row % 2 == 0 => Role::Step(column, columns),
            Data::Slopes => Role::Step(columns - column, columns),
            _ => Role::Plain,
        };
        // What a combiner that is one only among numbers makes of a NaN at the start depends on the order.
        let role = match role {
            Role::Nan if column == 0 && columns > 1 => Role::Plain,
            role => role,
        };
        let bits = match scalar(element) {
            Scalar::Float(float) => float_bits(float, data, role, count, random),
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
pub(super) enum Role {
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
    /// Five times half the logarithm of 2 more than the others.
    Above,
    /// An infinity; of integers the greatest but one.
    Infinite,
    /// A little less than -1.
    Near,
    /// So far up, of so many steps.
    Step(usize, usize),
}

fn float_bits(float: Float, data: Data, role: Role, count: usize, random: &mut Random) -> u64 {
    let tiny = 2_f64.powi(float.least_exponent() - float.digits() + 2);
    let value = match data {
        // Mostly ones, so that no product overflows in any order.
        Data::Powers => match random.below(32) {
            0 if count > MOST_POWERS => random.pick(&[-2.0, 2.0]),
            0 => random.pick(&[-2.0, 2.0, -0.5, 0.5]),
            n if n % 2 == 0 => 1.0,
            _ => -1.0,
        },
        // Squares of so many are exact in any order too.
        Data::Whole if float.digits() >= 24 => random.below(127) as f64 - 63.0,
        Data::Whole => random.below(17) as f64 - 8.0,
        Data::Random => (random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0,
        Data::Special => match random.below(if count < FEW { 64 } else { 256 }) {
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
                // No sum of up to 64 of these is an f16: of n numbers it is n modulo 128, and f16
                // has larger steps there.
                let number = (2049 + 128 * random.below(16)) as f64;
                match count > MOST_LONG && random.below(2) == 0 {
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
        Data::Deep if float.digits() > 4 => -200.0 - random.below(64) as f64,
        Data::Deep => -8.0 - random.below(8) as f64,
        Data::Near => 1.0 + ((random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0) / 64.0,
        _ => {
            match role {
                Role::Plain => 1.0,
                Role::Low => -1.0,
                Role::Nan => return nan(float, random),
                Role::Next => 1.0 + 2_f64.powi(1 - float.digits()),
                Role::NextBelow => -1.0 - 2_f64.powi(1 - float.digits()),
                Role::Zero => -0.0,
                Role::ZeroBehind => 0.0,
                Role::Huge => float.largest(),
                Role::Above => 1.0 + 2.5 * std::f64::consts::LN_2,
                Role::Infinite => f64::INFINITY,
                Role::Near => -1.0003,
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
        Data::Deep => -40 - random.below(64) as i64,
        Data::Signs if role == Role::Small => (i64::MIN >> (64 - width)) | 0b0101,
        Data::Signs => 0b0101,
        Data::Least => i64::MIN >> (64 - width),
        Data::Greatest => i64::MAX >> (64 - width),
        Data::Special => match random.below(8) {
            0 => i64::MAX >> (64 - width),
            1 => i64::MIN >> (64 - width),
            2 => -1,
            3 => 0,
            _ => random.next().cast_signed(),
        },
        // A bit more and a bit less.
        _ => {
            match role {
                Role::Plain => 0b0101,
                Role::Low => 0b0100,
                // The index of a NaN is beyond those of numbers.
                Role::Nan => 0b0110,
                Role::Great | Role::Above | Role::Near => 0b0100_0101,
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
    };
    // Either half of a number that takes two registers.
    let halves = if width == 64 && data.is_of_roles() {
        1 << 32 | 1
    } else {
        1
    };
    truncated(number.wrapping_mul(halves), width)
}
