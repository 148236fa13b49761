//! Reads PTX: counts instructions, and follows one thread through them.
//!
//! Some records say not what comes out but how: that no two lanes meet in a bank of shared memory,
//! that every thread has its part, who waits at which barrier. What a thread does depends on
//! numbers that it computes from its own id, so these are computed here; values that come from
//! memory or from other threads are unknown. An address or a branch that would need one is an
//! error.

use std::collections::BTreeMap;

pub(crate) struct Ptx<'a> {
    instructions: Vec<Instruction<'a>>,
    labels: BTreeMap<&'a str, usize>,
    /// Arrays in shared memory: name and bytes.
    shared: Vec<(&'a str, u64)>,
}

#[derive(Debug)]
struct Instruction<'a> {
    /// A register, and whether the instruction wants it false.
    guard: Option<(&'a str, bool)>,
    opcode: &'a str,
    operands: Vec<&'a str>,
}

/// What one thread did, in order.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Accesses of shared memory.
    pub(crate) shared: Vec<Access>,
    /// Barriers: number, and threads that are waited for (none: the block).
    pub(crate) barriers: Vec<(u64, Option<u64>)>,
    /// Distances of `shfl.sync.bfly`.
    pub(crate) butterflies: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Access {
    /// Number of the instruction.
    pub(crate) instruction: usize,
    pub(crate) writes: bool,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// Where the arrays of shared memory are put: far apart, and each at the start of the banks.
const SHARED_BASE: u64 = 1 << 32;
/// Where the parameters of a kernel point that are not told.
const PARAMETER_BASE: u64 = 1 << 48;
const STEPS: usize = 1_000_000;

impl<'a> Ptx<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let (_, body) = text
            .split_once(".entry")
            .and_then(|(_, rest)| rest.split_once('{'))
            .ok_or("PTX without a kernel")?;
        let mut ptx = Self {
            instructions: Vec::new(),
            labels: BTreeMap::new(),
            shared: Vec::new(),
        };
        for line in text.lines().filter(|line| line.contains(".shared .align")) {
            ptx.shared
                .push(array(line).ok_or_else(|| format!("`{line}` is no array"))?);
        }
        for line in body.lines() {
            let line = line.split("//").next().unwrap_or("").trim();
            if let Some(label) = line.strip_suffix(':') {
                ptx.labels.insert(label, ptx.instructions.len());
                continue;
            }
            let Some(instruction) = line.strip_suffix(';') else {
                continue;
            };
            if instruction.starts_with('.') {
                continue;
            }
            ptx.instructions.push(Instruction::parse(instruction));
        }
        Ok(ptx)
    }

    /// Instructions that are called so, in all forms: `count("shfl.sync")`.
    pub(crate) fn count(&self, opcode: &str) -> usize {
        self.count_if(|instruction| {
            instruction
                .opcode
                .strip_prefix(opcode)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Instructions on single f32 values with so many operands, the result included.
    pub(crate) fn count_f32(&self, operation: &str, operands: usize) -> usize {
        self.count_if(|instruction| {
            let mut parts = instruction.opcode.split('.');
            parts.next() == Some(operation)
                && parts.next_back() == Some("f32")
                && instruction.operands.len() == operands
        })
    }

    fn count_if(&self, wanted: impl Fn(&Instruction<'_>) -> bool) -> usize {
        self.instructions.iter().filter(|i| wanted(i)).count()
    }

    /// Bytes of the largest array in shared memory, and where traces have it.
    pub(crate) fn largest_shared(&self) -> Option<(u64, u64)> {
        let largest = self.shared.iter().max_by_key(|(_, bytes)| *bytes)?;
        Some((self.shared_base(largest.0)?, largest.1))
    }

    pub(crate) fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    fn shared_base(&self, name: &str) -> Option<u64> {
        let place = self.shared.iter().position(|(array, _)| *array == name)?;
        Some((place as u64 + 1) * SHARED_BASE)
    }

    /// Follows thread `id` of a block.
    pub(crate) fn trace(&self, id: [usize; 3], block: [usize; 3]) -> Result<Trace, String> {
        let mut thread = Thread {
            ptx: self,
            registers: BTreeMap::new(),
            id,
            block,
        };
        let mut trace = Trace::default();
        let mut at = 0;
        for _ in 0..STEPS {
            let Some(instruction) = self.instructions.get(at) else {
                return Ok(trace);
            };
            let place = at;
            at += 1;
            if let Some((register, negated)) = instruction.guard {
                let value = thread
                    .value(register)
                    .ok_or_else(|| format!("`{}` depends on data", instruction.opcode))?;
                if (value != 0) == negated {
                    continue;
                }
            }
            match instruction.opcode.split('.').next().unwrap_or("") {
                "ret" | "exit" => return Ok(trace),
                "bra" => {
                    let label = instruction.operands.last().copied().unwrap_or("");
                    at = *self
                        .labels
                        .get(label)
                        .ok_or_else(|| format!("no label `{label}`"))?;
                }
                "bar" | "barrier" => {
                    let mut numbers = instruction.operands.iter().map(|o| thread.value(o));
                    let number = numbers
                        .next()
                        .flatten()
                        .ok_or("a barrier without a number")?;
                    // A barrier of a warp has its members as only operand.
                    if !instruction.opcode.starts_with("bar.warp") {
                        trace.barriers.push((number, numbers.next().flatten()));
                    }
                }
                _ => {
                    if let Some(access) = thread.access(place, instruction)? {
                        trace.shared.push(access);
                    }
                    if instruction.opcode.starts_with("shfl.sync.bfly") {
                        let distance = instruction.operands.get(2).and_then(|o| thread.value(o));
                        trace
                            .butterflies
                            .push(distance.ok_or("a shuffle of unknown distance")?);
                    }
                    thread.execute(instruction);
                }
            }
        }
        Err(format!("thread {id:?} takes more than {STEPS} steps"))
    }
}

impl<'a> Instruction<'a> {
    fn parse(text: &'a str) -> Self {
        let (guard, text) = match text.strip_prefix('@') {
            Some(guarded) => {
                let (register, rest) = guarded
                    .split_once(char::is_whitespace)
                    .unwrap_or((guarded, ""));
                let negated = register.strip_prefix('!');
                (
                    Some((negated.unwrap_or(register), negated.is_some())),
                    rest.trim(),
                )
            }
            None => (None, text),
        };
        let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // Commas within braces and brackets belong to one operand.
        let mut operands = Vec::new();
        let (mut depth, mut start) = (0, 0);
        for (place, letter) in rest.char_indices() {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= 1,
                ',' if depth == 0 => {
                    operands.push(rest[start..place].trim());
                    start = place + 1;
                }
                _ => {}
            }
        }
        if !rest[start..].trim().is_empty() {
            operands.push(rest[start..].trim());
        }
        Self {
            guard,
            opcode,
            operands,
        }
    }
}

/// Name and bytes of `.shared .align 16 .b32 name[8];`, or of a single element.
fn array(line: &str) -> Option<(&str, u64)> {
    let (ty, name) = line.trim().trim_end_matches(';').rsplit_once(' ')?;
    let bits: u64 = ty
        .rsplit_once('.')?
        .1
        .trim_start_matches(char::is_alphabetic)
        .parse()
        .ok()?;
    match name.trim_end_matches(']').split_once('[') {
        Some((name, count)) => Some((name, count.parse::<u64>().ok()? * bits / 8)),
        None => Some((name, bits / 8)),
    }
}

struct Thread<'a> {
    ptx: &'a Ptx<'a>,
    /// What is known, as 64 bits without a sign.
    registers: BTreeMap<&'a str, u64>,
    id: [usize; 3],
    block: [usize; 3],
}

impl<'a> Thread<'a> {
    fn value(&self, operand: &str) -> Option<u64> {
        let of = |numbers: [usize; 3], axis: &str| {
            let place = ["x", "y", "z"].iter().position(|name| *name == axis)?;
            Some(numbers[place] as u64)
        };
        if let Some(axis) = operand.strip_prefix("%tid.") {
            return of(self.id, axis);
        }
        if let Some(axis) = operand.strip_prefix("%ntid.") {
            return of(self.block, axis);
        }
        if let Some(axis) = operand.strip_prefix("%ctaid.") {
            return of([0; 3], axis);
        }
        if let Some(axis) = operand.strip_prefix("%nctaid.") {
            return of([1; 3], axis);
        }
        if operand == "%laneid" {
            let [x, y, z] = self.id;
            let linear = x + self.block[0] * (y + self.block[1] * z);
            return Some(linear as u64 % 32);
        }
        if let Some(value) = self.registers.get(operand) {
            return Some(*value);
        }
        if let Some(digits) = operand.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).ok();
        }
        operand
            .parse::<i64>()
            .map(|number| number as u64)
            .or_else(|_| operand.parse())
            .ok()
            .or_else(|| self.ptx.shared_base(operand))
    }

    /// `[%rd1+16]`
    fn address(&self, operand: &str) -> Option<u64> {
        let inner = operand.strip_prefix('[')?.strip_suffix(']')?;
        let (base, offset) = match inner.split_once('+') {
            Some((base, offset)) => (base.trim(), offset.trim().parse::<i64>().ok()?),
            None => (inner, 0),
        };
        Some(self.value(base)?.wrapping_add(offset as u64))
    }

    fn access(
        &self,
        place: usize,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Access>, String> {
        let parts: Vec<&str> = instruction.opcode.split('.').collect();
        let writes = match parts[0] {
            "ld" => false,
            "st" => true,
            _ => return Ok(None),
        };
        if !parts.iter().any(|part| part.starts_with("shared")) {
            return Ok(None);
        }
        let operand = instruction.operands.get(usize::from(!writes));
        let address = operand
            .and_then(|operand| self.address(operand))
            .ok_or_else(|| format!("`{}` at an unknown address", instruction.opcode))?;
        let lanes: u64 = parts
            .iter()
            .find_map(|part| part.strip_prefix('v')?.parse().ok())
            .unwrap_or(1);
        let bits: u64 = parts
            .last()
            .and_then(|part| part.trim_start_matches(char::is_alphabetic).parse().ok())
            .ok_or_else(|| format!("`{}` of unknown width", instruction.opcode))?;
        Ok(Some(Access {
            instruction: place,
            writes,
            address,
            bytes: lanes * bits / 8,
        }))
    }

    fn execute(&mut self, instruction: &Instruction<'a>) {
        let Some((target, inputs)) = instruction.operands.split_first() else {
            return;
        };
        let parts: Vec<&str> = instruction.opcode.split('.').collect();
        if parts[0] == "st" {
            return;
        }
        let ty = parts.last().copied().unwrap_or("");
        let bits = ty
            .trim_start_matches(char::is_alphabetic)
            .parse::<u32>()
            .unwrap_or(1);
        let floating = ty.starts_with('f') || ty.contains('x') || ty.starts_with("bf");
        let result = match parts[0] {
            "ld" if parts.get(1) == Some(&"param") => {
                // Each parameter a place of its own.
                let number = inputs
                    .first()
                    .and_then(|name| name.trim_end_matches(']').rsplit_once('_')?.1.parse().ok());
                number.map(|number: u64| PARAMETER_BASE + (number << 40))
            }
            "ld" | "shfl" => None,
            _ if floating => None,
            _ => {
                let values: Option<Vec<u64>> = inputs.iter().map(|o| self.value(o)).collect();
                values.and_then(|values| compute(&parts, bits, &values))
            }
        };
        // A result may be several registers: `{%r1, %r2}`, `%r1|%p1`.
        for register in target.split(['{', '}', ',', '|', ' ']) {
            self.registers.remove(register);
        }
        if let Some(result) = result {
            self.registers.insert(target, result);
        }
    }
}

/// An integer instruction; `None` for one that there is no rule for.
fn compute(parts: &[&str], bits: u32, values: &[u64]) -> Option<u64> {
    let mask = |value: u64, bits: u32| {
        if bits >= 64 {
            value
        } else {
            value & ((1 << bits) - 1)
        }
    };
    let signed = |value: u64, bits: u32| ((value << (64 - bits)) as i64) >> (64 - bits);
    let ty = *parts.last()?;
    let is_signed = ty.starts_with('s');
    let at = |place: usize| -> Option<u64> {
        let value = *values.get(place)?;
        Some(if is_signed {
            signed(value, bits) as u64
        } else {
            mask(value, bits)
        })
    };
    let (mut result_bits, a) = (bits, at(0)?);
    let wide = parts.contains(&"wide");
    let result = match parts[0] {
        "mov" | "cvta" => a,
        "cvt" => {
            let to = *parts.iter().rev().nth(1)?;
            result_bits = to.trim_start_matches(char::is_alphabetic).parse().ok()?;
            a
        }
        "add" => a.wrapping_add(at(1)?),
        "sub" => a.wrapping_sub(at(1)?),
        "mul" if parts.contains(&"hi") && is_signed => {
            let product = i128::from(a as i64) * i128::from(at(1)? as i64);
            (product >> bits) as u64
        }
        "mul" if parts.contains(&"hi") => ((u128::from(a) * u128::from(at(1)?)) >> bits) as u64,
        "mul" => a.wrapping_mul(at(1)?),
        "mad" => a.wrapping_mul(at(1)?).wrapping_add(*values.get(2)?),
        "div" if is_signed => (a as i64).checked_div(at(1)? as i64)? as u64,
        "rem" if is_signed => (a as i64).checked_rem(at(1)? as i64)? as u64,
        "div" => a.checked_div(at(1)?)?,
        "rem" => a.checked_rem(at(1)?)?,
        "and" => a & at(1)?,
        "or" => a | at(1)?,
        "xor" => a ^ at(1)?,
        "not" if ty == "pred" => a ^ 1,
        "not" => !a,
        "neg" => a.wrapping_neg(),
        "shl" => a.checked_shl(values.get(1).copied()? as u32).unwrap_or(0),
        "shr" if is_signed => ((a as i64) >> values.get(1).copied()?.min(63)) as u64,
        "shr" => a.checked_shr(values.get(1).copied()? as u32).unwrap_or(0),
        // A field of bits: where it begins, and how many there are.
        "bfe" if !is_signed => {
            let start = u32::try_from(values.get(1)? & 0xff).ok()?;
            let count = u32::try_from(values.get(2)? & 0xff).ok()?;
            let shifted = a.checked_shr(start).unwrap_or(0);
            shifted & 1_u64.checked_shl(count).map_or(u64::MAX, |end| end - 1)
        }
        "min" if is_signed => (a as i64).min(at(1)? as i64) as u64,
        "max" if is_signed => (a as i64).max(at(1)? as i64) as u64,
        "min" => a.min(at(1)?),
        "max" => a.max(at(1)?),
        "selp" => {
            if *values.get(2)? != 0 {
                a
            } else {
                at(1)?
            }
        }
        "setp" => {
            let b = at(1)?;
            let order = if is_signed {
                (a as i64).cmp(&(b as i64))
            } else {
                a.cmp(&b)
            };
            result_bits = 1;
            u64::from(match *parts.get(1)? {
                "eq" => order.is_eq(),
                "ne" => order.is_ne(),
                "lt" | "lo" => order.is_lt(),
                "le" | "ls" => order.is_le(),
                "gt" | "hi" => order.is_gt(),
                "ge" | "hs" => order.is_ge(),
                _ => return None,
            })
        }
        _ => return None,
    };
    if wide {
        result_bits *= 2;
    }
    Some(mask(result, result_bits))
}

/// How often the warps of a block meet in a bank of shared memory: the largest number of different
/// words of one bank that one of their loads asks for at a time.
pub(crate) fn worst_bank_conflict(traces: &[Trace]) -> Result<usize, String> {
    let mut worst = 0;
    for warp in traces.chunks(32) {
        let loads: Vec<Vec<Access>> = warp
            .iter()
            .map(|trace| trace.shared.iter().filter(|a| !a.writes).copied().collect())
            .collect();
        let longest = loads.iter().map(Vec::len).max().unwrap_or(0);
        for step in 0..longest {
            let together: Vec<Access> = loads.iter().filter_map(|l| l.get(step)).copied().collect();
            // Lanes that take different ways are not together; loads here are the same for all.
            if together
                .iter()
                .any(|access| access.instruction != together[0].instruction)
            {
                return Err("lanes of a warp load at different places of the program".to_owned());
            }
            // 128 bytes are served at a time.
            let at_a_time = (128 / together[0].bytes.max(4)) as usize;
            for served in together.chunks(at_a_time) {
                let mut words: Vec<u64> = served
                    .iter()
                    .flat_map(|a| a.address / 4..(a.address + a.bytes).div_ceil(4))
                    .collect();
                words.sort_unstable();
                words.dedup();
                let mut banks = [0; 32];
                for word in words {
                    banks[(word % 32) as usize] += 1;
                }
                worst = worst.max(banks.into_iter().max().unwrap_or(0));
            }
        }
    }
    Ok(worst)
}

/// Follows every thread of a block.
pub(crate) fn trace_block(ptx: &Ptx<'_>, threads: usize) -> Result<Vec<Trace>, String> {
    (0..threads)
        .map(|thread| ptx.trace([thread, 0, 0], [threads, 1, 1]))
        .collect()
}
