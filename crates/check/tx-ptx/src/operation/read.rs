//! Decoding of a PTX instruction into an `Operation`.

use super::{
    Access, Atomic, Barrier, BarrierKind, Combine, Direction, MalformedInstruction, MatchMode,
    Operation, Ordering, ReduxKind, ScalarType, Scope, ShuffleMode, Space, Threads, VoteMode,
};
use crate::instruction::{Instruction, Operand};

impl Operation {
    /// Decodes an instruction. The callback `constant` returns the value of an operand, or `None`
    /// if the operand is not a constant. The callback `is_register` returns whether a name without
    /// `%` is the name of a register.
    pub fn read(
        instruction: &Instruction,
        constant: impl Fn(&Operand) -> Option<i128>,
        is_register: impl Fn(&str) -> bool,
    ) -> Result<Operation, MalformedInstruction> {
        let reader = Reader {
            instruction,
            constant: &constant,
        };
        let opcode = &instruction.opcode;
        match opcode.name() {
            "bar" if opcode.has("warp") => reader.warp_barrier(),
            "barrier" if opcode.has("cluster") => Ok(reader.cluster_barrier()),
            "bar" | "barrier" => reader.barrier(),
            "shfl" => reader.shuffle(),
            "redux" => reader.redux(),
            "vote" if opcode.has("sync") => {
                let mode = reader.word(VoteMode::named, "`.all`, `.any`, `.uni` or `.ballot`")?;
                reader.operands(3..=3)?;
                let mask = reader.bits(2);
                Ok(Operation::Vote { mode, mask })
            }
            "match" => {
                let mode = reader.word(MatchMode::named, "`.any` or `.all`")?;
                let ty = reader.ty()?;
                reader.operands(3..=3)?;
                let mask = reader.bits(2);
                Ok(Operation::Match { mode, ty, mask })
            }
            "elect" => {
                reader.operands(2..=2)?;
                let mask = reader.bits(1);
                Ok(Operation::Elect { mask })
            }
            // Asynchronous accesses complete at an mbarrier and are not compared.
            "red" | "ld" | "st" if opcode.has("async") || opcode.has("bulk") => {
                Ok(Operation::Other)
            }
            "atom" | "red" => reader.atomic(),
            "ld" | "ldu" => reader.access(Direction::Load),
            "st" => reader.access(Direction::Store),
            "membar" | "fence" => reader.fence(),
            "call" => reader.call(&is_register),
            _ => Ok(Operation::Other),
        }
    }
}

struct Reader<'a> {
    instruction: &'a Instruction,
    constant: &'a dyn Fn(&Operand) -> Option<i128>,
}

impl Reader<'_> {
    fn malformed(&self, problem: impl Into<String>) -> MalformedInstruction {
        MalformedInstruction {
            at: self.instruction.at,
            opcode: self.instruction.opcode.as_str().to_owned(),
            problem: problem.into(),
        }
    }

    fn has(&self, modifier: &str) -> bool {
        self.instruction.opcode.has(modifier)
    }

    /// Calls the callback `name` for each modifier of the opcode, and returns the first result that
    /// is not `None`.
    fn find<T>(&self, name: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.instruction.opcode.modifiers().find_map(name)
    }

    fn word<T>(
        &self,
        name: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Result<T, MalformedInstruction> {
        self.find(name)
            .ok_or_else(|| self.malformed(format!("has none of {expected}")))
    }

    /// Returns the type of the instruction: the last modifier of the opcode. The function does not
    /// support `cvt` and `mma`, because these instructions have several types.
    fn ty(&self) -> Result<ScalarType, MalformedInstruction> {
        self.instruction
            .opcode
            .modifiers()
            .last()
            .and_then(ScalarType::named)
            .ok_or_else(|| self.malformed("does not end with a type such as `.b32`"))
    }

    fn operands(
        &self,
        expected: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, MalformedInstruction> {
        let found = self.instruction.operands.len();
        if expected.contains(&found) {
            return Ok(found);
        }
        let (least, most) = expected.into_inner();
        let expected = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        let plural = if found == 1 { "" } else { "s" };
        Err(self.malformed(format!("has {found} operand{plural}, expected {expected}")))
    }

    /// Returns the 32 bits of a constant operand whose value is in the range of `u32` or of `i32`.
    fn bits(&self, index: usize) -> Option<u32> {
        let value = (self.constant)(self.instruction.operands.get(index)?)?;
        u32::try_from(value)
            .ok()
            .or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned))
    }

    fn warp_barrier(&self) -> Result<Operation, MalformedInstruction> {
        self.operands(1..=1)?;
        Ok(Operation::WarpBarrier { mask: self.bits(0) })
    }

    fn cluster_barrier(&self) -> Operation {
        Operation::ClusterBarrier {
            wait: self.has("wait"),
            ordering: self.find(Ordering::named),
            aligned: self.has("aligned"),
        }
    }

    fn barrier(&self) -> Result<Operation, MalformedInstruction> {
        // `bar.red` has a result before the barrier number and a predicate at the end.
        let (kind, first, count) = if self.has("red") {
            let combine = self.word(Combine::named, "`.popc`, `.and` or `.or`")?;
            let count = self.operands(3..=4)?;
            (BarrierKind::Red(combine), 1, count - 1)
        } else if self.has("arrive") {
            (BarrierKind::Arrive, 0, self.operands(2..=2)?)
        } else if self.has("sync") {
            (BarrierKind::Sync, 0, self.operands(1..=2)?)
        } else {
            return Err(self.malformed("has none of `.sync`, `.arrive` or `.red`"));
        };
        let threads = if count - first < 2 {
            Threads::All
        } else {
            self.bits(first + 1)
                .map_or(Threads::Unknown, Threads::Count)
        };
        Ok(Operation::Barrier(Barrier {
            kind,
            id: self.bits(first),
            threads,
            aligned: self.instruction.opcode.name() == "bar" || self.has("aligned"),
        }))
    }

    fn shuffle(&self) -> Result<Operation, MalformedInstruction> {
        let mode = self.word(ShuffleMode::named, "`.up`, `.down`, `.bfly` or `.idx`")?;
        // A shuffle without `.sync` has no mask: all active lanes participate.
        let operands = if self.has("sync") { 5 } else { 4 };
        self.operands(operands..=operands)?;
        Ok(Operation::Shuffle {
            mode,
            lane: self.bits(2),
            clamp: self.bits(3),
            mask: self.bits(4),
        })
    }

    fn redux(&self) -> Result<Operation, MalformedInstruction> {
        let combine = self.word(
            Combine::named,
            "`.add`, `.min`, `.max`, `.and`, `.or` or `.xor`",
        )?;
        let ty = self.ty()?;
        self.operands(3..=3)?;
        let kind = ReduxKind {
            combine,
            ty: normal(combine, ty),
            abs: self.has("abs"),
            nan: self.has("NaN"),
        };
        Ok(Operation::Redux {
            kind,
            mask: self.bits(2),
        })
    }

    fn lanes(&self) -> u32 {
        self.find(|word| match word {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        })
        .unwrap_or(1)
    }

    fn atomic(&self) -> Result<Operation, MalformedInstruction> {
        let combine = self.word(
            Combine::named,
            "`.add`, `.min`, `.cas` and other operations",
        )?;
        let ty = self.ty()?;
        Ok(Operation::Atomic(Atomic {
            combine,
            ty: normal(combine, ty),
            lanes: self.lanes(),
            space: self.find(Space::named).unwrap_or(Space::Generic),
            scope: self.find(Scope::named),
            ordering: self.find(Ordering::named),
            returns: self.instruction.opcode.name() == "atom",
        }))
    }

    fn access(&self, direction: Direction) -> Result<Operation, MalformedInstruction> {
        let ty = self.ty()?;
        // The third operand is a cache policy.
        self.operands(2..=3)?;
        let cache = |word: &&str| {
            matches!(*word, "ca" | "cg" | "cs" | "cv" | "lu" | "wb" | "wt")
                || word.starts_with("L1::")
                || word.starts_with("L2::")
        };
        let opcode = &self.instruction.opcode;
        Ok(Operation::Access(Access {
            direction,
            space: self.find(Space::named).unwrap_or(Space::Generic),
            ty,
            lanes: self.lanes(),
            ordering: self.find(Ordering::named).unwrap_or(Ordering::Weak),
            scope: self.find(Scope::named),
            read_only: opcode.name() == "ldu" || opcode.has("nc"),
            cache: opcode
                .modifiers()
                .filter(cache)
                .map(str::to_owned)
                .collect(),
        }))
    }

    fn fence(&self) -> Result<Operation, MalformedInstruction> {
        let opcode = &self.instruction.opcode;
        if opcode.has("proxy") || opcode.has("mbarrier_init") {
            let kind: Vec<&str> = opcode.modifiers().collect();
            return Ok(Operation::ProxyFence {
                kind: kind.join("."),
            });
        }
        if opcode.name() == "membar" {
            // Since sm_70, `membar` is equivalent to `fence.sc` with older scope names.
            let scope = self.word(
                |word| match word {
                    "cta" => Some(Scope::Cta),
                    "gl" => Some(Scope::Gpu),
                    "sys" => Some(Scope::Sys),
                    _ => None,
                },
                "`.cta`, `.gl` or `.sys`",
            )?;
            return Ok(Operation::Fence {
                ordering: Ordering::Sc,
                scope: Some(scope),
            });
        }
        Ok(Operation::Fence {
            ordering: self.find(Ordering::named).unwrap_or(Ordering::AcqRel),
            scope: self.find(Scope::named),
        })
    }

    fn call(&self, is_register: &dyn Fn(&str) -> bool) -> Result<Operation, MalformedInstruction> {
        let callee = self
            .instruction
            .operands
            .iter()
            .find(|operand| !matches!(operand, Operand::List(_)));
        match callee {
            Some(Operand::Symbol(name)) if !is_register(name) => Ok(Operation::Call {
                callee: Some(name.clone()),
            }),
            Some(Operand::Symbol(_) | Operand::Register(_)) => Ok(Operation::Call { callee: None }),
            _ => Err(self.malformed("names no function")),
        }
    }
}

/// Returns the type `ty`, without signedness unless the combiner `combine` is a minimum or a
/// maximum. For a sum of `u32` or `s32` values, the function returns `b32`.
pub(crate) fn normal(combine: Combine, ty: ScalarType) -> ScalarType {
    match combine {
        Combine::Min | Combine::Max => ty,
        _ => ty.without_sign(),
    }
}
