//! Ops that several passes emit: index arithmetic, loads and stores, vectors, loop nests, and the
//! results of a reduction.

mod fragments;
pub(crate) mod host_elements;
mod reduction;

pub(crate) use fragments::{fragment, registers, registers_type};
pub(crate) use reduction::finish;
pub use reduction::{Group, all_reduce};

use crate::analysis::shared_memory::SHARED_ALIGNMENT;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute, StringAttribute};
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Type, ValueLike};
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

/// Emits the product of the dimension sizes `sizes`.
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

/// Returns whether a vector of `ty` and an array of `ty` in memory have different layouts: an `i1`
/// is one bit in a vector, but one byte in memory.
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

/// Attribute of a load or store op: the number of the access set to which the op belongs. For each
/// element of a memref, one thread executes all accesses that belong to the same access set. If an
/// access set has a negative number, different threads can access one element in different
/// iterations of the enclosing loop. `tile-insert-sync` reads and removes the attribute `OWNED`.
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

/// Emits a `vector.load` that is aligned to the size of the vector.
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

/// Emits a `memref.collapse_shape` of a contiguous memref. Each group of dimensions of the memref
/// becomes one dimension of the result.
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

/// Emits the extraction of all elements of a vector. If the value is a scalar, the result contains
/// only this scalar.
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

/// Body of a loop nest: a closure that receives the loop indices and the loop-carried values, and
/// returns the values for the next iteration.
pub type Body<'b, 'c> = dyn FnMut(&Builder<'c>, &[Index<'c>], &[Val<'c>]) -> Vec<Val<'c>> + 'b;

/// Emits a loop nest with one loop for each of `sizes`; a loop runs from 0 to its size. The first
/// loop is the outermost loop.
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

/// Emits a zero of a scalar type. Lowerings use the zero as the value of an element that a thread
/// does not load.
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

/// Declares an array in shared memory in the module of the kernel `kernel`. Returns the unique name
/// of the array, which begins with the kernel name and `what`.
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
