use crate::analysis::kernel::{Kernel, members};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, byte_width, codes, enumerator_of, erase, error, has_uses, is,
    operands, replace_uses, results, walk,
};

pass! {
    /// Lower shuffles to NVVM with a member mask of all lanes of the warp.
    ///
    /// ## What it does
    /// Replaces `gpu.shuffle` by `nvvm.shfl.sync`. The member mask of the shuffle contains every
    /// existing lane of the warp: all 32 lanes, or fewer in the last warp of a block. Values
    /// narrower than 32 bits are extended to 32 bits; 64-bit values are shuffled as two halves.
    ///
    /// ## Why
    /// MLIR's lowering puts only the first `width` lanes of the warp into the member mask. With the
    /// member mask of MLIR's lowering, the shuffle has undefined behaviour if lanes outside of the
    /// mask execute the shuffle. MLIR's lowering also supports only 32-bit values.
    ///
    /// ## Before
    /// ```mlir
    /// %s, %p = gpu.shuffle xor %v, %c1, %c32 : f32
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %s = nvvm.shfl.sync bfly %members, %v, %c1, %c31 : f32 -> f32
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a shuffle of a vector, and a shuffle in a kernel without a known block
    /// size.
    pub struct ConvertShuffle as "convert-gpu-shuffle-to-nvvm" creates [arith, gpu, llvm, nvvm] {
    } counts {
        /// shuffles lowered
        shuffles,
    }
}

impl Pass for ConvertShuffle {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut work = Vec::new();
        for op in walk(module).into_iter().filter(|op| is(*op, "gpu.shuffle")) {
            let value = operands(op)[0].r#type();
            if !can_travel(value) {
                return Err(error(
                    op.location(),
                    format!("a shuffle of `{value}` is not implemented"),
                )
                .code(codes::TX0206)
                .note("shuffle scalars of at most 64 bits")
                .emit());
            }
            work.push((op, Kernel::around(op)?));
        }
        for (op, kernel) in work {
            let b = Builder::before(op);
            let shuffle = Shuffle::new(&b, op, &kernel);
            let (value, valid) = shuffle.any(operands(op)[0]);
            replace_uses(results(op)[0], value);
            if let Some(valid) = valid {
                replace_uses(results(op)[1], valid);
            }
            erase(op);
            counts.add("shuffles", 1);
        }
        Ok(())
    }
}

/// Returns whether a type is a scalar of at most two 32-bit words.
fn can_travel(ty: Type<'_>) -> bool {
    let bits = match tx_mlir::integer_width(ty) {
        Some(width) => width,
        None if ty.is_float() => tx_mlir::float_width(ty),
        None => return false,
    };
    matches!(bits, 1 | 8 | 16 | 32 | 64)
}

struct Shuffle<'b, 'c> {
    b: &'b Builder<'c>,
    kind: &'static str,
    members: Val<'c>,
    offset: Val<'c>,
    clamp: Val<'c>,
    /// Set if the program uses the second result of the shuffle: the flag that is true if the
    /// source lane is valid.
    wants_valid: bool,
}

impl<'b, 'c> Shuffle<'b, 'c> {
    fn new(b: &'b Builder<'c>, op: Op<'c>, kernel: &Kernel<'c>) -> Self {
        let kind = match enumerator_of(op, "mode") {
            Some("up") => "up",
            Some("down") => "down",
            Some("idx") => "idx",
            _ => "bfly",
        };
        let all = operands(op);
        let i32 = b.int_type(32);
        // `clamp` is the last lane that a shuffle may read, or the first lane for the mode `up`.
        let clamp = if kind == "up" {
            b.int(0, i32)
        } else {
            b.binary("arith.subi", all[2], b.int(1, i32))
        };
        Self {
            b,
            kind,
            members: members(b, kernel),
            offset: all[1],
            clamp,
            wants_valid: has_uses(results(op)[1]),
        }
    }

    /// Emits the shuffle of a value of any scalar type.
    fn any(&self, value: Val<'c>) -> (Val<'c>, Option<Val<'c>>) {
        let b = self.b;
        let ty = value.r#type();
        let bits = u32::try_from(byte_width(ty).unwrap_or(4) * 8).unwrap_or(32);
        let word = b.int_type(32);
        if bits == 32 {
            return self.word(value);
        }
        let width = tx_mlir::integer_width(ty).unwrap_or(bits);
        let integer = b.int_type(width);
        let raw = self.cast("arith.bitcast", value, integer);
        let (moved, valid) = if width < 32 {
            let wide = self.cast("arith.extui", raw, word);
            let (wide, valid) = self.word(wide);
            (self.cast("arith.trunci", wide, integer), valid)
        } else {
            let half = b.int(32, integer);
            let low = self.cast("arith.trunci", raw, word);
            let high = self.cast("arith.trunci", b.binary("arith.shrui", raw, half), word);
            let (low, valid) = self.word(low);
            let (high, _) = self.word(high);
            let low = self.cast("arith.extui", low, integer);
            let high = b.binary("arith.shli", self.cast("arith.extui", high, integer), half);
            (b.binary("arith.ori", low, high), valid)
        };
        (self.cast("arith.bitcast", moved, ty), valid)
    }

    fn cast(&self, op: &str, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
        if value.r#type() == ty {
            return value;
        }
        self.b.create(op).operands(&[value]).result(ty).value()
    }

    fn word(&self, value: Val<'c>) -> (Val<'c>, Option<Val<'c>>) {
        let b = self.b;
        let op = b
            .create("nvvm.shfl.sync")
            .attr_text("kind", &format!("#nvvm<shfl_kind {}>", self.kind))
            .operands(&[self.members, value, self.offset, self.clamp]);
        if !self.wants_valid {
            return (op.result(value.r#type()).value(), None);
        }
        let bit = b.int_type(1);
        let pair =
            melior::dialect::llvm::r#type::r#struct(b.context(), &[value.r#type(), bit], false);
        let both = op.unit("return_value_and_is_valid").result(pair).value();
        let part = |i: i64, ty: Type<'c>| {
            b.create("llvm.extractvalue")
                .i64s("position", &[i])
                .operands(&[both])
                .result(ty)
                .value()
        };
        (part(0, value.r#type()), Some(part(1, bit)))
    }
}
