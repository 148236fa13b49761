//! PTX from LLVM matches the IR; altered PTX does not.

use std::fs;
use std::path::{Path, PathBuf};

use tx::{Artifact, Compiler, Source, Target};
use tx_validate::{Verdict, check_ptx};

/// Reduction of a row in shared memory, with barriers, shuffles and vector loads.
const LONG_ROW: &str = include_str!("../../../../lit-tests/ptx/long-row.mlir");

/// Integer sum within a warp.
const REDUX: &str = include_str!("../../../../lit-tests/ptx/redux.mlir");

const ATOMIC: &str = "
gpu.module @kernels {
  gpu.func @count(%count: memref<i32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %before = memref.atomic_rmw addi %one, %count[] : (i32, memref<i32>) -> i32
    gpu.return
  }
}";

fn compile(text: &str, chip: &str) -> Artifact {
    let target = Target::parse(chip).unwrap();
    let source = Source {
        name: "test.mlir".to_owned(),
        text: text.as_bytes().to_vec(),
        entry: None,
        keep_stages: false,
    };
    Compiler::new(target)
        .unwrap()
        .compile_source(&source)
        .unwrap()
}

/// Checks without `ptxas`, so that results do not depend on its installation.
fn check(artifact: &Artifact) -> Verdict {
    check_ptx(artifact, Some(Path::new("no-such-folder")))
}

/// Returns the verdict after the first line that contains `wanted` is replaced by the lines from
/// `edit`.
fn altered(text: &str, wanted: &str, edit: impl Fn(&str) -> Vec<String>) -> String {
    let mut artifact = compile(text, "sm_90");
    let good = check(&artifact);
    assert!(matches!(good, Verdict::AsInIr(_)), "{good}");
    let mut lines: Vec<String> = artifact.ptx.lines().map(str::to_owned).collect();
    let at = lines
        .iter()
        .position(|line| line.contains(wanted))
        .unwrap_or_else(|| panic!("no `{wanted}` in\n{}", artifact.ptx));
    let made = edit(&lines[at]);
    assert_ne!(made, [lines[at].clone()], "nothing was altered");
    lines.splice(at..=at, made);
    artifact.ptx = lines.join("\n");
    match check(&artifact) {
        Verdict::Ptx(difference) => difference,
        other => panic!("{other}, expected a difference in\n{}", artifact.ptx),
    }
}

fn replaced<'e>(from: &'e str, to: &'e str) -> impl Fn(&str) -> Vec<String> + 'e {
    move |line| vec![line.replacen(from, to, 1)]
}

#[test]
fn what_was_compiled_is_as_in_the_ir() {
    let verdict = check(&compile(LONG_ROW, "sm_90")).to_string();
    assert_eq!(
        verdict,
        "as in the IR: 3 barriers, 6 shuffles, 2 vector loads; not assembled: there is no ptxas \
         at `no-such-folder`, \
         expected the program or a folder that holds it"
    );
}

/// LLVM drops a store of the value that was loaded from the same address.
#[test]
fn what_is_there_already_is_not_stored() {
    let text = "
func.func @f(%A: memref<64x1024xi32>, %R: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = [\"parallel\", \"parallel\"]}
      ins(%A, %R : memref<64x1024xi32>, memref<64xi32>) outs(%A : memref<64x1024xi32>) {
  ^bb0(%x: i32, %r: i32, %old: i32):
    %d = arith.subi %x, %r : i32
    %s = arith.addi %d, %r : i32
    linalg.yield %s : i32
  }
  return
}";
    let artifact = compile(text, "sm_90");
    assert!(!artifact.ptx.contains("st.global"), "{}", artifact.ptx);
    let verdict = check(&artifact);
    assert!(matches!(verdict, Verdict::AsInIr(_)), "{verdict}");
}

#[test]
fn a_barrier_is_dropped() {
    assert_eq!(
        altered(LONG_ROW, "bar.sync", |_| Vec::new()),
        "kernel `long_row`: `bar.sync 0`: found 2 outside loops, expected 3 outside loops: 1 too few"
    );
}

#[test]
fn a_barrier_is_added() {
    assert_eq!(
        altered(LONG_ROW, "bar.sync", |line| vec![line.to_owned(); 2]),
        "kernel `long_row`: `bar.sync 0`: found 4 outside loops, expected 3 outside loops: 1 too many"
    );
}

#[test]
fn a_barrier_is_another_one() {
    let found = altered(LONG_ROW, "bar.sync", replaced("0;", "1;"));
    assert!(
        found.contains("`bar.sync 0`: found 2 outside loops, expected 3"),
        "{found}"
    );
    assert!(found.ends_with("(and 1 more)"), "{found}");
}

#[test]
fn a_shuffle_has_another_mask() {
    assert_eq!(
        altered(LONG_ROW, "shfl.sync", replaced("-1;", "65535;")),
        "kernel `long_row`: `shfl.sync.bfly` with mask 0xffff and clamp 31: found 1 outside \
         loops, expected none: 1 too \
         many (and 1 more)"
    );
}

#[test]
fn a_shuffle_has_another_clamp() {
    let found = altered(LONG_ROW, "shfl.sync", replaced(", 31, -1", ", 15, -1"));
    assert!(
        found.contains("found 1 outside loops, expected none: 1 too many")
            || found.contains("found 5 outside loops, expected 6 outside loops: 1 too few"),
        "{found}"
    );
    assert!(found.contains("shfl.sync.bfly"), "{found}");
}

#[test]
fn a_shuffle_has_another_mode() {
    let found = altered(LONG_ROW, "shfl.sync", replaced(".bfly.", ".down."));
    assert!(
        found.contains("shfl.sync.down") || found.contains("shfl.sync.bfly"),
        "{found}"
    );
    assert!(found.ends_with("(and 1 more)"), "{found}");
}

#[test]
fn an_atomic_is_dropped() {
    let found = altered(ATOMIC, "add.u32", |_| Vec::new());
    assert!(
        found.starts_with("kernel `count`: atomic `add")
            && found.ends_with("found none, expected 1 outside loops: 1 too few"),
        "{found}"
    );
}

#[test]
fn an_atomic_does_something_else() {
    let found = altered(ATOMIC, "add.u32", replaced("add.u32", "max.u32"));
    assert!(found.contains("atomic `add"), "{found}");
}

/// A vector load is replaced by four scalar loads.
#[test]
fn a_vector_load_is_split() {
    let found = altered(LONG_ROW, "ld.shared.v4.b32", |line| {
        let (registers, address) = line.split_once("}, [").unwrap();
        let registers = registers.split_once('{').unwrap().1;
        let address = address.trim_end_matches("];");
        registers
            .split(", ")
            .enumerate()
            .map(|(i, register)| format!("\tld.shared.b32 \t{register}, [{address}+{}];", 4 * i))
            .collect()
    });
    assert_eq!(
        found,
        "kernel `long_row`: loads of less than 16 bytes in `.shared` memory: found 20 bytes moved \
         by them, expected at \
         most 4: vector accesses are narrower than in the IR"
    );
}

#[test]
fn a_redux_is_of_another_kind() {
    let found = altered(
        REDUX,
        "redux.sync",
        replaced("redux.sync.add.s32", "redux.sync.min.s32"),
    );
    assert!(found.contains("redux.sync.add"), "{found}");
    assert!(found.ends_with("(and 1 more)"), "{found}");
}

#[test]
fn a_kernel_is_missing() {
    let mut artifact = compile(ATOMIC, "sm_90");
    artifact.ptx = artifact.ptx.replace("count", "counts");
    assert_eq!(
        check(&artifact).to_string(),
        "PTX: kernel `count`: found no such entry in the PTX, expected one (and 1 more)"
    );
}

#[test]
fn text_that_is_no_ptx() {
    let mut artifact = compile(ATOMIC, "sm_90");
    artifact.ptx.push_str("what is this");
    let found = check(&artifact).to_string();
    assert!(
        found.starts_with("PTX: the PTX cannot be read: line "),
        "{found}"
    );
}

#[test]
fn ir_that_cannot_be_read() {
    let mut artifact = compile(ATOMIC, "sm_90");
    artifact.device_ir.push('}');
    assert!(matches!(check(&artifact), Verdict::Unsupported(_)));
}

/// Covers all synchronization and warp operations, in PTX that LLVM emits.
#[test]
fn all_operations() {
    // LLVM emits only operations that the chip supports.
    for (chip, text) in [
        ("sm_80", include_str!("ptx/together.mlir")),
        ("sm_90", include_str!("ptx/together.mlir")),
        ("sm_100a", include_str!("ptx/clusters.mlir")),
        ("sm_80", include_str!("ptx/atomics.mlir")),
        ("sm_90", include_str!("ptx/atomics.mlir")),
        ("sm_100a", include_str!("ptx/atomics.mlir")),
        ("sm_90", include_str!("ptx/calls.mlir")),
        ("sm_90", include_str!("ptx/assembly.mlir")),
        ("sm_90", include_str!("ptx/memory.mlir")),
    ] {
        let artifact = compile(text, chip);
        let verdict = check(&artifact);
        assert!(
            matches!(verdict, Verdict::AsInIr(_)),
            "{chip}: {verdict}\n{}\n{}",
            artifact.device_ir,
            artifact.ptx
        );
        let found = verdict.to_string();
        let found: Vec<&str> = found
            .trim_start_matches("as in the IR: ")
            .split([',', ';'])
            .map(str::trim)
            .collect();
        let expected = text.lines().next().unwrap().trim_start_matches("// ");
        for expected in expected.split(", ") {
            assert!(
                found.contains(&expected),
                "{chip}: {verdict}, expected {expected}"
            );
        }
    }
}

#[test]
fn programs_are_as_in_the_ir_on_sm_90() {
    programs("sm_90", 0);
}

#[test]
fn programs_are_as_in_the_ir_on_sm_100a() {
    programs("sm_100a", 24);
}

/// Checks programs of `lit-tests`: every 48th from `first` on, or all if `TX_EVERY_PROGRAM` is set
/// (by `cargo xtask deep`).
fn programs(chip: &str, first: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../lit-tests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let step = match std::env::var_os("TX_EVERY_PROGRAM") {
        Some(_) => 1,
        None => 48,
    };
    let compiler = Compiler::new(Target::parse(chip).unwrap()).unwrap();
    let mut sources = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for part in text.split("// -----") {
            let source = Source {
                name: file.display().to_string(),
                text: part.as_bytes().to_vec(),
                entry: None,
                keep_stages: false,
            };
            let entries = compiler.entries(&source).unwrap_or_default();
            sources.extend(entries.into_iter().map(|entry| Source {
                entry: Some(entry),
                ..source.clone()
            }));
        }
    }
    let mut checked = 0;
    let mut wrong = Vec::new();
    for source in sources.iter().skip(first % step).step_by(step) {
        let Ok(artifact) = compiler.compile_source(source) else {
            continue;
        };
        if artifact.ptx.is_empty() {
            continue;
        }
        checked += 1;
        let verdict = check(&artifact);
        if !matches!(verdict, Verdict::AsInIr(_)) {
            let entry = source.entry.as_deref().unwrap_or_default();
            wrong.push(format!("{} @{entry} {chip}: {verdict}", source.name));
        }
    }
    assert!(checked > 10, "{checked} programs were checked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "mlir")
        {
            files.push(path);
        }
    }
}
