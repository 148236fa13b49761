//! A folder of results that are found by the hash of what they were made of.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let cache = tx_cache::Cache::new(folder.path(), 1 << 20);
//! let key = tx_cache::Key::of([b"compiler 1".as_slice(), b"program"]);
//! assert_eq!(cache.get(&key), None);
//! cache.put(&key, b"result")?;
//! assert_eq!(cache.get(&key).as_deref(), Some(b"result".as_slice()));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Any number of threads and processes may use one folder. A result is written aside and then given
//! its name, which is one step for the file system, and has a check sum with it: who reads sees all
//! of it or nothing. Of results that take more than the limit together, those go first that were
//! not asked for longest.
//!
//! A result that is lost or damaged is one that is not there: nothing is worse than making it again.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// What a result was made of: SHA-256 of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of these parts, in this order. Each counts with its length, so that no two lists are one.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// In hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Results are kept in so many folders, by the first digit of their key. Each has its share of the
/// limit, so that only one has to be looked through when a result comes.
const SHARES: u64 = 16;

/// Files that are being written begin so.
const ASIDE: &str = ".new-";

/// Whoever wrote a file that is still aside after this time is not there any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Results in a folder.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
    /// What was in the way of the last result that could not be kept, by this or a clone of it.
    trouble: Arc<Mutex<Option<String>>>,
}

/// What is in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many results.
    pub results: u64,
    /// How many bytes their files have.
    pub bytes: u64,
}

impl Cache {
    /// The cache in a folder, which is made when there is something to keep. It grows to `limit`
    /// bytes at most; a result of more than a sixteenth of that is not kept.
    pub fn new(folder: impl Into<PathBuf>, limit: u64) -> Self {
        Self {
            folder: folder.into(),
            limit,
            trouble: Arc::default(),
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes it takes at most.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What was made of this, if it is there.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut sum = [0; 32];
        let mut result = Vec::new();
        let read = file
            .read_exact(&mut sum)
            .and_then(|()| file.read_to_end(&mut result));
        if read.is_err() || sum != check_sum(&result) {
            // A disk that was full, say. It is in the way of a good one.
            let _ = fs::remove_file(&path);
            return None;
        }
        // When it was asked for. In a folder that cannot be written to the order of going is that of coming.
        let _ = file.set_modified(SystemTime::now());
        Some(result)
    }

    /// Keeps what was made of this.
    ///
    /// # Errors
    /// When the folder cannot be made or written to; [`trouble`](Self::trouble) is that from then on.
    pub fn put(&self, key: &Key, result: &[u8]) -> io::Result<()> {
        self.keep(key, result).inspect_err(|error| {
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            *trouble = Some(error.to_string());
        })
    }

    /// Why a result could not be kept, if that was so: who puts it there may go on without a word,
    /// and who made the cache tell of it.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }

    /// Whether results could be kept. No folder is made.
    ///
    /// # Errors
    /// When the folder cannot be written to, or not be made where it is to be.
    pub fn check(&self) -> io::Result<()> {
        // What is there of the way to it.
        let mut folder = std::path::absolute(&self.folder)?;
        while fs::symlink_metadata(&folder).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
            && folder.pop()
        {}
        tempfile::tempfile_in(folder).map(drop)
    }

    fn keep(&self, key: &Key, result: &[u8]) -> io::Result<()> {
        let share = self.limit / SHARES;
        let size = result.len() as u64 + 32;
        if size > share {
            return Ok(());
        }
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(ASIDE).tempfile_in(folder)?;
        file.write_all(&check_sum(result))?;
        file.write_all(result)?;
        make_room(folder, share - size)?;
        file.persist(&path)?;
        Ok(())
    }

    /// How much is in it.
    ///
    /// # Errors
    /// When its folder cannot be read.
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
        (0..SHARES).map(|share| self.folder.join(format!("{share:x}")))
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name = key.to_string();
        self.folder.join(&name[..1]).join(name)
    }
}

fn check_sum(result: &[u8]) -> [u8; 32] {
    Sha256::digest(result).into()
}

/// A file of a folder.
struct Kept {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// The results in a folder. Others may take some away meanwhile.
fn files(folder: &Path) -> io::Result<Vec<Kept>> {
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
        if entry.file_name().to_string_lossy().starts_with(ASIDE) {
            if used.elapsed().is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(entry.path());
            }
        } else {
            found.push(Kept {
                path: entry.path(),
                size: about.len(),
                used,
            });
        }
    }
    Ok(found)
}

/// Removes what was not asked for longest, until no more than `most` bytes are left.
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
            // Somebody else made room, too.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => bytes -= file.size,
        }
    }
    Ok(())
}
