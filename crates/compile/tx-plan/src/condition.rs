//! Conditions of launch steps. If a plan contains several alternatives for a launch, this module
//! checks that, for any arguments, the conditions of exactly one alternative are true.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::check::Relation;
use crate::expr::{Expr, ExprError, Symbol};
use crate::parse::Parser;

/// Condition of a launch step, such as `arg0.dim1 <= 8` or `arg0.address % 16 == 0`.
///
/// [`str::parse`] reads the text form, and `Display` writes it. The JSON form of a condition is a
/// string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Comparison of two signed numbers. The relation must not be [`Relation::NotEqual`]: two
    /// conditions, `left < right` and `left > right`, express `left != right`.
    Compare {
        /// Left side.
        left: Expr,
        /// Relation: `<`, `<=`, `==`, `>=` or `>`.
        relation: Relation,
        /// Right side.
        right: Expr,
    },
    /// Divisibility of `value` by `by`. The condition is true if `value % by == 0`.
    Divisible {
        /// Dividend.
        value: Expr,
        /// Divisor, at least 1.
        by: i64,
    },
}

impl Condition {
    /// Returns disjoint conditions whose disjunction is `left relation right`.
    /// [`Relation::NotEqual`] becomes the two conditions `<` and `>`; every other relation becomes
    /// one condition.
    ///
    /// `mod(value, N) == 0` becomes [`Condition::Divisible`].
    pub fn compare(left: Expr, relation: Relation, right: Expr) -> Vec<Self> {
        let (left, relation, right) = match (&left, &right) {
            (Expr::Const(_), Expr::Const(_)) => (left, relation, right),
            (Expr::Const(_), _) => (right, relation.swapped(), left),
            _ => (left, relation, right),
        };
        match (left, relation, right) {
            (Expr::Mod(value, by), Relation::Equal, Expr::Const(0))
                if matches!(*by, Expr::Const(1..)) =>
            {
                let by = by.as_const().unwrap_or(1);
                vec![Self::Divisible { value: *value, by }]
            }
            // This remainder is never negative, so `!= 0` is equivalent to `> 0`.
            (left @ Expr::Mod(..), Relation::NotEqual, Expr::Const(0))
                if left.is_non_negative() =>
            {
                vec![Self::plain(left, Relation::Greater, Expr::Const(0))]
            }
            (left, Relation::NotEqual, right) => vec![
                Self::plain(left.clone(), Relation::Less, right.clone()),
                Self::plain(left, Relation::Greater, right),
            ],
            (left, relation, right) => vec![Self::plain(left, relation, right)],
        }
    }

    const fn plain(left: Expr, relation: Relation, right: Expr) -> Self {
        Self::Compare {
            left,
            relation,
            right,
        }
    }

    /// Returns disjoint conditions whose disjunction is the negation of `self`.
    pub fn negation(&self) -> Vec<Self> {
        match self {
            Self::Compare {
                left,
                relation,
                right,
            } => Self::compare(left.clone(), relation.negation(), right.clone()),
            Self::Divisible { value, by } => Self::compare(
                value.clone().modulo(Expr::Const(*by)),
                Relation::NotEqual,
                Expr::Const(0),
            ),
        }
    }

    fn sides(&self) -> (Expr, Relation, Expr) {
        match self {
            Self::Compare {
                left,
                relation,
                right,
            } => (left.clone(), *relation, right.clone()),
            Self::Divisible { value, by } => (
                value.clone().modulo(Expr::Const(*by)),
                Relation::Equal,
                Expr::Const(0),
            ),
        }
    }

    /// Returns true if the condition is true for all arguments, and false if the condition is false
    /// for all arguments. Returns `None` if the result can depend on the arguments.
    pub fn as_const(&self) -> Option<bool> {
        match self.sides() {
            (Expr::Const(left), relation, Expr::Const(right)) => Some(relation.holds(left, right)),
            (left, relation, right) if left == right => Some(relation.holds(0, 0)),
            _ => None,
        }
    }

    /// Evaluates the condition. `value` evaluates expressions.
    ///
    /// # Errors
    /// Fails if an expression of the condition [cannot be evaluated](Expr::evaluate).
    pub fn holds(
        &self,
        value: impl Fn(&Expr) -> Result<i64, ExprError>,
    ) -> Result<bool, ExprError> {
        match self {
            Self::Compare {
                left,
                relation,
                right,
            } => Ok(relation.holds(value(left)?, value(right)?)),
            Self::Divisible { value: expr, by } => Ok(value(expr)?.checked_rem(*by) == Some(0)),
        }
    }

    /// Returns the expressions of the condition.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (left, right) = match self {
            Self::Compare { left, right, .. } => (left, Some(right)),
            Self::Divisible { value, .. } => (value, None),
        };
        std::iter::once(left).chain(right)
    }

    /// Returns the constant divisors of the remainders of sizes in the condition. Remainders of
    /// addresses are not included.
    pub fn divisors(&self) -> Vec<i64> {
        let mut divisors = Vec::new();
        let (left, _, _) = self.sides();
        left.for_each(&mut |expr| {
            if let Expr::Mod(value, by) = expr
                && let Some(by) = by.as_const()
            {
                let mut is_of_sizes = false;
                value.for_each_symbol(&mut |symbol| {
                    is_of_sizes |= matches!(symbol, Symbol::Dim { .. });
                });
                divisors.extend(is_of_sizes.then_some(by));
            }
        });
        divisors
    }

    /// Returns whether the condition contains the address of an argument.
    pub fn needs_address(&self) -> bool {
        let mut needs = false;
        for expr in self.exprs() {
            expr.for_each_symbol(&mut |symbol| needs |= matches!(symbol, Symbol::Address { .. }));
        }
        needs
    }

    /// Checks the invariants of a condition. If the condition violates an invariant, returns a text
    /// that describes the violation.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Compare {
                relation: Relation::NotEqual,
                ..
            } => Err(format!(
                "`{self}`: found `!=`, expected `<`, `<=`, `==`, `>=` or `>`"
            )),
            Self::Divisible { by: ..1, .. } => {
                Err(format!("`{self}`: expected a divisor of 1 or more"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare {
                left,
                relation,
                right,
            } => write!(f, "{left} {relation} {right}"),
            Self::Divisible {
                value: value @ (Expr::Add(..) | Expr::Sub(..)),
                by,
            } => write!(f, "({value}) % {by} == 0"),
            Self::Divisible { value, by } => write!(f, "{value} % {by} == 0"),
        }
    }
}

impl FromStr for Condition {
    type Err = ExprError;

    fn from_str(text: &str) -> Result<Self, ExprError> {
        // `%` has the precedence of `*`.
        let mut parser = Parser::new(text);
        let value = parser.product()?;
        let condition = if parser.eat('%') {
            let by = match parser.product()? {
                Expr::Const(by @ 1..) => by,
                _ => return Err(parser.expected("a divisor of 1 or more before")),
            };
            if !(parser.eat_text("==") && parser.product()? == Expr::Const(0)) {
                return Err(parser.expected("`== 0`"));
            }
            Self::Divisible { value, by }
        } else {
            parser = Parser::new(text);
            let left = parser.sum()?;
            let relations = [
                ("<=", Relation::LessOrEqual),
                (">=", Relation::GreaterOrEqual),
                ("==", Relation::Equal),
                ("<", Relation::Less),
                (">", Relation::Greater),
            ];
            let found = relations
                .into_iter()
                .find(|(text, _)| parser.eat_text(text));
            let Some((_, relation)) = found else {
                return Err(parser.expected("`<`, `<=`, `==`, `>=`, `>` or `%`"));
            };
            let right = parser.sum()?;
            Self::plain(left, relation, right)
        };
        match parser.peek() {
            None => Ok(condition),
            Some(_) => Err(parser.expected("the end")),
        }
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Error of [`exactly_one`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// For some arguments, each alternative of a choice has a false condition. The error contains a
    /// list of conditions: if all of them are true, no alternative is true.
    #[error("no alternative holds{}", text_of(.0))]
    None(Vec<Condition>),
    /// For some arguments, all conditions of two alternatives of a choice are true.
    #[error("alternatives {first} and {second} both hold{}", text_of(place))]
    Several {
        /// Index of the first of the two alternatives.
        first: usize,
        /// Index of the second of the two alternatives.
        second: usize,
        /// List of conditions: if all of them are true, the alternatives `first` and `second` are
        /// both true.
        place: Vec<Condition>,
    },
    /// The function [`exactly_one`] reached its maximum number of case splits without a result.
    #[error("found too many conditions to tell whether exactly one alternative holds")]
    TooLarge,
}

fn text_of(conditions: &[Condition]) -> String {
    let texts: Vec<String> = conditions.iter().map(ToString::to_string).collect();
    match &texts[..] {
        [] => String::new(),
        texts => format!(" where {}", texts.join(" and ")),
    }
}

/// Maximum number of case splits in [`exactly_one`]. Each case split distinguishes the three
/// results of one comparison: less, equal and greater. For a choice of 64 alternatives, a few
/// hundred case splits suffice.
const MAX_SPLITS: usize = 10_000;

/// Checks that, for any arguments, exactly one of the alternatives of a choice is true. An
/// alternative is a list of conditions; the alternative is true if all conditions in the list are
/// true.
///
/// The check assumes that comparisons of different pairs of expressions are independent of each
/// other. The check builds a decision tree whose leaves are the alternatives. At each node of the
/// decision tree, the check selects a pair of expressions that an undecided condition compares. For
/// each result of the comparison (less, equal, greater), the check recurses with the alternatives
/// that are still possible.
///
/// # Errors
/// Fails if, for some arguments, no alternative is true, or two alternatives are true. The error
/// contains the conditions under which the check fails.
pub fn exactly_one<'a>(
    alternatives: impl IntoIterator<Item = &'a [Condition]>,
) -> Result<(), ChoiceError> {
    let mut pairs: Vec<(Expr, Expr)> = Vec::new();
    let leaves = alternatives
        .into_iter()
        .enumerate()
        .map(|(number, conditions)| Leaf {
            number,
            open: conditions
                .iter()
                .map(|c| Outcomes::of(c, &mut pairs))
                .collect(),
        })
        .collect();
    let mut tree = Tree {
        pairs,
        path: Vec::new(),
        splits: 0,
    };
    tree.check(leaves)
}

/// Set of the comparison results (less, equal, greater) that satisfy a condition, in the order of
/// [`ORDER`].
#[derive(Clone, Copy)]
struct Outcomes {
    pair: usize,
    holds: [bool; 3],
}

const ORDER: [Relation; 3] = [Relation::Less, Relation::Equal, Relation::Greater];

impl Outcomes {
    fn of(condition: &Condition, pairs: &mut Vec<(Expr, Expr)>) -> Self {
        let (left, relation, right) = condition.sides();
        let find = |a: &Expr, b: &Expr| pairs.iter().position(|(l, r)| (l, r) == (a, b));
        let (pair, relation) = match (find(&left, &right), find(&right, &left)) {
            (Some(pair), _) => (pair, relation),
            (None, Some(pair)) => (pair, relation.swapped()),
            (None, None) => {
                pairs.push((left, right));
                (pairs.len() - 1, relation)
            }
        };
        let holds = [(0, 1), (0, 0), (1, 0)].map(|(left, right)| relation.holds(left, right));
        Self { pair, holds }
    }
}

/// Alternative that is still possible at the current node of the decision tree. The field `open`
/// lists the undecided conditions of the alternative. A condition compares two expressions; the
/// condition is undecided until a node on the path from the root compares the same two expressions.
#[derive(Clone)]
struct Leaf {
    number: usize,
    open: Vec<Outcomes>,
}

struct Tree {
    pairs: Vec<(Expr, Expr)>,
    /// Results of the comparisons at the nodes between the root of the decision tree and the
    /// current node.
    path: Vec<(usize, usize)>,
    splits: usize,
}

impl Tree {
    fn check(&mut self, leaves: Vec<Leaf>) -> Result<(), ChoiceError> {
        let Some(pair) = leaves
            .iter()
            .flat_map(|leaf| &leaf.open)
            .map(|c| c.pair)
            .next()
        else {
            return match &leaves[..] {
                [] => Err(ChoiceError::None(self.place())),
                [_] => Ok(()),
                [a, b, ..] => Err(ChoiceError::Several {
                    first: a.number,
                    second: b.number,
                    place: self.place(),
                }),
            };
        };
        self.splits += 1;
        if self.splits > MAX_SPLITS {
            return Err(ChoiceError::TooLarge);
        }
        let mut checked: Vec<Vec<usize>> = Vec::new();
        for (outcome, relation) in ORDER.into_iter().enumerate() {
            if !is_possible(&self.pairs[pair], relation) {
                continue;
            }
            let remaining: Vec<Leaf> = leaves
                .iter()
                .filter(|leaf| leaf.open.iter().all(|c| c.pair != pair || c.holds[outcome]))
                .cloned()
                .map(|mut leaf| {
                    leaf.open.retain(|c| c.pair != pair);
                    leaf
                })
                .collect();
            // If two outcomes leave the same alternatives, the function checks these alternatives
            // only once.
            let numbers: Vec<usize> = remaining.iter().map(|leaf| leaf.number).collect();
            if !checked.contains(&numbers) {
                self.path.push((pair, outcome));
                self.check(remaining)?;
                self.path.pop();
                checked.push(numbers);
            }
        }
        Ok(())
    }

    fn place(&self) -> Vec<Condition> {
        let condition = |(pair, outcome): &(usize, usize)| {
            let (left, right) = self.pairs[*pair].clone();
            Condition::compare(left, ORDER[*outcome], right)
        };
        self.path.iter().flat_map(condition).collect()
    }
}

/// Returns false if the syntactic form of two expressions proves that the relation between their
/// values is false; otherwise, returns true.
fn is_possible((left, right): &(Expr, Expr), relation: Relation) -> bool {
    match (left, right) {
        (Expr::Const(left), Expr::Const(right)) => relation.holds(*left, *right),
        _ if left == right => relation == Relation::Equal,
        (left, Expr::Const(..=0)) if left.is_non_negative() => match relation {
            Relation::Less => false,
            Relation::Equal => *right == Expr::Const(0),
            _ => true,
        },
        _ => true,
    }
}
