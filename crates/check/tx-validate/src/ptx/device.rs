//! Operations of device IR, for comparison with PTX.

use super::access::{Accesses, Variables, is_kernel};
use super::flow::reached;
use super::forward::{self, Loads};
use super::{assembly, operation};
use crate::ptx::chip::Chip;
use crate::ptx::constant::constant;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{
    Op, Session, Val, attribute, blocks, has_uses, is, operands, ops, results, string_attribute,
    symbol_path, walk,
};
use tx_ptx::{Fact, Facts, FunctionFacts, KernelFacts, LoopNesting};

/// Position of an op.
#[derive(Clone, Copy)]
struct Site {
    place: LoopNesting,
    /// Set if LLVM may remove the op at this position.
    removable: bool,
}

impl Site {
    /// Returns the site of a PTX operation that LLVM emits for the op at the site `self`. `place`
    /// is `InLoop` if LLVM expands the op to a loop that contains the PTX operation. The position
    /// of the returned site is `InLoop` if `place` or the position of `self` is `InLoop`.
    fn at(self, place: LoopNesting) -> Self {
        Self {
            place: self.place.max(place),
            ..self
        }
    }

    fn add(self, facts: &mut KernelFacts, fact: Fact, removable: bool) {
        if self.removable || removable {
            facts.add_removable(fact, self.place);
        } else {
            facts.add(fact, self.place);
        }
    }
}

/// Returns the operations of each kernel in the device IR.
pub(super) fn facts(device_ir: &str, chip: Chip) -> Result<Facts, String> {
    let session = Session::new(|_| {});
    // Discardable attributes of other dialects remain in the IR; the comparison ignores them.
    session.context().set_allow_unregistered_dialects(true);
    let Some(module) = session.parse("device IR", device_ir.as_bytes()) else {
        let reported = session.take_diagnostics();
        let why = reported.first().map_or("", |first| first.message.as_str());
        return Err(format!("cannot parse the device IR: {why}"));
    };
    let top = ops(module.body());
    let functions: Vec<Op<'_>> = top
        .iter()
        .flat_map(|op| walk(*op))
        .filter(|op| is(*op, "llvm.func") && !blocks(*op).is_empty())
        .collect();
    let mut forwarded = Loads::new();
    for function in &functions {
        forwarded.extend(forward::forwarded(*function, chip)?);
    }
    let variables = Variables::of(&top, &forwarded);
    let named: BTreeMap<String, Op<'_>> = functions
        .iter()
        .filter_map(|op| Some((string_attribute(*op, "sym_name")?, *op)))
        .collect();
    let defined: BTreeSet<&str> = named.keys().map(String::as_str).collect();
    let mut all = BTreeMap::new();
    for (name, function) in &named {
        all.insert(
            name.clone(),
            function_facts(*function, &variables, &forwarded, &defined, chip)?,
        );
    }
    let kernels = named
        .iter()
        .filter(|(_, function)| is_kernel(**function))
        .map(|(name, _)| name.as_str());
    Facts::with_calls(&all, kernels).map_err(|error| error.to_string())
}

fn function_facts<'c>(
    function: Op<'c>,
    variables: &'c Variables,
    forwarded: &'c Loads,
    defined: &BTreeSet<&str>,
    chip: Chip,
) -> Result<FunctionFacts, String> {
    let mut own = FunctionFacts::default();
    let reached = reached(function);
    let mut accesses = Accesses::of(function, &reached, variables, forwarded, chip);
    for block in &reached {
        let site = Site {
            place: match block.in_loop {
                true => LoopNesting::InLoop,
                false => LoopNesting::OutsideLoops,
            },
            removable: block.removable,
        };
        let mut together = Vec::new();
        for op in ops(block.block) {
            for found in accesses.found(op) {
                site.at(found.place)
                    .add(&mut own.facts, found.fact, found.removable);
            }
            for made in operation::facts(op, chip)? {
                if made.place == LoopNesting::OutsideLoops {
                    together.push(made.fact.clone());
                }
                site.at(made.place)
                    .add(&mut own.facts, made.fact, made.removable);
            }
            match tx_mlir::name(op) {
                "llvm.call" => call(op, site, defined, &mut own),
                "llvm.inline_asm" => inline(op, site, &mut own)?,
                _ => {}
            }
        }
        if block.in_loop && !block.removable {
            own.facts.together(together);
        }
    }
    Ok(own)
}

/// Adds a direct or an indirect call to the operations of a function. The callee of a direct call
/// is a function of the module, or a function that the CUDA driver provides.
fn call(op: Op<'_>, site: Site, defined: &BTreeSet<&str>, own: &mut FunctionFacts) {
    let callee = attribute(op, "callee")
        .and_then(symbol_path)
        .and_then(|path| path.into_iter().next_back());
    match callee {
        Some(callee) if defined.contains(callee.as_str()) => own.calls.push((callee, site.place)),
        // LLVM removes `malloc` and `free` of unused memory.
        Some(callee) => {
            let removable = matches!(callee.as_str(), "malloc" | "free");
            let callee = Some(callee);
            site.add(&mut own.facts, Fact::Call { callee }, removable);
        }
        None => site.add(&mut own.facts, Fact::Call { callee: None }, false),
    }
}

fn inline(op: Op<'_>, site: Site, own: &mut FunctionFacts) -> Result<(), String> {
    let text = string_attribute(op, "asm_string").unwrap_or_default();
    let constraints = string_attribute(op, "constraints").unwrap_or_default();
    let outputs = constraints
        .split(',')
        .filter(|constraint| constraint.trim().starts_with('='))
        .count();
    let inputs = operands(op);
    let mut constants = vec![None; outputs];
    constants.extend(inputs.iter().map(|value: &Val<'_>| constant(*value)));
    let removable =
        attribute(op, "has_side_effects").is_none() && !results(op).into_iter().any(has_uses);
    for (fact, count) in assembly::facts(&text, &constants)?.iter() {
        for (place, count) in [
            (LoopNesting::OutsideLoops, count.outside),
            (LoopNesting::InLoop, count.inside),
        ] {
            let site = site.at(place);
            for _ in 0..count {
                site.add(&mut own.facts, fact.clone(), removable);
            }
        }
    }
    Ok(())
}
