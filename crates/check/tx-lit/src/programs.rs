//! Programs of a suite, and the environment in which they run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::Surroundings;
use crate::tool::Tool;

pub(crate) struct Programs {
    /// Working folder of the programs.
    pub(crate) root: PathBuf,
    pub(crate) tools: BTreeMap<String, Tool>,
    /// Name of the tool that compiles and validates tests.
    pub(crate) driver: String,
    pub(crate) environment: Vec<(String, String)>,
    /// Time limit of each program.
    pub(crate) time_limit: Duration,
}

impl Programs {
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            folder: &self.root,
            environment: &self.environment,
            time_limit: self.time_limit,
        }
    }

    pub(crate) fn tool_path(&self, name: &str) -> Result<String, String> {
        let tool = self.tools.get(name).ok_or_else(|| {
            format!("this needs the tool `{name}`, which the suite does not have: add it with `Suite::tool`")
        })?;
        Ok(tool.path()?.display().to_string())
    }

    /// Returns a path for messages, relative to the working folder.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}
