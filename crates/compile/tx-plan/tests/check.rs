//! Interface of argument checks for programs that launch plans.

use tx_plan::{
    Argument, Check, CheckError, EntryKind, Expr, ExprError, Plan, PlanError, Relation, Symbol,
    VERSION,
};

fn check(left: &str, relation: Relation, right: &str) -> Check {
    Check {
        left: left.parse().expect(left),
        relation,
        right: right.parse().expect(right),
        message: "sizes differ".to_owned(),
        place: None,
    }
}

fn plan(checks: Vec<Check>) -> Plan {
    let argument = |ty: &str| Argument {
        ty: ty.parse().expect(ty),
        written: false,
    };
    Plan {
        version: VERSION,
        chip: "sm_90".to_owned(),
        entry: "main".to_owned(),
        entry_kind: EntryKind::Function,
        arguments: vec![argument("memref<?x?xf32>"), argument("memref<?xf32>")],
        checks,
        temporaries: vec![],
        steps: vec![],
    }
}

/// Sizes of the arguments: `arg0` is 5x4, `arg1` has 6 elements.
fn size(symbol: Symbol) -> Option<i64> {
    let Symbol::Dim { argument, dim } = symbol else {
        return None;
    };
    [&[5, 4][..], &[6]].get(argument)?.get(dim).copied()
}

#[test]
fn relations_hold() {
    use Relation::{Equal, Less, LessOrEqual, NotEqual};
    for (left, right, holding) in [
        (-1, 1, [NotEqual, Less, LessOrEqual].as_slice()),
        (1, 1, &[Equal, LessOrEqual]),
        (1, -1, &[NotEqual]),
        (i64::MIN, i64::MAX, &[NotEqual, Less, LessOrEqual]),
    ] {
        for relation in [Equal, NotEqual, Less, LessOrEqual] {
            assert_eq!(
                relation.holds(left, right),
                holding.contains(&relation),
                "{left} {relation} {right}"
            );
        }
    }
}

/// The message of a violated check contains the values of both sides, except constants.
#[test]
fn failures_name_both_sides() {
    use Relation::{Equal, LessOrEqual};
    assert_eq!(
        check("arg0.dim0 + 1", Equal, "arg1.dim0").evaluate(size),
        Ok(())
    );
    let different = check("arg0.dim0", Equal, "arg1.dim0");
    let error = different.evaluate(size).unwrap_err();
    assert_eq!(
        error.to_string(),
        "arg0.dim0 is 5, arg1.dim0 is 6: sizes differ (expected arg0.dim0 == arg1.dim0)"
    );
    assert_eq!(
        error,
        CheckError::Failed {
            check: Box::new(different),
            left: 5,
            right: 6
        }
    );
    for (left, right, message) in [
        (
            "arg0.dim0 * 2",
            "9",
            "arg0.dim0 * 2 is 10: sizes differ (expected arg0.dim0 * 2 <= 9)",
        ),
        (
            "7",
            "arg1.dim0",
            "arg1.dim0 is 6: sizes differ (expected 7 <= arg1.dim0)",
        ),
        ("7", "6", "sizes differ (expected 7 <= 6)"),
    ] {
        let error = check(left, LessOrEqual, right).evaluate(size).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// A side that cannot be evaluated is an error.
#[test]
fn a_side_may_have_no_value() {
    let error = check(
        "floordiv(arg0.dim0, arg0.dim1 - 4)",
        Relation::NotEqual,
        "0",
    )
    .evaluate(size)
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`floordiv(arg0.dim0, arg0.dim1 - 4)` divides 5 by zero: sizes differ"
    );
    let error = check("1", Relation::Less, "arg2")
        .evaluate(size)
        .unwrap_err();
    assert!(
        matches!(
            &error,
            CheckError::NoValue {
                error: ExprError::Unbound(Symbol::Value { argument: 2 }),
                ..
            }
        ),
        "{error}"
    );
}

/// If the result of a check is the same for all arguments, `as_const` returns this result.
#[test]
fn some_are_known_beforehand() {
    use Relation::{Equal, Less, LessOrEqual, NotEqual};
    for (left, relation, right, known) in [
        ("5", Equal, "5", Some(true)),
        ("5", Equal, "6", Some(false)),
        ("arg0.dim0", LessOrEqual, "arg0.dim0", Some(true)),
        ("arg0.dim0", NotEqual, "arg0.dim0", Some(false)),
        ("arg0.dim0", Less, "arg0.dim0", Some(false)),
        ("arg0.dim0", Equal, "arg0.dim1", None),
        ("arg0.dim0", Equal, "5", None),
    ] {
        assert_eq!(
            check(left, relation, right).as_const(),
            known,
            "{left} {relation} {right}"
        );
    }
}

/// JSON form for other programs. The JSON of a plan without checks has no field `checks`.
#[test]
fn have_a_fixed_json_form() -> Result<(), PlanError> {
    let plan_of = plan(vec![
        check("arg0.dim0", Relation::Equal, "arg1.dim0"),
        check("0", Relation::NotEqual, "arg0.dim1"),
        check("arg0.dim0", Relation::Less, "arg0.dim1 * 2"),
        check("arg0.dim0", Relation::LessOrEqual, "8"),
    ]);
    let text = plan_of.to_json();
    assert_eq!(Plan::from_json(&text)?, plan_of);
    let json: serde_json::Value = serde_json::from_str(&text)?;
    assert_eq!(
        json["checks"],
        serde_json::json!([
            {"left": "arg0.dim0", "relation": "==", "right": "arg1.dim0", "message": "sizes differ"},
            {"left": 0, "relation": "!=", "right": "arg0.dim1", "message": "sizes differ"},
            {"left": "arg0.dim0", "relation": "<", "right": "arg0.dim1 * 2", "message": "sizes differ"},
            {"left": "arg0.dim0", "relation": "<=", "right": 8, "message": "sizes differ"},
        ])
    );
    let none = plan(vec![]);
    assert!(!none.to_json().contains("checks"));
    assert_eq!(Plan::from_json(&none.to_json())?, none);
    let unknown = text.replacen("\"==\"", "\"=<\"", 1);
    assert!(matches!(Plan::from_json(&unknown), Err(PlanError::Json(_))));
    Ok(())
}

/// `validate` rejects a check of a property that no argument has. The error message contains the
/// index of the check.
#[test]
fn may_not_fit_the_plan() {
    let mut right = check("arg0.dim0", Relation::Equal, "1");
    right.right = Expr::dim(2, 0);
    let plan = plan(vec![
        check("arg0.dim0", Relation::Equal, "arg1.dim0"),
        right,
    ]);
    assert_eq!(
        plan.validate().unwrap_err().to_string(),
        "invalid launch plan: check 1: `arg2.dim0`: found argument 2, expected one of the 2 arguments"
    );
}
