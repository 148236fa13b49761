//! Directives of test files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use crate::command::Output;
use crate::pipeline;
use crate::programs::Programs;

/// Check that runs after the RUN lines of a test file. Functions of type `Fn(&Context) ->
/// Result<(), String>` implement the trait [`Directive`].
pub trait Directive: Send + Sync {
    /// Runs the check.
    ///
    /// # Errors
    /// Returns the failure message of the test as an error. The caller adds the position of the
    /// directive to the failure message.
    fn run(&self, context: &Context<'_>) -> Result<(), String>;

    /// Validates the text after the colon of the directive, before any program runs.
    ///
    /// # Errors
    /// Returns the reason why the text after the colon is invalid.
    fn check(&self, value: &str) -> Result<(), String> {
        let _ = value;
        Ok(())
    }

    /// Returns whether the directive checks the output of a RUN line ([`Context::output`]). If the
    /// directive checks output, `NAME(PREFIX): …` selects the RUN line with the prefix `PREFIX`. A
    /// RUN line that a directive selects needs no CHECK lines.
    fn reads_output(&self) -> bool {
        false
    }
}

impl<F> Directive for F
where
    F: Fn(&Context<'_>) -> Result<(), String> + Send + Sync,
{
    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        self(context)
    }
}

/// The test that runs, and the outputs of its completed commands.
pub(crate) struct RunningTest<'a> {
    pub(crate) programs: &'a Programs,
    pub(crate) path: &'a Path,
    pub(crate) scratch: &'a Path,
    /// Cache of the outputs of completed commands.
    pub(crate) done: RefCell<BTreeMap<Vec<String>, Output>>,
}

/// Input of a directive: its text, its line, the test, and the checked output.
pub struct Context<'a> {
    pub(crate) running: &'a RunningTest<'a>,
    pub(crate) value: &'a str,
    pub(crate) line: usize,
    pub(crate) output: Option<&'a str>,
}

impl Context<'_> {
    /// Returns the path of the test file.
    pub fn path(&self) -> &Path {
        self.running.path
    }

    /// Returns the line number of the directive, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the text after the colon of the directive.
    pub fn value(&self) -> &str {
        self.value
    }

    /// Splits the text after the colon into words, with `%s`, `%S` and `%t` expanded to paths.
    ///
    /// # Errors
    /// Fails if a quote is not closed.
    pub fn words(&self) -> Result<Vec<String>, String> {
        let words = pipeline::words(self.value)?;
        Ok(words
            .iter()
            .map(|word| self.running.replace(word))
            .collect())
    }

    /// Returns the output of the RUN line that the directive checks, with paths replaced by `$ROOT`
    /// and `$TMP`; `None` if [`Directive::reads_output`] returns false.
    pub fn output(&self) -> Option<&str> {
        self.output
    }

    /// Returns a folder for temporary files, which the harness removes after the test.
    pub fn scratch(&self) -> &Path {
        self.running.scratch
    }

    /// Returns the name of the driver ([`Suite::driver`](crate::Suite::driver)): the tool that
    /// compiles and validates programs.
    pub fn driver(&self) -> &str {
        &self.running.programs.driver
    }

    /// Runs a tool of the suite, and returns its output and exit status. If a test needs the same
    /// command several times, the harness runs the command once.
    ///
    /// # Errors
    /// Fails if the suite does not contain the tool, the tool cannot be started, or the tool
    /// exceeds the time limit.
    pub fn run<A: AsRef<str>>(
        &self,
        tool: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Output, String> {
        let mut command = vec![self.running.programs.tool_path(tool)?];
        command.extend(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        if let Some(output) = self.running.done.borrow().get(&command) {
            return Ok(output.clone());
        }
        let output = self.running.programs.surroundings().execute(
            std::slice::from_ref(&command),
            false,
            None,
        )?;
        self.running
            .done
            .borrow_mut()
            .insert(command, output.clone());
        Ok(output)
    }
}

impl RunningTest<'_> {
    pub(crate) fn replace(&self, word: &str) -> String {
        let folder = self.path.parent().unwrap_or(self.path);
        word.replace("%s", &self.path.display().to_string())
            .replace("%S", &folder.display().to_string())
            .replace("%t", &self.scratch.join("t").display().to_string())
    }
}
