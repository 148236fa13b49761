//! Programs that tests run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

type Find = dyn Fn() -> Result<PathBuf, String> + Send + Sync;

/// Program of a test suite. A path or a function specifies the location of the program. The harness
/// calls the function once, when the first test needs the program.
///
/// ```
/// use tx_lit::Tool;
/// let opt = Tool::from("target/debug/my-opt");
/// let ptxas = Tool::found_by(|| Err("no ptxas: install the CUDA toolkit".to_owned()));
/// assert!(opt.path().is_ok());
/// assert_eq!(ptxas.path().unwrap_err(), "no ptxas: install the CUDA toolkit");
/// ```
#[derive(Clone)]
pub struct Tool {
    find: Arc<Find>,
    found: Arc<OnceLock<Result<PathBuf, String>>>,
}

impl Tool {
    /// Creates a tool from a function that finds or builds the program. The first test that needs
    /// the program calls the function `find`. If the function `find` returns an error, every test
    /// that needs the program fails with this error. The error of `find` should contain
    /// installation instructions for the program.
    pub fn found_by(find: impl Fn() -> Result<PathBuf, String> + Send + Sync + 'static) -> Self {
        Self {
            find: Arc::new(find),
            found: Arc::default(),
        }
    }

    /// Creates a tool that searches the folders of `PATH` for the program `name`.
    pub fn in_path(name: &str) -> Self {
        let name = name.to_owned();
        Self::found_by(move || {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders)
                .map(|folder| folder.join(&name))
                .find(|path| path.is_file())
                .ok_or_else(|| format!("there is no `{name}` in PATH"))
        })
    }

    /// Returns the path of the program.
    ///
    /// # Errors
    /// Returns the error of the function that finds or builds the program.
    pub fn path(&self) -> Result<&Path, String> {
        match self.found.get_or_init(|| (self.find)()) {
            Ok(path) => Ok(path),
            Err(error) => Err(error.clone()),
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("found", &self.found.get())
            .finish_non_exhaustive()
    }
}

impl From<PathBuf> for Tool {
    fn from(path: PathBuf) -> Self {
        Self::found_by(move || Ok(path.clone()))
    }
}

impl From<&Path> for Tool {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl From<&str> for Tool {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}
