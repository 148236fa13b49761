//! Functions of formulas. A new function is a row in `FUNCTIONS`, or in `ROWS` if it reduces rows.

use crate::array::{Approx, Array};
use crate::combine::{self, Kind, Nan};
use crate::element::Element;
use crate::value::{
    Value::{self, Floats, Ints, List, Word},
    common, wrap,
};

type Function = fn(&[Value]) -> Result<Value, String>;

/// Functions of whole arrays, with their numbers of arguments.
const FUNCTIONS: &[(&str, usize, Function)] = &[
    ("exp", 1, |a| smooth(a, |x| (x.exp(), x.exp()))),
    ("log", 1, |a| smooth(a, |x| (x.ln(), 1.0 / x))),
    ("sqrt", 1, |a| smooth(a, |x| (x.sqrt(), 0.5 / x.sqrt()))),
    ("tanh", 1, |a| {
        smooth(a, |x| (x.tanh(), 1.0 - x.tanh().powi(2)))
    }),
    ("abs", 1, |a| match &a[0] {
        Ints(array, element) => Ok(Ints(
            array.map(|i| wrap(i.wrapping_abs(), *element)),
            *element,
        )),
        other => Ok(Floats(other.floats()?.map(|x| Approx {
            value: x.value.abs(),
            ..x
        }))),
    }),
    // Parity of the set bits. Sign extension adds an even number of bits.
    ("parity", 1, |a| {
        let (array, element) = a[0].ints()?;
        let parity = |i: i64| i64::from(i.count_ones() % 2);
        Ok(Ints(array.map(parity), element))
    }),
    ("maximum", 2, |a| {
        pairwise(a, i64::max, |x| extreme(&x, false))
    }),
    ("minimum", 2, |a| {
        pairwise(a, i64::min, |x| negated(extreme(&opposite(&x), false)))
    }),
    // select(condition, value if true, value if false)
    ("select", 3, |a| {
        let condition = a[0].ints()?.0;
        if let (Ints(yes, x), Ints(no, y)) = (&a[1], &a[2]) {
            let both = yes.zip(no, |x, y| (x, y))?;
            let chosen = condition.zip(&both, |c, (x, y)| if c != 0 { x } else { y })?;
            return Ok(Ints(chosen, common(*x, *y)?));
        }
        let both = a[1].floats()?.zip(&a[2].floats()?, |x, y| (x, y))?;
        Ok(Floats(condition.zip(
            &both,
            |c, (x, y)| {
                if c != 0 { x } else { y }
            },
        )?))
    }),
    ("float", 1, |a| Ok(Floats(a[0].floats()?))),
    ("i8", 1, |a| converted(a, Element::I8)),
    ("i16", 1, |a| converted(a, Element::I16)),
    ("i32", 1, |a| converted(a, Element::I32)),
    ("i64", 1, |a| converted(a, Element::I64)),
    ("popcount", 1, |a| bits(a, |word| word.count_ones())),
    ("parity", 1, |a| bits(a, |word| word.count_ones() % 2)),
    // index(A, axis): index of each element along an axis
    ("index", 2, |a| {
        let shape = a[0].shape();
        let axis = axis(a[1].number()?, shape.len())?;
        Ok(Ints(Array::build(&shape, |at| at[axis] as i64), None))
    }),
    // windows(A, [3, 3]), like `numpy.lib.stride_tricks.sliding_window_view`
    ("windows", 2, |a| {
        let window = a[1].extents()?;
        either(&a[0], |x| x.windows(&window), |x| x.windows(&window))
    }),
    ("reshape", 2, |a| {
        let shape = a[1].extents()?;
        either(&a[0], |x| x.reshape(&shape), |x| x.reshape(&shape))
    }),
    ("transpose", 2, |a| {
        let order = a[1].extents()?;
        either(&a[0], |x| x.transpose(&order), |x| x.transpose(&order))
    }),
    // slice(A, axis, [from, to, step])
    ("slice", 3, |a| {
        let axis = axis(a[1].number()?, a[0].shape().len())?;
        let [from, to, step] = a[2].extents()?[..] else {
            return Err("expected [from, to, step]".to_owned());
        };
        either(
            &a[0],
            |x| x.slice(axis, from, to, step),
            |x| x.slice(axis, from, to, step),
        )
    }),
    // put(A, axis, [from, to, step], B): A with B in place of the slice
    ("put", 4, |a| {
        let axis = axis(a[1].number()?, a[0].shape().len())?;
        let [from, to, step] = a[2].extents()?[..] else {
            return Err("expected [from, to, step]".to_owned());
        };
        match (&a[0], &a[3]) {
            (Ints(into, x), Ints(part, y)) => {
                let put = into.put(axis, from, to, step, part)?;
                Ok(Ints(put, common(*x, *y)?))
            }
            (into, part) => {
                let put = into.floats()?.put(axis, from, to, step, &part.floats()?)?;
                Ok(Floats(put))
            }
        }
    }),
];

/// Combiner of the elements of a row: for floats, and for integers of a type.
type Row = (
    fn(&[Approx], bool) -> Option<Approx>,
    fn(&[i64], Element) -> Option<i64>,
);

/// Functions of rows, in the form `f(A, axes)`. Without axes, the whole array is one row. With
/// `keep`, the result contains the reduced axes with size 1, and with `ignore`, the function
/// ignores NaN.
const ROWS: &[(&str, Row)] = &[
    (
        "sum",
        (|row, _| Some(sum(row)), |row, t| folded(Kind::Sum, row, t)),
    ),
    (
        "prod",
        (
            |row, _| Some(product(row)),
            |row, t| folded(Kind::Prod, row, t),
        ),
    ),
    (
        "mean",
        (
            |row, _| Some(sum(row).over(Approx::exactly(row.len() as f64))),
            |_, _| None,
        ),
    ),
    (
        "max",
        (
            |row, ignore| Some(extreme(row, ignore)),
            |row, t| folded(Kind::Max, row, t),
        ),
    ),
    (
        "min",
        (
            |row, ignore| Some(negated(extreme(&opposite(row), ignore))),
            |row, t| folded(Kind::Min, row, t),
        ),
    ),
    ("umax", (|_, _| None, |row, t| folded(Kind::UMax, row, t))),
    ("umin", (|_, _| None, |row, t| folded(Kind::UMin, row, t))),
    ("and", (|_, _| None, |row, t| folded(Kind::And, row, t))),
    ("or", (|_, _| None, |row, t| folded(Kind::Or, row, t))),
    ("xor", (|_, _| None, |row, t| folded(Kind::Xor, row, t))),
];

/// Calls a function with arguments and option words.
pub(crate) fn call(name: &str, values: &[Value], words: &[String]) -> Result<Value, String> {
    let has = |word: &str| words.iter().any(|w| w == word);
    let takes = |allowed: &[&str]| match words.iter().find(|w| !allowed.contains(&w.as_str())) {
        Some(word) => Err(format!("does not know `{word}`")),
        None => Ok(()),
    };
    if let Some((_, count, function)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) {
        takes(&[])?;
        if values.len() != *count {
            return Err(format!("takes {count} arguments, not {}", values.len()));
        }
        return function(values);
    }
    let rows = |values: &[Value]| -> Result<Vec<usize>, String> {
        let rank = match values {
            [source] | [source, _] => source.shape().len(),
            _ => return Err("takes an array and axes".to_owned()),
        };
        match values.get(1) {
            None => Ok((0..rank).collect()),
            Some(axes) => axes.numbers()?.into_iter().map(|a| axis(a, rank)).collect(),
        }
    };
    if let Some((_, (floats, ints))) = ROWS.iter().find(|(known, _)| *known == name) {
        takes(&["keep", "ignore"])?;
        let axes = rows(values)?;
        let not = || format!("is not for elements of {}", described(&values[0]));
        if let Ints(array, element) = &values[0] {
            let of = element.unwrap_or(Element::I64);
            let result = array.reduce(&axes, has("keep"), |row| {
                ints(&row, of).map(|i| wrap(i, *element))
            });
            return Ok(Ints(all(result).ok_or_else(not)?, *element));
        }
        let source = values[0].floats()?;
        let result = source.reduce(&axes, has("keep"), |row| floats(&row, has("ignore")));
        return Ok(Floats(all(result).ok_or_else(not)?));
    }
    // `argmax` and `argmin` return the index of the extreme element, in row-major order of the
    // axes. With the option `value`, `argmax` and `argmin` return the element at this index, so a
    // zero keeps its sign.
    if name == "argmax" || name == "argmin" {
        takes(&["keep", "ignore", "value"])?;
        let axes = rows(values)?;
        let smallest = name == "argmin";
        if let Ints(array, element) = &values[0] {
            let of = element.unwrap_or(Element::I64);
            let worst = if smallest { !least(of) } else { least(of) };
            let winners = array.reduce(&axes, has("keep"), |row| {
                let beats = |a: &i64, b: &i64| if smallest { a < b } else { a > b };
                winner(&row, beats).map_or((worst, 0), |at| (row[at], at as i64))
            });
            return Ok(if has("value") {
                Ints(winners.map(|w| w.0), *element)
            } else {
                Ints(winners.map(|w| w.1), None)
            });
        }
        let worst = if smallest {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        let nan = policy(has("ignore"));
        let sign = if smallest { -1.0 } else { 1.0 };
        let winners = values[0].floats()?.reduce(&axes, has("keep"), |row| {
            let beats =
                |a: &Approx, b: &Approx| combine::beats(sign * a.value, sign * b.value, nan);
            winner(&row, beats).map_or((Approx::exactly(worst), 0), |at| (row[at], at as i64))
        });
        return Ok(if has("value") {
            Floats(winners.map(|w| w.0))
        } else {
            Ints(winners.map(|w| w.1), None)
        });
    }
    let known: Vec<&str> = FUNCTIONS
        .iter()
        .map(|(name, ..)| *name)
        .chain(ROWS.iter().map(|(name, _)| *name))
        .chain(["argmax", "argmin"])
        .collect();
    Err(format!("unknown function; known are {}", known.join(", ")))
}

fn described(value: &Value) -> &'static str {
    match value {
        Floats(_) => "floats",
        Ints(..) => "integers",
        List(_) | Word(_) => "no array",
    }
}

fn axis(number: i64, rank: usize) -> Result<usize, String> {
    let rank = rank as i64;
    let axis = if number < 0 { number + rank } else { number };
    if (0..rank).contains(&axis) {
        Ok(axis as usize)
    } else {
        Err(format!("axis {number} of {rank} dimensions"))
    }
}

fn all<T: Clone>(array: Array<Option<T>>) -> Option<Array<T>> {
    let elements: Option<Vec<T>> = array.elements.into_iter().collect();
    Some(Array {
        shape: array.shape,
        elements: elements?,
    })
}

/// Applies a function with its derivative.
fn smooth(arguments: &[Value], f: fn(f64) -> (f64, f64)) -> Result<Value, String> {
    let array = arguments[0].floats()?.map(|x| {
        let (value, slope) = f(x.value);
        let inherited = if x.error == 0.0 {
            0.0
        } else {
            slope.abs() * x.error
        };
        Approx::rounded(value, inherited)
    });
    Ok(Floats(array))
}

fn pairwise(
    arguments: &[Value],
    ints: fn(i64, i64) -> i64,
    floats: fn([Approx; 2]) -> Approx,
) -> Result<Value, String> {
    if let (Ints(left, a), Ints(right, b)) = (&arguments[0], &arguments[1]) {
        return Ok(Ints(left.zip(right, ints)?, common(*a, *b)?));
    }
    let (left, right) = (arguments[0].floats()?, arguments[1].floats()?);
    Ok(Floats(left.zip(&right, |x, y| floats([x, y]))?))
}

fn either(
    value: &Value,
    floats: impl Fn(&Array<Approx>) -> Result<Array<Approx>, String>,
    ints: impl Fn(&Array<i64>) -> Result<Array<i64>, String>,
) -> Result<Value, String> {
    match value {
        Floats(array) => Ok(Floats(floats(array)?)),
        Ints(array, element) => Ok(Ints(ints(array)?, *element)),
        List(_) | Word(_) => Err("expected an array".to_owned()),
    }
}

fn converted(arguments: &[Value], element: Element) -> Result<Value, String> {
    let array = match &arguments[0] {
        Ints(array, _) => array.map(|i| wrap(i, Some(element))),
        other => other.floats()?.map(|x| wrap(x.value as i64, Some(element))),
    };
    Ok(Ints(array, Some(element)))
}

/// Applies a function of the bits of each integer.
fn bits(arguments: &[Value], f: fn(u64) -> u32) -> Result<Value, String> {
    let (array, element) = arguments[0].ints()?;
    let word = |i: i64| element.map_or(i as u64, |element| element.wrap(i as u64));
    Ok(Ints(array.map(|i| i64::from(f(word(i)))), element))
}

fn least(element: Element) -> i64 {
    i64::MIN >> (64 - element.bits())
}

/// Sums a row. The error bound depends on the sum of magnitudes, because cancellation does not
/// reduce the error.
fn sum(row: &[Approx]) -> Approx {
    match row {
        [] => Approx::exactly(0.0),
        [one] => *one,
        [first, rest @ ..] => Approx {
            // The sum starts with the first element, because a sum of -0.0 is -0.0.
            value: rest.iter().fold(first.value, |sum, x| sum + x.value),
            error: row.iter().map(|x| x.error + x.value.abs()).sum(),
        },
    }
}

fn product(row: &[Approx]) -> Approx {
    match row {
        [] => Approx::exactly(1.0),
        [one] => *one,
        [first, rest @ ..] => {
            let product = rest.iter().fold(*first, |product, x| product.times(*x));
            Approx::rounded(product.value, product.error)
        }
    }
}

/// Reduces integers of a type.
fn folded(kind: Kind, row: &[i64], element: Element) -> Option<i64> {
    let bits = row.iter().map(|i| element.wrap(*i as u64));
    Some(element.signed(combine::integers(kind, element, bits)))
}

fn policy(ignore: bool) -> Nan {
    if ignore { Nan::Ignore } else { Nan::Propagate }
}

/// Returns the maximum; +0.0 is greater than -0.0.
fn extreme(row: &[Approx], ignore: bool) -> Approx {
    let numbers: Vec<f64> = row.iter().map(|x| x.value).collect();
    let value = combine::extreme(&numbers, policy(ignore));
    let errors = row.iter().filter(|x| !x.value.is_nan()).map(|x| x.error);
    Approx {
        value,
        error: if value.is_nan() {
            0.0
        } else {
            errors.fold(0.0, f64::max)
        },
    }
}

fn opposite(row: &[Approx]) -> Vec<Approx> {
    row.iter().copied().map(negated).collect()
}

fn negated(x: Approx) -> Approx {
    Approx {
        value: -x.value,
        ..x
    }
}

/// Returns the first element that no other element beats.
fn winner<T>(row: &[T], beats: impl Fn(&T, &T) -> bool) -> Option<usize> {
    (0..row.len()).reduce(|best, at| {
        if beats(&row[at], &row[best]) {
            at
        } else {
            best
        }
    })
}
