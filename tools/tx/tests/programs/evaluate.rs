//! Evaluation of formulas.

use crate::array::{Approx, Array};
use crate::expression::{Expression, Operator};
use crate::functions::call;
use crate::value::{
    Scope,
    Value::{self, Floats, Ints, List, Word},
    common, integer, wrap,
};

/// Option words of functions.
const WORDS: [&str; 3] = ["keep", "ignore", "value"];

/// Evaluates an integer expression over sizes.
pub(crate) fn size(expression: &Expression, scope: &Scope) -> Result<i64, String> {
    evaluate(expression, scope)?.number()
}

pub(crate) fn evaluate(expression: &Expression, scope: &Scope) -> Result<Value, String> {
    match expression {
        Expression::Number(text) => {
            let wrong = |_| format!("`{text}` is no number");
            if text.contains(['.', 'e']) {
                let value = text
                    .parse()
                    .map_err(|_: std::num::ParseFloatError| format!("`{text}` is no number"))?;
                Ok(Floats(Array::scalar(Approx::exactly(value))))
            } else {
                Ok(integer(
                    text.parse()
                        .map_err(|e: std::num::ParseIntError| wrong(e))?,
                ))
            }
        }
        Expression::Name(name) => match scope.get(name) {
            Some(value) => Ok(value.clone()),
            None if WORDS.contains(&name.as_str()) => Ok(Word(name.clone())),
            None => Err(format!(
                "unknown name `{name}`; known are {}, and the words {}",
                scope.keys().cloned().collect::<Vec<_>>().join(", "),
                WORDS.join(", ")
            )),
        },
        Expression::List(items) => {
            let items = items.iter().map(|item| size(item, scope));
            Ok(List(items.collect::<Result<_, _>>()?))
        }
        Expression::Negate(inner) => match evaluate(inner, scope)? {
            Ints(array, element) => Ok(Ints(array.map(|i| wrap(-i, element)), element)),
            other => Ok(Floats(other.floats()?.map(|x| Approx {
                value: -x.value,
                ..x
            }))),
        },
        Expression::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, scope)?, evaluate(right, scope)?);
            binary(*operator, &left, &right).map_err(|error| format!("`{operator}`: {error}"))
        }
        Expression::Call(name, arguments) => {
            let mut words = Vec::new();
            let mut values = Vec::new();
            for argument in arguments {
                match evaluate(argument, scope)? {
                    Word(word) => words.push(word),
                    value => values.push(value),
                }
            }
            call(name, &values, &words).map_err(|error| format!("`{name}`: {error}"))
        }
    }
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    use Operator::{
        Add, Divide, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Multiply, Subtract,
    };
    if let (Ints(left, a), Ints(right, b)) = (left, right) {
        let element = common(*a, *b)?;
        let result = left.zip(right, |x, y| {
            Ok(match operator {
                Add => wrap(x.wrapping_add(y), element),
                Subtract => wrap(x.wrapping_sub(y), element),
                Multiply => wrap(x.wrapping_mul(y), element),
                Divide => x.checked_div(y).ok_or("no quotient")?,
                Less => i64::from(x < y),
                Greater => i64::from(x > y),
                LessOrEqual => i64::from(x <= y),
                GreaterOrEqual => i64::from(x >= y),
                Equal => i64::from(x == y),
            })
        })?;
        let elements: Result<Vec<i64>, &str> = result.elements.into_iter().collect();
        let array = Array {
            shape: result.shape,
            elements: elements?,
        };
        let arithmetic = matches!(operator, Add | Subtract | Multiply | Divide);
        return Ok(Ints(array, element.filter(|_| arithmetic)));
    }
    let (left, right) = (left.floats()?, right.floats()?);
    let compared = |f: fn(f64, f64) -> bool| {
        Ok(Ints(
            left.zip(&right, |x, y| i64::from(f(x.value, y.value)))?,
            None,
        ))
    };
    let result = match operator {
        Add => left.zip(&right, Approx::plus)?,
        Subtract => left.zip(&right, |x, y| {
            x.plus(Approx {
                value: -y.value,
                ..y
            })
        })?,
        Multiply => left.zip(&right, |x, y| {
            let product = x.times(y);
            Approx::rounded(product.value, product.error)
        })?,
        Divide => left.zip(&right, Approx::over)?,
        Less => return compared(|x, y| x < y),
        Greater => return compared(|x, y| x > y),
        LessOrEqual => return compared(|x, y| x <= y),
        GreaterOrEqual => return compared(|x, y| x >= y),
        Equal => return compared(|x, y| x == y),
    };
    Ok(Floats(result))
}
