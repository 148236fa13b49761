//! Rewriting of device functions, one operation at a time.

use super::{
    access::{Access, AccessSize, HINTS, accesses},
    call,
    emit::{erase, remove_attribute, replace, set_attribute},
    float::{self, Extremum},
    instrument::Instrumenter,
    layout::{address_space, spilled},
    nvvm,
    operation::{integer, name, operand, result_type, symbol_attribute, unsupported},
};
use crate::{
    fault::{AccessKind, Error},
    happens_before::Fence,
    hook_interface::fence_code,
    location::SiteInfo,
};
use melior::{
    Context,
    ir::{
        Attribute, BlockLike, OperationRef, RegionLike, ValueLike, attribute::StringAttribute,
        operation::OperationLike,
    },
};
use std::collections::{BTreeMap, BTreeSet};

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

/// Operations that are only optimisation hints. The conversion removes optimisation hints: LLVM
/// assumes that the program satisfies every hint, but an invalid program may violate a hint.
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

/// Operations that the conversion rejects: LLVM can compile these operations for the host, but a
/// GPU thread cannot execute them.
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

/// Maximum stack size that is reserved for the spilled values of one function, in bytes. The upper
/// bound of the stack size counts every value of a function as spilled; 16 MiB suffice, because no
/// function spills all of its values at the same time.
const MAX_SPILLS: u64 = 16 << 20;

/// Returns an upper bound, in bytes, of the stack space that the spilled results of an operation
/// need.
fn operation_spills(operation: OperationRef<'_, '_>) -> u64 {
    let results = operation
        .results()
        .map(|result| spilled(result.r#type()))
        .fold(0, u64::saturating_add);
    // LLVM spills a vector whose elements are accessed by a dynamic index.
    let indexed = ["llvm.extractelement", "llvm.insertelement"].contains(&name(operation).as_str());
    let whole = operation
        .operands()
        .filter(|_| indexed)
        .map(|operand| spilled(operand.r#type()))
        .fold(0, u64::saturating_add);
    results.saturating_add(whole)
}

pub(super) struct Rewriter<'c, 's> {
    instrumenter: Instrumenter<'c>,
    /// `#llvm.fastmath<none>`.
    no_flags: Option<Attribute<'c>>,
    shared: &'s BTreeMap<String, usize>,
    functions: &'s BTreeSet<String>,
    frame_bytes: u64,
}

impl<'c, 's> Rewriter<'c, 's> {
    pub(super) fn new(
        context: &'c Context,
        shared: &'s BTreeMap<String, usize>,
        functions: &'s BTreeSet<String>,
    ) -> Self {
        Self {
            instrumenter: Instrumenter::new(context),
            no_flags: Attribute::parse(context, "#llvm.fastmath<none>"),
            shared,
            functions,
            frame_bytes: 0,
        }
    }

    pub(super) fn finish(self) -> (Vec<SiteInfo>, u64) {
        (self.instrumenter.into_sites(), self.frame_bytes)
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
                let site = self.instrumenter.site(operation)?;
                let emitter = self.instrumenter.emitter(operation)?;
                let site = emitter.constant(32, site)?;
                emitter.call("__tx_repeat", &[site], None)?;
            }
            if index == 0 && !is_kernel {
                // Functions can be recursive. The stack check turns infinite recursion into a
                // fault.
                let emitter = self.instrumenter.emitter(operation)?;
                let bytes = emitter.constant(64, 0)?;
                let site = self.instrumenter.site(function)?;
                let site = emitter.constant(32, site)?;
                emitter.call("__tx_stack", &[bytes, site], None)?;
            }
            self.operation(operation, in_entry, &mut uses, &mut frame)?;
        }
        self.frame_bytes += frame + spills.min(MAX_SPILLS);
        Ok(uses)
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
            "llvm.alloca" => return self.instrumenter.alloca(operation, in_entry, frame),
            "llvm.mlir.addressof" => return self.address_of(operation, uses),
            "llvm.call" => {
                let callee = call::rewrite_call(&mut self.instrumenter, operation, self.functions)?;
                uses.calls.extend(callee);
                return Ok(());
            }
            "llvm.call_intrinsic" => return call::rewrite_intrinsic(&self.instrumenter, operation),
            "llvm.sdiv" | "llvm.srem" => return self.instrumenter.division(operation, true),
            "llvm.udiv" | "llvm.urem" => return self.instrumenter.division(operation, false),
            "llvm.intr.masked.load" => {
                return self.instrumenter.masked(operation, 0, 1, AccessKind::Read);
            }
            "llvm.intr.masked.store" => {
                return self.instrumenter.masked(operation, 1, 2, AccessKind::Write);
            }
            "llvm.intr.trap" | "llvm.intr.debugtrap" | "llvm.intr.ubsantrap" => {
                self.instrumenter.trap(operation)?;
                // SAFETY: the operation has no results.
                unsafe { erase(operation) };
                return Ok(());
            }
            "llvm.unreachable" => return self.instrumenter.trap(operation),
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
                // The executor reports an address outside its buffer. With no-wrap flags, LLVM
                // would treat the computation of such an address as undefined behaviour.
                remove_attribute(operation, "noWrapFlags");
            }
            let replacement =
                float::lower(&self.instrumenter.emitter(operation)?, operation, &name)?;
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
            self.instrumenter.check(operation, &access)?;
        }
        if name == "llvm.atomicrmw"
            && let Some(kind) = integer(operation, "bin_op").and_then(Extremum::of_atomic)
        {
            return self.atomic_extremum(operation, kind);
        }
        Ok(())
    }

    /// Replaces a fence by a hook call. Removes a fence whose scope is narrower than the device.
    fn fence<'a>(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Error> {
        let scope = operation.attribute("syncscope").ok();
        let scope = scope.and_then(|scope| StringAttribute::try_from(scope).ok());
        let scope = scope.map(|scope| scope.value().to_owned());
        let ordering = integer(operation, "ordering").unwrap_or(0);
        if let Some(fence) = Fence::of_llvm(ordering, &scope.unwrap_or_default()) {
            let emitter = self.instrumenter.emitter(operation)?;
            let code = emitter.constant(32, fence_code(fence).into())?;
            emitter.call("__tx_fence", &[code], None)?;
        }
        // SAFETY: the operation has no results.
        unsafe { erase(operation) };
        Ok(())
    }

    /// Rewrites an atomic minimum or maximum as a load and a store. The load and the store are
    /// atomic together, because threads switch only inside hooks.
    fn atomic_extremum<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        kind: Extremum,
    ) -> Result<(), Error> {
        let emitter = self.instrumenter.emitter(operation)?;
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
    /// mbarrier object, and a plain store. Threads switch only before the check of the access, so
    /// no thread sees the signal to the mbarrier object without the store.
    fn async_store<'a>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        bytes: u64,
    ) -> Result<(), Error> {
        let emitter = self.instrumenter.emitter(operation)?;
        self.instrumenter.check(
            operation,
            &Access {
                pointer: 0,
                kind: AccessKind::Write,
                reads: false,
                writes: true,
                size: AccessSize::Bytes(bytes),
                alignment: bytes,
            },
        )?;
        let [slot, value, barrier] = [0, 1, 2].map(|index| operand(operation, index));
        let word = emitter.integer_type(64);
        let address = emitter.value("llvm.ptrtoint", &[barrier?], &[], word)?;
        let bytes = emitter.constant(64, bytes as i64)?;
        let site = emitter.constant(32, self.instrumenter.site(operation)?)?;
        emitter.call("__tx_mbarrier_signal", &[address, bytes, site], None)?;
        emitter.op("llvm.store", &[value?, slot?], &[], None)?;
        // SAFETY: the operation has no results.
        unsafe { erase(operation) };
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
        let emitter = self.instrumenter.emitter(operation)?;
        let number = emitter.constant(32, variable as i64)?;
        let address = emitter.call("__tx_shared", &[number], Some(result_type(operation)?))?;
        replace(operation, address);
        // SAFETY: all uses of the result were replaced.
        unsafe { erase(operation) };
        Ok(())
    }

    fn nvvm<'a>(&mut self, operation: OperationRef<'c, 'a>, name: &str) -> Result<(), Error> {
        let site = self.instrumenter.site(operation)?;
        let emitter = self.instrumenter.emitter(operation)?;
        let result = nvvm::lower(&emitter, operation, name, site)?;
        replace(operation, result);
        // SAFETY: all uses of the result, if any, were replaced.
        unsafe { erase(operation) };
        Ok(())
    }
}
