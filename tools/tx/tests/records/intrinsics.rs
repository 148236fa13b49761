//! Reductions of one value a thread: every thread makes a value of its number, and stores what its
//! group makes of them.

use serde_json::Value;

use crate::Record;
use crate::case::{Argument, Case, Output};
use crate::element::{Element, combine};
use crate::tiles::kernel;

pub(crate) const WARP: usize = 32;

pub(crate) fn intrinsic_case(record: &Record) -> Result<Case, String> {
    let element = Element::parse(&record.dtype)?;
    let combine = combine(&record.op)?;
    let threads = record.threads;
    let (scope, group) = match record.exec_scope.as_str() {
        "warp" => {
            let width = record.width.unwrap_or(WARP);
            (format!("scope(warp) width {width}"), width)
        }
        "cta" => ("scope(cta)".to_owned(), threads),
        other => return Err(format!("there is no rule for the scope `{other}`")),
    };
    let by_lane = by_lane(record)?;
    let values: Vec<f64> = (0..threads)
        .map(|thread| (if by_lane { thread % WARP } else { thread } + 1) as f64)
        .collect();
    // Groups do not go on from one warp to the next.
    let whole = if record.exec_scope == "warp" {
        WARP
    } else {
        threads
    };
    let mut results = Vec::new();
    let mut expected = Vec::new();
    for members in values
        .chunks(whole)
        .flat_map(|part| part.chunks(group.max(1)))
    {
        let result = members.iter().copied().reduce(combine).unwrap_or(f64::NAN);
        results.push(result);
        expected.extend(members.iter().map(|_| result));
    }
    if let Some(expect) = &record.expect {
        check_expectation(expect, group, &results)?;
    }
    // Products grow beyond what is exact.
    let rtol = if record.op == "prod" { 1e-5 } else { 0.0 };
    Ok(Case::runs(
        program(record, element, &scope)?,
        vec![Argument::new(element, &[threads], &vec![-1.0; threads])],
        vec![Output::exact(0, element, &[threads], &expected).within(0.0, rtol)],
    ))
}

fn by_lane(record: &Record) -> Result<bool, String> {
    match record.lane_value.as_deref() {
        Some("lane+1") => Ok(true),
        Some("thread_id+1") => Ok(false),
        other => Err(format!("there is no rule for the values {other:?}")),
    }
}

fn program(record: &Record, element: Element, scope: &str) -> Result<String, String> {
    let (ty, threads) = (element.mlir(), record.threads);
    let mut body = vec!["%thread = gpu.thread_id x".to_owned()];
    let mut number = "%thread";
    if by_lane(record)? {
        body.push(format!("%warp = arith.constant {WARP} : index"));
        body.push("%lane = arith.remui %thread, %warp : index".to_owned());
        number = "%lane";
    }
    body.extend([
        "%one = arith.constant 1 : index".to_owned(),
        format!("%next = arith.addi {number}, %one : index"),
    ]);
    if element.is_float() {
        body.push("%int = arith.index_cast %next : index to i32".to_owned());
        body.push(format!("%value = arith.sitofp %int : i32 to {ty}"));
    } else {
        body.push(format!("%value = arith.index_cast %next : index to {ty}"));
    }
    body.extend([
        format!(
            "%result = tile.all_reduce {} %value {scope} : {ty} -> {ty}",
            record.op
        ),
        format!("memref.store %result, %B[%thread] : memref<{threads}x{ty}>"),
    ]);
    Ok(kernel(
        &format!("(%B: memref<{threads}x{ty}>)"),
        "",
        [threads, 1, 1],
        &body,
    ))
}

/// Records of refusals. What the other compiler refused may be defined here: then it has to be
/// right.
pub(crate) fn error_case(record: &Record) -> Result<Case, String> {
    let by_warp = match record.intrinsic.as_deref() {
        Some("warp_reduce") => true,
        Some("cta_reduce") => false,
        other => return Err(format!("there is no rule for the intrinsic {other:?}")),
    };
    let warps = record.num_warps.unwrap_or(1);
    let meant = Record {
        exec_scope: if by_warp { "warp" } else { "cta" }.to_owned(),
        dtype: "float32".to_owned(),
        threads: WARP * warps,
        lane_value: Some(if by_warp { "lane+1" } else { "thread_id+1" }.to_owned()),
        ..record.clone()
    };
    let at = "tile.all_reduce";
    let scope = match record.width {
        Some(width) if by_warp => format!("scope({}) width {width}", meant.exec_scope),
        _ => format!("scope({})", meant.exec_scope),
    };
    let refused = |text: &str| {
        Ok(Case::refused(
            program(&meant, Element::F32, &scope)?,
            at,
            &[text],
        ))
    };
    // Groups of lanes may be of any width; the last has those lanes that are left.
    if let Some(width) = record.width.filter(|_| by_warp)
        && !(1..=WARP).contains(&width)
    {
        return refused(&format!(
            "`width` must be between 1 and {WARP}, found {width}"
        ));
    }
    // A block may have any number of warps that a GPU starts.
    if warps == 0 || warps > 32 {
        return refused("a block has 1 to 1024 threads");
    }
    if combine(&record.op).is_err() {
        return refused(&record.op);
    }
    intrinsic_case(&meant)
}

/// Compares our reference with what the record says, in any of the three ways records say it.
pub(crate) fn check_expectation(
    expect: &Value,
    group: usize,
    results: &[f64],
) -> Result<(), String> {
    let said: Option<Vec<f64>> = match expect {
        Value::Number(number) => number.as_f64().map(|one| vec![one; results.len()]),
        // "groups of 8 lanes: 36,100,164,228"
        Value::String(text) if text.starts_with(&format!("groups of {group} ")) => {
            text.split_once(':').and_then(|(_, numbers)| {
                numbers
                    .split(',')
                    .map(|one| one.trim().parse().ok())
                    .collect()
            })
        }
        // "group g: 4g+4"
        Value::String(text) => text
            .strip_prefix("group g:")
            .and_then(|formula| formula.trim().split_once("g+"))
            .and_then(|(factor, term)| Some((factor.parse().ok()?, term.parse().ok()?)))
            .map(|(factor, term): (f64, f64)| {
                (0..results.len())
                    .map(|g| factor * g as f64 + term)
                    .collect()
            }),
        _ => None,
    };
    match said {
        Some(said) if said != results => {
            Err(format!("the record expects {expect}, we {results:?}"))
        }
        _ => Ok(()),
    }
}
