//! Interface of step conditions for programs that launch plans.

use proptest::prelude::*;
use tx_plan::{
    Argument, ChoiceError, Condition, EntryKind, Expr, ExprError, Plan, Step, Symbol, VERSION,
    exactly_one,
};

fn conditions(texts: &[&str]) -> Vec<Condition> {
    let read = |text: &&str| {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    texts.iter().map(read).collect()
}

fn check(alternatives: &[&[&str]]) -> Result<(), String> {
    let alternatives: Vec<Vec<Condition>> = alternatives.iter().map(|a| conditions(a)).collect();
    exactly_one(alternatives.iter().map(Vec::as_slice)).map_err(|error| error.to_string())
}

/// Evaluates expressions for an `arg0` of `sizes[0]` by `sizes[1]` elements, at address `sizes[2]`.
fn value(sizes: [i64; 3]) -> impl Fn(&Expr) -> Result<i64, ExprError> {
    move |expr| {
        expr.evaluate(|symbol| match symbol {
            Symbol::Dim { argument: 0, dim } => sizes[..2].get(dim).copied(),
            Symbol::Address { argument: 0 } => Some(sizes[2]),
            _ => None,
        })
    }
}

#[test]
fn conditions_round_trip() {
    for text in [
        "arg0.dim1 <= 8",
        "arg0.dim1 < arg0.dim0 * 2",
        "arg0.stride1 == 1",
        "arg2 > -1",
        "mod(arg0.dim1, 4) >= 1",
        "arg0.address % 16 == 0",
        "arg0.dim0 * 4 % 16 == 0",
        "(arg0.dim0 + 4) % 16 == 0",
    ] {
        assert_eq!(text.parse::<Condition>().expect(text).to_string(), text);
    }
    for (text, message) in [
        (
            "arg0.dim0",
            "at column 10, found the end, expected `<`, `<=`, `==`, `>=`, `>` or `%`",
        ),
        ("arg0.dim0 != 3", "at column 11, found `!`, expected `<`"),
        (
            "arg0.dim0 % 0 == 0",
            "expected a divisor of 1 or more before",
        ),
        ("arg0.dim0 % 4 == 1", "expected `== 0`"),
        ("arg0.dim0 + 1 % 4 == 0", "found `%`, expected `<`"),
        ("arg0.dim0 < 4 < 5", "found `<`, expected the end"),
        (
            "arg0.adress < 4",
            "found `arg0.adress`, expected `argI.dimJ`",
        ),
    ] {
        let error = text.parse::<Condition>().expect_err(text).to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// A negation consists of comparisons, and is true if and only if the condition is false.
#[test]
fn negations_are_comparisons() {
    for (text, expected) in [
        ("arg0.dim0 < 8", &["arg0.dim0 >= 8"][..]),
        ("arg0.dim0 <= 8", &["arg0.dim0 > 8"]),
        ("arg0.dim0 == 8", &["arg0.dim0 < 8", "arg0.dim0 > 8"]),
        ("arg0.dim0 % 4 == 0", &["mod(arg0.dim0, 4) > 0"]),
        ("mod(arg0.dim0, 4) > 0", &["mod(arg0.dim0, 4) <= 0"]),
    ] {
        let condition: Condition = text.parse().expect(text);
        let negation = condition.negation();
        assert_eq!(negation, conditions(expected), "{text}");
        for size in 0..20 {
            let holds = |c: &Condition| c.holds(value([size, 0, 0])) == Ok(true);
            let count = std::iter::once(&condition)
                .chain(&negation)
                .filter(|c| holds(c))
                .count();
            assert_eq!(count, 1, "{text} for {size}");
        }
    }
}

/// `exactly_one` accepts the leaves of a decision tree in any order. For other alternatives, the
/// error message contains the conditions under which none or several of them are true.
#[test]
fn exactly_one_alternative_holds() {
    for accepted in [
        &[&[][..]][..],
        &[&["arg0.dim1 <= 8"], &["arg0.dim1 > 8"]],
        &[&["arg0.dim1 < 8"], &["8 <= arg0.dim1"]],
        &[&["arg0.dim1 < 8"], &["arg0.dim1 > 8"], &["arg0.dim1 == 8"]],
        &[
            &["arg0.dim1 > 8", "arg0.dim0 > 4"],
            &["arg0.dim1 <= 8"],
            &["arg0.dim1 > 8", "arg0.dim0 <= 4"],
        ],
        &[
            &["arg0.address % 16 == 0", "arg0.dim1 % 4 == 0"],
            &["mod(arg0.address, 16) > 0"],
            &["arg0.address % 16 == 0", "mod(arg0.dim1, 4) > 0"],
        ],
        // The third alternative is always false.
        &[
            &["arg0.dim1 < 8"],
            &["arg0.dim1 >= 8"],
            &["arg0.dim1 < 8", "arg0.dim1 > 8"],
        ],
        &[&["arg0.dim0 > 0"], &["arg0.dim0 == 0"]],
    ] {
        assert_eq!(check(accepted), Ok(()), "{accepted:?}");
    }
    for (refused, message) in [
        (&[][..], "no alternative holds"),
        (
            &[&["arg0.dim1 <= 8"][..]],
            "no alternative holds where arg0.dim1 > 8",
        ),
        (
            &[&["arg0.dim1 < 8"], &["arg0.dim1 > 8"]],
            "no alternative holds where arg0.dim1 == 8",
        ),
        (
            &[&["arg0.dim1 <= 8"], &["arg0.dim1 >= 8"]],
            "alternatives 0 and 1 both hold where arg0.dim1 == 8",
        ),
        (
            &[
                &["arg0.dim1 <= 8"],
                &["arg0.dim1 > 8", "arg0.dim0 > 4"],
                &["arg0.dim0 <= 4"],
            ],
            "alternatives 0 and 2 both hold where arg0.dim1 < 8 and arg0.dim0 < 4",
        ),
        // The check does not test whether one condition implies another.
        (
            &[&["arg0.dim1 <= 8"], &["arg0.dim1 >= 9"]],
            "alternatives 0 and 1 both hold where arg0.dim1 < 8 and arg0.dim1 == 9",
        ),
    ] {
        assert_eq!(check(refused), Err(message.to_owned()));
    }
}

/// For hostile input, the check stops with an error after a limited time.
#[test]
fn the_check_has_a_limit() {
    let alternatives: Vec<Vec<Condition>> = (0..64)
        .map(|i| {
            let pair = |j: i64| format!("arg{} < {j}", i).parse().expect("a condition");
            (0..2).map(pair).collect()
        })
        .collect();
    let found = exactly_one(alternatives.iter().map(Vec::as_slice));
    assert!(
        matches!(
            found,
            Err(ChoiceError::TooLarge | ChoiceError::Several { .. })
        ),
        "{found:?}"
    );
}

/// `validate` rejects a plan with invalid choices. The error message contains the arguments for
/// which no alternative or several alternatives are true.
#[test]
fn plans_check_their_choices() {
    let step = |choice: Option<usize>, when: &[&str]| Step {
        kernel: "k".to_owned(),
        module: "k".to_owned(),
        choice,
        when: conditions(when),
        grid: [1; 3].map(Expr::Const),
        block: [1; 3].map(Expr::Const),
        cluster: None,
        dynamic_shared_bytes: Expr::Const(0),
        operands: vec![],
    };
    let plan = |steps: Vec<Step>| Plan {
        version: VERSION,
        chip: "sm_90".to_owned(),
        entry: "main".to_owned(),
        entry_kind: EntryKind::Function,
        arguments: vec![Argument {
            ty: "memref<?x?xf32>".parse().expect("a type"),
            written: false,
        }],
        checks: vec![],
        temporaries: vec![],
        steps,
    };
    let (short, long) = (&["arg0.dim1 <= 8"][..], &["arg0.dim1 > 8"][..]);
    let accepted = plan(vec![
        step(None, &[]),
        step(Some(0), short),
        step(Some(0), long),
        // A second kernel of the same alternative.
        step(Some(0), long),
        step(Some(1), long),
        step(Some(1), short),
        // A step with a condition that is not part of a choice.
        step(None, &["arg0.address % 16 == 0"]),
    ]);
    accepted.validate().expect("a plan");
    let text = accepted.to_json();
    assert!(
        text.contains("\"when\": [\n        \"arg0.dim1 <= 8\"\n      ]"),
        "{text}"
    );
    assert_eq!(Plan::from_json(&text).expect("a plan"), accepted);
    for (steps, message) in [
        (
            vec![step(Some(0), short)],
            "choice 0: no alternative holds where arg0.dim1 > 8",
        ),
        (
            vec![step(Some(1), short), step(Some(1), long)],
            "choice 1: found its steps out of order, expected choice 0",
        ),
        (
            vec![step(Some(0), short), step(None, &[]), step(Some(0), long)],
            "choice 0: no alternative holds where arg0.dim1 > 8",
        ),
        (
            vec![step(None, &["arg0.dim2 < 4"])],
            "step 0 (`k`): `arg0.dim2`: `arg0.dim2` is not defined for an argument of type \
             `memref<?x?xf32>`",
        ),
        (
            vec![Step {
                grid: ["arg0.address", "1", "1"].map(|text| text.parse().expect(text)),
                ..step(None, &[])
            }],
            "step 0 (`k`): `arg0.address`: an address is allowed only in conditions",
        ),
    ] {
        let error = plan(steps).validate().expect_err(message);
        assert_eq!(error.to_string(), format!("invalid launch plan: {message}"));
    }
}

/// Conditions at the nodes of a random tree.
const COMPARED: [&str; 6] = [
    "arg0.dim0 <= 4",
    "arg0.dim0 < 5",
    "arg0.dim1 == 3",
    "arg0.dim1 >= 7",
    "arg0.dim1 % 4 == 0",
    "arg0.address % 16 == 0",
];

#[derive(Clone, Debug)]
enum Tree {
    Leaf,
    Split(usize, Vec<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    Just(Tree::Leaf).prop_recursive(4, 32, 3, |inner| {
        (0..COMPARED.len(), prop::collection::vec(inner, 3))
            .prop_map(|(condition, parts)| Tree::Split(condition, parts))
    })
}

fn leaves(tree: &Tree, path: &[Condition], found: &mut Vec<Vec<Condition>>) {
    let Tree::Split(condition, parts) = tree else {
        found.push(path.to_vec());
        return;
    };
    let condition: Condition = COMPARED[*condition].parse().expect("a condition");
    let branches = std::iter::once(condition.clone()).chain(condition.negation());
    for (branch, part) in branches.zip(parts) {
        leaves(part, &[path, &[branch]].concat(), found);
    }
}

/// Returns the number of true alternatives for each set of arguments near the constants.
fn counts(alternatives: &[Vec<Condition>]) -> impl Iterator<Item = usize> {
    let sizes = (0..9).flat_map(|d0| (0..9).flat_map(move |d1| [0, 8].map(|at| [d0, d1, at])));
    sizes.map(|sizes| {
        let holds = |c: &Condition| c.holds(value(sizes)) == Ok(true);
        alternatives
            .iter()
            .filter(|all| all.iter().all(holds))
            .count()
    })
}

proptest! {
    /// `exactly_one` accepts the leaves of every decision tree. If `exactly_one` accepts a list of
    /// alternatives, exactly one alternative is true for any arguments; the test also edits the
    /// alternatives.
    #[test]
    fn what_is_accepted_is_right(tree in tree(), edit in 0_usize..4, at in any::<prop::sample::Index>()) {
        let mut alternatives = Vec::new();
        leaves(&tree, &[], &mut alternatives);
        let is_accepted = |alternatives: &[Vec<Condition>]| {
            exactly_one(alternatives.iter().map(Vec::as_slice)).is_ok()
        };
        prop_assert!(is_accepted(&alternatives));
        prop_assert!(counts(&alternatives).all(|count| count == 1));
        let at = at.index(alternatives.len());
        match edit {
            0 => drop(alternatives.remove(at)),
            1 => alternatives.push(alternatives[at].clone()),
            2 => drop(alternatives[at].pop()),
            _ => if let Some(last) = alternatives[at].last_mut() {
                *last = last.negation().remove(0);
            },
        }
        if is_accepted(&alternatives) {
            prop_assert!(counts(&alternatives).all(|count| count == 1));
        }
    }
}
