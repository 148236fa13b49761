//! MLIR context that records diagnostics instead of printing them.

use crate::bytecode::{self, is_bytecode, misread};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ffi::{self, TxStr};
use crate::ir::Op;
use crate::registration::register_upstream_dialects;
use crate::source;
use crate::{nesting, sizes};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, Module};
use melior::pass::PassManager;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of cached pass managers per session.
const MAX_PIPELINES: usize = 128;

/// Single-threaded MLIR context with all upstream dialects, and with the dialects that the caller
/// of [`Session::new`] registers. The session records the diagnostics of the context.
pub struct Session {
    /// Cached pass managers; the key is the text of the pipeline. The cache avoids repeated
    /// initialization of passes, which can take longer than the run of the passes. For example, the
    /// initialization of `canonicalize` collects the patterns of all dialects. Rust drops fields in
    /// declaration order. The field `pipelines` is declared first, because Rust must drop the pass
    /// managers before the context.
    pipelines: RefCell<BTreeMap<String, PassManager<'static>>>,
    context: Context,
    diagnostics: Arc<Mutex<Vec<Diagnostic>>>,
}

// SAFETY: contexts and pass managers have no thread-local state, and one thread at a time uses the
// context. The diagnostic handler shares only the list of diagnostics, which a mutex protects.
unsafe impl Send for Session {}

fn locked(diagnostics: &Mutex<Vec<Diagnostic>>) -> std::sync::MutexGuard<'_, Vec<Diagnostic>> {
    diagnostics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true, and emits an error, if `text` would crash MLIR's parser, or if `text` contains a
/// size attribute that MLIR's parser would silently drop.
pub(crate) fn is_refused(context: &Context, name: &str, text: &[u8]) -> bool {
    if let Some((line, column)) = nesting::too_deep(text) {
        let at = Location::new(context, name, line, column);
        let reason = format!("nested more than {} levels deep", nesting::MAX_LEVELS);
        crate::error(at, reason)
            .code(codes::TX0038)
            .note(
                "move the inner part into a function, or use fewer nested brackets, signs and \
                 aliases: each is a level of nesting",
            )
            .emit();
        return true;
    }
    if let Some((line, column)) = nesting::too_long(text) {
        let at = Location::new(context, name, line, column);
        let reason = format!("an expression of more than {} terms", nesting::MAX_TERMS);
        crate::error(at, reason)
            .code(codes::TX0038)
            .note(
                "split the expression, with `affine.apply` or more dimensions of the map: MLIR's \
                 parser recurses for each term, and its stack is limited",
            )
            .emit();
        return true;
    }
    let Some(sizes) = std::str::from_utf8(text).ok().and_then(sizes::dropped) else {
        return false;
    };
    let at = Location::new(context, name, sizes.line, sizes.column);
    let (attribute, value) = (sizes.name, sizes.value);
    let expected = sizes::rewritten(value).unwrap_or_else(|| "array<i32: X, Y, Z>".to_owned());
    crate::error(
        at,
        format!("`{attribute}` is `{value}`, expected `{expected}`"),
    )
    .code(codes::TX0036)
    .note("MLIR silently drops an attribute of another type")
    .emit();
    true
}

/// Parses MLIR text or bytecode. The locations of the parsed ops contain `name` as the file name.
/// The diagnostic handler of the context receives the errors of the parser.
pub(crate) fn parse<'c>(context: &'c Context, name: &str, source: &[u8]) -> Option<Module<'c>> {
    if let Some(damage) = bytecode::damage(source) {
        crate::error(Location::new(context, name, 0, 0), damage).emit();
        return None;
    }
    if !is_bytecode(source) && is_refused(context, name, source) {
        return None;
    }
    // MLIR's lexer needs a NUL after the last byte.
    let mut terminated = source.to_vec();
    terminated.push(0);
    let terminated = Rc::new(terminated);
    // SAFETY: both strings outlive the call, and the module is owned here.
    let module = source::while_parsing(name, terminated.clone(), || unsafe {
        Module::from_option_raw(ffi::txParseModule(
            context.to_raw(),
            TxStr::new(name),
            TxStr::bytes(&terminated[..source.len()]),
        ))
    })?;
    if is_bytecode(source) {
        // SAFETY: the op lives as long as the module.
        let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
        if let Some(op) = misread(top) {
            let reason = format!(
                "damaged bytecode: an attribute of `{}` is an array of neither integers nor \
                 floating-point numbers; \
                 write the file again",
                crate::name(op)
            );
            // MLIR cannot print the op, so the error message contains only the op name.
            crate::error(op.location(), reason).emit();
            return None;
        }
    }
    Some(module)
}

impl Session {
    /// Creates a session with the upstream dialects and the dialects that `register` adds.
    pub fn new(register: impl FnOnce(&DialectRegistry)) -> Self {
        let registry = DialectRegistry::new();
        register_upstream_dialects(&registry);
        register(&registry);
        let context = Context::new_with_registry(&registry, false);
        let diagnostics = Arc::new(Mutex::new(Vec::new()));
        let kept = diagnostics.clone();
        context.attach_diagnostic_handler(move |d| {
            let said = Diagnostic::from_melior(&d);
            let mut kept = locked(&kept);
            // MLIR applies a failed pattern again, and the pattern then emits the same diagnostic
            // again.
            if kept.last() != Some(&said) {
                kept.push(said);
            }
            true
        });
        Self {
            pipelines: RefCell::default(),
            context,
            diagnostics,
        }
    }

    /// Returns the MLIR context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns and clears the recorded diagnostics.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut locked(&self.diagnostics))
    }

    /// Parses MLIR text or bytecode. The locations of the parsed ops contain `name` as the file
    /// name.
    pub fn parse(&self, name: &str, source: &[u8]) -> Option<Module<'_>> {
        let parsed = parse(&self.context, name, source);
        if parsed.is_none() {
            // The note that contains the printed op is redundant, because the source text shows the
            // op.
            for diagnostic in locked(&self.diagnostics).iter_mut() {
                let shows_op = |n: &Diagnostic| n.message.starts_with("see current operation: ");
                diagnostic.notes.retain(|note| !shows_op(note));
            }
        }
        parsed
    }

    /// Parses the text of an attribute. If the attribute text is invalid, the function records an
    /// error and returns `None`. If the text is nested too deeply, the location of the error
    /// contains `name` as the file name.
    pub fn parse_attribute(&self, name: &str, text: &str) -> Option<Attribute<'_>> {
        if is_refused(&self.context, name, text.as_bytes()) {
            return None;
        }
        Attribute::parse(&self.context, text)
    }

    /// Runs a pass pipeline over `module`, and verifies the module after each pass. `pipeline` is
    /// pipeline text. If the pipeline text is invalid, or if a pass fails, the function records an
    /// error and returns false.
    pub fn run(&self, module: &mut Module<'_>, pipeline: &str) -> bool {
        self.run_passes(module, pipeline, true)
    }

    /// Runs a pipeline like [`Self::run`], but does not verify the module. Verification takes as
    /// long as a small pass. To save the time of verification, the caller may run several pipelines
    /// and then call [`Self::verify`] once.
    pub fn run_unverified(&self, module: &mut Module<'_>, pipeline: &str) -> bool {
        self.run_passes(module, pipeline, false)
    }

    /// Verifies `module`, and records verifier errors. Returns whether `module` is valid.
    pub fn verify(&self, module: &Module<'_>) -> bool {
        module.as_operation().verify()
    }

    fn run_passes(&self, module: &mut Module<'_>, pipeline: &str, verified: bool) -> bool {
        let kept = self.pipelines.borrow_mut().remove(pipeline);
        let manager = match kept.map_or_else(|| self.prepare(pipeline), Ok) {
            Ok(manager) => manager,
            Err(reason) => {
                let at = module.as_operation().location();
                crate::error(at, format!("pipeline `{pipeline}`: {reason}")).emit();
                return false;
            }
        };
        manager.enable_verifier(verified);
        let done = manager.run(module).is_ok();
        let mut pipelines = self.pipelines.borrow_mut();
        // After a failure, the function drops the pass manager, because the failed pass may be in
        // an inconsistent state.
        if done && pipelines.len() < MAX_PIPELINES {
            pipelines.insert(pipeline.to_owned(), manager);
        }
        done
    }

    fn prepare(&self, pipeline: &str) -> Result<PassManager<'static>, melior::Error> {
        let manager = PassManager::new(&self.context);
        parse_pipeline(&manager, pipeline)?;
        // SAFETY: a pass manager lives in `pipelines` or in `run_passes`, and the context outlives
        // both.
        Ok(unsafe { std::mem::transmute::<PassManager<'_>, PassManager<'static>>(manager) })
    }
}

fn parse_pipeline(manager: &PassManager<'_>, pipeline: &str) -> Result<(), melior::Error> {
    let text = format!("builtin.module({pipeline})");
    let _reading = crate::registration::reading();
    melior::utility::parse_pass_pipeline(manager.as_operation_pass_manager(), &text)
}

/// Checks the text of a pipeline over `builtin.module`, such as `cse,tile-schedule{chip=sm_90}`.
/// All passes and options in the pipeline text must be registered.
///
/// # Errors
/// Returns MLIR's error message.
pub fn check_pipeline(pipeline: &str) -> Result<(), String> {
    if nesting::too_deep(pipeline.as_bytes()).is_some() {
        return Err(format!(
            "nested more than {} levels deep",
            nesting::MAX_LEVELS
        ));
    }
    // A context without dialects suffices, because passes load their dialects when they run.
    let context = Context::new_with_threading(false);
    let said = Arc::new(Mutex::new(Vec::new()));
    let kept = said.clone();
    context.attach_diagnostic_handler(move |d| {
        locked(&kept).push(Diagnostic::from_melior(&d));
        true
    });
    let manager = PassManager::new(&context);
    let reason = match parse_pipeline(&manager, pipeline) {
        Ok(()) => return Ok(()),
        Err(melior::Error::ParsePassPipeline(reason)) => reason,
        Err(error) => error.to_string(),
    };
    let said: Vec<String> = locked(&said).iter().map(|d| d.message.clone()).collect();
    Err(match said.is_empty() {
        true => reason.trim().to_owned(),
        false => said.join("; "),
    })
}
