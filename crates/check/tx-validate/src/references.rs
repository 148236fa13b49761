//! Cache of reference results for repeated validation.

use crate::compare::{Bounds, Results};
use crate::inputs::Input;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tx_interp::Bound;
use tx_runtime::Arg;

/// Results of the input program for one input, with the error bounds of the results.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) results: Results,
    pub(crate) bounds: Bounds,
    pub(crate) work: u64,
}

impl Reference {
    /// Returns whether all error bounds are infinite. If all error bounds are infinite, the
    /// validation cannot compare any result of the input.
    pub(crate) fn is_open(&self) -> bool {
        let is_open = |bound: &Option<Bound>| bound.is_some_and(|bound| bound.error.is_infinite());
        let mut written = self.bounds.iter().flatten().flatten().peekable();
        written.peek().is_some() && written.all(is_open)
    }
}

/// Cache of reference results, for programs that are validated repeatedly with equal inputs.
///
/// The cache holds up to 1 GiB of results.
#[derive(Default)]
pub struct References {
    kept: Mutex<CachedReferences>,
}

#[derive(Default)]
struct CachedReferences {
    found: BTreeMap<Key, Arc<Reference>>,
    bytes: usize,
}

const MOST_BYTES: usize = 1 << 30;

/// Hash of a program text with its options, and hash of the arguments of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u64; 2]);

impl Key {
    pub(crate) fn new(
        text: &str,
        entry: &str,
        options: &tx_interp::Options,
        input: &Input,
    ) -> Self {
        let mut program = DefaultHasher::new();
        (text, entry, format!("{options:?}")).hash(&mut program);
        let mut own = DefaultHasher::new();
        input.name.hash(&mut own);
        for arg in &input.args {
            match arg {
                Arg::Array(array) => (array.shape(), array.bytes()).hash(&mut own),
                other => format!("{other:?}").hash(&mut own),
            }
        }
        Self([program.finish(), own.finish()])
    }
}

impl References {
    fn kept(&self) -> MutexGuard<'_, CachedReferences> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, key: Key) -> Option<Arc<Reference>> {
        self.kept().found.get(&key).cloned()
    }

    /// Stores a result. If a result does not fit in the remaining space of the cache, the function
    /// first clears the cache.
    pub(crate) fn keep(&self, key: Key, reference: &Arc<Reference>) {
        let mut kept = self.kept();
        let bytes = reference.bytes();
        if kept.bytes + bytes > MOST_BYTES {
            *kept = CachedReferences::default();
        }
        if kept.found.insert(key, Arc::clone(reference)).is_none() {
            kept.bytes += bytes;
        }
    }
}

impl fmt::Debug for References {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        write!(f, "{} references of {} bytes", kept.found.len(), kept.bytes)
    }
}

impl Reference {
    fn bytes(&self) -> usize {
        let results = self.results.iter().flatten();
        let bounds = self.bounds.iter().flatten();
        results.map(|array| array.bytes().len()).sum::<usize>()
            + bounds.map(|all| size_of_val(&all[..])).sum::<usize>()
    }
}
