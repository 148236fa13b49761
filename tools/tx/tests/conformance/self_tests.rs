//! Tests of the generator, the reference and the comparison.

use half::{bf16, f16};
use libtest_mimic::Trial;

use crate::cases;
use crate::element::Element;
use crate::inputs::Random;
use crate::npy::Array;
use crate::program::Argument;
use crate::reference::{Expected, Kind, Nan, Rule, arg, reduce};

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}"))
    }
}

fn rule(kind: Kind, nan: Nan, element: Element) -> Rule {
    Rule {
        kind,
        nan,
        source: element,
        acc: element.accumulator(),
        destination: element,
    }
}

/// Returns the exact result of an f32 row.
fn f32s(kind: Kind, nan: Nan, row: &[f32], old: Option<f32>) -> Result<u32, String> {
    let bits = |value: &f32| u64::from(value.to_bits());
    let row: Vec<u64> = row.iter().map(bits).collect();
    let expected = reduce(rule(kind, nan, Element::F32), &row, old.as_ref().map(bits))?;
    equal(&expected.tolerance, &0.0)?;
    Ok(expected.bits as u32)
}

type Test = (&'static str, fn() -> Result<(), String>);

const TESTS: &[Test] = &[
    ("floats are decoded as IEEE says", || {
        for bits in 0..=u16::MAX {
            let ours = Element::F16.number(u64::from(bits));
            let theirs = f16::from_bits(bits).to_f64();
            if ours.is_nan() != theirs.is_nan()
                || !ours.is_nan() && ours.to_bits() != theirs.to_bits()
            {
                return Err(format!("f16 {bits:#x}: found {ours}, expected {theirs}"));
            }
            let ours = Element::BF16.number(u64::from(bits));
            let theirs = bf16::from_bits(bits).to_f64();
            if ours.is_nan() != theirs.is_nan()
                || !ours.is_nan() && ours.to_bits() != theirs.to_bits()
            {
                return Err(format!("bf16 {bits:#x}: found {ours}, expected {theirs}"));
            }
        }
        Ok(())
    }),
    ("a float encoded is what was decoded", || {
        use Element::{BF16, F8E4M3FN, F8E5M2, F16};
        for element in [F8E4M3FN, F8E5M2, F16, BF16] {
            for bits in 0..1u64 << element.bits() {
                if !element.is_nan(bits) {
                    equal(&element.nearest(element.number(bits)), &bits)?;
                }
            }
        }
        Ok(())
    }),
    ("floats round to nearest even", || {
        let mut random = Random::new("rounding");
        for _ in 0..100_000 {
            let value = f64::from_bits(random.next());
            if value.is_nan() {
                continue;
            }
            equal(
                &Element::F32.nearest(value),
                &u64::from((value as f32).to_bits()),
            )?;
        }
        equal(&Element::F16.nearest(2049.0), &Element::F16.nearest(2048.0))?;
        equal(&Element::F16.nearest(2051.0), &Element::F16.nearest(2052.0))?;
        equal(
            &Element::F16.number(Element::F16.nearest(65_519.9)),
            &65_504.0,
        )?;
        equal(
            &Element::F16.number(Element::F16.nearest(65_520.0)),
            &f64::INFINITY,
        )
    }),
    ("8-bit floats have the values of their standard", || {
        equal(&Element::F8E4M3FN.number(0x7e), &448.0)?;
        equal(&Element::F8E4M3FN.is_nan(0x7f), &true)?;
        equal(&Element::F8E4M3FN.number(0x01), &f64::powi(2.0, -9))?;
        equal(&Element::F8E5M2.number(0x7b), &57_344.0)?;
        equal(&Element::F8E5M2.number(0xfc), &f64::NEG_INFINITY)?;
        equal(&Element::F8E4M3FN.largest(), &448.0)?;
        equal(&Element::F8E5M2.largest(), &57_344.0)
    }),
    (
        "the reference keeps identities, signs of zero and NaN",
        || {
            use Kind::{Max, Min, Prod, Sum};
            use Nan::{Ignore, Propagate};
            let is =
                |found: Result<u32, String>, expected: f32| equal(&found?, &expected.to_bits());
            is(f32s(Sum, Propagate, &[], None), 0.0)?;
            is(f32s(Sum, Propagate, &[-0.0, -0.0], None), -0.0)?;
            is(f32s(Sum, Propagate, &[-0.0, 0.0], None), 0.0)?;
            is(f32s(Sum, Propagate, &[1.0, -1.0], None), 0.0)?;
            is(f32s(Sum, Propagate, &[-0.0], Some(-0.0)), -0.0)?;
            is(
                f32s(Sum, Propagate, &[f32::INFINITY, 1.0], Some(1.0)),
                f32::INFINITY,
            )?;
            is(f32s(Prod, Propagate, &[], None), 1.0)?;
            is(f32s(Prod, Propagate, &[-2.0, 0.0], None), -0.0)?;
            is(f32s(Max, Propagate, &[], None), f32::NEG_INFINITY)?;
            is(f32s(Min, Ignore, &[], None), f32::INFINITY)?;
            is(f32s(Max, Propagate, &[-0.0, 0.0, -0.0], None), 0.0)?;
            is(f32s(Min, Propagate, &[0.0, -0.0], None), -0.0)?;
            is(f32s(Max, Ignore, &[f32::NAN, -3.0], None), -3.0)?;
            is(f32s(Max, Ignore, &[f32::NAN], Some(2.0)), 2.0)?;
            for nan in [
                f32s(Max, Propagate, &[f32::NAN, 1.0], None)?,
                f32s(Max, Ignore, &[f32::NAN], None)?,
                f32s(Sum, Propagate, &[f32::INFINITY, f32::NEG_INFINITY], None)?,
                f32s(Prod, Propagate, &[f32::INFINITY, 0.0], None)?,
            ] {
                equal(&f32::from_bits(nan).is_nan(), &true)?;
            }
            Ok(())
        },
    ),
    ("the reference wraps integers and knows their signs", || {
        let i8s = |kind, row: &[u64]| {
            reduce(rule(kind, Nan::Propagate, Element::I8), row, None).map(|expected| expected.bits)
        };
        equal(&i8s(Kind::Sum, &[100, 100]), &Ok(200))?;
        equal(&i8s(Kind::Sum, &[200, 100]), &Ok(44))?;
        equal(&i8s(Kind::Prod, &[16, 17]), &Ok(16))?;
        equal(&i8s(Kind::Max, &[0x80, 0xff]), &Ok(0xff))?;
        equal(&i8s(Kind::Max, &[0x7f, 0xff]), &Ok(0x7f))?;
        equal(&i8s(Kind::UMax, &[0x7f, 0x80]), &Ok(0x80))?;
        equal(&i8s(Kind::Max, &[]), &Ok(0x80))?;
        equal(&i8s(Kind::UMin, &[]), &Ok(0xff))?;
        equal(&i8s(Kind::And, &[]), &Ok(0xff))
    }),
    ("the reference takes the lowest index", || {
        let f32s = |nan, row: &[f32], old: Option<(f32, i64)>| {
            let row: Vec<(u64, i64)> = row
                .iter()
                .map(|value| u64::from(value.to_bits()))
                .zip(0..)
                .collect();
            let old = old.map(|(value, index)| (u64::from(value.to_bits()), index));
            let (bits, index) = arg(rule(Kind::ArgMax, nan, Element::F32), &row, old)?;
            Ok::<(f32, i64), String>((f32::from_bits(bits as u32), index))
        };
        use Nan::{Ignore, Propagate};
        equal(&f32s(Propagate, &[1.0, 3.0, 3.0], None)?, &(3.0, 1))?;
        equal(&f32s(Propagate, &[], None)?, &(f32::NEG_INFINITY, 0))?;
        let (value, index) = f32s(Propagate, &[-0.0, 0.0], None)?;
        equal(&(value.is_sign_negative(), index), &(true, 0))?;
        let (value, index) = f32s(Propagate, &[5.0, f32::NAN, 9.0, f32::NAN], None)?;
        equal(&(value.is_nan(), index), &(true, 1))?;
        equal(&f32s(Ignore, &[f32::NAN, -9.0], None)?, &(-9.0, 1))?;
        let (value, index) = f32s(Ignore, &[f32::NAN, f32::NAN], None)?;
        equal(&(value.is_nan(), index), &(true, 0))?;
        equal(&f32s(Propagate, &[3.0], Some((3.0, 7)))?, &(3.0, 0))?;
        equal(&f32s(Propagate, &[3.0], Some((4.0, 7)))?, &(4.0, 7))
    }),
    (
        "tolerances hold for every order, and not for much more",
        || {
            let mut random = Random::new("orders");
            let mut values: Vec<f32> = (0..1000)
                .map(|_| random.below(1000) as f32 / 977.0)
                .collect();
            let bits: Vec<u64> = values
                .iter()
                .map(|value| u64::from(value.to_bits()))
                .collect();
            let expected = reduce(rule(Kind::Sum, Nan::Propagate, Element::F32), &bits, None)?;
            let accepts = |value: f32| expected.accepts(Element::F32, u64::from(value.to_bits()));
            for _ in 0..50 {
                for i in (1..values.len()).rev() {
                    values.swap(i, random.below(i + 1));
                }
                equal(&accepts(values.iter().sum()), &true)?;
            }
            // A missing element is detected.
            let without: f32 = values[1..].iter().sum();
            equal(&(accepts(without) && values[0] > 0.1), &false)?;
            equal(&accepts(f32::NAN), &false)?;
            equal(&accepts(f32::INFINITY), &false)
        },
    ),
    ("rows without a single answer are not tests", || {
        let f64s = |kind, row: &[f64]| {
            let row: Vec<u64> = row.iter().map(|value| value.to_bits()).collect();
            reduce(rule(kind, Nan::Propagate, Element::F64), &row, None).is_err()
        };
        equal(&f64s(Kind::Sum, &[f64::MAX, f64::MAX, f64::MIN]), &true)?;
        equal(&f64s(Kind::Prod, &[f64::MAX, f64::MAX, 0.0]), &true)?;
        equal(&f64s(Kind::Prod, &[1e-300, 1e-300, f64::INFINITY]), &true)?;
        equal(&f64s(Kind::Prod, &[1e300, 1e300, 1e-300]), &true)
    }),
    ("a wrong bit is found, another NaN is not", || {
        let one = Expected::exactly(u64::from(1.0f32.to_bits()));
        equal(&one.accepts(Element::F32, one.bits), &true)?;
        equal(&one.accepts(Element::F32, one.bits + 1), &false)?;
        let zero = Expected::exactly(0);
        equal(&zero.accepts(Element::F32, 0x8000_0000), &false)?;
        let nan = Expected::exactly(0x7fc0_0000);
        equal(&nan.accepts(Element::F32, 0xffff_ffff), &true)?;
        equal(&nan.accepts(Element::F32, 0x7f80_0000), &false)?;
        equal(
            &Expected::exactly(0x7fc0_0000).accepts(Element::I32, 0x7fc0_0001),
            &false,
        )
    }),
    (
        "every program can be made, and its comparison finds a wrong element",
        || {
            let mut bad = Vec::new();
            for spec in cases::specs() {
                let case = match spec.case() {
                    Ok(case) => case,
                    Err(error) => {
                        bad.push(format!("{}: {error}", spec.name()));
                        continue;
                    }
                };
                for output in &case.outputs {
                    let Argument { element, shape, .. } = &case.arguments[output.argument];
                    let mut bits: Vec<u64> = output.expected.iter().map(|e| e.bits).collect();
                    let array =
                        |bits: &[u64]| -> Array { crate::program::array(*element, shape, bits) };
                    equal(&crate::compare(&case, output, &array(&bits)), &Vec::new())?;
                    let last = bits.len() - 1;
                    let expected = output.expected[last];
                    bits[last] = if element.is_nan(expected.bits) {
                        element.nearest(1.0)
                    } else if expected.tolerance > 0.0 {
                        element.nearest(f64::NAN)
                    } else {
                        expected.bits ^ 1
                    };
                    equal(&crate::compare(&case, output, &array(&bits)).len(), &1)?;
                }
            }
            if bad.is_empty() {
                Ok(())
            } else {
                Err(bad.join("\n"))
            }
        },
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    TESTS
        .iter()
        .map(|(name, test)| Trial::test(format!("generator: {name}"), move || Ok(test()?)))
        .collect()
}
