//! Tests of a cache folder with concurrent users, with damaged files, and with results that exceed
//! the size limit.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{Cache, Key, Usage};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn key(number: u64) -> Key {
    Key::of([number.to_le_bytes().as_slice()])
}

type Damage = fn(&[u8]) -> Vec<u8>;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Returns keys whose results are stored in the same subfolder: the first hexadecimal digit of each
/// key is 7.
fn neighbours(count: usize) -> Vec<Key> {
    let same = |key: &Key| key.to_string().starts_with('7');
    (0..).map(key).filter(same).take(count).collect()
}

/// Checks that `check` reports a folder that cannot be created. Checks that, after a failed `put`,
/// the cache and its clones return the error of the `put`.
#[test]
fn tells_where_nothing_can_be_kept() {
    let folder = folder();
    let good = Cache::new(folder.path().join("not/there"), 1 << 20);
    good.check().expect("a folder that can be made");
    assert!(!folder.path().join("not").exists());
    fs::write(folder.path().join("file"), "").expect("a file");
    let bad = Cache::new(folder.path().join("file/below"), 1 << 20);
    let found = bad.check().expect_err("a file is in the way").to_string();
    let user = bad.clone();
    assert_eq!(bad.trouble(), None);
    let put = user.put(&key(1), b"one").expect_err("it is in the way");
    assert_eq!(put.to_string(), found);
    assert_eq!(bad.trouble(), Some(found));
    assert_eq!(good.trouble(), None);
}

/// Checks that a cache returns stored results, including results that a second `Cache` of the same
/// folder stored.
#[test]
fn keeps_results() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("not/there/yet"), 1 << 20);
    assert_eq!(cache.get(&key(1)), None);
    assert_eq!(cache.usage().expect("usage"), Usage::default());
    cache.put(&key(1), b"one").expect("put");
    cache.put(&key(2), b"").expect("put");
    let other = Cache::new(cache.folder(), 1 << 20);
    assert_eq!(other.get(&key(1)).as_deref(), Some(&b"one"[..]));
    assert_eq!(other.get(&key(2)).as_deref(), Some(&b""[..]));
    assert_eq!(other.get(&key(3)), None);
    assert_eq!(
        other.usage().expect("usage"),
        Usage {
            results: 2,
            bytes: 2 * 32 + 3
        }
    );
}

/// Checks that the cache treats a truncated or modified file as an absent result, and that a result
/// can then be stored under the same key.
#[test]
fn damaged_results_are_not_there() {
    let folder = folder();
    let cache = Cache::new(folder.path(), 1 << 20);
    let result = b"a result of some length";
    let damages: [(Damage, bool); 4] = [
        (|bytes| bytes.to_vec(), true),
        (|bytes| bytes[..bytes.len() - 1].to_vec(), false),
        (|bytes| bytes[..7].to_vec(), false),
        (|bytes| bytes.iter().map(|byte| !byte).collect(), false),
    ];
    for (damage, there) in damages {
        cache.put(&key(1), result).expect("put");
        let file = files(folder.path()).pop().expect("a file");
        let bytes = fs::read(&file).expect("its bytes");
        fs::write(&file, damage(&bytes)).expect("other bytes");
        assert_eq!(cache.get(&key(1)).is_some(), there);
        assert_eq!(file.exists(), there);
    }
}

/// Checks that the least recently used results are removed when the size limit is exceeded.
#[test]
fn forgets_what_nobody_asks_for() {
    let folder = folder();
    // Each of the sixteen subfolders can store four results.
    let result = [7; 68];
    let cache = Cache::new(folder.path(), 16 * 4 * 100);
    let keys = neighbours(6);
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    for (i, key) in keys[..4].iter().enumerate() {
        cache.put(key, &result).expect("put");
        let path = folder.path().join("7").join(key.to_string());
        let file = File::options().append(true).open(path).expect("its file");
        file.set_modified(long_ago + Duration::from_secs(i as u64))
            .expect("a time");
    }
    // The test reads the oldest result, so the cache removes the second oldest result first.
    assert!(cache.get(&keys[0]).is_some());
    cache.put(&keys[4], &result).expect("put");
    let there = |key: &Key| cache.get(key).is_some();
    assert_eq!(
        keys.iter().map(there).collect::<Vec<_>>(),
        [true, false, true, true, true, false]
    );
    // A result larger than the limit of a subfolder is not stored.
    cache.put(&keys[5], &[0; 400]).expect("put");
    assert!(!there(&keys[5]));
    assert_eq!(cache.usage().expect("usage").bytes, 400);
}

/// Checks that the cache removes abandoned temporary files, but keeps recent temporary files.
#[test]
fn clears_away_what_was_left_half_written() {
    let folder = folder();
    let cache = Cache::new(folder.path(), 1 << 20);
    let keys = neighbours(2);
    cache.put(&keys[0], b"one").expect("put");
    for (name, age) in [(".new-dead", 4000), (".new-busy", 10)] {
        let file = File::create(folder.path().join("7").join(name)).expect("a file");
        file.set_modified(SystemTime::now() - Duration::from_secs(age))
            .expect("a time");
    }
    cache.put(&keys[1], b"two").expect("put");
    assert!(!folder.path().join("7/.new-dead").exists());
    assert!(folder.path().join("7/.new-busy").exists());
    assert_eq!(cache.usage().expect("usage").results, 2);
}

/// Checks a cache that several threads use concurrently: the threads store, read and remove results
/// with equal keys. Checks that no thread reads an incomplete result, and that no temporary files
/// remain.
#[test]
fn many_use_it_at_once() {
    let folder = folder();
    let keys = neighbours(8);
    let keys = &keys;
    let path = folder.path();
    thread::scope(|scope| {
        for seed in 0..8_usize {
            scope.spawn(move || {
                // The subfolder can store five of the eight results.
                let cache = Cache::new(path, 16 * 5 * 1032);
                for step in 0..300_usize {
                    let number = (seed * 5 + step * 3) % 8;
                    let expected = vec![number as u8; 1000];
                    match cache.get(&keys[number]) {
                        Some(found) => assert_eq!(found, expected),
                        None => cache.put(&keys[number], &expected).expect("put"),
                    }
                }
            });
        }
    });
    let aside = files(path)
        .iter()
        .filter(|file| file.to_string_lossy().contains(".new-"))
        .count();
    assert_eq!(aside, 0);
}

/// Checks that, for a folder that cannot be created, `put` fails and `get` returns `None`.
#[test]
fn says_why_it_cannot_keep() {
    let folder = folder();
    fs::write(folder.path().join("file"), "").expect("a file");
    let cache = Cache::new(folder.path().join("file"), 1 << 20);
    assert_eq!(cache.get(&key(1)), None);
    assert!(cache.put(&key(1), b"one").is_err());
}

proptest! {
    /// Checks that two lists of inputs have equal keys only if the lists are equal.
    #[test]
    fn keys_tell_lists_apart(
        a in prop::collection::vec(prop::collection::vec(0..2_u8, 0..3), 0..4),
        b in prop::collection::vec(prop::collection::vec(0..2_u8, 0..3), 0..4),
    ) {
        let of = |list: &[Vec<u8>]| Key::of(list.iter().map(Vec::as_slice));
        prop_assert_eq!(of(&a) == of(&b), a == b);
    }
}
