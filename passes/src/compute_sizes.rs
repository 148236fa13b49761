use crate::emit::host_elements::{
    Element, HostElements, constant, element_type, is_wide, shape, stores_to,
};
use crate::grid::sizes::write_assert;
use melior::ir::r#type::{MemRefType, RankedTensorType};
use melior::ir::{Type, ValueLike};
use tx_mlir::build::Predicate;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Index, MemRef, Op, Val, ancestors, defining_op, enclosing, erase, has_uses,
    integer_attribute, is, key, name, operands, parent, replace_uses, results, users, walk,
};

pass! {
    /// Compute sizes that a host function reads from its own small arrays.
    ///
    /// ## What it does
    /// Front ends store sizes in small tensors of integers, compute with these tensors, and then
    /// read their elements. Without this pass, tensors of sizes would be in device memory, which
    /// the host cannot read while it prepares launches. The pass computes elements of small integer
    /// arrays on the host.
    ///
    /// A `tensor.extract` at constant indices becomes a scalar if the pass can compute the element
    /// of the tensor. The pass can compute the elements of `tensor.from_elements` ops and of
    /// constants. The pass can also compute the elements of views, and of the results of a parallel
    /// `linalg.generic`, if it can compute the elements of their operands.
    ///
    /// If a `memref.load` at constant indices reads a `memref.alloc` of the same block, the value
    /// of the last store to the element replaces the loaded value. The pass replaces loads of an
    /// allocation only if all writes to the allocation are `memref.store` ops at constant indices.
    /// If the allocation has no remaining reads, the pass removes the allocation and its stores.
    ///
    /// A `tensor.reshape` or `memref.reshape` whose shape can be computed becomes a
    /// `collapse_shape` and an `expand_shape`. The `collapse_shape` and the `expand_shape` do not
    /// affect leading and trailing dimensions that have equal sizes before and after the reshape.
    /// If the number of elements is dynamic, a `cf.assert` checks that the source and the result of
    /// the reshape have equally many elements.
    ///
    /// A comparison of a size with 0 becomes a constant, because a size is never negative. An
    /// `arith.select` with a constant condition becomes the selected value.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: tensor<?x8x12xf32>) -> tensor<?x4x24xf32> {
    ///   %c0 = arith.constant 0 : index
    ///   %c4 = arith.constant 4 : index
    ///   %c24 = arith.constant 24 : index
    ///   %n = tensor.dim %A, %c0 : tensor<?x8x12xf32>
    ///   %s = tensor.from_elements %n, %c4, %c24 : tensor<3xindex>
    ///   %B = tensor.reshape %A(%s) : (tensor<?x8x12xf32>, tensor<3xindex>) -> tensor<?x4x24xf32>
    ///   return %B : tensor<?x4x24xf32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @f(%A: tensor<?x8x12xf32>) -> tensor<?x4x24xf32> {
    ///   ...
    ///   %C = tensor.collapse_shape %A [[0], [1, 2]] : tensor<?x8x12xf32> into tensor<?x96xf32>
    ///   %B = tensor.expand_shape %C [[0], [1, 2]] output_shape [%n, 4, 24] : tensor<?x96xf32> into tensor<?x4x24xf32>
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail. If the pass cannot compute an element, the read of the element does
    /// not change.
    pub struct ComputeSizes as "func-compute-sizes" creates [arith, cf, memref, tensor] {
    } counts {
        /// elements that are computed on the host
        extracted,
        /// reshapes that became views
        reshaped,
    }
}

impl Pass for ComputeSizes {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module).into_iter().filter(is_on_host) {
            fold_comparison(op);
            fold_select(op);
        }
        for op in walk(module).into_iter().filter(is_on_host) {
            if is(op, "tensor.extract") || is(op, "memref.load") {
                let b = Builder::before(op);
                let Some(element) = extracted(&b, op) else {
                    continue;
                };
                replace_uses(results(op)[0], element);
                erase(op);
                counts.add("extracted", 1);
            } else if is_reshape(op) && parent(op).is_some_and(|f| is(f, "func.func")) {
                let b = Builder::before(op);
                let Some(view) = reshaped(&b, op) else {
                    continue;
                };
                replace_uses(results(op)[0], view);
                erase(op);
                counts.add("reshaped", 1);
            }
        }
        let on_host = walk(module).into_iter().filter(is_on_host);
        let allocations: Vec<Op<'c>> = on_host.filter(|op| is_allocation(*op)).collect();
        allocations.into_iter().for_each(erase_unread);
        Ok(())
    }
}

/// Returns whether a host function in the module stores to memory or reshapes memory to a runtime
/// shape.
pub fn has_host_stores(module: Op<'_>) -> bool {
    let mut all = walk(module).into_iter().filter(is_on_host);
    all.any(|op| is(op, "memref.store") || is(op, "memref.reshape"))
}

fn is_on_host(op: &Op<'_>) -> bool {
    let mut around = ancestors(*op);
    enclosing(*op, "func.func").is_some()
        && !around.any(|around| name(around).starts_with("linalg.") || is(around, "gpu.module"))
}

fn is_reshape(op: Op<'_>) -> bool {
    is(op, "tensor.reshape") || is(op, "memref.reshape")
}

/// Erases an allocation if all its uses are stores and deallocations.
fn erase_unread(op: Op<'_>) {
    let [array] = results(op)[..] else { return };
    if !has_uses(array) {
        return;
    }
    let all = users(array);
    let ends = |user: &Op<'_>| is(*user, "memref.dealloc") || stores_to(*user, array);
    if all.iter().all(ends) && parent(op).is_some_and(|f| is(f, "func.func")) {
        let mut erased: Vec<Op<'_>> = Vec::new();
        for user in all {
            if !erased.contains(&user) {
                erase(user);
                erased.push(user);
            }
        }
        erase(op);
    }
}

fn is_allocation(op: Op<'_>) -> bool {
    is(op, "memref.alloc") || is(op, "memref.alloca")
}

/// Returns whether an integer is a size, or a constant that is not negative.
fn is_non_negative(value: Val<'_>) -> bool {
    let Some(op) = defining_op(value) else {
        return false;
    };
    match name(op) {
        "tensor.dim" | "memref.dim" => true,
        "arith.constant" => integer_attribute(op, "value").is_some_and(|n| n >= 0),
        "arith.index_cast" => {
            let from = operands(op)[0];
            is_wide(from.r#type()) && is_wide(value.r#type()) && is_non_negative(from)
        }
        _ => false,
    }
}

/// Folds a comparison of a size with 0 to a constant.
fn fold_comparison(op: Op<'_>) {
    // Encodings of the predicates `slt` and `sge` of `arith.cmpi`.
    let holds = match integer_attribute(op, "predicate") {
        Some(2) => false,
        Some(5) => true,
        _ => return,
    };
    let (true, [left, right]) = (is(op, "arith.cmpi"), &operands(op)[..]) else {
        return;
    };
    if constant(*right) == Some(0) && is_non_negative(*left) {
        let b = Builder::before(op);
        replace_uses(results(op)[0], b.int(i64::from(holds), b.int_type(1)));
    }
}

fn fold_select(op: Op<'_>) {
    if let (true, [condition, yes, no]) = (is(op, "arith.select"), &operands(op)[..])
        && let Some(condition) = constant(*condition)
    {
        replace_uses(results(op)[0], if condition == 0 { *no } else { *yes });
    }
}

/// Computes the element that a `tensor.extract` or `memref.load` reads.
fn extracted<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<Val<'c>> {
    let (tensor, indices) = operands(op).split_first().map(|(t, i)| (*t, i.to_vec()))?;
    let at: Vec<i64> = indices.into_iter().map(constant).collect::<Option<_>>()?;
    let mut elements = HostElements::new(b, op);
    let element = elements
        .of(tensor, &at)
        .map(|element| elements.value(element, results(op)[0].r#type()));
    elements.finish(element)
}

/// Emits views that replace a `tensor.reshape` or `memref.reshape`, if its shape can be computed.
fn reshaped<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<Val<'c>> {
    let [source, sizes] = operands(op)[..] else {
        return None;
    };
    let result = results(op)[0];
    let memref = MemRef::of(source);
    let dialect = if memref.is_some() { "memref" } else { "tensor" };
    let element = element_type(source.r#type())?;
    let (from, to) = (shape(source.r#type())?, shape(result.r#type())?);
    if from.is_empty() || to.is_empty() {
        return None;
    }
    let mut elements = HostElements::new(b, op);
    let wanted: Option<Vec<Index<'c>>> = (0i64..)
        .zip(&to)
        .map(|(d, size)| match size {
            Some(size) => Some(Index::Const(*size)),
            None => Some(match elements.of(sizes, &[d])? {
                Element::Const(n) => Index::Const(n),
                Element::Value(value) => match constant(value) {
                    Some(n) => Index::Const(n),
                    None => Index::Val(value),
                },
            }),
        })
        .collect();
    let wanted = elements.finish(wanted)?;
    let stays = |d: usize, place: usize| match (from[d], wanted[place]) {
        (Some(a), Index::Const(n)) => to[place].is_some() && a == n,
        (None, Index::Val(size)) => is_size_of(size, source, d),
        _ => false,
    };
    let shorter = from.len().min(to.len());
    let mut head = (0..shorter).take_while(|d| stays(*d, *d)).count();
    let last = |n: usize| (from.len() - 1 - n, to.len() - 1 - n);
    let mut tail = (0..shorter - head)
        .take_while(|n| {
            let (d, place) = last(*n);
            stays(d, place)
        })
        .count();
    if head == from.len() && head == to.len() {
        return Some(source);
    }
    // The range of collapsed dimensions must contain at least one dimension of the source and one
    // dimension of the result.
    if head + tail == shorter {
        match tail {
            0 => head -= 1,
            _ => tail -= 1,
        }
    }
    let wanted: Vec<Index<'c>> = wanted
        .into_iter()
        .map(|size| match size {
            Index::Val(value) => Index::Val(b.index_cast(value, b.index_type())),
            size => size,
        })
        .collect();
    let own: Vec<Index<'c>> = (0..from.len())
        .map(|d| match from[d] {
            Some(size) => Index::Const(size),
            None => {
                let is_own =
                    |size: &&Index<'c>| matches!(size, Index::Val(v) if is_size_of(*v, source, d));
                if let Some(same) = wanted.iter().find(is_own) {
                    return *same;
                }
                let at = b.int(i64::try_from(d).unwrap_or(0), b.index_type());
                let dim = format!("{dialect}.dim");
                let size = b.create(&dim).operands(&[source, at]);
                Index::Val(size.result(b.index_type()).value())
            }
        })
        .collect();
    let (middle, expected) = (
        &own[head..from.len() - tail],
        &wanted[head..to.len() - tail],
    );
    let (own_factors, wanted_factors) = (factors(middle)?, factors(expected)?);
    if own_factors != wanted_factors {
        let product = |sizes: &[Index<'c>]| {
            let all = sizes.iter();
            all.fold(Index::Const(1), |all, size| b.mul(all, *size))
        };
        let (middle, expected) = (product(middle), product(expected));
        if middle.known().is_some() && expected.known().is_some() {
            return None;
        }
        write_assert(
            b,
            Predicate::Eq,
            middle,
            expected,
            "elements of a reshaped tensor",
        );
    }
    let shaped = |sizes: &[Option<i64>]| -> Type<'c> {
        let sizes: Vec<i64> = sizes.iter().map(|size| size.unwrap_or(i64::MIN)).collect();
        match &memref {
            Some(memref) => MemRefType::new(element, &sizes, None, memref.memory_space()).into(),
            None => {
                let sizes: Vec<u64> = sizes.into_iter().map(i64::cast_unsigned).collect();
                RankedTensorType::new(&sizes, element, None).into()
            }
        }
    };
    let all = |sizes: &[Option<i64>]| {
        sizes
            .iter()
            .try_fold(1i64, |all, size| all.checked_mul((*size)?))
    };
    let cast = |value: Val<'c>, ty: Type<'c>| match value.r#type() == ty {
        true => value,
        false => b
            .create(&format!("{dialect}.cast"))
            .operands(&[value])
            .result(ty)
            .value(),
    };
    let flat = |sizes: &[Option<i64>]| {
        let between = head..sizes.len() - tail;
        [
            &sizes[..head],
            &[all(&sizes[between.clone()])],
            &sizes[between.end..],
        ]
        .concat()
    };
    let mut view = source;
    if from.len() - tail - head > 1 {
        view = b
            .create(&format!("{dialect}.collapse_shape"))
            .operands(&[view])
            .attr_text(
                "reassociation",
                &groups(head, from.len() - tail - head, tail),
            )
            .result(shaped(&flat(&from)))
            .value();
    }
    view = cast(view, shaped(&flat(&to)));
    if to.len() - tail - head > 1 {
        let dynamic: Vec<Val<'c>> = (0..to.len())
            .filter(|d| to[*d].is_none())
            .map(|d| b.value(wanted[d]))
            .collect();
        let sizes: Vec<i64> = to.iter().map(|size| size.unwrap_or(i64::MIN)).collect();
        view = b
            .create(&format!("{dialect}.expand_shape"))
            .operands(&[view])
            .operands(&dynamic)
            .attr_text("reassociation", &groups(head, to.len() - tail - head, tail))
            .i64s("static_output_shape", &sizes)
            .result(result.r#type())
            .value();
    }
    Some(cast(view, result.r#type()))
}

/// Returns the product of the static sizes, and a sorted list of the keys of the dynamic sizes.
/// Returns `None` if the product overflows 64 bits.
fn factors(sizes: &[Index<'_>]) -> Option<(i64, Vec<usize>)> {
    let mut fixed = sizes.iter().filter_map(|size| size.known());
    let fixed = fixed.try_fold(1i64, i64::checked_mul)?;
    let mut dynamic: Vec<usize> = sizes
        .iter()
        .filter_map(|size| match size {
            Index::Val(value) => Some(key(*value)),
            Index::Const(_) => None,
        })
        .collect();
    dynamic.sort_unstable();
    Some((fixed, dynamic))
}

fn is_size_of<'c>(size: Val<'c>, tensor: Val<'c>, dim: usize) -> bool {
    let Some(op) = defining_op(size) else {
        return false;
    };
    match (name(op), &operands(op)[..]) {
        ("arith.index_cast", [from]) => {
            is_wide(from.r#type()) && is_wide(size.r#type()) && is_size_of(*from, tensor, dim)
        }
        ("tensor.dim" | "memref.dim", [of, at]) => {
            *of == tensor && constant(*at).and_then(|at| usize::try_from(at).ok()) == Some(dim)
        }
        _ => false,
    }
}

/// Returns a reassociation attribute: `head` groups of one dimension each, then one group of
/// `between` dimensions, then `tail` groups of one dimension each.
fn groups(head: usize, between: usize, tail: usize) -> String {
    let single = |d: usize| format!("[{d}]");
    let middle: Vec<String> = (head..head + between).map(|d| d.to_string()).collect();
    let after = head + between;
    let all = (0..head).map(single);
    let all = all.chain([format!("[{}]", middle.join(", "))]);
    let all: Vec<String> = all.chain((after..after + tail).map(single)).collect();
    format!("[{}]", all.join(", "))
}
