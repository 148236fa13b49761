//! Computation of single elements of tensors and memrefs in host functions.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, TypeLike, ValueLike};
use tx_mlir::{
    Affine, AffineMap, Builder, MemRef, Op, Val, affine, argument_of, attribute, defining_op,
    dense_bits, erase, first_block, has_uses, integer_attribute, integer_width, is, is_defined_in,
    is_pure, name, operands, ops, results, set_operand, users,
};

#[derive(Clone, Copy)]
pub(crate) enum Element<'c> {
    Const(i64),
    Value(Val<'c>),
}

/// Maximum number of values that the computation of one element visits.
const MAX_STEPS: usize = 4096;

/// Computes single elements of the tensors and memrefs of a host function.
pub(crate) struct HostElements<'b, 'c> {
    b: &'b Builder<'c>,
    reader: Op<'c>,
    made: Vec<Op<'c>>,
    steps: usize,
}

impl<'b, 'c> HostElements<'b, 'c> {
    pub(crate) fn new(b: &'b Builder<'c>, reader: Op<'c>) -> Self {
        Self {
            b,
            reader,
            made: Vec::new(),
            steps: 0,
        }
    }

    /// Erases the unused ops that the computation of an element created, if the computation failed
    /// (`result` is `None`).
    pub(crate) fn finish<T>(self, result: Option<T>) -> Option<T> {
        if result.is_none() {
            let unused = |op: &Op<'c>| !results(*op).into_iter().any(has_uses);
            self.made.into_iter().rev().filter(unused).for_each(erase);
        }
        result
    }

    pub(crate) fn value(&self, element: Element<'c>, ty: Type<'c>) -> Val<'c> {
        match element {
            Element::Const(n) => self.b.int(n, ty),
            Element::Value(value) => value,
        }
    }

    pub(crate) fn of(&mut self, tensor: Val<'c>, at: &[i64]) -> Option<Element<'c>> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let shape = shape(tensor.r#type())?;
        let inside =
            |(at, size): (&i64, &Option<i64>)| *at >= 0 && size.is_none_or(|size| *at < size);
        if at.len() != shape.len() || !at.iter().zip(&shape).all(inside) {
            return None;
        }
        let op = defining_op(tensor)?;
        let inputs = operands(op);
        match name(op) {
            "tensor.from_elements" => {
                let place = usize::try_from(linear(&shape, at)?).ok()?;
                inputs.get(place).copied().map(Element::Value)
            }
            "arith.constant" => {
                let ty = RankedTensorType::try_from(tensor.r#type()).ok()?.element();
                let bits = integer_width(ty).unwrap_or(64).clamp(1, 64);
                if !ty.is_integer() && !ty.is_index() {
                    return None;
                }
                let place = usize::try_from(linear(&shape, at)?).ok()?;
                let word = *dense_bits(attribute(op, "value")?)?.get(place)?;
                Some(Element::Const(
                    (word << (64 - bits)).cast_signed() >> (64 - bits),
                ))
            }
            "tensor.splat" => inputs.first().copied().map(Element::Value),
            "linalg.fill" => inputs.first().copied().map(Element::Value),
            "tensor.cast" => self.of(inputs[0], at),
            "tensor.expand_shape" | "tensor.collapse_shape" => {
                let place = linear(&shape, at)?;
                let from = self::shape(inputs[0].r#type())?;
                self.of(inputs[0], &delinear(&from, place)?)
            }
            "linalg.generic" => self.of_generic(op, tensor, at),
            "memref.alloc" | "memref.alloca" => self.stored(op, tensor, at),
            _ => None,
        }
    }

    /// Returns the value that the last `memref.store` before the op `reader` stores to an element.
    /// Returns `None` if any op other than a `memref.store` may write the allocation.
    fn stored(&self, alloc: Op<'c>, array: Val<'c>, at: &[i64]) -> Option<Element<'c>> {
        let is_known = |user: &Op<'c>| {
            is(*user, "memref.load")
                || is(*user, "memref.dealloc")
                || stores_to(*user, array)
                || is(*user, "memref.reshape") && operands(*user)[0] != array
        };
        let block = alloc.block()?;
        let mut stores = Vec::new();
        for user in users(array) {
            if !is_known(&user) || is(user, "memref.store") && user.block() != Some(block) {
                return None;
            }
            if is(user, "memref.store") {
                let index = operands(user).into_iter().skip(2).map(constant);
                stores.push((user, index.collect::<Option<Vec<i64>>>()?));
            }
        }
        let before = ops(block).into_iter().take_while(|op| *op != self.reader);
        let before: Vec<Op<'c>> = before.collect();
        if self.reader.block() != Some(block) {
            return None;
        }
        let last = before.into_iter().rev().find(|op| {
            let mut stores = stores.iter();
            stores.any(|(store, index)| store == op && index == at)
        });
        operands(last?).first().copied().map(Element::Value)
    }

    /// Computes the element that an element-wise `linalg.generic` yields at index `at`.
    fn of_generic(&mut self, op: Op<'c>, result: Val<'c>, at: &[i64]) -> Option<Element<'c>> {
        let number = results(op).iter().position(|own| *own == result)?;
        let inputs = operands(op);
        let maps = affine::indexing_maps(op)?;
        let outputs = results(op).len();
        let map = maps.get(inputs.len().checked_sub(outputs)? + number)?;
        if map.as_projected_permutation()? != (0..map.dims).collect::<Vec<_>>() {
            return None;
        }
        let body = first_block(op, 0)?;
        let end = ops(body).last().copied()?;
        let yielded = *operands(end).get(number)?;
        let frame = Frame {
            op,
            maps: &maps,
            at,
        };
        self.computed(yielded, &frame)
    }

    /// Computes a value in the body of a `linalg.generic` at one point of its iteration space.
    fn computed(&mut self, value: Val<'c>, frame: &Frame<'_, 'c>) -> Option<Element<'c>> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        if let Some((block, number)) = argument_of(value) {
            if first_block(frame.op, 0) != Some(block) {
                let is_outside = !is_defined_in(value, frame.op);
                return is_outside.then_some(Element::Value(value));
            }
            let operand = *operands(frame.op).get(number)?;
            if shape(operand.r#type()).is_none() {
                return Some(Element::Value(operand));
            }
            let index = frame.maps.get(number)?.results.iter();
            let index: Vec<i64> = index
                .map(|e| evaluate(e, frame.at))
                .collect::<Option<_>>()?;
            return self.of(operand, &index);
        }
        if let Some(known) = constant(value) {
            return Some(Element::Const(known));
        }
        if !is_defined_in(value, frame.op) {
            return Some(Element::Value(value));
        }
        let op = defining_op(value)?;
        match name(op) {
            "linalg.index" => {
                let dim = usize::try_from(integer_attribute(op, "dim")?).ok()?;
                frame.at.get(dim).copied().map(Element::Const)
            }
            "tensor.extract" => {
                let (tensor, indices) =
                    operands(op).split_first().map(|(t, i)| (*t, i.to_vec()))?;
                let at = indices.into_iter().map(|index| self.known(index, frame));
                let at: Vec<i64> = at.collect::<Option<_>>()?;
                self.of(tensor, &at)
            }
            "scf.if" => {
                let number = results(op).iter().position(|own| *own == value)?;
                let taken = usize::from(self.known(*operands(op).first()?, frame)? == 0);
                let end = ops(first_block(op, taken)?).last().copied()?;
                self.computed(*operands(end).get(number)?, frame)
            }
            computes if computes.starts_with("arith.") && is_pure(op) => {
                let inputs = operands(op)
                    .into_iter()
                    .map(|input| self.computed(input, frame));
                let inputs: Vec<Element<'c>> = inputs.collect::<Option<_>>()?;
                if let Some(known) = fold(op, &inputs) {
                    return Some(Element::Const(known));
                }
                let values = operands(op).into_iter().zip(inputs);
                let values: Vec<Val<'c>> = values
                    .map(|(old, new)| self.value(new, old.r#type()))
                    .collect();
                let copy = self.b.copy(op);
                for (i, input) in values.into_iter().enumerate() {
                    set_operand(copy, i, input);
                }
                self.made.push(copy);
                let number = results(op).iter().position(|own| *own == value)?;
                results(copy).get(number).copied().map(Element::Value)
            }
            _ => None,
        }
    }

    /// Returns a value in the body of a `linalg.generic` if the value is a known constant.
    fn known(&mut self, value: Val<'c>, frame: &Frame<'_, 'c>) -> Option<i64> {
        match self.computed(value, frame)? {
            Element::Const(n) => Some(n),
            Element::Value(value) => constant(value),
        }
    }
}

/// A `linalg.generic` and one point of its iteration space.
struct Frame<'f, 'c> {
    op: Op<'c>,
    maps: &'f [AffineMap],
    at: &'f [i64],
}

/// Folds an integer op with constant operands; returns `None` for unsupported ops.
fn fold(op: Op<'_>, inputs: &[Element<'_>]) -> Option<i64> {
    let known = |element: &Element<'_>| match element {
        Element::Const(n) => Some(*n),
        Element::Value(value) => constant(*value),
    };
    let numbers: Vec<i64> = inputs.iter().map(known).collect::<Option<_>>()?;
    let is_wide = is_wide(results(op).first()?.r#type());
    match (name(op), &numbers[..]) {
        ("arith.addi", [a, b]) if is_wide => a.checked_add(*b),
        ("arith.subi", [a, b]) if is_wide => a.checked_sub(*b),
        ("arith.muli", [a, b]) if is_wide => a.checked_mul(*b),
        ("arith.cmpi", [a, b]) => {
            let predicate = integer_attribute(op, "predicate")?;
            // Signed and unsigned comparison agree on non-negative numbers.
            if predicate > 5 && (*a < 0 || *b < 0) {
                return None;
            }
            Some(i64::from(match predicate {
                0 => a == b,
                1 => a != b,
                2 | 6 => a < b,
                3 | 7 => a <= b,
                4 | 8 => a > b,
                5 | 9 => a >= b,
                _ => return None,
            }))
        }
        _ => None,
    }
}

pub(crate) fn element_type(ty: Type<'_>) -> Option<Type<'_>> {
    match MemRef::from_type(ty) {
        Some(memref) => Some(memref.element),
        None => Some(RankedTensorType::try_from(ty).ok()?.element()),
    }
}

/// Returns the sizes of a ranked tensor or memref; `None` for a dynamic size.
pub(crate) fn shape(ty: Type<'_>) -> Option<Vec<Option<i64>>> {
    if let Some(memref) = MemRef::from_type(ty) {
        let sizes = memref.shape.into_iter();
        return Some(sizes.map(|size| size.map(u64::cast_signed)).collect());
    }
    let tensor = RankedTensorType::try_from(ty).ok()?;
    (0..tensor.rank())
        .map(|d| match tensor.dim_size(d).ok()? {
            DimSize::Static(size) => Some(Some(i64::try_from(size).ok()?)),
            DimSize::Dynamic => Some(None),
        })
        .collect()
}

/// Returns the row-major linear index of an element. The first size in `shape` may be dynamic,
/// because the linear index does not depend on this size.
pub(crate) fn linear(shape: &[Option<i64>], at: &[i64]) -> Option<i64> {
    let mut place = 0i64;
    for (d, (size, at)) in shape.iter().zip(at).enumerate() {
        let size = if d == 0 { 0 } else { (*size)? };
        place = place.checked_mul(size)?.checked_add(*at)?;
    }
    Some(place)
}

fn delinear(shape: &[Option<i64>], place: i64) -> Option<Vec<i64>> {
    let (mut rest, mut at) = (place, Vec::new());
    for size in shape.iter().rev() {
        let size = (*size).filter(|size| *size > 0)?;
        at.push(rest % size);
        rest /= size;
    }
    at.reverse();
    Some(at)
}

fn evaluate(expr: &Affine, at: &[i64]) -> Option<i64> {
    match expr {
        Affine::Dim(d) => at.get(*d).copied(),
        Affine::Const(n) => Some(*n),
        Affine::Add(a, b) => evaluate(a, at)?.checked_add(evaluate(b, at)?),
        Affine::Mul(a, b) => evaluate(a, at)?.checked_mul(evaluate(b, at)?),
        _ => None,
    }
}

pub(crate) fn constant(value: Val<'_>) -> Option<i64> {
    let op = defining_op(value).filter(|op| is(*op, "arith.constant"))?;
    integer_attribute(op, "value")
}

pub(crate) fn is_wide(ty: Type<'_>) -> bool {
    ty.is_index() || integer_width(ty).is_some_and(|bits| bits >= 64)
}

pub(crate) fn stores_to<'c>(op: Op<'c>, array: Val<'c>) -> bool {
    is(op, "memref.store") && operands(op).first() != Some(&array)
}
