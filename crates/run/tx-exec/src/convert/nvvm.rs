//! Lowering of the operations of the NVVM dialect.

use super::{
    emit::Emitter,
    operation::{internal, operand, result_type, unsupported},
};
use crate::{
    fault::Error,
    happens_before::Fence,
    hook_interface::{ARRIVE_ONLY, REDUCTIONS, REGISTERS, fence_code},
    libm::F8,
    warp::{Redux, Shuffle, WarpOp},
};
use melior::ir::{
    Attribute, OperationRef, TypeLike, Value, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
};

/// Operations that the executor ignores: optimisation hints, and fences that order nothing in the
/// executor's memory model.
const FENCES: [&str; 5] = [
    "nvvm.fence.sc.cluster",
    "nvvm.fence.proxy",
    "nvvm.fence.mbarrier.init",
    "nvvm.nanosleep",
    "nvvm.prefetch",
];

/// Emits the replacement of an operation, and returns the value that replaces the result of the
/// operation.
pub(super) fn lower<'c, 'a>(
    emitter: &Emitter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    name: &str,
    site: i64,
) -> Result<Option<Value<'c, 'a>>, Error> {
    if let Some(register) = name.strip_prefix("nvvm.read.ptx.sreg.") {
        let number = REGISTERS
            .iter()
            .position(|&known| known == register)
            .ok_or_else(|| unsupported(operation, name))?;
        let number = emitter.constant(32, number as i64)?;
        let word = emitter.integer_type(32);
        let value = emitter.call("__tx_register", &[number], Some(word))?;
        if let (Some(value), Ok(range)) = (value, operation.attribute("range")) {
            let [lower, upper] =
                tx_mlir::constant_range(range).ok_or_else(|| unsupported(operation, name))?;
            let [lower, upper] = [emitter.constant(32, lower)?, emitter.constant(32, upper)?];
            let site = emitter.constant(32, site)?;
            emitter.call("__tx_range", &[value, lower, upper, site], None)?;
        }
        return Ok(value);
    }
    if FENCES.contains(&name) {
        return Ok(None);
    }
    let lowering = Lowering {
        emitter,
        operation,
        site,
    };
    match name {
        "nvvm.bar.warp.sync" => {
            lowering.warp(WarpOp::Sync, operand(operation, 0)?, None, None)?;
            Ok(None)
        }
        "nvvm.shfl.sync" => lowering.shuffle(),
        "nvvm.redux.sync" => lowering.redux(),
        "nvvm.vote.sync" => lowering.vote(),
        "nvvm.match.sync" => lowering.matching(),
        "nvvm.elect.sync" => lowering.elect(),
        "nvvm.barrier0" => lowering.barrier(None, None, 0, None).map(|_| None),
        "nvvm.barrier" => lowering.any_barrier(),
        "nvvm.barrier.arrive" => lowering.barrier_arrive(),
        "nvvm.cluster.arrive" => lowering.cluster_arrive(false),
        "nvvm.cluster.arrive.relaxed" => lowering.cluster_arrive(true),
        "nvvm.cluster.wait" => {
            let site = emitter.constant(32, site)?;
            emitter.call("__tx_cluster_wait", &[site], None)?;
            Ok(None)
        }
        "nvvm.convert.f32x2.to.f8x2" => lowering.round_f8(),
        "nvvm.convert.f8x2.to.f16x2" => lowering.widen_f8(),
        "nvvm.mapa" => lowering.mapa(),
        "nvvm.mbarrier.init" => lowering.mbarrier("__tx_mbarrier_init", None),
        "nvvm.mbarrier.arrive.expect_tx" => lowering.mbarrier("__tx_mbarrier_arrive", None),
        "nvvm.mbarrier.try_wait" => lowering.mbarrier("__tx_mbarrier_wait", Some(1)),
        "nvvm.memory.barrier" => {
            // The executor ignores fences of block or cluster scope.
            if matches!(lowering.keyword("scope"), "gpu" | "sys") {
                let both = emitter.constant(32, fence_code(Fence::BOTH).into())?;
                emitter.call("__tx_fence", &[both], None)?;
            }
            Ok(None)
        }
        "nvvm.exit" => {
            emitter.call("__tx_exit", &[], None)?;
            Ok(None)
        }
        _ => Err(unsupported(operation, name)),
    }
}

struct Lowering<'e, 'c, 'a> {
    emitter: &'e Emitter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    site: i64,
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// Returns the keyword of an enum attribute, or an empty string if the operation lacks the
    /// attribute.
    fn keyword(&self, attribute: &str) -> &'static str {
        let attribute = self.operation.attribute(attribute).ok();
        attribute.and_then(tx_mlir::enumerator).unwrap_or_default()
    }

    fn flag(&self, attribute: &str) -> bool {
        self.operation
            .attribute(attribute)
            .is_ok_and(|attribute| tx_mlir::integer_value(attribute).is_some_and(|n| n != 0))
    }

    fn unsupported(&self, what: &str) -> Error {
        unsupported(self.operation, what)
    }

    /// Emits the constant that identifies the 8-bit float format in the attribute `attribute`.
    /// Hooks take the constant that identifies the float format as an argument.
    fn format(&self, attribute: &str) -> Result<Value<'c, 'a>, Error> {
        let format = self
            .operation
            .attribute(attribute)
            .ok()
            .and_then(tx_mlir::type_value)
            .and_then(F8::of)
            .filter(|_| !self.flag("relu"))
            .ok_or_else(|| self.unsupported("a conversion with `relu` or of this type"))?;
        self.emitter.constant(32, format.code())
    }

    fn round_f8(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let (upper, lower) = (operand(self.operation, 0)?, operand(self.operation, 1)?);
        let arguments = [upper, lower, self.format("dstTy")?];
        let word = emitter
            .call("__tx_to_f8", &arguments, Some(emitter.integer_type(32)))?
            .ok_or_else(|| internal("a call without its result"))?;
        let pair = emitter.cast("llvm.trunc", word, emitter.integer_type(16))?;
        let pair = emitter.cast("llvm.bitcast", pair, result_type(self.operation)?)?;
        Ok(Some(pair))
    }

    fn widen_f8(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let pair = operand(self.operation, 0)?;
        let pair = emitter.cast("llvm.bitcast", pair, emitter.integer_type(16))?;
        let word = emitter.cast("llvm.zext", pair, emitter.integer_type(32))?;
        let arguments = [word, self.format("srcType")?];
        let word = emitter
            .call("__tx_from_f8", &arguments, Some(emitter.integer_type(32)))?
            .ok_or_else(|| internal("a call without its result"))?;
        let pair = emitter.cast("llvm.bitcast", word, result_type(self.operation)?)?;
        Ok(Some(pair))
    }

    /// Returns the bits of an i32 or f32 value, zero-extended to an i64.
    fn bits(&self, value: Value<'c, 'a>) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let value = if value.r#type().is_f32() {
            emitter.cast("llvm.bitcast", value, emitter.integer_type(32))?
        } else {
            value
        };
        emitter.cast("llvm.zext", value, emitter.integer_type(64))
    }

    /// Returns the low 32 bits of a 64-bit word as an i32, or as an f32 if `like` is an f32.
    fn value(&self, word: Value<'c, 'a>, like: Value<'c, 'a>) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let low = emitter.cast("llvm.trunc", word, emitter.integer_type(32))?;
        if like.r#type().is_f32() {
            return emitter.cast("llvm.bitcast", low, like.r#type());
        }
        Ok(low)
    }

    /// Returns bit 32 of a 64-bit word as a predicate (i1).
    fn predicate(&self, word: Value<'c, 'a>) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let wide = emitter.integer_type(64);
        let places = emitter.constant(64, 32)?;
        let shifted = emitter.value("llvm.lshr", &[word, places], &[], wide)?;
        emitter.cast("llvm.trunc", shifted, emitter.integer_type(1))
    }

    fn pair(&self, value: Value<'c, 'a>, predicate: Value<'c, 'a>) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let r#type = result_type(self.operation)?;
        let mut pair = emitter.value("llvm.mlir.poison", &[], &[], r#type)?;
        for (index, part) in [value, predicate].into_iter().enumerate() {
            // The attribute builder needs the context, which the emitter provides.
            let position: Attribute<'c> = emitter.position(index as i64).into();
            let attributes = [("position", position)];
            pair = emitter.value("llvm.insertvalue", &[pair, part], &attributes, r#type)?;
        }
        Ok(pair)
    }

    fn warp(
        &self,
        op: WarpOp,
        mask: Value<'c, 'a>,
        value: Option<Value<'c, 'a>>,
        more: Option<[Value<'c, 'a>; 2]>,
    ) -> Result<Value<'c, 'a>, Error> {
        let emitter = self.emitter;
        let code = emitter.constant(32, op.code().into())?;
        let value = match value {
            Some(value) => self.bits(value)?,
            None => emitter.constant(64, 0)?,
        };
        let [offset, clamp] = match more {
            Some(more) => more,
            None => [emitter.constant(32, 0)?; 2],
        };
        let site = emitter.constant(32, self.site)?;
        let arguments = [code, mask, value, offset, clamp, site];
        let result = emitter.call("__tx_warp", &arguments, Some(emitter.integer_type(64)))?;
        result.ok_or_else(|| self.unsupported("a call without its result"))
    }

    fn shuffle(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let kind = match self.keyword("kind") {
            "bfly" => Shuffle::Bfly,
            "up" => Shuffle::Up,
            "down" => Shuffle::Down,
            "idx" => Shuffle::Idx,
            other => return Err(self.unsupported(&format!("nvvm.shfl.sync {other}"))),
        };
        let [mask, value, offset, clamp] = self.operands()?;
        let word = self.warp(
            WarpOp::Shuffle(kind),
            mask,
            Some(value),
            Some([offset, clamp]),
        )?;
        let result = self.value(word, value)?;
        if !self.operation.has_attribute("return_value_and_is_valid") {
            return Ok(Some(result));
        }
        Ok(Some(self.pair(result, self.predicate(word)?)?))
    }

    fn operands<const N: usize>(&self) -> Result<[Value<'c, 'a>; N], Error> {
        let operands: Vec<_> = self.operation.operands().collect();
        operands
            .try_into()
            .map_err(|_| self.unsupported("an operation with too few operands"))
    }

    fn redux(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let (abs, nan) = (self.flag("abs"), self.flag("nan"));
        let kind = match self.keyword("kind") {
            "add" => Redux::Add,
            "and" => Redux::And,
            "max" => Redux::Max,
            "min" => Redux::Min,
            "or" => Redux::Or,
            "umax" => Redux::Umax,
            "umin" => Redux::Umin,
            "xor" => Redux::Xor,
            "fmin" => Redux::Fmin { abs, nan },
            "fmax" => Redux::Fmax { abs, nan },
            other => return Err(self.unsupported(&format!("nvvm.redux.sync {other}"))),
        };
        let [value, mask] = self.operands()?;
        let word = self.warp(WarpOp::Redux(kind), mask, Some(value), None)?;
        Ok(Some(self.value(word, value)?))
    }

    fn vote(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let op = match self.keyword("kind") {
            "any" => WarpOp::VoteAny,
            "all" => WarpOp::VoteAll,
            "uni" => WarpOp::VoteUni,
            "ballot" => WarpOp::Ballot,
            other => return Err(self.unsupported(&format!("nvvm.vote.sync {other}"))),
        };
        let [mask, predicate] = self.operands()?;
        let word = self.warp(op, mask, Some(predicate), None)?;
        let r#type = result_type(self.operation)?;
        Ok(Some(self.emitter.cast("llvm.trunc", word, r#type)?))
    }

    fn matching(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let [mask, value] = self.operands()?;
        let low = |word| {
            let r#type = self.emitter.integer_type(32);
            self.emitter.cast("llvm.trunc", word, r#type)
        };
        match self.keyword("kind") {
            "any" => {
                let word = self.warp(WarpOp::MatchAny, mask, Some(value), None)?;
                Ok(Some(low(word)?))
            }
            "all" => {
                let word = self.warp(WarpOp::MatchAll, mask, Some(value), None)?;
                Ok(Some(self.pair(low(word)?, self.predicate(word)?)?))
            }
            other => Err(self.unsupported(&format!("nvvm.match.sync {other}"))),
        }
    }

    fn elect(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let mask = match self.operation.operand_count() {
            0 => self.emitter.constant(32, -1)?,
            _ => operand(self.operation, 0)?,
        };
        let word = self.warp(WarpOp::Elect, mask, None, None)?;
        Ok(Some(self.predicate(word)?))
    }

    fn barrier(
        &self,
        id: Option<Value<'c, 'a>>,
        count: Option<Value<'c, 'a>>,
        reduction: i32,
        predicate: Option<Value<'c, 'a>>,
    ) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let or = |value: Option<Value<'c, 'a>>, default| match value {
            Some(value) => Ok(value),
            None => emitter.constant(32, default),
        };
        let (id, count, predicate) = (or(id, 0)?, or(count, -1)?, or(predicate, 0)?);
        let reduction = emitter.constant(32, reduction.into())?;
        let site = emitter.constant(32, self.site)?;
        let arguments = [id, count, reduction, predicate, site];
        emitter.call("__tx_barrier", &arguments, Some(emitter.integer_type(32)))
    }

    fn any_barrier(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let segments = self
            .operation
            .attribute("operandSegmentSizes")
            .ok()
            .and_then(|attribute| DenseI32ArrayAttribute::try_from(attribute).ok())
            .ok_or_else(|| self.unsupported("nvvm.barrier without its operand segments"))?;
        let mut next = 0;
        let mut optional = |segment| {
            let present = segments.element(segment).is_ok_and(|size| size != 0);
            if !present {
                return Ok(None);
            }
            next += 1;
            operand(self.operation, next - 1).map(Some)
        };
        let (id, count, predicate) = (optional(0)?, optional(1)?, optional(2)?);
        let keyword = self.keyword("reductionOp");
        let reduction = REDUCTIONS
            .iter()
            .position(|&(name, _)| name == keyword)
            .ok_or_else(|| self.unsupported(&format!("nvvm.barrier {keyword}")))?;
        let result = self.barrier(id, count, reduction as i32, predicate)?;
        Ok(result.filter(|_| self.operation.result_count() != 0))
    }

    fn cluster_arrive(&self, relaxed: bool) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let relaxed = emitter.constant(32, relaxed.into())?;
        let site = emitter.constant(32, self.site)?;
        emitter.call("__tx_cluster_arrive", &[relaxed, site], None)
    }

    fn mapa(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let [pointer, rank] = self.operands()?;
        let word = emitter.integer_type(64);
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], word)?;
        let site = emitter.constant(32, self.site)?;
        let mapped = emitter
            .call("__tx_mapa", &[address, rank, site], Some(word))?
            .ok_or_else(|| self.unsupported("a call without its result"))?;
        let r#type = result_type(self.operation)?;
        let mapped = emitter.value("llvm.inttoptr", &[mapped], &[], r#type)?;
        Ok(Some(mapped))
    }

    /// Emits a hook call whose arguments are the address of an mbarrier object and a 32-bit
    /// operand.
    fn mbarrier(
        &self,
        hook: &str,
        result_bits: Option<u32>,
    ) -> Result<Option<Value<'c, 'a>>, Error> {
        let emitter = self.emitter;
        let [pointer, operand] = self.operands()?;
        if self.operation.result_count() != usize::from(result_bits.is_some()) {
            return Err(self.unsupported("the state of an mbarrier object"));
        }
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], emitter.integer_type(64))?;
        let site = emitter.constant(32, self.site)?;
        let word = result_bits.map(|_| emitter.integer_type(32));
        let result = emitter.call(hook, &[address, operand, site], word)?;
        match (result, result_bits) {
            (Some(result), Some(bits)) => {
                let narrow = emitter.integer_type(bits);
                Ok(Some(emitter.value("llvm.trunc", &[result], &[], narrow)?))
            }
            _ => Ok(None),
        }
    }

    fn barrier_arrive(&self) -> Result<Option<Value<'c, 'a>>, Error> {
        let operands: Vec<_> = self.operation.operands().collect();
        let (id, count) = match operands[..] {
            [count] => (None, count),
            [id, count] => (Some(id), count),
            _ => return Err(self.unsupported("nvvm.barrier.arrive without a number of threads")),
        };
        self.barrier(id, Some(count), ARRIVE_ONLY, None)?;
        Ok(None)
    }
}

impl<'c> Emitter<'c, '_> {
    fn position(&self, index: i64) -> DenseI64ArrayAttribute<'c> {
        DenseI64ArrayAttribute::new(self.context(), &[index])
    }
}
