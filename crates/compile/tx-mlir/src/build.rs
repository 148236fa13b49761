//! Op builder with structured control flow and index arithmetic. The builder folds constants, so
//! that the emitted IR is readable.
//!
//! [`Builder`] creates ops at an insertion point. The modules `index`, `control` and `regions`
//! implement the methods of [`Builder`] for index arithmetic, structured control flow, and copies
//! of ops and blocks.

mod control;
mod index;
mod regions;

pub use index::{Cond, Index, Predicate};

use crate::ir::{Blk, Op, Val, context, key, parse_attribute, results, vector_parts};
use melior::Context;
use melior::ir::attribute::{
    AttributeLike, BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, Identifier, Location, Region, Type, ValueLike};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Builder that creates ops at one insertion point, with one location for all ops.
pub struct Builder<'c> {
    context: &'c Context,
    block: Blk<'c>,
    before: Option<Op<'c>>,
    location: Location<'c>,
    /// Constants and memref sizes that the builder and its parent builders have emitted. A builder
    /// only appends ops, so the stored constants and sizes dominate every op that the builder emits
    /// after them.
    constants: RefCell<BTreeMap<ReuseKey, Val<'c>>>,
}

/// Key of a constant or a memref size in `Builder::constants`. For each key, a builder emits only
/// one op, and reuses the result of the op.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ReuseKey {
    /// Constant, identified by the addresses of its uniqued attribute and its uniqued type.
    Constant(usize, usize),
    /// Size of a memref dimension, identified by the [`key`] of the memref and by the index of the
    /// dimension.
    Size(usize, usize),
}

impl<'c> Builder<'c> {
    /// Creates a builder that inserts ops before `op`; the inserted ops have the location of `op`.
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

    /// Creates a builder that inserts ops with the location `location` at the start of `block`.
    pub fn at_start(context: &'c Context, block: Blk<'c>, location: Location<'c>) -> Self {
        Self {
            context,
            block,
            before: block.first_operation(),
            location,
            constants: RefCell::default(),
        }
    }

    /// Creates a builder that inserts ops with the location `location` at the end of `block`.
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

    /// Returns a copy of the builder that creates ops with the location `location`.
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

    /// Parses the text of an attribute. The text must be a valid MLIR attribute.
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

    /// Emits an `arith.constant`, or returns an equal constant that dominates the insertion point.
    pub fn constant(&self, value: Attribute<'c>, ty: Type<'c>) -> Val<'c> {
        let key = ReuseKey::Constant(value.to_raw().ptr as usize, ty.to_raw().ptr as usize);
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

    /// Emits a `memref.dim` of dimension `place` of `memref`, or returns the result of an equal
    /// `memref.dim` that dominates the insertion point.
    pub fn dim(&self, memref: Val<'c>, place: usize) -> Val<'c> {
        let key = ReuseKey::Size(key(memref), place);
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

    /// Emits a binary op whose result has the type of its operands.
    pub fn binary(&self, name: &str, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.create(name)
            .operands(&[left, right])
            .result(left.r#type())
            .value()
    }
}

/// Returns block argument `index`.
///
/// # Panics
/// Panics if `block` has no argument with the index `index`.
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

    /// Adds the attribute `name` to the op.
    pub fn attr(mut self, name: &str, value: Attribute<'c>) -> Self {
        self.attributes
            .push((Identifier::new(self.builder.context, name), value));
        self
    }

    /// Adds the unit attribute `name` to the op.
    pub fn unit(self, name: &str) -> Self {
        let value = Attribute::unit(self.builder.context);
        self.attr(name, value)
    }

    /// Adds a boolean attribute to the op.
    pub fn boolean(self, name: &str, value: bool) -> Self {
        let value = BoolAttribute::new(self.builder.context, value).into();
        self.attr(name, value)
    }

    /// Adds a string attribute to the op.
    pub fn string(self, name: &str, value: &str) -> Self {
        let value = StringAttribute::new(self.builder.context, value).into();
        self.attr(name, value)
    }

    /// Adds an `array<i64: …>` attribute to the op.
    pub fn i64s(self, name: &str, values: &[i64]) -> Self {
        let value = crate::ir::i64_array(self.builder.context, values);
        self.attr(name, value)
    }

    /// Parses MLIR text, and adds the parsed attribute to the op. Callers use this method for
    /// attributes of dialects without an attribute builder in the C API.
    pub fn attr_text(self, name: &str, text: &str) -> Self {
        let value = self.builder.attribute(text);
        self.attr(name, value)
    }

    /// Adds to the op the attribute `operandSegmentSizes`: the number of operands in each operand
    /// group.
    pub fn segments(self, sizes: &[usize]) -> Self {
        let sizes: Vec<i64> = sizes
            .iter()
            .map(|n| i64::try_from(*n).unwrap_or(0))
            .collect();
        let value = crate::ir::i32_array(self.builder.context, &sizes);
        self.attr("operandSegmentSizes", value)
    }

    /// Adds to the op an attribute whose value is a type.
    pub fn attr_type(self, name: &str, ty: Type<'c>) -> Self {
        self.attr(name, TypeAttribute::new(ty).into())
    }

    /// Adds a region to the op.
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
