//! Replacement of ops that the interpreter does not support by ops that the interpreter supports.
//! The new ops have the same synchronization and the same memory accesses as the replaced ops.

use tx::tile::Nan;
use tx_mlir::{
    Builder, Op, Val, attribute, erase, is, name, operands, replace_uses, results, vector_parts,
};

use melior::ir::{TypeLike, ValueLike};

/// Kind of a `vector.reduction`, the equivalent op for integers, and the equivalent op for floats.
/// `None` means that MLIR has no equivalent op for integers or for floats.
const KINDS: [(&str, Option<&str>, Option<&str>); 11] = [
    ("add", Some("arith.addi"), Some("arith.addf")),
    ("mul", Some("arith.muli"), Some("arith.mulf")),
    ("and", Some("arith.andi"), None),
    ("or", Some("arith.ori"), None),
    ("xor", Some("arith.xori"), None),
    ("minui", Some("arith.minui"), None),
    ("minsi", Some("arith.minsi"), None),
    ("maxui", Some("arith.maxui"), None),
    ("maxsi", Some("arith.maxsi"), None),
    ("minimumf", None, Some("arith.minimumf")),
    ("maximumf", None, Some("arith.maximumf")),
];

const OF_FLOATS: [(&str, &str); 2] = [
    ("arith.maximumf", "arith.maxnumf"),
    ("arith.minimumf", "arith.minnumf"),
];

/// Adapts the min/max ops in the bodies of linalg ops to the attribute `nan` of the linalg op. MLIR
/// drops the attribute `nan` during generalization.
pub(crate) fn follow_nan(all: &[Op<'_>]) {
    for op in all.iter().filter(|op| name(**op).starts_with("linalg.")) {
        let Some(nan) = attribute(*op, "nan").and_then(Nan::of) else {
            continue;
        };
        let ignores = nan == Nan::Ignore;
        for inner in tx_mlir::walk(*op) {
            let pair = OF_FLOATS
                .iter()
                .find(|(wins, never)| is(inner, wins) || is(inner, never));
            let Some((wins, never)) = pair else { continue };
            let meant = if ignores { never } else { wins };
            if !is(inner, meant) {
                let both = operands(inner);
                let value = Builder::before(inner).binary(meant, both[0], both[1]);
                replace_uses(results(inner)[0], value);
                erase(inner);
            }
        }
    }
}

/// Returns the MLIR passes that expand the linalg and affine ops of a module.
pub(crate) fn passes(all: &[Op<'_>]) -> Vec<&'static str> {
    let is_named = |op: &Op<'_>| name(*op).starts_with("linalg.") && !is(*op, "linalg.generic");
    let is_affine = |op: &Op<'_>| name(*op).starts_with("affine.");
    let named = all.iter().any(is_named);
    let affine = all.iter().any(is_affine);
    [
        named.then_some("linalg-generalize-named-ops"),
        affine.then_some("lower-affine"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Expands vector reductions and fused multiply-adds.
pub(crate) fn rewrite(all: Vec<Op<'_>>) {
    for op in all {
        let value = match name(op) {
            "vector.reduction" => reduction(op),
            "vector.fma" => {
                let result = results(op)[0].r#type();
                let b = Builder::before(op);
                let fused = b.create("math.fma").operands(&operands(op));
                Some(fused.result(result).value())
            }
            _ => None,
        };
        if let Some(value) = value {
            replace_uses(results(op)[0], value);
            erase(op);
        }
    }
}

/// Expands a `vector.reduction` into a left-to-right chain of ops, as LLVM does. A float
/// accumulator is the first operand of the chain, and an integer accumulator is the last operand.
fn reduction<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let all = operands(op);
    let (count, element) = vector_parts(all[0].r#type())?;
    let kind = tx_mlir::enumerator_of(op, "kind")?;
    let (_, integers, floats) = KINDS.iter().find(|(known, ..)| kind == *known)?;
    let combine = (if element.is_float() {
        *floats
    } else {
        *integers
    })?;
    let b = Builder::before(op);
    let elements = (0..count).map(|at| {
        let extract = b
            .create("vector.extract")
            .operands(&all[..1])
            .result(element);
        extract
            .attr_text("static_position", &format!("array<i64: {at}>"))
            .value()
    });
    let carried = all.get(1).copied();
    let (first, last) = match element.is_float() {
        true => (carried, None),
        false => (None, carried),
    };
    let in_order = first.into_iter().chain(elements).chain(last);
    in_order.reduce(|left, right| b.binary(combine, left, right))
}
