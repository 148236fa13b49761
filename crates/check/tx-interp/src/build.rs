//! Translation of IR to closures, one per op.

use crate::machine::Exec;
use crate::number::Scalar;
use crate::ops;
use crate::trouble::{Site, Trouble};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_mlir::melior::ir::block::BlockLike;
use tx_mlir::melior::ir::{Type, ValueLike};
use tx_mlir::{Blk, Op, Val, key, operands, results};

/// Index of an SSA value in the frame of its function.
pub(crate) type Slot = usize;

/// Closure that executes one op.
pub(crate) type OpClosure<'c> = Box<dyn Fn(&mut Exec<'_, 'c>) -> Result<(), Trouble> + 'c>;

/// Closures that execute the ops of a block.
pub(crate) struct Code<'c> {
    pub(crate) steps: Vec<OpClosure<'c>>,
    pub(crate) arguments: Vec<Slot>,
    pub(crate) yields: Vec<Slot>,
}

/// Closures that execute a function.
pub(crate) struct Function<'c> {
    pub(crate) code: Code<'c>,
    pub(crate) slots: usize,
    /// Workgroup and private attributions of a kernel, with the slots of their memrefs.
    pub(crate) attributions: Vec<(Slot, Val<'c>)>,
    pub(crate) block_size: Option<[u32; 3]>,
    pub(crate) cluster_size: Option<[u32; 3]>,
}

/// State shared by all functions of a module.
pub(crate) struct Program<'c> {
    pub(crate) module: Op<'c>,
    functions: RefCell<BTreeMap<usize, Rc<Function<'c>>>>,
    pub(crate) sites: RefCell<Vec<Site>>,
}

impl<'c> Program<'c> {
    pub(crate) fn new(module: Op<'c>) -> Self {
        Self {
            module,
            functions: RefCell::default(),
            sites: RefCell::default(),
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

    /// Registers an op that accesses memory. Returns the index that identifies the op in messages.
    pub(crate) fn site(&self, op: Op<'c>) -> (u32, Site) {
        let site = Site::of(op);
        let mut sites = self.sites.borrow_mut();
        sites.push(site.clone());
        (sites.len() as u32 - 1, site)
    }
}

/// Returns an attribute of three sizes, such as the block size of a kernel.
fn sizes_of(kernel: Op<'_>, attribute: &str) -> Option<[u32; 3]> {
    let sizes = tx_mlir::attribute(kernel, attribute).and_then(tx_mlir::integers)?;
    let sizes: Result<Vec<u32>, _> = sizes.into_iter().map(u32::try_from).collect();
    sizes.ok()?.try_into().ok()
}

/// Returns the number of arguments of a function. The result does not count the attributions of a
/// `gpu.func`, which are also block arguments.
fn function_arguments(op: Op<'_>) -> Option<usize> {
    let ty = tx_mlir::attribute(op, "function_type").and_then(tx_mlir::type_value)?;
    let function = tx_mlir::melior::ir::r#type::FunctionType::try_from(ty).ok()?;
    Some(function.input_count())
}

pub(crate) struct Build<'p, 'c> {
    pub(crate) program: &'p Program<'c>,
    slots: BTreeMap<usize, Slot>,
    count: usize,
    /// Slots of the loop indices, for each enclosing `linalg.generic`.
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

    /// Allocates a slot that belongs to no SSA value.
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

    /// Compiles the single block of a required region.
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
        let name = tx_mlir::name(op);
        let dialect = name.split('.').next().unwrap_or(name);
        let built = match dialect {
            "arith" | "math" | "ub" => ops::scalar::build(op, self)?,
            "vector" => ops::vector::build(op, self)?,
            "memref" => ops::memref::build(op, self)?,
            "scf" | "func" | "cf" => ops::control::build(op, self)?,
            "gpu" => ops::gpu::build(op, self)?,
            "nvvm" | "llvm" => ops::nvvm::build(op, self)?,
            "tile" => ops::tile::build(op, self)?,
            "linalg" => ops::linalg::build(op, self)?,
            "builtin" => ops::vector::build(op, self)?,
            _ => None,
        };
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
