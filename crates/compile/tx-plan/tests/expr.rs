//! Properties of launch-time expressions: a unique text form, exact rounding, and an error instead
//! of a wrong value.

use proptest::prelude::*;
use tx_plan::{Expr, ExprError, Symbol};

fn lookup(symbol: Symbol) -> Option<i64> {
    match symbol {
        Symbol::Dim {
            argument: 0,
            dim: 0,
        } => Some(100),
        Symbol::Dim {
            argument: 0,
            dim: 1,
        } => Some(7),
        Symbol::Stride {
            argument: 0,
            dim: 0,
        } => Some(16),
        Symbol::Offset { argument: 0 } => Some(3),
        Symbol::Value { argument: 1 } => Some(-5),
        _ => None,
    }
}

fn value(text: &str) -> Result<i64, ExprError> {
    text.parse::<Expr>()?.evaluate(lookup)
}

/// Every operator and symbol has the documented value, with the usual precedence.
#[test]
fn evaluates() -> Result<(), ExprError> {
    for (text, expected) in [
        ("ceildiv(arg0.dim0, 32)", 4),
        ("floordiv(arg0.dim0, 32)", 3),
        ("arg0.dim0 * arg0.dim1 + arg0.stride0 - arg0.offset", 713),
        ("2 - 3 - 4", -5),
        ("2 - (3 - 4)", 3),
        ("2 + 3 * -4", -10),
        ("(2 + 3) * 4", 20),
        ("max(arg1, min(1, 2))", 1),
        ("floordiv(arg1, 2)", -3),
        ("ceildiv(arg1, 2)", -2),
        ("ceildiv(arg1, -2)", 3),
        ("mod(arg1, 3)", 1),
        ("mod(5, -3)", -1),
        ("mod(-9223372036854775808, -1)", 0),
        ("\targ0.dim0 ", 100),
        ("nonnegative(arg0.dim0 - 100) + nonnegative(0 - arg1)", 5),
    ] {
        assert_eq!(value(text)?, expected, "{text}");
    }
    Ok(())
}

#[test]
fn reports_syntax_errors() {
    for (text, message) in [
        (
            "",
            "`` is not an expression: at column 1, found the end, expected a number, a symbol \
             such as `arg0.dim0`, a function or `(`",
        ),
        (
            "1 2",
            "`1 2` is not an expression: at column 3, found `2`, expected an operator or the end",
        ),
        (
            "(1",
            "`(1` is not an expression: at column 3, found the end, expected `)`",
        ),
        (
            "max(1)",
            "`max(1)` is not an expression: at column 6, found `)`, expected `,`",
        ),
        (
            "nonnegative(1, 2)",
            "`nonnegative(1, 2)` is not an expression: at column 14, found `,`, expected `)`",
        ),
        (
            "99999999999999999999",
            "`99999999999999999999` is not an expression: at column 1, found `9`, expected a \
             number of 64 bits",
        ),
    ] {
        assert_eq!(text.parse::<Expr>().unwrap_err().to_string(), message);
    }
    for text in [
        "arg",
        "arg01",
        "arg0.",
        "arg0.dim",
        "arg0.dim01",
        "dim0",
        "1 / 2",
        "- 1",
        "é",
        "arg0.dim0é",
    ] {
        assert!(
            matches!(text.parse::<Expr>(), Err(ExprError::Syntax { .. })),
            "{text}"
        );
    }
}

/// A result that does not exist or overflows is an error, not a wrapped number.
#[test]
fn reports_values_that_do_not_exist() {
    assert!(matches!(
        value("9223372036854775807 + 1"),
        Err(ExprError::Overflow { right: 1, .. })
    ));
    assert!(matches!(
        value("-9223372036854775808 - 1"),
        Err(ExprError::Overflow { .. })
    ));
    assert!(matches!(
        value("9223372036854775807 * 2"),
        Err(ExprError::Overflow { .. })
    ));
    assert!(matches!(
        value("floordiv(-9223372036854775808, -1)"),
        Err(ExprError::Overflow { .. })
    ));
    assert_eq!(
        value("mod(7, arg0.dim1 - 7)").unwrap_err().to_string(),
        "`mod(7, arg0.dim1 - 7)` divides 7 by zero"
    );
    assert_eq!(
        value("arg2.dim0").unwrap_err().to_string(),
        "`arg2.dim0` has no value here"
    );
    assert_eq!(
        value("ceildiv(nonnegative(arg0.dim1 - 8), 32)")
            .unwrap_err()
            .to_string(),
        "`arg0.dim1 - 8` is -1, expected 0 or more"
    );
}

/// `non_negative` adds a check only to expressions that can be negative.
#[test]
fn knows_what_is_never_negative() {
    let (n, stride) = (
        || Expr::dim(0, 0),
        || {
            Expr::Symbol(Symbol::Stride {
                argument: 0,
                dim: 0,
            })
        },
    );
    let c = Expr::Const;
    for expr in [
        n().plus(c(3)).times(n()).ceil_div(c(32)).min(c(7)),
        stride().modulo(c(4)),
        stride().max(c(0)),
        stride().non_negative(),
    ] {
        assert_eq!(expr.clone().non_negative(), expr);
    }
    for expr in [
        c(-1),
        stride(),
        n().minus(c(1)),
        n().plus(c(-1)),
        n().modulo(c(-3)),
        stride().min(c(5)),
    ] {
        assert_eq!(
            expr.clone().non_negative(),
            Expr::NonNegative(Box::new(expr))
        );
    }
    assert_eq!(n().trunc_div(c(3)).to_string(), "floordiv(arg0.dim0, 3)");
}

/// Hostile input cannot exhaust the stack, neither by nesting nor by a long chain.
#[test]
fn limits_its_size() {
    for text in [
        "(".repeat(1 << 20),
        "1+".repeat(1 << 20) + "1",
        "min(".repeat(1 << 20),
    ] {
        assert!(matches!(
            text.parse::<Expr>(),
            Err(ExprError::TooLarge { .. })
        ));
    }
}

#[test]
fn folds_constants() {
    let n = || Expr::dim(0, 0);
    assert_eq!(Expr::Const(100).ceil_div(Expr::Const(32)), Expr::Const(4));
    assert_eq!(
        n().times(Expr::Const(1))
            .plus(Expr::Const(0))
            .minus(Expr::Const(0))
            .ceil_div(Expr::Const(1)),
        n()
    );
    assert_eq!(n().times(Expr::Const(0)), Expr::Const(0));
    assert_eq!(n().max(n()), n());
    assert_eq!(
        Expr::Const(1).floor_div(Expr::Const(0)).to_string(),
        "floordiv(1, 0)"
    );
}

#[test]
fn is_a_number_or_a_text_in_json() -> Result<(), serde_json::Error> {
    let exprs = vec![Expr::Const(-3), Expr::dim(0, 0).ceil_div(Expr::Const(32))];
    let json = serde_json::to_string(&exprs)?;
    assert_eq!(json, r#"[-3,"ceildiv(arg0.dim0, 32)"]"#);
    assert_eq!(serde_json::from_str::<Vec<Expr>>(&json)?, exprs);
    for wrong in ["1.5", "18446744073709551615", "\"1 +\"", "null"] {
        assert!(serde_json::from_str::<Expr>(wrong).is_err(), "{wrong}");
    }
    Ok(())
}

fn any_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Expr::Const),
        (0..3_usize, 0..3_usize).prop_map(|(argument, dim)| Expr::dim(argument, dim)),
        (0..3_usize, 0..3_usize)
            .prop_map(|(argument, dim)| Expr::Symbol(Symbol::Stride { argument, dim })),
        (0..3_usize).prop_map(|argument| Expr::Symbol(Symbol::Offset { argument })),
        (0..3_usize).prop_map(|argument| Expr::Symbol(Symbol::Value { argument })),
    ];
    leaf.prop_recursive(6, 64, 2, |inner| {
        (0..9_usize, inner.clone(), inner).prop_map(|(operator, a, b)| {
            let builders = [
                Expr::Add,
                Expr::Sub,
                Expr::Mul,
                Expr::FloorDiv,
                Expr::CeilDiv,
                Expr::Mod,
                Expr::Min,
                Expr::Max,
            ];
            match builders.get(operator) {
                Some(build) => build(Box::new(a), Box::new(b)),
                None => Expr::NonNegative(Box::new(a)),
            }
        })
    })
}

proptest! {
    /// Parsing the printed form returns the same expression, so no parentheses are missing or
    /// misplaced.
    #[test]
    fn prints_what_it_reads(expr in any_expr()) {
        prop_assert_eq!(expr.to_string().parse::<Expr>(), Ok(expr));
    }

    /// Every expression with at most `MAX_TERMS` terms can be printed and parsed.
    #[test]
    fn reads_what_has_few_terms(depth in 1..200_usize, operator in 0..3_usize) {
        let mut expr = Expr::dim(0, 0);
        for _ in 0..depth {
            let one = Box::new(Expr::Const(1));
            expr = match operator {
                0 => Expr::Sub(one, Box::new(expr)),
                1 => Expr::Min(Box::new(expr), one),
                _ => Expr::NonNegative(Box::new(expr)),
            };
        }
        if expr.terms() <= Expr::MAX_TERMS {
            prop_assert_eq!(expr.to_string().parse::<Expr>(), Ok(expr));
        }
    }

    /// No text makes the parser panic.
    #[test]
    fn reads_anything(text in "[a-z0-9.,()+*é -]{0,40}") {
        let _ = text.parse::<Expr>();
    }

    #[test]
    fn divides_exactly(a in any::<i32>(), b in any::<i32>().prop_filter("not zero", |b| *b != 0)) {
        let (a, b) = (i64::from(a), i64::from(b));
        let of = |f: fn(Expr, Expr) -> Expr| f(Expr::Const(a), Expr::Const(b)).as_const();
        // The floating-point quotient rounds correctly: the exact quotient is an integer, or at a
        // relative distance of at least 2⁻³¹.
        let floor = (a as f64 / b as f64).floor() as i64;
        prop_assert_eq!(of(Expr::floor_div), Some(floor));
        prop_assert_eq!(of(Expr::ceil_div), Some(floor + i64::from(a % b != 0)));
        prop_assert_eq!(of(Expr::modulo), Some(a - floor * b));
        prop_assert_eq!(of(Expr::trunc_div), Some(a / b));
        prop_assert_eq!(of(Expr::trunc_rem), Some(a % b));
    }
}
