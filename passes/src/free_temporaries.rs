use crate::linalg::read::{NO_HOST_LOOPS, ONE_BLOCK};
use melior::ir::operation::OperationLike;
use tx_mlir::memref::root;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, EffectKind, Failed, MemRef, Op, Val, blocks, codes, enclosing, error, is,
    memory_effects, operands, ops, parent, results, walk,
};

pass! {
    /// Deallocate the temporaries of host functions.
    ///
    /// ## What it does
    /// The pass adds a `memref.dealloc` for each `memref.alloc` of a `func.func`, unless an op
    /// frees the allocation or the function returns the allocation. The `memref.dealloc` is at the
    /// end of the block of the `memref.alloc`.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) {
    ///   %T = memref.alloc() : memref<4xf32>
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%T : memref<4xf32>)
    ///   linalg.exp ins(%T : memref<4xf32>) outs(%B : memref<4xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) {
    ///   %T = memref.alloc() : memref<4xf32>
    ///   linalg.exp ins(%A : memref<4xf32>) outs(%T : memref<4xf32>)
    ///   linalg.exp ins(%T : memref<4xf32>) outs(%B : memref<4xf32>)
    ///   memref.dealloc %T : memref<4xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a temporary without deallocation in a function of several blocks, or in a
    /// loop or branch that yields a memref.
    pub struct FreeTemporaries as "memref-free-temporaries" creates [memref] {
    } counts {
        /// temporaries freed
        freed,
    }
}

impl Pass for FreeTemporaries {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut frees = Vec::new();
        let mut failed = None;
        let functions = walk(module).into_iter();
        let functions =
            functions.filter(|op| is(*op, "func.func") && enclosing(*op, "gpu.module").is_none());
        for function in functions {
            let all = walk(function);
            let freed: Vec<Val<'c>> = all.iter().flat_map(|op| freed_by(*op)).collect();
            for alloc in all.into_iter().filter(|op| is(*op, "memref.alloc")) {
                match end_of_life(alloc, function) {
                    _ if freed.contains(&results(alloc)[0]) => {}
                    Ok(end) => frees.extend(end.map(|end| (alloc, end))),
                    Err(e) => failed = Some(e),
                }
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (alloc, end) in frees {
            Builder::before(end)
                .create("memref.dealloc")
                .operands(&results(alloc))
                .build();
            counts.add("freed", 1);
        }
        Ok(())
    }
}

/// Returns the allocations that an op frees, directly or through views.
fn freed_by<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let effects = memory_effects(op).unwrap_or_default().into_iter();
    let freed = effects.filter(|effect| effect.kind == EffectKind::Free);
    freed.filter_map(|effect| effect.value).map(root).collect()
}

/// Error message for a temporary that a loop or branch may yield.
const NO_END: &str =
    "this temporary is in a loop or branch that yields a memref, so its lifetime is not known";

/// Returns the insertion point of the deallocation of a temporary; `None` if the function returns
/// the temporary.
fn end_of_life<'c>(alloc: Op<'c>, function: Op<'c>) -> Result<Option<Op<'c>>, Failed> {
    let Some(around) = parent(alloc) else {
        return Ok(None);
    };
    let block = blocks(around)
        .into_iter()
        .find(|block| ops(*block).contains(&alloc));
    let end = block.and_then(|block| ops(block).last().copied());
    let yields_memory = || {
        end.is_some_and(|end| {
            operands(end)
                .iter()
                .any(|value| MemRef::of(*value).is_some())
        })
    };
    let refuse = |message: &str, place: &str| {
        error(alloc.location(), message)
            .code(codes::TX0318)
            .note_at(around.location(), place)
            .note(NO_HOST_LOOPS)
            .emit()
    };
    if around != function {
        return match yields_memory() {
            true => Err(refuse(NO_END, "this op yields a memref")),
            false => Ok(end),
        };
    }
    if blocks(around).len() > 1 {
        return Err(refuse(ONE_BLOCK, "this function has several blocks"));
    }
    let is_own = |value: &Val<'c>| root(*value) == results(alloc)[0];
    let is_returned = end.is_some_and(|end| operands(end).iter().any(is_own));
    Ok(end.filter(|_| !is_returned))
}
