//! Contents of generated arrays. Each data pattern exposes a different kind of error.

use tx_interp::{Float, Scalar, truncated};
use tx_plan::{ArgumentType, ElementType, Plan};

/// Data pattern of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataPattern {
    /// Most elements are ±1, and a few elements are ±2 or ±0.5; arrays of more than [`MOST_POWERS`]
    /// elements contain no ±0.5. Sums, sums of squares and products of the elements are exact in
    /// any order.
    Powers,
    /// Small integers with many duplicates.
    SmallIntegers,
    /// NaNs, infinities, zeros of both signs, subnormals and extreme values among small integers.
    Special,
    /// Random floats in [-1, 1); integers with random bits.
    Random,
    /// Floats with many significant digits; the sum of thousands of these floats is still exact. If
    /// a program rounds a partial sum, the result differs from the exact sum. Integer elements have
    /// all bits set, like the identity of `and` and of an unsigned minimum.
    ManyDigits,
    /// Floats are -0.0. In variations ([`Variation`]) with an odd index, the floats are 1.0 in each
    /// read-only argument except the first argument. If the accumulator of a sum of -0.0 elements
    /// starts at +0.0, the result has the wrong sign. Integers are random.
    Zeros,
    /// Float elements are 1.0; integer elements are random.
    Ones,
    /// All elements of the first argument have the least value of their type, and all elements of
    /// the other arguments have the greatest value. If a kernel initializes the accumulator of a
    /// minimum or maximum with a value other than the identity, the result is wrong.
    Least,
    /// All elements of the first argument have the greatest value of their type, and all elements
    /// of the other arguments have the least value.
    Greatest,
    /// Floats near 1.0: products of hundreds of these elements are rounded, but do not overflow.
    /// Integer elements are 0, the identity of `or` and of an unsigned maximum.
    Near,
    /// Equal elements, except for one large and one small outlier per row, placed on diagonals. If
    /// the number of columns is at most [`LEAST_PEAKS`] times the number of rows, each column
    /// contains an outlier in at least one variation ([`Variation`]). Each outlier determines the
    /// minimum or the maximum of its row, and one bit of the bitwise `and` or `or` of its row.
    Peaks,
    /// Equal elements, except for one NaN per row; the NaNs form a diagonal.
    Nans,
    /// NaNs, except for the first column, the last column and one large value per row. The large
    /// values of all rows form a diagonal. If the reduction is a maximum that ignores NaN, each
    /// large value is the result of its row.
    Numbers,
    /// Equal elements, except for one large and one small outlier per row. The two outliers of a
    /// row are in different groups of 32 columns. The variations ([`Variation`]) of the pattern
    /// place the large outlier of a row in different groups of columns.
    Parts,
    /// Equal elements, except for two NaNs per row. The two NaNs of a row are in different groups
    /// of 32 columns.
    NanParts,
    /// NaNs, except for the first column, the last column and one large value per row. The large
    /// values of adjacent rows are in different groups of 32 columns.
    NumberParts,
    /// Equal elements, except for one outlier per column. The outliers of adjacent columns are in
    /// different rows. In the last variation ([`Variation`]), the outliers are NaNs.
    Columns,
    /// All elements of a row have the same sign, except for one outlier with the opposite sign. The
    /// elements of adjacent rows have opposite signs. The outliers of adjacent rows are in
    /// different groups of 32 columns.
    Signs,
    /// Equal elements, except for one outlier in the whole array, which determines the reduction
    /// result. The variations ([`Variation`]) differ in the index or in the kind of the outlier.
    SingleOutlier,
    /// The elements of even rows ascend and the elements of odd rows descend, so the minimum and
    /// the maximum of a row are at the ends of the row.
    Slopes,
    /// Zeros, except for one element per row, near the end of the row. If a sum adds the elements
    /// of a row from left to right, the partial sums before the nonzero element are exactly 0. If
    /// the array has more than [`LONG`] columns, the nonzero element of every fourth row is at an
    /// index 2^n + 3, because a loop iteration often begins at an index 2^n.
    NearRowEnd,
    /// Equal elements, except for one large outlier per row, within the last quarter of the row. If
    /// a kernel computes a wrong predicate for a group of remainder elements, the reduction omits
    /// the outlier in this group.
    LastQuarter,
    /// Equal elements, except for one outlier per row. The outlier exceeds the other elements by
    /// 2.5 ln 2. The exponential of 2.5 ln 2 is 2^2.5, and a polynomial approximation of `exp2` is
    /// least accurate if the fractional part of the exponent is 0.5.
    ExpOutlier,
    /// Floats far below zero. If a kernel pads a row of negative floats with zeros, the zeros
    /// change the maximum and the log-sum-exp of the row.
    FarBelowZero,
    /// Zeros in the first column, values near -1 in one group of 32 columns, and values far below
    /// -1 in all other columns. The values far below -1 hardly affect the log-sum-exp of a row. The
    /// values near -1 are equal, so the rounding errors of their exponentials do not cancel.
    FewLarge,
}

/// Variation of a data pattern. Variations of a pattern differ, for example, in the place or in the
/// kind of the outliers. `number` is the index of the variation, and `of` is the number of
/// variations of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variation {
    pub(super) number: usize,
    of: usize,
    /// Kinds of outliers; consecutive variations use consecutive entries of the list.
    outliers: &'static [Role],
    /// Index of the outlier. If `at` is `None`, the field `number` determines the index of the
    /// outlier.
    at: Option<usize>,
}

impl Variation {
    /// Returns the variation with index `number` of a data pattern that has `of` variations.
    pub(super) fn nth(number: usize, of: usize, outliers: &'static [Role]) -> Self {
        Self {
            number,
            of,
            outliers,
            at: None,
        }
    }

    /// Returns the variation with index `number` that places the outlier at element index `place`.
    pub(super) fn at(place: usize, number: usize, outliers: &'static [Role]) -> Self {
        Self {
            at: Some(place),
            ..Self::nth(number, outliers.len(), outliers)
        }
    }

    /// Returns the sort key of the variation `self` of the pattern `data`: usually the index of the
    /// variation. In the pattern `SingleOutlier`, the variations `i + 1` and
    /// `DISTANT_OUTLIER_VARIATIONS + i` both have the key `i + 1`, so variations with low and with
    /// high indices alternate.
    pub(super) fn before(self, data: DataPattern) -> usize {
        match (data, self.number.checked_sub(DISTANT_OUTLIER_VARIATIONS)) {
            (DataPattern::SingleOutlier, Some(more)) => more + 1,
            _ => self.number,
        }
    }

    /// Returns the kind of outlier in an array of `count` elements.
    fn sort(self, count: usize) -> Role {
        let number = match count <= MOST_SINGLE_OUTLIER_ELEMENTS
            || self.number < DISTANT_OUTLIER_VARIATIONS
        {
            true => self.number,
            false => 0,
        };
        self.outliers[number % self.outliers.len()]
    }

    /// Returns the index of the outlier in an array of `count` elements.
    ///
    /// The first variations place the outlier at the last element and at the first element. The
    /// remaining variations alternate between the halves of the array, because some errors affect
    /// only some of the loop iterations. Consecutive variations place the outlier in different
    /// eighths of each half of the array. Consecutive variations place the outlier in different
    /// warps of a 256-thread block, because some errors affect only some of the warps.
    fn place_alone(self, count: usize, columns: usize) -> usize {
        let step = self.number / self.outliers.len();
        let last = count.saturating_sub(1);
        let place = match (step, self.at) {
            (_, Some(at)) => at.min(last),
            _ if count <= MOST_SINGLE_OUTLIER_ELEMENTS => step.min(last),
            // Element with index `slot + 1` among the elements of the first thread in a block of
            // 256 threads.
            _ if self.number >= DISTANT_OUTLIER_VARIATIONS => {
                match self.number - DISTANT_OUTLIER_VARIATIONS {
                    slot @ 0..SLOTS => (slot + 1) * LEAST_BLOCK,
                    // Last element of a row that a full loop iteration reads, with all threads of the
                    // block.
                    SLOTS => (columns / ROUND * ROUND).saturating_sub(1),
                    more => ROUND << (more - SLOTS - 1).min(MOST_SHIFT),
                }
                .min(last)
            }
            (0, _) => last,
            (1, _) => 0,
            _ => {
                let half = usize::from(step.is_multiple_of(2));
                let sort = self.number % self.outliers.len();
                let eighth = (step - 2 + 4 * sort + sort / 2) % 8;
                let far = last * (16 * half + 2 * eighth + 1) / 32;
                let warp = 3 * self.number % 8;
                (far / 256 * 256 + 32 * warp + far % 32).min(last)
            }
        };
        // A NaN is never the first element of a row.
        let begins = place == 0 || columns > 1 && place.is_multiple_of(columns);
        match begins && self.sort(count) == Role::Nan {
            true => (place + 1).min(last),
            false => place,
        }
    }

    /// Returns the role (plain element or kind of outlier) of the element at index `place` in an
    /// array with one outlier.
    fn role_of_single_outlier(self, place: usize, count: usize, columns: usize) -> Role {
        let own = self.place_alone(count, columns);
        // Variations alternate between positive and negative elements.
        let negative = (self.number / self.outliers.len()).is_multiple_of(2);
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

/// Returns the kinds of outliers for a program. The kinds of outliers depend on whether the program
/// tests floats for NaN or infinity.
pub(super) fn outliers(plan: &Plan) -> &'static [Role] {
    let element = |ty: &ArgumentType| match ty {
        ArgumentType::Memref(memref) => memref.element,
        ArgumentType::Scalar(element) => *element,
    };
    let arguments = || plan.arguments.iter();
    let asks = arguments().any(|a| a.written && element(&a.ty) == ElementType::I1)
        && arguments().any(|a| element(&a.ty).is_float());
    if asks {
        &OUTLIERS_FOR_CLASS_TESTS
    } else {
        &OUTLIERS
    }
}

impl DataPattern {
    /// Returns the number of variations of a data pattern for an array of shape `shape`.
    pub(super) fn variations(self, shape: &[usize], outliers: &[Role]) -> usize {
        let (columns, rows) = columns_and_rows(shape, |size| *size);
        let count = (columns * rows).max(1);
        match self {
            // Enough variations to place an outlier in every column, with one outlier per row.
            Self::Peaks | Self::Nans | Self::Numbers => {
                let most = (MOST_PEAKS_ELEMENTS / count).max(LEAST_PEAKS);
                columns.div_ceil(rows.max(1)).clamp(1, most)
            }
            Self::Parts => columns.div_ceil(WARP).div_ceil(rows.max(1)).min(MOST_PARTS),
            Self::Columns | Self::FewLarge => COLUMN_VARIATIONS,
            Self::SingleOutlier if count <= MOST_SINGLE_OUTLIER_ELEMENTS => outliers.len() * count,
            Self::SingleOutlier => SINGLE_OUTLIER_VARIATIONS,
            Self::Zeros => 2 * (FEW / count).clamp(1, 4),
            Self::Special => (FEW / count).clamp(1, LEAST_PEAKS),
            _ => 1,
        }
    }

    /// Returns whether the pattern derives the value of each element from the [`Role`] of the
    /// element.
    fn is_of_roles(self) -> bool {
        !matches!(
            self,
            Self::Powers
                | Self::SmallIntegers
                | Self::Special
                | Self::Random
                | Self::ManyDigits
                | Self::Zeros
                | Self::Ones
                | Self::Least
                | Self::Greatest
                | Self::Near
                | Self::FarBelowZero
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Powers => "powers of two",
            Self::SmallIntegers => "whole numbers",
            Self::Special => "special values",
            Self::Random => "random numbers",
            Self::ManyDigits => "long numbers",
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
            Self::SingleOutlier => "one other number",
            Self::Slopes => "slopes",
            Self::NearRowEnd => "one number at the end",
            Self::LastQuarter => "a number in the last quarter",
            Self::ExpOutlier => "one number above others",
            Self::FarBelowZero => "numbers far below zero",
            Self::FewLarge => "few numbers above others",
        }
    }
}

const COLUMN_VARIATIONS: usize = 7;
/// Factor in the position of an outlier: the position is the product of [`STEP`] and an index,
/// modulo the number of rows, columns or column groups of the array. [`STEP`] is a prime that
/// divides none of the usual numbers of rows, columns and column groups.
const STEP: usize = 277;
/// Number of columns above which a thread block needs several loop iterations for a row.
const LONG: usize = 1024;
/// Number of columns in a group of columns (part of a row). In a row of fewer than [`FEW_PARTS`]
/// columns, a group of columns has 8 columns.
pub(super) const WARP: usize = 32;
const FEW_PARTS: usize = 1024;
/// Maximum number of inputs of the pattern `Peaks`, `Nans` or `Numbers` for a large array.
const LEAST_PEAKS: usize = 8;
const MOST_PARTS: usize = 32;
/// Maximum total number of elements of all variations of the pattern `Peaks`, `Nans` or `Numbers`
/// for one array shape. [`LEAST_PEAKS`] variations are allowed, even if they have more than
/// [`MOST_PEAKS_ELEMENTS`] elements in total.
const MOST_PEAKS_ELEMENTS: usize = 1 << 14;
/// Maximum number of elements of an array for which the variations place the outlier at every
/// index.
const MOST_SINGLE_OUTLIER_ELEMENTS: usize = 32;
/// Number of inputs with a single outlier for a large array. The first
/// [`DISTANT_OUTLIER_VARIATIONS`] inputs place the outlier at positions that are far apart. The
/// next [`SLOTS`] inputs place the outlier at the second and later elements of the first thread of
/// a block. The remaining inputs place the outlier at the last element of a row that a full loop
/// iteration reads, and at indices that are powers of two.
pub(super) const SINGLE_OUTLIER_VARIATIONS: usize = DISTANT_OUTLIER_VARIATIONS + SLOTS + 6;
const SLOTS: usize = 7;
/// Number of elements that a block of [`LEAST_BLOCK`] threads reads in one loop iteration.
const ROUND: usize = (SLOTS + 1) * LEAST_BLOCK;
const DISTANT_OUTLIER_VARIATIONS: usize = 18;
pub(super) const LEAST_BLOCK: usize = 256;
/// Maximum shift amount in the computation of the element index of an outlier. A shift by 32 gives
/// an index that exceeds the size of any array, so the last element becomes the outlier.
const MOST_SHIFT: usize = 32;
/// Kinds of outliers for most programs.
const OUTLIERS: [Role; 6] = [
    Role::Nan,
    Role::Great,
    Role::Small,
    Role::Huge,
    Role::Next,
    Role::Zero,
];
/// Kinds of outliers for programs that test floats for NaN or infinity. [`OUTLIERS`] contains no
/// infinity, because results computed from an infinity may depend on the combination order.
const OUTLIERS_FOR_CLASS_TESTS: [Role; 3] = [Role::Nan, Role::Infinite, Role::Huge];
/// Number of elements that suffices for an array of the pattern `Special` to contain every special
/// value.
const FEW: usize = 256;

/// Maximum number of elements for which an array of the pattern `Powers` contains ±0.5. Up to
/// [`MOST_POWERS`] elements, the sum of squares of the elements is exact in f32.
const MOST_POWERS: usize = 1 << 20;
/// Maximum number of elements for which all f32 or f64 elements of an array of the pattern
/// `ManyDigits` are positive. Up to [`MOST_LONG`] elements, the sum of the elements is exact in
/// f32.
const MOST_LONG: usize = 5200;

/// Random number generator (SplitMix64).
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

/// Returns the size of the last dimension and the product of the other sizes.
fn columns_and_rows<T>(shape: &[T], size: impl Fn(&T) -> usize) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [rows @ .., columns] => (size(columns), rows.iter().map(size).product()),
    }
}

pub(super) fn fill(
    element: ElementType,
    shape: &[usize],
    data: DataPattern,
    variation: Variation,
    random: &mut Random,
) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let (columns, rows) = columns_and_rows(shape, |size| *size);
    let mut bytes = Vec::with_capacity(count * element.size());
    for place in 0..count {
        let (row, column) = (place / columns, place % columns);
        let role = match data {
            DataPattern::Peaks | DataPattern::Nans | DataPattern::Numbers => {
                // The last variation places its outlier in the last column.
                let Variation { number, of, .. } = variation;
                let shift = number * columns.saturating_sub(rows) / (of - 1).max(1);
                match (column + 2 * columns - row % columns - shift) % columns {
                    0 if data == DataPattern::Peaks => Role::Great,
                    1 => match data {
                        DataPattern::Peaks => Role::Small,
                        DataPattern::Nans => Role::Nan,
                        _ => Role::Great,
                    },
                    _ if data == DataPattern::Numbers && (1..columns - 1).contains(&column) => {
                        Role::Nan
                    }
                    _ => Role::Plain,
                }
            }
            DataPattern::Parts
            | DataPattern::NanParts
            | DataPattern::NumberParts
            | DataPattern::Signs => {
                let width = if columns < FEW_PARTS { WARP / 4 } else { WARP };
                let parts = columns.div_ceil(width);
                let part = (row * variation.of + variation.number) * STEP % parts;
                // The outlier is in a different column of each part. If the number of parts is a
                // power of two, an odd factor of `part` can place the outliers of all rows in the
                // same column of their parts.
                let is_own = |part: usize| {
                    column == (part * width + (4 * part + row) % width).min(columns - 1)
                };
                let is_other = is_own((part + parts / 2) % parts);
                let is_inside = (1..columns - 1).contains(&column);
                match data {
                    DataPattern::Parts if is_own(part) => Role::Great,
                    DataPattern::Parts if is_other => Role::Small,
                    DataPattern::NanParts if is_own(part) || is_other => Role::Nan,
                    DataPattern::NumberParts if is_own(part) => Role::Great,
                    DataPattern::NumberParts if is_inside => Role::Nan,
                    DataPattern::Signs
                        if is_own(part) == (row + variation.number).is_multiple_of(2) =>
                    {
                        Role::Small
                    }
                    _ => Role::Plain,
                }
            }
            DataPattern::Columns if rows < 2 => Role::Plain,
            DataPattern::Columns => {
                let own = (column + variation.number * columns) * STEP % rows;
                match column % 2 {
                    _ if row != own => Role::Plain,
                    _ if variation.number + 1 == variation.of => Role::Nan,
                    0 => Role::Great,
                    _ => Role::Small,
                }
            }
            DataPattern::SingleOutlier => variation.role_of_single_outlier(place, count, columns),
            DataPattern::NearRowEnd => {
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
            DataPattern::LastQuarter => {
                let far = columns / 4 * row / rows;
                match column == columns - 1 - (far / 4 * 4 + row % 4).min(columns - 1) {
                    true => Role::Great,
                    false => Role::Plain,
                }
            }
            DataPattern::ExpOutlier if column == STEP * row % columns => Role::ExpOutlier,
            DataPattern::FewLarge if column == 0 => Role::Zero,
            DataPattern::FewLarge
                if column / WARP
                    == STEP * (row + variation.number * rows) % columns.div_ceil(WARP) =>
            {
                Role::Near
            }
            DataPattern::FewLarge => Role::Small,
            DataPattern::Slopes if row % 2 == 0 => Role::Step(column, columns),
            DataPattern::Slopes => Role::Step(columns - column, columns),
            _ => Role::Plain,
        };
        // A NaN at the start of a row gives order-dependent results with combiners that ignore NaN.
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

/// Role of an element within its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// Element other than the outlier; -1.0 in a float array.
    Low,
    Great,
    Small,
    Nan,
    /// Largest finite value.
    Huge,
    /// Outlier that is the smallest representable value above 1.0 in a float array; all other
    /// elements are 1.0.
    Next,
    /// Outlier that is the largest representable value below -1.0 in a float array; all other
    /// elements are -1.0.
    NextBelow,
    /// The outlier is -0.0; some of the elements after the outlier are +0.0.
    Zero,
    /// +0.0 after a -0.0.
    ZeroBehind,
    /// Outlier that exceeds all other elements of its row by 2.5 ln 2.
    ExpOutlier,
    /// Outlier that is infinity in a float array, and the second greatest value of the type in an
    /// integer array.
    Infinite,
    /// Slightly less than -1.
    Near,
    /// Element of an ascending or descending row. The fields are the distance of the element from
    /// the low end of the row, in columns, and the number of columns of the row.
    Step(usize, usize),
}

fn float_bits(
    float: Float,
    data: DataPattern,
    role: Role,
    count: usize,
    random: &mut Random,
) -> u64 {
    let tiny = 2_f64.powi(float.least_exponent() - float.digits() + 2);
    let value = match data {
        // Mostly ±1, so that no product overflows in any order.
        DataPattern::Powers => match random.below(32) {
            0 if count > MOST_POWERS => random.pick(&[-2.0, 2.0]),
            0 => random.pick(&[-2.0, 2.0, -0.5, 0.5]),
            n if n % 2 == 0 => 1.0,
            _ => -1.0,
        },
        // Sums of squares of these integers are exact in any order.
        DataPattern::SmallIntegers if float.digits() >= 24 => random.below(127) as f64 - 63.0,
        DataPattern::SmallIntegers => random.below(17) as f64 - 8.0,
        DataPattern::Random => (random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0,
        DataPattern::Special => match random.below(if count < FEW { 64 } else { 256 }) {
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
        DataPattern::ManyDigits => {
            if float.digits() >= 24 {
                // All numbers are 1 modulo 128, so a sum of n ≤ 64 of them is n modulo 128. f16
                // cannot represent such a sum, because its spacing there is larger than the lowest
                // set bit of n.
                let number = (2049 + 128 * random.below(16)) as f64;
                match count > MOST_LONG && random.below(2) == 0 {
                    true => -number,
                    false => number,
                }
            } else {
                // Narrow floats are accumulated in f32.
                let most = 1 << (float.digits() - 1);
                random.below(2 * most) as f64 - most as f64 + 1.0
            }
        }
        DataPattern::Zeros => -0.0,
        DataPattern::Ones => 1.0,
        DataPattern::Least => f64::NEG_INFINITY,
        DataPattern::Greatest => f64::INFINITY,
        DataPattern::FarBelowZero if float.digits() > 4 => -200.0 - random.below(64) as f64,
        DataPattern::FarBelowZero => -8.0 - random.below(8) as f64,
        DataPattern::Near => 1.0 + ((random.next() >> 11) as f64 * 2_f64.powi(-52) - 1.0) / 64.0,
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
                Role::ExpOutlier => 1.0 + 2.5 * std::f64::consts::LN_2,
                Role::Infinite => f64::INFINITY,
                Role::Near => -1.0003,
                // The exponential of the difference overflows to infinity. Thirds use all bits of
                // wide floats.
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

/// Returns a NaN of either sign. The NaN is either a quiet NaN or a NaN whose fraction has only the
/// lowest bit set.
fn nan(float: Float, random: &mut Random) -> u64 {
    let quiet = float.to_bits(f64::NAN);
    let lowest = float.to_bits(f64::INFINITY) | 1;
    let sign = 1 << (float.bits() - 1);
    match random.below(4) {
        // Formats without infinities have one NaN of each sign.
        1 if float.value(lowest).is_nan() => lowest,
        2 if float.value(lowest).is_nan() => lowest | sign,
        3 => quiet | sign,
        _ => quiet,
    }
}

fn int_bits(width: u32, data: DataPattern, role: Role, random: &mut Random) -> u64 {
    let number = match data {
        DataPattern::Powers => random.pick(&[-1, 1, 2, 3]),
        DataPattern::SmallIntegers => random.below(17) as i64 - 8,
        DataPattern::Random | DataPattern::Zeros | DataPattern::Ones => random.next().cast_signed(),
        DataPattern::ManyDigits => -1,
        DataPattern::Near => 0,
        DataPattern::FarBelowZero => -40 - random.below(64) as i64,
        DataPattern::Signs if role == Role::Small => (i64::MIN >> (64 - width)) | 0b0101,
        DataPattern::Signs => 0b0101,
        DataPattern::Least => i64::MIN >> (64 - width),
        DataPattern::Greatest => i64::MAX >> (64 - width),
        DataPattern::Special => match random.below(8) {
            0 => i64::MAX >> (64 - width),
            1 => i64::MIN >> (64 - width),
            2 => -1,
            3 => 0,
            _ => random.next().cast_signed(),
        },
        // Most outliers differ from the plain elements in one or two bits.
        _ => {
            match role {
                Role::Plain => 0b0101,
                Role::Low => 0b0100,
                // As an index, a NaN exceeds the indices of numbers.
                Role::Nan => 0b0110,
                Role::Great | Role::ExpOutlier | Role::Near => 0b0100_0101,
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
    // Copy the value to both 32-bit halves of a 64-bit integer.
    let halves = if width == 64 && data.is_of_roles() {
        1 << 32 | 1
    } else {
        1
    };
    truncated(number.wrapping_mul(halves), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread reads up to 8 consecutive elements of a row. The NaNs of the rows are at each of
    /// the 8 positions, also if the number of columns is a power of two.
    #[test]
    fn nans_are_at_each_position_of_a_vector() {
        const ROWS: usize = 33;
        for columns in [
            64, 100, 128, 132, 192, 256, 512, 1000, 1024, 2048, 3000, 4096,
        ] {
            let variation = Variation::nth(0, 7, &OUTLIERS);
            let (element, data) = (ElementType::F32, DataPattern::NanParts);
            let bytes = fill(element, &[ROWS, columns], data, variation, &mut Random(0));
            let elements = bytes.chunks_exact(4).map(|bytes| {
                let word = bytes.try_into().expect("four bytes");
                f32::from_le_bytes(word)
            });
            let nans = elements.enumerate().filter(|(_, x)| x.is_nan());
            let mut positions: Vec<usize> = nans.map(|(i, _)| i % columns % 8).collect();
            positions.sort_unstable();
            positions.dedup();
            assert_eq!(positions.len(), 8, "{columns} columns: {positions:?}");
        }
    }
}
