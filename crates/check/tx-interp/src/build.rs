//! Translation of IR to closures. Each op becomes one closure.

use crate::code::{Code, Function, OpClosure};
use crate::site::{Site, SiteTable};
use crate::trouble::Trouble;
use crate::value::Slot;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_mlir::melior::ir::block::BlockLike;
use tx_mlir::melior::ir::{Type, ValueLike};
use tx_mlir::{Blk, Op, Val, key, operands, results};
use tx_scalar::Scalar;

/// Function that compiles an op of a supported dialect. A `CompileOp` function returns `None` for
/// an unsupported op.
pub(crate) type CompileOp<'c> =
    for<'p> fn(Op<'c>, &mut Build<'p, 'c>) -> Result<Option<OpClosure<'c>>, Trouble>;

/// State shared by all functions of a module.
pub(crate) struct Program<'c> {
    module: Op<'c>,
    functions: RefCell<BTreeMap<usize, Rc<Function<'c>>>>,
    pub(crate) sites: Rc<SiteTable>,
    compile_op: CompileOp<'c>,
}

impl<'c> Program<'c> {
    pub(crate) fn new(module: Op<'c>, compile_op: CompileOp<'c>) -> Self {
        Self {
            module,
            functions: RefCell::default(),
            sites: Rc::default(),
            compile_op,
        }
    }

    /// Returns the compiled form of a `func.func` or `gpu.func`. Each function is compiled once.
    pub(crate) fn function(&self, op: Op<'c>) -> Result<Rc<Function<'c>>, Trouble> {
        let id = op.to_raw().ptr as usize;
        if let Some(known) = self.functions.borrow().get(&id) {
            return Ok(known.clone());
        }
        let all = tx_mlir::region_blocks(op, 0);
        let [block] = all[..] else {
            return Err(Trouble::unsupported(
                op,
                match all.len() {
                    0 => "without a body",
                    _ => "with branches between blocks",
                },
            ));
        };
        let mut build = Build::new(self);
        let count = function_arguments(op).unwrap_or_else(|| block.argument_count());
        let mut code = build.block(block)?;
        let attributions = code
            .arguments
            .split_off(count.min(code.arguments.len()))
            .into_iter()
            .enumerate()
            .map(|(i, slot)| (slot, tx_mlir::build::argument(block, count + i)))
            .collect();
        let function = Rc::new(Function {
            code,
            slots: build.places(),
            attributions,
            block_size: sizes_of(op, "known_block_size"),
            cluster_size: sizes_of(op, "known_cluster_size"),
        });
        self.functions.borrow_mut().insert(id, function.clone());
        Ok(function)
    }

    /// Registers an op that accesses memory. Returns the index of the op in the table of locations,
    /// and the location of the op.
    pub(crate) fn site(&self, op: Op<'c>) -> (u32, Site) {
        self.sites.add(op)
    }

    /// Resolves a symbol in the symbol tables that enclose the op `from`, innermost first.
    pub(crate) fn lookup_symbol(&self, from: Op<'c>, path: &[String]) -> Option<Op<'c>> {
        let mut tables: Vec<Op<'c>> = tx_mlir::ancestors(from)
            .filter(|o| matches!(tx_mlir::name(*o), "builtin.module" | "gpu.module"))
            .collect();
        tables.push(self.module);
        tables.into_iter().find_map(|table| {
            path.iter().try_fold(table, |table, symbol| {
                let block = tx_mlir::first_block(table, 0)?;
                tx_mlir::ops(block)
                    .into_iter()
                    .find(|o| tx_mlir::string_attribute(*o, "sym_name").as_deref() == Some(symbol))
            })
        })
    }
}

/// Returns the three sizes that an attribute contains, such as the block size of a kernel.
fn sizes_of(kernel: Op<'_>, attribute: &str) -> Option<[u32; 3]> {
    let sizes = tx_mlir::attribute(kernel, attribute).and_then(tx_mlir::integers)?;
    let sizes: Result<Vec<u32>, _> = sizes.into_iter().map(u32::try_from).collect();
    sizes.ok()?.try_into().ok()
}

/// Returns the number of arguments of a function. The attributions of a `gpu.func` are block
/// arguments, but do not count as arguments of the function.
fn function_arguments(op: Op<'_>) -> Option<usize> {
    let ty = tx_mlir::attribute(op, "function_type").and_then(tx_mlir::type_value)?;
    let function = tx_mlir::melior::ir::r#type::FunctionType::try_from(ty).ok()?;
    Some(function.input_count())
}

pub(crate) struct Build<'p, 'c> {
    pub(crate) program: &'p Program<'c>,
    slots: BTreeMap<usize, Slot>,
    count: usize,
    /// Frame slots of the loop indices, for each enclosing `linalg.generic`.
    pub(crate) loops: Vec<Vec<Slot>>,
}

impl<'p, 'c> Build<'p, 'c> {
    pub(crate) fn new(program: &'p Program<'c>) -> Self {
        Self {
            program,
            slots: BTreeMap::new(),
            count: 0,
            loops: Vec::new(),
        }
    }

    pub(crate) fn places(&self) -> usize {
        self.count
    }

    pub(crate) fn slot(&mut self, value: Val<'c>) -> Slot {
        let count = &mut self.count;
        *self.slots.entry(key(value)).or_insert_with(|| {
            *count += 1;
            *count - 1
        })
    }

    /// Allocates a frame slot that belongs to no SSA value.
    pub(crate) fn fresh(&mut self) -> Slot {
        self.count += 1;
        self.count - 1
    }

    pub(crate) fn operands(&mut self, op: Op<'c>) -> Vec<Slot> {
        operands(op).into_iter().map(|v| self.slot(v)).collect()
    }

    pub(crate) fn results(&mut self, op: Op<'c>) -> Vec<Slot> {
        results(op).into_iter().map(|v| self.slot(v)).collect()
    }

    /// Compiles the single block of a region. Returns `None` if the region is missing or empty.
    pub(crate) fn region(
        &mut self,
        op: Op<'c>,
        region: usize,
    ) -> Result<Option<Code<'c>>, Trouble> {
        match tx_mlir::region_blocks(op, region)[..] {
            [] => Ok(None),
            [block] => self.block(block).map(Some),
            _ => Err(Trouble::unsupported(op, "with branches between blocks")),
        }
    }

    /// Compiles the single block of a region. Returns an error if the region is missing or empty.
    pub(crate) fn body(&mut self, op: Op<'c>, region: usize) -> Result<Code<'c>, Trouble> {
        self.region(op, region)?
            .ok_or_else(|| Trouble::unsupported(op, "without a body"))
    }

    pub(crate) fn block(&mut self, block: Blk<'c>) -> Result<Code<'c>, Trouble> {
        let arguments = (0..block.argument_count())
            .map(|i| self.slot(tx_mlir::build::argument(block, i)))
            .collect();
        let all = tx_mlir::ops(block);
        let Some((last, rest)) = all.split_last() else {
            return Ok(Code {
                steps: Vec::new(),
                arguments,
                yields: Vec::new(),
            });
        };
        let mut steps = Vec::with_capacity(rest.len());
        let (rest, yields) = if is_terminator(*last) {
            (rest, *last)
        } else {
            (&all[..], *last)
        };
        for op in rest {
            steps.push(self.step(*op)?);
        }
        let yields = if is_terminator(yields) {
            self.operands(yields)
        } else {
            Vec::new()
        };
        Ok(Code {
            steps,
            arguments,
            yields,
        })
    }

    pub(crate) fn step(&mut self, op: Op<'c>) -> Result<OpClosure<'c>, Trouble> {
        let built = (self.program.compile_op)(op, self)?;
        built.ok_or_else(|| Trouble::unsupported(op, ""))
    }
}

/// Returns whether an op ends a block and passes values to the parent op.
fn is_terminator(op: Op<'_>) -> bool {
    matches!(
        tx_mlir::name(op),
        "func.return"
            | "gpu.return"
            | "gpu.terminator"
            | "scf.yield"
            | "scf.condition"
            | "scf.reduce"
            | "tile.yield"
            | "linalg.yield"
            | "memref.atomic_yield"
            | "gpu.module_end"
    )
}

/// Returns the scalar type of a value and the number of scalars per lane: the number of elements of
/// a vector, or the number of register slots of a fragment.
pub(crate) fn scalars(ty: Type<'_>) -> Option<(Scalar, usize)> {
    if let Some(scalar) = Scalar::of(ty) {
        return Some((scalar, 1));
    }
    if let Some((count, element)) = tx_mlir::vector_parts(ty) {
        return Some((Scalar::of(element)?, usize::try_from(count).ok()?));
    }
    let fragment = tx_dialect_tile::Fragment::from_type(ty)?;
    let scalar = Scalar::of(fragment.element)?;
    Some((scalar, crate::layout::slots(&fragment.layout).len()))
}

/// Returns the result of [`scalars`] for the type of a value, or an error for an unsupported type.
pub(crate) fn scalars_of(op: Op<'_>, value: Val<'_>) -> Result<(Scalar, usize), Trouble> {
    scalars(value.r#type())
        .ok_or_else(|| Trouble::unsupported(op, format!("on values of type {}", value.r#type())))
}
