//! Size-limited cache in a folder.
//!
//! Any number of threads and processes may share a folder. The cache first writes a result and the
//! checksum of the result to a temporary file, and then renames the file. The rename is atomic, so
//! no reader sees an incomplete result. If the size of the folder exceeds its limit, the cache
//! removes the least recently used results.
//!
//! The cache treats a damaged result as absent, because the caller of the cache can recompute the
//! result.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// Key of a cached result: the SHA-256 hash of the inputs of the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Returns the key of a list of inputs. The hash includes the length of each input, so two
    /// different lists have different keys, even if their concatenations are equal.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// Prints the key in hexadecimal.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Number of subfolders. The first hexadecimal digit of a key selects the subfolder that contains
/// the result for the key. The size limit of the cache is divided equally among the subfolders, so
/// the cache scans only one subfolder when it stores a result.
const SUBFOLDERS: u64 = 16;

/// Prefix of the names of temporary files.
const TEMPORARY_PREFIX: &str = ".new-";

/// Maximum age of a temporary file. The cache removes temporary files that are older than
/// [`ABANDONED_AGE`], because the processes that created the files have probably ended.
const ABANDONED_AGE: Duration = Duration::from_secs(3600);

/// Cache in a folder.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
    /// Error of the last failed call of `put`. All clones of a cache share the error of the last
    /// failed `put`.
    trouble: Arc<Mutex<Option<String>>>,
}

/// Contents of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of results.
    pub results: u64,
    /// Total size of the stored results, in bytes.
    pub bytes: u64,
}

impl Cache {
    /// Creates a cache of at most `limit` bytes. The folder is created when the first result is
    /// stored. A result larger than a sixteenth of the limit is not stored.
    pub fn new(folder: impl Into<PathBuf>, limit: u64) -> Self {
        Self {
            folder: folder.into(),
            limit,
            trouble: Arc::default(),
        }
    }

    /// Returns the folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the size limit of the cache in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the stored result for the key `key`; `None` if the cache contains no such result.
    pub(crate) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut sum = [0; 32];
        let mut result = Vec::new();
        let read = file
            .read_exact(&mut sum)
            .and_then(|()| file.read_to_end(&mut result));
        if read.is_err() || sum != check_sum(&result) {
            // The file is damaged, for example because the disk was full.
            let _ = fs::remove_file(&path);
            return None;
        }
        // The modification time of the file records the last use of the result. If this process
        // cannot write the file, the modification time does not change.
        let _ = file.set_modified(SystemTime::now());
        Some(result)
    }

    /// Stores a result.
    ///
    /// # Errors
    /// Fails if the folder cannot be created or written. After a failure,
    /// [`trouble`](Self::trouble) returns the error.
    pub(crate) fn put(&self, key: &Key, result: &[u8]) -> io::Result<()> {
        self.store(key, result).inspect_err(|error| {
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            *trouble = Some(error.to_string());
        })
    }

    /// Returns the error of the last failed store. If a caller of `put` ignores the error of `put`,
    /// the creator of the cache can still query the error with `trouble`.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }

    /// Checks that results can be stored in the folder, without creating the folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be written, or cannot be created.
    pub fn check(&self) -> io::Result<()> {
        // Find the closest existing ancestor of the folder.
        let mut folder = std::path::absolute(&self.folder)?;
        while fs::symlink_metadata(&folder).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
            && folder.pop()
        {}
        tempfile::tempfile_in(folder).map(drop)
    }

    fn store(&self, key: &Key, result: &[u8]) -> io::Result<()> {
        let share = self.limit / SUBFOLDERS;
        let size = result.len() as u64 + 32;
        if size > share {
            return Ok(());
        }
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .tempfile_in(folder)?;
        file.write_all(&check_sum(result))?;
        file.write_all(result)?;
        make_room(folder, share - size)?;
        file.persist(&path)?;
        Ok(())
    }

    /// Returns the number and the total size of the stored results.
    ///
    /// # Errors
    /// Fails if the folder of the cache cannot be read.
    pub fn usage(&self) -> io::Result<Usage> {
        let mut usage = Usage::default();
        for share in self.shares() {
            for file in files(&share)? {
                usage.results += 1;
                usage.bytes += file.size;
            }
        }
        Ok(usage)
    }

    fn shares(&self) -> impl Iterator<Item = PathBuf> {
        (0..SUBFOLDERS).map(|share| self.folder.join(format!("{share:x}")))
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name = key.to_string();
        self.folder.join(&name[..1]).join(name)
    }
}

fn check_sum(result: &[u8]) -> [u8; 32] {
    Sha256::digest(result).into()
}

/// File of a result.
struct StoredResult {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// Returns the results that a subfolder stores, and removes abandoned temporary files. While the
/// function runs, other processes may remove results from the subfolder.
fn files(folder: &Path) -> io::Result<Vec<StoredResult>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(about) = entry.metadata() else {
            continue;
        };
        let used = about.modified()?;
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(TEMPORARY_PREFIX)
        {
            if used.elapsed().is_ok_and(|age| age > ABANDONED_AGE) {
                let _ = fs::remove_file(entry.path());
            }
        } else {
            found.push(StoredResult {
                path: entry.path(),
                size: about.len(),
                used,
            });
        }
    }
    Ok(found)
}

/// Removes the least recently used results until the remaining results have a total size of at most
/// `most` bytes.
fn make_room(folder: &Path, most: u64) -> io::Result<()> {
    let mut kept = files(folder)?;
    let mut bytes: u64 = kept.iter().map(|file| file.size).sum();
    if bytes <= most {
        return Ok(());
    }
    kept.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    for file in kept {
        if bytes <= most {
            break;
        }
        match fs::remove_file(&file.path) {
            // Another process has removed the file.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => bytes -= file.size,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
