//! `tx-lsp-server`: MLIR's language server with the tile dialect.
//!
//! MLIR's server runs in a child process. The child process reads standard input directly.
//! `tx-lsp-server` copies the messages of MLIR's server to the editor. MLIR's server omits the
//! documentation of ops from hovers, so `tx-lsp-server` adds the documentation.

mod docs;
mod relay;

use std::io::{self, BufReader};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use tx_mlir::melior::dialect::DialectRegistry;
use tx_mlir::registration::{lsp_main, register_upstream_dialects};

/// First command-line argument with which `tx-lsp-server` starts itself as MLIR's server.
const SERVER: &str = "--tx-server";

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    if args.get(1).is_some_and(|a| a == SERVER) {
        args.remove(1);
        return serve(args);
    }
    match relay(&args) {
        Ok(status) => exit_code(status),
        Err(error) => {
            use io::Write;
            // A failed write to a closed standard error is ignored.
            let _ = writeln!(io::stderr(), "tx-lsp-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: Vec<String>) -> ExitCode {
    let registry = DialectRegistry::new();
    register_upstream_dialects(&registry);
    tx_dialect_tile::register(&registry);
    // MLIR's server forwards the notes of a diagnostic but not its code, so a note contains the
    // code.
    tx_mlir::explain_errors(|code| code.to_string());
    u8::try_from(lsp_main(args, &registry)).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn relay(args: &[String]) -> io::Result<ExitStatus> {
    let mut server = Server(
        Command::new(std::env::current_exe()?)
            .arg(SERVER)
            .args(args.iter().skip(1))
            .stdout(Stdio::piped())
            .spawn()?,
    );
    if let Some(stdout) = server.0.stdout.take() {
        relay::copy(&mut BufReader::new(stdout), &mut io::stdout().lock())?;
    }
    server.0.wait()
}

/// Child process that runs MLIR's server; `Drop` kills the process.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The child process may already have exited, so an error of `kill` is ignored.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn exit_code(status: ExitStatus) -> ExitCode {
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from)
}
