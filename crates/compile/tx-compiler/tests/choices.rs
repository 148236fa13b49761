//! Choices of launch plans: exactly one alternative is true, also at the constants of conditions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tx::{Compiler, Source, Target};
use tx_plan::{Condition, Expr, Plan, Step, Symbol, alternatives};

const MAX_SIZES: usize = 200_000;

fn compiler() -> Compiler {
    Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler")
}

/// Returns the plans of every third file in a folder of lit tests, with the names of the file and
/// the entry. If `TX_EVERY_PROGRAM` is set, all files are used.
fn plans(compiler: &Compiler, folder: &str) -> Vec<(String, Plan)> {
    let every = std::env::var_os("TX_EVERY_PROGRAM").map_or(3, |_| 1);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../lit-tests")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder of lit tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "mlir")
        })
        .collect();
    files.sort();
    let mut plans = Vec::new();
    for file in files.into_iter().step_by(every) {
        let name = file.display().to_string();
        for part in std::fs::read_to_string(&file)
            .expect("a program")
            .split("// -----")
        {
            let mut source = Source::new(&name, part);
            // Some programs are tests of errors.
            for entry in compiler.entries(&source).unwrap_or_default() {
                source.entry = Some(entry.clone());
                if let Ok(plan) = compiler.plan(&source) {
                    plans.push((format!("{name} @{entry}"), plan));
                }
            }
        }
    }
    plans
}

fn constants(expr: &Expr, found: &mut BTreeSet<i64>) {
    match expr {
        Expr::Const(n) => drop(found.insert(*n)),
        Expr::Symbol(_) => {}
        Expr::NonNegative(a) => constants(a, found),
        Expr::Add(a, b)
        | Expr::Sub(a, b)
        | Expr::Mul(a, b)
        | Expr::FloorDiv(a, b)
        | Expr::CeilDiv(a, b)
        | Expr::Mod(a, b)
        | Expr::Min(a, b)
        | Expr::Max(a, b) => {
            constants(a, found);
            constants(b, found);
        }
    }
}

/// Returns the boundary sizes of each symbol in the conditions: 0, 1, the constants with which the
/// symbol is compared, and their neighbours.
fn boundaries<'a>(conditions: impl Iterator<Item = &'a Condition>) -> Vec<(Symbol, Vec<i64>)> {
    let mut of_each: BTreeMap<Symbol, BTreeSet<i64>> = BTreeMap::new();
    for condition in conditions {
        let mut found = BTreeSet::new();
        condition
            .exprs()
            .for_each(|expr| constants(expr, &mut found));
        if let Condition::Divisible { by, .. } = condition {
            found.insert(*by);
        }
        let near = found
            .iter()
            .flat_map(|n| [n.saturating_sub(1), *n, n.saturating_add(1)]);
        let near: Vec<i64> = near.chain([0, 1]).filter(|n| *n >= 0).collect();
        for expr in condition.exprs() {
            expr.for_each_symbol(&mut |symbol| of_each.entry(symbol).or_default().extend(&near));
        }
    }
    let lists = of_each
        .into_iter()
        .map(|(symbol, sizes)| (symbol, sizes.into_iter().collect()));
    lists.collect()
}

/// Tests a choice with all boundary sizes, and returns their number.
fn try_choice(name: &str, steps: &[Step]) -> usize {
    let alternatives = alternatives(steps);
    let symbols = boundaries(alternatives.iter().copied().flatten());
    let count: usize = symbols.iter().map(|(_, sizes)| sizes.len()).product();
    assert!(count <= MAX_SIZES, "{name}: {count} sizes");
    for mut number in 0..count {
        let mut sizes = BTreeMap::new();
        for (symbol, of_symbol) in &symbols {
            sizes.insert(*symbol, of_symbol[number % of_symbol.len()]);
            number /= of_symbol.len();
        }
        let value = |expr: &Expr| expr.evaluate(|symbol| sizes.get(&symbol).copied());
        let holds = |condition: &Condition| condition.holds(value).expect("a value");
        let holding = alternatives
            .iter()
            .filter(|all| all.iter().all(holds))
            .count();
        assert_eq!(holding, 1, "{name}: alternatives that hold for {sizes:?}");
    }
    count
}

/// Every choice of a lit-test program selects exactly one alternative at n - 1, n and n + 1, for
/// each constant n in its conditions. No grid replaces a condition.
#[test]
fn choices_of_lit_programs_select_one() {
    let compiler = compiler();
    let (mut choices, mut tried) = (0, 0);
    for folder in ["programs", "tile-choose-schedule", "tile-schedule"] {
        for (name, plan) in plans(&compiler, folder) {
            for steps in plan.steps.chunk_by(|a, b| a.choice == b.choice) {
                if steps[0].choice.is_some() {
                    choices += 1;
                    tried += try_choice(&name, steps);
                }
            }
        }
    }
    assert!(choices >= 8, "{choices} choices");
    assert!(tried >= 100, "{tried} sizes");
}
