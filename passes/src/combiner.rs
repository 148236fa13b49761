//! A combiner consists of the identity, the initial value and the combine operation of a reduction
//! kind for an element type, as `arith` ops.
//!
//! A partial result consists of one or more components. For `argmax` and `argmin`, the components
//! of a partial result are a value and its index. For `custom`, a partial result has one component
//! for each source. For every reduction kind except `argmax`, `argmin` and `custom`, the only
//! component of a partial result is a value.

use crate::elementary::{self, Narrow};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, Type, ValueLike};
use tx_dialect_tile::{AllReduce, Kind, Nan, Reduce};
use tx_mlir::build::Cond;
use tx_mlir::{Blk, Builder, Index, Op, Val, byte_width, vector_parts};
use tx_scalar::Float;

/// Integer encodings of `arith.cmpf` predicates.
#[derive(Clone, Copy)]
enum FloatPredicate {
    Equal = 1,
    Ordered = 7,
    GreaterOrUnordered = 9,
    LessOrUnordered = 11,
    Unordered = 14,
}

/// Integer encodings of `arith.cmpi` predicates.
#[derive(Clone, Copy)]
enum IntPredicate {
    Equal = 0,
    Less = 2,
    Greater = 4,
}

#[derive(Clone)]
enum Combine<'c> {
    /// One arith op.
    Op(&'static str),
    /// The combine operation of `argmax` or `argmin`. The operation selects the pair with the
    /// larger (`argmax`) or smaller (`argmin`) value, and the pair with the lower index if both
    /// values are equal.
    Arg,
    /// The block of a combiner region, and the identity of each component.
    Region(Blk<'c>, Vec<Attribute<'c>>),
}

/// Encoding of a (value, index) pair as one unsigned number. The encoding of the winning pair is
/// the larger number. If two values are equal, the pair with the lower index wins.
#[derive(Clone, Copy)]
struct Packing {
    kind: Kind,
    nan: Nan,
    /// Number of bits of the value in a packed pair of 32 bits; the remaining bits contain the
    /// index.
    bits: u32,
}

/// A reduction kind with the types of its partial results.
#[derive(Clone)]
pub struct Combiner<'c> {
    kind: Kind,
    nan: Nan,
    types: Vec<Type<'c>>,
    combine: Combine<'c>,
    packing: Option<Packing>,
}

impl<'c> Combiner<'c> {
    /// Returns the combiner of a `tile.reduce`.
    ///
    /// # Errors
    /// Returns an error message that names the unsupported reduction kind or element type.
    pub fn of_reduce(view: &Reduce<'c>) -> Result<Self, String> {
        let types = view.accumulators().ok_or("the op was not verified")?;
        Self::new(view.op, view.kind, view.nan, types)
    }

    /// Returns the combiner of a `tile.all_reduce`.
    ///
    /// # Errors
    /// Returns an error message that names the unsupported reduction kind or element type.
    pub fn of_all_reduce(view: &AllReduce<'c>) -> Result<Self, String> {
        let types = view.accumulators().ok_or("the op was not verified")?;
        Self::new(view.op, view.kind, view.nan, types)
    }

    fn new(op: Op<'c>, kind: Kind, nan: Nan, types: Vec<Type<'c>>) -> Result<Self, String> {
        if let Some(narrow) = types.iter().find(|t| is_f8(**t)) {
            return Err(format!(
                "partial results of type `{narrow}` are not defined"
            ));
        }
        let combine = match kind {
            Kind::Custom => {
                let block = tx_mlir::blocks(op).first().copied();
                let identities = tx_mlir::attribute(op, "identities").and_then(tx_mlir::elements);
                match (block, identities) {
                    (Some(block), Some(identities)) => Combine::Region(block, identities),
                    _ => return Err("the op was not verified".to_owned()),
                }
            }
            kind if kind.is_arg() => Combine::Arg,
            kind => Combine::Op(
                arith(kind, nan, types[0])
                    .ok_or_else(|| format!("`{kind}` of `{}` is not defined", types[0]))?,
            ),
        };
        Ok(Self {
            kind,
            nan,
            types,
            combine,
            packing: None,
        })
    }

    /// Returns the combiner of `argmax` or `argmin` on packed pairs. A packed pair encodes a value
    /// and its index as one 32-bit number, and the combiner is the unsigned maximum.
    ///
    /// # Errors
    /// Fails if the kind has no index, or if a value of type `element` and an index below `length`
    /// together need more than 32 bits.
    pub fn packed(&self, element: Type<'c>, length: u64) -> Result<Self, String> {
        if !self.kind.is_arg() {
            return Err(format!("`{}` has no index", self.kind));
        }
        let bits = match byte_width(element) {
            Some(bytes @ 1..=2) => u32::try_from(bytes).unwrap_or(2) * 8,
            _ => return Err(format!("elements are `{element}`, expected 8 or 16 bits")),
        };
        let most = 1u64 << (32 - bits);
        if length > most {
            return Err(format!(
                "length {length}, expected at most {most} for a 32-bit key with {bits} bits of \
                 value"
            ));
        }
        let key = IntegerType::new(tx_mlir::context_of(element), 32).into();
        Ok(Self {
            kind: Kind::UMax,
            nan: self.nan,
            types: vec![key],
            combine: Combine::Op("arith.maxui"),
            packing: Some(Packing {
                kind: self.kind,
                nan: self.nan,
                bits,
            }),
        })
    }

    /// Returns this combiner, with `ty` as the type of its only component.
    #[must_use]
    pub fn in_type(&self, ty: Type<'c>) -> Self {
        self.with_types(vec![ty])
    }

    /// Returns this combiner. If the indices of this combiner are wider than 32 bits, the returned
    /// combiner has 32-bit indices.
    #[must_use]
    pub fn with_short_index(&self) -> Self {
        match (&self.combine, self.types.as_slice()) {
            (Combine::Arg, [value, index]) if byte_width(*index) > Some(4) => {
                let short = IntegerType::new(tx_mlir::context_of(*index), 32).into();
                self.with_types(vec![*value, short])
            }
            _ => self.clone(),
        }
    }

    /// Returns the index in a packed pair.
    pub fn packed_index(&self, b: &Builder<'c>, key: Val<'c>) -> Val<'c> {
        let Some(packing) = self.packing else {
            return key;
        };
        let mask = b.int(packing.index_mask(), self.types[0]);
        b.binary("arith.subi", mask, b.binary("arith.andi", key, mask))
    }

    /// Kind of the reduction.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// NaN policy.
    pub fn nan(&self) -> Nan {
        self.nan
    }

    /// Types of the components of a partial result.
    pub fn types(&self) -> &[Type<'c>] {
        &self.types
    }

    /// Returns the `arith` op that combines two partial results, or two vectors of partial results;
    /// `None` if one op does not suffice.
    pub fn op(&self) -> Option<&'static str> {
        match self.combine {
            Combine::Op(op) => Some(op),
            _ => None,
        }
    }

    /// Returns the region block and the identities of a `custom` combiner; `None` for other kinds.
    pub fn region(&self) -> Option<(Blk<'c>, &[Attribute<'c>])> {
        match &self.combine {
            Combine::Region(block, identities) => Some((*block, identities)),
            _ => None,
        }
    }

    /// Returns the approximate number of ops that combine two partial results.
    pub fn weight(&self) -> i64 {
        match &self.combine {
            Combine::Op(_) => 1,
            Combine::Arg => 8,
            Combine::Region(block, _) => {
                let weight = |op| elementary::weight(op, Narrow::default());
                tx_mlir::ops(*block).into_iter().map(weight).sum()
            }
        }
    }

    #[must_use]
    fn with_types(&self, types: Vec<Type<'c>>) -> Self {
        Self {
            types,
            ..self.clone()
        }
    }

    /// Combines two partial results.
    pub fn combine(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        match &self.combine {
            Combine::Op(op) => vec![b.binary(op, left[0], right[0])],
            Combine::Arg => self.better(b, left, right),
            Combine::Region(block, _) => b.inline(*block, &[left, right].concat()),
        }
    }

    /// Combines two partial results; all elements combined in `later` must have higher indices than
    /// the elements combined in `earlier`. If the value in `earlier` equals the value in `later`,
    /// `earlier` wins without a comparison of indices. In `argmax` and `argmin`, the index in
    /// `earlier` must be the index of an element, not the initial index of [`Self::start`] (see
    /// [`Self::start_at`]).
    pub fn combine_later(
        &self,
        b: &Builder<'c>,
        earlier: &[Val<'c>],
        later: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let Combine::Arg = self.combine else {
            return self.combine(b, earlier, later);
        };
        let wins = Cond::Val(self.beyond(b, earlier[0], later[0]));
        let pairs = earlier.iter().zip(later);
        pairs.map(|(l, r)| b.select(wins, *r, *l)).collect()
    }

    /// Combines partial results as a binary tree of adjacent pairs. If the list of partial results
    /// is empty, returns the initial value.
    pub fn combine_all(&self, b: &Builder<'c>, partials: Vec<Vec<Val<'c>>>) -> Vec<Val<'c>> {
        let mut level = partials;
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => self.combine(b, left, right),
                    _ => pair[0].clone(),
                })
                .collect();
        }
        level.pop().unwrap_or_else(|| self.start(b))
    }

    /// Emits the condition that, in `argmax` or `argmin`, the value `r` wins over the value `l`.
    /// The condition does not depend on the indices of the two values.
    fn beyond(&self, b: &Builder<'c>, l: Val<'c>, r: Val<'c>) -> Val<'c> {
        let max = self.kind == Kind::ArgMax;
        if !self.types[0].is_float() {
            let predicate = if max {
                IntPredicate::Greater
            } else {
                IntPredicate::Less
            };
            return b.compare_ints(predicate as i64, r, l);
        }
        let predicate = if max {
            FloatPredicate::GreaterOrUnordered
        } else {
            FloatPredicate::LessOrUnordered
        };
        let beyond = b.compare_floats(predicate as i64, r, l);
        // If exactly one value is NaN, the NaN policy decides which value wins.
        let nan = match self.nan {
            Nan::Propagate => l,
            Nan::Ignore => r,
        };
        let number = b.compare_floats(FloatPredicate::Ordered as i64, nan, nan);
        b.binary("arith.andi", beyond, number)
    }

    /// Emits ops that select the winning (value, index) pair.
    fn better(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        let (l, r) = (left[0], right[0]);
        let beyond = self.beyond(b, l, r);
        let tie = if self.types[0].is_float() {
            let nan = |v| b.compare_floats(FloatPredicate::Unordered as i64, v, v);
            let both_nan = b.binary("arith.andi", nan(l), nan(r));
            let equal = b.compare_floats(FloatPredicate::Equal as i64, r, l);
            b.binary("arith.ori", equal, both_nan)
        } else {
            b.compare_ints(IntPredicate::Equal as i64, r, l)
        };
        let earlier = b.compare_ints(IntPredicate::Less as i64, right[1], left[1]);
        let tie = b.binary("arith.andi", tie, earlier);
        let wins = Cond::Val(b.binary("arith.ori", beyond, tie));
        left.iter()
            .zip(right)
            .map(|(l, r)| b.select(wins, *r, *l))
            .collect()
    }

    /// Emits the result of an empty reduction.
    pub fn identity(&self, b: &Builder<'c>) -> Vec<Val<'c>> {
        match &self.combine {
            Combine::Region(_, identities) => identities
                .iter()
                .zip(&self.types)
                .map(|(i, t)| b.constant(*i, *t))
                .collect(),
            Combine::Arg => vec![scalar(b, self.kind, self.types[0]), b.int(0, self.types[1])],
            Combine::Op(_) => vec![scalar(b, self.kind, self.types[0])],
        }
    }

    /// Emits the initial value of an accumulator. Combining the initial value with a partial result
    /// leaves the bits of the partial result unchanged.
    ///
    /// The initial value is the identity, with three exceptions. The initial value of a float sum
    /// is -0.0, because the addition of +0.0 would change a sum of -0.0 to +0.0. The initial value
    /// of a maximum or minimum that ignores NaN is NaN, so the result is NaN only if all elements
    /// are NaN. The initial index of `argmax` and `argmin` is the maximum integer.
    pub fn start(&self, b: &Builder<'c>) -> Vec<Val<'c>> {
        let value = |ty: Type<'c>| {
            if ty.is_float() && self.kind == Kind::Sum {
                b.float(-0.0, ty)
            } else if self.starts_with_nan() {
                b.float(f64::NAN, ty)
            } else {
                scalar(b, self.kind, ty)
            }
        };
        match &self.combine {
            Combine::Region(..) => self.identity(b),
            Combine::Op(_) => vec![value(self.types[0])],
            Combine::Arg => vec![
                value(self.types[0]),
                b.int(extreme(self.types[1], false), self.types[1]),
            ],
        }
    }

    /// Emits the initial value of the accumulator of a thread that combines its elements in
    /// ascending order, from element index `first` on. If no element wins over the initial value,
    /// [`Self::combine_later`] keeps the index `first`.
    pub fn start_at(&self, b: &Builder<'c>, first: Index<'c>) -> Vec<Val<'c>> {
        let mut start = self.start(b);
        if let (Combine::Arg, [_, index]) = (&self.combine, start.as_mut_slice()) {
            *index = match first {
                Index::Const(n) => b.int(n, self.types[1]),
                Index::Val(v) => b.index_cast(v, self.types[1]),
            };
        }
        start
    }

    fn starts_with_nan(&self) -> bool {
        let selects = self.kind.is_arg() || matches!(self.kind, Kind::Max | Kind::Min);
        self.types[0].is_float() && self.nan == Nan::Ignore && selects
    }

    /// Returns whether [`Self::start`] differs from [`Self::identity`].
    pub fn start_is_not_identity(&self) -> bool {
        let sum = self.types[0].is_float() && self.kind == Kind::Sum;
        self.kind.is_arg() || sum || self.starts_with_nan()
    }

    /// Converts a scalar or a vector to the type of component `part` of a partial result.
    pub fn widen(&self, b: &Builder<'c>, part: usize, value: Val<'c>) -> Val<'c> {
        let unsigned = matches!(
            self.kind,
            Kind::UMax | Kind::UMin | Kind::And | Kind::Or | Kind::Xor
        );
        convert(b, value, self.types[part], unsigned)
    }

    /// Converts the source elements at one index to a partial result. The closure `index` emits the
    /// index along the reduced dimensions; the function calls the closure only for `argmax` and
    /// `argmin`.
    pub fn partial(
        &self,
        b: &Builder<'c>,
        elements: &[Val<'c>],
        index: impl FnOnce(&Builder<'c>, Type<'c>) -> Val<'c>,
    ) -> Vec<Val<'c>> {
        if let Some(packing) = self.packing {
            let index = index(b, self.types[0]);
            return vec![packing.pack(b, elements[0], index)];
        }
        let mut parts: Vec<Val<'c>> = elements
            .iter()
            .enumerate()
            .map(|(i, e)| self.widen(b, i, *e))
            .collect();
        if self.kind.is_arg() {
            parts.push(index(b, self.types[1]));
        }
        parts
    }

    /// Combines `partial` with the previous values of the destination.
    ///
    /// If the previous value has a wider type than the partial result, the function combines both
    /// values in the wider type. The function never converts the previous value to a narrower type.
    pub fn accumulate(
        &self,
        b: &Builder<'c>,
        old: &[Val<'c>],
        partial: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let types = self
            .types
            .iter()
            .zip(old)
            .map(|(t, o)| {
                let wider = byte_width(o.r#type()) > byte_width(*t);
                if wider { o.r#type() } else { *t }
            })
            .collect();
        let last = self.with_types(types);
        let widen = |values: &[Val<'c>]| -> Vec<Val<'c>> {
            values
                .iter()
                .enumerate()
                .map(|(i, v)| last.widen(b, i, *v))
                .collect()
        };
        last.combine(b, &widen(old), &widen(partial))
    }

    /// Converts each of `values` to the type of the value at the same position in `like`.
    pub fn widen_all(&self, b: &Builder<'c>, values: &[Val<'c>], like: &[Val<'c>]) -> Vec<Val<'c>> {
        let types: Vec<Type<'c>> = like.iter().map(|v| v.r#type()).collect();
        self.narrow(b, values, &types)
    }

    /// Converts partial results to elements of the given types.
    pub fn narrow(&self, b: &Builder<'c>, partial: &[Val<'c>], types: &[Type<'c>]) -> Vec<Val<'c>> {
        partial
            .iter()
            .zip(types)
            .map(|(v, t)| convert(b, *v, *t, false))
            .collect()
    }
}

impl Packing {
    fn index_mask(self) -> i64 {
        (1 << (32 - self.bits)) - 1
    }

    fn pack<'c>(self, b: &Builder<'c>, value: Val<'c>, index: Val<'c>) -> Val<'c> {
        let (key, narrow) = (b.int_type(32), b.int_type(self.bits));
        let sign = extreme(narrow, true);
        let float = value.r#type().is_float();
        let bits = if float {
            b.create("arith.bitcast")
                .operands(&[value])
                .result(narrow)
                .value()
        } else {
            value
        };
        let mut ordered = b.binary("arith.xori", bits, b.int(sign, narrow));
        if float {
            // Flips all bits of a negative number, so that integer order equals float order. -0.0
            // becomes +0.0.
            let zero = b.int(0, narrow);
            let negative = b.compare_ints(IntPredicate::Less as i64, bits, zero);
            let flipped = b.binary("arith.xori", bits, b.int(-1, narrow));
            ordered = b.select(Cond::Val(negative), flipped, ordered);
            let minus_zero = b.compare_ints(IntPredicate::Equal as i64, bits, b.int(sign, narrow));
            ordered = b.select(Cond::Val(minus_zero), b.int(sign, narrow), ordered);
        }
        if self.kind == Kind::ArgMin {
            ordered = b.binary("arith.xori", ordered, b.int(-1, narrow));
        }
        if float {
            // LLVM has no arithmetic ops on 8-bit floats, so the bits of a value show whether the
            // value is NaN.
            let largest = match Float::of(value.r#type()) {
                Some(Float::F16) => 0x7c00,
                Some(Float::BF16) => 0x7f80,
                Some(Float::F8E5M2) => 0x7c,
                _ => 0x7e,
            };
            let magnitude = b.binary("arith.andi", bits, b.int(!sign, narrow));
            let is_nan = b.compare_ints(
                IntPredicate::Greater as i64,
                magnitude,
                b.int(largest, narrow),
            );
            let place = match self.nan {
                Nan::Propagate => -1,
                Nan::Ignore => 0,
            };
            ordered = b.select(Cond::Val(is_nan), b.int(place, narrow), ordered);
        }
        let wide = b
            .create("arith.extui")
            .operands(&[ordered])
            .result(key)
            .value();
        let high = b.binary("arith.shli", wide, b.int(i64::from(32 - self.bits), key));
        let low = b.binary("arith.subi", b.int(self.index_mask(), key), index);
        b.binary("arith.ori", high, low)
    }
}

fn arith(kind: Kind, nan: Nan, ty: Type<'_>) -> Option<&'static str> {
    let pick = |on_float: &'static str, on_int: &'static str| {
        let op = if ty.is_float() { on_float } else { on_int };
        (!op.is_empty()).then_some(op)
    };
    match (kind, nan) {
        (Kind::Sum, _) => pick("arith.addf", "arith.addi"),
        (Kind::Prod, _) => pick("arith.mulf", "arith.muli"),
        (Kind::Max, Nan::Propagate) => pick("arith.maximumf", "arith.maxsi"),
        (Kind::Max, Nan::Ignore) => pick("arith.maxnumf", "arith.maxsi"),
        (Kind::Min, Nan::Propagate) => pick("arith.minimumf", "arith.minsi"),
        (Kind::Min, Nan::Ignore) => pick("arith.minnumf", "arith.minsi"),
        (Kind::UMax, _) => pick("", "arith.maxui"),
        (Kind::UMin, _) => pick("", "arith.minui"),
        (Kind::And, _) => pick("", "arith.andi"),
        (Kind::Or, _) => pick("", "arith.ori"),
        (Kind::Xor, _) => pick("", "arith.xori"),
        (Kind::ArgMax | Kind::ArgMin | Kind::Custom, _) => None,
    }
}

fn extreme(ty: Type<'_>, least: bool) -> i64 {
    let bits = tx_mlir::integer_width(ty).unwrap_or(64);
    let extreme = if least { i64::MIN } else { i64::MAX };
    extreme >> (64 - bits)
}

fn scalar<'c>(b: &Builder<'c>, kind: Kind, ty: Type<'c>) -> Val<'c> {
    if ty.is_float() {
        let value = match kind {
            Kind::Prod => 1.0,
            Kind::Max | Kind::ArgMax => f64::NEG_INFINITY,
            Kind::Min | Kind::ArgMin => f64::INFINITY,
            _ => 0.0,
        };
        return b.float(value, ty);
    }
    let value = match kind {
        Kind::Prod => 1,
        Kind::Max | Kind::ArgMax => extreme(ty, true),
        Kind::Min | Kind::ArgMin => extreme(ty, false),
        Kind::UMin | Kind::And => -1,
        _ => 0,
    };
    b.constant(IntegerAttribute::new(ty, value).into(), ty)
}

fn is_f8(ty: Type<'_>) -> bool {
    ty.is_float() && byte_width(ty) == Some(1)
}

fn convert<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>, unsigned: bool) -> Val<'c> {
    let (lanes, from) = match vector_parts(value.r#type()) {
        Some((lanes, element)) => (Some(lanes), element),
        None => (None, value.r#type()),
    };
    if from == ty {
        return value;
    }
    let shaped = |ty: Type<'c>| lanes.map_or(ty, |n| Type::vector(&[n], ty));
    // `i1` and `i8` occupy one byte each, so the function also compares the widths in bits.
    let bits = |ty: Type<'c>| tx_mlir::integer_width(ty).unwrap_or(0);
    let wider = (byte_width(ty), bits(ty)) > (byte_width(from), bits(from));
    let op = match (ty.is_float(), wider) {
        // f16 and bf16 have equal widths, but neither contains all values of the other.
        (true, false) if byte_width(ty) == byte_width(from) => {
            let single = convert(b, value, tx_mlir::f32_of(ty), unsigned);
            return convert(b, single, ty, unsigned);
        }
        (true, true) => "arith.extf",
        (true, false) => "arith.truncf",
        (false, true) if unsigned => "arith.extui",
        (false, true) => "arith.extsi",
        (false, false) => "arith.trunci",
    };
    b.create(op).operands(&[value]).result(shaped(ty)).value()
}
