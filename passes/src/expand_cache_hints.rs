use crate::analysis::target::{Target, targets};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::EVICT_LAST;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, argument_of, attribute, byte_width, defining_op, enclosing, erase,
    first_block, integer_attribute, is, operands, replace_uses, results, vector_parts, walk,
};

pass! {
    /// Emit the cache hints of loads.
    ///
    /// ## What it does
    /// Replaces loads by inline assembly with a cache hint, because LLVM's NVPTX backend ignores
    /// `nontemporal` and has no loads with an L2 eviction policy. A `nontemporal` load becomes the
    /// evict-first load `ld.global.cs`. In a kernel with the attribute `tile.evict_last`, a load
    /// without `nontemporal` becomes a load with the L2 eviction policy `evict_last`, if the target
    /// of the kernel has PTX 7.4 or later.
    ///
    /// A cache hint does not change results. The inline assembly has memory side effects, so LLVM
    /// preserves the order of memory accesses. The pass does not change a load that is atomic or
    /// volatile, has fewer than 4 or more than 16 bytes, or has an alignment below its size. The
    /// pass also does not change a load if its address is not provably in global memory.
    ///
    /// ## Before
    /// ```mlir
    /// %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
    /// %w = llvm.inline_asm has_side_effects
    ///   "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,~{memory}" %g
    ///   : (!llvm.ptr<1>) -> !llvm.struct<(i32, i32, i32, i32)>
    /// ... // the words as a vector
    /// %v = llvm.bitcast %words : vector<4xi32> to vector<4xf32>
    /// ```
    ///
    /// ## Fails when
    /// The target of a kernel with `tile.evict_last` has an unknown chip or feature.
    pub struct ExpandCacheHints as "nvvm-expand-cache-hints" creates [llvm] {
    } counts {
        /// loads rewritten
        loads,
    }
}

/// Minimum PTX version of `createpolicy`, times ten.
const POLICY_PTX: u32 = 74;
/// Size of a 32-bit register in bytes.
const WORD: u64 = 4;
pub(crate) const GLOBAL: &str = "!llvm.ptr<1>";

/// Cache hint of a load.
#[derive(Clone, Copy)]
enum Hint<'c> {
    /// All caches evict the loaded lines first.
    EvictFirst,
    /// L2 eviction policy: the result of `createpolicy`.
    Policy(Val<'c>),
}

impl Pass for ExpandCacheHints {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        // The pass erases loads, so it lists the functions first.
        let functions = walk(module).into_iter().filter(|op| is(*op, "llvm.func"));
        for function in functions.collect::<Vec<_>>() {
            let loads = walk(function).into_iter().filter(|op| is(*op, "llvm.load"));
            let loads: Vec<_> = loads
                .filter_map(|load| Some((load, words_of(load)?)))
                .collect();
            let is_nontemporal = |load: Op<'_>| attribute(load, "nontemporal").is_some();
            let has_others = loads.iter().any(|(load, _)| !is_nontemporal(*load));
            let policy = match has_others && attribute(function, EVICT_LAST).is_some() {
                true if has_policies(function)? => evict_last(function).map(Hint::Policy),
                _ => None,
            };
            for (load, words) in loads {
                let hint = match is_nontemporal(load) {
                    true => Some(Hint::EvictFirst),
                    false => policy,
                };
                if let Some(hint) = hint {
                    let whole = expand(load, words, hint);
                    replace_uses(results(load)[0], whole);
                    erase(load);
                    counts.add("loads", 1);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether all targets of a kernel support L2 eviction policies.
fn has_policies(kernel: Op<'_>) -> Result<bool, Failed> {
    let Some(module) = enclosing(kernel, "gpu.module") else {
        return Ok(false);
    };
    let versions: Vec<u32> = targets(module)
        .map(|target| Target::read(module, &target).map(|target| target.ptx))
        .collect::<Result<_, _>>()?;
    Ok(!versions.is_empty() && versions.iter().all(|ptx| *ptx >= POLICY_PTX))
}

/// Emits the L2 eviction policy `evict_last` at the beginning of a kernel.
fn evict_last(kernel: Op<'_>) -> Option<Val<'_>> {
    let b = Builder::at_start(
        tx_mlir::context(kernel),
        first_block(kernel, 0)?,
        kernel.location(),
    );
    let policy = b
        .create("llvm.inline_asm")
        .string(
            "asm_string",
            "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;",
        )
        .string("constraints", "=l")
        .result(b.int_type(64))
        .value();
    Some(policy)
}

/// Returns the number of 32-bit registers that a load fills; `None` if the pass does not change the
/// load.
fn words_of(load: Op<'_>) -> Option<u64> {
    let plain = attribute(load, "volatile_").is_none()
        && integer_attribute(load, "ordering").is_none_or(|ordering| ordering == 0);
    let ty = results(load)[0].r#type();
    let (count, element) = match vector_parts(ty) {
        Some((count, element)) if Type::vector(&[count], element) != ty => return None,
        Some(parts) => parts,
        None => (1, ty),
    };
    // The registers must have as many bits as the element: not `i1`, `i24` or `f80`.
    let size = byte_width(element)?;
    let whole = match tx_mlir::integer_width(element) {
        Some(width) => u64::from(width) == 8 * size,
        None => element.is_float() && size <= 8,
    };
    let bytes = byte_width(element)?.checked_mul(count)?;
    // If the load has no alignment attribute, its alignment is the alignment of the type.
    let aligned = integer_attribute(load, "alignment")
        .is_none_or(|alignment| u64::try_from(alignment).is_ok_and(|n| n >= bytes));
    let fits = [WORD, 2 * WORD, 4 * WORD].contains(&bytes) && aligned;
    (plain && whole && fits && is_global(operands(load)[0])).then_some(bytes / WORD)
}

/// Returns whether a pointer provably points to global memory: its address space is global, or the
/// pointer is a kernel argument.
pub(crate) fn is_global(pointer: Val<'_>) -> bool {
    match tx_mlir::pointer_space(pointer.r#type()) {
        Some(1) => return true,
        Some(0) => {}
        _ => return false,
    }
    match defining_op(pointer) {
        Some(op) if is(op, "llvm.getelementptr") || is(op, "llvm.addrspacecast") => {
            is_global(operands(op)[0])
        }
        Some(_) => false,
        None => argument_of(pointer).is_some_and(|(block, _)| {
            block.parent_operation().is_some_and(|around| {
                attribute(around, "nvvm.kernel").is_some() && first_block(around, 0) == Some(block)
            })
        }),
    }
}

fn expand<'c>(load: Op<'c>, words: u64, hint: Hint<'c>) -> Val<'c> {
    let b = Builder::before(load);
    let ty = results(load)[0].r#type();
    let word = b.int_type(32);
    let pointer = operands(load)[0];
    let global = b.float_type(GLOBAL);
    let address = match pointer.r#type() == global {
        true => pointer,
        false => b
            .create("llvm.addrspacecast")
            .operands(&[pointer])
            .result(global)
            .value(),
    };
    let registers: Vec<String> = (0..words).map(|i| format!("${i}")).collect();
    let (shape, list) = match registers.as_slice() {
        [one] => (String::new(), one.clone()),
        all => (format!(".v{words}"), format!("{{{}}}", all.join(", "))),
    };
    let (modifier, operand, arguments) = match hint {
        Hint::EvictFirst => (".cs", String::new(), vec![address]),
        Hint::Policy(policy) => {
            let operand = format!(", ${}", words + 1);
            (".L2::cache_hint", operand, vec![address, policy])
        }
    };
    let text = format!("ld.global{modifier}{shape}.b32 {list}, [${words}]{operand};");
    let constraints = format!(
        "{}{}~{{memory}}",
        "=r,".repeat(registers.len()),
        "l,".repeat(arguments.len())
    );
    let loaded = b
        .create("llvm.inline_asm")
        .operands(&arguments)
        // If the assembly had no side effects, LLVM could move a later store before the load.
        .unit("has_side_effects")
        .string("asm_string", &text)
        .string("constraints", &constraints);
    let raw = match registers.len() {
        1 => loaded.result(word).value(),
        n => {
            let parts = vec!["i32"; n].join(", ");
            let all = loaded
                .result(b.float_type(&format!("!llvm.struct<({parts})>")))
                .value();
            join(&b, all, words)
        }
    };
    match raw.r#type() == ty {
        true => raw,
        false => b.create("llvm.bitcast").operands(&[raw]).result(ty).value(),
    }
}

fn join<'c>(b: &Builder<'c>, all: Val<'c>, words: u64) -> Val<'c> {
    let word = b.int_type(32);
    let vector = Type::vector(&[words], word);
    let empty = b.create("llvm.mlir.poison").result(vector).value();
    (0..i64::try_from(words).unwrap_or(0)).fold(empty, |vector, i| {
        let part = b
            .create("llvm.extractvalue")
            .i64s("position", &[i])
            .operands(&[all])
            .result(word)
            .value();
        let place = b
            .create("llvm.mlir.constant")
            .attr("value", tx_mlir::i32_attribute(b.context(), i))
            .result(word)
            .value();
        b.create("llvm.insertelement")
            .operands(&[vector, part, place])
            .result(vector.r#type())
            .value()
    })
}
