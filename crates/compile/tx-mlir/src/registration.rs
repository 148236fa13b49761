//! Registration of Rust passes and pipelines in MLIR's registry.
//!
//! Registered passes appear in `--help`, `--pass-pipeline`, timing reports, statistics and crash
//! reproducers, like the passes of MLIR.

use crate::diagnostic::{Failed, error, working_on};
use crate::ffi::{self, TxOption, TxPass, TxPipeline, TxSink, TxStatistic, TxStr};
use crate::ir::Op;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use mlir_sys::{MlirDialectHandle, MlirDialectRegistry, MlirOperation};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError, RwLock, RwLockReadGuard};

pub use crate::driver::{lsp_main, opt_main};

/// Option of a pass or a pipeline. Option values are text.
#[derive(Debug, Clone, Copy)]
pub struct OptionDesc {
    /// Name of the option on the command line, in kebab-case.
    pub name: &'static str,
    /// Help text, one line.
    pub help: &'static str,
    /// Kind of the option value that `--help` shows, such as `number`.
    pub ty: &'static str,
    /// Default value.
    pub init: &'static str,
}

/// Counter that `--mlir-pass-statistics` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatisticDesc {
    /// Name of the counter in the statistics report, in kebab-case.
    pub name: &'static str,
    /// Description of the counted event.
    pub help: &'static str,
}

/// Function that runs a pass. The arguments of the function are the op, the option values and the
/// counters.
pub type RunPass = for<'c> fn(Op<'c>, &[&str], &mut [i64]) -> Result<(), Failed>;

/// Description of a pass for MLIR's registry.
pub struct PassDesc {
    /// Name of the pass on the command line.
    pub argument: &'static str,
    /// Help text, one line.
    pub summary: &'static str,
    /// Name of the op on which the pass runs, usually `builtin.module`.
    pub anchor: &'static str,
    /// Options, in order.
    pub options: Vec<OptionDesc>,
    /// Counters, in order.
    pub statistics: Vec<StatisticDesc>,
    /// Dialects whose ops the pass creates.
    pub dialects: &'static [unsafe extern "C" fn() -> MlirDialectHandle],
    /// Function that checks the option values when MLIR parses a pipeline. The option values are in
    /// the order of [`PassDesc::options`].
    pub check: fn(&[&str]) -> Result<(), String>,
    /// Runs the pass. The option values are in the order of [`PassDesc::options`], and the counters
    /// are in the order of [`PassDesc::statistics`].
    pub run: RunPass,
}

/// Named pipeline: a function from option values to the text of a pass pipeline.
pub struct PipelineDesc {
    /// Name of the pipeline on the command line.
    pub argument: &'static str,
    /// Help text, one line.
    pub summary: &'static str,
    /// Options, in order.
    pub options: Vec<OptionDesc>,
    /// Returns the text of the pipeline for option values in the order of
    /// [`PipelineDesc::options`].
    pub expand: fn(&[&str]) -> Result<String, String>,
}

/// Lock of MLIR's pass registry, which is not thread-safe. MLIR reads the registry when it parses a
/// pipeline, and writes the registry when a pass is registered.
static REGISTRY: RwLock<()> = RwLock::new(());

/// Locks the registry for reading, so that no thread registers a pass while a pipeline is parsed.
pub(crate) fn reading() -> RwLockReadGuard<'static, ()> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `register` if no pass and no pipeline named `name` is registered. MLIR aborts the process
/// if a name is registered twice.
fn register_as(name: &str, register: impl FnOnce()) -> bool {
    let _writing = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the text outlives the call, and the lock excludes other writers.
    let free = !unsafe { ffi::txIsRegistered(TxStr::new(name)) };
    if free {
        register();
    }
    free
}

/// Returns whether MLIR's registry contains a pass or a pipeline named `name`.
pub fn is_registered(name: &str) -> bool {
    let _reading = reading();
    // SAFETY: the text outlives the call, and the lock excludes writers.
    unsafe { ffi::txIsRegistered(TxStr::new(name)) }
}

/// Passes and pipelines registered from Rust, in the order of registration.
static HELP_ENTRIES: Mutex<Vec<HelpEntry>> = Mutex::new(Vec::new());

/// Entry of the list of passes and pipelines in the `--help` text.
struct HelpEntry {
    is_pipeline: bool,
    argument: &'static str,
    summary: &'static str,
}

fn add_help_entry(is_pipeline: bool, argument: &'static str, summary: &'static str) {
    let mut entries = HELP_ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    entries.push(HelpEntry {
        is_pipeline,
        argument,
        summary,
    });
}

/// Returns the beginning of the `--help` text of an optimizer driver: a list of the passes and
/// pipelines registered from Rust.
pub(crate) fn help_overview(program: &str) -> String {
    let entries = HELP_ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    let width = entries.iter().map(|one| one.argument.len()).max();
    let width = width.unwrap_or(0);
    let lines = |is_pipeline: bool| -> String {
        let own = entries.iter().filter(|one| one.is_pipeline == is_pipeline);
        own.map(|one| format!("  --{:<width$}  {}\n", one.argument, one.summary))
            .collect()
    };
    let pipelines = lines(true);
    format!(
        "tx optimizer driver\n\n\
         Pipelines, as in `{program} FILE.mlir --PIPELINE`:\n\
         {pipelines}\n\
         Passes:\n\
         {}\n\
         All other passes are MLIR's. The list below contains all passes with their options, as \
         in\n\
         `--PASS=OPTION=VALUE`, and the options of the driver; `--help-hidden` lists more.\n",
        lines(false)
    )
}

/// Registers a pass for the rest of the process. Returns false, and changes nothing, if MLIR's
/// registry already contains a pass or a pipeline with the same name.
pub fn register_pass(desc: PassDesc) -> bool {
    register_as(desc.argument, || add_pass(desc))
}

fn add_pass(desc: PassDesc) {
    // The code leaks the description, because MLIR's registry refers to the description until the
    // process ends.
    let desc: &'static PassDesc = Box::leak(Box::new(desc));
    add_help_entry(false, desc.argument, desc.summary);
    let options = leak_options(&desc.options);
    let statistics: &'static [TxStatistic] = desc
        .statistics
        .iter()
        .map(|s| TxStatistic {
            name: leak_c_str(s.name),
            help: leak_c_str(s.help),
        })
        .collect::<Vec<_>>()
        .leak();
    let pass = Box::leak(Box::new(TxPass {
        argument: TxStr::new(desc.argument),
        summary: TxStr::new(desc.summary),
        anchor: TxStr::new(desc.anchor),
        options: options.as_ptr(),
        option_count: options.len(),
        statistics: statistics.as_ptr(),
        statistic_count: statistics.len(),
        rust: std::ptr::from_ref(desc).cast(),
        dialects: pass_dialects,
        check: pass_check,
        run: pass_run,
    }));
    // SAFETY: the code above has leaked all data to which `pass` points.
    unsafe { ffi::txRegisterPass(pass) }
}

/// Registers a pipeline for the rest of the process. Returns false, and changes nothing, if MLIR's
/// registry already contains a pass or a pipeline with the same name.
pub fn register_pipeline(desc: PipelineDesc) -> bool {
    register_as(desc.argument, || add_pipeline(desc))
}

fn add_pipeline(desc: PipelineDesc) {
    let desc: &'static PipelineDesc = Box::leak(Box::new(desc));
    add_help_entry(true, desc.argument, desc.summary);
    let options = leak_options(&desc.options);
    let pipeline = Box::leak(Box::new(TxPipeline {
        argument: TxStr::new(desc.argument),
        summary: TxStr::new(desc.summary),
        options: options.as_ptr(),
        option_count: options.len(),
        rust: std::ptr::from_ref(desc).cast(),
        expand: pipeline_expand,
    }));
    // SAFETY: the code above has leaked all data to which `pipeline` points.
    unsafe { ffi::txRegisterPipeline(pipeline) }
}

/// Registers the passes of MLIR. Only the first call of `register_upstream_passes` in a process has
/// an effect.
pub fn register_upstream_passes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _writing = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        melior::utility::register_all_passes();
    });
}

/// Adds every upstream dialect, extension and translation to `registry`.
pub fn register_upstream_dialects(registry: &DialectRegistry) {
    melior::utility::register_all_dialects(registry);
    // SAFETY: `registry` is alive.
    unsafe { ffi::txRegisterTranslations(registry.to_raw()) }
}

/// Counters of a pass, summed over all runs of the pass in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassStatistics {
    /// Command-line name of the pass.
    pub argument: &'static str,
    /// Counters and their totals, in the order of [`PassDesc::statistics`].
    pub totals: Vec<(StatisticDesc, i64)>,
}

static TOTALS: Mutex<BTreeMap<&'static str, PassStatistics>> = Mutex::new(BTreeMap::new());

/// Returns the counters of all passes that ran in this process, sorted by pass name. MLIR's own
/// statistics report is empty if LLVM was built without statistics, as in the LLVM packages of
/// Linux distributions.
pub fn statistics() -> Vec<PassStatistics> {
    TOTALS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .values()
        .cloned()
        .collect()
}

fn count(desc: &'static PassDesc, counts: &[i64]) {
    let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = totals
        .entry(desc.argument)
        .or_insert_with(|| PassStatistics {
            argument: desc.argument,
            totals: desc.statistics.iter().map(|s| (*s, 0)).collect(),
        });
    for ((_, total), count) in entry.totals.iter_mut().zip(counts) {
        *total += count;
    }
}

fn leak_c_str(text: &str) -> *const c_char {
    CString::new(text.replace('\0', " "))
        .unwrap_or_default()
        .into_raw()
}

fn leak_options(options: &[OptionDesc]) -> &'static [TxOption] {
    options
        .iter()
        .map(|o| TxOption {
            name: leak_c_str(o.name),
            help: leak_c_str(o.help),
            ty: leak_c_str(o.ty),
            init: leak_c_str(o.init),
        })
        .collect::<Vec<_>>()
        .leak()
}

/// Calls `f` with the option values that the C++ bridge passes as the array `values` of length
/// `count`.
///
/// # Safety
/// `values` must point at `count` strings.
unsafe fn with_values<R>(values: *const TxStr, count: usize, f: impl FnOnce(&[&str]) -> R) -> R {
    let owned: Vec<_> = (0..count)
        // SAFETY: the caller guarantees `count` strings at `values`.
        .map(|i| unsafe { (*values.add(i)).as_str() })
        .collect();
    let values: Vec<&str> = owned.iter().map(AsRef::as_ref).collect();
    f(&values)
}

unsafe extern "C" fn pass_dialects(rust: *const c_void, registry: MlirDialectRegistry) {
    // SAFETY: `rust` is the leaked `PassDesc` of `register_pass`.
    let desc = unsafe { &*rust.cast::<PassDesc>() };
    for handle in desc.dialects {
        // SAFETY: dialect handles are static, and the registry is alive during the call.
        unsafe { mlir_sys::mlirDialectHandleInsertDialect(handle(), registry) }
    }
}

unsafe extern "C" fn pass_check(
    rust: *const c_void,
    values: *const TxStr,
    emit: TxSink,
    sink: *mut c_void,
) -> bool {
    // SAFETY: `rust` is the leaked `PassDesc`; `values` has one entry per option.
    let result = unsafe {
        let desc = &*rust.cast::<PassDesc>();
        with_values(values, desc.options.len(), |v| {
            (desc.check)(v).map_err(|e| format!("`{}`: {e}", desc.argument))
        })
    };
    // SAFETY: `emit` copies the text into the object at `sink`.
    result
        .map_err(|e| unsafe { emit(sink, TxStr::new(&e)) })
        .is_ok()
}

unsafe extern "C" fn pass_run(
    rust: *const c_void,
    op: MlirOperation,
    values: *const TxStr,
    statistics: *mut i64,
) -> bool {
    // SAFETY: `rust` is the leaked `PassDesc`; the arrays have one entry per option and per
    // counter; MLIR keeps `op` alive while the pass runs.
    let (desc, op, statistics) = unsafe {
        let desc: &'static PassDesc = &*rust.cast();
        let statistics = match desc.statistics.len() {
            0 => &mut [],
            n => std::slice::from_raw_parts_mut(statistics, n),
        };
        (desc, Op::from_raw(op), statistics)
    };
    working_on(op, || caught(desc, op, values, statistics))
}

/// Runs a pass. A panic of the pass becomes an error diagnostic, because a panic must not unwind
/// into C++.
fn caught(
    desc: &'static PassDesc,
    op: Op<'_>,
    values: *const TxStr,
    statistics: &mut [i64],
) -> bool {
    let run = || {
        // SAFETY: MLIR passes one value per option.
        unsafe {
            with_values(values, desc.options.len(), |v| {
                (desc.run)(op, v, &mut *statistics)
            })
        }
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => {
            count(desc, statistics);
            result.is_ok()
        }
        Err(payload) => {
            let reason = crate::panic_message(payload.as_ref());
            error(
                op.location(),
                format!("internal error in `{}`: {reason}", desc.argument),
            )
            .note("this is a bug in the pass, not in the program")
            .emit();
            false
        }
    }
}

unsafe extern "C" fn pipeline_expand(
    rust: *const c_void,
    values: *const TxStr,
    emit: TxSink,
    out: *mut c_void,
    error: *mut c_void,
) -> bool {
    // SAFETY: `rust` is the leaked `PipelineDesc`; `values` has one entry per option.
    let result = unsafe {
        let desc = &*rust.cast::<PipelineDesc>();
        with_values(values, desc.options.len(), |v| {
            (desc.expand)(v).map_err(|e| format!("`{}`: {e}", desc.argument))
        })
    };
    let (sink, text, ok) = match &result {
        Ok(text) => (out, text, true),
        Err(text) => (error, text, false),
    };
    // SAFETY: `emit` copies the text into the object at `sink`.
    unsafe { emit(sink, TxStr::new(text)) };
    ok
}
