//! Text form of arrays, in the format of numpy's `print`.

use std::fmt;

use tx_plan::ElementType;

use crate::array::Array;
use crate::number::{FloatFormat, Number};

/// Maximum number of elements of an array that is printed without abbreviation.
const THRESHOLD: usize = 1000;
/// Number of elements that the text of an abbreviated array shows at each end of a dimension.
const EDGE_ITEMS: usize = 3;
/// Maximum length of a line of the printed text, in characters.
const LINE_WIDTH: usize = 75;
/// Maximum number of digits after the decimal point.
const PRECISION: usize = 8;

/// Prints an array as numpy 2.3 does with its default options. For an array of more than 1000
/// elements, the text shows three elements at each end of each dimension. Floats are printed with
/// the fewest digits that identify the value, and with at most 8 digits after the point. Integers
/// are printed as signed unless the array is marked unsigned, and an `i1` is printed as `True` or
/// `False`.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shape().is_empty() {
            return f.write_str(&scalar(self.element(), self.number(self.bits(0))));
        }
        if self.is_empty() {
            return f.write_str("[]");
        }
        let printer = Printer::new(self);
        let mut text = String::new();
        printer.array(&mut text, 0, 0, 1, LINE_WIDTH);
        f.write_str(&text)
    }
}

/// Returns the text of a rank-0 array, in the format of a numpy scalar. The text of a rank-0 float
/// may have more than 8 digits after the point.
fn scalar(element: ElementType, value: Number) -> String {
    match value {
        Number::Int(value) if element == ElementType::I1 => python_bool(value != 0).to_owned(),
        Number::Int(value) => value.to_string(),
        Number::Float(value) if !value.is_finite() => special(value).to_owned(),
        Number::Float(value) => {
            let decimal = Decimal::shortest(element, value);
            let magnitude = value.abs();
            let large = match element {
                ElementType::F64 => 1e16,
                _ => many_whole(element),
            };
            if value == 0.0 || (1e-4..large).contains(&magnitude) {
                let (whole, fraction) = decimal.positional(usize::MAX);
                format!(
                    "{whole}.{}",
                    if fraction.is_empty() { "0" } else { &fraction }
                )
            } else {
                let (whole, fraction, exponent) = decimal.scientific(usize::MAX);
                let point = if fraction.is_empty() { "" } else { "." };
                format!("{whole}{point}{fraction}{exponent}")
            }
        }
    }
}

/// Returns the smallest magnitude above 1 that numpy 2.3 prints in scientific notation for floats
/// narrower than f64.
fn many_whole(element: ElementType) -> f64 {
    if element == ElementType::F16 {
        1e3
    } else {
        1e6
    }
}

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn special(value: f64) -> &'static str {
    if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

struct Decimal {
    value: f64,
    /// Shortest text that identifies the value within its type, such as `-1.25e-7`.
    shortest: String,
}

impl Decimal {
    fn shortest(element: ElementType, value: f64) -> Self {
        let shortest = match element {
            ElementType::F32 => even(format!("{:e}", value as f32), value, |text| {
                text.parse() == Ok(value as f32)
            }),
            ElementType::F64 => even(format!("{value:e}"), value, |text| {
                text.parse() == Ok(value)
            }),
            _ => match FloatFormat::of(element) {
                None => format!("{value:e}"),
                // 5 significant digits identify every value of a type with at most 11 significant
                // bits.
                Some(format) => (0..5)
                    .map(|digits| format!("{value:.digits$e}"))
                    .find(|text| {
                        text.parse()
                            .is_ok_and(|parsed| format.encode(parsed) == format.encode(value))
                    })
                    .unwrap_or_else(|| format!("{value:e}")),
            },
        };
        Self { value, shortest }
    }

    /// Returns the decimal text of the value in two parts: the sign with the digits before the
    /// point, and at most `precision` digits after the point.
    fn positional(&self, precision: usize) -> (String, String) {
        let (mantissa, exponent) = self.parts();
        let negative = mantissa.starts_with('-');
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let point = exponent + 1;
        let (whole, fraction) = if point <= 0 {
            (
                "0".to_owned(),
                "0".repeat(point.unsigned_abs() as usize) + &digits,
            )
        } else if let Some((whole, fraction)) = digits.split_at_checked(point as usize) {
            (whole.to_owned(), fraction.to_owned())
        } else {
            let zeros = point as usize - digits.len();
            (digits + &"0".repeat(zeros), String::new())
        };
        let (whole, fraction) = if fraction.len() > precision {
            // numpy rounds the exact value, not the shortest text.
            let exact = format!("{:.precision$}", self.value.abs());
            match exact.split_once('.') {
                Some((whole, fraction)) => (whole.to_owned(), fraction.to_owned()),
                None => (exact, String::new()),
            }
        } else {
            (whole, fraction)
        };
        let sign = if negative { "-" } else { "" };
        (
            format!("{sign}{whole}"),
            fraction.trim_end_matches('0').to_owned(),
        )
    }

    /// Returns the value in scientific notation in three parts: the sign with the first digit, at
    /// most `precision` digits after the point, and an exponent such as `e-07`.
    fn scientific(&self, precision: usize) -> (String, String, String) {
        if fraction_len(self.parts().0) > precision {
            return self.scientific_exact(precision);
        }
        split_scientific(&self.shortest)
    }

    /// Returns the value in scientific notation in three parts: the sign with the first digit,
    /// exactly `precision` digits after the point, and the exponent. If `shortest` does not have
    /// `precision` digits after the point, the function rounds the exact value to `precision`
    /// digits after the point, as numpy does.
    fn scientific_padded(&self, precision: usize) -> (String, String, String) {
        let (whole, mut fraction, exponent) = if fraction_len(self.parts().0) == precision {
            split_scientific(&self.shortest)
        } else {
            self.scientific_exact(precision)
        };
        fraction.extend(std::iter::repeat_n('0', precision - fraction.len()));
        (whole, fraction, exponent)
    }

    fn scientific_exact(&self, precision: usize) -> (String, String, String) {
        split_scientific(&format!("{:.precision$e}", self.value))
    }

    fn parts(&self) -> (&str, i32) {
        parts(&self.shortest)
    }
}

fn parts(scientific: &str) -> (&str, i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    (mantissa, exponent.parse().unwrap_or(0))
}

/// Returns the decimal text that is nearest to the value and has as many digits as `shortest`;
/// returns `shortest` if the nearest text does not identify the value. Among texts of equal length,
/// numpy prefers the text nearest to the value.
fn even(shortest: String, value: f64, round_trips: impl Fn(&str) -> bool) -> String {
    let precision = fraction_len(parts(&shortest).0);
    let nearest = format!("{value:.precision$e}");
    if round_trips(&nearest) {
        nearest
    } else {
        shortest
    }
}

fn fraction_len(mantissa: &str) -> usize {
    mantissa
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len())
}

fn split_scientific(text: &str) -> (String, String, String) {
    let (mantissa, exponent) = parts(text);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let sign = if exponent < 0 { '-' } else { '+' };
    (
        whole.to_owned(),
        fraction.trim_end_matches('0').to_owned(),
        format!("e{sign}{:02}", exponent.unsigned_abs()),
    )
}

/// Format for the elements of one array. The format pads the texts of all elements to the same
/// width.
enum Style {
    Bool,
    Int {
        width: usize,
    },
    Positional {
        left: usize,
        right: usize,
    },
    Scientific {
        left: usize,
        precision: usize,
        exponent: usize,
    },
}

struct Printer<'a> {
    array: &'a Array,
    shortened: bool,
    style: Style,
    strides: Vec<usize>,
}

impl<'a> Printer<'a> {
    fn new(array: &'a Array) -> Self {
        let mut strides: Vec<usize> = array
            .shape()
            .iter()
            .rev()
            .scan(1_usize, |stride, size| {
                let this = *stride;
                *stride *= size;
                Some(this)
            })
            .collect();
        strides.reverse();
        let mut printer = Self {
            array,
            shortened: array.len() > THRESHOLD,
            style: Style::Bool,
            strides,
        };
        printer.style = printer.choose_style();
        printer
    }

    /// Returns the positions of the printed elements along a dimension, and the number of positions
    /// before the ellipsis.
    fn shown(&self, axis: usize) -> (Vec<usize>, Option<usize>) {
        let size = self.array.shape()[axis];
        if self.shortened && size > 2 * EDGE_ITEMS {
            (
                (0..EDGE_ITEMS).chain(size - EDGE_ITEMS..size).collect(),
                Some(EDGE_ITEMS),
            )
        } else {
            ((0..size).collect(), None)
        }
    }

    fn for_each_shown(&self, axis: usize, base: usize, visit: &mut impl FnMut(u64)) {
        if axis == self.strides.len() {
            visit(self.array.bits(base));
            return;
        }
        for position in self.shown(axis).0 {
            self.for_each_shown(axis + 1, base + position * self.strides[axis], visit);
        }
    }

    fn choose_style(&self) -> Style {
        let element = self.array.element();
        if element == ElementType::I1 {
            return Style::Bool;
        }
        if !element.is_float() {
            let mut width = 0;
            self.for_each_shown(0, 0, &mut |bits| {
                width = width.max(scalar(element, self.array.number(bits)).len())
            });
            return Style::Int { width };
        }
        let (mut finite, mut special_width) = (Vec::new(), 0);
        self.for_each_shown(0, 0, &mut |bits| match self.array.number(bits).to_f64() {
            value if value.is_finite() => finite.push(value),
            // numpy reserves room for a sign only for a negative infinity.
            value => special_width = special_width.max(special(value).len()),
        });
        let magnitudes = || {
            finite
                .iter()
                .map(|value| value.abs())
                .filter(|value| *value != 0.0)
        };
        let largest = magnitudes().fold(0.0, f64::max);
        let smallest = magnitudes().fold(f64::INFINITY, f64::min);
        let ratio = match element {
            ElementType::F64 => largest / smallest,
            _ => f64::from((largest / smallest) as f32),
        };
        let decimals = || {
            finite
                .iter()
                .map(|value| Decimal::shortest(element, *value))
        };
        // numpy rounds 0.0001 to the element type before it compares the elements with 0.0001.
        let small =
            FloatFormat::of(element).map_or(1e-4, |format| format.decode(format.encode(1e-4)));
        let large = match element {
            ElementType::F64 => 1e8,
            _ => many_whole(element),
        };
        if largest > 0.0 && (largest >= large || smallest < small || ratio > 1000.0) {
            let (mut left, mut precision, mut exponent) = (0, 0, 0);
            for decimal in decimals() {
                let (whole, fraction, power) = decimal.scientific(PRECISION);
                left = left.max(whole.len());
                precision = precision.max(fraction.len());
                exponent = exponent.max(power.len());
            }
            let rest = 1 + precision + exponent;
            Style::Scientific {
                left: left.max(special_width.saturating_sub(rest)),
                precision,
                exponent,
            }
        } else {
            let (mut left, mut right) = (0, 0);
            for decimal in decimals() {
                let (whole, fraction) = decimal.positional(PRECISION);
                left = left.max(whole.len());
                right = right.max(fraction.len());
            }
            Style::Positional {
                left: left.max(special_width.saturating_sub(right + 1)),
                right,
            }
        }
    }

    fn element(&self, bits: u64) -> String {
        let element = self.array.element();
        match &self.style {
            Style::Bool => format!("{:>5}", scalar(element, self.array.number(bits))),
            Style::Int { width } => format!("{:>width$}", scalar(element, self.array.number(bits))),
            Style::Positional { left, right } => {
                let value = self.array.number(bits).to_f64();
                if !value.is_finite() {
                    return format!("{:>width$}", special(value), width = left + right + 1);
                }
                let (whole, fraction) = Decimal::shortest(element, value).positional(PRECISION);
                format!("{whole:>left$}.{fraction:<right$}")
            }
            Style::Scientific {
                left,
                precision,
                exponent,
            } => {
                let value = self.array.number(bits).to_f64();
                if !value.is_finite() {
                    return format!(
                        "{:>width$}",
                        special(value),
                        width = left + 1 + precision + exponent
                    );
                }
                let (whole, fraction, power) =
                    Decimal::shortest(element, value).scientific_padded(*precision);
                let (sign, digits) = power.split_at(2);
                format!(
                    "{whole:>left$}.{fraction}{sign}{digits:0>width$}",
                    width = exponent - 2
                )
            }
        }
    }

    /// Appends the text of a subarray. The subarray spans dimension `axis` and all inner
    /// dimensions, and the first element of the subarray is at position `base`. Every line except
    /// the first line starts with `indent` spaces.
    fn array(&self, text: &mut String, axis: usize, base: usize, indent: usize, width: usize) {
        let (positions, dots) = self.shown(axis);
        let last_axis = self.strides.len() - 1;
        text.push('[');
        if axis == last_axis {
            // The closing brackets of this and all outer dimensions may follow the last element.
            let width = width - 1;
            let mut column = indent;
            let mut write = |text: &mut String, word: &str| {
                // A line breaks before a word that does not fit, unless the line is empty.
                if column + word.len() > width && column > indent {
                    let end = text.trim_end().len();
                    text.truncate(end);
                    text.push('\n');
                    text.push_str(&" ".repeat(indent));
                    column = indent;
                }
                text.push_str(word);
                text.push(' ');
                column += word.len() + 1;
            };
            for (i, position) in positions.iter().enumerate() {
                if dots == Some(i) {
                    write(text, "...");
                }
                write(
                    text,
                    &self.element(self.array.bits(base + position * self.strides[axis])),
                );
            }
            text.pop();
        } else {
            let separator = "\n".repeat(last_axis - axis) + &" ".repeat(indent);
            for (i, position) in positions.iter().enumerate() {
                if i > 0 {
                    text.push_str(&separator);
                }
                if dots == Some(i) {
                    text.push_str("...");
                    text.push_str(&separator);
                }
                self.array(
                    text,
                    axis + 1,
                    base + position * self.strides[axis],
                    indent + 1,
                    width - 1,
                );
            }
        }
        text.push(']');
    }
}
