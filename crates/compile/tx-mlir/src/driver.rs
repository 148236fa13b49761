//! Main functions of `mlir-opt` and `mlir-lsp-server` with the dialects and passes of the caller.

use crate::bytecode::is_bytecode;
use crate::diagnostic::Diagnostic;
use crate::ffi::{self, TxStr};
use crate::registration::{help_overview, statistics};
use crate::session::{is_refused, parse};
use crate::source::{self, STANDARD_INPUT};
use melior::Context;
use melior::dialect::DialectRegistry;
use std::ffi::{CStr, CString, c_char};
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

/// Runs the main function of `mlir-opt` with the dialects of `registry`. Returns the exit status.
///
/// The function rejects bytecode that would crash MLIR's reader. `--mlir-pass-statistics` prints
/// the counters of the passes that [`register_pass`](crate::registration::register_pass)
/// registered. The function restores the default action of `SIGPIPE` for the process, so only a
/// `main` function may call it. If a write to the output fails, the function prints an error
/// message and ends the process with exit status 1.
pub fn opt_main(args: impl IntoIterator<Item = String>, registry: &DialectRegistry) -> i32 {
    // SAFETY: the handler is the default one. With Rust's handler, a write to a closed pipe fails,
    // and LLVM reports the failure as a crash.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let args: Vec<String> = args.into_iter().collect();
    let output =
        output(&args).map_or_else(|| "standard output".to_owned(), |name| format!("`{name}`"));
    let program = args.first().and_then(|path| path.rsplit('/').next());
    let program = program.unwrap_or_default().to_owned();
    let overview = help_overview(&program);
    let _ = PROGRAM_AND_OUTPUT.set([program, output]);
    source::read_files();
    // SAFETY: the function lives as long as the process, and no other code sets a handler.
    unsafe { ffi::LLVMInstallFatalErrorHandler(report_fatal_error) };
    let text = match reads_standard_input(&args) {
        true => take_standard_input(),
        false => Ok(None),
    };
    let text = match text {
        Ok(text) => text,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{STANDARD_INPUT}: error: {why}");
            return 1;
        }
    };
    let is_accepted = match text {
        Some(text) => {
            let is_accepted = is_accepted(STANDARD_INPUT, &text, registry);
            source::keep_input(text);
            is_accepted
        }
        None => inputs(&args).all(|name| is_readable(name, registry)),
    };
    if !is_accepted {
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

/// Writes to `out` the statistics counters of the passes that are registered from Rust. MLIR's own
/// statistics report contains no counters if LLVM is built without statistics.
fn report_statistics(out: &mut impl Write) -> std::io::Result<()> {
    for pass in statistics() {
        writeln!(out, "{}", pass.argument)?;
        for (statistic, total) in &pass.totals {
            writeln!(out, "  (S) {total} {} - {}", statistic.name, statistic.help)?;
        }
    }
    Ok(())
}

/// Names of the running executable and of its output file, for error messages.
static PROGRAM_AND_OUTPUT: OnceLock<[String; 2]> = OnceLock::new();

/// Beginning of the message that LLVM emits after a failed write to an output stream.
const WRITE_FAILURE: &str = "IO failure on output stream: ";

unsafe extern "C" fn report_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a C string.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let message = match (reason.strip_prefix(WRITE_FAILURE), PROGRAM_AND_OUTPUT.get()) {
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
    // The function accepts pipes without a check, because a read would consume the contents of the
    // pipe.
    if !Path::new(name).is_file() {
        return true;
    }
    std::fs::read(name).map_or(true, |source| is_accepted(name, &source, registry))
}

/// Returns whether MLIR can read the input safely. Prints an error message and returns false for
/// input that would crash MLIR, or that MLIR would misread. The function does not check that the
/// MLIR text is valid.
fn is_accepted(name: &str, source: &[u8], registry: &DialectRegistry) -> bool {
    if !is_bytecode(source) {
        // This context has no dialects, because it serves only the diagnostic handler.
        let context = Context::new_with_threading(false);
        print_diagnostics(&context);
        return !is_refused(&context, name, source);
    }
    let context = Context::new_with_registry(registry, false);
    context.set_allow_unregistered_dialects(true);
    print_diagnostics(&context);
    parse(&context, name, source).is_some()
}

/// Command-line flags with which `mlir-opt` prints information and reads no input file, such as
/// `--help`.
const INFORMATION_FLAGS: &[&str] = &[
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
    let gives_information = |arg: &String| INFORMATION_FLAGS.contains(&arg.trim_start_matches('-'));
    !args.iter().skip(1).any(gives_information) && inputs(args).next().is_none()
}

/// Reads the complete standard input, and replaces standard input by a copy, which MLIR reads
/// later. Returns `None` if standard input is a terminal, and on systems without `memfd_create`.
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

/// Prints diagnostics with their notes. Without a diagnostic handler, MLIR omits the notes of
/// diagnostics.
fn print_diagnostics(context: &Context) {
    context.attach_diagnostic_handler(|diagnostic| {
        let diagnostic = Diagnostic::from_melior(&diagnostic);
        // A failed write to a closed standard error is ignored.
        let _ = writeln!(std::io::stderr(), "{diagnostic}");
        true
    });
}

/// Runs the main function of `mlir-lsp-server` with the dialects of `registry`, until the editor
/// ends the session. The language server uses standard input and output. Returns the exit status.
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
