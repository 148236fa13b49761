//! Results in a folder that several use at once, that is damaged, or full.

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

/// What happens to a file's bytes.
type Damage = fn(&[u8]) -> Vec<u8>;

/// Every file below a folder.
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

/// Keys that share a folder, which is named for their first digit.
fn neighbours(count: usize) -> Vec<Key> {
    let same = |key: &Key| key.to_string().starts_with('7');
    (0..).map(key).filter(same).take(count).collect()
}

/// Where nothing can be kept, that is found without trying, and is known of the cache and its
/// clones once something was put in.
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

/// What was put in comes out again, also from another cache in the same folder, and nothing else does.
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

/// A file that was cut off, or whose bits were turned, is a result that is not there; one that is
/// made anew takes its place.
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

/// The limit holds, and those go that were not asked for longest.
#[test]
fn forgets_what_nobody_asks_for() {
    let folder = folder();
    // Room for four results in each of sixteen folders.
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
    // The oldest is asked for, so that the next one is the first to go.
    assert!(cache.get(&keys[0]).is_some());
    cache.put(&keys[4], &result).expect("put");
    let there = |key: &Key| cache.get(key).is_some();
    assert_eq!(
        keys.iter().map(there).collect::<Vec<_>>(),
        [true, false, true, true, true, false]
    );
    // What is larger than a share would drive out everything, and is not kept.
    cache.put(&keys[5], &[0; 400]).expect("put");
    assert!(!there(&keys[5]));
    assert_eq!(cache.usage().expect("usage").bytes, 400);
}

/// What somebody left who died while writing is cleared away in time; what is being written is not.
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

/// Threads that put, get and drive out the same results at once see whole results only, and stay
/// within the limit.
#[test]
fn many_use_it_at_once() {
    let folder = folder();
    let keys = neighbours(8);
    let keys = &keys;
    let path = folder.path();
    thread::scope(|scope| {
        for seed in 0..8_usize {
            scope.spawn(move || {
                // Room for five of eight in their folder.
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

/// A folder that cannot be made is an error for who keeps, and nothing for who asks.
#[test]
fn says_why_it_cannot_keep() {
    let folder = folder();
    fs::write(folder.path().join("file"), "").expect("a file");
    let cache = Cache::new(folder.path().join("file"), 1 << 20);
    assert_eq!(cache.get(&key(1)), None);
    assert!(cache.put(&key(1), b"one").is_err());
}

proptest! {
    /// Lists of parts have one key only if they are one list: where a part ends counts.
    #[test]
    fn keys_tell_lists_apart(
        a in prop::collection::vec(prop::collection::vec(0..2_u8, 0..3), 0..4),
        b in prop::collection::vec(prop::collection::vec(0..2_u8, 0..3), 0..4),
    ) {
        let of = |list: &[Vec<u8>]| Key::of(list.iter().map(Vec::as_slice));
        prop_assert_eq!(of(&a) == of(&b), a == b);
    }
}
