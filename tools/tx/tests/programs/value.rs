//! Values of formulas, and the results that they specify.

use std::collections::BTreeMap;

use crate::array::{Approx, Array};
use crate::combine::Expected;
use crate::element::Element;

/// Value of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Floats(Array<Approx>),
    /// Integers with their type; literals have no type.
    Ints(Array<i64>, Option<Element>),
    /// List of axes or extents, such as `[1, 2]`.
    List(Vec<i64>),
    /// Option word, such as `keep`.
    Word(String),
}

use Value::{Floats, Ints, List, Word};

pub(crate) type Scope = BTreeMap<String, Value>;

pub(crate) fn integer(value: i64) -> Value {
    Ints(Array::scalar(value), None)
}

impl Value {
    pub(crate) fn shape(&self) -> Vec<usize> {
        match self {
            Floats(array) => array.shape.clone(),
            Ints(array, _) => array.shape.clone(),
            List(_) | Word(_) => Vec::new(),
        }
    }

    pub(crate) fn floats(&self) -> Result<Array<Approx>, String> {
        match self {
            Floats(array) => Ok(array.clone()),
            Ints(array, _) => Ok(array.map(|i| Approx::exactly(i as f64))),
            List(_) | Word(_) => Err("expected an array".to_owned()),
        }
    }

    pub(crate) fn ints(&self) -> Result<(Array<i64>, Option<Element>), String> {
        match self {
            Ints(array, element) => Ok((array.clone(), *element)),
            _ => Err("expected integers".to_owned()),
        }
    }

    pub(crate) fn number(&self) -> Result<i64, String> {
        match self {
            Ints(array, _) if array.shape.is_empty() => Ok(array.elements[0]),
            _ => Err("expected one integer".to_owned()),
        }
    }

    pub(crate) fn numbers(&self) -> Result<Vec<i64>, String> {
        match self {
            List(numbers) => Ok(numbers.clone()),
            other => Ok(vec![other.number()?]),
        }
    }

    pub(crate) fn extents(&self) -> Result<Vec<usize>, String> {
        self.numbers()?.into_iter().map(extent).collect()
    }
}

pub(crate) fn extent(number: i64) -> Result<usize, String> {
    usize::try_from(number).map_err(|_| format!("{number} is no size"))
}

/// Wraps an integer to its type.
pub(crate) fn wrap(value: i64, element: Option<Element>) -> i64 {
    element.map_or(value, |element| element.signed(value as u64))
}

/// Returns the type of a binary op on two integers.
pub(crate) fn common(a: Option<Element>, b: Option<Element>) -> Result<Option<Element>, String> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => Err(format!(
            "{} and {} together: convert one",
            a.mlir(),
            b.mlir()
        )),
        (a, b) => Ok(a.or(b)),
    }
}

/// Returns the relative error of a result that is rounded to this type after each step.
fn relative(element: Element) -> f64 {
    match element {
        Element::F64 => 1e-12,
        Element::F32 => 1e-5,
        Element::F16 => 1e-3,
        Element::BF16 => 8e-3,
        Element::F8E4M3FN => 0.07,
        Element::F8E5M2 => 0.13,
        _ => 0.0,
    }
}

/// Converts a value to the elements of an output.
pub(crate) fn expected(
    value: &Value,
    element: Element,
    shape: &[usize],
) -> Result<Vec<Expected>, String> {
    if value.shape() != shape {
        return Err(format!(
            "the result has shape {:?}, the output {shape:?}",
            value.shape()
        ));
    }
    if !element.is_float() {
        let (array, of) = value
            .ints()
            .map_err(|_| format!("floats for an output of {}", element.mlir()))?;
        common(of, Some(element))?;
        return Ok(array
            .elements
            .iter()
            .map(|i| Expected::exactly(element.wrap(*i as u64)))
            .collect());
    }
    let array = value.floats()?;
    array
        .elements
        .iter()
        .map(|x| {
            let bits = element.nearest(x.value);
            if !x.value.is_finite() || x.error == 0.0 {
                return Ok(Expected::exactly(bits));
            }
            let tolerance = x.error * relative(element) + element.tiniest();
            if !tolerance.is_finite() {
                return Err(format!("nothing is known of a result near {}", x.value));
            }
            Ok(Expected { bits, tolerance })
        })
        .collect()
}
