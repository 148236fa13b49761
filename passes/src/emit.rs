//! Ops that several passes emit: index arithmetic, loads and stores, vectors, loop nests, and the
//! results of a reduction.

use crate::analysis::kernel::SHARED_ALIGNMENT;
use crate::combiner::Combiner;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute, StringAttribute};
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Type, ValueLike};
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, MemRef, Op, Val, byte_width, i64_array, i64_attribute};

/// Returns the static or dynamic sizes of some dimensions of a memref.
pub fn extents<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memref: &MemRef<'c>,
    dimensions: &[usize],
) -> Vec<Index<'c>> {
    dimensions
        .iter()
        .map(|d| match memref.shape[*d] {
            Some(n) => Index::Const(n.cast_signed()),
            None => {
                let d = b.int(i64::try_from(*d).unwrap_or(0), b.index_type());
                Index::Val(
                    b.create("memref.dim")
                        .operands(&[value, d])
                        .result(b.index_type())
                        .value(),
                )
            }
        })
        .collect()
}

/// Emits the product of sizes.
pub fn product<'c>(b: &Builder<'c>, sizes: &[Index<'c>]) -> Index<'c> {
    sizes.iter().fold(Index::Const(1), |n, s| b.mul(n, *s))
}

/// Converts a linear index to one index per dimension, without divisions by sizes that are
/// statically 1.
pub fn delinearize<'c>(b: &Builder<'c>, linear: Index<'c>, sizes: &[Index<'c>]) -> Vec<Index<'c>> {
    let outermost = sizes.iter().position(|s| s.known() != Some(1));
    let mut rest = linear;
    let mut indices = vec![Index::Const(0); sizes.len()];
    for (i, size) in sizes.iter().enumerate().rev() {
        if Some(i) == outermost {
            indices[i] = rest;
        } else if size.known() != Some(1) {
            indices[i] = b.rem(rest, *size);
            rest = b.div(rest, *size);
        }
    }
    indices
}

/// Returns whether the layout of a vector of `ty` differs from the layout of its elements in
/// memory: an `i1` is one bit in a vector, but one byte in memory.
pub(crate) fn is_packed(ty: Type<'_>) -> bool {
    tx_mlir::integer_width(ty) == Some(1)
}

/// Converts an index to an integer type.
pub fn index_as<'c>(b: &Builder<'c>, index: Index<'c>, ty: Type<'c>) -> Val<'c> {
    match index {
        Index::Const(n) => b.int(n, ty),
        Index::Val(v) => b.index_cast(v, ty),
    }
}

/// Converts the combined partial result `total` to the results of a reduction, with element types
/// `types`. Combines `total` with the previous values of the outputs, if any; the result of an
/// empty reduction is the identity.
pub(crate) fn finish<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    total: &[Val<'c>],
    length: Index<'c>,
    old: Option<Vec<Val<'c>>>,
    types: &[Type<'c>],
) -> Vec<Val<'c>> {
    let is_empty = || b.equal(length, Index::Const(0));
    let total = match old {
        // If a row is empty, the combination with the initial value does not change old values. The
        // exceptions are `argmax` and `argmin`, because their initial index must belong to an
        // element.
        Some(old) => {
            let both = combiner.accumulate(b, &old, total);
            if combiner.kind().is_arg() && length.known().is_none() {
                let empty = is_empty();
                let old = combiner.widen_all(b, &old, &both);
                let pairs = old.iter().zip(&both);
                pairs
                    .map(|(old, both)| b.select(empty, *old, *both))
                    .collect()
            } else {
                both
            }
        }
        None if combiner.start_is_not_identity() => match b.equal(length, Index::Const(0)) {
            Cond::Const(false) => total.to_vec(),
            empty => combiner
                .identity(b)
                .into_iter()
                .zip(total)
                .map(|(i, t)| b.select(empty, i, *t))
                .collect(),
        },
        None => total.to_vec(),
    };
    combiner.narrow(b, &total, types)
}

/// Attribute of a memory access: the number of a set of accesses. In an access set, all accesses to
/// an element of a memref are by one thread, the same in every execution. If the number of the
/// access set is negative, the thread is the same only within one iteration of the enclosing loop.
/// `tile-insert-sync` reads and removes the attribute.
pub(crate) use tx_dialect_tile::OWNED;

pub(crate) fn load<'c>(
    b: &Builder<'c>,
    memref: Val<'c>,
    element: Type<'c>,
    index: &[Val<'c>],
) -> Val<'c> {
    let mut all = vec![memref];
    all.extend(index);
    b.create("memref.load")
        .operands(&all)
        .result(element)
        .value()
}

/// Emits a `vector.load` with the alignment of the whole vector.
pub(crate) fn load_vector<'c>(
    b: &Builder<'c>,
    source: Val<'c>,
    memref: &MemRef<'c>,
    index: &[Val<'c>],
    vector: u64,
) -> Val<'c> {
    let bytes = byte_width(memref.element).unwrap_or(1) * vector;
    b.create("vector.load")
        .attr("alignment", i64_attribute(b.context(), bytes.cast_signed()))
        .operands(&[vec![source], index.to_vec()].concat())
        .result(Type::vector(&[vector], memref.element))
        .value()
}

/// Emits a `memref.collapse_shape`: each group of dimensions of a contiguous memref becomes one
/// dimension.
pub(crate) fn collapse_shape<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memref: &MemRef<'c>,
    groups: &[Vec<usize>],
) -> Val<'c> {
    let context = b.context();
    let size = |group: &Vec<usize>| {
        let mut sizes = group.iter().map(|d| memref.shape[*d]);
        let size = sizes.try_fold(1_u64, |n, size| n.checked_mul(size?));
        size.map_or(i64::MIN, u64::cast_signed)
    };
    let sizes: Vec<i64> = groups.iter().map(size).collect();
    let number = |d: &usize| i64_attribute(context, i64::try_from(*d).unwrap_or(0));
    let group = |group: &Vec<usize>| {
        let dims: Vec<Attribute<'c>> = group.iter().map(number).collect();
        ArrayAttribute::new(context, &dims).into()
    };
    let groups: Vec<Attribute<'c>> = groups.iter().map(group).collect();
    let ty = MemRefType::new(memref.element, &sizes, None, memref.memory_space());
    b.create("memref.collapse_shape")
        .operands(&[value])
        .attr(
            "reassociation",
            ArrayAttribute::new(context, &groups).into(),
        )
        .result(ty.into())
        .value()
}

/// Emits the extraction of all elements of a vector. A scalar is returned unchanged.
pub(crate) fn scalars<'c>(b: &Builder<'c>, value: Val<'c>) -> Vec<Val<'c>> {
    let Some((lanes, element)) = tx_mlir::vector_parts(value.r#type()) else {
        return vec![value];
    };
    (0..lanes)
        .map(|i| {
            b.create("vector.extract")
                .attr(
                    "static_position",
                    i64_array(b.context(), &[i.cast_signed()]),
                )
                .operands(&[value])
                .result(element)
                .value()
        })
        .collect()
}

pub(crate) fn vector_of<'c>(b: &Builder<'c>, scalars: &[Val<'c>]) -> Val<'c> {
    let lanes = u64::try_from(scalars.len()).unwrap_or(1);
    b.create("vector.from_elements")
        .operands(scalars)
        .result(Type::vector(&[lanes], scalars[0].r#type()))
        .value()
}

/// Threads that `tile.all_reduce` combines.
#[derive(Clone, Copy)]
pub struct Group {
    /// Scope of the threads.
    pub scope: Scope,
    /// Number of threads per group; `None` means all threads of the scope.
    pub width: Option<i64>,
    /// Distance between consecutive threads of the group.
    pub stride: i64,
    /// Instructions that exchange values between lanes: `shuffle` or `redux`. With `None`,
    /// `tile-select-variant` chooses the instructions.
    pub variant: Option<&'static str>,
}

/// Emits a `tile.all_reduce`, which returns the combined value of a group to every thread of the
/// group.
pub fn all_reduce<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    partial: &[Val<'c>],
    group: Group,
) -> Vec<Val<'c>> {
    let mut op = b
        .create("tile.all_reduce")
        .attr("kind", combiner.kind().to_attribute(b.context()))
        .attr("scope", group.scope.to_attribute(b.context()));
    let region = match combiner.region() {
        Some((block, identities)) => {
            let identities = ArrayAttribute::new(b.context(), identities);
            op = op.attr("identities", identities.into());
            b.copy_of(block)
        }
        None => {
            op = op
                .attr_type("acc", combiner.types()[0])
                .attr("nan", combiner.nan().to_attribute(b.context()));
            melior::ir::Region::new()
        }
    };
    if let Some(width) = group.width {
        op = op
            .attr("width", i64_attribute(b.context(), width))
            .attr("stride", i64_attribute(b.context(), group.stride));
    }
    if let Some(variant) = group.variant {
        op = op.attr("variant", StringAttribute::new(b.context(), variant).into());
    }
    let types: Vec<Type<'c>> = partial.iter().map(|v| v.r#type()).collect();
    tx_mlir::results(op.operands(partial).region(region).results(&types).build())
}

/// Body of a loop nest. The arguments are the loop indices and the loop-carried values; the result
/// is the next loop-carried values.
pub type Body<'b, 'c> = dyn FnMut(&Builder<'c>, &[Index<'c>], &[Val<'c>]) -> Vec<Val<'c>> + 'b;

/// Emits nested loops from 0 to each size, the first loop outermost.
pub fn nest<'c>(
    b: &Builder<'c>,
    sizes: &[Index<'c>],
    index: &mut Vec<Index<'c>>,
    carried: &[Val<'c>],
    body: &mut Body<'_, 'c>,
) -> Vec<Val<'c>> {
    match sizes.get(index.len()) {
        None => body(b, index, carried),
        Some(size) => b.for_loop(
            Index::Const(0),
            *size,
            Index::Const(1),
            carried,
            |b, i, carried| {
                index.push(i);
                let left = nest(b, sizes, index, carried, body);
                index.pop();
                left
            },
        ),
    }
}

pub(crate) fn zeros<'c>(b: &Builder<'c>, ty: Type<'c>) -> Val<'c> {
    match tx_mlir::vector_parts(ty) {
        Some((_, element)) => b
            .create("vector.broadcast")
            .operands(&[zero(b, element)])
            .result(ty)
            .value(),
        None => zero(b, ty),
    }
}

/// Emits a zero of a scalar type, for registers of a thread without an element.
pub(crate) fn zero<'c>(b: &Builder<'c>, ty: Type<'c>) -> Val<'c> {
    use melior::ir::r#type::TypeLike as _;
    if !ty.is_float() {
        return b.int(0, ty);
    }
    // LLVM has no constants of 8-bit floats.
    if byte_width(ty) == Some(1) {
        let bits = b.int(0, b.int_type(8));
        return b
            .create("arith.bitcast")
            .operands(&[bits])
            .result(ty)
            .value();
    }
    b.float(0.0, ty)
}

fn shared_type<'c>(b: &Builder<'c>, shape: &[i64], element: Type<'c>) -> Type<'c> {
    let space = b.attribute("#gpu.address_space<workgroup>");
    MemRefType::new(element, shape, None, Some(space)).into()
}

pub(crate) fn shared<'c>(b: &Builder<'c>, name: &str, shape: &[i64], element: Type<'c>) -> Val<'c> {
    let name = FlatSymbolRefAttribute::new(b.context(), name);
    b.create("memref.get_global")
        .attr("name", name.into())
        .result(shared_type(b, shape, element))
        .value()
}

/// Declares an array in shared memory next to a kernel. Returns the unique name of the array, which
/// begins with the kernel name and `what`.
pub(crate) fn shared_global<'c>(
    b: &Builder<'c>,
    kernel: Op<'c>,
    what: &str,
    shape: &[i64],
    element: Type<'c>,
) -> String {
    let own = tx_mlir::string_attribute(kernel, "sym_name").unwrap_or_default();
    let module = tx_mlir::enclosing(kernel, "gpu.module").and_then(|m| tx_mlir::first_block(m, 0));
    let Some(module) = module else {
        return own;
    };
    let known = tx_mlir::ops(module).into_iter();
    let taken: Vec<String> = known
        .filter_map(|op| tx_mlir::string_attribute(op, "sym_name"))
        .collect();
    let stem = format!("{own}_{what}");
    let numbered = (1..).map(|i| format!("{stem}_{i}"));
    let mut names = std::iter::once(stem.clone()).chain(numbered);
    let name = names.find(|name| !taken.contains(name)).unwrap_or(stem);
    let at = Builder::at_start(b.context(), module, b.location());
    let string = |text: &str| StringAttribute::new(at.context(), text).into();
    at.create("memref.global")
        .attr("sym_name", string(&name))
        .attr("sym_visibility", string("private"))
        .attr_type("type", shared_type(b, shape, element))
        .unit("initial_value")
        .attr(
            "alignment",
            i64_attribute(b.context(), SHARED_ALIGNMENT.cast_signed()),
        )
        .build();
    name
}
