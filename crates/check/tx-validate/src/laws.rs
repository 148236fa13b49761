//! Summary, in one line, of the algebraic properties of the combiners of a program.

use crate::verdict::Verdict;
use melior::ir::Module;
use tx_interp::{Finding, Laws};

/// Returns whether a stage can introduce combiners.
pub(crate) fn may_be_new(stage: &str) -> bool {
    matches!(stage, "parse" | "convert-linalg-to-tile")
}

/// Returns the verdict on all combiners that are reachable from an entry; `None` if no combiner is
/// reachable.
pub(crate) fn verdict(module: &Module<'_>, entry: &str) -> Option<Verdict> {
    judge(&tx_interp::laws(module, entry))
}

fn judge(found: &[Laws]) -> Option<Verdict> {
    if found.is_empty() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    let (mut conditions, mut remarks) = (Vec::new(), Vec::new());
    for laws in found {
        let told = |what: &String| format!("{} at {}: {what}", laws.combiner, laws.site.location);
        match &laws.finding {
            Finding::Broken(example) => return Some(Verdict::Broken(told(example))),
            Finding::Unknown(why) => remarks.push(format!("not tested: {why}")),
            Finding::Hold(of_some) => {
                if of_some.is_empty() && !names.contains(&&*laws.combiner) {
                    names.push(&laws.combiner);
                }
                conditions.extend(of_some.iter().map(told));
            }
        }
    }
    let hold = (!names.is_empty()).then(|| format!("{}: hold", names.join(", ")));
    Some(if conditions.is_empty() {
        let make = match hold {
            Some(_) => Verdict::Hold,
            None => Verdict::Unsupported,
        };
        make(
            hold.into_iter()
                .chain(remarks)
                .collect::<Vec<_>>()
                .join("; "),
        )
    } else {
        let advice = std::iter::once(ADVICE.to_owned());
        let all = conditions
            .into_iter()
            .chain(advice)
            .chain(hold)
            .chain(remarks);
        Verdict::Conditional(all.collect())
    })
}

/// Text that a [`Verdict::Conditional`] contains after the values for which a combiner property
/// fails.
const ADVICE: &str = "with such values results depend on lengths and schedules";

#[cfg(test)]
mod tests {
    use super::*;
    use tx_interp::Site;

    fn found(combiner: &str, finding: Finding) -> Laws {
        Laws {
            combiner: combiner.to_owned(),
            site: Site {
                op: "tile.reduce".to_owned(),
                location: "a.mlir:3:5".to_owned(),
            },
            finding,
        }
    }

    /// Checks that the one-line summary names each combiner once. The summary also contains the
    /// values for which a combiner property fails, and the reasons why combiners were not tested.
    /// If a property of a combiner fails, the message about the combiner replaces the summary.
    #[test]
    fn combiners_make_one_line() {
        let sum = found("sum f32", Finding::Hold(Vec::new()));
        let odd = found("custom i8", Finding::Hold(vec!["odd".to_owned()]));
        let unknown = found("tile.reduce", Finding::Unknown("an op".to_owned()));
        let broken = found("custom f32", Finding::Broken("not commutative".to_owned()));
        let text = |found: &[Laws]| judge(found).map(|verdict| verdict.to_string());
        assert_eq!(text(&[]), None);
        assert_eq!(
            text(&[sum.clone(), sum.clone(), unknown.clone()]).as_deref(),
            Some("sum f32: hold; not tested: an op")
        );
        assert_eq!(
            text(&[sum, odd.clone(), unknown.clone()]),
            Some(format!(
                "conditional: custom i8 at a.mlir:3:5: odd; {ADVICE}; sum f32: hold; not tested: \
                 an op"
            ))
        );
        assert_eq!(
            judge(std::slice::from_ref(&unknown)),
            Some(Verdict::Unsupported("not tested: an op".to_owned()))
        );
        let verdict = judge(&[odd, unknown, broken]);
        assert!(verdict.as_ref().is_some_and(Verdict::is_bad));
        assert_eq!(
            verdict.map(|v| v.to_string()).as_deref(),
            Some("BROKEN: custom f32 at a.mlir:3:5: not commutative")
        );
    }
}
