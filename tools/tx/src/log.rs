//! Log messages on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::failure::Failure;
use crate::stderr::{self, Format};
use crate::trace;

/// Starts the log with the filter `filter`, and the trace in the file `trace`.
pub(crate) fn start(filter: Option<&str>, trace: Option<&Path>) -> Result<(), Failure> {
    if let Some((found, meant)) = filter.and_then(misspelt_level) {
        return Err(Failure::Usage(format!(
            "`{found}` is not a log level: did you mean `{meant}`?"
        )));
    }
    let log = filter.map(|filter| {
        let is_json = Format::chosen() == Format::Json;
        let layer = fmt::layer()
            .with_ansi(!is_json && std::io::stderr().is_terminal())
            // Passes and stages are spans of `tracing`. At the end of each span, the log contains a
            // line with its duration.
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(move || -> Box<dyn Write> {
                match is_json {
                    true => Box::new(JsonLogWriter),
                    false => Box::new(std::io::stderr()),
                }
            });
        EnvFilter::builder()
            .parse(filter)
            .map(|filter| layer.with_filter(filter))
            .map_err(|error| Failure::Usage(format!("`{filter}` is not a log filter: {error}")))
    });
    let log = log.transpose()?;
    let trace = trace.map(trace::start).transpose()?;
    if log.is_some() || trace.is_some() {
        tracing_subscriber::registry().with(log).with(trace).init();
    }
    Ok(())
}

/// Returns a misspelled log level in a log filter, and the correct log level. Without a check of
/// the log level, the filter would interpret a misspelled log level as a module name.
fn misspelt_level(filter: &str) -> Option<(&str, &str)> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    filter.split(',').map(str::trim).find_map(|word| {
        let lower = word.to_lowercase();
        let meant = tx_mlir::nearest(&lower, LEVELS).filter(|level| *level != lower)?;
        Some((word, meant))
    })
}

/// Writer that converts each log message to a message in JSON format.
struct JsonLogWriter;

impl Write for JsonLogWriter {
    fn write(&mut self, message: &[u8]) -> std::io::Result<usize> {
        stderr::print_text(&String::from_utf8_lossy(message));
        Ok(message.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
