use super::code::quote;
use super::drawings::MAX_OPEN_KERNELS;
use super::*;
use crate::report::{Stage, Verdict, VerdictKind};
use crate::{Diagnostic, Fragment, Holder, Op, Region, ReportedKernel};
use tx_plan::{
    ApartChoice, Candidate, Choice, Cost, Estimates, ExchangeChoice, Explanation, GroupChoice,
    GroupedArray, GroupedOp, Reason, ScheduleCase, ScheduleChoice, ScheduleStep, Traffic, UpTo,
    Variant, VariantChoice,
};

/// Returns a text that contains `word`, HTML tags and HTML entities.
fn hostile(word: &str) -> String {
    format!("</script></style><img src=x onerror='{word}'>\"&lt;`<b>`")
}

fn verdict(kind: VerdictKind) -> Verdict {
    Verdict {
        kind,
        word: hostile("word"),
        detail: hostile("detail"),
    }
}

fn remark(word: &str) -> Diagnostic {
    Diagnostic {
        severity: hostile("severity"),
        message: hostile(word),
        code: Some(hostile("code")),
        line: Some(1),
        column: Some(2),
        notes: vec![hostile("note")],
    }
}

fn choices() -> Vec<Explanation> {
    let cost = Cost {
        microseconds: 1.5,
        bytes: 8.0,
        waves: 1.0,
        resident: 2048.0,
        memory: 1.0,
        latency: 1.0,
        instructions: 1.0,
    };
    let step = || ScheduleStep {
        attribute: hostile("attribute"),
        words: hostile("step"),
        sort: hostile("sort"),
    };
    let candidate = |cases| Candidate { cost, cases };
    let up_to = UpTo::new(0, 8);
    let explanation = |choice| Explanation {
        op: hostile("op"),
        place: None,
        choice,
    };
    let variant = Variant {
        name: hostile("variant"),
        priority: Some(1),
        cost: None,
        reasons: vec![Reason {
            predicate: Some(hostile("predicate")),
            text: hostile("reason"),
        }],
    };
    let schedule = ScheduleChoice {
        mapping: Some(hostile("mapping")),
        cases: vec![ScheduleCase {
            up_to: Some(up_to),
            is_one_kernel: true,
            kernels: vec![hostile("name")],
            threads: 1,
            estimate: None,
            steps: vec![step()],
        }],
        estimates: Some(Estimates {
            board: hostile("board"),
            chip: hostile("card"),
            lengths: vec![8.0],
            is_assumed: true,
            own: cost,
            others: vec![
                candidate(vec![(None, vec![step()])]),
                candidate(vec![(Some(up_to), vec![step()]), (None, Vec::new())]),
            ],
        }),
    };
    vec![
        explanation(Choice::Schedule(schedule)),
        explanation(Choice::Group(GroupChoice {
            mapping: None,
            kernel: Some(hostile("grouped")),
            lengths: Some(hostile("rows")),
            threads: 1,
            blocks: 2,
            ops: vec![GroupedOp {
                op: hostile("member"),
                place: None,
            }],
            arrays: vec![GroupedArray {
                name: hostile("array"),
                argument: None,
                is_held: true,
                is_stored: false,
            }],
            traffic: Some(Traffic {
                bytes: 2,
                fewest: 1,
            }),
            steps: vec![step()],
        })),
        explanation(Choice::Apart(ApartChoice {
            reason: hostile("apart"),
        })),
        explanation(Choice::Variant(VariantChoice {
            chosen: hostile("chosen"),
            variants: vec![variant.clone()],
        })),
        explanation(Choice::Exchange(ExchangeChoice {
            kernel: Some(hostile("exchanging")),
            lengths: None,
            chosen: Some(hostile("way")),
            ways: vec![variant],
        })),
    ]
}

fn full() -> Report {
    let stage = |ir: &str, kind| Stage {
        name: hostile("stage"),
        ir: format!("{ir}\n{}", hostile("ir")),
        millis: Some(1.25),
        verdict: Some(verdict(kind)),
    };
    Report {
        file: hostile("file"),
        source: Some(hostile("source")),
        entry: Some(hostile("entry")),
        chip: hostile("chip"),
        version: hostile("version"),
        program: hostile("program"),
        problems: vec![remark("problem")],
        stages: vec![
            stage("%0 = a.a", VerdictKind::Good),
            stage("%0 = a.b", VerdictKind::Bad),
            stage("%0 = a.b", VerdictKind::Unknown),
        ],
        check: Check::Done {
            is_good: false,
            is_conditional: false,
            note: Some(hostile("blame")),
            grid: Some(hostile("grid")),
            inputs: vec![hostile("input")],
            left_out: 1,
            verdicts: vec![(hostile("checked"), verdict(VerdictKind::Bad))],
        },
        warnings: vec![remark("warning")],
        choices: choices(),
        kernels: vec![ReportedKernel {
            lengths: Some(hostile("lengths")),
            name: hostile("kernel"),
            block: [32, 1, 1],
            arguments: vec![(0, hostile("argument"))],
            body: Region {
                arguments: vec![0],
                ops: vec![Op {
                    name: "memref.load".to_owned(),
                    operands: vec![0],
                    operand_types: vec!["memref<f32>".to_owned()],
                    results: vec![1],
                    result_types: vec![hostile("type")],
                    ..Op::default()
                }],
            },
        }],
        fragments: vec![Fragment {
            ty: hostile("fragment"),
            shape: vec![1],
            holders: vec![vec![Holder {
                thread: 0,
                register: 0,
            }]],
            values: vec![hostile("value")],
        }],
        ptx: Some(hostile("ptx")),
        ptx_is_plain: true,
    }
}

fn packed(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("<template id=pack>").unwrap();
    crate::pack::decode(rest.split('<').next().unwrap())
}

#[test]
fn no_text_is_html_wherever_it_stands() {
    let mut report = full();
    // The report contains one kernel more than the page expands initially.
    report.kernels = vec![report.kernels[0].clone(); MAX_OPEN_KERNELS + 1];
    report.kernels[MAX_OPEN_KERNELS].name = hostile("folded");
    let page = render(&report);
    let pack = packed(&page);
    let words = [
        "word",
        "detail",
        "severity",
        "problem",
        "note",
        "predicate",
        "reason",
        "variant",
        "step",
        "name",
        "board",
        "card",
        "chosen",
        "exchanging",
        "way",
        "op",
        "stage",
        "file",
        "source",
        "entry",
        "chip",
        "version",
        "program",
        "blame",
        "input",
        "checked",
        "warning",
        "kernel",
        "argument",
        "type",
        "fragment",
        "value",
    ];
    for word in words {
        // In code, a word is a token of its own.
        let (plain, token) = (format!("&#39;{word}&#39;"), format!("{word}</i>&#39;"));
        assert!(page.contains(&plain) || page.contains(&token), "{word}");
    }
    assert!(!page.contains("<img"));
    // In the packed data, folded parts are HTML, and lines are plain text.
    let parts = pack["parts"].as_array().unwrap();
    assert!(parts[0].as_str().unwrap().contains("&#39;folded&#39;"));
    assert!(
        parts
            .iter()
            .all(|part| !part.as_str().unwrap().contains("<img"))
    );
    for word in ["ir", "ptx"] {
        let line = serde_json::Value::from(hostile(word));
        assert!(pack["lines"].as_array().unwrap().contains(&line), "{word}");
    }
    assert_eq!(page.matches("<script>").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn a_page_is_a_function_of_its_report() {
    assert_eq!(render(&full()), render(&full()));
    let mut timeless = full();
    timeless
        .stages
        .iter_mut()
        .for_each(|stage| stage.millis = None);
    let page = render(&timeless);
    assert!(!page.contains("id=times") && !page.contains(" ms</span>"));
}

#[test]
fn an_empty_report_is_a_page() {
    let page = render(&Report::default());
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("<section") && !page.contains("Keys:"));
}

#[test]
fn keys_for_stages_are_told_where_there_are_stages() {
    let told = "<kbd>j</kbd> and <kbd>k</kbd>";
    assert!(render(&full()).contains(told));
    let page = render(&Report {
        stages: Vec::new(),
        ..full()
    });
    assert!(page.contains("Keys: <kbd>/</kbd>") && !page.contains(told));
}

#[test]
fn every_stage_says_something_before_its_time() {
    let page = render(&full());
    assert!(page.contains(" ms</span>") && !page.contains("<span class=meta> <span class=time>"));
}

#[test]
fn verdicts_that_repeat_are_folded() {
    let again = |name: &str, detail: &str| {
        let verdict = Verdict {
            kind: VerdictKind::Unknown,
            word: "as before".to_owned(),
            detail: detail.to_owned(),
        };
        (name.to_owned(), verdict)
    };
    let mut report = full();
    let Check::Done { verdicts, .. } = &mut report.check else {
        unreachable!("a full report is checked")
    };
    verdicts.extend([again("repeats", ""), again("says-why", "no such op")]);
    let page = render(&report);
    assert_eq!(page.matches("<code>repeats</code>").count(), 1);
    assert_eq!(page.matches("<code>says-why</code>").count(), 2);
    let (shown, folded) = page.split_once("<summary>All 3 stages").unwrap();
    assert!(!shown.contains("<code>repeats</code>") && folded.contains("<code>repeats</code>"));
}

#[test]
fn quotes_say_that_they_are_cut() {
    assert_eq!(quote(&"é".repeat(72)), "é".repeat(72));
    assert_eq!(quote(&"é".repeat(73)), format!("{}…", "é".repeat(71)));
}

#[test]
fn nothing_is_fetched() {
    let page = render(&full());
    for word in [
        "src=",
        "href=\"http",
        "url(",
        "@import",
        "fetch(",
        "XMLHttpRequest",
    ] {
        let found = page.matches(word).count();
        // Only the escaped hostile texts contain `word`.
        let told = page.matches("&lt;img src=x").count();
        assert_eq!(found, if word == "src=" { told } else { 0 }, "{word}");
    }
}
