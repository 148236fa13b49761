//! What directives do.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use crate::command::{self, Output};
use crate::count::Count;
use crate::semantic::{Assemble, RaceFree, Validate};
use crate::suite::Suite;

/// What a directive does, once the RUN lines of a file are done. A function `Fn(&Context) ->
/// Result<(), String>` is one.
pub trait Directive: Send + Sync {
    /// Does it.
    ///
    /// # Errors
    /// What is not as the directive says: the failure of the test. The place of the directive is
    /// put before it.
    fn run(&self, context: &Context<'_>) -> Result<(), String>;

    /// Refuses what stands after the colon, before anything is run.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&self, value: &str) -> Result<(), String> {
        let _ = value;
        Ok(())
    }

    /// Whether it looks at what a RUN line printed: [`Context::output`]. In parentheses stands which,
    /// `NAME(PREFIX): …`, and that RUN line needs no CHECK.
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

/// The directives that a suite knows, beside those of every suite.
pub(crate) struct Registry {
    pub(crate) directives: BTreeMap<String, Box<dyn Directive>>,
    /// Names of directives that others read, and the folders in which they do; anywhere if there are none.
    pub(crate) read_elsewhere: BTreeMap<String, Vec<String>>,
}

impl Registry {
    pub(crate) fn builtin() -> Self {
        let known: [(&str, Box<dyn Directive>); 4] = [
            ("COUNT", Box::new(Count)),
            ("PTXAS", Box::new(Assemble)),
            ("RACE-FREE", Box::new(RaceFree)),
            ("VALIDATE", Box::new(Validate)),
        ];
        Self {
            directives: known.map(|(name, does)| (name.to_owned(), does)).into(),
            read_elsewhere: BTreeMap::new(),
        }
    }
}

/// A test file on its way: what its directives do their work with.
pub(crate) struct Running<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) path: &'a Path,
    pub(crate) scratch: &'a Path,
    /// What was run already, so that two directives that ask the same of a program wait for it once.
    pub(crate) done: RefCell<BTreeMap<Vec<String>, Output>>,
}

/// A directive at its place in a test.
pub struct Context<'a> {
    pub(crate) running: &'a Running<'a>,
    pub(crate) value: &'a str,
    pub(crate) line: usize,
    pub(crate) output: Option<&'a str>,
}

impl Context<'_> {
    /// The test file.
    pub fn path(&self) -> &Path {
        self.running.path
    }

    /// The line of the directive, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// What stands after the colon.
    pub fn value(&self) -> &str {
        self.value
    }

    /// The same as words of a command line, with `%s`, `%S` and `%t` replaced.
    ///
    /// # Errors
    /// A quote that is not closed.
    pub fn words(&self) -> Result<Vec<String>, String> {
        let words = command::words(self.value)?;
        Ok(words
            .iter()
            .map(|word| self.running.replace(word))
            .collect())
    }

    /// What the RUN line printed that the directive is about, as it is compared: with `$ROOT` and
    /// `$TMP`. `None` where [`Directive::reads_output`] is false.
    pub fn output(&self) -> Option<&str> {
        self.output
    }

    /// A folder for files, which is removed after the test.
    pub fn scratch(&self) -> &Path {
        self.running.scratch
    }

    /// The name of the tool that says what a program does: [`Suite::driver`].
    pub fn driver(&self) -> &str {
        self.running.suite.driver_name()
    }

    /// Runs a tool of the suite. Status and signals are in the result; of one test, the same
    /// command is run once.
    ///
    /// # Errors
    /// The suite has no such tool, it cannot be found or started, or it does not end.
    pub fn run<A: AsRef<str>>(
        &self,
        tool: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Output, String> {
        let mut command = vec![self.running.suite.tool_path(tool)?];
        command.extend(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        if let Some(output) = self.running.done.borrow().get(&command) {
            return Ok(output.clone());
        }
        let output = self.running.suite.surroundings().execute(
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

impl Running<'_> {
    /// Replaces `%s`, `%S` and `%t` by paths.
    pub(crate) fn replace(&self, word: &str) -> String {
        let folder = self.path.parent().unwrap_or(self.path);
        word.replace("%s", &self.path.display().to_string())
            .replace("%S", &folder.display().to_string())
            .replace("%t", &self.scratch.join("t").display().to_string())
    }
}
