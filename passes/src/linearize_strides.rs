use melior::ir::ValueLike;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Index, MemRef, Op, Val, enclosing, is_strided, name, operands, results,
    set_operands, vector_parts, walk,
};

pass! {
    /// Compute addresses of memrefs with possibly negative strides.
    ///
    /// ## What it does
    /// If a memref has a negative or dynamic stride, the pass replaces each access to the memref by
    /// an access to a one-dimensional memref of the same memory. The linear index is the offset
    /// plus the sum of the products of each index and its stride. The pass changes only GPU
    /// modules.
    ///
    /// ## Why
    /// The lowering of MLIR marks the product of index and stride as `nuw`: the product does not
    /// wrap as an unsigned number. If the stride is negative, the product wraps, and LLVM may
    /// miscompile the access. In one program, LLVM compiled every iteration of a loop as if it were
    /// the first iteration. The index that this pass computes, the sum of the offset and all
    /// products, is never negative.
    ///
    /// ## Before
    /// ```mlir
    /// %x = memref.load %A[%i] : memref<8xf32, strided<[-1], offset: 7>>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %base, %offset, %size, %stride = memref.extract_strided_metadata %A : ...
    /// %0 = arith.muli %i, %c-1 : index
    /// %at = arith.addi %c7, %0 : index
    /// %end = arith.addi %at, %c1 : index
    /// %row = memref.reinterpret_cast %base to offset: [0], sizes: [%end], strides: [1] : memref<f32> to memref<?xf32>
    /// %x = memref.load %row[%at] : memref<?xf32>
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct LinearizeStrides as "memref-linearize-strides" creates [arith, memref] {
    } counts {
        /// accesses rewritten
        rewritten,
    }
}

/// Names of memory access ops, each with the number of its memref operand. The index operands of
/// each op follow the memref operand.
const ACCESSES: [(&str, usize); 5] = [
    ("memref.atomic_rmw", 1),
    ("memref.load", 0),
    ("memref.store", 1),
    ("vector.load", 0),
    ("vector.store", 1),
];

impl Pass for LinearizeStrides {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            let access = ACCESSES.iter().find(|(access, _)| *access == name(op));
            let Some((_, place)) = access.filter(|_| enclosing(op, "gpu.module").is_some()) else {
                continue;
            };
            let all = operands(op);
            let Some(memref) = MemRef::of(all[*place]).filter(may_go_back) else {
                continue;
            };
            let (row, at) = linearize(
                &Builder::before(op),
                all[*place],
                &memref,
                &all[place + 1..],
                lanes(op, &all),
            );
            set_operands(op, &[&all[..*place], &[row, at]].concat());
            counts.add("rewritten", 1);
        }
        Ok(())
    }
}

/// Returns whether the strided layout of a memref has a negative or dynamic stride. A memref
/// without a layout is row-major, so its strides are never negative.
fn may_go_back(memref: &MemRef<'_>) -> bool {
    is_strided(memref.ty) && memref.strides.iter().any(|s| s.is_none_or(|s| s < 0))
}

/// Returns the number of adjacent elements that one access reads or writes.
fn lanes(op: Op<'_>, operands: &[Val<'_>]) -> i64 {
    let value = match name(op) {
        "vector.load" => results(op).first().copied(),
        "vector.store" => operands.first().copied(),
        _ => None,
    };
    let lanes = value.and_then(|v| vector_parts(v.r#type()));
    lanes.map_or(1, |(lanes, _)| i64::try_from(lanes).unwrap_or(1))
}

/// Emits a one-dimensional view of the memory of `value`, and the linear index of the accessed
/// element in this view.
fn linearize<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memref: &MemRef<'c>,
    indices: &[Val<'c>],
    lanes: i64,
) -> (Val<'c>, Val<'c>) {
    let index = b.index_type();
    let space = memref
        .memory_space()
        .map_or_else(String::new, |space| format!(", {space}"));
    let ty = |shape: &str| b.float_type(&format!("memref<{shape}{}{space}>", memref.element));
    let rank = memref.rank();
    let metadata = b
        .create("memref.extract_strided_metadata")
        .operands(&[value])
        .result(ty(""))
        .results(&vec![index; 1 + 2 * rank])
        .build();
    let parts = results(metadata);
    let known = |known: Option<i64>, part: Val<'c>| known.map_or(Index::Val(part), Index::Const);
    let mut at = known(memref.offset, parts[1]);
    for (i, index) in indices.iter().enumerate() {
        let stride = known(memref.strides[i], parts[2 + rank + i]);
        at = b.add(at, b.mul(Index::Val(*index), stride));
    }
    let end = b.value(b.add(at, Index::Const(lanes)));
    let row = b
        .create("memref.reinterpret_cast")
        .operands(&[parts[0], end])
        .segments(&[1, 0, 1, 0])
        .i64s("static_offsets", &[0])
        .i64s("static_sizes", &[i64::MIN])
        .i64s("static_strides", &[1])
        .result(ty("?x"))
        .value();
    (row, b.value(at))
}
