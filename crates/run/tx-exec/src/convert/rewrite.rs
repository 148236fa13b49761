//! Rewriting of device functions, one operation at a time.

use super::{
    access::{Access, HINTS, Size, accesses, alignment, space},
    emit::{Emitter, erase, internal, remove_attribute, replace, set_attribute, source},
    float::{self, Extremum},
    integer,
    layout::{address_space, layout, scalar_bits, spilled, vector},
    name, nvvm,
};
use crate::{
    fault::{AccessKind, Error},
    happens_before::{Fence, MAX_SITES},
    hooks::{access_flags, fence_code},
    location::SiteInfo,
};
use melior::{
    Context,
    ir::{
        Attribute, BlockLike, OperationRef, RegionLike, Type, Value, ValueLike,
        attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute},
        operation::{OperationLike, OperationResult},
        r#type::IntegerType,
    },
};
use mlir_sys as raw;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) calls: BTreeSet<String>,
    pub(super) shared: BTreeSet<usize>,
}

/// Operations with pointer operands but without memory effects.
const POINTER_ARITHMETIC: [&str; 22] = [
    "llvm.getelementptr",
    "llvm.addrspacecast",
    "llvm.bitcast",
    "llvm.ptrtoint",
    "llvm.inttoptr",
    "llvm.icmp",
    "llvm.select",
    "llvm.freeze",
    "llvm.br",
    "llvm.cond_br",
    "llvm.switch",
    "llvm.return",
    "llvm.insertvalue",
    "llvm.extractvalue",
    "llvm.insertelement",
    "llvm.extractelement",
    "llvm.shufflevector",
    "llvm.intr.stackrestore",
    "llvm.intr.is.constant",
    "llvm.intr.expect",
    "llvm.intr.launder.invariant.group",
    "llvm.intr.ptrmask",
];

/// Optimisation hints. The conversion removes each hint, because LLVM relies on the hint even if
/// the program violates it.
const DROPPED: [&str; 9] = [
    "llvm.intr.assume",
    "llvm.intr.lifetime.start",
    "llvm.intr.lifetime.end",
    "llvm.intr.prefetch",
    "llvm.intr.experimental.noalias.scope.decl",
    "llvm.intr.var.annotation",
    "llvm.intr.dbg.declare",
    "llvm.intr.dbg.value",
    "llvm.intr.dbg.label",
];

/// Unsupported operations: LLVM can compile them for the host, but a GPU thread cannot execute
/// them.
const REFUSED: [&str; 13] = [
    "llvm.inline_asm",
    "llvm.invoke",
    "llvm.landingpad",
    "llvm.resume",
    "llvm.indirectbr",
    "llvm.blockaddress",
    "llvm.va_arg",
    "llvm.intr.vastart",
    "llvm.intr.masked.gather",
    "llvm.intr.masked.scatter",
    "llvm.intr.masked.expandload",
    "llvm.intr.masked.compressstore",
    "llvm.intr.eh.typeid.for",
];

/// Intrinsics without side effects that device IR may call by name.
const CALLED: [&str; 8] = [
    "llvm.ceil",
    "llvm.copysign",
    "llvm.fabs",
    "llvm.floor",
    "llvm.fma",
    "llvm.roundeven",
    "llvm.sqrt",
    "llvm.trunc",
];

/// Intrinsics of approximate f32 instructions, and the hooks that replace them.
const APPROXIMATIONS: [(&str, &str); 2] = [
    ("llvm.nvvm.ex2.approx.ftz.f32", "__tx_exp2"),
    ("llvm.nvvm.lg2.approx.ftz.f", "__tx_log2"),
];

/// A print or assertion function of the device driver, and the hook that replaces it.
#[derive(Clone, Copy)]
pub(super) struct Printer {
    name: &'static str,
    operands: &'static [Word],
    result: Option<Word>,
    hook: &'static str,
    /// Number of leading operands of the device function that the rewritten call passes to the hook
    /// as addresses.
    addresses: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Pointer,
    Int(u32),
}

impl Word {
    fn of(r#type: Type<'_>) -> Option<Self> {
        if let Ok(integer) = IntegerType::try_from(r#type) {
            return Some(Self::Int(integer.width()));
        }
        (address_space(r#type) == Some(0)).then_some(Self::Pointer)
    }
}

const PRINTERS: [Printer; 2] = [
    Printer {
        name: "vprintf",
        operands: &[Word::Pointer, Word::Pointer],
        result: Some(Word::Int(32)),
        hook: "__tx_print",
        addresses: 2,
    },
    Printer {
        name: "__assertfail",
        operands: &[
            Word::Pointer,
            Word::Pointer,
            Word::Int(32),
            Word::Pointer,
            Word::Int(64),
        ],
        result: None,
        hook: "__tx_assert",
        addresses: 1,
    },
];

impl Printer {
    pub(super) fn of(name: &str) -> Option<Self> {
        PRINTERS.iter().find(|known| known.name == name).copied()
    }
}

/// Maximum stack size that is reserved for the spilled values of one function, in bytes. A size of
/// 16 MiB suffices, because a function never spills all of its values at one time.
const MAX_SPILLS: u64 = 16 << 20;

/// Returns an upper bound of the stack bytes for the results of an operation.
fn operation_spills(operation: OperationRef<'_, '_>) -> u64 {
    let results = operation
        .results()
        .map(|result| spilled(result.r#type()))
        .fold(0, u64::saturating_add);
    // A dynamic index into a vector spills the vector.
    let indexed = ["llvm.extractelement", "llvm.insertelement"].contains(&name(operation).as_str());
    let whole = operation
        .operands()
        .filter(|_| indexed)
        .map(|operand| spilled(operand.r#type()))
        .fold(0, u64::saturating_add);
    results.saturating_add(whole)
}

pub(super) struct Rewriter<'c, 's> {
    context: &'c Context,
    /// `#llvm.fastmath<none>`.
    no_flags: Option<Attribute<'c>>,
    shared: &'s BTreeMap<String, usize>,
    functions: &'s BTreeSet<String>,
    sites: Vec<SiteInfo>,
    names: BTreeMap<String, Arc<str>>,
    frame_bytes: u64,
}

impl<'c, 's> Rewriter<'c, 's> {
    pub(super) fn new(
        context: &'c Context,
        shared: &'s BTreeMap<String, usize>,
        functions: &'s BTreeSet<String>,
    ) -> Self {
        Self {
            context,
            no_flags: Attribute::parse(context, "#llvm.fastmath<none>"),
            shared,
            functions,
            sites: Vec::new(),
            names: BTreeMap::new(),
            frame_bytes: 0,
        }
    }

    pub(super) fn finish(self) -> (Vec<SiteInfo>, u64) {
        (self.sites, self.frame_bytes)
    }

    pub(super) fn function<'a>(
        &mut self,
        function: OperationRef<'c, 'a>,
        is_kernel: bool,
    ) -> Result<Uses, Error> {
        let mut uses = Uses::default();
        let mut block = function
            .region(0)
            .ok()
            .and_then(|region| region.first_block());
        let entry = block.map(|block| block.to_raw().ptr);
        let (mut frame, mut spills) = (0, 0u64);
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        while let Some(current) = block {
            seen.insert(current.to_raw().ptr);
            for index in 0..current.argument_count() {
                let argument = current.argument(index).map(|argument| argument.r#type());
                spills = spills.saturating_add(argument.map_or(0, spilled));
            }
            let mut next = current.first_operation();
            while let Some(operation) = next {
                spills = spills.saturating_add(operation_spills(operation));
                // Every loop has a branch to an earlier block.
                let repeats = operation
                    .successors()
                    .any(|to| seen.contains(&to.to_raw().ptr));
                all.push((operation, Some(current.to_raw().ptr) == entry, repeats));
                next = operation.next_in_block();
            }
            block = current.next_in_region();
        }
        for (index, &(operation, in_entry, repeats)) in all.iter().enumerate() {
            if repeats {
                let site = self.site(operation)?;
                let emitter = self.emitter(operation)?;
                let site = emitter.constant(32, site)?;
                emitter.call("__tx_repeat", &[site], None)?;
            }
            if index == 0 && !is_kernel {
                // Functions can be recursive. The stack check turns infinite recursion into a
                // fault.
                let emitter = self.emitter(operation)?;
                let bytes = emitter.constant(64, 0)?;
                let site = self.site(function)?;
                let site = emitter.constant(32, site)?;
                emitter.call("__tx_stack", &[bytes, site], None)?;
            }
            self.operation(operation, in_entry, &mut uses, &mut frame)?;
        }
        self.frame_bytes += frame + spills.min(MAX_SPILLS);
        Ok(uses)
    }

    pub(super) fn emitter<'a>(
        &self,
        operation: OperationRef<'c, 'a>,
    ) -> Result<Emitter<'c, 'a>, Error> {
        Emitter::new(self.context, operation, operation.location())
    }

    /// Registers an instrumented operation and returns its index, which identifies the operation in
    /// faults.
    pub(super) fn site(&mut self, operation: OperationRef<'_, '_>) -> Result<i64, Error> {
        if self.sites.len() == MAX_SITES {
            return Err(Error::TooLarge { limit: MAX_SITES });
        }
        let name = name(operation);
        let operation_name = match self.names.get(&name) {
            Some(name) => name.clone(),
            None => {
                let shared: Arc<str> = name.as_str().into();
                self.names.insert(name, shared.clone());
                shared
            }
        };
        self.sites.push(SiteInfo {
            location: source(operation.location()),
            operation: operation_name,
        });
        Ok(self.sites.len() as i64 - 1)
    }

    fn operation<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        in_entry: bool,
        uses: &mut Uses,
        frame: &mut u64,
    ) -> Result<(), Error> {
        let name = name(operation);
        if name.starts_with("nvvm.") {
            return self.nvvm(operation, &name);
        }
        let assembly = operation.attribute("asm_string").ok();
        let assembly = assembly.and_then(|text| StringAttribute::try_from(text).ok());
        if let Some(bytes) = assembly.and_then(|text| tx_mlir::AsyncStore::bytes_of(text.value())) {
            return self.async_store(operation, bytes);
        }
        if !name.starts_with("llvm.") || REFUSED.contains(&name.as_str()) {
            return Err(unsupported(operation, &name));
        }
        if DROPPED.contains(&name.as_str()) {
            // SAFETY: the operation has no results.
            unsafe { erase(operation) };
            return Ok(());
        }
        match name.as_str() {
            "llvm.alloca" => return self.alloca(operation, in_entry, frame),
            "llvm.mlir.addressof" => return self.address_of(operation, uses),
            "llvm.call" => return self.call(operation, uses),
            "llvm.call_intrinsic" => return self.call_intrinsic(operation),
            "llvm.sdiv" | "llvm.srem" => return self.division(operation, true),
            "llvm.udiv" | "llvm.urem" => return self.division(operation, false),
            "llvm.intr.masked.load" => return self.masked(operation, 0, 1, AccessKind::Read),
            "llvm.intr.masked.store" => return self.masked(operation, 1, 2, AccessKind::Write),
            "llvm.intr.trap" | "llvm.intr.debugtrap" | "llvm.intr.ubsantrap" => {
                self.trap(operation)?;
                // SAFETY: the operation has no results.
                unsafe { erase(operation) };
                return Ok(());
            }
            "llvm.unreachable" => return self.trap(operation),
            "llvm.fence" => return self.fence(operation),
            _ => {}
        }
        if let (Ok(flags), Some(none)) = (operation.attribute("fastmathFlags"), self.no_flags)
            && flags != none
        {
            // Fast-math flags permit several results, so the host result could differ from the GPU
            // result.
            set_attribute(operation, "fastmathFlags", none);
        }
        let accesses = accesses(operation, &name)?;
        if accesses.is_empty() {
            let has_pointer = operation
                .operands()
                .any(|operand| address_space(operand.r#type()).is_some());
            if has_pointer && !POINTER_ARITHMETIC.contains(&name.as_str()) {
                return Err(unsupported(operation, &name));
            }
            if name == "llvm.getelementptr" {
                // The executor reports an address outside its buffer. LLVM would treat such an
                // address as undefined behaviour.
                remove_attribute(operation, "noWrapFlags");
            }
            let replacement = float::lower(&self.emitter(operation)?, operation, &name)?;
            if replacement.is_some() {
                replace(operation, replacement);
                // SAFETY: all uses of the result were replaced.
                unsafe { erase(operation) };
            }
            return Ok(());
        }
        for hint in HINTS {
            remove_attribute(operation, hint);
        }
        for access in accesses {
            self.check(operation, &access)?;
        }
        if name == "llvm.atomicrmw"
            && let Some(kind) = integer(operation, "bin_op").and_then(Extremum::of_atomic)
        {
            return self.atomic_extremum(operation, kind);
        }
        Ok(())
    }

    fn call_intrinsic<'a>(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Error> {
        let called = operation
            .attribute("intrin")
            .ok()
            .and_then(|attribute| StringAttribute::try_from(attribute).ok())
            .map(|attribute| attribute.value().to_owned())
            .unwrap_or_default();
        if let Some((_, hook)) = APPROXIMATIONS.iter().find(|(known, _)| *known == called) {
            let operands: Vec<_> = operation.operands().collect();
            let emitter = self.emitter(operation)?;
            replace(
                operation,
                emitter.call(hook, &operands, Some(result_type(operation)?))?,
            );
            // SAFETY: all uses of the result were replaced.
            unsafe { erase(operation) };
            return Ok(());
        }
        let Some(known) = CALLED.iter().find(|known| **known == called) else {
            return Err(unsupported(
                operation,
                &format!("llvm.call_intrinsic of {called}"),
            ));
        };
        let name = known.replacen("llvm.", "llvm.intr.", 1);
        let emitter = self.emitter(operation)?;
        let value = match float::lower(&emitter, operation, &name)? {
            Some(value) => value,
            None => {
                let operands: Vec<_> = operation.operands().collect();
                emitter.value(&name, &operands, &[], result_type(operation)?)?
            }
        };
        replace(operation, Some(value));
        // SAFETY: all uses of the result were replaced.
        unsafe { erase(operation) };
        Ok(())
    }

    /// Replaces a fence by a hook call. A fence whose scope is narrower than the device is removed
    /// instead.
    fn fence<'a>(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Error> {
        let scope = operation.attribute("syncscope").ok();
        let scope = scope.and_then(|scope| StringAttribute::try_from(scope).ok());
        let scope = scope.map(|scope| scope.value().to_owned());
        let ordering = integer(operation, "ordering").unwrap_or(0);
        if let Some(fence) = Fence::of_llvm(ordering, &scope.unwrap_or_default()) {
            let emitter = self.emitter(operation)?;
            let code = emitter.constant(32, fence_code(fence).into())?;
            emitter.call("__tx_fence", &[code], None)?;
        }
        // SAFETY: the operation has no results.
        unsafe { erase(operation) };
        Ok(())
    }

    /// Rewrites an atomic minimum or maximum as a load and a store. The pair is atomic, because
    /// threads switch only inside hooks.
    fn atomic_extremum<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        kind: Extremum,
    ) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let pointer = operand(operation, 0)?;
        let value = operand(operation, 1)?;
        let old = emitter.value("llvm.load", &[pointer], &[], value.r#type())?;
        let new = float::extremum(&emitter, operation, kind, old, value)?;
        emitter.op("llvm.store", &[new, pointer], &[], None)?;
        replace(operation, Some(old));
        // SAFETY: all uses of the result were replaced.
        unsafe { erase(operation) };
        Ok(())
    }

    /// Replaces an asynchronous store by three operations: a check of the access, a signal to the
    /// mbarrier object, and a plain store. Threads switch only before the check, so no thread sees
    /// the signal without the store.
    fn async_store<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        bytes: u64,
    ) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        self.check(
            operation,
            &Access {
                pointer: 0,
                kind: AccessKind::Write,
                reads: false,
                writes: true,
                size: Size::Bytes(bytes),
                alignment: bytes,
            },
        )?;
        let [slot, value, barrier] = [0, 1, 2].map(|index| operand(operation, index));
        let word = emitter.integer_type(64);
        let address = emitter.value("llvm.ptrtoint", &[barrier?], &[], word)?;
        let bytes = emitter.constant(64, bytes as i64)?;
        let site = emitter.constant(32, self.site(operation)?)?;
        emitter.call("__tx_mbarrier_signal", &[address, bytes, site], None)?;
        emitter.op("llvm.store", &[value?, slot?], &[], None)?;
        // SAFETY: the operation has no results.
        unsafe { erase(operation) };
        Ok(())
    }

    fn check<'a>(&mut self, operation: OperationRef<'c, 'a>, access: &Access) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let pointer = operand(operation, access.pointer)?;
        let space = space(operation, pointer)?;
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], emitter.integer_type(64))?;
        let bytes = match access.size {
            Size::Bytes(bytes) => emitter.constant(64, bytes as i64)?,
            Size::Operand(index) => {
                let bytes = operand(operation, index)?;
                emitter.cast("llvm.zext", bytes, emitter.integer_type(64))?
            }
        };
        let flags = access_flags(
            access.kind,
            [access.reads, access.writes],
            space,
            access.alignment,
        );
        let flags = emitter.constant(32, flags.into())?;
        let site = emitter.constant(32, self.site(operation)?)?;
        emitter.call("__tx_access", &[address, bytes, flags, site], None)?;
        Ok(())
    }

    /// Emits a call of the hook that checks accesses to the vector elements selected by a mask.
    fn masked<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        pointer: usize,
        mask: usize,
        kind: AccessKind,
    ) -> Result<(), Error> {
        for hint in HINTS {
            remove_attribute(operation, hint);
        }
        let r#type = match kind {
            AccessKind::Read => result_type(operation)?,
            _ => operand(operation, 0)?.r#type(),
        };
        let (count, element) = vector(r#type).ok_or_else(|| unsupported_type(operation, r#type))?;
        let element = layout(element).ok_or_else(|| unsupported_type(operation, element))?;
        let align = alignment(operation)?.unwrap_or(element.align);
        let emitter = self.emitter(operation)?;
        let pointer = operand(operation, pointer)?;
        let space = space(operation, pointer)?;
        let word = emitter.integer_type(64);
        let address = emitter.value("llvm.ptrtoint", &[pointer], &[], word)?;
        let bits = u32::try_from(count).map_err(|_| unsupported_type(operation, r#type))?;
        let all = emitter.integer_type(bits);
        let mask = emitter.value("llvm.bitcast", &[operand(operation, mask)?], &[], all)?;
        let bytes = emitter.constant(64, element.allocated() as i64)?;
        let reads = kind == AccessKind::Read;
        let flags = access_flags(kind, [reads, !reads], space, align.min(element.align));
        let flags = emitter.constant(32, flags.into())?;
        let site = emitter.constant(32, self.site(operation)?)?;
        // The hook takes a mask of at most 64 elements.
        for first in (0..bits).step_by(64) {
            let (address, mask) = if first == 0 {
                (address, mask)
            } else {
                let offset = u64::from(first) * element.allocated();
                let offset = emitter.constant(64, offset as i64)?;
                let places = emitter.constant(bits, first.into())?;
                (
                    emitter.value("llvm.add", &[address, offset], &[], word)?,
                    emitter.value("llvm.lshr", &[mask, places], &[], all)?,
                )
            };
            let resize = if bits < 64 { "llvm.zext" } else { "llvm.trunc" };
            let mask = emitter.cast(resize, mask, word)?;
            let arguments = [address, bytes, mask, flags, site];
            emitter.call("__tx_masked_access", &arguments, None)?;
        }
        Ok(())
    }

    /// Emits a call that registers private memory with its bounds.
    fn alloca<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        in_entry: bool,
        frame: &mut u64,
    ) -> Result<(), Error> {
        let element = operation
            .attribute("elem_type")
            .ok()
            .and_then(|attribute| TypeAttribute::try_from(attribute).ok())
            .map(|attribute| attribute.value())
            .ok_or_else(|| internal("llvm.alloca without a type"))?;
        let element = layout(element)
            .ok_or_else(|| unsupported_type(operation, element))?
            .allocated();
        let count = operand(operation, 0)?;
        let site = self.site(operation)?;
        let before = self.emitter(operation)?;
        let word = before.integer_type(64);
        let size = |emitter: &Emitter<'c, 'a>| {
            let wide = emitter.cast("llvm.zext", count, word)?;
            let element = emitter.constant(64, element as i64)?;
            emitter.value("llvm.mul", &[wide, element], &[], word)
        };
        let bytes = match constant(count) {
            Some(count) if in_entry => {
                let align = alignment(operation)?.unwrap_or(16);
                let whole = (count as u64)
                    .checked_mul(element)
                    .and_then(|bytes| bytes.checked_add(align + *frame))
                    .filter(|&whole| whole < 1 << 30)
                    .ok_or_else(|| unsupported(operation, "llvm.alloca (of 1 GiB or more)"))?;
                *frame = whole;
                size(&before)?
            }
            _ => {
                let bytes = size(&before)?;
                let site = before.constant(32, site)?;
                before.call("__tx_stack", &[bytes, site], None)?;
                bytes
            }
        };
        let next = operation
            .next_in_block()
            .ok_or_else(|| internal("llvm.alloca at the end of a block"))?;
        let after = Emitter::new(self.context, next, operation.location())?;
        let address = after.value("llvm.ptrtoint", &[first_result(operation)?], &[], word)?;
        after.call("__tx_private", &[address, bytes], None)?;
        Ok(())
    }

    fn address_of<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        uses: &mut Uses,
    ) -> Result<(), Error> {
        let variable = symbol_attribute(operation, "global_name")
            .and_then(|name| self.shared.get(&name).copied());
        let Some(variable) = variable else {
            return Ok(());
        };
        uses.shared.insert(variable);
        let emitter = self.emitter(operation)?;
        let number = emitter.constant(32, variable as i64)?;
        let address = emitter.call("__tx_shared", &[number], Some(result_type(operation)?))?;
        replace(operation, address);
        // SAFETY: all uses of the result were replaced.
        unsafe { erase(operation) };
        Ok(())
    }

    fn call<'a>(&mut self, operation: OperationRef<'c, 'a>, uses: &mut Uses) -> Result<(), Error> {
        let callee = symbol_attribute(operation, "callee");
        if let Some(hook) = callee.as_deref().and_then(Printer::of)
            && callee
                .as_ref()
                .is_some_and(|callee| !self.functions.contains(callee))
        {
            return self.print(operation, hook);
        }
        let callee = callee
            .filter(|callee| self.functions.contains(callee))
            .ok_or_else(|| unsupported(operation, "llvm.call (through a pointer)"))?;
        uses.calls.insert(callee);
        for name in [
            "access_groups",
            "alias_scopes",
            "noalias_scopes",
            "tbaa",
            "memory_effects",
            "arg_attrs",
            "res_attrs",
        ] {
            remove_attribute(operation, name);
        }
        Ok(())
    }

    fn print<'a>(&mut self, operation: OperationRef<'c, 'a>, hook: Printer) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let word = emitter.integer_type(64);
        let site = emitter.constant(32, self.site(operation)?)?;
        let result = operation.result(0).ok().map(|result| result.r#type());
        let types = operation
            .operands()
            .map(|operand| Word::of(operand.r#type()));
        let is_known = types.eq(hook.operands.iter().copied().map(Some))
            && result.map(Word::of) == hook.result.map(Some);
        if !is_known {
            return Err(unsupported(
                operation,
                &format!(
                    "llvm.call of `{}` (with other types than it has)",
                    hook.name
                ),
            ));
        }
        let mut arguments = Vec::new();
        for index in 0..hook.addresses {
            arguments.push(emitter.cast("llvm.ptrtoint", operand(operation, index)?, word)?);
        }
        arguments.push(site);
        replace(operation, emitter.call(hook.hook, &arguments, result)?);
        // SAFETY: all uses of the result, if any, were replaced.
        unsafe { erase(operation) };
        Ok(())
    }

    /// Emits a check of an integer division, because an undefined division traps on the host. The
    /// division uses the divisor that the checking hook returns, so LLVM cannot move the division
    /// before the check.
    fn division<'a>(&mut self, operation: OperationRef<'c, 'a>, signed: bool) -> Result<(), Error> {
        let divisor = operand(operation, 1)?;
        if constant(divisor).is_some_and(|divisor| divisor != 0 && divisor != -1) {
            return Ok(());
        }
        let dividend = operand(operation, 0)?;
        let r#type = divisor.r#type();
        let emitter = self.emitter(operation)?;
        let word = emitter.integer_type(64);
        let (count, scalar) =
            vector(r#type).map_or((None, r#type), |(count, element)| (Some(count), element));
        let bits = scalar_bits(scalar)
            .filter(|&bits| bits <= 64)
            .ok_or_else(|| unsupported_type(operation, r#type))? as i64;
        let extend = if signed { "llvm.sext" } else { "llvm.zext" };
        let site = emitter.constant(32, self.site(operation)?)?;
        let width = emitter.constant(32, if signed { bits } else { -bits })?;
        let mut checked = divisor;
        for index in 0..count.unwrap_or(1) {
            let at = emitter.constant(32, index as i64)?;
            let part = |value: Value<'c, 'a>| match count {
                None => Ok(value),
                Some(_) => emitter.value("llvm.extractelement", &[value, at], &[], scalar),
            };
            let dividend = emitter.cast(extend, part(dividend)?, word)?;
            let divisor = emitter.cast(extend, part(divisor)?, word)?;
            let arguments = [dividend, divisor, width, site];
            let divisor = emitter
                .call("__tx_division", &arguments, Some(word))?
                .ok_or_else(|| internal("a check without the divisor"))?;
            let divisor = emitter.cast("llvm.trunc", divisor, scalar)?;
            checked = match count {
                None => divisor,
                Some(_) => {
                    let operands = [checked, divisor, at];
                    emitter.value("llvm.insertelement", &operands, &[], r#type)?
                }
            };
        }
        // SAFETY: the value is alive, dominates the operation, and has the type of the operand.
        unsafe { raw::mlirOperationSetOperand(operation.to_raw(), 1, checked.to_raw()) };
        Ok(())
    }

    fn trap<'a>(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Error> {
        let emitter = self.emitter(operation)?;
        let site = emitter.constant(32, self.site(operation)?)?;
        emitter.call("__tx_trap", &[site], None)?;
        Ok(())
    }

    fn nvvm<'a>(&mut self, operation: OperationRef<'c, 'a>, name: &str) -> Result<(), Error> {
        let site = self.site(operation)?;
        let emitter = self.emitter(operation)?;
        let result = nvvm::lower(&emitter, operation, name, site)?;
        replace(operation, result);
        // SAFETY: all uses of the result, if any, were replaced.
        unsafe { erase(operation) };
        Ok(())
    }
}

pub(super) fn operand<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    index: usize,
) -> Result<Value<'c, 'a>, Error> {
    operation
        .operand(index)
        .map_err(|error| internal(&error.to_string()))
}

pub(super) fn first_result<'c, 'a>(
    operation: OperationRef<'c, 'a>,
) -> Result<Value<'c, 'a>, Error> {
    operation
        .result(0)
        .map(Value::from)
        .map_err(|error| internal(&error.to_string()))
}

pub(super) fn result_type<'c>(operation: OperationRef<'c, '_>) -> Result<Type<'c>, Error> {
    Ok(first_result(operation)?.r#type())
}

fn constant(value: Value<'_, '_>) -> Option<i64> {
    let result = OperationResult::try_from(value).ok()?;
    let owner = result.owner();
    (name(owner) == "llvm.mlir.constant")
        .then(|| integer(owner, "value"))
        .flatten()
}

fn symbol_attribute(operation: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let attribute = operation.attribute(name).ok()?;
    let symbol = FlatSymbolRefAttribute::try_from(attribute).ok()?;
    Some(symbol.value().to_string())
}

pub(super) fn unsupported(operation: OperationRef<'_, '_>, what: &str) -> Error {
    Error::UnsupportedOperation {
        location: source(operation.location()),
        operation: what.into(),
    }
}

pub(super) fn unsupported_type(operation: OperationRef<'_, '_>, r#type: Type<'_>) -> Error {
    super::unsupported_type(operation, r#type)
}
