//! Wrapper of MLIR's execution engine, which compiles a module for the host and looks up symbols.

use crate::{hooks, libm, schedule::Entry};
use melior::{StringRef, ir::Module};
use mlir_sys as raw;

/// LLVM optimisation level, 0 to 3. A level above 1 slows down the compilation, and saves little
/// run time, because generated code spends most of its time in hooks.
const OPTIMIZATION: i32 = 1;

/// Error of a compilation or a symbol lookup. MLIR has already reported the reason for the error as
/// a diagnostic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineError;

/// Compiled code of a module. Dropping an `Engine` frees the compiled code.
pub(crate) struct Engine(raw::MlirExecutionEngine);

impl Engine {
    /// Compiles a module. `externals` lists all host functions that the module calls, except the
    /// hooks.
    pub(crate) fn new(
        module: &Module<'_>,
        externals: &[(String, *mut ())],
    ) -> Result<Self, EngineError> {
        // SAFETY: the module is alive and not consumed; the list of libraries is empty.
        let engine = unsafe {
            raw::mlirExecutionEngineCreate(
                module.to_raw(),
                OPTIMIZATION,
                0,
                std::ptr::null(),
                false,
                false,
            )
        };
        if engine.ptr.is_null() {
            return Err(EngineError);
        }
        let engine = Self(engine);
        for (name, address) in hooks::symbols().into_iter().chain(libm::builtins()) {
            engine.register(name, address);
        }
        for (name, address) in externals {
            engine.register(name, *address);
        }
        Ok(engine)
    }

    fn register(&self, name: &str, address: *mut ()) {
        // SAFETY: the engine is alive and copies the name; the address belongs to a function, and
        // therefore stays valid.
        unsafe {
            raw::mlirExecutionEngineRegisterSymbol(
                self.0,
                StringRef::new(name).to_raw(),
                address.cast(),
            );
        }
    }

    pub(crate) fn kernel(&self, symbol: &str) -> Result<Entry, EngineError> {
        // SAFETY: the engine is alive.
        let address = unsafe {
            raw::mlirExecutionEngineLookupPacked(self.0, StringRef::new(symbol).to_raw())
        };
        if address.is_null() {
            return Err(EngineError);
        }
        // SAFETY: for every function, MLIR generates a wrapper that takes an array of pointers to
        // the arguments.
        Ok(unsafe { std::mem::transmute::<*mut std::ffi::c_void, Entry>(address) })
    }

    pub(crate) fn variable(&self, symbol: &str) -> Result<u64, EngineError> {
        // SAFETY: the engine is alive.
        let address =
            unsafe { raw::mlirExecutionEngineLookup(self.0, StringRef::new(symbol).to_raw()) };
        if address.is_null() {
            return Err(EngineError);
        }
        Ok(address as u64)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: created in `new` and destroyed only here.
        unsafe { raw::mlirExecutionEngineDestroy(self.0) }
    }
}
