//! Option `--trace FILE`, which writes a trace of passes and stages in Chrome's trace event format.
//!
//! The trace file is a JSON list with one event per line. The type of an event is `B` (begin of a
//! span), `E` (end of a span) or `i` (instant). Each event is written immediately, so the file is
//! usable after a crash; trace viewers accept a list without a closing bracket.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::failure::Failure;

static TRACE: OnceLock<Trace> = OnceLock::new();

struct Trace {
    path: PathBuf,
    start: Instant,
    out: Mutex<Out>,
}

struct Out {
    file: LineWriter<File>,
    begun: bool,
    error: Option<io::Error>,
}

/// Creates the trace file. Returns the tracing layer that writes the events.
pub(crate) fn start<S>(path: &Path) -> Result<impl Layer<S>, Failure>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    crate::compile::check_folder(path)?;
    // The trace file must not overwrite an input of this command.
    let others = std::env::args_os().collect::<Vec<_>>();
    let is_read = |pair: &[std::ffi::OsString]| {
        pair[0] != "--trace" && crate::compile::is_same_file(Path::new(&pair[1]), path)
    };
    if others.windows(2).any(is_read) {
        return Err(Failure::Refused(format!(
            "{}: the trace file is another file of this command, which would be overwritten: name \
             another file",
            path.display()
        )));
    }
    let file = File::create(path).map_err(|error| Failure::file(path, &error))?;
    let mut out = Out {
        file: LineWriter::new(file),
        begun: false,
        error: None,
    };
    out.write("[\n");
    let trace = TRACE.get_or_init(|| Trace {
        path: path.to_owned(),
        start: Instant::now(),
        out: Mutex::new(out),
    });
    // Passes and stages are debug-level spans of crates whose names start with `tx`.
    let own = Targets::new().with_target("tx", LevelFilter::DEBUG);
    Ok(Events(trace).with_filter(own))
}

pub(crate) fn finish() -> Result<(), Failure> {
    let Some(trace) = TRACE.get() else {
        return Ok(());
    };
    let mut out = trace.out.lock().unwrap_or_else(PoisonError::into_inner);
    out.write("\n]\n");
    match out.error.take() {
        Some(error) => Err(Failure::file(&trace.path, &error)),
        None => Ok(()),
    }
}

impl Out {
    fn write(&mut self, text: &str) {
        if self.error.is_none() {
            self.error = self.file.write_all(text.as_bytes()).err();
        }
    }
}

impl Trace {
    fn event(&self, phase: &str, name: &str, category: &str, args: &Map<String, Value>) {
        let mut event = json!({
            "ph": phase,
            "name": name,
            "cat": category,
            // The unit of `ts` is microseconds.
            "ts": self.start.elapsed().as_nanos() as f64 / 1e3,
            "pid": std::process::id(),
            "tid": thread(),
        });
        if !args.is_empty() {
            event["args"] = Value::Object(args.clone());
        }
        if phase == "i" {
            // The scope of the event is one thread.
            event["s"] = "t".into();
        }
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let separator = if out.begun { ",\n" } else { "" };
        out.begun = true;
        out.write(&format!("{separator}{event}"));
    }
}

/// Returns the number of the current thread. Threads are numbered from 1 in the order in which they
/// emit their first event.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    /// Returns the value of the field `name` of a span. If the span has no field `name`, the
    /// function returns the argument `otherwise`, which is the name of the span.
    fn name<'f>(&'f self, otherwise: &'f str) -> &'f str {
        self.0
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(otherwise)
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0
            .insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

struct Events(&'static Trace);

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Events {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.boundary("B", id, &context);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.boundary("E", id, &context);
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.0.remove("message");
        let message = message.as_ref().and_then(Value::as_str);
        let target = event.metadata().target();
        self.0
            .event("i", message.unwrap_or(target), target, &fields.0);
    }
}

impl Events {
    fn boundary<S: Subscriber + for<'s> LookupSpan<'s>>(
        &self,
        phase: &str,
        id: &Id,
        context: &Context<'_, S>,
    ) {
        let Some(span) = context.span(id) else {
            return;
        };
        let extensions = span.extensions();
        let Some(fields) = extensions.get::<Fields>() else {
            return;
        };
        let name = fields.name(span.name());
        self.0.event(phase, name, span.name(), &fields.0);
    }
}
