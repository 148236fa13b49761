//! `tx-lsp-server`: MLIR's language server with the tile dialect.
//!
//! MLIR's server does the work, in a process of its own that reads standard input. What it says
//! passes through here on its way to the editor, which is how the documentation of an op gets into
//! a hover: MLIR's server knows of none.

mod docs;
mod relay;

use std::io::{self, BufReader};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use tx_mlir::melior::dialect::DialectRegistry;
use tx_mlir::registration::{lsp_main, register_upstream_dialects};

/// As first argument: be MLIR's server.
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
            // A closed standard error is no reason to fail in another way.
            let _ = writeln!(io::stderr(), "tx-lsp-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// MLIR's server over standard input and output.
fn serve(args: Vec<String>) -> ExitCode {
    let registry = DialectRegistry::new();
    register_upstream_dialects(&registry);
    tx_dialect_tile::register(&registry);
    // MLIR's server passes on notes, and no codes.
    tx_mlir::explain_errors(|code| code.to_string());
    u8::try_from(lsp_main(args, &registry)).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Starts MLIR's server and passes on what it says until it ends.
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

/// The process of MLIR's server, which does not outlive this one: nobody would hear it.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended needs no more.
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
