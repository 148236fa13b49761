//! Ops of `scf`, `func` and `cf`: loops, branches and calls, with per-lane control flow.

use crate::build::Build;
use crate::code::{Code, OpClosure};
use crate::machine::Exec;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{NO_BOUND, Slot, Value};
use std::rc::Rc;
use tx_mlir::{Op, attribute, name, string_attribute, symbol_path};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let results = build.results(op);
    Ok(Some(match name(op) {
        "scf.if" => {
            let yes = build.body(op, 0)?;
            let no = build.region(op, 1)?;
            Box::new(move |exec| branch(exec, slots[0], &yes, no.as_ref(), &results))
        }
        "scf.for" => {
            let unsigned = attribute(op, "unsignedCmp").is_some();
            let body = build.body(op, 0)?;
            let site = Site::of(op);
            Box::new(move |exec| {
                counted(exec, &slots, &body, &results, unsigned, &site)
                    .map_err(|trouble| trouble.in_loop(&site))
            })
        }
        "scf.while" => {
            let before = build.body(op, 0)?;
            let after = build.body(op, 1)?;
            let site = Site::of(op);
            Box::new(move |exec| {
                conditional(exec, &slots, &before, &after, &results)
                    .map_err(|trouble| trouble.in_loop(&site))
            })
        }
        "scf.index_switch" => {
            let cases = attribute(op, "cases")
                .and_then(tx_mlir::integers)
                .unwrap_or_default();
            let default = build.body(op, 0)?;
            let bodies = (0..cases.len())
                .map(|i| build.body(op, i + 1))
                .collect::<Result<Vec<_>, _>>()?;
            Box::new(move |exec| {
                let all = exec.active.clone();
                let chosen = |exec: &Exec<'_>, lane: u32| {
                    let value = exec.int(slots[0], lane);
                    cases.iter().position(|case| *case == value)
                };
                let mut merged = vec![Value::Nothing; results.len()];
                for i in (0..cases.len()).map(Some).chain([None]) {
                    let body = i.map_or(&default, |i| &bodies[i]);
                    let some: Rc<[u32]> = all
                        .iter()
                        .copied()
                        .filter(|lane| chosen(exec, *lane) == i)
                        .collect();
                    arm(exec, some, body, &mut merged)?;
                }
                store(exec, &results, merged);
                Ok(())
            })
        }
        "scf.execute_region" => {
            let body = build.body(op, 0)?;
            Box::new(move |exec| {
                body.run(exec)?;
                for (to, from) in results.iter().zip(&body.yields) {
                    exec.slots[*to] = exec.slots[*from].clone();
                }
                Ok(())
            })
        }
        "cf.assert" => {
            let message = string_attribute(op, "msg").unwrap_or_default();
            let message = format!("assertion failed: {message}");
            let site = Site::of(op);
            Box::new(move |exec| {
                match exec
                    .active
                    .iter()
                    .find(|lane| exec.int(slots[0], **lane) & 1 == 0)
                {
                    None => Ok(()),
                    Some(lane) => Err(exec.with_thread(
                        Trouble::fault(FaultKind::Assertion, &site, message.clone()),
                        *lane,
                    )),
                }
            })
        }
        "func.call" => call(op, build, slots, results)?,
        _ => return Ok(None),
    }))
}

/// Runs the body of a branch with the lanes `active`, and copies the yielded values of the lanes
/// `active` to `merged`.
fn arm<'c>(
    exec: &mut Exec<'_>,
    active: Rc<[u32]>,
    body: &Code<'c>,
    merged: &mut [Value],
) -> Result<(), Trouble> {
    if active.is_empty() {
        return Ok(());
    }
    body.run_for(exec, active.clone())?;
    for (to, from) in merged.iter_mut().zip(&body.yields) {
        let value = exec.slots[*from].clone();
        to.merge(&value, &active, exec.lanes);
    }
    Ok(())
}

fn store(exec: &mut Exec<'_>, results: &[Slot], values: Vec<Value>) {
    for (to, value) in results.iter().zip(values) {
        exec.slots[*to] = value;
    }
}

fn branch<'c>(
    exec: &mut Exec<'_>,
    condition: Slot,
    yes: &Code<'c>,
    no: Option<&Code<'c>>,
    results: &[Slot],
) -> Result<(), Trouble> {
    let unsure = exec
        .numbers(condition)
        .bounds
        .as_ref()
        .is_some_and(|bounds| bounds.iter().any(|b| *b != NO_BOUND && !b.is_exact()));
    let all = exec.active.clone();
    let (taken, other): (Vec<u32>, Vec<u32>) = all
        .iter()
        .partition(|lane| exec.int(condition, **lane) & 1 == 1);
    let mut merged = vec![Value::Nothing; results.len()];
    arm(exec, taken.into(), yes, &mut merged)?;
    if let Some(no) = no {
        arm(exec, other.into(), no, &mut merged)?;
    }
    if unsure {
        // The program may execute the other branch in another combination order, so all error
        // bounds become infinite.
        for value in &mut merged {
            if let Value::Numbers(lanes) = value {
                lanes.bounds = Some(vec![tx_scalar::Bound::anything(); lanes.bits.len()]);
            }
        }
    }
    store(exec, results, merged);
    Ok(())
}

fn counted<'c>(
    exec: &mut Exec<'_>,
    slots: &[Slot],
    body: &Code<'c>,
    results: &[Slot],
    unsigned: bool,
    site: &Site,
) -> Result<(), Trouble> {
    let [low, high, step, inits @ ..] = slots else {
        return Ok(());
    };
    let all = exec.active.clone();
    let less = |a: i64, b: i64| match unsigned {
        true => a.cast_unsigned() < b.cast_unsigned(),
        false => a < b,
    };
    let mut carried: Vec<Value> = inits.iter().map(|slot| exec.slots[*slot].clone()).collect();
    let uniform = exec.lane_for_all(&[*low, *high, *step]).is_some();
    if let Some(lane) = all.iter().find(|lane| exec.int(*step, **lane) <= 0) {
        let message = format!("a step of {}, expected more than 0", exec.int(*step, *lane));
        return Err(exec.with_thread(Trouble::fault(FaultKind::Undefined, site, message), *lane));
    }
    let first = all.first().copied().unwrap_or(0);
    let mut counters: Vec<i64> = match uniform {
        true => vec![exec.int(*low, first)],
        false => (0..exec.lanes as u32)
            .map(|lane| {
                if all.binary_search(&lane).is_ok() {
                    exec.int(*low, lane)
                } else {
                    0
                }
            })
            .collect(),
    };
    let mut active = all.clone();
    loop {
        let counter =
            |lane: u32, counters: &[i64]| counters[if uniform { 0 } else { lane as usize }];
        let going: Rc<[u32]> = match uniform {
            true if less(counters[0], exec.int(*high, first)) => active.clone(),
            true => Rc::from([]),
            false => active
                .iter()
                .copied()
                .filter(|lane| less(counter(*lane, &counters), exec.int(*high, *lane)))
                .collect(),
        };
        if going.is_empty() {
            break;
        }
        exec.slots[body.arguments[0]] = Value::Numbers(crate::value::Lanes {
            width: 1,
            uniform,
            bits: counters.iter().map(|n| n.cast_unsigned()).collect(),
            bounds: None,
        });
        for (slot, value) in body.arguments[1..].iter().zip(&carried) {
            exec.slots[*slot] = value.clone();
        }
        body.run_for(exec, going.clone())?;
        for (value, from) in carried.iter_mut().zip(&body.yields) {
            let new = exec.slots[*from].clone();
            value.merge(&new, &going, exec.lanes);
        }
        for &lane in if uniform { &going[..1] } else { &going[..] } {
            let counter = &mut counters[if uniform { 0 } else { lane as usize }];
            // The addition saturates on overflow, so the loop counter then exceeds every upper loop
            // bound.
            let step = exec.int(*step, lane);
            *counter = match unsigned {
                true => counter
                    .cast_unsigned()
                    .saturating_add(step.cast_unsigned())
                    .cast_signed(),
                false => counter.saturating_add(step),
            };
        }
        active = going;
    }
    store(exec, results, carried);
    Ok(())
}

fn conditional<'c>(
    exec: &mut Exec<'_>,
    inits: &[Slot],
    before: &Code<'c>,
    after: &Code<'c>,
    results: &[Slot],
) -> Result<(), Trouble> {
    let mut carried: Vec<Value> = inits.iter().map(|slot| exec.slots[*slot].clone()).collect();
    let mut ended = vec![Value::Nothing; results.len()];
    let mut active = exec.active.clone();
    while !active.is_empty() {
        for (slot, value) in before.arguments.iter().zip(&carried) {
            exec.slots[*slot] = value.clone();
        }
        before.run_for(exec, active.clone())?;
        let Some((condition, passed)) = before.yields.split_first() else {
            break;
        };
        let (going, done): (Vec<u32>, Vec<u32>) = active
            .iter()
            .partition(|lane| exec.int(*condition, **lane) & 1 == 1);
        let passed: Vec<Value> = passed
            .iter()
            .map(|slot| exec.slots[*slot].clone())
            .collect();
        for (to, value) in ended.iter_mut().zip(&passed) {
            to.merge(value, &done, exec.lanes);
        }
        active = going.into();
        if active.is_empty() {
            break;
        }
        for (slot, value) in after.arguments.iter().zip(&passed) {
            exec.slots[*slot] = value.clone();
        }
        after.run_for(exec, active.clone())?;
        for (value, from) in carried.iter_mut().zip(&after.yields) {
            let new = exec.slots[*from].clone();
            value.merge(&new, &active, exec.lanes);
        }
    }
    store(exec, results, ended);
    Ok(())
}

fn call<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
    slots: Vec<Slot>,
    results: Vec<Slot>,
) -> Result<OpClosure<'c>, Trouble> {
    let callee = attribute(op, "callee")
        .and_then(symbol_path)
        .and_then(|path| build.program.lookup_symbol(op, &path))
        .ok_or_else(|| Trouble::unsupported(op, "the function is not in the module"))?;
    if tx_mlir::ancestors(op).any(|o| o == callee) {
        return Err(Trouble::unsupported(op, "of itself"));
    }
    let function = build.program.function(callee)?;
    Ok(Box::new(move |exec| {
        let arguments: Vec<Value> = slots.iter().map(|slot| exec.slots[*slot].clone()).collect();
        let frame = std::mem::replace(&mut exec.slots, vec![Value::Nothing; function.slots]);
        for (slot, value) in function.code.arguments.iter().zip(arguments) {
            exec.slots[*slot] = value;
        }
        let ran = function.code.run(exec);
        let callee = std::mem::replace(&mut exec.slots, frame);
        ran?;
        for (to, from) in results.iter().zip(&function.code.yields) {
            exec.slots[*to] = callee[*from].clone();
        }
        Ok(())
    }))
}
