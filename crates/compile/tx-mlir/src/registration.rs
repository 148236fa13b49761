//! Registration of Rust passes and pipelines in MLIR's registry.
//!
//! Registered passes appear in `--help`, `--pass-pipeline`, timing reports, statistics and crash
//! reproducers, like the passes of MLIR.

use crate::bytecode::is_bytecode;
use crate::diagnostic::{Failed, error};
use crate::ffi::{self, TxOption, TxPass, TxPipeline, TxSink, TxStatistic, TxStr};
use crate::ir::Op;
use crate::session::{is_refused, parse};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use mlir_sys::{MlirDialectHandle, MlirDialectRegistry, MlirOperation};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, Once, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Option of a pass or a pipeline. Option values are text.
#[derive(Debug, Clone, Copy)]
pub struct OptionDesc {
    /// Name on the command line, in kebab-case.
    pub name: &'static str,
    /// Help text, one line.
    pub help: &'static str,
    /// Kind of value that `--help` shows, such as `number`.
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

/// Function that runs a pass on an op, with the option values and the counters.
pub type RunPass = for<'c> fn(Op<'c>, &[&str], &mut [i64]) -> Result<(), Failed>;

/// Description of a pass for MLIR's registry.
pub struct PassDesc {
    /// Name on the command line.
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
    /// Function that checks the option values when MLIR parses a pipeline. The values are in the
    /// order of `options`.
    pub check: fn(&[&str]) -> Result<(), String>,
    /// Runs the pass. The option values have the order of `options`, and the counters have the
    /// order of `statistics`.
    pub run: RunPass,
}

/// Named pipeline: a function from option values to the text of a pass pipeline.
pub struct PipelineDesc {
    /// Name on the command line.
    pub argument: &'static str,
    /// Help text, one line.
    pub summary: &'static str,
    /// Options, in order.
    pub options: Vec<OptionDesc>,
    /// Returns the text of the pipeline for option values in the order of `options`.
    pub expand: fn(&[&str]) -> Result<String, String>,
}

/// Lock of MLIR's pass registry, which is not thread-safe: parsing of a pipeline reads the
/// registry, and registration writes it.
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

/// Returns whether MLIR's registry has a pass or a pipeline with this name.
pub fn is_registered(name: &str) -> bool {
    let _reading = reading();
    // SAFETY: the text outlives the call, and the lock excludes writers.
    unsafe { ffi::txIsRegistered(TxStr::new(name)) }
}

/// Passes and pipelines registered from Rust, in the order of registration.
static LISTED: Mutex<Vec<Listed>> = Mutex::new(Vec::new());

struct Listed {
    is_pipeline: bool,
    argument: &'static str,
    summary: &'static str,
}

fn list(is_pipeline: bool, argument: &'static str, summary: &'static str) {
    let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    listed.push(Listed {
        is_pipeline,
        argument,
        summary,
    });
}

/// Returns the beginning of the `--help` text of an optimizer driver. The text lists the passes and
/// pipelines registered from Rust.
fn overview(program: &str) -> String {
    let listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    let width = listed.iter().map(|one| one.argument.len()).max();
    let width = width.unwrap_or(0);
    let lines = |is_pipeline: bool| -> String {
        let own = listed.iter().filter(|one| one.is_pipeline == is_pipeline);
        own.map(|one| format!("  --{:<width$}  {}\n", one.argument, one.summary))
            .collect()
    };
    let pipelines = lines(true);
    format!(
        "tx optimizer driver\n\n\
         Pipelines, as in `{program} FILE.mlir --PIPELINE`:\n{pipelines}\n\
         Passes:\n{}\n\
         All others are MLIR's. Below stand those as well, the options of each, as in \
         `--PASS=OPTION=VALUE`,\n\
         and those of the driver; `--help-hidden` lists even more.\n",
        lines(false)
    )
}

/// Registers a pass for the rest of the process. Returns false, and changes nothing, if a pass or a
/// pipeline with this name is registered.
pub fn register_pass(desc: PassDesc) -> bool {
    register_as(desc.argument, || add_pass(desc))
}

fn add_pass(desc: PassDesc) {
    // The registry lives as long as the process, so its descriptions are leaked.
    let desc: &'static PassDesc = Box::leak(Box::new(desc));
    list(false, desc.argument, desc.summary);
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
    // SAFETY: everything that `pass` points at was leaked above.
    unsafe { ffi::txRegisterPass(pass) }
}

/// Registers a pipeline for the rest of the process. Returns false, and changes nothing, if a pass
/// or a pipeline with this name is registered.
pub fn register_pipeline(desc: PipelineDesc) -> bool {
    register_as(desc.argument, || add_pipeline(desc))
}

fn add_pipeline(desc: PipelineDesc) {
    let desc: &'static PipelineDesc = Box::leak(Box::new(desc));
    list(true, desc.argument, desc.summary);
    let options = leak_options(&desc.options);
    let pipeline = Box::leak(Box::new(TxPipeline {
        argument: TxStr::new(desc.argument),
        summary: TxStr::new(desc.summary),
        options: options.as_ptr(),
        option_count: options.len(),
        rust: std::ptr::from_ref(desc).cast(),
        expand: pipeline_expand,
    }));
    // SAFETY: everything that `pipeline` points at was leaked above.
    unsafe { ffi::txRegisterPipeline(pipeline) }
}

/// Registers the passes of MLIR. Only the first call of this function in a process has an effect.
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
    /// Counters and their totals, in the order of the pass description.
    pub totals: Vec<(StatisticDesc, i64)>,
}

static TOTALS: Mutex<BTreeMap<&'static str, PassStatistics>> = Mutex::new(BTreeMap::new());

/// Returns the counters of all passes that ran in this process, sorted by pass name. MLIR's own
/// statistics report is empty if LLVM was built without statistics. The LLVM packages of Linux
/// distributions are built without statistics.
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

/// Runs the main function of `mlir-opt` with the dialects of `registry`. Returns the exit status.
///
/// The function first rejects damaged bytecode, which would crash MLIR's reader.
/// `--mlir-pass-statistics` prints the counters of passes from [`register_pass`]. The caller must
/// be a `main` function, because this function restores the default action of `SIGPIPE`. If the
/// function cannot write its output, it prints a message and ends the process with exit status 1.
pub fn opt_main(args: impl IntoIterator<Item = String>, registry: &DialectRegistry) -> i32 {
    // SAFETY: the handler is the default one. With Rust's handler, a write to a closed pipe fails,
    // and LLVM reports the failure as a crash.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let args: Vec<String> = args.into_iter().collect();
    let named =
        output(&args).map_or_else(|| "standard output".to_owned(), |name| format!("`{name}`"));
    let program = args.first().and_then(|path| path.rsplit('/').next());
    let program = program.unwrap_or_default().to_owned();
    let overview = overview(&program);
    let _ = FAILING.set([program, named]);
    crate::source::read_files();
    // SAFETY: the function lives as long as the process, and no other code sets a handler.
    unsafe { ffi::LLVMInstallFatalErrorHandler(fatal) };
    let taken = match reads_standard_input(&args) {
        true => take_standard_input(),
        false => Ok(None),
    };
    let taken = match taken {
        Ok(taken) => taken,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{STANDARD_INPUT}: error: {why}");
            return 1;
        }
    };
    let is_right = match taken {
        Some(text) => {
            let is_right = is_right(STANDARD_INPUT, &text, registry);
            crate::source::keep_input(text);
            is_right
        }
        None => inputs(&args).all(|name| is_readable(name, registry)),
    };
    if !is_right {
        return 1;
    }
    let wants_statistics = args
        .iter()
        .any(|a| a.trim_start_matches('-') == "mlir-pass-statistics");
    // SAFETY: `argv` is a vector of C strings, and the registry is alive.
    let status = with_argv(args, |argc, argv| unsafe {
        ffi::txOptMain(argc, argv, TxStr::new(&overview), registry.to_raw())
    });
    if wants_statistics {
        // A failed write to a closed standard error is ignored.
        let _ = report_statistics(&mut std::io::stderr());
    }
    status
}

/// Writes the counters of the passes registered from Rust. MLIR's report omits the counters if LLVM
/// is built without statistics.
fn report_statistics(out: &mut impl Write) -> std::io::Result<()> {
    for pass in statistics() {
        writeln!(out, "{}", pass.argument)?;
        for (statistic, total) in &pass.totals {
            writeln!(out, "  (S) {total} {} - {}", statistic.name, statistic.help)?;
        }
    }
    Ok(())
}

/// Names of the running program and of its output file. Error messages contain these names.
static FAILING: OnceLock<[String; 2]> = OnceLock::new();

/// First words of the message with which LLVM reports that a write to an output stream has failed.
const UNWRITTEN: &str = "IO failure on output stream: ";

unsafe extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a C string.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let message = match (reason.strip_prefix(UNWRITTEN), FAILING.get()) {
        (Some(why), Some([program, output])) => {
            format!("{program}: error: cannot write {output}: {why}")
        }
        _ => format!("LLVM ERROR: {reason}"),
    };
    // A failed write of this message cannot be reported.
    let _ = writeln!(std::io::stderr(), "{message}");
}

fn output(args: &[String]) -> Option<&str> {
    let option = |arg: &'_ str| arg.trim_start_matches('-') == "o";
    let after = args.windows(2).find(|pair| option(&pair[0]));
    let joined = || {
        args.iter()
            .find_map(|arg| arg.trim_start_matches('-').strip_prefix("o="))
    };
    after
        .map(|pair| pair[1].as_str())
        .or_else(joined)
        .filter(|name| *name != "-")
}

fn inputs(args: &[String]) -> impl Iterator<Item = &str> {
    let after_output =
        std::iter::once(false).chain(args.iter().map(|arg| arg.trim_start_matches('-') == "o"));
    args.iter()
        .zip(after_output)
        .skip(1)
        .filter(|(arg, after_output)| !arg.starts_with('-') && !after_output)
        .map(|(arg, _)| arg.as_str())
}

fn is_readable(name: &str, registry: &DialectRegistry) -> bool {
    // The function does not read a pipe, because reading would consume the content.
    if !Path::new(name).is_file() {
        return true;
    }
    std::fs::read(name).map_or(true, |source| is_right(name, &source, registry))
}

/// Prints an error message and returns false for bytecode or text that would crash MLIR, or that
/// MLIR would misread. MLIR reports all other errors in the input.
fn is_right(name: &str, source: &[u8], registry: &DialectRegistry) -> bool {
    if !is_bytecode(source) {
        // This context has no dialects, because it serves only the diagnostic handler.
        let context = Context::new_with_threading(false);
        show_diagnostics(&context);
        return !is_refused(&context, name, source);
    }
    let context = Context::new_with_registry(registry, false);
    context.set_allow_unregistered_dialects(true);
    show_diagnostics(&context);
    parse(&context, name, source).is_some()
}

pub(crate) const STANDARD_INPUT: &str = "<stdin>";

/// Command-line flags with which the program prints information and exits without reading an input
/// file.
const ANSWERED: &[&str] = &[
    "help",
    "help-hidden",
    "help-list",
    "help-list-hidden",
    "h",
    "list-passes",
    "show-dialects",
    "version",
];

fn reads_standard_input(args: &[String]) -> bool {
    let is_answered = |arg: &String| ANSWERED.contains(&arg.trim_start_matches('-'));
    !args.iter().skip(1).any(is_answered) && inputs(args).next().is_none()
}

/// Reads the complete standard input, and replaces standard input by a copy that MLIR can read.
/// Returns `None` if standard input is a terminal, and on systems without `memfd_create`.
///
/// # Errors
/// Returns an I/O error if standard input cannot be read or copied.
#[cfg(target_os = "linux")]
fn take_standard_input() -> std::io::Result<Option<Vec<u8>>> {
    use std::fs::File;
    use std::io::{IsTerminal, Read, Seek};
    use std::os::fd::{AsRawFd, FromRawFd};
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    // SAFETY: the name is a C string, and the result is checked.
    let fd = unsafe { libc::memfd_create(c"stdin".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, so `File` is its only owner.
    let mut copy = unsafe { File::from_raw_fd(fd) };
    copy.write_all(&text)?;
    copy.rewind()?;
    // SAFETY: both descriptors are open.
    unsafe { libc::dup2(copy.as_raw_fd(), libc::STDIN_FILENO) };
    Ok(Some(text))
}

#[cfg(not(target_os = "linux"))]
fn take_standard_input() -> std::io::Result<Option<Vec<u8>>> {
    Ok(None)
}

/// Prints diagnostics with their notes. Without a diagnostic handler, MLIR omits the notes.
fn show_diagnostics(context: &Context) {
    context.attach_diagnostic_handler(|diagnostic| {
        let shown = crate::Diagnostic::from_melior(&diagnostic);
        // A failed write to a closed standard error is ignored.
        let _ = writeln!(std::io::stderr(), "{shown}");
        true
    });
}

/// Runs the main function of `mlir-lsp-server` with the dialects of `registry`, until the editor
/// ends the session. The server uses standard input and output. Returns the exit status.
pub fn lsp_main(args: impl IntoIterator<Item = String>, registry: &DialectRegistry) -> i32 {
    // SAFETY: `argv` is a vector of C strings, and the registry is alive.
    with_argv(args, |argc, argv| unsafe {
        ffi::txLspMain(argc, argv, registry.to_raw())
    })
}

fn with_argv(
    args: impl IntoIterator<Item = String>,
    main: impl FnOnce(i32, *mut *mut c_char) -> i32,
) -> i32 {
    // The operating system cannot pass a NUL byte in an argument.
    let args: Vec<CString> = args
        .into_iter()
        .filter_map(|a| CString::new(a).ok())
        .collect();
    let mut argv: Vec<*mut c_char> = args.iter().map(|a| a.as_ptr().cast_mut()).collect();
    let argc = i32::try_from(argv.len()).unwrap_or(i32::MAX);
    argv.push(std::ptr::null_mut());
    main(argc, argv.as_mut_ptr())
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

/// Calls `f` with the option values from C++: an array of `count` strings.
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
        // SAFETY: handles are static; the registry is alive during the call.
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
    crate::diagnostic::working_on(op, || caught(desc, op, values, statistics))
}

/// Runs a pass. A panic becomes an error diagnostic, because a panic must not unwind into C++.
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
