use crate::emit::{scalars, vector_of};
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, enclosing, erase, has_flag, name, operands, replace_uses, results,
    walk,
};

pass! {
    /// Lower `math` ops that map to GPU instructions.
    ///
    /// ## What it does
    /// Replaces `math` ops in GPU modules by LLVM intrinsics for which LLVM selects exact
    /// instructions. The pass lowers `absf`, `sqrt`, `fma`, `copysign`, rounding to integers, and
    /// `absi`, `ctpop`, `ctlz` and `cttz` of integers. `exp2`, `log2`, `rsqrt` and `sqrt` of f32
    /// with `fastmath<afn>` become the intrinsics of `ex2.approx.ftz`, `lg2.approx.ftz`,
    /// `rsqrt.approx` and `sqrt.approx`, one per vector element. The pass does not change `math`
    /// ops that are not listed here, such as `exp` and `log`.
    ///
    /// ## Why
    /// The lowering of MLIR calls CUDA's libdevice for every `math` op, even if one instruction
    /// suffices.
    ///
    /// ## Before
    /// ```mlir
    /// %a = math.absf %x : f32
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %a = llvm.call_intrinsic "llvm.fabs"(%x) : (f32) -> f32
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct ConvertMath as "convert-gpu-math-to-llvm" creates [llvm, vector] {
    } counts {
        /// ops lowered
        lowered,
    }
}

const INTRINSICS: [(&str, &str); 8] = [
    ("math.absf", "llvm.fabs"),
    ("math.ceil", "llvm.ceil"),
    ("math.copysign", "llvm.copysign"),
    ("math.floor", "llvm.floor"),
    ("math.fma", "llvm.fma"),
    ("math.roundeven", "llvm.roundeven"),
    ("math.sqrt", "llvm.sqrt"),
    ("math.trunc", "llvm.trunc"),
];

/// Names of f32 `math` functions, each with the intrinsic of the approximate GPU instruction for
/// this function.
const APPROXIMATIONS: [(&str, &str); 4] = [
    ("math.exp2", "llvm.nvvm.ex2.approx.ftz.f32"),
    ("math.log2", "llvm.nvvm.lg2.approx.ftz.f"),
    ("math.rsqrt", "llvm.nvvm.rsqrt.approx.f"),
    ("math.sqrt", "llvm.nvvm.sqrt.approx.f"),
];

/// Integer `math` ops, each with the equivalent LLVM op and, except for `ctpop`, an attribute of
/// the LLVM op. If the attribute is true, the result of the LLVM op is poison for one operand, such
/// as 0 for `ctlz`. The pass sets the attribute to false, because the `math` op defines the result
/// for every operand.
const OF_INTEGERS: [(&str, &str, Option<&str>); 4] = [
    ("math.absi", "llvm.intr.abs", Some("is_int_min_poison")),
    ("math.ctlz", "llvm.intr.ctlz", Some("is_zero_poison")),
    ("math.ctpop", "llvm.intr.ctpop", None),
    ("math.cttz", "llvm.intr.cttz", Some("is_zero_poison")),
];

impl Pass for ConvertMath {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            if of_integers(op) {
                counts.add("lowered", 1);
                continue;
            }
            if approximation(op) {
                counts.add("lowered", 1);
                continue;
            }
            let known = INTRINSICS.iter().find(|(from, _)| *from == name(op));
            let Some((_, to)) = known else { continue };
            let result = results(op)[0];
            // LLVM has no arithmetic on 8-bit floats, and no type for multi-dimensional vectors.
            let ty = tx_mlir::vector_parts(result.r#type()).map_or(result.r#type(), |(_, e)| e);
            let computes = ty.is_float() && tx_mlir::byte_width(ty).is_some_and(|n| n > 1);
            if !computes || enclosing(op, "gpu.module").is_none() {
                continue;
            }
            let b = Builder::before(op);
            let made = call(&b, to, &operands(op), result.r#type());
            replace_uses(result, made);
            erase(op);
            counts.add("lowered", 1);
        }
        Ok(())
    }
}

/// Emits an `llvm.call_intrinsic` of `intrinsic`, because MLIR would lower the dedicated op of the
/// intrinsic to a libdevice call.
fn call<'c>(b: &Builder<'c>, intrinsic: &str, arguments: &[Val<'c>], result: Type<'c>) -> Val<'c> {
    b.create("llvm.call_intrinsic")
        .string("intrin", intrinsic)
        .attr("op_bundle_sizes", tx_mlir::i32_array(b.context(), &[]))
        .segments(&[arguments.len(), 0])
        .operands(arguments)
        .result(result)
        .value()
}

/// Replaces an approximate function by its intrinsic. Returns whether `op` was replaced.
fn approximation(op: Op<'_>) -> bool {
    let known = APPROXIMATIONS.iter().find(|(from, _)| *from == name(op));
    let Some((_, to)) = known else {
        return false;
    };
    let (argument, result) = (operands(op)[0], results(op)[0]);
    let ty = result.r#type();
    let (is_vector, element) = match tx_mlir::vector_parts(ty) {
        Some((count, element)) if Type::vector(&[count], element) == ty => (true, element),
        _ => (false, ty),
    };
    let is_instruction = element.is_f32() && has_flag(op, "fastmath", "afn");
    if !is_instruction || enclosing(op, "gpu.module").is_none() {
        return false;
    }
    let b = Builder::before(op);
    let elements: Vec<_> = scalars(&b, argument)
        .into_iter()
        .map(|element| call(&b, to, &[element], element.r#type()))
        .collect();
    let value = match is_vector {
        true => vector_of(&b, &elements),
        false => elements[0],
    };
    replace_uses(result, value);
    erase(op);
    true
}

/// Replaces an integer `math` op in a GPU module by the equivalent LLVM op. Returns whether `op`
/// was replaced.
fn of_integers(op: Op<'_>) -> bool {
    let known = OF_INTEGERS.iter().find(|(from, ..)| *from == name(op));
    let Some((_, to, poison)) = known else {
        return false;
    };
    let result = results(op)[0];
    if enclosing(op, "gpu.module").is_none() || result.r#type().is_index() {
        return false;
    }
    let b = Builder::before(op);
    let made = b.create(to).operands(&operands(op)).result(result.r#type());
    let made = match poison {
        Some(name) => made.boolean(name, false),
        None => made,
    };
    replace_uses(result, made.value());
    erase(op);
    true
}
