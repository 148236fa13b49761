//! Op builder with structured control flow and index arithmetic. The builder folds constants, so
//! that the emitted IR is readable.

use crate::ir::{
    Blk, Op, Val, blocks, context, copy, i64_attribute, key, name, operands, ops, parse_attribute,
    results, set_operand, vector_parts, walk,
};
use melior::Context;
use melior::ir::attribute::{
    AttributeLike, BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, Block, Identifier, Location, Region, RegionLike, Type, ValueLike};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Index value: a compile-time constant or an SSA value.
#[derive(Clone, Copy)]
pub enum Index<'c> {
    /// Compile-time constant.
    Const(i64),
    /// SSA value of type `index`.
    Val(Val<'c>),
}

impl Index<'_> {
    /// Returns the constant, or `None` for an SSA value.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Const(n) => Some(n),
            Self::Val(_) => None,
        }
    }
}

/// Boolean condition: a compile-time constant or an SSA value.
#[derive(Clone, Copy)]
pub enum Cond<'c> {
    /// Compile-time constant.
    Const(bool),
    /// SSA value of type `i1`.
    Val(Val<'c>),
}

/// Predicates of `arith.cmpi`, with MLIR's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are arith's own")]
pub enum Predicate {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
}

/// Builder that creates ops at one insertion point, with one location for all ops.
pub struct Builder<'c> {
    context: &'c Context,
    block: Blk<'c>,
    before: Option<Op<'c>>,
    location: Location<'c>,
    /// Constants and memref sizes that this builder and its parent builders have emitted. A builder
    /// only appends ops, so these values dominate every op that the builder emits later.
    constants: RefCell<BTreeMap<Known, Val<'c>>>,
}

/// Key of a value that a builder emits only once and reuses for equal requests.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Constant, identified by the addresses of its uniqued attribute and its uniqued type.
    Constant(usize, usize),
    /// Size of a memref dimension: [`key`] of the memref, and index of the dimension.
    Size(usize, usize),
}

impl<'c> Builder<'c> {
    /// Creates a builder that inserts before `op`, with the location of `op`.
    ///
    /// # Panics
    /// Panics if `op` is not in a block.
    pub fn before(op: Op<'c>) -> Self {
        Self {
            context: context(op),
            block: op
                .block()
                .expect("an op that is rewritten stands in a block"),
            before: Some(op),
            location: op.location(),
            constants: RefCell::default(),
        }
    }

    /// Creates a builder that inserts at the start of `block`, with location `location`.
    pub fn at_start(context: &'c Context, block: Blk<'c>, location: Location<'c>) -> Self {
        Self {
            context,
            block,
            before: block.first_operation(),
            location,
            constants: RefCell::default(),
        }
    }

    /// Creates a builder that inserts at the end of `block`, with location `location`.
    pub fn at_end(context: &'c Context, block: Blk<'c>, location: Location<'c>) -> Self {
        Self {
            context,
            block,
            before: None,
            location,
            constants: RefCell::default(),
        }
    }

    /// Returns the op before which the builder inserts; `None` at the end of a block.
    pub fn next_op(&self) -> Option<Op<'c>> {
        self.before
    }

    fn inside(&self, block: Blk<'c>) -> Self {
        Self {
            context: self.context,
            block,
            before: None,
            location: self.location,
            constants: self.constants.clone(),
        }
    }

    /// Returns a builder with the same insertion point and another location.
    #[must_use]
    pub fn located(&self, location: Location<'c>) -> Self {
        Self {
            context: self.context,
            block: self.block,
            before: self.before,
            location,
            constants: self.constants.clone(),
        }
    }

    fn insert(&self, op: Operation<'c>) -> Op<'c> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, op),
            None => self.block.append_operation(op),
        }
    }

    /// Returns the MLIR context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// Returns the location of the created ops.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Starts the creation of an op named `name`.
    pub fn create<'n>(&self, name: &'n str) -> Create<'_, 'n, 'c> {
        Create {
            builder: self,
            name,
            operands: Vec::new(),
            results: Vec::new(),
            attributes: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// Parses an attribute from its text, which must be valid.
    pub fn attribute(&self, text: &str) -> Attribute<'c> {
        parse_attribute(self.context, text)
    }

    /// Returns the type `index`.
    pub fn index_type(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// Returns the signless integer type with `bits` bits.
    pub fn int_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// Returns the float type named `name`.
    pub fn float_type(&self, name: &str) -> Type<'c> {
        Type::parse(self.context, name).unwrap_or_else(|| panic!("`{name}` is no type"))
    }

    /// Emits an `arith.constant` of type `ty`: an integer, an `index`, or a vector of equal
    /// elements.
    pub fn int(&self, value: i64, ty: Type<'c>) -> Val<'c> {
        self.number(|element| IntegerAttribute::new(element, value).into(), ty)
    }

    /// Emits an `arith.constant` of type `ty`: a float, or a vector of equal floats.
    pub fn float(&self, value: f64, ty: Type<'c>) -> Val<'c> {
        let number = |element| FloatAttribute::new(self.context, element, value).into();
        self.number(number, ty)
    }

    fn number(&self, of: impl FnOnce(Type<'c>) -> Attribute<'c>, ty: Type<'c>) -> Val<'c> {
        let Some((_, element)) = vector_parts(ty) else {
            return self.constant(of(ty), ty);
        };
        // SAFETY: `ty` is a vector type, and the attribute has its element type.
        let splat = unsafe {
            Attribute::from_raw(mlir_sys::mlirDenseElementsAttrSplatGet(
                ty.to_raw(),
                of(element).to_raw(),
            ))
        };
        self.constant(splat, ty)
    }

    /// Emits an `arith.constant`, or returns an equal dominating constant.
    pub fn constant(&self, value: Attribute<'c>, ty: Type<'c>) -> Val<'c> {
        let key = Known::Constant(value.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(known) = self.constants.borrow().get(&key) {
            return *known;
        }
        let made = self
            .create("arith.constant")
            .attr("value", value)
            .result(ty)
            .value();
        self.constants.borrow_mut().insert(key, made);
        made
    }

    /// Emits a `memref.dim` of dimension `place`, or returns the result of an equal dominating
    /// `memref.dim`.
    pub fn dim(&self, memref: Val<'c>, place: usize) -> Val<'c> {
        let key = Known::Size(key(memref), place);
        if let Some(known) = self.constants.borrow().get(&key) {
            return *known;
        }
        let index = self.int(i64::try_from(place).unwrap_or(0), self.index_type());
        let made = self
            .create("memref.dim")
            .operands(&[memref, index])
            .result(self.index_type())
            .value();
        self.constants.borrow_mut().insert(key, made);
        made
    }

    /// Returns the index as an SSA value; a constant becomes an `arith.constant`.
    pub fn value(&self, index: Index<'c>) -> Val<'c> {
        match index {
            Index::Const(n) => self.int(n, self.index_type()),
            Index::Val(v) => v,
        }
    }

    /// Copies the ops of `block` with the values `arguments` in place of the block arguments.
    /// Returns the copies of the terminator's operands.
    pub fn inline(&self, block: Blk<'c>, arguments: &[Val<'c>]) -> Vec<Val<'c>> {
        let arguments: Vec<_> = arguments.iter().copied().enumerate().collect();
        self.inline_with(block, &arguments, &|_| None)
    }

    /// Copies the ops of `block` like [`Self::inline`]. `arguments` contains pairs: the index of a
    /// block argument, and its replacement. If `known` returns values for an op, these values
    /// replace the results of the op, and the op is not copied.
    pub fn inline_with(
        &self,
        block: Blk<'c>,
        arguments: &[(usize, Val<'c>)],
        known: &dyn Fn(Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let mut copies: BTreeMap<usize, Val<'c>> = arguments
            .iter()
            .map(|(i, v)| (key(argument(block, *i)), *v))
            .collect();
        let all = ops(block);
        let Some((last, rest)) = all.split_last() else {
            return Vec::new();
        };
        for op in rest {
            let made = known(*op).unwrap_or_else(|| {
                let copy = self.insert(copy(*op));
                for inner in walk(copy) {
                    for (i, operand) in operands(inner).into_iter().enumerate() {
                        if let Some(new) = copies.get(&key(operand)) {
                            set_operand(inner, i, *new);
                        }
                    }
                }
                results(copy)
            });
            copies.extend(results(*op).into_iter().map(key).zip(made));
        }
        operands(*last)
            .into_iter()
            .map(|v| copies.get(&key(v)).copied().unwrap_or(v))
            .collect()
    }

    /// Copies `op` with operands `inputs`, and returns the results of the copy. The op must have no
    /// regions.
    pub fn copy_with(&self, op: Op<'c>, inputs: &[Val<'c>]) -> Vec<Val<'c>> {
        let copy = self.insert(copy(op));
        for (i, input) in inputs.iter().enumerate() {
            set_operand(copy, i, *input);
        }
        results(copy)
    }

    /// Creates a region of one block with arguments of types `arguments`. The values that `body`
    /// returns become the operands of the terminator.
    pub fn region_of(
        &self,
        arguments: &[Type<'c>],
        terminator: &str,
        body: impl FnOnce(&Self, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Region<'c> {
        let types: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        let region = Region::new();
        let made = region.append_block(Block::new(&types));
        // SAFETY: the block belongs to the region, which is returned and outlives this use.
        let made = unsafe { Blk::from_raw(made.to_raw()) };
        let inner = self.inside(made);
        let arguments: Vec<Val<'c>> = (0..types.len()).map(|i| argument(made, i)).collect();
        let results = body(&inner, &arguments);
        inner.create(terminator).operands(&results).build();
        region
    }

    /// Creates a region whose only block is a copy of `block`.
    pub fn copy_of(&self, block: Blk<'c>) -> Region<'c> {
        let types: Vec<Type<'c>> = (0..block.argument_count())
            .map(|i| argument(block, i).r#type())
            .collect();
        let terminator = ops(block).last().map_or("tile.yield", |last| name(*last));
        self.region_of(&types, terminator, |b, arguments| {
            b.inline(block, arguments)
        })
    }

    /// Emits a binary op whose result has the type of its operands.
    pub fn binary(&self, name: &str, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.create(name)
            .operands(&[left, right])
            .result(left.r#type())
            .value()
    }

    fn fold(
        &self,
        name: &str,
        left: Index<'c>,
        right: Index<'c>,
        known: impl Fn(i64, i64) -> Option<i64>,
    ) -> Index<'c> {
        if let (Index::Const(l), Index::Const(r)) = (left, right)
            && let Some(n) = known(l, r)
        {
            return Index::Const(n);
        }
        Index::Val(self.binary(name, self.value(left), self.value(right)))
    }

    /// Emits or folds `left + right`.
    pub fn add(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (Index::Const(0), x) | (x, Index::Const(0)) => x,
            _ => self.fold("arith.addi", left, right, i64::checked_add),
        }
    }

    /// Emits or folds `left - right`.
    pub fn sub(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(0)) => x,
            (Index::Val(l), Index::Val(r)) if l == r => Index::Const(0),
            _ => self.fold("arith.subi", left, right, i64::checked_sub),
        }
    }

    /// Emits or folds `left * right`.
    pub fn mul(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (Index::Const(0), _) | (_, Index::Const(0)) => Index::Const(0),
            (Index::Const(1), x) | (x, Index::Const(1)) => x,
            _ => self.fold("arith.muli", left, right, i64::checked_mul),
        }
    }

    /// Emits or folds `left / right` of non-negative indices, rounded down.
    pub fn div(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(1)) => x,
            _ => self.fold("arith.divui", left, right, i64::checked_div),
        }
    }

    /// Emits or folds `left % right` of non-negative indices.
    pub fn rem(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (_, Index::Const(1)) => Index::Const(0),
            _ => self.fold("arith.remui", left, right, i64::checked_rem),
        }
    }

    /// Emits or folds `left / right` of non-negative indices, rounded up.
    pub fn ceildiv(&self, left: Index<'c>, right: Index<'c>) -> Index<'c> {
        match (left, right) {
            (x, Index::Const(1)) => x,
            (Index::Const(l), Index::Const(r)) if r > 0 => Index::Const((l + r - 1) / r),
            _ => Index::Val(self.binary("arith.ceildivui", self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `left < right` of non-negative indices.
    pub fn less(&self, left: Index<'c>, right: Index<'c>) -> Cond<'c> {
        match (left, right) {
            (Index::Const(l), Index::Const(r)) => Cond::Const(l < r),
            (_, Index::Const(0)) => Cond::Const(false),
            _ => Cond::Val(self.compare(Predicate::Ult, self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `left == right`.
    pub fn equal(&self, left: Index<'c>, right: Index<'c>) -> Cond<'c> {
        match (left, right) {
            (Index::Const(l), Index::Const(r)) => Cond::Const(l == r),
            _ => Cond::Val(self.compare(Predicate::Eq, self.value(left), self.value(right))),
        }
    }

    /// Emits or folds `!condition`.
    pub fn negate(&self, condition: Cond<'c>) -> Cond<'c> {
        match condition {
            Cond::Const(c) => Cond::Const(!c),
            Cond::Val(v) => Cond::Val(self.not(v)),
        }
    }

    /// Emits or folds `left && right`.
    pub fn and(&self, left: Cond<'c>, right: Cond<'c>) -> Cond<'c> {
        match (left, right) {
            (Cond::Const(false), _) | (_, Cond::Const(false)) => Cond::Const(false),
            (Cond::Const(true), x) | (x, Cond::Const(true)) => x,
            (Cond::Val(l), Cond::Val(r)) => Cond::Val(self.binary("arith.andi", l, r)),
        }
    }

    /// Emits an `arith.cmpi` of scalars.
    pub fn compare(&self, predicate: Predicate, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.create("arith.cmpi")
            .attr("predicate", i64_attribute(self.context, predicate as i64))
            .operands(&[left, right])
            .result(self.int_type(1))
            .value()
    }

    /// Emits an `arith.cmpi` of integers or integer vectors; `predicate` is MLIR's encoding.
    pub fn compare_ints(&self, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare_as("arith.cmpi", predicate, left, right)
    }

    /// Emits an `arith.cmpf` of floats or float vectors; `predicate` is MLIR's encoding.
    pub fn compare_floats(&self, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare_as("arith.cmpf", predicate, left, right)
    }

    fn compare_as(&self, op: &str, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        let truth = self.int_type(1);
        let ty = match vector_parts(left.r#type()) {
            Some((lanes, _)) => Type::vector(&[lanes], truth),
            None => truth,
        };
        self.create(op)
            .attr("predicate", i64_attribute(self.context, predicate))
            .operands(&[left, right])
            .result(ty)
            .value()
    }

    /// Emits the negation of an `i1`.
    pub fn not(&self, value: Val<'c>) -> Val<'c> {
        self.binary("arith.xori", value, self.int(1, self.int_type(1)))
    }

    /// Emits or folds an `arith.select`.
    pub fn select(&self, condition: Cond<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        match condition {
            Cond::Const(true) => yes,
            Cond::Const(false) => no,
            Cond::Val(c) => self
                .create("arith.select")
                .operands(&[c, yes, no])
                .result(yes.r#type())
                .value(),
        }
    }

    /// Emits or folds an `arith.select` of two indices.
    pub fn select_index(&self, condition: Cond<'c>, yes: Index<'c>, no: Index<'c>) -> Index<'c> {
        match condition {
            Cond::Const(true) => yes,
            Cond::Const(false) => no,
            Cond::Val(_) => Index::Val(self.select(condition, self.value(yes), self.value(no))),
        }
    }

    /// Emits an `arith.index_cast` to or from `index`.
    pub fn index_cast(&self, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        if value.r#type() == ty {
            return value;
        }
        self.create("arith.index_cast")
            .operands(&[value])
            .result(ty)
            .value()
    }

    /// Emits an `arith.index_castui` to or from `index`.
    pub fn index_castui(&self, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        self.create("arith.index_castui")
            .operands(&[value])
            .result(ty)
            .value()
    }

    /// Emits an `scf.for` over `from..to` with iteration arguments `inits`. Returns the results of
    /// the loop. If the trip count is a constant 0 or 1, no loop is emitted.
    pub fn for_loop(
        &self,
        from: Index<'c>,
        to: Index<'c>,
        step: Index<'c>,
        inits: &[Val<'c>],
        body: impl FnOnce(&Self, Index<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        if let (Index::Const(from), Index::Const(to), Index::Const(step)) = (from, to, step) {
            if from >= to {
                return inits.to_vec();
            }
            if from + step >= to {
                return body(self, Index::Const(from), inits);
            }
        }
        let types: Vec<Type<'c>> = inits.iter().map(|v| v.r#type()).collect();
        let arguments: Vec<_> = std::iter::once(self.index_type())
            .chain(types.iter().copied())
            .map(|t| (t, self.location))
            .collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let mut operands = vec![self.value(from), self.value(to), self.value(step)];
        operands.extend(inits);
        let op = self
            .create("scf.for")
            .operands(&operands)
            .results(&types)
            .region(region)
            .build();
        let block = blocks(op)[0];
        let inner = self.inside(block);
        let carried: Vec<Val<'c>> = (1..=inits.len()).map(|i| argument(block, i)).collect();
        let left = body(&inner, Index::Val(argument(block, 0)), &carried);
        inner.create("scf.yield").operands(&left).build();
        results(op)
    }

    /// Copies `op` with its regions; the copy has the operands of `op`.
    pub fn copy(&self, op: Op<'c>) -> Op<'c> {
        self.insert(copy(op))
    }

    /// Emits an `scf.if` without results. Returns one builder per branch, each of which inserts
    /// before the `scf.yield` of its branch.
    pub fn branches(&self, condition: Val<'c>) -> [Self; 2] {
        let region = || {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        };
        let op = self
            .create("scf.if")
            .operands(&[condition])
            .region(region())
            .region(region())
            .build();
        [0, 1].map(|branch| {
            let mut inner = self.inside(blocks(op)[branch]);
            inner.before = Some(inner.create("scf.yield").build());
            inner
        })
    }

    /// Emits or folds an `scf.if` without an else branch.
    pub fn if_then(&self, condition: Cond<'c>, then: impl FnOnce(&Self)) {
        let run = |b: &Self| {
            then(b);
            Vec::new()
        };
        self.branch(condition, &[], false, run, |_| Vec::new());
    }

    /// Emits or folds an `scf.if` with both branches and no results.
    pub fn if_then_else(
        &self,
        condition: Cond<'c>,
        then: impl FnOnce(&Self),
        otherwise: impl FnOnce(&Self),
    ) {
        let then = |b: &Self| {
            then(b);
            Vec::new()
        };
        let otherwise = |b: &Self| {
            otherwise(b);
            Vec::new()
        };
        self.branch(condition, &[], true, then, otherwise);
    }

    /// Emits or folds an `scf.if` with results of types `types`.
    pub fn if_else(
        &self,
        condition: Cond<'c>,
        types: &[Type<'c>],
        then: impl FnOnce(&Self) -> Vec<Val<'c>>,
        otherwise: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        self.branch(condition, types, !types.is_empty(), then, otherwise)
    }

    fn branch(
        &self,
        condition: Cond<'c>,
        types: &[Type<'c>],
        has_else: bool,
        then: impl FnOnce(&Self) -> Vec<Val<'c>>,
        otherwise: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let condition = match condition {
            Cond::Const(true) => return then(self),
            Cond::Const(false) => return otherwise(self),
            Cond::Val(c) => c,
        };
        let (yes, no) = (Region::new(), Region::new());
        yes.append_block(Block::new(&[]));
        if has_else {
            no.append_block(Block::new(&[]));
        }
        let op = self
            .create("scf.if")
            .operands(&[condition])
            .results(types)
            .region(yes)
            .region(no)
            .build();
        let made = blocks(op);
        let inner = self.inside(made[0]);
        let values = then(&inner);
        inner.create("scf.yield").operands(&values).build();
        if let Some(block) = made.get(1) {
            let inner = self.inside(*block);
            let values = otherwise(&inner);
            inner.create("scf.yield").operands(&values).build();
        }
        results(op)
    }
}

/// Returns block argument `index`.
///
/// # Panics
/// Panics if the block has no argument with this index.
pub fn argument<'c>(block: Blk<'c>, index: usize) -> Val<'c> {
    block
        .argument(index)
        .expect("the block has this argument")
        .into()
}

/// Op under construction.
#[must_use = "the op is not created before `build`"]
pub struct Create<'b, 'n, 'c> {
    builder: &'b Builder<'c>,
    name: &'n str,
    operands: Vec<Val<'c>>,
    results: Vec<Type<'c>>,
    attributes: Vec<(Identifier<'c>, Attribute<'c>)>,
    regions: Vec<Region<'c>>,
}

impl<'c> Create<'_, '_, 'c> {
    /// Adds operands.
    pub fn operands(mut self, operands: &[Val<'c>]) -> Self {
        self.operands.extend(operands);
        self
    }

    /// Adds a result.
    pub fn result(mut self, ty: Type<'c>) -> Self {
        self.results.push(ty);
        self
    }

    /// Adds results.
    pub fn results(mut self, types: &[Type<'c>]) -> Self {
        self.results.extend(types);
        self
    }

    /// Adds the attribute `name`.
    pub fn attr(mut self, name: &str, value: Attribute<'c>) -> Self {
        self.attributes
            .push((Identifier::new(self.builder.context, name), value));
        self
    }

    /// Adds the unit attribute `name`.
    pub fn unit(self, name: &str) -> Self {
        let value = Attribute::unit(self.builder.context);
        self.attr(name, value)
    }

    /// Adds a boolean attribute.
    pub fn boolean(self, name: &str, value: bool) -> Self {
        let value = BoolAttribute::new(self.builder.context, value).into();
        self.attr(name, value)
    }

    /// Adds a string attribute.
    pub fn string(self, name: &str, value: &str) -> Self {
        let value = StringAttribute::new(self.builder.context, value).into();
        self.attr(name, value)
    }

    /// Adds an `array<i64: …>` attribute.
    pub fn i64s(self, name: &str, values: &[i64]) -> Self {
        let value = crate::ir::i64_array(self.builder.context, values);
        self.attr(name, value)
    }

    /// Adds an attribute that is given as MLIR text. The function serves dialects without an
    /// attribute builder.
    pub fn attr_text(self, name: &str, text: &str) -> Self {
        let value = self.builder.attribute(text);
        self.attr(name, value)
    }

    /// Adds `operandSegmentSizes`: the number of operands in each operand group.
    pub fn segments(self, sizes: &[usize]) -> Self {
        let sizes: Vec<i64> = sizes
            .iter()
            .map(|n| i64::try_from(*n).unwrap_or(0))
            .collect();
        let value = crate::ir::i32_array(self.builder.context, &sizes);
        self.attr("operandSegmentSizes", value)
    }

    /// Adds an attribute that contains a type.
    pub fn attr_type(self, name: &str, ty: Type<'c>) -> Self {
        self.attr(name, TypeAttribute::new(ty).into())
    }

    /// Adds a region.
    pub fn region(mut self, region: Region<'c>) -> Self {
        self.regions.push(region);
        self
    }

    /// Creates the op.
    ///
    /// # Panics
    /// Panics if MLIR cannot create the op. The panic indicates a bug of the caller.
    pub fn build(self) -> Op<'c> {
        let op = OperationBuilder::new(self.name, self.builder.location)
            .add_operands(&self.operands)
            .add_results(&self.results)
            .add_attributes(&self.attributes)
            .add_regions_vec(self.regions)
            .build()
            .unwrap_or_else(|e| panic!("`{}` could not be created: {e}", self.name));
        self.builder.insert(op)
    }

    /// Creates the op, and returns its first result.
    ///
    /// # Panics
    /// Panics if the op has no results.
    pub fn value(self) -> Val<'c> {
        results(self.build())[0]
    }
}
