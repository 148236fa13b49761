//! Comparison of the output of a RUN line with its snapshot.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use crate::file::Run;
use crate::programs::Programs;
use crate::report::{difference, indent};
use crate::text::snapshot_contents;

/// Function that compares a text with a named snapshot. The macro [`suite!`](crate::suite) defines
/// an `AssertSnapshot` function in the crate of the caller.
pub type AssertSnapshot = fn(&str, &str);

/// Number of header lines in a snapshot file: `---`, `source: …`, `---`.
const SNAPSHOT_HEADER_LINES: usize = 3;

/// Settings of the snapshots of a suite.
pub(crate) struct Snapshots {
    pub(crate) assert_snapshot: AssertSnapshot,
    /// Command that failure messages recommend to accept a snapshot.
    pub(crate) bless_hint: String,
    /// Maximum number of lines of a snapshot file.
    pub(crate) max_lines: usize,
}

impl Snapshots {
    /// Compares `text`, the output of a RUN line, with the snapshot of the RUN line.
    pub(crate) fn compare(
        &self,
        programs: &Programs,
        test: &str,
        path: &Path,
        run: &Run,
        text: &str,
    ) -> Result<(), String> {
        let snapshot = snapshot_path(path, run);
        let lines = SNAPSHOT_HEADER_LINES + text.lines().count();
        if lines > self.max_lines {
            return Err(too_long(
                &programs.shown(&snapshot),
                lines,
                self.max_lines,
                run,
            ));
        }
        let name = snapshot
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap_or(path));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        // The closure does not change the settings or the text, so a panic leaves no inconsistent
        // state.
        let verdict = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            settings.bind(|| (self.assert_snapshot)(&name, text));
        }));
        if verdict.is_ok() {
            // A previous run with another output may have created the file `x.snap.new`.
            let _ = fs::remove_file(snapshot.with_extension("snap.new"));
            return Ok(());
        }
        let place = programs.shown(&snapshot);
        let hint = self.bless_hint.replace("{test}", test);
        Err(match fs::read_to_string(&snapshot) {
            Err(_) => format!(
                "there is no snapshot {place}. The output is:\n{}\nIf it is right: {hint}",
                indent(text)
            ),
            Ok(old) => format!(
                "the output differs from {place} (- snapshot, + output):\n{}\nIf the new output is \
                 right: {hint}",
                difference(snapshot_contents(&old), text)
            ),
        })
    }
}

/// Returns the path of the snapshot, in the folder of `x.mlir`: `x.snap` or `x.PREFIX.snap`.
pub(crate) fn snapshot_path(path: &Path, run: &Run) -> PathBuf {
    let mut name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if run.prefixes != ["CHECK"] {
        name.push('.');
        name.push_str(&run.prefixes.join("-"));
    }
    path.with_file_name(format!("{name}.snap"))
}

fn too_long(place: &str, lines: usize, limit: usize, run: &Run) -> String {
    let directive = match &run.prefixes[..] {
        [only] if only == "CHECK" => "SNAPSHOT".to_owned(),
        prefixes => format!("SNAPSHOT({})", prefixes.join(",")),
    };
    format!(
        "{place} would have {lines} lines, and a snapshot has at most {limit}: state the result \
         in CHECK lines, in COUNT \
         lines for each kernel, or in VALIDATE, and write `// {directive}: none — ` and what \
         states the result; or split \
         the test"
    )
}

/// Returns the difference between the snapshot and an output that fails a CHECK line.
pub(crate) fn changed(snapshot: &Path, text: &str) -> Option<String> {
    let old = fs::read_to_string(snapshot).ok()?;
    let difference = difference(snapshot_contents(&old), text);
    (!difference.is_empty()).then(|| {
        format!("\nSince the snapshot, this has changed (- snapshot, + output):\n{difference}")
    })
}

/// Suppresses the output of insta, which would mix with the output of other tests. The failure
/// message of a test already contains the difference between the snapshot and the output.
pub(crate) fn quiet_insta() {
    let threads = fs::read_dir("/proc/self/task").map(Iterator::count);
    if std::env::var_os("INSTA_OUTPUT").is_none() && matches!(threads, Ok(1)) {
        // SAFETY: the process has one thread, so no other thread reads the environment.
        unsafe { std::env::set_var("INSTA_OUTPUT", "none") };
    }
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // insta panics if a snapshot differs; `Snapshots::compare` catches this panic.
        if info
            .location()
            .is_none_or(|place| !place.file().contains("insta"))
        {
            report(info);
        }
    }));
}
