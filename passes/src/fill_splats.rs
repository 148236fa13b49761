use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type, TypeLike, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, attribute, enclosing, erase, has_uses, is, operands, replace_uses,
    results, splat_value, users, walk,
};

pass! {
    /// Replace splat tensors by fills.
    ///
    /// ## What it does
    /// If all elements of a tensor are equal, the pass replaces the tensor by a `linalg.fill` of a
    /// `tensor.empty`. The pass recognises splat `arith.constant`s, `tensor.splat`, and
    /// `tensor.from_elements` of one element. After the replacement, reductions and element-wise
    /// ops can use the scalar operand of the fill. The pass does not replace the shape operands of
    /// `tensor.reshape`.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
    ///   %z = arith.constant dense<0.0> : tensor<8xf32>
    ///   %s = linalg.reduce {arith.addf} ins(%A : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
    ///   return %s : tensor<8xf32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
    ///   %0 = arith.constant 0.000000e+00 : f32
    ///   %e = tensor.empty() : tensor<8xf32>
    ///   %z = linalg.fill ins(%0 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    ///   %s = linalg.reduce {arith.addf} ins(%A : tensor<8x4xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
    ///   return %s : tensor<8xf32>
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct FillSplats as "tensor-fill-splats" creates [arith, linalg, tensor] {
    } counts {
        /// tensors made fills
        filled,
    }
}

impl Pass for FillSplats {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            let [result] = results(op)[..] else { continue };
            let is_shape = users(result)
                .into_iter()
                .any(|user| is(user, "tensor.reshape"));
            let outside = enclosing(op, "func.func").is_none();
            if outside || is_shape || !has_uses(result) {
                continue;
            }
            let b = Builder::before(op);
            let Some((number, sizes)) = splat(&b, op, result) else {
                continue;
            };
            replace_uses(result, fill(&b, number, &sizes, result.r#type()));
            erase(op);
            counts.add("filled", 1);
        }
        Ok(())
    }
}

/// Returns the scalar that equals all elements of a tensor, and the dynamic sizes of the tensor.
fn splat<'c>(b: &Builder<'c>, op: Op<'c>, result: Val<'c>) -> Option<(Val<'c>, Vec<Val<'c>>)> {
    let tensor = RankedTensorType::try_from(result.r#type()).ok()?;
    let given = operands(op);
    if is(op, "arith.constant") {
        let ty = tensor.element();
        let is_number = ty.is_integer() || ty.is_float() || ty.is_index();
        let number = splat_value(attribute(op, "value")?).filter(|_| is_number)?;
        return Some((b.constant(number, tensor.element()), Vec::new()));
    }
    if is(op, "tensor.splat") {
        let (number, sizes) = given.split_first()?;
        return Some((*number, sizes.to_vec()));
    }
    match given[..] {
        [number] if is(op, "tensor.from_elements") => Some((number, Vec::new())),
        _ => None,
    }
}

fn fill<'c>(b: &Builder<'c>, number: Val<'c>, sizes: &[Val<'c>], ty: Type<'c>) -> Val<'c> {
    let empty = b.create("tensor.empty").operands(sizes).result(ty).value();
    let body = b.region_of(&[number.r#type(); 2], "linalg.yield", |_, arguments| {
        vec![arguments[0]]
    });
    b.create("linalg.fill")
        .operands(&[number, empty])
        .segments(&[1, 1])
        .region(body)
        .result(ty)
        .value()
}
