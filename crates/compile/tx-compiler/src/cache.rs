//! Cache of compiled programs.

mod folder;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use tx_plan::Artifact;
use tx_target::Chip;

pub use folder::{Cache, Usage};

use crate::source::Source;
use folder::Key;

/// Returns the cache key of a compilation: a hash of the program, the chip, the assertion option,
/// the compiler build, the registered variants, and the inserted passes. Returns `None` if the
/// compiler build cannot be determined.
pub(crate) fn key(chip: Chip, asserts: bool, inserted: &str, source: &Source) -> Option<Key> {
    let variants: Vec<&str> = tx_passes::variants().iter().map(|v| v.name()).collect();
    Some(Key::of([
        compiler()?.as_bytes(),
        variants.join(",").as_bytes(),
        inserted.as_bytes(),
        chip.name.as_bytes(),
        if asserts { b"asserts" } else { b"" },
        // The locations in an artifact contain the file name.
        source.name.as_bytes(),
        source.entry.as_deref().unwrap_or_default().as_bytes(),
        &source.text,
    ]))
}

pub(crate) fn get(cache: &Cache, key: &Key) -> Option<Artifact> {
    let _span = tracing::debug_span!("cache").entered();
    serde_json::from_slice(&cache.get(key)?).ok()
}

/// Stores an artifact. If the cache cannot store an artifact, the function logs the error, and the
/// compilation still succeeds.
pub(crate) fn put(cache: &Cache, key: &Key, artifact: &Artifact) {
    let kept = serde_json::to_vec(artifact)
        .map_err(std::io::Error::from)
        .and_then(|bytes| cache.put(key, &bytes));
    if let Err(error) = kept {
        tracing::warn!(folder = %cache.folder().display(), %error, "nothing is cached");
    }
}

/// Returns a text that identifies the build of the running compiler. The text contains the path,
/// size, inode and modification time of each loaded file: the compiler's binary, and the MLIR and
/// LLVM libraries. The text contains no version number, because two different compiler builds can
/// have the same version number.
fn compiler() -> Option<&'static str> {
    static COMPILER: OnceLock<Option<String>> = OnceLock::new();
    COMPILER
        .get_or_init(|| {
            let maps = fs::read_to_string("/proc/self/maps").ok()?;
            let own = compiler as fn() -> Option<&'static str> as usize as u64;
            files_of(&maps, own)?
                .into_iter()
                .map(|file| {
                    let about = fs::metadata(file).ok()?;
                    let (size, inode) = (about.len(), about.ino());
                    let (seconds, nanos) = (about.mtime(), about.mtime_nsec());
                    Some(format!("{file} {size} {inode} {seconds}.{nanos}\n"))
                })
                .collect()
        })
        .as_deref()
}

/// Parses the text of `/proc/PID/maps`. Returns the file mapped at the address `own`, together with
/// all mapped MLIR and LLVM libraries. Returns `None` if no file is mapped at `own`.
fn files_of(maps: &str, own: u64) -> Option<BTreeSet<&str>> {
    let mut files = BTreeSet::new();
    let mut found = false;
    for line in maps.lines() {
        // 5581c000-5581d000 r-xp 00001000 08:01 1234    /usr/bin/tx
        let mut words = line.splitn(6, ' ');
        let (Some(range), Some(file)) = (words.next(), words.nth(4)) else {
            continue;
        };
        let file = file.trim_start();
        let name = file.rsplit('/').next().unwrap_or(file);
        let address = |text: &str| u64::from_str_radix(text, 16).ok();
        let holds = range
            .split_once('-')
            .and_then(|(from, to)| Some(address(from)?..address(to)?))
            .is_some_and(|range| range.contains(&own));
        let holds = holds && file.starts_with('/');
        found |= holds;
        if holds || name.starts_with("libMLIR") || name.starts_with("libLLVM") {
            files.insert(file);
        }
    }
    found.then_some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000-00500000 r--p 00000000 08:01 11                         /opt/a host/bin/python3
00500000-00900000 r-xp 00100000 08:01 11                         /opt/a host/bin/python3
7f0000000000-7f0000100000 r-xp 00000000 08:01 12                 /opt/lib/libreduce.so
7f0000200000-7f0000300000 r-xp 00000000 08:01 13                 /usr/lib/libLLVM.so.22.1
7f0000400000-7f0000500000 rw-p 00000000 00:00 0 
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                  [stack]
";

    /// Checks that the text that identifies the compiler build contains two files: the file with
    /// the compiler's code, and the LLVM library.
    #[test]
    fn the_compiler_is_the_file_with_its_code() {
        let files = |own| files_of(MAPS, own).map(|files| files.into_iter().collect::<Vec<_>>());
        let llvm = "/usr/lib/libLLVM.so.22.1";
        assert_eq!(
            files(0x60_0000),
            Some(vec!["/opt/a host/bin/python3", llvm])
        );
        assert_eq!(
            files(0x7f00_0008_0000),
            Some(vec!["/opt/lib/libreduce.so", llvm])
        );
        // JIT-compiled code belongs to no file.
        assert_eq!(files(0x7f00_0048_0000), None);
        assert_eq!(files(0x7ffd_0000_0010), None);
    }

    #[test]
    fn knows_itself() {
        let own = std::env::current_exe().expect("a path");
        let own = fs::canonicalize(own).expect("a path");
        let known = compiler().expect("a compiler");
        assert!(known.contains(&own.display().to_string()), "{known}");
    }
}
