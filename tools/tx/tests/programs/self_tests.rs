//! Tests of the formulas, the directives and the comparison.

use libtest_mimic::Trial;

use crate::array::{Approx, Array};
use crate::combine::Expected;
use crate::directive::{self, Comparison};
use crate::element::Element;
use crate::execute::compare;
use crate::npy;
use crate::runs::{Argument, Content, Run, file_of};
use crate::value::{self, Scope, Value};

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}"))
    }
}

/// Variables: a 2x3 float array `A`, an i8 array `I`, a row `R` and an empty array `E`.
fn scope() -> Scope {
    let floats = |shape: &[usize], numbers: &[f64]| {
        let elements = numbers.iter().copied().map(Approx::exactly).collect();
        let shape = shape.to_vec();
        Value::Floats(Array { shape, elements })
    };
    let ints = Array {
        shape: vec![2, 3],
        elements: vec![1, 2, 3, 100, 27, -1],
    };
    [
        ("A", floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, -5.0, 4.0])),
        ("I", Value::Ints(ints, Some(Element::I8))),
        ("R", floats(&[3], &[1.0, f64::NAN, -0.0])),
        ("E", floats(&[2, 0], &[])),
        ("N", value::integer(2)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn evaluate(text: &str) -> Result<Value, String> {
    crate::evaluate::evaluate(&crate::expression::parse(text)?, &scope())
}

/// Checks the shape and the numbers of a formula's result.
fn gives(text: &str, shape: &[usize], numbers: &[f64]) -> Result<(), String> {
    let value = evaluate(text)?;
    let found: Vec<f64> = match &value {
        Value::Floats(array) => array.elements.iter().map(|x| x.value).collect(),
        Value::Ints(array, _) => array.elements.iter().map(|i| *i as f64).collect(),
        other => return Err(format!("{other:?}")),
    };
    let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|x| x.to_bits()).collect() };
    equal(&value.shape(), &shape.to_vec()).map_err(|error| format!("{text}: {error}"))?;
    if bits(&found) == bits(numbers) {
        return Ok(());
    }
    Err(format!("{text} gives {found:?}, expected {numbers:?}"))
}

fn error_of(text: &str, expected: &[f64]) -> Result<(), String> {
    let Value::Floats(array) = evaluate(text)? else {
        return Err(format!("{text} are no floats"));
    };
    let found: Vec<f64> = array.elements.iter().map(|x| x.error).collect();
    equal(&found, &expected.to_vec()).map_err(|error| format!("{text}: {error}"))
}

fn refused(result: Result<impl std::fmt::Debug, String>, reason: &str) -> Result<(), String> {
    match result {
        Err(error) if error.contains(reason) => Ok(()),
        other => Err(format!("expected `{reason}`, found {other:?}")),
    }
}

fn one(text: &str) -> Result<Comparison, String> {
    let mut all = directive::parse(text)?;
    equal(&all.len(), &1)?;
    Ok(all.remove(0))
}

/// Returns whether a `COMPARE` line accepts these bits as the result of one row.
fn verdict(line: &str, sizes: &[usize], output: usize, found: &[u64]) -> Result<bool, String> {
    let run = Run {
        name: String::new(),
        comparison: one(line)?,
        sizes: sizes.to_vec(),
    };
    let arguments = run.arguments()?;
    let argument: &Argument = &arguments[output];
    let Content::Tile { element, shape, .. } = &argument.content else {
        return Err("not a tile".to_owned());
    };
    let found: npy::Array = file_of(*element, shape, found);
    Ok(compare(argument, &found).is_empty())
}

type Test = (&'static str, fn() -> Result<(), String>);

const TESTS: &[Test] = &[
    ("operators bind as in NumPy", || {
        gives("1 + 2 * 3 - 4", &[], &[3.0])?;
        gives("(1 + 2) * 3", &[], &[9.0])?;
        gives("2 - 1 - 1", &[], &[0.0])?;
        gives("-N + 3 < 2", &[], &[1.0])?;
        gives("1.0 / 4", &[], &[0.25])
    }),
    ("shapes broadcast from the last dimension", || {
        gives(
            "A * sum(A, 1, keep)",
            &[2, 3],
            &[6.0, 12.0, 18.0, 12.0, -15.0, 12.0],
        )?;
        gives(
            "A + sum(A, 0)",
            &[2, 3],
            &[6.0, -1.0, 10.0, 9.0, -8.0, 11.0],
        )?;
        refused(evaluate("A + sum(A, 1)"), "do not fit together")
    }),
    ("rows are reduced over any axes", || {
        gives("sum(A, 1)", &[2], &[6.0, 3.0])?;
        gives("sum(A, [0, 1])", &[], &[9.0])?;
        gives("sum(A)", &[], &[9.0])?;
        gives("prod(A, -1)", &[2], &[6.0, -80.0])?;
        gives("mean(A, 1)", &[2], &[2.0, 1.0])?;
        gives("max(A, 0)", &[3], &[4.0, 2.0, 4.0])?;
        gives("min(A, 1, keep)", &[2, 1], &[1.0, -5.0])?;
        gives("argmax(A, 1)", &[2], &[2.0, 0.0])?;
        gives("argmin(A, [0, 1])", &[], &[4.0])?;
        gives("argmax(A, 1, value)", &[2], &[3.0, 4.0])?;
        refused(evaluate("sum(A, 2)"), "axis 2 of 2")
    }),
    ("rows without elements give the identity", || {
        gives("sum(E, 1)", &[2], &[0.0, 0.0])?;
        gives("prod(E, 1)", &[2], &[1.0, 1.0])?;
        gives("max(E, 1)", &[2], &[f64::NEG_INFINITY; 2])?;
        gives("argmin(E, 1, value)", &[2], &[f64::INFINITY; 2])?;
        gives("argmax(E, 1)", &[2], &[0.0, 0.0])
    }),
    ("nan wins or loses, and zeros have signs", || {
        gives("argmax(R, 0)", &[], &[1.0])?;
        gives("argmax(R, 0, ignore)", &[], &[0.0])?;
        gives("max(R, ignore)", &[], &[1.0])?;
        gives("min(R, ignore)", &[], &[-0.0])?;
        gives("max(R) == max(R)", &[], &[0.0])?;
        gives("sum(slice(R, 0, [2, 3, 1]))", &[], &[-0.0])
    }),
    ("integers wrap in their type", || {
        gives("sum(I, 1)", &[2], &[6.0, 126.0])?;
        gives("sum(I + 1, 1)", &[2], &[9.0, -127.0])?;
        gives("sum(i32(I) * 2, 1)", &[2], &[12.0, 252.0])?;
        gives("max(I, 1)", &[2], &[3.0, 100.0])?;
        gives("umax(I, 1)", &[2], &[3.0, -1.0])?;
        gives("and(I, 1)", &[2], &[0.0, 0.0])?;
        gives("xor(I, 1)", &[2], &[0.0, -128.0])?;
        gives("sum(I > 2, 1)", &[2], &[1.0, 2.0])?;
        gives(
            "popcount(slice(I, 0, [1, 2, 1]))",
            &[1, 3],
            &[3.0, 4.0, 8.0],
        )?;
        refused(evaluate("I + i32(I)"), "convert one")?;
        refused(evaluate("mean(I)"), "is not for elements of integers")
    }),
    ("arrays are cut, turned and seen through windows", || {
        gives(
            "transpose(A, [1, 0])",
            &[3, 2],
            &[1.0, 4.0, 2.0, -5.0, 3.0, 4.0],
        )?;
        gives(
            "reshape(A, [3 * N])",
            &[6],
            &[1.0, 2.0, 3.0, 4.0, -5.0, 4.0],
        )?;
        gives("slice(A, 1, [0, 3, 2])", &[2, 2], &[1.0, 3.0, 4.0, 4.0])?;
        gives(
            "sum(put(A, 1, [0, 3, 2], slice(A, 1, [0, 3, 2]) * 0.0), 0)",
            &[3],
            &[0.0, -3.0, 0.0],
        )?;
        gives(
            "windows(A, [2, 2])",
            &[1, 2, 2, 2],
            &[1.0, 2.0, 4.0, -5.0, 2.0, 3.0, -5.0, 4.0],
        )?;
        gives("windows(A, [3, 1])", &[0, 3, 3, 1], &[])?;
        gives("index(A, 1)", &[2, 3], &[0.0, 1.0, 2.0, 0.0, 1.0, 2.0])?;
        gives(
            "select(A > 2, A, 0)",
            &[2, 3],
            &[0.0, 0.0, 3.0, 4.0, 0.0, 4.0],
        )?;
        refused(evaluate("windows(A, [4, 1])"), "no windows")
    }),
    ("errors are those of numbers that cancel", || {
        error_of("A + 0", &[1.0, 2.0, 3.0, 4.0, 5.0, 4.0])?;
        error_of("-A", &[0.0; 6])?;
        error_of("sum(A, 1)", &[6.0, 13.0])?;
        // Error of each product, and of the sum.
        error_of("sum(A * A, 1)", &[28.0, 114.0])?;
        error_of("max(A + 0, 1)", &[3.0, 5.0])?;
        error_of("prod(A, 1)", &[6.0, 80.0])?;
        error_of("(A + 0) / 2", &[1.0, 2.0, 3.0, 4.0, 5.0, 4.0])
    }),
    ("a result is compared as closely as it is known", || {
        let bits = |values: &[f32]| -> Vec<u64> {
            values.iter().map(|v| u64::from(v.to_bits())).collect()
        };
        let line = "// COMPARE: @f(B: 3xf32) B = B * 0 + 1 / 3.0\n";
        let third = 1.0f32 / 3.0;
        equal(&verdict(line, &[], 0, &bits(&[third; 3]))?, &true)?;
        equal(
            &verdict(line, &[], 0, &bits(&[third * 1.000_005; 3]))?,
            &true,
        )?;
        equal(
            &verdict(line, &[], 0, &bits(&[third, third, 0.333]))?,
            &false,
        )?;
        equal(
            &verdict(line, &[], 0, &bits(&[third, f32::NAN, third]))?,
            &false,
        )?;
        // Without rounding, every bit must be equal.
        let line = "// COMPARE: @f(B: 1xf32) B = max(B * 0, 0, keep)\n";
        equal(&verdict(line, &[], 0, &bits(&[1e-30]))?, &false)?;
        let line = "// COMPARE: @f(A: 1xf32, B: f32) B = A\n";
        refused(verdict(line, &[], 1, &[0]), "has shape [1], the output []")
    }),
    ("what no formula names must stay as it was", || {
        let line = "// COMPARE: @f(A: Nxi32 in 5..6, B: Nxi32) B = A\n";
        equal(&verdict(line, &[2], 0, &[5, 5])?, &true)?;
        equal(&verdict(line, &[2], 0, &[5, 6])?, &false)?;
        equal(&verdict(line, &[2], 1, &[5, 5])?, &true)
    }),
    ("a tolerance never accepts nan or infinity", || {
        let one = Expected {
            bits: Element::F32.nearest(1.0),
            tolerance: f64::MAX,
        };
        equal(
            &one.accepts(Element::F32, Element::F32.nearest(f64::NAN)),
            &false,
        )?;
        equal(
            &one.accepts(Element::F32, Element::F32.nearest(f64::INFINITY)),
            &false,
        )
    }),
    ("directives say arguments, formulas and sizes", || {
        let found = one(
            "// COMPARE: @f(A: NxMxf16 in -2..2, s = 2.5, n = N, B: N-2x3xi32) e = A * s; B = e\n\
             // SIZES: MxN = 1x2 3x4\nfunc.func @f(%A: memref<?x?xf16>) {\n",
        )?;
        equal(&found.entry.as_str(), &"f")?;
        equal(&found.symbols, &vec!["N".to_owned(), "M".to_owned()])?;
        equal(&found.sizes, &vec![vec![2, 1], vec![4, 3]])?;
        equal(&found.statements.len(), &2)?;
        let sizes = one("// COMPARE: @f(A: NxMxf32) A = A * 1\n")?.sizes;
        equal(&sizes.contains(&vec![127, 1003]), &true)?;
        equal(&sizes.contains(&vec![0, 7]), &true)
    }),
    ("directives that are wrong are refused", || {
        let refuses = |text: &str, reason: &str| refused(directive::parse(text), reason);
        refuses("func.func @f() {\n", "no COMPARE line")?;
        refuses(
            "// COMPARE: @f(A: 2xf32) A = A\nfunc.func @g(%A: memref<2xf32>) {\n",
            "no COMPARE line for @g",
        )?;
        refuses(
            "// COMPARE: @f(A: 2xf31) A = A\n",
            "unknown element type `f31`",
        )?;
        refuses("// COMPARE: @f(A: 2xf32) b = A\n", "no output is compared")?;
        refuses("// COMPARE: @f(A: 2xf32)\n", "no output is compared")?;
        refuses(
            "// COMPARE: @f(A: 2xf32, A: 2xf32) A = A\n",
            "two arguments `A`",
        )?;
        refuses(
            "// COMPARE: @f(N: NxNxf32) N = N\n",
            "is an argument and a size",
        )?;
        refuses(
            "// COMPARE: @f(A: KxMxNxf32) A = A\n",
            "a SIZES line is missing",
        )?;
        refuses("// SIZES: N = 1\n", "belongs after")?;
        refuses(
            "// COMPARE: @f(A: NxMxf32) A = A\n// SIZES: N = 1\n",
            "the sizes are N, M",
        )?;
        refuses("// COMPARE: @f(A: 2xf32) A = A )\n", "expected `;`")?;
        refused(evaluate("sun(A)"), "unknown function; known are exp")?;
        refused(evaluate("sum(C)"), "unknown name `C`")?;
        refused(evaluate("exp(A, keep)"), "does not know `keep`")
    }),
];

pub(crate) fn trials() -> Vec<Trial> {
    TESTS
        .iter()
        .map(|(name, test)| Trial::test(format!("harness: {name}"), move || Ok(test()?)))
        .collect()
}
